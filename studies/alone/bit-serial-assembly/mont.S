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
 * All of t, y and n stays in registers, one carry chain adds, and RRX passes a bit down from word
 * to word.  Branches skip an addition whose bit is 0, so time depends on the operands.
 *
 *     register use     r0-r3   r4   r5-r8   r9-r12   r14
 *     entry            z x y m
 *     rounds           t0-t3   top  y0-y3   n0-n3    limb: what is left of x_i
 *     between limbs    t0-t3   top  y0-y3   n0-n3    i
 *     end              t0-t3   top  d0-d3   n0-n3    z
 *
 *     stack       sp+0 x0-x3      sp+16 i      sp+20 z      sp+24 r4-r11, return address
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
y0      .req    r5
y1      .req    r6
y2      .req    r7
y3      .req    r8
n0      .req    r9
n1      .req    r10
n2      .req    r11
n3      .req    r12
limb    .req    lr

/* (top : t) := (top : t) + a. */
        .macro  add_to_t a0, a1, a2, a3
        adds    t0, t0, \a0
        adcs    t1, t1, \a1
        adcs    t2, t2, \a2
        adcs    t3, t3, \a3
        adc     top, top, #0
        .endm

/* One round: t := (t + xi y + q n) / 2, where xi leaves limb through the carry flag and q makes the
 * sum even.  Invariant: t < y + n, hence top <= 1 between rounds and top <= 3 within one. */
        .macro  round
        lsrs    limb, limb, #1
        bcc     1f
        add_to_t y0, y1, y2, y3
1:      tst     t0, #1
        beq     2f
        add_to_t n0, n1, n2, n3
2:      lsrs    top, top, #1
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
        sub     sp, sp, #20
        .cfi_adjust_cfa_offset 20

/* x goes to the frame, y and n to registers, and t starts at 0. */
        ldm     r1, {r5-r8}
        stm     sp, {r5-r8}
        ldm     r2, {y0, y1, y2, y3}
        ldm     r3, {n0, n1, n2, n3}
        mov     t0, #0
        mov     t1, #0
        mov     t2, #0
        mov     t3, #0
        mov     top, #0

/* Thirty-two rounds for limb i of x, lowest limb first.  The register that holds the limb is empty
 * after them and counts the limbs in between. */
        mov     limb, #0
3:      str     limb, [sp, #16]
        ldr     limb, [sp, limb, lsl #2]
        .rept   32
        round
        .endr
        ldr     limb, [sp, #16]
        add     limb, limb, #1
        cmp     limb, #LIMBS
        bne     3b

/* d := t - n, with no borrow out of the fifth word exactly when t >= n: store the one that is
 * below n. */
        subs    r5, t0, n0
        sbcs    r6, t1, n1
        sbcs    r7, t2, n2
        sbcs    r8, t3, n3
        sbcs    top, top, #0
        ldr     lr, [sp, #20]
        stmcs   lr, {r5-r8}
        stmcc   lr, {t0, t1, t2, t3}
        add     sp, sp, #24
        .cfi_adjust_cfa_offset -24
        pop     {r4-r11, pc}
        .cfi_endproc
        .size   mont_mul, . - mont_mul

        .section .note.GNU-stack, "", %progbits
