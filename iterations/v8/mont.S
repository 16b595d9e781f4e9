/* mont_mul: Montgomery product of two 128-bit numbers, product first.
 *
 *     z := x y R^-1 mod n,  R = 2^128
 *
 *     inputs   x[4], y[4], m->n[4], m->n0inv = -n^-1 mod 2^32; m holds n, rr, n0inv in this order
 *     output   z[4], z < n
 *
 *     void mont_mul(uint32_t z[LIMBS], const uint32_t x[LIMBS], const uint32_t y[LIMBS],
 *                   const struct modulus *m);
 *
 * Assuming x y < n R, guaranteed in particular if x < n and y < n; n odd.  z may be x or y.
 * Registers: r0 = z, r1 = x, r2 = y, r3 = m; r4-r11 are preserved; r0-r3, r12, r14
 * and the flags change.
 *
 * The product comes first, then its reduction (separated operand scanning: Koc, Acar, Kaliski 1996,
 * section 4).  The unit of work is UMAAL, (hi : lo) := a b + lo + hi, which cannot overflow:
 * (2^32 - 1)^2 + 2 (2^32 - 1) = 2^64 - 1.  There is no branch, and no address depends on an
 * operand.  The operands decide only which of the two last stores takes place.
 *
 *     register use        r0  r1  r2  r3  r4-r7  r8  r9  r10 r11 r12 r14
 *     entry               z   x   y   m
 *     product             t0  yj  y   t1  x0-x3  t2  t3  t4  t5  t6  t7
 *     reduction, row 0    t0  q   v   t1  n0-n3  t2  t3  t4  t5  t6  c0
 *     after row 3         c1  q   v   c2  n0-n3  c3  0   t4  t5  t6  c0
 *     final subtraction   d0  d1  d2  d3  n0-n3  top z   t4  t5  t6  t7     v = n0inv
 *
 *     stack       sp+0 z      sp+4 m, then t7      sp+8 r4-r11, return address
 */
#if defined(WIDTH) && WIDTH != 128
#error "four limbs only"
#endif

        .syntax unified
        .arch   armv6
        .arm
        .text

        .equ    LIMBS, 4

x0      .req    r4
x1      .req    r5
x2      .req    r6
x3      .req    r7
yj      .req    r1
y       .req    r2
n0      .req    r4
n1      .req    r5
n2      .req    r6
n3      .req    r7
q       .req    r1
n0inv   .req    r2
t0      .req    r0
t1      .req    r3
t2      .req    r8
t3      .req    r9
t4      .req    r10
t5      .req    r11
t6      .req    r12
t7      .req    lr

/* Row j of the product: (c : a3 : a2 : a1 : a0) := (a3 : a2 : a1 : a0) + c + x y_j, where a is
 * t[j] to t[j+3], and c is a word of weight 2^(32 j) on entry and t[j+4] on exit. */
        .macro  product_row j, c, a0, a1, a2, a3
        ldr     yj, [y, #4 * \j]
        umaal   \a0, \c, x0, yj
        umaal   \a1, \c, x1, yj
        umaal   \a2, \c, x2, yj
        umaal   \a3, \c, x3, yj
        .endm

/* Row j of the reduction: q := t[j] n0inv mod 2^32 makes t + q n 2^(32 j) divisible by
 * 2^(32 (j+1)).  c is 0 on entry and the carry into t[j+4] on exit.  t[j] becomes 0 and serves
 * the next row as its c, so that no row has to clear one. */
        .macro  reduction_row c, a0, a1, a2, a3
        mul     q, \a0, n0inv
        umaal   \a0, \c, n0, q
        umaal   \a1, \c, n1, q
        umaal   \a2, \c, n2, q
        umaal   \a3, \c, n3, q
        .endm

        .cfi_sections .debug_frame
        .global mont_mul
        .type   mont_mul, %function
mont_mul:
        .cfi_startproc
        push    {r0, r3, r4-r11, lr}
        .cfi_adjust_cfa_offset 44
        .cfi_rel_offset r4, 8
        .cfi_rel_offset r5, 12
        .cfi_rel_offset r6, 16
        .cfi_rel_offset r7, 20
        .cfi_rel_offset r8, 24
        .cfi_rel_offset r9, 28
        .cfi_rel_offset r10, 32
        .cfi_rel_offset r11, 36
        .cfi_rel_offset lr, 40
        ldm     r1, {x0, x1, x2, x3}

/* Row 0 of the product keeps its high halves apart.  The one of weight 2^(32 j) stands in t[j+4],
 * where row j finds it as its c, so that no row has to clear a register; the highest is t4. */
        ldr     yj, [y]
        umull   t0, t5, x0, yj
        umull   t1, t6, x1, yj
        umull   t2, t7, x2, yj
        umull   t3, t4, x3, yj

/* The remaining three rows: now (t7 : ... : t0) = x y. */
        product_row 1, t5, t1, t2, t3, t4
        product_row 2, t6, t2, t3, t4, t5
        product_row 3, t7, t3, t4, t5, t6

/* The modulus takes the place of x; t7 waits in the frame, because no reduction row touches it. */
        ldr     n0inv, [sp, #4]
        str     t7, [sp, #4]
        ldm     n0inv, {n0, n1, n2, n3}
        ldr     n0inv, [n0inv, #8 * LIMBS]

/* t := t + (q_0 + q_1 2^32 + q_2 2^64 + q_3 2^96) n = 2^128 (t div 2^128 + c), with the carries out
 * of the rows, c = (c3 : c2 : c1 : c0), still apart. */
        mov     lr, #0
        reduction_row lr, t0, t1, t2, t3
        reduction_row t0, t1, t2, t3, t4
        reduction_row t1, t2, t3, t4, t5
        reduction_row t2, t3, t4, t5, t6

/* (r8 : t7 : t6 : t5 : t4) := t / R < 2n: one chain adds all four carries; t3 is 0 here. */
        adds    t4, t4, lr
        ldr     t7, [sp, #4]
        adcs    t5, t5, t0
        adcs    t6, t6, t1
        adcs    t7, t7, t2
        adc     r8, t3, #0

/* d := t / R - n, with no borrow out of the fifth word exactly when t / R >= n: store the one that
 * is below n. */
        ldr     r9, [sp]
        subs    r0, t4, n0
        sbcs    r1, t5, n1
        sbcs    r2, t6, n2
        sbcs    r3, t7, n3
        sbcs    r8, r8, #0
        stmcs   r9, {r0-r3}
        stmcc   r9, {t4, t5, t6, t7}
        pop     {r0, r3, r4-r11, pc}
        .cfi_endproc
        .size   mont_mul, . - mont_mul

        .section .note.GNU-stack, "", %progbits
