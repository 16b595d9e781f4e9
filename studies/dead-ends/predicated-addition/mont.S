/* mont_mul: Montgomery product of two 128-bit numbers, bit-serial.
 *
 *     z := x y R^-1 mod n,  R = 2^128
 *
 *     inputs   x[4], y[4], m->n[4]
 *     output   z[4], z < n
 *
 *     void mont_mul(uint32_t z[LIMBS], const uint32_t x[LIMBS], const uint32_t y[LIMBS],
 *                   const struct modulus *m);
 *
 * Assuming x < R and y < n; n odd.  z may be x or y.
 * Registers: r0 = z, r1 = x, r2 = y, r3 = m; r4-r11 are preserved; r0-r3, r12, r14
 * and the flags change.
 *
 * No branch and no address of a load depends on the operands.  A chain of adcs cannot itself be
 * predicated, since it sets the flags that it would hang on; what is predicated is four moves that
 * clear its operand: y or 0, n or 0.
 *
 *     register use     r0-r3   r4   r5-r8   r9  r10  r11  r12  r14
 *     entry            z x y m
 *     rounds           t0-t3   top  o0-o3   py  pn   i    px   limb: what is left of x_i
 *     end              t0-t3   top  d0-d3       pn             z
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

t0      .req    r0
t1      .req    r1
t2      .req    r2
t3      .req    r3
top     .req    r4
o0      .req    r5
o1      .req    r6
o2      .req    r7
o3      .req    r8
py      .req    r9
pn      .req    r10
i       .req    r11
px      .req    r12
limb    .req    lr

/* (top : t) := (top : t) + (a, or 0 where the condition none holds).  Needs a at address p. */
        .macro  add_to_t p, none
        ldm     \p, {o0, o1, o2, o3}
        mov\none  o0, #0
        mov\none  o1, #0
        mov\none  o2, #0
        mov\none  o3, #0
        adds    t0, t0, o0
        adcs    t1, t1, o1
        adcs    t2, t2, o2
        adcs    t3, t3, o3
        adc     top, top, #0
        .endm

/* One round: t := (t + xi y + q n) / 2, where xi leaves limb through the carry flag and q makes the
 * sum even.  Invariant: t < y + n, hence top <= 1 between rounds and top <= 3 within one. */
        .macro  round
        lsrs    limb, limb, #1
        add_to_t py, cc
        tst     t0, #1
        add_to_t pn, eq
        lsrs    top, top, #1
        rrxs    t3, t3
        rrxs    t2, t2
        rrxs    t1, t1
        rrx     t0, t0
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

/* x, y and n stay where they are; t starts at 0. */
        mov     px, r1
        mov     py, r2
        mov     pn, r3
        mov     t0, #0
        mov     t1, #0
        mov     t2, #0
        mov     t3, #0
        mov     top, #0

/* Thirty-two rounds for each limb of x, lowest limb first. */
        mov     i, #LIMBS
1:      ldr     limb, [px], #4
        .rept   32
        round
        .endr
        subs    i, i, #1
        bne     1b

/* d := t - n, with no borrow out of the fifth word exactly when t >= n: store the one that is
 * below n. */
        ldm     pn, {o0, o1, o2, o3}
        subs    o0, t0, o0
        sbcs    o1, t1, o1
        sbcs    o2, t2, o2
        sbcs    o3, t3, o3
        sbcs    top, top, #0
        ldr     lr, [sp]
        stmcs   lr, {o0, o1, o2, o3}
        stmcc   lr, {t0, t1, t2, t3}
        add     sp, sp, #4
        .cfi_adjust_cfa_offset -4
        pop     {r4-r11, pc}
        .cfi_endproc
        .size   mont_mul, . - mont_mul

        .section .note.GNU-stack, "", %progbits
