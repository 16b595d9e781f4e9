/* uint32_t call_checked(uint32_t *z, const uint32_t *x, const uint32_t *y, const void *m, void (*f)())
 *
 * Calls f(z, x, y, m) with known values in r4-r11 and d8-d15 and returns how many of these and of sp
 * it did not preserve: 0 is what the procedure call standard asks for. */
        .syntax unified
        .arch   armv7-a
        .fpu    neon
        .arm
        .text
        .global call_checked
        .type   call_checked, %function
call_checked:
        push    {r3-r11, lr}
        vpush   {d8-d15}
        ldr     r12, [sp, #104]
        ldr     r4, =0x44444444
        vdup.32 q4, r4
        vdup.32 q5, r4
        vdup.32 q6, r4
        vdup.32 q7, r4
        ldr     lr, =saved_sp
        str     sp, [lr]
        .irp    n, 5, 6, 7, 8, 9, 10, 11
        add     r\n, r4, #\n
        .endr
        blx     r12
        mov     r0, #0
        ldr     r1, =0x44444444
        cmp     r4, r1
        addne   r0, r0, #1
        .irp    n, 5, 6, 7, 8, 9, 10, 11
        add     r2, r1, #\n
        cmp     r\n, r2
        addne   r0, r0, #1
        .endr
        .irp    n, 8, 9, 10, 11, 12, 13, 14, 15
        vmov    r2, r3, d\n
        cmp     r2, r1
        cmpeq   r3, r1
        addne   r0, r0, #1
        .endr
        ldr     r2, =saved_sp
        ldr     r2, [r2]
        cmp     r2, sp
        addne   r0, r0, #1
        mov     sp, r2
        vpop    {d8-d15}
        pop     {r3-r11, pc}
        .ltorg
        .size   call_checked, . - call_checked

        .bss
        .align  2
saved_sp:
        .space  4
        .section .note.GNU-stack, "", %progbits
