/* multiply: t[0..2k) := x y, by operand scanning in blocks of four rows.
 *
 *     void multiply(uint32_t *t, const uint32_t *x, const uint32_t *y, uint32_t k);
 *
 * Any k from 1 to 64: blocks where k is a multiple of 4, one row at a time elsewhere.  t is neither x
 * nor y; x may be y.  Registers: r0 = t, r1 = x, r2 = y, r3 = k; r4-r11 are preserved; r0-r3, r12,
 * r14 and the flags change.  No branch and no address depends on a limb.
 *
 *     stack   sp+0 x           sp+4 six zeros     sp+28 where a block enters its columns
 *             sp+32 y, moving  sp+36 4 k          sp+40 end of y     sp+44 r4-r11, return address */
#include "columns.inc"

        .equ    FRAME, 44

        function multiply, FRAME
        tst     r3, #3
        bne     .Lrows
        mov     lr, #PAIR_BYTES / 2
        mul     r12, r3, lr
        ldr     lr, =.Lcolumns_end
        sub     r12, lr, r12
        mov     r4, #0
        mov     r5, #0
        mov     r6, #0
        mov     r7, #0
        mov     r8, #0
        mov     r9, #0
        mov     r10, #0
        mov     r11, #0
        stm     sp, {r1, r4-r9, r12}
        add     r12, r2, r3, lsl #2

/* t[0..k) := 0, eight limbs at a time: what is beyond is written later. */
        mov     tp, r0
1:      stm     r0!, {r4-r11}
        subs    r3, r3, #8
        bgt     1b

        sub     r3, r12, r2
        str     r3, [sp, #36]
        str     r12, [sp, #40]

/* Invariant at the top of a block, with i limbs of y done: t[0..k+i) = x y[0..i), and tp = t + i.  The
 * window begins with zeros. */
.Lblock:
        ldm     r2!, {y0-y3}
        str     r2, [sp, #32]
        ldm     sp, {xp, r8-r12, lr, pc}
        columns
.Lcolumns_end:
        stm     tp!, {r8-r11}
        ldrd    r2, r3, [sp, #32]
        ldr     r12, [sp, #40]
        sub     tp, tp, r3
        teq     r2, r12
        bne     .Lblock
        leave   FRAME

/* One row at a time: t[i..i+k] := t[i..i+k) + x y[i], with t[0..k) = 0 before the first. */
.Lrows:
        mov     r4, #0
        mov     r5, r3
2:      str     r4, [r0, r5, lsl #2]
        subs    r5, r5, #1
        bpl     2b
        str     r4, [r0]
        mov     r5, r3
.Lrow:  ldr     r6, [r2], #4
        mov     r7, #0
        mov     r8, r3
3:      ldr     r9, [r1], #4
        ldr     r10, [r0]
        umaal   r10, r7, r6, r9
        str     r10, [r0], #4
        subs    r8, r8, #1
        bne     3b
        str     r7, [r0], #4
        sub     r0, r0, r3, lsl #2
        sub     r1, r1, r3, lsl #2
        subs    r5, r5, #1
        bne     .Lrow
        end     multiply, FRAME

        .section .note.GNU-stack, "", %progbits
