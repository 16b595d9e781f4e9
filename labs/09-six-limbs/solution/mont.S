/* mont_mul: Montgomery product of two 192-bit numbers, word-serial.
 *
 *     z := x y R^-1 mod n,  R = 2^192
 *
 *     inputs   x[6], y[6], m->n[6], m->n0inv = -n^-1 mod 2^32; m holds n, rr, n0inv in this order
 *     output   z[6], z < n
 *
 *     void mont_mul(uint32_t z[LIMBS], const uint32_t x[LIMBS], const uint32_t y[LIMBS],
 *                   const struct modulus *m);
 *
 * Assuming x < n and y < n; n odd.  z may be x or y.  r4-r11 are preserved; r0-r3, r12, r14 and the
 * flags change.
 *
 * Each of six rows adds x_i y to t, and then the multiple q n that makes t divisible by 2^32 (CIOS:
 * Koc, Acar, Kaliski 1996, section 5).  Invariant before row i: t < 2n, so t6 <= 1.
 *
 *     register use    r0    r1  r2  r3  r4-r10  r11    r12    r14
 *     rows            word  x   y   m   t0-t6   carry  digit  top
 *     last            word  z       m   t0-t6
 *
 *     stack           sp+0 z      sp+4 r4-r11, return address
 */
#if defined(WIDTH) && WIDTH != 192
#error "six limbs only"
#endif

        .syntax unified
        .arch   armv6
        .arm
        .text

        .equ    LIMBS, 6

word    .req    r0
x       .req    r1
y       .req    r2
m       .req    r3
carry   .req    r11
digit   .req    r12
top     .req    lr

/* (carry : t5 : ... : t0) := (t5 : ... : t0) + digit v, v being six words in memory.  UMAAL is
 * (hi : lo) := a b + lo + hi, which cannot overflow: (2^32 - 1)^2 + 2 (2^32 - 1) = 2^64 - 1. */
        .macro  add_multiple v, t0, t1, t2, t3, t4, t5
        mov     carry, #0
        ldr     word, [\v]
        umaal   \t0, carry, digit, word
        ldr     word, [\v, #4]
        umaal   \t1, carry, digit, word
        ldr     word, [\v, #8]
        umaal   \t2, carry, digit, word
        ldr     word, [\v, #12]
        umaal   \t3, carry, digit, word
        ldr     word, [\v, #16]
        umaal   \t4, carry, digit, word
        ldr     word, [\v, #20]
        umaal   \t5, carry, digit, word
        .endm

/* t := (t + x_i y + q n) / 2^32, where t0, 0 after the sum, becomes the new top word. */
        .macro  row i, t0, t1, t2, t3, t4, t5, t6
        ldr     digit, [x, #4 * \i]
        add_multiple y, \t0, \t1, \t2, \t3, \t4, \t5
        mov     top, #0
        adds    \t6, \t6, carry
        adc     top, top, #0
        ldr     word, [m, #8 * LIMBS]
        mul     digit, \t0, word
        add_multiple m, \t0, \t1, \t2, \t3, \t4, \t5
        adds    \t6, \t6, carry
        adc     \t0, top, #0
        .endm

/* Word i of d = t - n, with the borrow of the words below; r1 points to z. */
        .macro  subtract operation, i, t
        ldr     word, [m, #4 * \i]
        \operation word, \t, word
        str     word, [r1, #4 * \i]
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
        mov     r9, #0
        mov     r10, #0
        row     0, r5, r6, r7, r8, r9, r10, r4
        row     1, r6, r7, r8, r9, r10, r4, r5
        row     2, r7, r8, r9, r10, r4, r5, r6
        row     3, r8, r9, r10, r4, r5, r6, r7
        row     4, r9, r10, r4, r5, r6, r7, r8
        row     5, r10, r4, r5, r6, r7, r8, r9

/* Now (r10 : r9 : ... : r4) = t < 2n, and no operand is needed again.  z := d := t - n, with no
 * borrow out of the seventh word exactly when t >= n; else t takes its place. */
        ldr     r1, [sp]
        subtract subs, 0, r4
        subtract sbcs, 1, r5
        subtract sbcs, 2, r6
        subtract sbcs, 3, r7
        subtract sbcs, 4, r8
        subtract sbcs, 5, r9
        sbcs    r10, r10, #0
        stmcc   r1, {r4-r9}
        pop     {r0, r4-r11, pc}
        .cfi_endproc
        .size   mont_mul, . - mont_mul

        .section .note.GNU-stack, "", %progbits
