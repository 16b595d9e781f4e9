/* square: t[0..2k) := x^2.  The products of different limbs come first, each once, in blocks of four
 * rows; then everything is doubled and the squares of the limbs are added.
 *
 *     void square(uint32_t *t, const uint32_t *x, uint32_t k);
 *
 * Any k from 1 to 64: blocks where k is a multiple of 4; elsewhere it is multiply.  t is not x.
 * Registers: r0 = t, r1 = x, r2 = k; r4-r11 are preserved; r0-r3, r12, r14 and the flags
 * change.  No branch and no address depends on a limb.
 *
 *     stack   sp+0 x, moving        sp+4 t, moving       sp+8 where the next block enters its columns
 *             sp+12 the next block  sp+16 end of x       sp+20 six zeros
 *             sp+44 x               sp+48 t              sp+52 r4-r11, return address */
#include "columns.inc"

        .equ    FRAME, 52

entry   .req    r2

/* The block of rows i to i + 3 for one place of the window, which is zeros.  On entry xp = x + i + 4
 * and tp = t + 2 i.  The six products of its own four limbs, then the columns i + 4 and above. */
        .macro  block next, w0, w1, w2, w3, c, d
        ldmib   tp, {r3, \c, \d}
        umaal   r3, \w0, y0, y1
        umaal   \c, \w0, y0, y2
        umaal   \d, \w0, y0, y3
        umaal   \d, \w1, y1, y2
        umaal   \w0, \w1, y1, y3
        umaal   \w1, \w2, y2, y3
        stmib   tp, {r3, \c, \d}
        add     tp, tp, #32
        add     entry, entry, #2 * PAIR_BYTES
        adr     r3, \next
        stm     sp, {xp, tp, entry, r3}
        sub     tp, tp, #16
        sub     pc, entry, #2 * PAIR_BYTES
        .endm

        function square, FRAME
        tst     r2, #3
        bne     .Lrows

/* The frame. */
        adr     r3, .Lplaces - 4
        ldr     r12, [r3, r2]
        mov     r3, #PAIR_BYTES / 2
        mul     r3, r2, r3
        ldr     lr, =.Lcolumns_end + 2 * PAIR_BYTES
        sub     r3, lr, r3
        str     r1, [sp, #44]
        str     r0, [sp, #48]
        str     r1, [sp]
        str     r0, [sp, #4]
        str     r3, [sp, #8]
        str     r12, [sp, #12]
        add     r3, r1, r2, lsl #2
        mov     r4, #0
        mov     r5, #0
        mov     r6, #0
        mov     r7, #0
        mov     r8, #0
        mov     r9, #0
        mov     r10, #0
        mov     r11, #0
        add     r12, sp, #16
        stm     r12, {r3-r9}

/* t[0..k) := 0, eight limbs at a time: what is beyond is written later. */
1:      stm     r0!, {r4-r11}
        subs    r2, r2, #8
        bgt     1b

        b       .Lblock

.Lplace0:
        block   .Lplace1, r8, r9, r10, r11, r12, lr
.Lplace2:
        block   .Lplace0, r10, r11, r12, lr, r8, r9
.Lplace1:
        block   .Lplace2, r12, lr, r8, r9, r10, r11
.Lplaces:
        places  .Lplace0, .Lplace2, .Lplace1

        columns less=4
.Lcolumns_end:
        stm     tp, {r8-r11}

/* Invariant here, with i rows done: t[0..k+i) is the sum of x[a] x[b] 2^(32 (a+b)) for a < b, a < i. */
.Lblock:
        ldm     sp, {r0-r4, r8-r12, lr}
        teq     xp, r4
        ldmne   xp!, {y0-y3}
        bxne    r3

/* t := 2 t + x[0]^2 + x[1]^2 2^64 + ...  The flag C carries the bit that doubling shifts out, and r12
 * what the squares add to the next limb; UMAAL with a factor 0 adds it. */
.Ldouble:
        ldr     xp, [sp, #44]
        ldr     tp, [sp, #48]
        mov     r11, r4
        mov     r10, #0
        adds    r12, r10, #0
2:      ldm     xp!, {r2-r5}
        ldm     tp, {r6-r9}
        adcs    r6, r6, r6
        adcs    r7, r7, r7
        adcs    r8, r8, r8
        adcs    r9, r9, r9
        umaal   r6, r12, r2, r2
        umaal   r7, r12, r10, r10
        umaal   r8, r12, r3, r3
        umaal   r9, r12, r10, r10
        stm     tp!, {r6-r9}
        ldm     tp, {r6-r9}
        adcs    r6, r6, r6
        adcs    r7, r7, r7
        adcs    r8, r8, r8
        adcs    r9, r9, r9
        umaal   r6, r12, r4, r4
        umaal   r7, r12, r10, r10
        umaal   r8, r12, r5, r5
        umaal   r9, r12, r10, r10
        stm     tp!, {r6-r9}
        teq     xp, r11
        bne     2b
        leave   FRAME

/* Other sizes. */
.Lrows: add     sp, sp, #FRAME
        .cfi_adjust_cfa_offset -FRAME
        pop     {r4-r11, lr}
        .cfi_adjust_cfa_offset -36
        .irp    saved, r4, r5, r6, r7, r8, r9, r10, r11, lr
        .cfi_restore \saved
        .endr
        mov     r3, r2
        mov     r2, r1
        b       multiply
        .cfi_endproc
        .size   square, . - square

        .section .note.GNU-stack, "", %progbits
