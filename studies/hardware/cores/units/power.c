/* x^e mod n from products, for RSA there and back: square and multiply, left to right. */
#include "snapshot.h"

void mod_exp(uint32_t z[LIMBS], const uint32_t x[LIMBS], const uint32_t e[LIMBS],
             const struct modulus *m)
{
    uint32_t one[LIMBS] = {1}, p[LIMBS], r[LIMBS];
    mont_mul(p, x, m->rr, m);
    mont_mul(r, one, m->rr, m);
    for (int i = WIDTH - 1; i >= 0; i--) {
        mont_mul(r, r, r, m);
        if (e[i / 32] >> i % 32 & 1)
            mont_mul(r, r, p, m);
    }
    mont_mul(z, r, one, m);
}
