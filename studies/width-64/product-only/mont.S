/* mont_mul: Montgomery product of two 64-bit numbers, word-serial.
 *
 *     z := x y R^-1 mod n,  R = 2^64
 *
 *     inputs   x[2], y[2], m->n[2], m->n0inv = -n^-1 mod 2^32
 *     output   z[2], z < n
 *
 *     void mont_mul(uint32_t z[LIMBS], const uint32_t x[LIMBS], const uint32_t y[LIMBS],
 *                   const struct modulus *m);
 *
 * Assuming x y < n R, guaranteed in particular if x < n and y < n; n odd.  z may be x or y.
 * Registers: r0 = z, r1 = x, r2 = y, r3 = m; r4-r9 are preserved; r1-r3, r12, r14 and the flags
 * change.  No branch, no address and no number of instructions depends on an operand.
 *
 *     register use         r0  r1  r2 r3  r4 r5  r6 r7   r8 r9  r12  r14
 *     entry                z   x   y  m
 *     rows                 z   v   n0 n1  x0 x1  y0 y1   t2 t0  t1   c      y0, then q
 *     final subtraction    z       n0 n1  d0 d1     top  t2 t0
 *
 *     stack       sp+0 r4-r9, return address
 */
#if defined(WIDTH) && WIDTH != 64
#error "two limbs only"
#endif

        .syntax unified
        .arch   armv6
        .arm
        .text

        .equ    N0INV, 16               /* in struct modulus */

v       .req    r1
n0      .req    r2
n1      .req    r3
x0      .req    r4
x1      .req    r5
y0      .req    r6
q       .req    r6
y1      .req    r7
top     .req    r7
t2      .req    r8
t0      .req    r9
t1      .req    r12
c       .req    lr

        .cfi_sections .debug_frame
        .global mont_mul
        .type   mont_mul, %function
mont_mul:
        .cfi_startproc
        push    {r4-r9, lr}
        .cfi_adjust_cfa_offset 28
        .cfi_rel_offset r4, 0
        .cfi_rel_offset r5, 4
        .cfi_rel_offset r6, 8
        .cfi_rel_offset r7, 12
        .cfi_rel_offset r8, 16
        .cfi_rel_offset r9, 20
        .cfi_rel_offset lr, 24
        ldrd    x0, x1, [r1]
        ldrd    y0, y1, [r2]
        ldr     v, [r3, #N0INV]
        ldrd    n0, n1, [r3]

/* t := x y_0, and t + q n with its lowest word 0; c, the carry out, waits. */
        umull   t0, t1, x0, y0
        mov     t2, #0
        umaal   t1, t2, x1, y0
        mul     q, t0, v
        mov     c, #0
        umaal   t0, c, n0, q
        umaal   t1, c, n1, q

/* The same for x y_1, which begins with the 0 that is left in t0.  Its second half begins with what
 * x0 happens to hold: t1 + q n0 is divisible by 2^32, so nothing below 2^32 makes it carry. */
        umaal   t1, t0, x0, y1
        umaal   t2, t0, x1, y1
        mul     q, t1, v
        umaal   t1, x0, n0, q
        umaal   t2, x0, n1, q

/* (top : t0 : t2) := x y R^-1 (mod n), below 2n. */
        mov     top, #0
        adds    t2, t2, c
        adcs    t0, t0, x0
        adc     top, top, #0

/* d := t - n, with no borrow out of the third word exactly when t >= n: store the one that is
 * below n. */
        subs    x0, t2, n0
        sbcs    x1, t0, n1
        sbcs    top, top, #0
        strdcs  x0, x1, [r0]
        strdcc  t2, t0, [r0]
        pop     {r4-r9, pc}
        .cfi_endproc
        .size   mont_mul, . - mont_mul

        .section .note.GNU-stack, "", %progbits
