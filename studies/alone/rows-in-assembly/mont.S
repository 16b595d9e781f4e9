/* mont_mul: Montgomery product of two 128-bit numbers, row by row.
 *
 *     z := x y R^-1 mod n,  R = 2^128
 *
 *     inputs   x[4], y[4], m->n[4], m->n0inv = -n^-1 mod 2^32; m holds n, rr, n0inv in this order
 *     output   z[4], z < n
 *
 *     void mont_mul(uint32_t z[LIMBS], const uint32_t x[LIMBS], const uint32_t y[LIMBS],
 *                   const struct modulus *m);
 *
 * Assuming y < n and x < R; n odd.  z may be x or y.  Registers: r0 = z, r1 = x, r2 = y, r3 = m;
 * r4-r11 are preserved; r0-r3, r12, r14 and the flags change.
 *
 * Round i adds row x_i y and then row q n, and drops the lowest limb (coarsely integrated operand
 * scanning: Koc, Acar, Kaliski 1996, section 5).  The unit of work is UMAAL, (hi : lo) := a b + lo
 * + hi, which cannot overflow.  It leaves the flags alone, so that the carry flag holds, from round
 * to round, the bit above the four limbs of t.  There is no branch, and no address depends on an
 * operand.  The operands decide only which of the two last stores takes place.
 *
 *     register use        r0  r1  r2  r3  r4-r7  r8  r9  r10 r11 r12 r14
 *     entry               z   x   y   m
 *     row x_0 y           x0  x   y   m   y0-y3  t4  t0  t1  t2  t3
 *     row q n             q   x   y   m   n0-n3  t4  t0  t1  t2  t3  c
 *     final subtraction   d0  d1  d2  d3  n0-n3  z0  z1  z2  z3  top z
 *
 *     stack       sp+0 z      sp+4 r4-r11, return address
 */
#if defined(WIDTH) && WIDTH != 128
#error "four limbs only"
#endif

        .syntax unified
        .arch   armv6
        .arm
        .text

        .equ    LIMBS, 4

xi      .req    r0
q       .req    r0
x       .req    r1
y       .req    r2
m       .req    r3
t4      .req    r8
t0      .req    r9
t1      .req    r10
t2      .req    r11
t3      .req    r12
c       .req    lr

/* The second half of a round: with q := a0 n0inv mod 2^32, which makes the sum divisible by 2^32,
 * (c : a3 : a2 : a1 : a0) := (a3 : a2 : a1 : a0) + q n.  a0 becomes 0. */
        .macro  reduction_row a0, a1, a2, a3
        ldr     q, [m, #8 * LIMBS]
        mul     q, \a0, q
        ldm     m, {r4-r7}
        mov     c, #0
        umaal   \a0, c, r4, q
        umaal   \a1, c, r5, q
        umaal   \a2, c, r6, q
        umaal   \a3, c, r7, q
        .endm

/* Round i: (C : h : a3 : a2 : a1) := ((C : a3 : a2 : a1 : a0) + x_i y + q n) / 2^32, where C is the
 * carry flag.  h is 0 on entry, holds the carry out of the first row, and then takes in that out
 * of the second, c, and C: at most 2^33 - 1 in all. */
        .macro  round i, a0, a1, a2, a3, h
        ldr     xi, [x, #4 * \i]
        ldm     y, {r4-r7}
        umaal   \a0, \h, r4, xi
        umaal   \a1, \h, r5, xi
        umaal   \a2, \h, r6, xi
        umaal   \a3, \h, r7, xi
        reduction_row \a0, \a1, \a2, \a3
        adcs    \h, \h, c
        .endm

        .cfi_sections .debug_frame
        .global mont_mul
        .type   mont_mul, %function
mont_mul:
        .cfi_startproc
        push    {r0, r4-r11, lr}
        .cfi_adjust_cfa_offset 40
        .cfi_rel_offset r4, 4
        .cfi_rel_offset r5, 8
        .cfi_rel_offset r6, 12
        .cfi_rel_offset r7, 16
        .cfi_rel_offset r8, 20
        .cfi_rel_offset r9, 24
        .cfi_rel_offset r10, 28
        .cfi_rel_offset r11, 32
        .cfi_rel_offset lr, 36

/* Round 0 starts from t = 0: (t4 : t3 : t2 : t1 : t0) := x_0 y, and then its reduction. */
        ldr     xi, [x]
        ldm     y, {r4-r7}
        umull   t0, t1, r4, xi
        mov     t2, #0
        umaal   t1, t2, r5, xi
        mov     t3, #0
        umaal   t2, t3, r6, xi
        mov     t4, #0
        umaal   t3, t4, r7, xi
        reduction_row t0, t1, t2, t3
        adds    t4, t4, c

/* t0 is 0 after each round and becomes the next round's highest limb. */
        round   1, t1, t2, t3, t4, t0
        round   2, t2, t3, t4, t0, t1
        round   3, t3, t4, t0, t1, t2

/* (t3 : t2 : t1 : t0 : t4) := t < y + n < 2n; d := t - n, with no borrow out of the fifth word
 * exactly when t >= n: store the one that is below n. */
        adc     t3, t3, #0
        ldr     lr, [sp]
        subs    r0, t4, r4
        sbcs    r1, t0, r5
        sbcs    r2, t1, r6
        sbcs    r3, t2, r7
        sbcs    t3, t3, #0
        stmcs   lr, {r0-r3}
        stmcc   lr, {t4, t0, t1, t2}
        pop     {r0, r4-r11, pc}
        .cfi_endproc
        .size   mont_mul, . - mont_mul

        .section .note.GNU-stack, "", %progbits
