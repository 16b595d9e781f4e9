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
 * The blocks are those of columns.inc, but in another order of memory.  n and the k limbs of t that
 * a block changes lie mixed in the frame: two limbs of n, two of t, and so on.  So one ldm has what
 * two columns need, and one pointer is enough.  A block divides t by 2^128: the sum of column j
 * goes to the place of column j - 4, and four limbs of t[k..2k) come in at the top.
 *
 *     stack   sp+0 n[0..4)    sp+16 n0inv    sp+20 where a block enters its columns
 *             sp+24 the block    sp+28 end of t    sp+32 z    sp+36 what comes last
 *             sp+40 n and t, mixed    sp+552 r4-r11, return address, then k
 *
 *     registers   r0 moves along n and t    r1 moves along t[k..2k)    r2 r3 two limbs of n
 *                 r4 r5 r12 lr digits of the quotient    r6-r11 window, and two limbs of t */
#include "columns.inc"

        .equ    JUMP, 20
        .equ    BLOCK, 24
        .equ    END, 28
        .equ    RESULT, 32
        .equ    LAST, 36
        .equ    MIXED, 40
        .equ    FRAME, MIXED + 8 * MAX_LIMBS
        .equ    MIXED_BYTES, 40         /* of the code of a pair of columns */

mp      .req    r0
hp      .req    r1
u0      .req    r4
u1      .req    r5
u2      .req    r12
u3      .req    lr

/* The block for one place of the window: four digits u0 to u3, and the four columns that they need.
 * All of t that they change is held in registers: the window is then w0 to w3. */
        .macro  block w0, w1, w2, w3, c, d
        ldm     sp, {r0, r2, r3, \d, u3}
        mov     \w0, #0
        ldr     \w1, [sp, #MIXED + 8]
        ldr     \w2, [sp, #MIXED + 12]
        ldr     \w3, [sp, #MIXED + 24]
        ldr     \c, [sp, #MIXED + 28]
        mul     u0, \w1, u3
        umaal   \w1, \w0, u0, r0
        umaal   \w2, \w0, u0, r2
        umaal   \w3, \w0, u0, r3
        umaal   \c, \w0, u0, \d
        mul     u1, \w2, u3
        umaal   \w2, \w1, u1, r0
        umaal   \w3, \w1, u1, r2
        umaal   \c, \w1, u1, r3
        umaal   \w0, \w1, u1, \d
        mul     u2, \w3, u3
        umaal   \w3, \w2, u2, r0
        umaal   \c, \w2, u2, r2
        umaal   \w0, \w2, u2, r3
        umaal   \w1, \w2, u2, \d
        mul     u3, \c, u3
        umaal   \c, \w3, u3, r0
        umaal   \w0, \w3, u3, r2
        umaal   \w1, \w3, u3, r3
        umaal   \w2, \w3, u3, \d
        add     mp, sp, #MIXED + 32
        ldr     pc, [sp, #JUMP]
        .endm

/* Columns j and j + 1: window w0 w1 w2 w3, free registers c d.  Their results go to the places of
 * columns j - 4 and j - 3. */
        .macro  mixed w0, w1, w2, w3, c, d
        ldm     mp!, {xa, xb, \c, \d}
        umaal   \w0, \c, xa, u0
        umaal   \w1, \c, xa, u1
        umaal   \w1, \d, xb, u0
        umaal   \w2, \c, xa, u2
        umaal   \w2, \d, xb, u1
        umaal   \w3, \c, xa, u3
        umaal   \w3, \d, xb, u2
        umaal   \c, \d, xb, u3
        strd    \w0, \w1, [mp, #-40]
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
        tst     r4, #3
        bne     .Lrows

/* The frame.  The flag C, which is 0, carries from block to block: nothing else there changes it. */
        str     r0, [sp, #RESULT]
        str     r12, [sp, #LAST]
        adr     r11, .Lplaces - 4
        ldr     r11, [r11, r4]
        mov     r10, #MIXED_BYTES / 2
        mul     r10, r10, r4
        ldr     r12, =.Lcolumns_end + 2 * MIXED_BYTES
        sub     r10, r12, r10
        add     r12, r1, r4, lsl #3
        mov     r9, r3
        ldm     r2, {r5-r8}
        stm     sp, {r5-r12}
        add     r3, r4, r4, lsl #1
        ldr     lr, =.Lmixed_end
        add     mp, sp, #MIXED
        cmn     mp, #0
        sub     pc, lr, r3              /* 3 k bytes before its end */
        .rept   MAX_LIMBS / 4
        ldm     r2!, {r4, r5, r8, r9}
        ldm     r1!, {r6, r7, r10, r11}
        stm     mp!, {r4-r11}
        .endr
.Lmixed_end:
        ldr     pc, [sp, #BLOCK]
.Lplaces:
        places  .Lplace0, .Lplace2, .Lplace1

.Lplace0:
        block   r6, r7, r8, r9, r10, r11
.Lplace2:
        block   r8, r9, r10, r11, r6, r7
.Lplace1:
        block   r10, r11, r6, r7, r8, r9

        .set    left, (MAX_LIMBS - 4) / 2
        .rept   (MAX_LIMBS - 4) / 2
        .if     left % 3 == 0
        mixed   r6, r7, r8, r9, r10, r11
        .elseif left % 3 == 2
        mixed   r8, r9, r10, r11, r6, r7
        .else
        mixed   r10, r11, r6, r7, r8, r9
        .endif
        .set    left, left - 1
        .endr
.Lcolumns_end:

/* Four limbs of t[k..2k) join the window. */
        ldm     hp!, {r2-r5}
        adcs    r6, r6, r2
        adcs    r7, r7, r3
        adcs    r8, r8, r4
        adcs    r9, r9, r5
        strd    r6, r7, [mp, #-24]
        strd    r8, r9, [mp, #-8]
        ldr     r2, [sp, #END]
        teq     hp, r2
        ldrne   pc, [sp, #BLOCK]
        ldr     r3, [sp, #FRAME + 36]
        add     mp, sp, #MIXED
        ldr     pc, [sp, #LAST]

/* (C : t) < 2 n.  C := 1 if it is n or more, else 0.  The code is
 * unrolled, and entered 5 k bytes before its end. */
.Lexact:
        mov     r12, #0
        adc     r12, r12, #0
        ldr     lr, =.Lcompared
        add     r2, r3, r3, lsl #2
        cmp     r0, r0
        sub     pc, lr, r2
        .rept   MAX_LIMBS / 4
        ldm     mp!, {r4-r11}
        sbcs    r4, r6, r4
        sbcs    r4, r7, r5
        sbcs    r4, r10, r8
        sbcs    r4, r11, r9
        .endr
.Lcompared:
        add     mp, sp, #MIXED
        sbcs    r12, r12, #0

/* (C : t) < R + n.  z := t - n if C is 1, else t.  Entered 10 k bytes before its end. */
.Llazy: sbc     r12, r12, r12
        mvn     r12, r12
        add     r3, r3, r3, lsl #2
        ldr     lr, =.Lsubtracted
        ldr     r1, [sp, #RESULT]
        cmp     r0, r0
        sub     pc, lr, r3, lsl #1
        .rept   MAX_LIMBS / 4
        ldm     mp!, {r4-r11}
        .irp    limb, r4, r5, r8, r9
        and     \limb, \limb, r12
        .endr
        sbcs    r6, r6, r4
        sbcs    r7, r7, r5
        sbcs    r10, r10, r8
        sbcs    r11, r11, r9
        stm     r1!, {r6, r7, r10, r11}
        .endr
.Lsubtracted:
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
