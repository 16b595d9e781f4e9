/* Blocks of four rows: what multiply, square and reduce share.
 *
 * Four limbs of one operand, y0 to y3, are multiplied by all limbs of the other, x, and added to
 * t, a column of four products at a time.  The unit of work is UMAAL, (hi : lo) := a b + lo + hi,
 * which cannot overflow.  Let w0 .. w3 be words of weight 2^(32 j) to 2^(32 (j+3)).  Then column j,
 *
 *     c := t[j];   (c : w0) := x[j] y0 + w0 + c;   ...   (c : w3) := x[j] y3 + w3 + c;   t[j] := w0,
 *
 * leaves the next window in w1, w2, w3, c.  No word is added outside UMAAL, and no carry is lost:
 * the window always holds what the block has added to t[j] and above, divided by 2^(32 j).
 *
 * Two columns need a window of four registers, and two more for t[j] and t[j+1]: after them the
 * registers of w0 and w1 are free.  So the three pairs r8 r9, r10 r11, r12 lr change places from one
 * pair of columns to the next:
 *
 *     columns to do, in pairs, mod 3     window on entry          free
 *     0                                  r8  r9  r10 r11          r12 lr
 *     2                                  r10 r11 r12 lr           r8  r9
 *     1                                  r12 lr  r8  r9           r10 r11
 *
 * The columns are unrolled for the largest size.  A block jumps to the place from which as many
 * columns are left as it needs, and finds its window in r8 to r11 at the end. */
        .syntax unified
        .arch   armv7-a
        .arm
        .text

        .equ    MAX_LIMBS, 64
        .equ    PAIR_BYTES, 44          /* of the code of a pair of columns */

xp      .req    r0                      /* moves along x, or along the modulus */
tp      .req    r1                      /* moves along t */
xa      .req    r2
xb      .req    r3
y0      .req    r4
y1      .req    r5
y2      .req    r6
y3      .req    r7

/* Columns j and j + 1: window w0 w1 w2 w3, free registers c d. */
        .macro  pair w0, w1, w2, w3, c, d
        ldm     xp!, {xa, xb}
        ldm     tp, {\c, \d}
        umaal   \w0, \c, xa, y0
        umaal   \w1, \c, xa, y1
        umaal   \w1, \d, xb, y0
        umaal   \w2, \c, xa, y2
        umaal   \w2, \d, xb, y1
        umaal   \w3, \c, xa, y3
        umaal   \w3, \d, xb, y2
        umaal   \c, \d, xb, y3
        stm     tp!, {\w0, \w1}
        .endm

/* All columns but `less` of them. */
        .macro  columns less=0
        .set    left, (MAX_LIMBS - \less) / 2
        .rept   (MAX_LIMBS - \less) / 2
        .if     left % 3 == 0
        pair    r8, r9, r10, r11, r12, lr
        .elseif left % 3 == 2
        pair    r10, r11, r12, lr, r8, r9
        .else
        pair    r12, lr, r8, r9, r10, r11
        .endif
        .set    left, left - 1
        .endr
        .endm

/* Of three addresses, the one for the place of the window when 2 r pairs are left, for r = 0 to 15. */
        .macro  places for0, for2, for1
        .set    r, 0
        .rept   MAX_LIMBS / 4
        .if     2 * r % 3 == 0
        .word   \for0
        .elseif 2 * r % 3 == 2
        .word   \for2
        .else
        .word   \for1
        .endif
        .set    r, r + 1
        .endr
        .endm

/* A function that saves r4 to r11 and lr, and `more` bytes for its frame. */
        .macro  function name, frame
        .cfi_sections .debug_frame
        .global \name
        .type   \name, %function
        .balign 4
\name:
        .cfi_startproc
        push    {r4-r11, lr}
        .cfi_adjust_cfa_offset 36
        .cfi_rel_offset r4, 0
        .cfi_rel_offset r5, 4
        .cfi_rel_offset r6, 8
        .cfi_rel_offset r7, 12
        .cfi_rel_offset r8, 16
        .cfi_rel_offset r9, 20
        .cfi_rel_offset r10, 24
        .cfi_rel_offset r11, 28
        .cfi_rel_offset lr, 32
        sub     sp, sp, #\frame
        .cfi_adjust_cfa_offset \frame
        .endm

        .macro  end name, frame
        add     sp, sp, #\frame
        .cfi_adjust_cfa_offset -\frame
        pop     {r4-r11, pc}
        .cfi_endproc
        .size   \name, . - \name
        .endm
