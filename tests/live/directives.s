/* What the programs of the repository use little or not at all. */
        .syntax unified
        .text
        .equ    SIZE, 3 * 4 + (1 << 4) % 5 - ~7
        .set    left, 3
odd = SIZE | 1 ; .byte 'a', '\n', 0x7f, 0b101, 017, SIZE == 21, 2 > 1, !0, 2 && 3, 0 || 4, 1 < 1
        .balign 4
first:  nop
        .align  3
second: b       1f
1:      b       1b
        b       1f                      @ not the one above
        .p2align 4
1:      mov     r0, #SIZE
        .hword  second - first, 1b - first, -1
        .ascii  "a; b, /* c */ @ \"d\"\n", "e"
        .asciz  "f"
        .align  2
        .word   first, second + 4, . - first, ((SIZE)), -5 / 2, -5 % 3, 1 << 31, -1 >> 60, 6 & 3 ^ 1
        .quad   0x123456789, -2
        .space  5, 0xee
        .skip   3
        .balign 8, 0x11
        .macro  pair op, a=r1, b, rest:vararg
        \op     \a, \b
        .ifnb   \rest
        \op\()s \a, \rest
        .else
        .word   \@
        .endif
        .endm
        pair    add, , r2
        pair    sub, r3, r4, r5, r6, lsl #2
        pair    op=mov, b=r7
        .macro  twice what:req, n
        .irp    each, \what, r9
        .rept   \n
        add     \each, \each, #left
        .set    left, left + 1
        .endr
        .endr
        .if     left > 7 && \n == 2
        pair    mvn, r8, \what
        .elseif \n == 1
        .word   left
        .else
        .ifc    \what, r0
        .word   1
        .endif
        .endif
        .endm
        twice   r0, 2
        twice   r1, 1
        twice   r2 3
count   .req    r6
        ldr     count, =first + SIZE
        .unreq  count
count   .req    r7
        ldr     count, =second
        ldr     r0, [r1, #-0 * 4]       @ -0 is another encoding than 0
        ldr     r0, [r1, #-4 + 4]
        ldr     r0, [r1, #0 - 0]
        ldrh    r0, [r1], #-1 + 1
        vldr    d7, [r1, #-0 * 4]
        ldr     r0, =0x12345678
        ldr     r1, =0x12345678
        ldr     r2, =later
        ldr     r3, =2f
        .ltorg
2:      ldr     r4, =2f
        ldr     r5, =table
        movw    r6, #:lower16:table
        movt    r6, #:upper16:table
2:      adr     r7, first
        ldr     r8, later
later:  .word   later - first
        .section .rodata
        .align  3
table:  .word   first, table, later - table
