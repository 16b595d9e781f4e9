/* What a pair of instructions costs: 64 of them, in the place of a product whose result is 0. */
#define TIMES 64
        .text
        .global mont_mul
mont_mul:
        .rept   TIMES
#if PROBE == 0                  /* two additions, the second of which needs the first */
        add     t0, a2, a2
        add     t1, t0, t0
#elif PROBE == 1                /* a load, and an addition that does not need it */
        lw      t0, 0(a1)
        add     t1, a2, a2
#elif PROBE == 2                /* a load and its use */
        lw      t0, 0(a1)
        add     t1, t0, t0
#elif PROBE == 3                /* a product, and an addition that does not need it */
        mul     t0, a2, a2
        add     t1, a2, a2
#elif PROBE == 4                /* a product and its use */
        mul     t0, a2, a2
        add     t1, t0, t0
#elif PROBE == 5                /* a store and a load of the same word */
        sw      x0, 0(a0)
        lw      t0, 0(a0)
#elif PROBE == 6                /* a branch that is not taken, forwards */
        add     t1, a2, a2
        bnez    x0, 1f
1:
#elif PROBE == 7                /* a branch that is taken, forwards */
        add     t1, a2, a2
        beqz    x0, 1f
1:
#elif PROBE == 8                /* an instruction of a unit that does not wait (carry.v), and an addition */
        .insn   r 0x0b, 1, 2, t0, a2, a2
        add     t1, a2, a2
#elif PROBE == 9                /* the same, and the use of its result */
        .insn   r 0x0b, 1, 2, t0, a2, a2
        add     t1, t0, t0
#endif
        .endr
        sw      x0, 0(a0)
        ret
