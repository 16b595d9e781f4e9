#include "nat.h"

/* x y R^-1 mod n.  Needs y < n and x < R. */
static nat mmm(nat x, nat y, nat n)
{
    nat z = set(0);
    uint32_t limb = 0, y0 = low(y), q, top = 0;
    int i;

    /* Invariant at the top of round i: with t = top R + z, 2^i t = (x mod 2^i) y (mod n) and
     * 0 <= t < y + n.  So t + y + n < 4 R, and top never passes 3. */
    for (i = 0; i < WIDTH; i++) {
        if (i % 32 == 0) {
            limb = low(x);
            x = rshift(x, 32);
        }
        q = (low(z) ^ (limb & y0)) & 1;
        if (limb & 1) {
            z = add(z, y);
            top += less(z, y);
        }
        if (q) {
            z = add(z, n);
            top += less(z, n);
        }
        z = put_top(rshift(z, 1), top);
        top >>= 1;
        limb >>= 1;
    }
    if (top || !less(z, n))
        z = sub(z, n);
    return z;
}

void mont_mul(uint32_t z[LIMBS], const uint32_t x[LIMBS], const uint32_t y[LIMBS],
              const struct modulus *m)
{
    store(z, mmm(load(x), load(y), load(m->n)));
}

/* Square and multiply, right to left, in the Montgomery domain.
 * Invariant at the top of round i: p = x^(2^i) R and r = x^(e mod 2^i) R, both mod n. */
void mod_exp(uint32_t z[LIMBS], const uint32_t x[LIMBS], const uint32_t e[LIMBS],
             const struct modulus *m)
{
    nat n = load(m->n), rr = load(m->rr), k = load(e);
    nat p = mmm(load(x), rr, n), r = mmm(set(1), rr, n);
    int i, length = bits(k);

    for (i = 0; i < length; i++) {
        if (low(k) & 1)
            r = mmm(r, p, n);
        p = mmm(p, p, n);
        k = rshift(k, 1);
    }
    store(z, mmm(set(1), r, n));
}
