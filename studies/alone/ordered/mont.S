/* mont_mul: Montgomery product of two 128-bit numbers, product first, ordered for an ARM1176.
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
 * On an ARM1176 a UMAAL is busy for three cycles, and its high half is ready after five.  Where the
 * next UMAAL of the same row would wait, one of another row stands between them, if registers allow.
 *
 *     register use        r0  r1  r2  r3  r4 r5 r6 r7  r8  r9  r10 r11 r12 r14
 *     entry               z   x   y   m
 *     product, rows 0, 1  y0  y1  y   t0  x0 x1 x2 x3  t1  t2      t5  t6  t7
 *     product, rows 2, 3  t3  y2  y3  t0  x0 x1 x2 x3  t1  t2  t4  t5  t6  t7
 *     reduction           t3  v   n0  t0  n1 q  n2 n3  t1  t2  t4  t5  t6  c0     v = n0inv
 *     after row 2         t3  q'  n0  c1  n1 q  n2 n3  c2  t2  t4  t5  t6  c0
 *     final subtraction   d0  d1  d2  d3  n1 z  n2 n3  top     t4  t5  t6  t7     q' = last_q
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
y0      .req    r0
y1      .req    r1
y2      .req    r1
y3      .req    r2
y       .req    r2
n0      .req    r2
n1      .req    r4
n2      .req    r6
n3      .req    r7
m       .req    r4
n0inv   .req    r1
q       .req    r5
last_q  .req    r1
t0      .req    r3
t1      .req    r8
t2      .req    r9
t3      .req    r0
t4      .req    r10
t5      .req    r11
t6      .req    r12
t7      .req    lr

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

/* Rows 0 and 1 of the product in turn.  The high half of row 0 of weight 2^(32 j) stands in t[j+4],
 * where row j finds it as its c, so that no row has to clear a register; the highest is t4. */
        ldr     y0, [y]
        ldm     r1, {x0, x1, x2, x3}
        ldr     y1, [y, #4]
        umull   t0, t5, x0, y0
        umull   t1, t6, x1, y0
        umaal   t1, t5, x0, y1
        umull   t2, t7, x2, y0
        umaal   t2, t5, x1, y1
        umull   t3, t4, x3, y0
        umaal   t3, t5, x2, y1
        umaal   t4, t5, x3, y1

/* Rows 2 and 3 in turn: then (t7 : ... : t0) = x y.  When x0 is no longer needed, m, n0inv and the
 * first digit of the quotient fill what is left to wait for. */
        ldr     y2, [y, #8]
        umaal   t2, t6, x0, y2
        ldr     y3, [y, #12]
        umaal   t3, t6, x1, y2
        umaal   t3, t7, x0, y3
        umaal   t4, t6, x2, y2
        umaal   t4, t7, x1, y3
        ldr     m, [sp, #4]
        umaal   t5, t6, x3, y2
        ldr     n0inv, [m, #8 * LIMBS]
        umaal   t5, t7, x2, y3
        mul     q, t0, n0inv
        umaal   t6, t7, x3, y3

/* The modulus takes the place of x; t7 waits in the frame, because no reduction row touches it. */
        ldm     m, {n0, n1, n2, n3}
        str     t7, [sp, #4]

/* t := t + (q_0 + q_1 2^32 + q_2 2^64 + q_3 2^96) n = 2^128 (t div 2^128 + c), with the carries out
 * of the rows, c = (c3 : c2 : c1 : c0), still apart.  q_j := t[j] n0inv mod 2^32 makes t[j] 0, which
 * serves the next row as its c.  Rows 0 and 1 have no register for a second digit. */
        mov     lr, #0
        umaal   t0, lr, n0, q
        umaal   t1, lr, n1, q
        umaal   t2, lr, n2, q
        umaal   t3, lr, n3, q
        mul     q, t1, n0inv
        umaal   t1, t0, n0, q
        umaal   t2, t0, n1, q
        umaal   t3, t0, n2, q
        umaal   t4, t0, n3, q

/* Rows 2 and 3 in turn: the last digit takes the place of n0inv. */
        mul     q, t2, n0inv
        umaal   t2, t1, n0, q
        umaal   t3, t1, n1, q
        mul     last_q, t3, n0inv
        umaal   t4, t1, n2, q
        umaal   t3, t2, n0, last_q
        umaal   t5, t1, n3, q
        umaal   t4, t2, n1, last_q
        ldr     r5, [sp]
        umaal   t5, t2, n2, last_q

/* (r8 : t7 : t6 : t5 : t4) := t / R < 2n: one chain adds all four carries, from t4 on, which is
 * complete before the last UMAAL; that one leaves the flags alone.  t3 is 0 here. */
        adds    t4, t4, lr
        ldr     t7, [sp, #4]
        umaal   t6, t2, n3, last_q
        adcs    t5, t5, t0
        adcs    t6, t6, t1
        adcs    t7, t7, t2
        adc     r8, t3, #0

/* d := t / R - n, with no borrow out of the fifth word exactly when t / R >= n: store the one that
 * is below n. */
        subs    r0, t4, n0
        sbcs    r1, t5, n1
        sbcs    r2, t6, n2
        sbcs    r3, t7, n3
        sbcs    r8, r8, #0
        stmcs   r5, {r0-r3}
        stmcc   r5, {t4, t5, t6, t7}
        pop     {r0, r3, r4-r11, pc}
        .cfi_endproc
        .size   mont_mul, . - mont_mul

        .section .note.GNU-stack, "", %progbits
