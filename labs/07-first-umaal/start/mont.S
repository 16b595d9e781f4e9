/* mont_mul: Montgomery product of two 128-bit numbers, word-serial.
 *
 *     z := x y R^-1 mod n,  R = 2^128
 *
 *     inputs   x[4], y[4], m->n[4], m->n0inv = -n^-1 mod 2^32; m holds n, rr, n0inv in this order
 *     output   z[4], z < n
 *
 *     void mont_mul(uint32_t z[LIMBS], const uint32_t x[LIMBS], const uint32_t y[LIMBS],
 *                   const struct modulus *m);
 *
 * Assuming x < n and y < n; n odd.  z may be x or y.  r4-r11 are preserved; r0-r3, r12, r14 and the
 * flags change.
 *
 * Each of four rows adds x_i y to t, and then the multiple q n that makes t divisible by 2^32 (CIOS:
 * Koc, Acar, Kaliski 1996, section 5).  Invariant before row i: t < 2n, so t4 <= 1.
 *
 *     register use    r0   r1  r2  r3  r4-r8  r9     r10    r11   r12  r14
 *     rows            top  x   y   m   t0-t4  carry  digit  word  lo   hi
 *     last            z    d0  d1  d2  t0-t4  n0,d3  n1     n2    n3
 *
 *     stack           sp+0 z      sp+4 r4-r11, return address
 */
#if defined(WIDTH) && WIDTH != 128
#error "four limbs only"
#endif

        .syntax unified
        .arch   armv6
        .arm
        .text

        .equ    LIMBS, 4

top     .req    r0
x       .req    r1
y       .req    r2
m       .req    r3
carry   .req    r9
digit   .req    r10
word    .req    r11
lo      .req    r12
hi      .req    lr

/* (carry : t) := t + carry + digit word, which fits: (2^32 - 1)^2 + 2 (2^32 - 1) = 2^64 - 1. */
        .macro  mul_add t
        umull   lo, hi, digit, word
        adds    lo, lo, carry
        adc     hi, hi, #0
        adds    \t, \t, lo
        adc     carry, hi, #0
        .endm

/* (carry : t3 : t2 : t1 : t0) := (t3 : t2 : t1 : t0) + digit v, v being four words in memory. */
        .macro  add_multiple v, t0, t1, t2, t3
        mov     carry, #0
        ldr     word, [\v]
        mul_add \t0
        ldr     word, [\v, #4]
        mul_add \t1
        ldr     word, [\v, #8]
        mul_add \t2
        ldr     word, [\v, #12]
        mul_add \t3
        .endm

/* t := (t + x_i y + q n) / 2^32, where t0, 0 after the sum, becomes the new top word. */
        .macro  row i, t0, t1, t2, t3, t4
        ldr     digit, [x, #4 * \i]
        add_multiple y, \t0, \t1, \t2, \t3
        mov     top, #0
        adds    \t4, \t4, carry
        adc     top, top, #0
        ldr     word, [m, #8 * LIMBS]
        mul     digit, \t0, word
        add_multiple m, \t0, \t1, \t2, \t3
        adds    \t4, \t4, carry
        adc     \t0, top, #0
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

        mov     r4, #0
        mov     r5, #0
        mov     r6, #0
        mov     r7, #0
        mov     r8, #0
        row     0, r5, r6, r7, r8, r4
        row     1, r6, r7, r8, r4, r5
        row     2, r7, r8, r4, r5, r6
        row     3, r8, r4, r5, r6, r7

/* Now (r8 : r7 : r6 : r5 : r4) = t < 2n.  d := t - n, with no borrow out of the fifth word exactly
 * when t >= n: store the one that is below n. */
        ldm     m, {r9-r12}
        ldr     r0, [sp]
        subs    r1, r4, r9
        sbcs    r2, r5, r10
        sbcs    r3, r6, r11
        sbcs    r9, r7, r12
        sbcs    r8, r8, #0
        stmcs   r0, {r1, r2, r3, r9}
        stmcc   r0, {r4-r7}
        pop     {r0, r4-r11, pc}
        .cfi_endproc
        .size   mont_mul, . - mont_mul

        .section .note.GNU-stack, "", %progbits
