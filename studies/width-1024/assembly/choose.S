/* choose: z := the number `index` of a table, of which every limb is read.
 *
 *     void choose(uint32_t *z, const uint32_t *table, uint32_t count, uint32_t index, uint32_t k);
 *
 * Any k from 1 to 64; count is even and 64 at most.  nat.h says how the table lies in memory.  The
 * same instructions are executed and the same addresses are read for every index: a conditional
 * move keeps a limb or not.  Registers: r0 = z, r1 = table, r2 = count, r3 = index, k on the stack;
 * r4-r11 are preserved; r0-r3, r12, r14 and the flags change.
 *
 *     stack   sp+0 index + 2    sp+4 where a group enters    sp+8 z, moving    sp+12 end of z
 *             sp+16 r4-r11, return address, then k */
#include "columns.inc"

        .equ    FRAME, 16
        .equ    TWO_BYTES, 40           /* of the code for two numbers */

        function choose, FRAME
        mov     r4, #TWO_BYTES / 2
        mul     r4, r4, r2
        ldr     r5, =.Lend
        ldr     r7, [sp, #FRAME + 36]
        sub     r5, r5, r4
        add     r4, r3, #2
        mov     r6, r0
        add     r7, r0, r7, lsl #2
        stm     sp, {r4-r7}

/* Four limbs of all numbers, two numbers at a time.  r0 becomes index - i for number i: every number
 * up to the one wanted goes to r2, r3, r12, lr, and the last of them stays. */
.Lgroup:
        ldm     sp, {r0, pc}
        .rept   32
        ldm     r1!, {r4-r11}
        subs    r0, r0, #2
        movge   r2, r4
        movge   r3, r5
        movge   r12, r6
        movge   lr, r7
        movgt   r2, r8
        movgt   r3, r9
        movgt   r12, r10
        movgt   lr, r11
        .endr
.Lend:  ldrd    r4, r5, [sp, #8]
        stm     r4!, {r2, r3, r12, lr}
        str     r4, [sp, #8]
        cmp     r4, r5
        blo     .Lgroup
        end     choose, FRAME

        .section .note.GNU-stack, "", %progbits
