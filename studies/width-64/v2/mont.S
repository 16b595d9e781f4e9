/* mont_mul: Montgomery product of two 64-bit numbers, bit-serial.
 *
 *     z := x y R^-1 mod n,  R = 2^64
 *
 *     inputs   x[2], y[2], m->n[2]
 *     output   z[2], z < n
 *
 *     void mont_mul(uint32_t z[LIMBS], const uint32_t x[LIMBS], const uint32_t y[LIMBS],
 *                   const struct modulus *m);
 *
 * Assuming x < R and y < n; n odd.  z may be x or y.
 * Registers: r0 = z, r1 = x, r2 = y, r3 = m; r4-r11 are preserved; r0-r3, r14 and
 * the flags change.
 *
 * All numbers stay in registers.  A bit becomes a mask of 32 ones or zeros, and the mask chooses
 * between a number and 0, where C multiplies by the bit.  So no branch, no address and no number of
 * instructions depends on an operand.
 *
 *     register use     r0  r1  r2   r3  r4  r5  r6  r7  r8  r9  r10   r11   r14
 *     entry            z   x   y    m
 *     rounds           t0  t1  top  i   x0  x1  y0  y1  n0  n1  mask  part  z
 *     end              t0  t1  top      d0  d1          n0  n1              z
 *
 *     stack       sp+0 r4-r11, return address
 */
#if defined(WIDTH) && WIDTH != 64
#error "two limbs only"
#endif

        .syntax unified
        .arch   armv7-a
        .arm
        .text

t0      .req    r0
t1      .req    r1
top     .req    r2
i       .req    r3
x0      .req    r4
x1      .req    r5
y0      .req    r6
y1      .req    r7
n0      .req    r8
n1      .req    r9
mask    .req    r10
part    .req    r11
z       .req    lr

/* (top : t) := (top : t) + (bit 0 of `bits`) a. */
        .macro  add_if_odd bits, a0, a1
        sbfx    mask, \bits, #0, #1
        and     part, mask, \a0
        and     mask, mask, \a1
        adds    t0, t0, part
        adcs    t1, t1, mask
        adc     top, top, #0
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
        mov     z, r0
        ldm     r1, {x0, x1}
        ldm     r2, {y0, y1}
        ldm     r3, {n0, n1}
        mov     t0, #0
        mov     t1, #0
        mov     top, #0
        mov     i, #WIDTH

/* One round: t := (t + x_i y + q n) / 2, where x_i is the lowest bit left of x and q makes the sum
 * even.  Invariant: t < y + n, hence top <= 1 between rounds and top <= 3 within one. */
1:      add_if_odd x0, y0, y1
        add_if_odd t0, n0, n1
        lsrs    top, top, #1
        rrxs    t1, t1
        rrx     t0, t0
        lsrs    x1, x1, #1
        rrx     x0, x0
        subs    i, i, #1
        bne     1b

/* d := t - n, with no borrow out of the third word exactly when t >= n: store the one that is
 * below n. */
        subs    x0, t0, n0
        sbcs    x1, t1, n1
        sbcs    top, top, #0
        stmcs   z, {x0, x1}
        stmcc   z, {t0, t1}
        pop     {r4-r11, pc}
        .cfi_endproc
        .size   mont_mul, . - mont_mul

        .section .note.GNU-stack, "", %progbits
