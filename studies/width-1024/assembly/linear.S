/* add, subtract and subtract_masked: sums and differences of k limbs.
 *
 *     uint32_t add(uint32_t *z, const uint32_t *x, const uint32_t *y, uint32_t k);
 *     uint32_t subtract(uint32_t *z, const uint32_t *x, const uint32_t *y, uint32_t k);
 *     uint32_t subtract_masked(uint32_t *z, const uint32_t *x, const uint32_t *y, uint32_t k,
 *                              uint32_t mask);
 *
 * Any k from 1 to 64; z may be x or y.  Registers: r0 = z, r1 = x, r2 = y, r3 = k; r4-r11 are
 * preserved; r0-r3, r12, r14 and the flags change.  The limbs that are too few for a group of
 * four come first, one by one; the groups are unrolled for the largest size, and entered as many
 * groups before the end as there are.  The flag C goes from limb to limb: nothing else changes it. */
#include "columns.inc"

/* `op` is adcs or sbcs, and r12 the mask. */
        .macro  limbs op, group_bytes, masked=0
        and     lr, r3, #3
        bic     r3, r3, #3
        teq     lr, #0
        beq     2f
1:      ldr     r4, [r1], #4
        ldr     r8, [r2], #4
        .if     \masked
        and     r8, r8, r12
        .endif
        \op     r4, r4, r8
        str     r4, [r0], #4
        sub     lr, lr, #1
        teq     lr, #0
        bne     1b
2:      mov     r4, #\group_bytes / 4
        mul     r3, r3, r4
        ldr     lr, =3f
        sub     pc, lr, r3
        .rept   MAX_LIMBS / 4
        ldm     r1!, {r4-r7}
        ldm     r2!, {r8-r11}
        .if     \masked
        .irp    y, r8, r9, r10, r11
        and     \y, \y, r12
        .endr
        .endif
        \op     r4, r4, r8
        \op     r5, r5, r9
        \op     r6, r6, r10
        \op     r7, r7, r11
        stm     r0!, {r4-r7}
        .endr
3:
        .endm

        function add, 0
        cmn     r0, #0
        limbs   adcs, 28
        mov     r0, #0
        adc     r0, r0, #0
        end     add, 0

        function subtract, 0
        cmp     r0, r0
        limbs   sbcs, 28
        sbc     r0, r0, r0
        rsb     r0, r0, #0
        end     subtract, 0

        function subtract_masked, 0
        ldr     r12, [sp, #36]
        cmp     r0, r0
        limbs   sbcs, 44, masked=1
        sbc     r0, r0, r0
        rsb     r0, r0, #0
        end     subtract_masked, 0

        .section .note.GNU-stack, "", %progbits
