/* reduce and reduce_lazily: z := t R^-1 mod n, Montgomery's reduction in blocks of four digits of the
 * quotient.
 *
 *     void reduce(uint32_t *z, uint32_t *t, const uint32_t *n, uint32_t n0inv, uint32_t k);
 *     void reduce_lazily(uint32_t *z, uint32_t *t, const uint32_t *n, uint32_t n0inv, uint32_t k);
 *
 * Any k from 1 to 64: blocks where k is a multiple of 4, one digit at a time elsewhere.  z < n if
 * t[0..2k) < n R; reduce_lazily takes any t and gives some z < R.  t is spoilt.  Registers: r0 = z,
 * r1 = t, r2 = n, r3 = n0inv, k on the stack; r4-r11 are preserved; r0-r3, r12, r14 and the flags
 * change.  No branch and no address depends on a limb.
 *
 *     stack   sp+0 n + 4             sp+4 where a block enters its columns
 *             sp+8 4 k               sp+12 where the last block ends in t
 *             sp+16 n    sp+20 n0inv       sp+24 z      sp+28 the block      sp+32 what comes last
 *             sp+36 r4-r11, return address, then k */
#include "columns.inc"

        .equ    FRAME, 36

/* The block for one place of the window: four digits y0 to y3, and the four columns that they need.
 * All of t that they change is held in registers: the window is then w0 to w3.  On entry r4 = n and
 * y3 = n0inv. */
        .macro  block w0, w1, w2, w3, c, d
        mov     \w0, #0
        .ifc    \c, r8
        ldm     tp!, {\w1, \w2, \w3}
        ldr     \c, [tp], #4
        ldm     r4, {r0, r2, r3, \d}
        .endif
        .ifc    \c, r10
        ldr     \w1, [tp], #4
        ldm     tp!, {\w2, \w3, \c}
        ldm     r4, {r0, r2, r3, \d}
        .endif
        .ifc    \c, r12
        ldm     tp!, {\w1, \w2, \w3, \c}
        ldm     r4, {r0, r2, r3, \d}
        .endif
        mul     y0, \w1, y3
        umaal   \w1, \w0, y0, r0
        umaal   \w2, \w0, y0, r2
        umaal   \w3, \w0, y0, r3
        umaal   \c, \w0, y0, \d
        mul     y1, \w2, y3
        umaal   \w2, \w1, y1, r0
        umaal   \w3, \w1, y1, r2
        umaal   \c, \w1, y1, r3
        umaal   \w0, \w1, y1, \d
        mul     y2, \w3, y3
        umaal   \w3, \w2, y2, r0
        umaal   \c, \w2, y2, r2
        umaal   \w0, \w2, y2, r3
        umaal   \w1, \w2, y2, \d
        mul     y3, \c, y3
        umaal   \c, \w3, y3, r0
        umaal   \w0, \w3, y3, r2
        umaal   \w1, \w3, y3, r3
        umaal   \w2, \w3, y3, \d
        ldm     sp, {xp, pc}
        .endm

        function reduce_lazily, FRAME
        ldr     r12, =.Llazy
        b       .Lcommon
        .cfi_endproc
        .size   reduce_lazily, . - reduce_lazily

        function reduce, FRAME
        ldr     r12, =.Lexact
.Lcommon:
        ldr     r4, [sp, #FRAME + 36]
        str     r0, [sp, #24]
        str     r12, [sp, #32]
        strd    r2, r3, [sp, #16]
        add     r8, r1, r4, lsl #2
        tst     r4, #3
        bne     .Lrows

/* The frame. */
        adr     r9, .Lplaces - 4
        ldr     r9, [r9, r4]
        mov     r6, #PAIR_BYTES / 2
        mul     r6, r6, r4
        ldr     r5, =.Lcolumns_end + 2 * PAIR_BYTES
        sub     r6, r5, r6
        add     r5, r2, #16
        sub     r7, r8, r1
        str     r9, [sp, #28]
        stm     sp, {r5-r8}
        mov     r4, r2
        adds    y3, r3, #0
        bx      r9
.Lplaces:
        places  .Lplace0, .Lplace2, .Lplace1

.Lplace0:
        block   r8, r9, r10, r11, r12, lr
.Lplace2:
        block   r10, r11, r12, lr, r8, r9
.Lplace1:
        block   r12, lr, r8, r9, r10, r11

        columns less=4
.Lcolumns_end:

/* The window joins the high half of t.  The carry out stays in the flag C until the next block ends. */
        ldm     tp, {r2-r5}
        adcs    r8, r8, r2
        adcs    r9, r9, r3
        adcs    r10, r10, r4
        adcs    r11, r11, r5
        stm     tp!, {r8-r11}
        ldmib   sp, {r0, r2-r4, y3}     /* all but r0 are needed */
        sub     tp, tp, r2
        teq     tp, r3
        ldrne   pc, [sp, #28]
        mov     r0, r4
        ldr     pc, [sp, #32]

/* (C : t[k..2k)) < R + n.  z := t[k..2k) - n when C is 1, else t[k..2k).  The code is unrolled, and
 * entered 11 k bytes before its end: four limbs are 44. */
.Llazy: sbc     r12, r12, r12
        mvn     r12, r12
        ldr     lr, [sp, #24]
        add     r3, r2, r2, lsl #1
        sub     r3, r3, r2, lsr #2
        ldr     r2, =.Llazy_end
        cmp     r0, r0
        sub     pc, r2, r3
        .rept   MAX_LIMBS / 4
        ldm     r0!, {r4-r7}
        ldm     r1!, {r8-r11}
        .irp    limb, r4, r5, r6, r7
        and     \limb, \limb, r12
        .endr
        sbcs    r8, r8, r4
        sbcs    r9, r9, r5
        sbcs    r10, r10, r6
        sbcs    r11, r11, r7
        stm     lr!, {r8-r11}
        .endr
.Llazy_end:
        leave   FRAME

/* (C : t[k..2k)) < 2 n.  t[0..k) := t[k..2k) - n; the flag C is 1 when the difference is not below 0.
 * Four limbs are 28 bytes of code, so the loops, which are unrolled, are entered r3 = 7 k bytes before
 * their ends. */
.Lexact:
        mov     r12, #0
        adc     r12, r12, #0
        ldr     lr, =.Ldifference_end
        mov     r3, r2, lsl #1
        sub     r3, r3, r2, lsr #2
        sub     r2, tp, r2
        cmp     r0, r0
        sub     pc, lr, r3
        .rept   MAX_LIMBS / 4
        ldm     r0!, {r4-r7}
        ldm     r1!, {r8-r11}
        sbcs    r8, r8, r4
        sbcs    r9, r9, r5
        sbcs    r10, r10, r6
        sbcs    r11, r11, r7
        stm     r2!, {r8-r11}
        .endr
.Ldifference_end:
        sbcs    r12, r12, #0

/* z := the one that is below n. */
        ldr     r12, [sp, #8]
        ldr     lr, =.Lchoice_end
        ldr     r0, [sp, #24]
        sub     r2, r2, r12
        sub     r1, r1, r12
        sub     pc, lr, r3
        .rept   MAX_LIMBS / 4
        ldm     r1!, {r4-r7}
        ldm     r2!, {r8-r11}
        movcs   r4, r8
        movcs   r5, r9
        movcs   r6, r10
        movcs   r7, r11
        stm     r0!, {r4-r7}
        .endr
.Lchoice_end:
        leave   FRAME

/* One digit at a time.  r11 carries between the digits. */
.Lrows: mov     r11, #0
        mov     r5, r4
3:      ldr     r6, [r1]
        mul     r6, r6, r3
        mov     r7, #0
        mov     r8, r4
4:      ldr     r9, [r2], #4
        ldr     r10, [r1]
        umaal   r10, r7, r6, r9
        str     r10, [r1], #4
        subs    r8, r8, #1
        bne     4b
        ldr     r10, [r1]
        mov     r9, #1
        umaal   r10, r7, r11, r9
        str     r10, [r1], #4
        mov     r11, r7
        sub     r1, r1, r4, lsl #2
        sub     r2, r2, r4, lsl #2
        subs    r5, r5, #1
        bne     3b

/* The same final subtraction, a limb at a time. */
        sub     r6, r1, r4, lsl #2
        mov     r5, r4
        cmp     r4, r4
5:      ldr     r7, [r1], #4
        ldr     r8, [r2], #4
        sbcs    r7, r7, r8
        str     r7, [r6], #4
        sub     r5, r5, #1
        teq     r5, #0
        bne     5b
        sbcs    r11, r11, #0
        sub     r1, r1, r4, lsl #2
        sub     r6, r6, r4, lsl #2
6:      ldr     r7, [r1], #4
        ldr     r8, [r6], #4
        movcs   r7, r8
        str     r7, [r0], #4
        sub     r4, r4, #1
        teq     r4, #0
        bne     6b
        end     reduce, FRAME

        .section .note.GNU-stack, "", %progbits
