/* mont_mul: Montgomery product of two 96-bit numbers, word-serial.
 *
 *     z := x y R^-1 mod n,  R = 2^96
 *
 *     inputs   x[3], y[3], m->n[3], m->n0inv = -n^-1 mod 2^32
 *     output   z[3], z < n
 *
 *     void mont_mul(uint32_t z[LIMBS], const uint32_t x[LIMBS], const uint32_t y[LIMBS],
 *                   const struct modulus *m);
 *
 * Assuming x y < n R, guaranteed in particular if x < n and y < n; n odd.  z may be x or y.
 * Registers: r0 = z, r1 = x, r2 = y, r3 = m; r4-r11 are preserved; r1-r3, r12, r14
 * and the flags change.
 *
 * The product comes first, then its reduction (separated operand scanning: Koc, Acar, Kaliski 1996,
 * section 4).  The unit of work is UMAAL, (hi : lo) := a b + lo + hi, which cannot overflow:
 * (2^32 - 1)^2 + 2 (2^32 - 1) = 2^64 - 1.  Three limbs leave room for everything: each word is
 * loaded once and nothing is spilled.  No branch and no address depends on an operand; which of the
 * two last stores takes place does.
 *
 *     register use        r0  r1  r2  r3  r4-r6  r7  r8  r9  r10 r11 r12 r14
 *     product             z   t0  t1  m   x0-x2  y0  y1  y2  t2  t3  t4  t5
 *     reduction, row 0    z   t0  t1      n0-n2  q   v   c0  t2  t3  t4  t5     v = n0inv
 *     after row 2         z   c1  c2      n0-n2  q   v   c0  0   t3  t4  t5
 *     final subtraction   z   d0  d1  d2  n0-n2              top t3  t4  t5
 *
 *     stack       sp+0 r4-r11, return address
 */
#if defined(WIDTH) && WIDTH != 96
#error "three limbs only"
#endif

        .syntax unified
        .arch   armv6
        .arm
        .text

        .equ    LIMBS, 3

z       .req    r0
m       .req    r3
x0      .req    r4
x1      .req    r5
x2      .req    r6
y0      .req    r7
y1      .req    r8
y2      .req    r9
n0      .req    r4
n1      .req    r5
n2      .req    r6
q       .req    r7
n0inv   .req    r8
carry   .req    r9
t0      .req    r1
t1      .req    r2
t2      .req    r10
t3      .req    r11
t4      .req    r12
t5      .req    lr
diff0   .req    r1
diff1   .req    r2
diff2   .req    r3

/* A row of the product: (t[j+3] : ... : t[j]) := (t[j+2] : ... : t[j]) + x y_j. */
        .macro  product_row yj, a0, a1, a2, a3
        mov     \a3, #0
        umaal   \a0, \a3, x0, \yj
        umaal   \a1, \a3, x1, \yj
        umaal   \a2, \a3, x2, \yj
        .endm

/* Row j of the reduction: q := t[j] n0inv mod 2^32 makes t + q n 2^(32 j) divisible by
 * 2^(32 (j+1)).  c is 0 on entry and the carry into t[j+3] on exit.  t[j] becomes 0 and serves the
 * next row as its c, so that only the first has to be cleared. */
        .macro  reduction_row c, a0, a1, a2
        mul     q, \a0, n0inv
        umaal   \a0, \c, n0, q
        umaal   \a1, \c, n1, q
        umaal   \a2, \c, n2, q
        .endm

        .cfi_sections .debug_frame
        .global mont_mul
        .type   mont_mul, %function
mont_mul:
        .cfi_startproc
        push    {r4-r11, lr}
        .cfi_adjust_cfa_offset 36
        .cfi_rel_offset r4, 0
        .cfi_rel_offset r5, 4
        .cfi_rel_offset r6, 8
        .cfi_rel_offset r7, 12
        .cfi_rel_offset r8, 16
        .cfi_rel_offset r9, 20
        .cfi_rel_offset r10, 24
        .cfi_rel_offset r11, 28
        .cfi_rel_offset lr, 32
        ldm     r1, {x0, x1, x2}
        ldm     r2, {y0, y1, y2}

/* t := x y_0, whose words t1 and t2 start at 0. */
        umull   t0, t3, x0, y0
        mov     t1, #0
        umaal   t1, t3, x1, y0
        mov     t2, #0
        umaal   t2, t3, x2, y0

/* t := x y, the remaining two rows. */
        product_row y1, t1, t2, t3, t4
        product_row y2, t2, t3, t4, t5

/* The modulus takes the place of x, its inverse and the digit that of y. */
        ldr     n0inv, [m, #8 * LIMBS]
        ldm     m, {n0, n1, n2}

/* t := t + (q_0 + q_1 2^32 + q_2 2^64) n = 2^96 (t div 2^96 + c), with the carries out of the rows,
 * c = (c2 : c1 : c0), still apart. */
        mov     carry, #0
        reduction_row carry, t0, t1, t2
        reduction_row t0, t1, t2, t3
        reduction_row t1, t2, t3, t4

/* (t2 : t5 : t4 : t3) := t / R < 2n: one chain adds all three carries; t2 was 0. */
        adds    t3, t3, carry
        adcs    t4, t4, t0
        adcs    t5, t5, t1
        adc     t2, t2, #0

/* diff := t / R - n, with no borrow out of the fourth word exactly when t / R >= n: store the one
 * that is below n. */
        subs    diff0, t3, n0
        sbcs    diff1, t4, n1
        sbcs    diff2, t5, n2
        sbcs    t2, t2, #0
        stmcs   z, {diff0, diff1, diff2}
        stmcc   z, {t3, t4, t5}
        pop     {r4-r11, pc}
        .cfi_endproc
        .size   mont_mul, . - mont_mul

        .section .note.GNU-stack, "", %progbits
