/* square: t[0..2k) := x^2, in blocks of four rows.  Let b[a] be the bit that doubling shifts out of
 * x[a], and y[a] = 2 x[a] - 2^32 b[a] + b[a-1] the limbs of 2 x.  Then
 *
 *     x^2 = sum over a of (x[a]^2 + b[a-1] x[a] + y[a] (x[a+1] 2^32 + x[a+2] 2^64 + ...)) 2^(64 a).
 *
 *     void square(uint32_t *t, const uint32_t *x, uint32_t k);
 *
 * Any k from 1 to 64: blocks where k is a multiple of 4; elsewhere it is multiply.  t is not x.
 * Registers: r0 = t, r1 = x, r2 = k; r4-r11 are preserved; r0-r3, r12, r14 and the flags
 * change.  No branch and no address depends on a limb.
 *
 *     stack   sp+0 x, moving   sp+4 t, moving   sp+8 the next block   sp+12 r4-r11, return address */
#include "columns.inc"

        .equ    FRAME, 12

/* The block of rows i to i + 3 with `left` columns beside its own four limbs: xp = x + i, tp = t + 2 i,
 * and the flag C is b[i-1].  y0 to y3 hold the four limbs of x, and after row a the limb y[a].  Row a
 * begins with b[a-1] x[a], and ends in a word of the window.  The ten products fit: with X = x[i..i+4)
 * they are at most X^2 + b[i-1] X, and with t[2i..2i+4) at most 2^256 - 1.  Then come the columns. */
        .macro  block left, w0, w1, w2, w3, c, d
        ldm     xp!, {y0-y3}
        sbc     r2, r2, r2
        bic     \w0, y0, r2
        and     \w1, y1, y0, asr #31
        and     \w2, y2, y1, asr #31
        and     \w3, y3, y2, asr #31
        ldm     tp, {r2, r3, \c, \d}
        umaal   r2, \w0, y0, y0
        adcs    y0, y0, y0
        umaal   r3, \w0, y0, y1
        umaal   \c, \w0, y0, y2
        umaal   \d, \w0, y0, y3
        umaal   \c, \w1, y1, y1
        adcs    y1, y1, y1
        umaal   \d, \w1, y1, y2
        umaal   \w0, \w1, y1, y3
        umaal   \w0, \w2, y2, y2
        adcs    y2, y2, y2
        umaal   \w1, \w2, y2, y3
        umaal   \w2, \w3, y3, y3
        adcs    y3, y3, y3
        stm     tp!, {r2, r3, \c, \d}
        .if     \left
        add     r2, tp, #16
        adr     r3, 1f
        stm     sp, {xp, r2, r3}
        b       .Lcolumns_end - \left * PAIR_BYTES / 2
1:
        .endif
        .endm

        function square, FRAME
        tst     r2, #3
        bne     .Lrows
        adr     r3, .Lblocks - 4
        ldr     r12, [r3, r2]
        mov     lr, r0
        mov     r4, #0
        mov     r5, #0
        mov     r6, #0
        mov     r7, #0
        mov     r8, #0
        mov     r9, #0
        mov     r10, #0
        mov     r11, #0

/* t[0..k) := 0, eight limbs at a time: what is beyond is written later. */
1:      stm     r0!, {r4-r11}
        subs    r2, r2, #8
        bgt     1b
        mov     xp, r1
        mov     tp, lr
        adds    r4, r4, #0              /* b[-1] = 0 */
        bx      r12
.Lblocks:
        .irp    left, 0, 4, 8, 12, 16, 20, 24, 28, 32, 36, 40, 44, 48, 52, 56, 60
        .word   .Lblock\left
        .endr

/* Invariant at the top of a block, with i rows done: t[0..k+i) is the sum above over a < i. */
        .irp    left, 60, 56, 52, 48, 44, 40, 36, 32, 28, 24, 20, 16, 12, 8, 4, 0
.Lblock\left:
        .if     \left / 2 % 3 == 0
        block   \left, r8, r9, r10, r11, r12, lr
        .elseif \left / 2 % 3 == 2
        block   \left, r10, r11, r12, lr, r8, r9
        .else
        block   \left, r12, lr, r8, r9, r10, r11
        .endif
        .endr
        stm     tp, {r8-r11}
        leave   FRAME

        columns less=4
.Lcolumns_end:
        stm     tp, {r8-r11}
        ldm     sp, {xp, tp, pc}

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
