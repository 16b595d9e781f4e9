#include "nat.h"

/* With t = top R + z: z := (t + q n) / 2^32 mod R, and what is above it, (t + q n) / 2^(WIDTH + 32).  The
 * digit q makes t + q n a multiple of 2^32.  Needs top <= 2^32. */
static inline uint64_t reduce(nat z, uint64_t top, const nat n, uint32_t n0inv)
{
    top += add_multiple(z, z[0] * n0inv, n);
    next_limb(z, z, (uint32_t)top);
    return top >> 32;
}

/* z := x y R^-1 mod n.  Needs y < n and x < R.  z is none of x, y and n. */
static void mmm(nat z, const nat x, const nat y, const nat n, uint32_t n0inv)
{
    register uint64_t top = 0;
    register int i;

    set(z, 0);
    /* Invariant at the top of round i: with t = top R + z, 2^(32 i) t = (x mod 2^(32 i)) y (mod n)
     * and 0 <= t < y + n, so top <= 1.  This top plus a limb goes to reduce(): at most 2^32. */
    for (i = 0; i < LIMBS; i++)
        top = reduce(z, top + add_multiple(z, x[i], y), n, n0inv);
    if (top || !less(z, n))
        sub(z, z, n);
}

/* y := y R^-1 mod n: mmm with x known to be 1.  Needs y < n. */
static void mmm_1(nat y, const nat n, uint32_t n0inv)
{
    register int i;

    /* Invariant at the top of round i, with y_0 the operand: 2^(32 i) y = y_0 (mod n) and y < n, so
     * the limb above y is 0. */
    for (i = 0; i < LIMBS; i++)
        reduce(y, 0, n, n0inv);
}

void mont_mul(uint32_t z[LIMBS], const uint32_t x[LIMBS], const uint32_t y[LIMBS],
              const struct modulus *m)
{
    nat t;

    mmm(t, x, y, m->n, m->n0inv);
    store(z, t);
}

/* Square and multiply, right to left.
 * Invariant at the top of round i: p = x^(2^i) R and r = x^(e mod 2^i) R, both mod n.  The lowest
 * bit of limb is bit i of e. */
void mod_exp(uint32_t z[LIMBS], const uint32_t x[LIMBS], const uint32_t e[LIMBS],
             const struct modulus *m)
{
    nat p, r, t;
    uint32_t n0inv = m->n0inv;
    register uint32_t limb = 0;
    register int i;

    mmm(p, x, m->rr, m->n, n0inv);
    load(r, m->rr);
    mmm_1(r, m->n, n0inv);
    for (i = 0; i < WIDTH; i++) {
        limb = i % 32 ? limb >> 1 : e[i / 32];
        if (limb & 1) {
            mmm(t, r, p, m->n, n0inv);
            load(r, t);
        }
        mmm(t, p, p, m->n, n0inv);
        load(p, t);
    }
    mmm_1(r, m->n, n0inv);
    store(z, r);
}
