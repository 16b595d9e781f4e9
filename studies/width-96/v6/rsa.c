#include "nat.h"

/* Left to right, a digit of four bits at a time: 132 products for an exponent of full length.
 * Invariant: power[k] = x^k R and, once digit i has been used, r = x^floor(e / 16^i) R, both
 * mod n. */
void mod_exp(uint32_t z[LIMBS], const uint32_t x[LIMBS], const uint32_t e[LIMBS],
             const struct modulus *m)
{
    static const nat one = {{1}};
    nat power[16], r;
    int i;

    mont_mul(power[0].w, one.w, m->rr, m);
    mont_mul(power[1].w, x, m->rr, m);
    for (i = 2; i < 16; i++)
        mont_mul(power[i].w, power[i - 1].w, power[1].w, m);
    i = DIGITS - 1;
    while (i > 0 && digit(e, i) == 0)
        i--;
    r = power[digit(e, i)];
    while (i-- > 0) {
        mont_mul(r.w, r.w, r.w, m);
        mont_mul(r.w, r.w, r.w, m);
        mont_mul(r.w, r.w, r.w, m);
        mont_mul(r.w, r.w, r.w, m);
        mont_mul(r.w, r.w, power[digit(e, i)].w, m);
    }
    mont_mul(z, r.w, one.w, m);
}
