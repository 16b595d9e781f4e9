/* pair_choose: z := table[i] in lane 0, table[j] in lane 1.
 *
 *     void pair_choose(struct pair *z, const struct pair *table, uint32_t i, uint32_t j, uint32_t count,
 *                      uint32_t bytes);
 *
 * All `count` pairs are read, count a multiple of 4.  Three blocks of digits at a time: what the last group reads
 * and writes beyond `bytes` is in the room of a pair, and has no meaning.  Registers: r0 = z, r1 = table, r2 = i,
 * r3 = j, count and bytes on the stack; r4-r11 and d8-d15 are preserved; the others and the flags change.
 *
 *     d0-d11 twelve digits of a pair     q8-q13 those of z     q7 ones     q14 indices of the pair
 *     q15 all ones in the lane whose pair it is     d12 d13 i and j */
        .syntax unified
        .arch   armv7-a
        .fpu    neon
        .arm
        .text
#include "frame.inc"
#include "names.h"

        .equ    PAIR, 608
        .equ    GROUP, 96
        .equ    SAVED, 104              /* bytes that `enter` pushes */

        .global pair_choose
        .type   pair_choose, %function
pair_choose:
        enter
        ldr     r4, [sp, #SAVED]
        ldr     r5, [sp, #SAVED + 4]
        mov     r6, #PAIR - GROUP
        vmov    d12, r2, r3
        vmov    d13, r2, r3
        vmov.i32 q7, #1
1:      vmov.i32 q14, #0
        mov     r7, r4
        mov     r12, r1
2:      .rept   4
        vldmia  r12!, {d0-d11}
        vceq.i32 q15, q14, q6
        add     r12, r12, r6
        vadd.i32 q14, q14, q7
        vbit    q8, q0, q15
        vbit    q9, q1, q15
        vbit    q10, q2, q15
        vbit    q11, q3, q15
        vbit    q12, q4, q15
        vbit    q13, q5, q15
        .endr
        subs    r7, r7, #4
        bne     2b
        vstmia  r0!, {d16-d27}
        add     r1, r1, #GROUP
        subs    r5, r5, #GROUP
        bgt     1b
        leave
        .size   pair_choose, . - pair_choose

        .section .note.GNU-stack, "", %progbits
