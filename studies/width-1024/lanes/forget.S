/* pair_forget: zeros where the frames of other routines were.
 *
 *     void pair_forget(uint32_t bytes);
 *
 * Overwrites the `bytes` bytes below the stack pointer, a multiple of 64.  Registers: r0 = bytes; d0-d7 and the flags
 * change. */
#include "names.h"
        .syntax unified
        .arch   armv7-a
        .fpu    neon
        .arm
        .text

        .cfi_sections .debug_frame
        .global pair_forget
        .type   pair_forget, %function
pair_forget:
        .cfi_startproc
        mov     r1, sp
        .cfi_def_cfa r1, 0
        sub     sp, sp, r0
        mov     r0, sp
        vmov.i64 q0, #0
        vmov.i64 q1, #0
        vmov.i64 q2, #0
        vmov.i64 q3, #0
1:      vstmia  r0!, {d0-d7}
        teq     r0, r1
        bne     1b
        mov     sp, r1
        .cfi_def_cfa sp, 0
        bx      lr
        .cfi_endproc
        .size   pair_forget, . - pair_forget

        .section .note.GNU-stack, "", %progbits
