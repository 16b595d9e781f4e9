/* bn_mul_mont: Montgomery product of two numbers of num limbs, as OpenSSL asks for it.
 *
 *     r := a b R^-1 mod n,  R = 2^(32 num)
 *
 *     inputs   ap[num], bp[num], np[num], n0[0] = -n^-1 mod 2^32
 *     output   rp[num], and 1; or 0, with nothing written, unless 1 <= num <= 1024
 *
 *     int bn_mul_mont(uint32_t *rp, const uint32_t *ap, const uint32_t *bp, const uint32_t *np,
 *                     const uint32_t *n0, int num);
 *
 * Assuming n odd and a < n, b < n; with larger a or b, r is right modulo n and below R.  rp may be
 * ap or bp.  If ap == bp, the product is a square, with little more than half the multiplications.
 *
 * The product comes first, then its reduction (separated operand scanning: Koc, Acar, Kaliski 1996,
 * section 4).  Both take four rows at once.  The unit of work is UMAAL, (hi : lo) := a b + lo + hi,
 * which cannot overflow.  No branch and no address depends on the value of an operand.  All that
 * the frame held is cleared.
 *
 * The rows come in fours, so the numbers are held in words = num rounded up to a multiple of four.
 * If that is more than num, a, b and n are copied into the frame with zeros on top, and the product
 * is begun pad = words - num limbs higher.  The reduction by `words` rows takes these limbs away.
 *
 *     register use        r0-r3        r4-r7      r8        r9 r10   r11 r12   lr
 *     rows                multipliers  window     operand   a0 a1    h0 h1     t
 *     first columns       q0-q3        c0 t0-t2   t3        n0 n1    n2 n3     t
 *
 *     stack    sp+0 words that the routine needs    sp+64 t[2 words + 8], then copies of a, b, n
 *              above: rp, r4-r11, return address
 */
#if defined(__ARM_ARCH) && __ARM_ARCH < 6
#error "umaal and sel need ARMv6"
#endif

        .syntax unified
        .arch   armv6
        .arm
        .text

/* The frame. */
        .equ    END, 0                  @ end of the operand of the rows
        .equ    ENTRY, 4                @ where the rows begin
        .equ    LEAVE, 8                @ where they end
        .equ    BACK, 12                @ bytes from the end of four rows to the next four
        .equ    LAST, 16                @ where t is after all rows
        .equ    NEXT, 20                @ the next four multipliers
        .equ    BASE, 24                @ square: t of the next four rows
        .equ    CARRY, 28               @ 0 after a carry, else -1
        .equ    N0INV, 32
        .equ    A, 36
        .equ    N, 40
        .equ    N4, 44                  @ n + 4 limbs
        .equ    SIZE, 48                @ 4 words
        .equ    PAD, 52                 @ 4 pad
        .equ    SAVED, 56               @ sp after the push
        .equ    T, 64

        .equ    LARGEST, 1024           @ limbs
        .equ    UNROLLED, 8             @ of COLUMNS
        .equ    COLUMNS_SIZE, 88        @ bytes

/* Two columns: (t[0], t[1]) := their sums; the window (\x0 .. \x3) of four limbs above them becomes
 * (\x2, \x3, \x0, \x1), two limbs higher.  In a column, \x0 carries: each product takes the limb
 * below the carry from the window, and leaves one there. */
        .macro  two_columns x0, x1, x2, x3
        ldm     r8!, {r9, r10}
        ldm     lr, {r11, r12}
        umaal   r11, \x0, r9, r0
        umaal   \x1, \x0, r9, r1
        umaal   r12, \x1, r10, r0
        umaal   \x2, \x0, r9, r2
        umaal   \x2, \x1, r10, r1
        umaal   \x3, \x0, r9, r3
        umaal   \x3, \x1, r10, r2
        umaal   \x0, \x1, r10, r3
        stm     lr!, {r11, r12}
        .endm

/* \entry := where to enter the rows for the \bytes of an operand. */
        .macro  entry_for entry, bytes, spare
        and     \bytes, \bytes, #16 * (UNROLLED - 1)
        add     \spare, \bytes, \bytes, lsl #2
        add     \spare, \spare, \bytes, lsr #1
        adr     \entry, .Lrows_end
        sub     \entry, \entry, \spare
        .endm

/* Four limbs of t, doubled, and two squares. */
        .macro  two_squares x0, x1
        ldm     lr, {r4-r7}
        adcs    r4, r4, r4
        adcs    r5, r5, r5
        adcs    r6, r6, r6
        adcs    r7, r7, r7
        umaal   r4, r9, \x0, \x0
        umaal   r5, r9, r10, r10
        umaal   r6, r9, \x1, \x1
        umaal   r7, r9, r10, r10
        stm     lr!, {r4-r7}
        .endm

        .cfi_sections .debug_frame
        .global bn_mul_mont
        .type   bn_mul_mont, %function
        .balign 32
bn_mul_mont:
        .cfi_startproc
        ldr     r12, [sp, #4]
        sub     r12, r12, #1
        cmp     r12, #LARGEST
        movhs   r0, #0
        bxhs    lr
        push    {r0, r4-r11, lr}
        .cfi_adjust_cfa_offset 40
        .cfi_rel_offset r4, 4
        .cfi_rel_offset r5, 8
        .cfi_rel_offset r6, 12
        .cfi_rel_offset r7, 16
        .cfi_rel_offset r8, 20
        .cfi_rel_offset r9, 24
        .cfi_rel_offset r10, 28
        .cfi_rel_offset r11, 32
        .cfi_rel_offset lr, 36
        mov     r11, sp
        .cfi_def_cfa_register r11

/* r4 := 4 words, r5 := 4 pad.  The frame is a multiple of 32 bytes, to be cleared eight words at a
 * time: t, and the three copies if there is a pad. */
        add     r4, r12, #4
        bic     r4, r4, #3
        sub     r5, r4, r12
        sub     r5, r5, #1
        lsl     r4, r4, #2
        lsls    r5, r5, #2
        add     r6, r4, r4
        addne   r6, r6, r4
        addne   r6, r6, r4, lsl #1
        add     r6, r6, #T + 32 + 31
        bic     r6, r6, #31
        sub     sp, sp, r6
        str     r11, [sp, #SAVED]
/* The caller's stack pointer is now *(sp + SAVED) + 40. */
        .cfi_escape 0x0f, 5, 0x7d, SAVED, 0x06, 0x23, 40
        ldr     r7, [r11, #40]
        ldr     r7, [r7]
        str     r7, [sp, #N0INV]
        str     r4, [sp, #SIZE]
        str     r5, [sp, #PAD]

/* t[0 .. words + 4) := 0, and perhaps four more. */
        mov     r6, #0
        mov     r7, #0
        mov     r8, #0
        mov     r9, #0
        add     r10, sp, #T
        add     r12, r10, r4
1:      stm     r10!, {r6-r9}
        stm     r10!, {r6-r9}
        cmp     r10, r12
        bls     1b

/* The copies, if there is a pad. */
        cmp     r5, #0
        beq     2f
        add     r10, sp, #T + 32
        add     r10, r10, r4, lsl #1
        mov     r0, r1
        mov     r1, r10
        bl      .Lcopy
        sub     r0, r0, r7
        cmp     r0, r2
        mov     r0, r2
        moveq   r2, r1
        movne   r2, r10
        blne    .Lcopy
        mov     r0, r3
        mov     r3, r10
        bl      .Lcopy
2:      add     r6, r3, #16
        str     r1, [sp, #A]
        str     r3, [sp, #N]
        str     r6, [sp, #N4]
        sub     r6, r4, #16
        str     r6, [sp, #BACK]
        add     r6, r1, r4
        str     r6, [sp, #END]
        add     lr, sp, #T
        add     lr, lr, r5
        cmp     r1, r2
        beq     .Lsquare

/* The product: t := t + (b[i] .. b[i+3]) a 2^(32 i) for i = 0, 4, 8 ... */
        str     r2, [sp, #NEXT]
        add     r6, lr, r4
        str     r6, [sp, #LAST]
        entry_for r6, r4, r7
        str     r6, [sp, #ENTRY]
        adr     r6, .Lproduct_left
        str     r6, [sp, #LEAVE]
.Lproduct:
        ldr     r8, [sp, #NEXT]
        mov     r4, #0
        mov     r5, #0
        ldm     r8!, {r0-r3}
        mov     r6, #0
        mov     r7, #0
        str     r8, [sp, #NEXT]
        ldr     r8, [sp, #A]
        ldr     pc, [sp, #ENTRY]
.Lproduct_left:
        ldr     r9, [sp, #BACK]
        ldr     r10, [sp, #LAST]
        stm     lr, {r4-r7}
        sub     lr, lr, r9
        cmp     lr, r10
        bne     .Lproduct
        b       .Lreduce

/* Four rows: t := t + (r3 : r2 : r1 : r0) * (operand up to END), four columns at a time. */
.Lrows:
        .rept   UNROLLED
        two_columns r4, r5, r6, r7
        two_columns r6, r7, r4, r5
        .endr
.Lrows_end:
        ldr     r9, [sp, #END]
        cmp     r8, r9
        bne     .Lrows
        ldr     pc, [sp, #LEAVE]
        .if     .Lrows_end - .Lrows - UNROLLED * COLUMNS_SIZE
        .error  "COLUMNS_SIZE is wrong"
        .endif

/* The square: first the products of unlike limbs, each once; row i has its columns from i + 1 on.
 * In the first four columns of four rows there are six. */
.Lsquare:
        adr     r6, .Lsquare_left
        str     r6, [sp, #LEAVE]
        mov     r8, r1
.Lsquare_rows:
        ldm     r8!, {r0-r3}
        add     r12, lr, #32
        str     r8, [sp, #NEXT]
        str     r12, [sp, #BASE]
        ldmib   lr, {r9-r11}
        mov     r4, #0
        mov     r5, #0
        mov     r6, #0
        umaal   r9, r4, r0, r1
        mov     r7, #0
        umaal   r10, r4, r0, r2
        ldr     r12, [sp, #END]
        umaal   r11, r4, r0, r3
        sub     r12, r12, r8
        umaal   r11, r5, r1, r2
        umaal   r4, r5, r1, r3
        stmib   lr, {r9-r11}
        umaal   r5, r6, r2, r3
        add     lr, lr, #16
        entry_for r9, r12, r10
        bx      r9
.Lsquare_left:
        stm     lr, {r4-r7}
        ldr     r9, [sp, #NEXT]
        ldr     lr, [sp, #BASE]
        cmp     r8, r9
        mov     r8, r9
        bne     .Lsquare_rows

/* Then t := 2 t + (the squares of the limbs).  The carry flag doubles and r9 adds: UMAAL does not
 * touch the flag, and with a factor of 0 it adds r9 and leaves the carry there. */
        ldr     r8, [sp, #A]
        ldr     r12, [sp, #END]
        add     lr, sp, #T
        ldr     r9, [sp, #PAD]
        mov     r10, #0
        adds    lr, lr, r9
        mov     r9, #0
3:      ldm     r8!, {r0-r3}
        two_squares r0, r1
        two_squares r2, r3
        teq     r8, r12
        bne     3b

/* The reduction: t := t + (q[i] .. q[i+3]) n 2^(32 i), each q such that its limb of t becomes 0. */
.Lreduce:
        ldr     r4, [sp, #SIZE]
        ldr     r3, [sp, #N]
        add     lr, sp, #T
        add     r6, r3, r4
        str     r6, [sp, #END]
        add     r6, lr, r4
        str     r6, [sp, #LAST]
        sub     r4, r4, #16
        entry_for r6, r4, r7
        str     r6, [sp, #ENTRY]
        adr     r6, .Lreduction_left
        str     r6, [sp, #LEAVE]
        mvn     r6, #0
        str     r6, [sp, #CARRY]
.Lreduction:
        ldr     r8, [sp, #N]
        ldr     r3, [sp, #N0INV]
        ldm     r8, {r9-r12}
        ldm     lr!, {r5-r8}
        mov     r4, #0

/* Row i starts with limb i of t, which becomes 0 and serves the next row as its carry. */
        mul     r0, r5, r3
        umaal   r5, r4, r9, r0
        umaal   r6, r4, r10, r0
        umaal   r7, r4, r11, r0
        mul     r1, r6, r3
        umaal   r8, r4, r12, r0
        umaal   r6, r5, r9, r1
        umaal   r7, r5, r10, r1
        umaal   r8, r5, r11, r1
        mul     r2, r7, r3
        umaal   r4, r5, r12, r1
        umaal   r7, r6, r9, r2
        umaal   r8, r6, r10, r2
        umaal   r4, r6, r11, r2
        mul     r3, r8, r3
        umaal   r5, r6, r12, r2
        umaal   r8, r7, r9, r3
        umaal   r4, r7, r10, r3
        ldr     r8, [sp, #N4]
        umaal   r5, r7, r11, r3
        umaal   r6, r7, r12, r3
        ldr     pc, [sp, #ENTRY]

/* The window belongs to four limbs of t that no later row of the product changes: add it, with the
 * carry of the four rows before. */
.Lreduction_left:
        ldr     r0, [sp, #CARRY]
        ldm     lr, {r9-r12}
        rsbs    r0, r0, #0
        adcs    r4, r4, r9
        adcs    r5, r5, r10
        adcs    r6, r6, r11
        adcs    r7, r7, r12
        sbc     r0, r0, r0
        str     r0, [sp, #CARRY]
        ldr     r9, [sp, #BACK]
        ldr     r10, [sp, #LAST]
        stm     lr, {r4-r7}
        sub     lr, lr, r9
        cmp     lr, r10
        bne     .Lreduction

/* s = t / R is at lr, with the carry on top; s < 2n.  d := s - n, into the limbs that are 0 now. */
        ldr     r1, [sp, #N]
        ldr     r3, [sp, #END]
        add     r2, sp, #T
        mov     r0, lr
        cmp     r0, r0
4:      ldm     r0!, {r4-r7}
        ldm     r1!, {r8-r11}
        sbcs    r4, r4, r8
        sbcs    r5, r5, r9
        sbcs    r6, r6, r10
        sbcs    r7, r7, r11
        stm     r2!, {r4-r7}
        teq     r1, r3
        bne     4b

/* r := d if s had the carry or d had no borrow, else s.  All flags GE say s, or none does. */
        ldr     r4, [sp, #CARRY]
        ldr     r11, [sp, #SAVED]
        sbc     r5, r5, r5
        ldr     r3, [sp, #SIZE]
        ldr     r12, [sp, #PAD]
        and     r4, r4, r5
        ldr     r2, [r11]
        uadd8   r4, r4, r4
        mov     r0, lr
        add     r1, sp, #T
        sub     r12, r3, r12
        add     r12, r1, r12
        subs    r3, r12, r1
        bics    r3, r3, #15
        beq     6f
        add     r3, r3, r1
5:      ldm     r0!, {r4-r7}
        ldm     r1!, {r8-r10, lr}
        sel     r4, r4, r8
        sel     r5, r5, r9
        sel     r6, r6, r10
        sel     r7, r7, lr
        stm     r2!, {r4-r7}
        cmp     r1, r3
        bne     5b
6:      cmp     r1, r12
        beq     7f
        ldr     r4, [r0], #4
        ldr     r5, [r1], #4
        sel     r4, r4, r5
        str     r4, [r2], #4
        b       6b

/* Nothing of the operands stays in the frame. */
7:      .cfi_remember_state
        .cfi_def_cfa r11, 40
        mov     r0, #0
        mov     r1, #0
        mov     r2, #0
        mov     r3, #0
        mov     r4, #0
        mov     r5, #0
        mov     r6, #0
        mov     r7, #0
        mov     r8, sp
8:      stm     r8!, {r0-r7}
        cmp     r8, r11
        bne     8b
        mov     sp, r11
        .cfi_def_cfa sp, 40
        pop     {r0, r4-r11, lr}
        .cfi_adjust_cfa_offset -40
        .cfi_restore r4
        .cfi_restore r5
        .cfi_restore r6
        .cfi_restore r7
        .cfi_restore r8
        .cfi_restore r9
        .cfi_restore r10
        .cfi_restore r11
        .cfi_restore lr
        mov     r0, #1
        bx      lr
        .cfi_restore_state

/* r10[0 .. words) := r0[0 .. num) and zeros; both move on; r7 := 4 num. */
.Lcopy:
        sub     r7, r4, r5
        add     r9, r10, r7
9:      ldr     r6, [r0], #4
        str     r6, [r10], #4
        cmp     r10, r9
        bne     9b
        mov     r6, #0
        add     r9, r9, r5
10:     str     r6, [r10], #4
        cmp     r10, r9
        bne     10b
        bx      lr
        .cfi_endproc
        .size   bn_mul_mont, . - bn_mul_mont

        .section .note.GNU-stack, "", %progbits
