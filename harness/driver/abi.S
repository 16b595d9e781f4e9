/* The driver's assembly; driver.h says what each function does.
 * uint32_t call_checked(z, x, y, m, f)
 *
 *      r4, r5 .. r11   PATTERN, PATTERN + 5 .. PATTERN + 11
 *      d8 .. d15       PATTERN in both halves
 *      r0              the result, after the call
 *      r1 r2 r3        PATTERN and what is compared with it, after the call
 *      256 bytes       below sp: PATTERN, so that a frame never begins with zeros
 * The frame is 104 bytes, so that sp is a multiple of 8 at the call: f is the word above it. */
#ifdef __ARM_NEON /* q is the pair of d and e */
#define FILL(q, d, e) vdup.32 q, r4
#else
#define FILL(q, d, e) vmov d, r4, r4; vmov e, r4, r4
#endif
        .syntax unified
        .arm
        .set    PATTERN, 0x44444444
        .text
        .global call_checked
        .type   call_checked, %function
call_checked:
        push    {r3-r11, lr}
        vpush   {d8-d15}
        ldr     r12, [sp, #104]
        ldr     r4, =PATTERN
        FILL(q4, d8, d9)
        FILL(q5, d10, d11)
        FILL(q6, d12, d13)
        FILL(q7, d14, d15)
        mov     lr, #64
1:      str     r4, [sp, -lr, lsl #2]
        subs    lr, lr, #1
        bne     1b
        ldr     lr, =saved_sp
        str     sp, [lr]
        .irp    n, 5, 6, 7, 8, 9, 10, 11
        add     r\n, r4, #\n
        .endr
        blx     r12
        mov     r0, #0
        ldr     r1, =PATTERN
        cmp     r4, r1
        orrne   r0, r0, #1 << 4
        .irp    n, 5, 6, 7, 8, 9, 10, 11
        add     r2, r1, #\n
        cmp     r\n, r2
        orrne   r0, r0, #1 << \n
        .endr
        .irp    n, 8, 9, 10, 11, 12, 13, 14, 15
        vmov    r2, r3, d\n
        cmp     r2, r1
        cmpeq   r3, r1
        orrne   r0, r0, #1 << (\n + 8)
        .endr
        ldr     r2, =saved_sp
        ldr     r2, [r2]
        cmp     r2, sp
        orrne   r0, r0, #1 << 13
        mov     sp, r2
        vpop    {d8-d15}
        pop     {r3-r11, pc}
        .ltorg
        .size   call_checked, . - call_checked

/* void plain_call(z, x, y, m, f).  A call has ended only where the last instruction loads from where
 * the second stored: the counters compare the two addresses. */
        .global plain_call
        .type   plain_call, %function
plain_call:
        ldr     r12, [sp]
        str     lr, [sp, #-8]!
        blx     r12
        ldr     pc, [sp], #8
        .size   plain_call, . - plain_call

/* long write_out(text, size): Linux's write, to file 1. */
        .global write_out
        .type   write_out, %function
write_out:
        push    {r7, lr}
        mov     r2, r1
        mov     r1, r0
        mov     r0, #1
        mov     r7, #4
        svc     #0
        pop     {r7, pc}
        .size   write_out, . - write_out

        .bss
        .align  2
saved_sp:
        .space  4
        .section .note.GNU-stack, "", %progbits
