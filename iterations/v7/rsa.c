#include "nat.h"

/* With t = top R + z: z := (t + q n) / 2^32 mod R, and what is above it, (t + q n) / 2^160.  The
 * digit q makes t + q n a multiple of 2^32.  Needs top <= 2^32. */
static inline uint64_t reduce(nat *z, uint64_t top, nat n, uint32_t n0inv)
{
    top += add_multiple(z, z->w0 * n0inv, n);
    *z = next_limb(*z, (uint32_t)top);
    return top >> 32;
}

/* x y R^-1 mod n.  Needs y < n and x < R. */
static nat mmm(nat x, nat y, nat n, uint32_t n0inv)
{
    nat z = set(0);
    register uint64_t top;

    /* Invariant after k lines: with t = top R + z, 2^(32 k) t = (x mod 2^(32 k)) y (mod n) and
     * 0 <= t < y + n, so top <= 1.  This top plus a limb goes to reduce(): at most 2^32. */
    top = reduce(&z, add_multiple(&z, x.w0, y), n, n0inv);
    top = reduce(&z, top + add_multiple(&z, x.w1, y), n, n0inv);
    top = reduce(&z, top + add_multiple(&z, x.w2, y), n, n0inv);
    top = reduce(&z, top + add_multiple(&z, x.w3, y), n, n0inv);
    if (top || !less(z, n))
        z = sub(z, n);
    return z;
}

/* y R^-1 mod n: mmm with x known to be 1.  Needs y < n. */
static nat mmm_1(nat y, nat n, uint32_t n0inv)
{
    /* Invariant after k lines, with y_0 the operand: 2^(32 k) y = y_0 (mod n) and y < n, so that
     * the limb above y is 0. */
    reduce(&y, 0, n, n0inv);
    reduce(&y, 0, n, n0inv);
    reduce(&y, 0, n, n0inv);
    reduce(&y, 0, n, n0inv);
    return y;
}

void mont_mul(uint32_t z[LIMBS], const uint32_t x[LIMBS], const uint32_t y[LIMBS],
              const struct modulus *m)
{
    store(z, mmm(load(x), load(y), load(m->n), m->n0inv));
}

/* Square and multiply, right to left.
 * Invariant at the top of round i: p = x^(2^i) R and r = x^(e mod 2^i) R, both mod n.  The lowest
 * bit of limb is bit i of e. */
void mod_exp(uint32_t z[LIMBS], const uint32_t x[LIMBS], const uint32_t e[LIMBS],
             const struct modulus *m)
{
    nat n = load(m->n), rr = load(m->rr), p, r;
    uint32_t n0inv = m->n0inv;
    register uint32_t limb = 0;
    register int i;

    p = mmm(load(x), rr, n, n0inv);
    r = mmm_1(rr, n, n0inv);
    for (i = 0; i < WIDTH; i++) {
        limb = i % 32 ? limb >> 1 : e[i / 32];
        if (limb & 1)
            r = mmm(r, p, n, n0inv);
        p = mmm(p, p, n, n0inv);
    }
    store(z, mmm_1(r, n, n0inv));
}
