#include "nat.h"

/* x y R^-1 mod n.  Needs y < n and x < R. */
static nat mmm(nat x, nat y, nat n, uint32_t n0inv)
{
    nat z = set(0);
    register uint64_t s, top = 0;
    register uint32_t q;
    register int i;

    /* Invariant after k rounds: with t = top R + z, 2^(32 k) t = (x mod 2^(32 k)) y (mod n) and
     * 0 <= t < y + n, so top <= 1.  q makes t + x_k y + q n a multiple of 2^32.  The lowest limb of
     * x is limb k of the operand. */
    for (i = 0; i < LIMBS; i++) {
        s = top + add_multiple(&z, x.w0, y);
        x = next_limb(x, 0);
        q = z.w0 * n0inv;
        s += add_multiple(&z, q, n);
        z = next_limb(z, (uint32_t)s);
        top = s >> 32;
    }
    if (top || !less(z, n))
        z = sub(z, n);
    return z;
}

/* y R^-1 mod n: mmm with x known to be 1.  Needs y < n. */
static nat mmm_1(nat y, nat n, uint32_t n0inv)
{
    register uint32_t q, s;
    register int i;

    /* Invariant after k rounds, with y_0 the operand: 2^(32 k) y = y_0 (mod n) and y < n. */
    for (i = 0; i < LIMBS; i++) {
        q = y.w0 * n0inv;
        s = add_multiple(&y, q, n);
        y = next_limb(y, s);
    }
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
    register uint32_t limb = 0;
    register int i;

    p = mmm(load(x), rr, n, m->n0inv);
    r = mmm_1(rr, n, m->n0inv);
    for (i = 0; i < WIDTH; i++) {
        limb = i % 32 ? limb >> 1 : e[i / 32];
        if (limb & 1)
            r = mmm(r, p, n, m->n0inv);
        p = mmm(p, p, n, m->n0inv);
    }
    store(z, mmm_1(r, n, m->n0inv));
}
