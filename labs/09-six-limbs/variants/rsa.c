#include "nat.h"

/* Square and multiply, right to left.
 * Invariant at the top of round i: p = x^(2^i) R and r = x^(e mod 2^i) R, both mod n.  The lowest
 * bit of limb is bit i of e. */
void mod_exp(uint32_t z[LIMBS], const uint32_t x[LIMBS], const uint32_t e[LIMBS],
             const struct modulus *m)
{
    static const nat one = {1};
    nat p, r;
    register uint32_t limb = 0;
    register int i;

    mont_mul(p, x, m->rr, m);
    mont_mul(r, one, m->rr, m);
    for (i = 0; i < WIDTH; i++) {
        limb = i % 32 ? limb >> 1 : e[i / 32];
        if (limb & 1)
            mont_mul(r, r, p, m);
        mont_mul(p, p, p, m);
    }
    mont_mul(z, r, one, m);
}
