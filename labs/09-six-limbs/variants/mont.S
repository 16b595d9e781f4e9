/* mont_mul: Montgomery product of two numbers of 5, 6, 7 or 8 limbs, word-serial.
 *
 *     z := x y R^-1 mod n,  R = 2^WIDTH
 *
 *     inputs   x[k], y[k], m->n[k], m->n0inv = -n^-1 mod 2^32; m holds n, rr, n0inv in this order
 *     output   z[k], z < n
 *
 *     void mont_mul(uint32_t z[LIMBS], const uint32_t x[LIMBS], const uint32_t y[LIMBS],
 *                   const struct modulus *m);
 *
 * Assuming x < n and y < n; n odd.  z may be x or y.  r4-r11 are preserved; r0-r3, r12, r14 and the
 * flags change.
 *
 * Each of k rows adds x_i y to t, and then the multiple q n that makes t divisible by 2^32 (CIOS:
 * Koc, Acar, Kaliski 1996, section 5).  Invariant before row i: t < 2n, so t_k <= 1.
 *
 *     register use    r0    r1     r2     r3       r4, r5, ...  r14
 *     rows            word  carry  digit  pointer  t0-tk        top
 *     last            word         z      m        t0-tk
 *
 *     stack           sp+0 z   sp+4 x   sp+8 y   sp+12 m   sp+16 r4-r11, return address
 *
 * Eight limbs need nine registers for t, r4-r12: so the pointers stay on the stack. */
        .syntax unified
        .arch   armv6
        .arm
        .text

        .equ    LIMBS, WIDTH / 32
        .if     LIMBS < 5 || LIMBS > 8
        .error  "from five to eight limbs"
        .endif

word    .req    r0
carry   .req    r1
digit   .req    r2
pointer .req    r3
top     .req    lr

/* Behind % stands an expression, and a macro gets its value.  After row i the lowest word is 0 and
 * becomes the new top word, so word j of t is in register 4 + (i + j) mod (k + 1) in row i. */
        .altmacro
        .macro  with_word macro, i, j
        \macro  %(4 + (\i + \j) - (\i + \j) / (LIMBS + 1) * (LIMBS + 1)), \j
        .endm

        .macro  add_product t, j
        ldr     word, [pointer, #4 * \j]
        umaal   r\t, carry, digit, word
        .endm

        .macro  add_carry t, j
        adds    r\t, r\t, carry
        .endm

        .macro  new_top t, j
        adc     r\t, top, #0
        .endm

        .macro  quotient t, j
        mul     digit, r\t, word
        .endm

/* (carry : t_k-1 : ... : t0) := (t_k-1 : ... : t0) + digit v, v being the k words at pointer.  UMAAL is
 * (hi : lo) := a b + lo + hi, which cannot overflow: (2^32 - 1)^2 + 2 (2^32 - 1) = 2^64 - 1. */
        .macro  add_multiple i
        mov     carry, #0
        .set    j, 0
        .rept   LIMBS
        with_word add_product, \i, %j
        .set    j, j + 1
        .endr
        .endm

/* t := (t + x_i y + q n) / 2^32. */
        .macro  row i
        ldr     pointer, [sp, #4]
        ldr     digit, [pointer, #4 * \i]
        ldr     pointer, [sp, #8]
        add_multiple \i
        mov     top, #0
        with_word add_carry, \i, %LIMBS
        adc     top, top, #0
        ldr     pointer, [sp, #12]
        ldr     word, [pointer, #8 * LIMBS]
        with_word quotient, \i, 0
        add_multiple \i
        with_word add_carry, \i, %LIMBS
        with_word new_top, \i, 0
        .endm

/* Word j of d = t - n, with the borrow of the words below; digit points to z. */
        .macro  subtract t, j
        ldr     word, [pointer, #4 * \j]
        sbcs    word, r\t, word
        str     word, [digit, #4 * \j]
        .endm

        .macro  borrow t, j
        sbcs    r\t, r\t, #0
        .endm

        .macro  keep t, j
        strcc   r\t, [digit, #4 * \j]
        .endm

        .macro  clear t, j
        mov     r\t, #0
        .endm

        .macro  for_words macro, words
        .set    j, 0
        .rept   \words
        with_word \macro, %LIMBS, %j
        .set    j, j + 1
        .endr
        .endm

        .cfi_sections .debug_frame
        .global mont_mul
        .type   mont_mul, %function
mont_mul:
        .cfi_startproc
        push    {r0-r11, lr}
        .cfi_adjust_cfa_offset 52
        .cfi_rel_offset r4, 16
        .cfi_rel_offset r5, 20
        .cfi_rel_offset r6, 24
        .cfi_rel_offset r7, 28
        .cfi_rel_offset r8, 32
        .cfi_rel_offset r9, 36
        .cfi_rel_offset r10, 40
        .cfi_rel_offset r11, 44
        .cfi_rel_offset lr, 48

        for_words clear, %(LIMBS + 1)
        .set    i, 0
        .rept   LIMBS
        row     %i
        .set    i, i + 1
        .endr

/* z := d := t - n, with no borrow out of word k exactly when t >= n; else t takes its place. */
        ldr     digit, [sp]
        cmp     word, word              @ no borrow yet
        for_words subtract, %LIMBS
        with_word borrow, %LIMBS, %LIMBS
        for_words keep, %LIMBS
        add     sp, sp, #16
        .cfi_adjust_cfa_offset -16
        pop     {r4-r11, pc}
        .cfi_endproc
        .size   mont_mul, . - mont_mul

        .section .note.GNU-stack, "", %progbits
