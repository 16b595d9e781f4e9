/* mont_mul and mod_exp: product and power of 128-bit numbers, two at a time in NEON lanes.
 *
 *     mont_mul    z := x y 2^-128 mod n
 *     mod_exp     z := x^e mod n; with -DTWO, of two x, one after the other
 *
 *     inputs   x[4], y[4], e[4], m->n[4], m->rr[4] = 2^256 mod n, m->n0inv = -n^-1 mod 2^32
 *     output   z[4], z < n
 *
 *     void mont_mul(uint32_t z[LIMBS], const uint32_t x[LIMBS], const uint32_t y[LIMBS],
 *                   const struct modulus *m);
 *     void mod_exp(uint32_t z[LIMBS], const uint32_t x[LIMBS], const uint32_t e[LIMBS],
 *                  const struct modulus *m);
 *
 * Assuming x < n and y < n; n odd; e any number.  z may be x or y.
 * Registers: r0 = z, r1 = x, r2 = y or e, r3 = m; r4-r11 are preserved; r0-r3, r12, r14, d0-d7,
 * d16-d31 and the flags change.
 *
 * Inside, a number is five limbs of 28 bits in five D registers, whose two lanes are two numbers;
 * R = 2^140.  A number is below 2^133 and modulo n: x y < 2^266, so that (x y + q n) / R, where
 * q < 17 R, is below 2^126 + 17 n.  Columns are computed one by one.  A column has at most five
 * products below 2^57, five below 2^60, and a carry below 2^36.
 *
 *     register use    d0-d2           q2, q3    d16-d20   d22-d26   d27-d31
 *     everywhere      n0-n4, n0inv    columns   u1-u4 u0  w1-w4 w0  y1-y4 y0, or 2 x1 to 2 x4
 *
 *     mod_exp         r4 b: bits of e that are left    r5 E    r8 squares    r9 a power    r10, r12
 *     its stack       sp+32 k power k of both messages, k odd    sp+544 power 0    sp+592 0, e
 *                     sp+616 r4-r11, return
 */
#if defined(WIDTH) && WIDTH != 128
#error "four limbs only"
#endif

        .syntax unified
        .arch   armv7-a
        .fpu    neon
        .arm
        .text

        .equ    RR, 16                  /* in struct modulus */
        .equ    N0INV, 32
        .equ    ONE, 32                 /* in the frame: power k at 32 k, for odd k; power 0 */
        .equ    ZERO, 544
        .equ    E, 592                  /* 0, and e */
        .equ    FRAME, 616
        .equ    SQUARE, 276             /* bytes of code */

#define n0      d0[0]
#define n1      d0[1]
#define n2      d1[0]
#define n3      d1[1]
#define n4      d2[0]
#define n0inv   d2[1]
#define U       d16-d20
#define W       d22-d26
#define Y       d27-d31

u0      .req    d20
u1      .req    d16
u2      .req    d17
u3      .req    d18
u4      .req    d19
w0      .req    d26
w1      .req    d22
w2      .req    d23
w3      .req    d24
w4      .req    d25
y0      .req    d31
y1      .req    d27
y2      .req    d28
y3      .req    d29
y4      .req    d30

/* c := c plus the products that follow in pairs. */
        .macro  sum c, x, y, more:vararg
        vmlal.u32 \c, \x, \y
        .ifnb   \more
        sum     \c, \more
        .endif
        .endm

/* c := products, plus the carry of column d.  The carry comes last, as it is late. */
        .macro  column c, d, x, y, pairs:vararg
        vmull.u32 \c, \x, \y
        sum     \c, \pairs
        vsra.u64 \c, \d, #28
        .endm

/* z := the limb of column c. */
        .macro  limb z, c
        vmovn.i64 \z, \c
        vbic.i32 \z, #0xf0000000
        .endm

/* z := a digit of the quotient with which column c is divisible by 2^28; so it becomes.  The digit
 * is below 2^32, or with `least` below 2^28. */
        .macro  digit z, c
        vmovn.i64 \z, \c
        vmul.i32 \z, \z, n0inv
        .if     least
        vbic.i32 \z, #0xf0000000
        .endif
        vmlal.u32 \c, \z, n0
        .endm
        .set    least, 0

/* z := (sum of the columns c0 to c8) R^-1 (mod n).  The digits of the quotient are in z until the
 * limbs take their places. */
        .macro  montgomery z, c0, c1, c2, c3, c4, c5, c6, c7, c8
        vmull.u32 q2, \c0
        digit   \z\()0, q2
        column  q3, q2, \c1, \z\()0, n1
        digit   \z\()1, q3
        column  q2, q3, \c2, \z\()0, n2, \z\()1, n1
        digit   \z\()2, q2
        column  q3, q2, \c3, \z\()0, n3, \z\()1, n2, \z\()2, n1
        digit   \z\()3, q3
        column  q2, q3, \c4, \z\()0, n4, \z\()1, n3, \z\()2, n2, \z\()3, n1
        digit   \z\()4, q2
        column  q3, q2, \c5, \z\()1, n4, \z\()2, n3, \z\()3, n2, \z\()4, n1
        limb    \z\()0, q3
        column  q2, q3, \c6, \z\()2, n4, \z\()3, n3, \z\()4, n2
        limb    \z\()1, q2
        column  q3, q2, \c7, \z\()3, n4, \z\()4, n3
        limb    \z\()2, q3
        column  q2, q3, \c8, \z\()4, n4
        limb    \z\()3, q2
        vshrn.i64 \z\()4, q2, #28
        .endm

/* z := x y R^-1 (mod n). */
        .macro  product z, x
        montgomery \z, "\x\()0, y0", "\x\()0, y1, \x\()1, y0", \
                "\x\()0, y2, \x\()1, y1, \x\()2, y0", \
                "\x\()0, y3, \x\()1, y2, \x\()2, y1, \x\()3, y0", \
                "\x\()0, y4, \x\()1, y3, \x\()2, y2, \x\()3, y1, \x\()4, y0", \
                "\x\()1, y4, \x\()2, y3, \x\()3, y2, \x\()4, y1", \
                "\x\()2, y4, \x\()3, y3, \x\()4, y2", "\x\()3, y4, \x\()4, y3", \
                "\x\()4, y4"
        .endm

/* z := x x R^-1 (mod n).  x1 and x2 are low, x3 and x4 are high, and 2 x1 to 2 x4 in d28-d31. */
        .macro  square z, x, low, high
        vadd.i32 q14, \low, \low
        vadd.i32 q15, \high, \high
        montgomery \z, "\x\()0, \x\()0", "\x\()0, d28", "\x\()0, d29, \x\()1, \x\()1", \
                "\x\()0, d30, \x\()1, d29", "\x\()0, d31, \x\()1, d30, \x\()2, \x\()2", \
                "\x\()1, d31, \x\()2, d30", "\x\()2, d31, \x\()3, \x\()3", \
                "\x\()3, d31", "\x\()4, \x\()4"
        .endm
        .macro  square_u
        square  w, u, q8, q9
        .endm
        .macro  square_w
        square  u, w, q11, q12
        .endm

/* r8-r12 := the five limbs of the number in r4-r7 times 2^s, s < 16. */
        .macro  split s
        ubfx    r8, r4, #0, #28 - \s
        .if     \s
        lsl     r8, r8, #\s
        .endif
        lsr     r9, r4, #28 - \s
        orr     r9, r9, r5, lsl #4 + \s
        bic     r9, r9, #0xf0000000
        lsr     r10, r5, #24 - \s
        orr     r10, r10, r6, lsl #8 + \s
        bic     r10, r10, #0xf0000000
        lsr     r11, r6, #20 - \s
        orr     r11, r11, r7, lsl #12 + \s
        bic     r11, r11, #0xf0000000
        lsr     r12, r7, #16 - \s
        .endm

/* n0-n4, n0inv := those of m. */
        .macro  load_modulus
        ldm     r3, {r4-r7}
        split   0
        vmov    d0, r8, r9
        vmov    d1, r10, r11
        ldr     r4, [r3, #N0INV]
        vmov    d2, r12, r4
        .endm

/* Both lanes of z := the number at r times 2^s. */
        .macro  load z, r, s=0
        ldm     \r, {r4-r7}
        split   \s
        vdup.32 \z\()0, r8
        vdup.32 \z\()1, r9
        vdup.32 \z\()2, r10
        vdup.32 \z\()3, r11
        vdup.32 \z\()4, r12
        .endm

/* Lane 1 of y := the number at r1 + 16. */
        .macro  load_second
        add     r12, r1, #16
        ldm     r12, {r4-r7}
        split   0
        vmov.32 d31[1], r8
        vmov.32 d27[1], r9
        vmov.32 d28[1], r10
        vmov.32 d29[1], r11
        vmov.32 d30[1], r12
        .endm

/* y := the number with this limb 0 and this limb 1. */
        .macro  constant l0, l1
        vmov.i32 y0, #\l0
        vmov.i32 y1, #\l1
        vmov.i32 y2, #0
        vmov.i32 y3, #0
        vmov.i32 y4, #0
        .endm

/* To memory at r0: lane k of z, less n unless that is below 0.  Needs a lane below 2n. */
        .macro  store_reduced z, k
        vmov.32 r4, \z\()0[\k]
        vmov.32 r5, \z\()1[\k]
        vmov.32 r6, \z\()2[\k]
        vmov.32 r7, \z\()3[\k]
        vmov.32 r12, \z\()4[\k]
        orr     r4, r4, r5, lsl #28
        lsr     r5, r5, #4
        orr     r5, r5, r6, lsl #24
        lsr     r6, r6, #8
        orr     r6, r6, r7, lsl #20
        lsr     r7, r7, #12
        orr     r7, r7, r12, lsl #16
        ldm     r3, {r8-r11}
        subs    r8, r4, r8
        sbcs    r9, r5, r9
        sbcs    r10, r6, r10
        sbcs    r11, r7, r11
        lsr     r12, r12, #16
        sbcs    r12, r12, #0
        stmcs   r0, {r8-r11}
        stmcc   r0, {r4-r7}
        .endm

/* The next window of e: r8 := how many bits it takes, and b less these; r9 := where its power is.
 * After more than eight zeros it jumps to far. */
        .macro  window far
        add     r8, r4, #7
        lsr     r8, r8, #3
        ldr     r9, [r5, r8]
        rsb     r10, r4, #0
        and     r10, r10, #7
        lsl     r9, r9, r10
        clz     r10, r9
        cmp     r10, #8
        bhi     \far
        lsl     r9, r9, r10
        lsr     r9, r9, #28
        rbit    r12, r9
        clz     r12, r12
        lsr     r9, r9, r12
        rsb     r8, r12, #4
        add     r8, r8, r10
        sub     r4, r4, r8
        add     r9, sp, r9, lsl #5
        .endm

/* To the chain, r8 squares before its end.  The number is in x; after an odd number of squares, in
 * z. */
        .macro  next x, z
        window  6f
5:      ldr     pc, [pc, r8, lsl #2]
        .word   0, 0
        .irp    pair, 1, 3, 5, 7, 9, 11
        .word   .Lend_\z - \pair * SQUARE, .Lend_\x - (\pair + 1) * SQUARE
        .endr

/* At most eight zeros, and power 0, until nothing is left. */
6:      cmp     r4, #0
        beq     .Ldone_\x
        cmp     r4, #8
        movhi   r8, #8
        movls   r8, r4
        sub     r4, r4, r8
        add     r9, sp, #ZERO
        b       5b
        .endm

        .macro  enter
        push    {r4-r11, lr}
        .cfi_adjust_cfa_offset 36
        .set    at, 0
        .irp    r, r4, r5, r6, r7, r8, r9, r10, r11, lr
        .cfi_rel_offset \r, at
        .set    at, at + 4
        .endr
        .endm

        .cfi_sections .debug_frame
        .global mont_mul
        .type   mont_mul, %function
mont_mul:
        .cfi_startproc
        enter
        load_modulus
        load    u, r1
        load    y, r2, 12

/* x y 2^12 R^-1 = x y 2^-128 (mod n), below 2n. */
        .set    least, 1
        product w, u
        .set    least, 0
        store_reduced w, 0
        pop     {r4-r11, pc}
        .cfi_endproc
        .size   mont_mul, . - mont_mul

        .global mod_exp
        .type   mod_exp, %function
mod_exp:
        .cfi_startproc
        enter
        sub     sp, sp, #FRAME
        .cfi_adjust_cfa_offset FRAME
        load_modulus

/* u := R^2 = 2^280, of 2^256 2^256 R^-1 = 2^372 and 2^372 2^48 R^-1. */
        add     r12, r3, #RR
        load    u, r12
        square_u
        constant 0, 1 << 20
        product u, w

/* In the domain, power 0 is R^2 R^-1, and power 1 is R^2 x R^-1. */
        constant 1, 0
        product w, u
        add     r12, sp, #ZERO
        vstm    r12, {W}
        load    y, r1
#ifdef TWO
        load_second
#endif
        product w, u
        add     r12, sp, #ONE
        vstm    r12, {W}

/* y := x^2, and odd powers 3 to 15. */
        square_w
        vmov    y1, u1
        vmov    y2, u2
        vmov    y3, u3
        vmov    y4, u4
        vmov    y0, u0
        product u, w
        add     r12, r12, #2 * ONE
        vstm    r12, {U}
        mov     r4, #3
1:      product w, u
        add     r12, r12, #2 * ONE
        vstm    r12, {W}
        product u, w
        add     r12, r12, #2 * ONE
        vstm    r12, {U}
        subs    r4, r4, #1
        bne     1b

/* e, with a 0 below it. */
        ldm     r2, {r6-r9}
        add     r5, sp, #E
        mov     r4, #0
        stm     r5, {r4, r6-r9}

/* b := the bits of e from the highest byte on that is not 0, or 8. */
        mov     r4, #136
2:      sub     r4, r4, #8
        lsr     r8, r4, #3
        add     r8, r8, #3
        ldrb    r9, [r5, r8]
        cmp     r9, #0
        rsbseq  r12, r4, #8
        bcc     2b

/* The power of the first window starts the accumulator. */
        window  7f
        vldm    r9, {U}
        next    u, w
7:      add     r9, sp, #ZERO           /* e = 0 */
        vldm    r9, {U}
        b       .Ldone_u

/* Invariant, in the Montgomery domain, where a window begins: the number is x^(e div 2^b). */
        .rept   6
        square_u
        square_w
        .endr
.Lend_u:
        vldm    r9, {Y}
        product w, u
        next    w, u

        .rept   6
        square_w
        square_u
        .endr
.Lend_w:
        vldm    r9, {Y}
        product u, w
        next    u, w

/* Out of the domain: w <= (u + (R - 1) n) / R < n + 1, so w = n can be and must become 0. */
.Ldone_w:
        vmov    q8, q11
        vmov    q9, q12
        vmov    u0, w0
.Ldone_u:
        constant 1, 0
        .set    least, 1
        product w, u
        store_reduced w, 0
#ifdef TWO
        add     r0, r0, #16
        store_reduced w, 1
#endif
        add     sp, sp, #FRAME
        .cfi_adjust_cfa_offset -FRAME
        pop     {r4-r11, pc}
        .cfi_endproc
        .size   mod_exp, . - mod_exp

        .section .note.GNU-stack, "", %progbits
