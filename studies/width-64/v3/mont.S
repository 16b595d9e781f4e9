/* mont_mul and mod_exp: product and power of 64-bit numbers, word-serial.
 *
 *     mont_mul    z := x y R^-1 mod n,  R = 2^64
 *     mod_exp     z := x^e mod n
 *
 *     inputs   x[2], y[2], e[2], m->n[2], m->rr[2] = R^2 mod n, m->n0inv = -n^-1 mod 2^32
 *     output   z[2], z < n
 *
 *     void mont_mul(uint32_t z[LIMBS], const uint32_t x[LIMBS], const uint32_t y[LIMBS],
 *                   const struct modulus *m);
 *     void mod_exp(uint32_t z[LIMBS], const uint32_t x[LIMBS], const uint32_t e[LIMBS],
 *                  const struct modulus *m);
 *
 * Assuming x < n and y < n; n odd; e any number.  z may be x or y.
 * Registers: r0 = z, r1 = x, r2 = y or e, r3 = m; r4-r11 are preserved; r0-r3, r12, r14 and the
 * flags change.
 *
 * mod_exp takes four bits of e at a time, the highest first (left to right, fixed window), and
 * looks up the power that they stand for.  How many instructions that takes depends on how many
 * bytes e has and on nothing else; which addresses in its frame are read depends on e.
 *
 *     register use    r0 r1     r2 r3  r4 r5  r6 r7  r8 r9  r10 r11  r12   r14
 *     entry           z  x      y  m
 *     products        v  n0+n1  n0 n1  u0 u1  w0 w1  c  t1  q   d    ones  mont_mul: z
 *     powers          v  n0+n1  n0 n1  u0 u1  w0 w1  c  t1  q   d    ones  i: place of the next
 *     bytes of e      v  n0+n1  n0 n1  u0 u1  w0 w1  c  t1  q   d    ones  i: byte at work
 *                                                                 v = n0inv, ones = 2^32 - 1
 *
 *     stack of mod_exp    sp+0 e    sp+8 powers 0 to 15    sp+136 z    sp+140 r4-r11, return
 */
#if defined(WIDTH) && WIDTH != 64
#error "two limbs only"
#endif

        .syntax unified
        .arch   armv6
        .arm
        .text

        .equ    RR, 8                   /* in struct modulus */
        .equ    N0INV, 16
        .equ    POWERS, 8               /* in the frame */
        .equ    FRAME, 136

v       .req    r0
n01     .req    r1
n0      .req    r2
n1      .req    r3
u0      .req    r4
u1      .req    r5
w0      .req    r6
w1      .req    r7
c       .req    r8
t1      .req    r9
q       .req    r10
d       .req    r11
ones    .req    r12
i       .req    lr

/* z := x y R^-1 (mod n), z < R.  Needs x < R and y < R.  x is lost; y may be x, or (d : q).
 *   Row 0: t := x y_0, then q n is added and the lowest word, 0 now, dropped; the carry out of that
 * waits in c.  Row 1 does the same to t + x y_1.  The word that row 0 leaves 0 is the carry that
 * x y_1 begins with; q n begins with what x0 holds, because t1 + q n0 is divisible by 2^32, so that
 * nothing below 2^32 makes it carry.
 *   In the end t < (R R + R n) / R = R + n: after a carry out of z, z - n is below R.  To subtract
 * n is to add (2^32 - 1) n0 and subtract 2^32 (n0 + n1): UMLAL sets no flag and carries all the
 * same, so both can stand under one condition. */
        .macro  product z0, z1, x0, x1, y0, y1
        umull   \z1, t1, \x0, \y0
        mov     \z0, #0
        umaal   t1, \z0, \x1, \y0
        mul     q, \z1, v
        mov     c, #0
        umaal   \z1, c, n0, q
        umaal   t1, c, n1, q
        umaal   t1, \z1, \x0, \y1
        umaal   \z0, \z1, \x1, \y1
        mul     q, t1, v
        umaal   t1, \x0, n0, q
        umaal   \z0, \x0, n1, q
        adds    \z0, \z0, c
        adcs    \z1, \z1, \x0
        umlalcs \z0, \z1, n0, ones
        subcs   \z1, \z1, n01
        .endm

/* x := x^16, in the Montgomery domain, by way of s. */
        .macro  to_the_16th x0, x1, s0, s1
        .rept   2
        product \s0, \s1, \x0, \x1, \x0, \x1
        product \x0, \x1, \s0, \s1, \s0, \s1
        .endr
        .endm

/* z := power d.  z may be (d : q). */
        .macro  look_up z0, z1
        add     d, sp, d, lsl #3
        ldrd    \z0, \z1, [d, #POWERS]
        .endm

/* From m, in r3, what every product needs. */
        .macro  load_modulus
        ldr     v, [r3, #N0INV]
        ldrd    n0, n1, [r3]
        add     n01, n0, n1
        mvn     ones, #0
        .endm

/* z := w mod n, to memory.  Needs w < 2n: of w and w - n, store the one that is below n. */
        .macro  store_reduced
        subs    u0, w0, n0
        sbcs    u1, w1, n1
        strdcs  u0, u1, [lr]
        strdcc  w0, w1, [lr]
        .endm

        .cfi_sections .debug_frame
        .global mont_mul
        .type   mont_mul, %function
mont_mul:
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
        ldrd    u0, u1, [r1]
        ldrd    q, d, [r2]
        mov     lr, r0
        load_modulus

/* The sum is below 2n, as x y < n R: so w < 2n, and w < n after a carry. */
        product w0, w1, u0, u1, q, d
        store_reduced
        pop     {r4-r11, pc}
        .cfi_endproc
        .size   mont_mul, . - mont_mul

        .global mod_exp
        .type   mod_exp, %function
mod_exp:
        .cfi_startproc
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
        sub     sp, sp, #FRAME
        .cfi_adjust_cfa_offset FRAME
        ldrd    u0, u1, [r1]
        ldrd    q, d, [r2]
        strd    q, d, [sp]
        ldrd    q, d, [r3, #RR]
        load_modulus

/* In the domain, power 0 is R - n = R (mod n), and power 1 is x R^2 R^-1. */
        rsbs    w0, n0, #0
        rsc     w1, n1, #0
        strd    w0, w1, [sp, #POWERS]
        product w0, w1, u0, u1, q, d
        strd    w0, w1, [sp, #POWERS + 8]

/* Powers 2 to 15, two a round: each is the one before times power 1. */
        add     i, sp, #POWERS + 16
1:      ldrd    q, d, [sp, #POWERS + 8]
        product u0, u1, w0, w1, q, d
        strd    u0, u1, [i], #8
        ldrd    q, d, [sp, #POWERS + 8]
        product w0, w1, u0, u1, q, d
        strd    w0, w1, [i], #8
        add     q, sp, #POWERS + 128
        cmp     i, q
        bne     1b

/* i := the highest byte of e that is not 0, or 0: go on while d = 0 and 0 - i borrows. */
        mov     i, #8
2:      sub     i, i, #1
        ldrb    d, [sp, i]
        cmp     d, #0
        rsbseq  q, i, #0
        bcc     2b

/* The power of its upper half starts the accumulator. */
        lsr     d, d, #4
        look_up w0, w1
        b       4f

/* Invariant, in the Montgomery domain: u = x^(e div 2^(8 i + 8)) at 3, w = x^(e div 2^(8 i + 4)) at
 * 4. */
3:      to_the_16th u0, u1, w0, w1
        ldrb    d, [sp, i]
        lsr     d, d, #4
        look_up q, d
        product w0, w1, u0, u1, q, d
4:      to_the_16th w0, w1, u0, u1
        ldrb    d, [sp, i]
        and     d, d, #15
        look_up q, d
        product u0, u1, w0, w1, q, d
        subs    i, i, #1
        bpl     3b

/* Out of the domain: w <= (u + (R - 1) n) / R < n + 1, so w = n can be and must become 0. */
        mov     q, #1
        mov     d, #0
        product w0, w1, u0, u1, q, d
        ldr     lr, [sp, #FRAME]
        store_reduced
        add     sp, sp, #FRAME + 4
        .cfi_adjust_cfa_offset -(FRAME + 4)
        pop     {r4-r11, pc}
        .cfi_endproc
        .size   mod_exp, . - mod_exp

        .section .note.GNU-stack, "", %progbits
