/* mont_mul and mod_exp: product and power of 96-bit numbers, product first, in registers.
 *
 *     mont_mul    z := x y R^-1 mod n,  R = 2^96
 *     mod_exp     z := x^e mod n
 *
 *     inputs   x[3], y[3], e[3], m->n[3], m->rr[3] = R^2 mod n, m->n0inv = -n^-1 mod 2^32
 *     output   z[3], z < n
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
 * Inside mod_exp a number is in u or in w, modulo n and below R, not always below n.  A product
 * takes one of them and leaves its result in the other.  mod_exp takes four bits of e at a time,
 * the highest first (left to right, fixed window).
 *
 *     register use         r0-r2  r3  r4-r6  r8-r10  r12     r14
 *     entry                z x y  m
 *     product              t0-t2  v   x      t3-t5   yj      y
 *     reduction, row 0     t0-t2  v   n      t3-t5   q       c0
 *     after row 2          c1 c2 0 v  n      t3-t5   q       -                v = n0inv
 *     between products     -      v   u      w       -       -
 *
 *     stack of mod_exp     sp+0 n, 0    sp+16 e    sp+28 i: byte at work
 *                          sp+32 powers 0 to 15, 16 bytes each    sp+288 z    sp+292 r4-r11, return
 */
#if defined(WIDTH) && WIDTH != 96
#error "three limbs only"
#endif

        .syntax unified
        .arch   armv6
        .arm
        .text

        .equ    RR, 12                  /* in struct modulus */
        .equ    N0INV, 24
        .equ    E, 16                   /* in the frame */
        .equ    I, 28
        .equ    POWERS, 32
        .equ    FRAME, 288

t0      .req    r0
t1      .req    r1
t2      .req    r2
v       .req    r3
u0      .req    r4
u1      .req    r5
u2      .req    r6
w0      .req    r8
w1      .req    r9
w2      .req    r10
q       .req    r12
c       .req    lr

/* (c : a2 : a1 : a0) := (a2 : a1 : a0) + c + x y. */
        .macro  row c, a0, a1, a2, x, y
        umaal   \a0, \c, \x\()0, \y
        umaal   \a1, \c, \x\()1, \y
        umaal   \a2, \c, \x\()2, \y
        .endm

/* Row 0 of a product: (t2 : t1 : t0) + (z0 : z2 : z1) 2^32 := x y.  Its high halves stay
 * apart: the one of weight 2^(32 j) is where row j finds it as its c.  y may be z0. */
        .macro  row_0 z, x, y
        umull   t0, \z\()1, \x\()0, \y
        umull   t1, \z\()2, \x\()1, \y
        umull   t2, \z\()0, \x\()2, \y
        .endm

/* (carry : z) := ((z : t) + q n) / R, where q makes the sum divisible by R.  n takes the place of
 * x.  Row j leaves t[j] = 0, which the next row has as its c.  The carry out of row j is added to
 * z[j] at once, and the carry out of that waits in the flag for the next one: UMAAL and MUL leave
 * the flags alone. */
        .macro  reduce z, x
        ldm     sp, {\x\()0, \x\()1, \x\()2, c}
        mul     q, t0, v
        row     c, t0, t1, t2, \x, q
        adds    \z\()0, \z\()0, c
        mul     q, t1, v
        row     t0, t1, t2, \z\()0, \x, q
        adcs    \z\()1, \z\()1, t0
        mul     q, t2, v
        row     t1, t2, \z\()0, \z\()1, \x, q
        adcs    \z\()2, \z\()2, t1
        .endm

/* z < R: after a carry, subtract n once.  The sum is below (R R + R n) / R = R + n. */
        .macro  bound z, x
        bcc     9f
        subs    \z\()0, \z\()0, \x\()0
        sbcs    \z\()1, \z\()1, \x\()1
        sbc     \z\()2, \z\()2, \x\()2
9:
        .endm

/* (z : t) := x y, y in memory at c; x is lost at the reduction, c here. */
        .macro  multiply z, x
        ldm     c!, {\z\()0, q}
        row_0   \z, \x, \z\()0
        row     \z\()1, t1, t2, \z\()0, \x, q
        ldr     q, [c]
        row     \z\()2, t2, \z\()0, \z\()1, \x, q
        .endm

/* z := x y R^-1 (mod n), z < R, y in memory at c.  Needs x < R and y < R. */
        .macro  product z, x
        multiply \z, \x
        reduce  \z, \x
        bound   \z, \x
        .endm

/* z := x x R^-1 (mod n), z < R.  Needs x < R. */
        .macro  square z, x
        row_0   \z, \x, \x\()0
        row     \z\()1, t1, t2, \z\()0, \x, \x\()1
        row     \z\()2, t2, \z\()0, \z\()1, \x, \x\()2
        reduce  \z, \x
        bound   \z, \x
        .endm

/* x := x^16, in the Montgomery domain, by way of z. */
        .macro  to_the_16th x, z
        .rept   2
        square  \z, \x
        square  \x, \z
        .endr
        .endm

/* c := where the power is that a half of byte c says. */
        .macro  look_up half
        .ifc    \half, hi
        and     c, c, #0xf0
        add     c, sp, c
        .else
        and     c, c, #0x0f
        add     c, sp, c, lsl #4
        .endif
        add     c, c, #POWERS
        .endm

/* z := (top : w) mod n, to memory at c.  Needs a sum below 2n; n is in u.  Of it and it less n,
 * store the one that is below n. */
        .macro  store_reduced top
        subs    t0, w0, u0
        sbcs    t1, w1, u1
        sbcs    t2, w2, u2
        .ifnb   \top
        sbcs    \top, \top, #0
        .endif
        stmcs   c, {t0, t1, t2}
        stmcc   c, {w0, w1, w2}
        .endm

        .macro  enter
        push    {r0, r4-r11, lr}
        .cfi_adjust_cfa_offset 40
        .set    at, 0
        .irp    r, r4, r5, r6, r7, r8, r9, r10, r11, lr
        .set    at, at + 4
        .cfi_rel_offset \r, at
        .endr
        .endm

        .cfi_sections .debug_frame
        .global mont_mul
        .type   mont_mul, %function
mont_mul:
        .cfi_startproc
        enter
        ldm     r3, {u0, u1, u2}
        ldr     v, [r3, #N0INV]
        mov     r7, #0
        push    {u0, u1, u2, r7}
        .cfi_adjust_cfa_offset 16
        mov     c, r2
        ldm     r1, {u0, u1, u2}

/* The sum is below 2n, as x y < n R. */
        multiply w, u
        reduce  w, u
        adc     q, t2, #0
        ldr     c, [sp, #16]
        store_reduced q
        add     sp, sp, #20
        .cfi_adjust_cfa_offset -20
        pop     {r4-r11, pc}
        .cfi_endproc
        .size   mont_mul, . - mont_mul

        .global mod_exp
        .type   mod_exp, %function
mod_exp:
        .cfi_startproc
        enter
        sub     sp, sp, #FRAME
        .cfi_adjust_cfa_offset FRAME

/* The frame has what every reduction needs, the zero that its row 0 has as c included, and e. */
        ldm     r3, {u0, u1, u2}
        mov     r7, #0
        stm     sp, {u0, u1, u2, r7}
        ldm     r2, {w0, w1, w2}
        add     r2, sp, #E
        stm     r2, {w0, w1, w2}

/* In the domain, power 0 is R - n = R (mod n), and power 1 is x R^2 R^-1. */
        rsbs    u0, u0, #0
        rscs    u1, u1, #0
        rsc     u2, u2, #0
        add     r2, sp, #POWERS
        stm     r2, {u0, u1, u2}
        add     c, r3, #RR
        ldr     v, [r3, #N0INV]
        ldm     r1, {u0, u1, u2}
        product w, u
        add     t0, sp, #POWERS + 16
        stm     t0, {w0, w1, w2}
        str     t0, [sp, #I]

/* Powers 2 to 15, two a round: each is the one before times power 1. */
1:      add     c, sp, #POWERS + 16
        product u, w
        ldr     t0, [sp, #I]
        add     t0, t0, #16
        stm     t0, {u0, u1, u2}
        str     t0, [sp, #I]
        add     c, sp, #POWERS + 16
        product w, u
        ldr     t0, [sp, #I]
        add     t0, t0, #16
        stm     t0, {w0, w1, w2}
        str     t0, [sp, #I]
        add     t1, sp, #FRAME - 16
        cmp     t0, t1
        bne     1b

/* i := where the highest byte of e is that is not 0, or the lowest byte. */
        mov     q, #E + 12
2:      sub     q, q, #1
        ldrb    c, [sp, q]
        cmp     c, #0
        rsbseq  t0, q, #E
        bcc     2b
        str     q, [sp, #I]

/* The power of its upper half starts the accumulator. */
        look_up hi
        ldm     c, {w0, w1, w2}
        b       4f

/* Invariant, in the Montgomery domain: u = x^(e div 2^(8 i + 8)) at 3, w = x^(e div 2^(8 i + 4)) at
 * 4, where i counts from E. */
3:      to_the_16th u, w
        ldr     q, [sp, #I]
        ldrb    c, [sp, q]
        look_up hi
        product w, u
4:      to_the_16th w, u
        ldr     q, [sp, #I]
        ldrb    c, [sp, q]
        sub     q, q, #1
        str     q, [sp, #I]
        look_up lo
        product u, w
        ldr     q, [sp, #I]
        cmp     q, #E
        bhs     3b

/* Out of the domain: w <= (u + (R - 1) n) / R < n + 1, so w = n can be and must become 0. */
        mov     t0, u0
        mov     t1, u1
        mov     t2, u2
        mov     w0, #0
        mov     w1, #0
        mov     w2, #0
        reduce  w, u
        ldr     c, [sp, #FRAME]
        store_reduced
        add     sp, sp, #FRAME + 4
        .cfi_adjust_cfa_offset -(FRAME + 4)
        pop     {r4-r11, pc}
        .cfi_endproc
        .size   mod_exp, . - mod_exp

        .section .note.GNU-stack, "", %progbits
