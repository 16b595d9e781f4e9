/* pair_mul and pair_sqr: Montgomery products and squares of two numbers at once, in signed digits.
 *
 *     z := x y R^-1 (mod n),  R = 2^(DIGIT_BITS K),  in lane 0 modulo p, in lane 1 modulo q
 *
 *     void pair_mul(struct pair *z, const struct pair *x, const struct pair *y,
 *                   const struct pair_modulus *m);
 *     void pair_sqr(struct pair *z, const struct pair *x, const struct pair_modulus *m);
 *
 * Needs |x y| <= 2^-5 n R; gives |z| < 54/100 n.  Digits are from -H to H, H = 2^(DIGIT_BITS - 1), those of z,
 * too.  z may be x or y.
 * K = 4 B, 2 <= B <= 15; with LONG, 16 <= B <= 18.
 * Registers: r0 = z, r1 = x, r2 = y, r3 = m (pair_sqr: r2 = m); r4-r11 and d8-d15 are preserved; the others and
 * the flags change.  No branch and no address depends on a digit.
 *
 * A D register holds one digit of both numbers; VMLAL.S32 adds both products to both 64-bit sums.
 * The work is done in blocks of four digits.  Column c of blocks is the sum of all x[i] y[j] and u[i] n[j] with
 * i + j = c, where u are the digits of the quotient.  It is 7 sums of digits wide, S0 to S6; when it is
 * complete, S0 to S3 are done, and S4 to S6 are S0 to S2 of the next column:
 *
 *     even columns    S0  S1  S2  S3  S4  S5  S6  =  q8  q9  q10 q11 q12 q13 q14
 *     odd columns                                    q12 q13 q14 q11 q8  q9  q10
 *
 * In the columns 0 to B - 1 the digits u follow from S0 to S3; the sums then end in zeros, which are shifted out.
 * In the others S0 to S3 are digits of z.  No sum overflows: README.md, "The bound".  With LONG the columns in
 * the middle would, and carry once between x y and u n.
 *
 *     registers   r0  where the next digits of z go      r1  x, then its end       r2  end of y, or of 2 x
 *                 r3  end of n    r4 moves up x or u     r5  moves down y or n
 *                 r6  where the next digits of u go, then their end
 *                 r8  -32 times what is left of low or high columns, this one apart
 *                 r9, r10  where an even, an odd column enters the doubles
 *                 pair_sqr: r7, r12  where it enters the singles    r11  x[c / 2]
 *                 d0-d3, d4-d7  blocks i, i + 1 of x or u    d12-d15, d8-d11  blocks j, j - 1 of y or n
 *                 d30  n0inv
 *     stack       sp+0  u     sp+608  2 x, in pair_sqr   above  d8-d15, r3-r11, return address
 */
        .syntax unified
        .arch   armv7-a
        .fpu    neon
        .arm
        .text
#include "frame.inc"
#include "names.h"

#ifdef LONG
#define PRODUCT pair_mul_long
#define SQUARE pair_sqr_long
#else
#define PRODUCT pair_mul_short
#define SQUARE pair_sqr_short
#endif

        .equ    DIGIT_BITS, 29
        .equ    BLOCK, 32               /* bytes of four digits of a pair */
        .equ    MAX_BLOCKS, 19          /* room of struct pair */
        .equ    FULL, 15                /* blocks of x y and of u n that a column holds together */
        .equ    MOST_STEPS, 9           /* doubles of a column of 19 blocks; 8 are used */
        .equ    PAIR, MAX_BLOCKS * BLOCK
        .equ    SINGLE, 4 * (2 + 16)    /* bytes of code of a step of one block */
        .equ    DOUBLE, 4 * (2 + 32)    /* and of one of two blocks */
        .equ    DOUBLES, MOST_STEPS * DOUBLE + 8    /* from .Leven_done to .Lodd_done */

/* struct pair_modulus */
        .equ    N0INV, 0
        .equ    BYTES, 8
        .equ    N, 12

xa0     .req    d0
xa1     .req    d1
xa2     .req    d2
xa3     .req    d3
xb0     .req    d4
xb1     .req    d5
xb2     .req    d6
xb3     .req    d7
yb0     .req    d8
yb1     .req    d9
yb2     .req    d10
yb3     .req    d11
ya0     .req    d12
ya1     .req    d13
ya2     .req    d14
ya3     .req    d15
n0inv   .req    d30

even0   .req    q8
even1   .req    q9
even2   .req    q10
even3   .req    q11
even4   .req    q12
even5   .req    q13
even6   .req    q14
odd0    .req    q12
odd1    .req    q13
odd2    .req    q14
odd3    .req    q11
odd4    .req    q8
odd5    .req    q9
odd6    .req    q10

/* s += x y, four digits by four.  `first` is vmull where S3 to S6 have no value yet. */
        .macro  block s, x, y, first=vmlal
        \first\().s32 \s\()3, \x\()0, \y\()3
        \first\().s32 \s\()4, \x\()1, \y\()3
        \first\().s32 \s\()5, \x\()2, \y\()3
        \first\().s32 \s\()6, \x\()3, \y\()3
        vmlal.s32 \s\()0, \x\()0, \y\()0
        vmlal.s32 \s\()1, \x\()0, \y\()1
        vmlal.s32 \s\()2, \x\()0, \y\()2
        vmlal.s32 \s\()3, \x\()1, \y\()2
        vmlal.s32 \s\()1, \x\()1, \y\()0
        vmlal.s32 \s\()2, \x\()1, \y\()1
        vmlal.s32 \s\()4, \x\()2, \y\()2
        vmlal.s32 \s\()3, \x\()2, \y\()1
        vmlal.s32 \s\()2, \x\()2, \y\()0
        vmlal.s32 \s\()5, \x\()3, \y\()2
        vmlal.s32 \s\()4, \x\()3, \y\()1
        vmlal.s32 \s\()3, \x\()3, \y\()0
        .endm

/* One block up x, one block down y. */
        .macro  single s, first=vmlal
        vldmia  r4!, {d0-d3}
        vldmdb  r5!, {d12-d15}
        block   \s, xa, ya, \first
        .endm

/* Two blocks up x, two blocks down y. */
        .macro  double s, first=vmlal
        vldmia  r4!, {d0-d7}
        vldmdb  r5!, {d8-d15}
        block   \s, xa, ya, \first
        block   \s, xb, yb
        .endm

/* The digit u of the quotient that makes s a multiple of 2^DIGIT_BITS, and the carry into the next sum:
 * u = s n0inv mod 2^DIGIT_BITS, between -H and H; n0inv comes shifted. */
        .macro  quotient u, s, next
        vmovn.i64 \u, \s
        vmul.i32 \u, \u, n0inv
        vshr.s32 \u, \u, #32 - DIGIT_BITS
        vmlal.s32 \s, \u, xb0
        vsra.s64 \next, \s, #DIGIT_BITS
        .endm

/* What a low column ends with: four digits u and u[c] n[0], where r5 has come down to n + 32. */
        .macro  divide s
        vldmdb  r5!, {d4-d7}
        quotient xa0, \s\()0, \s\()1
        vmlal.s32 \s\()1, xa0, xb1
        vmlal.s32 \s\()2, xa0, xb2
        vmlal.s32 \s\()3, xa0, xb3
        quotient xa1, \s\()1, \s\()2
        vmlal.s32 \s\()2, xa1, xb1
        vmlal.s32 \s\()3, xa1, xb2
        vmlal.s32 \s\()4, xa1, xb3
        quotient xa2, \s\()2, \s\()3
        vmlal.s32 \s\()3, xa2, xb1
        vmlal.s32 \s\()4, xa2, xb2
        vmlal.s32 \s\()5, xa2, xb3
        quotient xa3, \s\()3, \s\()4
        vmlal.s32 \s\()4, xa3, xb1
        vmlal.s32 \s\()5, xa3, xb2
        vmlal.s32 \s\()6, xa3, xb3
        vstmia  r6!, {d0-d3}
        .endm

/* What a high column ends with: four digits of z.  A digit is what rounding to the nearest multiple of
 * 2^DIGIT_BITS leaves, and the multiple is the carry. */
        .macro  digits s
        vrsra.s64 \s\()1, \s\()0, #DIGIT_BITS
        vrsra.s64 \s\()2, \s\()1, #DIGIT_BITS
        vrsra.s64 \s\()3, \s\()2, #DIGIT_BITS
        vrsra.s64 \s\()4, \s\()3, #DIGIT_BITS
        store   \s
        .endm

        .macro  store s
        vmovn.i64 d0, \s\()0
        vmovn.i64 d1, \s\()1
        vmovn.i64 d2, \s\()2
        vmovn.i64 d3, \s\()3
        vshl.i32 q0, q0, #32 - DIGIT_BITS
        vshl.i32 q1, q1, #32 - DIGIT_BITS
        vshr.s32 q0, q0, #32 - DIGIT_BITS
        vshr.s32 q1, q1, #32 - DIGIT_BITS
        vstmia  r0!, {d0-d3}
        .endm

/* The last four digits of z.  Nothing is above them: |z| < n. */
        .macro  top
        vmov.i64 even3, #0              /* column 2 B - 1 is odd: odd0 to odd2, and odd3 = even3 */
        vrsra.s64 odd1, odd0, #DIGIT_BITS
        vrsra.s64 odd2, odd1, #DIGIT_BITS
        vrsra.s64 odd3, odd2, #DIGIT_BITS
        store   odd
        .endm

/* What S0 to S3 have beyond 2^DIGIT_BITS goes to the sums above; 0 to 2^DIGIT_BITS - 1 stays. */
        .macro  carry s
        vsra.s64 \s\()1, \s\()0, #DIGIT_BITS
        vsra.s64 \s\()2, \s\()1, #DIGIT_BITS
        vsra.s64 \s\()3, \s\()2, #DIGIT_BITS
        vsra.s64 \s\()4, \s\()3, #DIGIT_BITS
        .irp    i, 0, 1, 2, 3
        vshl.i64 \s\()\i, \s\()\i, #64 - DIGIT_BITS
        vshr.u64 \s\()\i, \s\()\i, #64 - DIGIT_BITS
        .endr
        .endm

/* Between x y and u n of column c: carry where both together have more than FULL blocks each.  Those are the
 * columns from FULL on, and those with more than FULL columns above them. */
        .macro  middle_low s
#ifdef LONG
        sub     r4, r6, sp              /* 32 c */
        cmp     r4, #BLOCK * FULL
        blge    carry_\s
#endif
        .endm
        .macro  middle_high s
#ifdef LONG
        cmn     r8, #BLOCK * FULL
        bllt    carry_\s
#endif
        .endm

/* Where to begin in a low column: x and y from their beginning up to c; and in a high one: from c - B + 1 on. */
        .macro  low first, end
        mov     r4, \first
        add     r5, \end, r8
        .endm
        .macro  high first, end
        add     r4, \first, r8
        mov     r5, \end
        .endm

/* From the low columns to the high ones: r8 = -32 (B - 1), and r1 is the end of x. */
        .macro  turn
        sub     r8, r6, sp
        add     r1, r1, r8
        rsb     r8, r8, #BLOCK
        .endm

/* r8 = -32 (B - 1), r3 the end of n, sums zero, r6 = u, r9 and r10 behind the doubles. */
        .macro  begin m
        vldr    n0inv, [\m, #N0INV]
        ldr     r8, [\m, #BYTES]
        add     r3, \m, #N
        add     r3, r3, r8
        .endm
        .macro  zero caller
        rsb     r8, r8, #BLOCK
        vmov.i64 even0, #0
        vmov.i64 even1, #0
        vmov.i64 even2, #0
        mov     r6, sp
        ldr     r9, .Ldoubles_of_\caller
.Lpc_of_\caller:
        add     r9, pc, r9
        add     r10, r9, #DOUBLES
        .endm

/* From there to behind the even doubles: the code needs no address from the linker. */
        .macro  distance caller
.Ldoubles_of_\caller:
        .word   .Leven_done + DOUBLE - (.Lpc_of_\caller + 8)
        .endm

        .global PRODUCT
        .type   PRODUCT, %function
PRODUCT:
        enter   PAIR
        begin   r3
        add     r2, r2, r8
        zero    mul

/* Low columns, with c / 2 doubles beside the first step of x y; in odd columns u n has a step of one block, too. */
1:      low     r1, r2
        single  even, vmull
        sub     r9, r9, #DOUBLE
        blx     r9
        middle_low even
        low     sp, r3
        blx     r9
        divide  even
        adds    r8, r8, #BLOCK
        bgt     2f
        low     r1, r2
        double  odd, vmull
        sub     r10, r10, #DOUBLE
        blx     r10
        middle_low odd
        low     sp, r3
        single  odd
        blx     r10
        divide  odd
        adds    r8, r8, #BLOCK
        ble     1b

/* B is even here, and odd at 2. */
        add     r10, r10, #DOUBLE
        turn
        b       4f
2:      add     r9, r9, #DOUBLE
        turn
3:      high    r1, r2
        double  odd, vmull
        blx     r10
        middle_high odd
        high    r6, r3
        double  odd
        blx     r10
        add     r10, r10, #DOUBLE
        digits  odd
        add     r8, r8, #BLOCK
4:      high    r1, r2
        single  even, vmull
        blx     r9
        middle_high even
        high    r6, r3
        single  even
        blx     r9
        add     r9, r9, #DOUBLE
        digits  even
        adds    r8, r8, #BLOCK
        bne     3b
        top
        leave   PAIR
        distance mul
        .size   PRODUCT, . - PRODUCT

/* The doubles that products and squares share. */
        .type   doubles, %function
doubles:
        .cfi_startproc
        .rept   MOST_STEPS
        double  even
        .endr
.Leven_done:
        bx      lr
        nop
        .rept   MOST_STEPS
        double  odd
        .endr
.Lodd_done:
        bx      lr
        .cfi_endproc
        .size   doubles, . - doubles

#ifdef LONG
        .type   carries, %function
carries:
        .cfi_startproc
carry_even:
        carry   even
        bx      lr
carry_odd:
        carry   odd
        bx      lr
        .cfi_endproc
        .size   carries, . - carries
#endif

/* x[i]^2: the products of different digits once, by those of 2 x[i]. */
        .macro  diagonal s
        vldmia  r11!, {d0-d3}
        vadd.i32 q2, q0, q0
        vadd.i32 q3, q1, q1
        vmull.s32 \s\()3, xa0, xb3
        vmull.s32 \s\()4, xa1, xb3
        vmull.s32 \s\()5, xa2, xb3
        vmull.s32 \s\()6, xa3, xa3
        vmlal.s32 \s\()0, xa0, xa0
        vmlal.s32 \s\()1, xa0, xb1
        vmlal.s32 \s\()2, xa0, xb2
        vmlal.s32 \s\()3, xa1, xb2
        vmlal.s32 \s\()2, xa1, xa1
        vmlal.s32 \s\()4, xa2, xa2
        .endm

/* As many singles as `entry` says. */
        .macro  singles s, entry
        bx      \entry
        .rept   MOST_STEPS
        single  \s
        .endr
        .endm

/* The singles of the high columns stand elsewhere. */
        .macro  further
        ldr     r4, .Leven_to_high
        ldr     r5, .Lodd_to_high
        add     r7, r7, r4
        add     r12, r12, r5
        .endm

        .global SQUARE
        .type   SQUARE, %function
SQUARE:
        enter   2 * PAIR
        begin   r2

/* 2 x, two blocks at a time. */
        mov     r4, r1
        add     r5, sp, #PAIR
        mov     r6, r8
1:      vldmia  r4!, {d0-d7}
        subs    r6, r6, #2 * BLOCK
        vadd.i32 q0, q0, q0
        vadd.i32 q1, q1, q1
        vadd.i32 q2, q2, q2
        vadd.i32 q3, q3, q3
        vstmia  r5!, {d0-d7}
        bgt     1b
        add     r2, sp, #PAIR
        add     r2, r2, r8
        mov     r11, r1
        zero    sqr
        adr     r7, .Llow_even + SINGLE
        ldr     r12, .Leven_to_odd
        add     r12, r7, r12

/* Low columns: in even ones the square of block c / 2 and c / 2 singles, in odd ones (c + 1) / 2. */
1:      diagonal even
        sub     r7, r7, #SINGLE
        low     r1, r2
        singles even, r7
.Llow_even:
        middle_low even
        sub     r9, r9, #DOUBLE
        low     sp, r3
        blx     r9
        divide  even
        adds    r8, r8, #BLOCK
        bgt     2f
        sub     r12, r12, #SINGLE
        low     r1, r2
        single  odd, vmull
        singles odd, r12
.Llow_odd:
        middle_low odd
        sub     r10, r10, #DOUBLE
        low     sp, r3
        single  odd
        blx     r10
        divide  odd
        adds    r8, r8, #BLOCK
        ble     1b

/* As in pair_mul. */
        add     r10, r10, #DOUBLE
        add     r12, r12, #SINGLE
        turn
        further
        b       4f
2:      add     r9, r9, #DOUBLE
        add     r7, r7, #SINGLE
        turn
        further
3:      high    r1, r2
        single  odd, vmull
        singles odd, r12
.Lhigh_odd:
        middle_high odd
        add     r12, r12, #SINGLE
        high    r6, r3
        double  odd
        blx     r10
        add     r10, r10, #DOUBLE
        digits  odd
        add     r8, r8, #BLOCK
4:      diagonal even
        high    r1, r2
        singles even, r7
.Lhigh_even:
        middle_high even
        add     r7, r7, #SINGLE
        high    r6, r3
        single  even
        blx     r9
        add     r9, r9, #DOUBLE
        digits  even
        adds    r8, r8, #BLOCK
        bne     3b
        top
        leave   2 * PAIR
        distance sqr
.Leven_to_odd:
        .word   .Llow_odd - .Llow_even
.Leven_to_high:
        .word   .Lhigh_even - .Llow_even
.Lodd_to_high:
        .word   .Lhigh_odd - .Llow_odd
        .size   SQUARE, . - SQUARE

        .section .note.GNU-stack, "", %progbits
