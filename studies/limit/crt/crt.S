/* private_crt: the private operation on 128-bit numbers by the Chinese remainder theorem.
 *
 *     z := c^d mod p q,  by  z_p := c^dp mod p,  z_q := c^dq mod q,
 *     z := z_q + q ((z_p - z_q) q^-1 mod p)               (Garner's recombination)
 *
 *     inputs   c[4] < p q; key->p, key->q with q < p, each with n0inv, R^3 mod p, d;
 *              key->qinv = q^-1 R mod p; R = 2^64
 *     output   z[4], z < p q
 *
 *     void private_crt(uint32_t z[4], const uint32_t c[4], const struct private_key *key);
 *
 * Registers: r0 = z, r1 = c, r2 = key; r4-r11 are preserved; r0-r3, r12, r14, the flags, q0, q1 and
 * q8-q15 change.  z may be c.  Neither a branch nor an address depends on c or on a key.
 *
 * n is p or q.  A number is in u or in w, modulo n and below R, not always below n.  A product takes
 * one of them and leaves its result in the other.
 *
 *     register use    r0  r1 r2  r3  r4 r5  r6 r7  r8 r9  r10 r11  r12    r14
 *     entry           z   c  key
 *     half: entry     pr  c                                               return
 *     products        t0  c  t1  v   u0 u1  w0 w1  n0 n1  m0  m1   q, y1  place in the table
 *     digits          -   ca cb  v   u0 u1  w0 w1  n0 n1  m0  m1   q      digit
 *                         v = n0inv; m = R - n; ca and cb are c and t1 in turn; pr a struct prime
 *
 *     stack of half           sp+0 powers 0 to 15    sp+128 d    sp+136 i    sp+144 return address
 *     stack of private_crt    sp+0 z_q    sp+8 z, c, key    sp+20 r4-r11, return address
 */
        .syntax unified
        .arch   armv7-a
        .fpu    neon
        .arm
        .text

        .equ    N0INV, 8                /* in struct prime */
        .equ    RRR, 12
        .equ    D, 20
        .equ    PRIME, 28
        .equ    DD, 128                 /* in the frame of half */
        .equ    I, 136
        .equ    FRAME, 144

t0      .req    r0
ca      .req    r1
cb      .req    r2
v       .req    r3
u0      .req    r4
u1      .req    r5
w0      .req    r6
w1      .req    r7
n0      .req    r8
n1      .req    r9
m0      .req    r10
m1      .req    r11
q       .req    r12

/* Row 1 of a reduction, whose digit is in q: the carry out of row 0, c, is added to z at once; the
 * carry out of that waits in the flag, which UMAAL and MUL leave alone. */
        .macro  row_1   z, c, t1
        umaal   \t1, t0, n0, q
        adds    \z\()0, \z\()0, \c
        umaal   \z\()0, t0, n1, q
        adcs    \z\()1, \z\()1, t0
        .endm

/* (carry : z) := ((z : t1 : t0) + q n) / R.  Needs c = 0; leaves t1 = 0, which is the c of the next
 * product. */
        .macro  reduce  z, c, t1
        mul     q, t0, v
        umaal   t0, \c, n0, q
        umaal   \t1, \c, n1, q
        mul     q, \t1, v
        row_1   \z, \c, \t1
        .endm

/* (carry : z) := (x y + q n) / R.  Needs x < R, y < R and c = 0; y0 may be z0.  The reduction begins
 * before the product ends: fewer instructions wait for the one before (crt.py). */
        .macro  sum     z, x, y0, y1, c, t1
        umull   t0, \z\()1, \x\()0, \y0
        umull   \t1, \z\()0, \x\()1, \y0
        mul     q, t0, v
        umaal   \t1, \z\()1, \x\()0, \y1
        umaal   t0, \c, n0, q
        umaal   \t1, \c, n1, q
        mul     q, \t1, v
        umaal   \z\()0, \z\()1, \x\()1, \y1
        row_1   \z, \c, \t1
        .endm

/* z < R: after a carry add R - n, otherwise 0, and lose the carry out of that.  The sum is below
 * (R R + R n) / R = R + n.  Needs t1 = 0. */
        .macro  bound   z, t1
        adc     q, \t1, #0
        umlal   \z\()0, \z\()1, m0, q
        mla     \z\()1, m1, q, \z\()1
        .endm

/* z := x y R^-1 (mod n), z < R. */
        .macro  product z, x, y0, y1, c, t1
        sum     \z, \x, \y0, \y1, \c, \t1
        bound   \z, \t1
        .endm

/* z := (top : z) mod n.  Needs (top : z) < 2n. */
        .macro  reduced z, top
        subs    t0, \z\()0, n0
        sbcs    q, \z\()1, n1
        sbcs    \top, \top, #0
        movcs   \z\()0, t0
        movcs   \z\()1, q
        .endm

/* x := x^16, in the Montgomery domain, by way of z. */
        .macro  to_the_16th x, z, c, t1
        .rept   2
        product \z, \x, \x\()0, \x\()1, \c, \t1
        product \x, \z, \z\()0, \z\()1, \t1, \c
        .endr
        .endm

/* m := all bits are bit k of digit. */
        .macro  mask    m, k
        sbfx    t0, lr, \k, #1
        vdup.32 \m, t0
        .endm

/* (y1 : y0) := the power that four bits of lr from bit k on say.  The whole table is read; each round
 * keeps of each pair the power that one bit of lr names. */
        .macro  look_up y0, y1, k
        vldm    sp, {d16-d31}
        mask    q0, \k + 3
        mask    q1, \k + 2
        vbit    q8, q12, q0
        vbit    q9, q13, q0
        vbit    q10, q14, q0
        vbit    q11, q15, q0
        mask    q0, \k + 1
        vbit    q8, q10, q1
        vbit    q9, q11, q1
        mask    d2, \k + 0
        vbit    q8, q9, q0
        vbit    d16, d17, d2
        vmov    \y0, \y1, d16
        .endm

        .macro  preserved from
        .set    at, \from
        .irp    r, r4, r5, r6, r7, r8, r9, r10, r11, lr
        .cfi_rel_offset \r, at
        .set    at, at + 4
        .endr
        .endm

        .cfi_sections .debug_frame

/* w := c^d (mod n), w <= n, for the struct prime at r0 and c at r1; v and n stay in their registers.
 * w = n only if n divides c and c is not 0, because 0 stays 0 in every product. */
        .type   half, %function
half:
        .cfi_startproc
        push    {r3, lr}
        .cfi_adjust_cfa_offset 8
        .cfi_rel_offset lr, 4
        sub     sp, sp, #FRAME
        .cfi_adjust_cfa_offset FRAME
        ldrd    n0, n1, [r0]
        ldr     v, [r0, #N0INV]
        ldrd    u0, u1, [r0, #D]
        strd    u0, u1, [sp, #DD]
        ldr     w0, [r0, #RRR]
        ldr     lr, [r0, #RRR + 4]
        rsbs    m0, n0, #0
        rsc     m1, n1, #0

/* In the domain, power 0 is R - n = R (mod n), and power 1 is c R^-1 R^3 R^-1.  The reduction of c
 * leaves less than (p q + R n) / R < 2n. */
        strd    m0, m1, [sp]
        ldm     r1, {t0, cb, u0, u1}
        mov     ca, #0
        reduce  u, ca, cb
        bound   u, cb
        product w, u, w0, lr, cb, ca
        strd    w0, w1, [sp, #8]

/* Powers 2 to 15: each is the one before times power 1, whose upper word stays in lr. */
        mov     lr, w1
        .irp    k, 2, 4, 6, 8, 10, 12, 14
        ldr     u0, [sp, #8]
        product u, w, u0, lr, ca, cb
        strd    u0, u1, [sp, #8 * \k]
        ldr     w0, [sp, #8]
        product w, u, w0, lr, cb, ca
        strd    w0, w1, [sp, #8 * \k + 8]
        .endr

/* The power of the upper half of the highest byte of d starts the accumulator. */
        mov     t0, #DD + 7
        str     t0, [sp, #I]
        ldrb    lr, [sp, #DD + 7]
        look_up w0, w1, 4
        mov     cb, #0
        b       4f

/* Invariant, in the Montgomery domain: u = c^(d div 2^(8 i + 8)) and ca = 0 at 3, w = c^(d div
 * 2^(8 i + 4)) and cb = 0 at 4, where i counts from DD. */
3:      to_the_16th u, w, ca, cb
        ldr     lr, [sp, #I]
        ldrb    lr, [sp, lr]
        look_up w0, lr, 4
        product w, u, w0, lr, ca, cb
4:      to_the_16th w, u, cb, ca
        ldr     lr, [sp, #I]
        sub     t0, lr, #1
        str     t0, [sp, #I]
        ldrb    lr, [sp, lr]
        look_up u0, lr, 0
        product u, w, u0, lr, cb, ca
        ldr     lr, [sp, #I]
        cmp     lr, #DD
        bhs     3b

/* Out of the domain: w <= (u + (R - 1) n) / R < n + 1.  w = n stands for 0. */
        mov     t0, u0
        mov     cb, u1
        mov     w0, #0
        mov     w1, #0
        reduce  w, ca, cb
        add     sp, sp, #FRAME + 4
        .cfi_adjust_cfa_offset -(FRAME + 4)
        pop     {pc}
        .cfi_endproc
        .size   half, . - half

        .global private_crt
        .type   private_crt, %function
private_crt:
        .cfi_startproc
        push    {r0, r1, r2, r4-r11, lr}
        .cfi_adjust_cfa_offset 48
        preserved 12
        sub     sp, sp, #8
        .cfi_adjust_cfa_offset 8
        add     r0, r2, #PRIME
        bl      half
        strd    w0, w1, [sp]
        ldr     r0, [sp, #16]
        ldr     r1, [sp, #12]
        bl      half

/* w := z_p - z_q (mod p), w <= p: z_p <= p and z_q <= q < p, so that one addition of p is enough. */
        ldrd    u0, u1, [sp]
        subs    w0, w0, u0
        sbcs    w1, w1, u1
        sbc     t0, t0, t0
        and     q, t0, n0
        and     t0, t0, n1
        adds    w0, w0, q
        adc     w1, w1, t0

/* u := w q^-1 mod p: w <= p and q^-1 R < p, so that the sum is below 2p. */
        ldr     lr, [sp, #16]
        ldrd    m0, m1, [lr, #2 * PRIME]
        mov     ca, #0
        sum     u, w, m0, m1, ca, cb
        adc     cb, cb, #0
        reduced u, cb

/* z := z_q + q u in (ca : t0 : w1 : w0), z < p q: z_q = q and u = p - 1 would need that p q divides
 * c, which is 0 then, and z_q = 0. */
        ldrd    w0, w1, [sp]
        ldrd    n0, n1, [lr, #PRIME]
        mov     t0, #0
        mov     ca, #0
        umaal   w0, t0, n0, u0
        umaal   w1, t0, n1, u0
        umaal   w1, ca, n0, u1
        umaal   t0, ca, n1, u1
        ldr     lr, [sp, #8]
        strd    w0, w1, [lr]
        strd    t0, ca, [lr, #8]
        add     sp, sp, #20
        .cfi_adjust_cfa_offset -20
        pop     {r4-r11, pc}
        .cfi_endproc
        .size   private_crt, . - private_crt

        .section .note.GNU-stack, "", %progbits
