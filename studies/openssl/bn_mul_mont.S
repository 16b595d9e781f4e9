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
 *     set-up              a b n        n0 size pad                   saved sp  t
 *     rows                multipliers  window     operand   x0 x1    h0 h1     t
 *     first columns       q0-q3        c0 t0-t2   t3        n0 n1    n2 n3     t
 *     subtract, select    s d r count  s          saved sp  n or d ......      s
 *
 *     stack    sp+0 words that the routine needs    sp+64 t[2 words + 4], then copies of a, b, n
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
        .equ    OPERAND, 0              @ where the operand of the rows begins
        .equ    ENTRY, 4                @ where the rows are entered
        .equ    BACK, 8                 @ bytes from the end of four rows to the next four
        .equ    LAST, 12                @ where t is after all rows
        .equ    END, 16                 @ where the operand of the rows ends
        .equ    LEAVE, 20               @ what follows four rows
        .equ    NEXT, 24                @ ap; the next four multipliers
        .equ    BASE, 28                @ bp; square: t of the next four rows
        .equ    N, 32
        .equ    N0INV, 36
        .equ    SIZE, 40                @ 4 words
        .equ    PAD, 44                 @ 4 pad
        .equ    SAVED, 48               @ sp after the push
        .equ    CARRY, 52               @ 0 after a carry, else -1
        .equ    T, 64

        .equ    LARGEST, 1024           @ limbs
        .equ    UNROLLED, 8             @ of COLUMNS
        .equ    COLUMNS_SIZE, 88        @ bytes

        .macro  clear registers:vararg
        .irp    r, \registers
        mov     \r, #0
        .endr
        .endm

/* \entry := where to enter the rows for the \bytes of an operand. */
        .macro  entry_for entry, bytes, spare
        and     \entry, \bytes, #16 * (UNROLLED - 1)
        add     \spare, \entry, \entry, lsl #2
        add     \spare, \spare, \entry, lsr #1
        adr     \entry, .Lrows_end
        sub     \entry, \entry, \spare
        .endm

/* The frame's words for `words` rows from t = lr on, by the \bytes of the operand at r6. */
        .macro  rows_by bytes, leave
        sub     r8, r5, #16
        add     r9, lr, r5
        add     r10, r6, \bytes
        entry_for r7, \bytes, r12
        adr     r11, \leave
        stm     sp, {r6-r11}
        .endm

/* After four rows: the window is the limbs above them.  On to the next four, if any. */
        .macro  next_rows rows
        ldrd    r10, r11, [sp, #BACK]
        stm     lr, {r4-r7}
        sub     lr, lr, r10
        teq     lr, r11
        bne     \rows
        .endm

/* Two columns: (t[0], t[1]) := their sums; the window (\w0 .. \w3) of four limbs above them becomes
 * (\w2, \w3, \w0, \w1), two limbs higher.  In a column, \w0 carries: each product takes the limb
 * below the carry from the window, and leaves one there. */
        .macro  two_columns w0, w1, w2, w3
        ldm     r8!, {r9, r10}
        ldm     lr, {r11, r12}
        umaal   r11, \w0, r9, r0
        umaal   \w1, \w0, r9, r1
        umaal   r12, \w1, r10, r0
        umaal   \w2, \w0, r9, r2
        umaal   \w2, \w1, r10, r1
        umaal   \w3, \w0, r9, r3
        umaal   \w3, \w1, r10, r2
        umaal   \w0, \w1, r10, r3
        stm     lr!, {r11, r12}
        .endm

/* A row in its first four columns: (\c : \t3 : \t2 : \t1 : 0) := (\t3 : \t2 : \t1 : \t0) + \q n
 * with c = 0 before.  \next is the quotient digit of the row that begins with \t1. */
        .macro  first_columns q, c, t0, t1, t2, t3, next
        umaal   \t0, \c, r9, \q
        umaal   \t1, \c, r10, \q
        umaal   \t2, \c, r11, \q
        .ifnb   \next
        mul     \next, \t1, r3
        .endif
        umaal   \t3, \c, r12, \q
        .endm

/* (r4-r7) := (r4-r7) \op (r9-r12). */
        .macro  four op
        \op     r4, r4, r9
        \op     r5, r5, r10
        \op     r6, r6, r11
        \op     r7, r7, r12
        .endm

/* The four limbs at r2 := those at r0 \op those at r1; all three move on. */
        .macro  four_in_memory op
        ldm     r0!, {r4-r7}
        ldm     r1!, {r9-r12}
        four    \op
        stm     r2!, {r4-r7}
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
        .irp    i, 4, 5, 6, 7, 8, 9, 10, 11
        .cfi_rel_offset r\i, 4 * (\i - 3)
        .endr
        .cfi_rel_offset lr, 36
        mov     r11, sp
        .cfi_def_cfa_register r11

/* r5 := 4 words, r6 := 4 pad.  The frame is a multiple of 64 bytes, to be cleared sixteen words at a
 * time: t, then the three copies if there is a pad, then four limbs or more that nobody reads. */
        ldr     r4, [sp, #40]
        lsl     r12, r12, #2
        ldr     r4, [r4]
        orr     r5, r12, #12
        subs    r6, r5, r12
        add     r5, r5, #4
        lsleq   r7, r5, #1
        addne   r7, r5, r5, lsl #2
        add     r7, r7, #T + 16 + 16 + 63
        bic     r7, r7, #63
        sub     sp, sp, r7
        add     r12, sp, #NEXT
        stm     r12, {r1-r6, r11}
/* The caller's stack pointer is now *(sp + SAVED) + 40. */
        .cfi_escape 0x0f, 5, 0x7d, SAVED, 0x06, 0x23, 40

/* t[0 .. words + 4) := 0, and perhaps four more. */
        clear   r7, r8, r9, r10
        add     lr, sp, #T
        add     r12, lr, r5
1:      stm     lr!, {r7-r10}
        stm     lr!, {r7-r10}
        cmp     lr, r12
        bls     1b
        cmp     r6, #0
        beq     4f

/* With a pad: a, b and n are copied, and their addresses replaced; of a square, b and n.  Three
 * zeros follow each: its pad, and what the next copy or nobody needs. */
        sub     r0, r5, r6
        add     r10, sp, #T + 16
        add     r10, r10, r5, lsl #1
        add     r12, sp, #N + 4
        add     lr, sp, #NEXT
        cmp     r1, r2
        addeq   lr, lr, #4
2:      ldr     r4, [lr]
        str     r10, [lr], #4
        add     r11, r4, r0
3:      ldr     r3, [r4], #4
        str     r3, [r10], #4
        cmp     r4, r11
        bne     3b
        stm     r10, {r7-r9}
        add     r10, r10, r6
        cmp     lr, r12
        bne     2b

4:      add     lr, sp, #T
        add     lr, lr, r6
        ldr     r6, [sp, #BASE]
        cmp     r1, r2
        beq     .Lsquare

/* The product.  Invariant before rows i .. i+3, i = 0, 4, 8 ...:
 * t = (a[0 .. i)) b 2^(32 pad), in limbs below pad + i + words; lr is t + pad + i. */
        rows_by r5, .Lproduct_left
.Lproduct:
        ldr     r8, [sp, #NEXT]
        clear   r4, r5, r6, r7
        ldm     r8!, {r0-r3}
        str     r8, [sp, #NEXT]
        ldm     sp, {r8, pc}
.Lproduct_left:
        next_rows .Lproduct
        b       .Lreduce

/* Four rows: t := t + (r3 : r2 : r1 : r0) * (operand up to END), four columns at a time.
 * Invariant: of the sum of the j columns behind, below 2^(32 j + 128), the lower j limbs are in t
 * below lr, and the window (r7 : r6 : r5 : r4) is the rest. */
.Lrows:
        .rept   UNROLLED
        two_columns r4, r5, r6, r7
        two_columns r6, r7, r4, r5
        .endr
.Lrows_end:
        ldr     r9, [sp, #END]
        teq     r8, r9
        ldreq   pc, [sp, #LEAVE]
        b       .Lrows
        .if     .Lrows_end - .Lrows - UNROLLED * COLUMNS_SIZE
        .error  "COLUMNS_SIZE is wrong"
        .endif

/* The square.  Let b[i] be the bit that doubling shifts out of a[i], and y[i] = 2 a[i] - 2^32 b[i] +
 * b[i-1] the limbs of 2 a.  Row i is a[i]^2 + b[i-1] a[i], and y[i] times all limbs above a[i].
 * Before four rows the flag C is b[i-1].  Each of their first ten products is with the limb before
 * or after it is doubled; row i begins with b[i-1] a[i], and ends in a limb of the window.  The ten
 * fit: with A = a[i .. i+4) they are at most A^2 + b[i-1] A, and with four limbs of t below 2^256. */
.Lsquare:
        rows_by r5, .Lsquare_left
        adds    r8, r6, #0              @ b[-1] = 0
.Lsquare_rows:
        ldm     r8!, {r0-r3}
        add     r9, lr, #32
        strd    r8, r9, [sp, #NEXT]
        sbc     r9, r9, r9
        bic     r4, r0, r9
        and     r5, r1, r0, asr #31
        and     r6, r2, r1, asr #31
        and     r7, r3, r2, asr #31
        ldm     lr, {r9-r12}
        umaal   r9, r4, r0, r0
        adcs    r0, r0, r0
        umaal   r10, r4, r0, r1
        umaal   r11, r4, r0, r2
        umaal   r12, r4, r0, r3
        umaal   r11, r5, r1, r1
        adcs    r1, r1, r1
        umaal   r12, r5, r1, r2
        umaal   r4, r5, r1, r3
        umaal   r4, r6, r2, r2
        adcs    r2, r2, r2
        umaal   r5, r6, r2, r3
        umaal   r6, r7, r3, r3
        adcs    r3, r3, r3
        stm     lr!, {r9-r12}
        ldr     r12, [sp, #END]
        sub     r12, r12, r8
        entry_for r9, r12, r10
        bx      r9
.Lsquare_left:
        ldr     r8, [sp, #NEXT]
        stm     lr, {r4-r7}
        ldr     lr, [sp, #BASE]
        teq     r8, r9                  @ END
        bne     .Lsquare_rows

/* The reduction: t := t + q[i] n 2^(32 i) for i = 0 .. words-1, each q[i] such that t[i] becomes 0.
 * Invariant before rows i .. i+3: t[0 .. i) = 0; t + carry 2^(32 (i + words)) = a b 2^(32 pad)
 * modulo n, and below a b 2^(32 pad) + n 2^(32 i); lr is t + i. */
.Lreduce:
        ldr     r5, [sp, #SIZE]
        ldr     r6, [sp, #N]
        add     lr, sp, #T
        add     r6, r6, #16
        rows_by r8, .Lreduction_left
        cmn     lr, #0                  @ no carry
.Lreduction:
        ldrd    r2, r3, [sp, #N]
        ldm     lr!, {r5-r8}
        ldm     r2, {r9-r12}
        mul     r0, r5, r3
        mov     r4, #0
        first_columns r0, r4, r5, r6, r7, r8, next=r1
        first_columns r1, r5, r6, r7, r8, r4, next=r2
        first_columns r2, r6, r7, r8, r4, r5, next=r3
        first_columns r3, r7, r8, r4, r5, r6
        ldm     sp, {r8, pc}

/* The window belongs to the next four limbs of t: added, with the carry of the four rows before,
 * which waits in the flag C: nothing between two additions changes it. */
.Lreduction_left:
        ldm     lr, {r9-r12}
        four    adcs
        next_rows .Lreduction
        sbc     r0, r0, r0
        str     r0, [sp, #CARRY]

/* s = t / 2^(32 words) is at lr, with the carry on top; s < 2n, as a b 2^(32 pad) < n 2^(32 words).
 * d := s - n, into the limbs that are 0 now. */
        ldr     r1, [sp, #N]
        ldr     r3, [sp, #END]
        add     r2, sp, #T
        mov     r0, lr
        ldr     r4, [sp, #SIZE]
        cmp     r0, r0
        tst     r4, #16                 @ the flag C stays 1
        bne     5f
6:      four_in_memory sbcs
5:      four_in_memory sbcs
        teq     r1, r3
        bne     6b

/* r := d if s had the carry or d had no borrow, else s.  All flags GE say s, or none does. */
        ldr     r4, [sp, #CARRY]
        sbc     r5, r5, r5
        and     r4, r4, r5
        uadd8   r4, r4, r4
        ldr     r8, [sp, #SAVED]
        ldrd    r2, r3, [sp, #SIZE]
        mov     r0, lr
        add     r1, sp, #T
        sub     r3, r2, r3
        ldr     r2, [r8]
        subs    r3, r3, #32
        blo     8f
7:      four_in_memory sel
        four_in_memory sel
        subs    r3, r3, #32
        bhs     7b
8:      adds    r3, r3, #16
        bmi     12f
        four_in_memory sel
        sub     r3, r3, #16
12:     adds    r3, r3, #12
        bmi     10f
9:      ldr     r4, [r0], #4
        ldr     r5, [r1], #4
        sel     r4, r4, r5
        str     r4, [r2], #4
        subs    r3, r3, #4
        bpl     9b

/* Nothing of the operands stays in the frame. */
10:     .cfi_def_cfa r8, 40
        clear   r0, r1, r2, r3, r4, r5, r6, r7
        mov     r9, sp
11:     stm     r9!, {r0-r7}
        stm     r9!, {r0-r7}
        cmp     r9, r8
        bne     11b
        add     sp, r8, #4
        .cfi_def_cfa sp, 36
        mov     r0, #1
        pop     {r4-r11, pc}
        .cfi_endproc
        .size   bn_mul_mont, . - bn_mul_mont

        .section .note.GNU-stack, "", %progbits
