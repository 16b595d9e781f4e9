/* The counter's self-test: a program without a library whose counts follow from reading it.
 *
 * Every function st_* stands in the snapshot's section; selftest.txt says what each must count and
 * why.  The harness part below does the same kinds of things, none of which may be counted. */

        .syntax unified
        .arch   armv7-a
        .arch_extension idiv
        .fpu    neon-vfpv4

        .macro  function name
        .global \name
        .type   \name, %function
        .balign 4
\name:
        .endm
        .macro  finish name
        .size   \name, . - \name
        .endm

        .section snapshot_text, "ax", %progbits
        .arm

@ Core registers only: each class that neither touches memory nor multiplies.
        function st_data
        mov     r0, #1
        mvn     r1, #0
        movw    r2, #0x1234
        movt    r2, #0x5678
        mov     r3, r2                  @ move 5
        lsl     r3, r2, #3
        lsr     r3, r2, r0
        asrs    r3, r2, #1
        ror     r3, r2, #7
        rrx     r3, r2                  @ shift 5
        add     r3, r2, r1
        adds    r3, r2, #255
        sub     r3, r2, r1, lsl #2
        subs    r3, r2, r1
        rsb     r3, r2, #0
        addsne  r3, r2, r1              @ add_sub 6
        adc     r3, r2, #0
        adcs    r3, r2, r1
        sbc     r3, r2, r1
        sbcs    r3, r2, r1
        rsc     r3, r2, #0
        rscs    r3, r2, #0
        adcs    r3, r3, r3              @ add_sub_carry 7
        and     r3, r2, #15
        eors    r3, r2, r1
        orr     r3, r2, r1, ror #3
        bics    r3, r2, r1              @ logical 4
        cmp     r0, #1
        cmn     r0, r1
        tst     r0, r1, lsl #1
        teq     r0, r0                  @ compare 4
        bfi     r3, r2, #4, #8
        bfc     r3, #0, #3
        ubfx    r3, r2, #5, #6
        sbfx    r3, r2, #5, #6
        uxtb    r3, r2
        sxtah   r3, r2, r1
        rev     r3, r2
        rbit    r3, r2
        clz     r3, r2
        pkhbt   r3, r2, r1, lsl #16     @ bitfield 10
        uadd8   r3, r2, r1
        sel     r3, r2, r1
        usad8   r3, r2, r1
        qadd    r3, r2, r1
        ssat    r3, #8, r2
        usat16  r3, #8, r2              @ media 6
        bx      lr
        finish  st_data

@ Products and quotients.  udiv and sdiv look like ldr pc to a careless mask.
        function st_multiply
        mov     r0, #7
        mov     r1, #5
        mul     r2, r0, r1
        muls    r2, r0, r1
        mla     r2, r0, r1, r2
        mls     r2, r0, r1, r2          @ mul 4
        umull   r2, r3, r0, r1
        umlal   r2, r3, r0, r1
        smull   r2, r3, r0, r1
        smlals  r2, r3, r0, r1
        umullne r2, r3, r0, r1          @ mul_long 5
        umaal   r2, r3, r0, r1
        umaal   r2, r3, r0, r1
        umaal   r2, r3, r0, r1          @ umaal 3
        smlabb  r2, r0, r1, r2
        smulwt  r2, r0, r1
        smlalbt r2, r3, r0, r1
        smlad   r2, r0, r1, r2
        smmul   r2, r0, r1              @ mul_half 5
        udiv    r2, r0, r1
        sdiv    r2, r0, r1              @ divide 2
        mov     pc, lr
        finish  st_multiply

@ A condition that does not hold: the instruction counts, its memory access does not.
        function st_condition
        sub     sp, sp, #16
        cmp     sp, #0                  @ never equal
        ldreq   r0, [sp]
        ldrne   r0, [sp]
        streq   r0, [sp]
        strne   r0, [sp]
        strne   r0, [sp, #4]
        ldmeq   sp, {r0-r3}
        moveq   r1, #1
        addne   r1, r1, #1
        .inst   0x07f000f0              @ udfeq: of no class, and not executed
        beq     st_condition
        bne     1f
        nop                             @ jumped over
1:      bleq    st_data
        beq     2f                      @ not taken, and neither is the next
        bxeq    lr
2:      b       3f                      @ taken, though to the next address
3:      add     sp, sp, #16
        popeq   {r4, pc}
        bxne    lr
        bx      lr                      @ not reached
        finish  st_condition

@ 1000 rounds; an even round jumps over one instruction.
        function st_loop
        mov     r0, #1000
1:      tst     r0, #1
        beq     2f
        add     r1, r1, #1
2:      subs    r0, r0, #1
        bne     1b
        bx      lr
        finish  st_loop

@ Accesses are not instructions: ldrd makes two, ldm one for each register.
        function st_memory
        push    {r4-r7, lr}             @ 5
        sub     sp, sp, #64
        mov     r4, sp
        str     r0, [r4]
        strb    r0, [r4, #1]
        strh    r0, [r4, #2]
        strd    r0, r1, [r4, #8]        @ store 4, accesses 5
        ldr     r0, [r4], #4
        ldrb    r0, [r4]
        ldrh    r0, [r4]
        ldrsb   r0, [r4]
        ldrsh   r0, [r4]
        ldrd    r0, r1, [r4, #4]        @ load 6, accesses 7
        stm     r4, {r0-r3}             @ 4
        stmib   r4, {r0, r1}            @ 2
        ldm     r4, {r0-r3}             @ 4
        ldmdb   r4, {r0}                @ 1
        ldrex   r0, [r4]
        strex   r1, r0, [r4]
        .inst   0xe1040091              @ swp r0, r1, [r4]: exclusive 3, a load, a store, both
        add     sp, sp, #64
        pop     {r4-r7, pc}             @ 5
        finish  st_memory

@ The NEON register file.  An access there is at most 8 bytes.
        function st_neon
        sub     sp, sp, #64
        vmov.i32 q0, #1
        vadd.i32 q1, q0, q0
        vmull.u32 q2, d0, d1
        vshl.u64 q2, q2, #3
        vorr    d6, d0, d1              @ neon_arith 5
        mov     r0, sp
        vst1.32 {d0, d1}, [r0]          @ 2
        vst1.32 {d0[0]}, [r0]           @ 1
        vstr    d0, [r0, #8]            @ 1
        vstmia  r0!, {d0-d3}            @ 4
        vpush   {d8-d9}                 @ 2: neon_store 5, accesses 10
        vpop    {d8-d9}                 @ 2
        sub     r0, r0, #32
        vld1.32 {q8}, [r0]              @ 2
        vld1.32 {d4[1]}, [r0]           @ 1
        vldr    s0, [r0]                @ 1
        vldmia  r0, {s0-s2}             @ 3: neon_load 5, accesses 9
        vmov    r1, s0
        vmov    d5, r0, r1
        vmov.32 r2, d5[1]
        vdup.32 q3, r1                  @ neon_move 4
        vmov.f32 s0, #1.0
        vadd.f32 s1, s0, s0
        vmul.f64 d1, d0, d0
        vcmp.f32 s0, s1
        vmrs    APSR_nzcv, fpscr        @ vfp 5
        add     sp, sp, #64
        bx      lr
        finish  st_neon

@ Every other way to write pc.
        function st_jump
        push    {r4, lr}
        mov     r4, #2
1:      adr     r0, 4f
        ldr     pc, [r0, r4, lsl #2]    @ to 5, 3, 2: a branch and a load, three times
2:      mov     r0, #0
        add     pc, pc, r0              @ to the next but one
        nop                             @ jumped over
        adr     r0, 6f
        stmdb   sp!, {r0}
        ldm     sp!, {pc}               @ a return by its form
4:      .word   2b, 3f, 5f
5:      sub     r4, r4, #1
        b       1b
3:      subs    r4, r4, #1
        bpl     1b
6:      adr     r0, 7f
        bx      r0
        nop                             @ jumped over
7:      pop     {r4, lr}
        str     lr, [sp, #-4]!
        ldr     pc, [sp], #4            @ pop {pc}
        finish  st_jump

@ Calls: to A32 code, to Thumb code, and through a register.  The code outside counts on its own.
        function st_call
        mov     r3, lr
        bl      memmove
        blx     memset
        ldr     r0, =memmove
        blx     r0
        mov     lr, r3
        bx      lr                      @ finds the harness's call again
        .ltorg
        finish  st_call

        function st_system
        nop
        yield
        pld     [sp]
        dmb
        mrs     r0, cpsr
        msr     cpsr_f, r0
        mrc     p15, 0, r0, c13, c0, 3
        movs    r7, #0                  @ so that ne does not hold: a system call ends the run
        svcne   #0
        bx      lr
        finish  st_system

@ For the branch prediction: what two bits remember.
        function st_history
        mov     r0, #4
1:      mov     r1, #3
2:      subs    r1, r1, #1
        bne     2b                      @ taken, taken, not: four times
        cmp     r0, #2
        beq     3f                      @ not, not, taken, not
        nop
3:      subs    r0, r0, #1
        bne     1b                      @ taken three times, not
        bx      lr
        finish  st_history

@ Two branches 512 bytes apart want the same entry.
        function st_alias
        mov     r0, #4
1:      cmp     r0, #0
        bne     2f                      @ always taken
        .space  508
2:      bne     3f                      @ always taken
        nop
3:      subs    r0, r0, #1
        bne     1b
        bx      lr
        finish  st_alias

@ Four calls deep, the harness's included: one more than the return stack holds.
        function st_returns
        push    {r4, lr}
        bl      1f
        pop     {r4, pc}                @ the fourth return
1:      str     lr, [sp, #-4]!
        bl      2f
        ldr     pc, [sp], #4
2:      str     lr, [sp, #-4]!
        bl      3f
        ldr     pc, [sp], #4
3:      bx      lr
        finish  st_returns

@ A conditional return is not predicted and leaves its entry on the return stack.
        function st_return_if
        push    {r4, lr}
        bl      1f
        pop     {r4, pc}                @ finds that entry
1:      cmp     sp, #0                  @ never equal
        bxne    lr
        finish  st_return_if

@ Run-time outside both sections: counted only when the snapshot calls it.  The names are such as a
@ snapshot may call.
        .text
        .arm
        function memmove
        push    {r4, lr}
        ldm     sp, {r1, r2}
        cmp     r1, r1
        ldrne   r1, [sp]
        pop     {r4, pc}
        finish  memmove

        .thumb
        .thumb_func
        function memset
        push    {r4, r5}
        ldr.w   r1, [sp]
        str.w   r1, [sp]
        pop     {r4, r5}
        bx      lr
        finish  memset

@ Calls the run-time before the first of the snapshot's functions, and works between them: nothing counts.
        .section harness_text, "ax", %progbits
        .arm
        function _start
        mov     r4, #10
1:      bl      memmove
        blx     memset
        ldrd    r0, r1, [sp]
        subs    r4, r4, #1
        bne     1b
        bl      st_data
        bl      st_multiply
        bl      between
        bl      st_condition
        bl      st_loop
        bl      st_memory
        bl      st_neon
        bl      st_jump
        bl      st_call
        bl      between
        bl      st_system
        bl      st_history
        bl      st_alias
        bl      st_returns
        bl      st_return_if
        mov     r0, #0
        mov     r7, #1                  @ exit
        svc     #0
        finish  _start

        function between
        push    {r4, lr}
        mov     r4, #3
1:      subs    r4, r4, #1
        bne     1b
        pop     {r4, pc}
        finish  between

        .section .note.GNU-stack, "", %progbits
