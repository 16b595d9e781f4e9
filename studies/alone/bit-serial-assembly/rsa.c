#include "nat.h"

/* Square and multiply, right to left.
 * Invariant, r and p being in the Montgomery domain: (r R^-1) (p R^-1)^k = x^e (mod n).  It ends
 * when no bit of k is left. */
void mod_exp(uint32_t z[LIMBS], const uint32_t x[LIMBS], const uint32_t e[LIMBS],
             const struct modulus *m)
{
    static const uint32_t one[LIMBS] = {1};
    uint32_t p[LIMBS], r[LIMBS];
    nat k = load(e);

    mont_mul(p, x, m->rr, m);
    mont_mul(r, one, m->rr, m);
    while (!is_zero(k)) {
        if (odd(k))
            mont_mul(r, r, p, m);
        mont_mul(p, p, p, m);
        k = halve(k, 0);
    }
    mont_mul(z, r, one, m);
}
