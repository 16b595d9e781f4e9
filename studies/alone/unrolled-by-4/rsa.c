#include "nat.h"

/* One round of mmm. */
#define ROUND                                                                                      \
    do {                                                                                           \
        xi = limb & 1;                                                                             \
        limb >>= 1;                                                                                \
        q = odd(z) ^ (xi & odd(y));                                                                \
        if (xi) {                                                                                  \
            z = add(z, y);                                                                         \
            top += less(z, y);                                                                     \
        }                                                                                          \
        if (q) {                                                                                   \
            z = add(z, n);                                                                         \
            top += less(z, n);                                                                     \
        }                                                                                          \
        z = halve(z, top);                                                                         \
        top >>= 1;                                                                                 \
    } while (0)

/* x y R^-1 mod n.  Needs y < n and x < R. */
static nat mmm(nat x, nat y, nat n)
{
    nat z = set(0);
    register uint32_t limb;
    register int i, j, xi, q, top = 0;

    /* Invariant after k rounds: with t = top R + z, 2^k t = (x mod 2^k) y (mod n) and
     * 0 <= t < y + n.  So t + y + n < 4 R, and top never passes 3.  The lowest bit of limb is
     * bit k of the operand x, of which x keeps the limbs above. */
    for (j = LIMBS; j > 0; j--) {
        limb = x.w0;
        x = next_limb(x);
        for (i = 32 / 4; i > 0; i--) {
            ROUND;
            ROUND;
            ROUND;
            ROUND;
        }
    }
    if (top || !less(z, n))
        z = sub(z, n);
    return z;
}

/* y R^-1 mod n: mmm with x known to be 1.  Needs y < n. */
static nat mmm_1(nat y, nat n)
{
    register int i, top;

    /* Invariant after k rounds, with y_0 the operand: 2^k y = y_0 (mod n) and y < n. */
    for (i = WIDTH; i > 0; i--) {
        top = 0;
        if (odd(y)) {
            y = add(y, n);
            top = less(y, n);
        }
        y = halve(y, top);
    }
    return y;
}

void mont_mul(uint32_t z[LIMBS], const uint32_t x[LIMBS], const uint32_t y[LIMBS],
              const struct modulus *m)
{
    store(z, mmm(load(x), load(y), load(m->n)));
}

/* Square and multiply, right to left.
 * Invariant, r and p being in the Montgomery domain: (r R^-1) (p R^-1)^k = x^e (mod n).  It ends
 * when no bit of k is left. */
void mod_exp(uint32_t z[LIMBS], const uint32_t x[LIMBS], const uint32_t e[LIMBS],
             const struct modulus *m)
{
    nat k = load(e), n = load(m->n), rr = load(m->rr), p, r;

    p = mmm(load(x), rr, n);
    r = mmm_1(rr, n);
    while (!is_zero(k)) {
        if (odd(k))
            r = mmm(r, p, n);
        p = mmm(p, p, n);
        k = halve(k, 0);
    }
    store(z, mmm_1(r, n));
}
