/* called_from_thumb: bn_mul_mont with the same arguments, called from Thumb code.  Returns what it
 * returned, or 2 if a callee-saved register or the stack pointer has changed. */
        .syntax unified
        .arch   armv7-a
        .thumb
        .text
        .global called_from_thumb
        .type   called_from_thumb, %function
called_from_thumb:
        push    {r4-r11, lr}
        ldrd    r4, r5, [sp, #36]
        push    {r0-r3}
        push    {r4, r5}

/* r4-r11 := sp, sp + 1, ... */
        mov     r4, sp
        add     r5, r4, #1
        add     r6, r4, #2
        add     r7, r4, #3
        add     r8, r4, #4
        add     r9, r4, #5
        add     r10, r4, #6
        add     r11, r4, #7
        bl      bn_mul_mont
        mov     r1, sp
        subs    r4, r4, r1
        subs    r5, r5, r1
        subs    r6, r6, r1
        subs    r7, r7, r1
        sub     r8, r8, r1
        sub     r9, r9, r1
        sub     r10, r10, r1
        sub     r11, r11, r1
        orr     r4, r4, r5, lsl #4
        orr     r4, r4, r6, lsl #8
        orr     r4, r4, r7, lsl #12
        orr     r4, r4, r8, lsl #16
        orr     r4, r4, r9, lsl #20
        orr     r4, r4, r10, lsl #24
        orr     r4, r4, r11, lsl #28
        ldr     r1, =0x76543210
        cmp     r4, r1
        it      ne
        movne   r0, #2
        add     sp, sp, #24
        pop     {r4-r11, pc}
        .size   called_from_thumb, . - called_from_thumb
        .ltorg
        .section .note.GNU-stack, "", %progbits
