#include "nat.h"

/* One round of mmm: halves t, having made it even, and moves on to the next bit of x. */
#define ROUND                                                                                      \
    q = (low(z) ^ (limb & y0)) & 1;                                                                \
    if (limb & 1) {                                                                                \
        z = add(z, y);                                                                             \
        top += less(z, y);                                                                         \
    }                                                                                              \
    if (q) {                                                                                       \
        z = add(z, n);                                                                             \
        top += less(z, n);                                                                         \
    }                                                                                              \
    z = put_top(rshift1(z), top);                                                                  \
    top >>= 1;                                                                                     \
    limb >>= 1

/* x y R^-1 mod n.  Needs y < n and x < R. */
static nat mmm(nat x, nat y, nat n)
{
    register nat z = set(0);
    register uint32_t limb = 0, y0 = low(y), q, top = 0;
    register int i;

    /* Invariant at the top of round i: with t = top R + z, 2^i t = (x mod 2^i) y (mod n) and
     * 0 <= t < y + n.  So t + y + n < 4 R, and top never passes 3. */
    for (i = 0; i < WIDTH; i += 4) {
        if (i % 32 == 0) {
            limb = low(x);
            x = rshift32(x);
        }
        ROUND;
        ROUND;
        ROUND;
        ROUND;
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
    register nat n = load(m->n), rr = load(m->rr), k = load(e);
    register nat p = mmm(load(x), rr, n), r = mmm(set(1), rr, n);
    register int i, length = bits(k);

    for (i = 0; i < length; i++) {
        if (low(k) & 1)
            r = mmm(r, p, n);
        p = mmm(p, p, n);
        k = rshift1(k);
    }
    store(z, mmm(set(1), r, n));
}
