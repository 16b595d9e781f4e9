/* Montgomery's product and square: the whole product first, then its reduction (separated operand
 * scanning: Koc, Acar and Kaliski 1996, section 4). */
#include "nat.h"

void mont_mul(uint32_t *z, const uint32_t *x, const uint32_t *y, const struct modulus *m)
{
    uint32_t t[2 * MAX_LIMBS];
    if (m->levels == 0)
        multiply(t, x, y, m->limbs);
    else
        karatsuba_multiply(t, x, y, m->limbs, m->levels);
    reduce(z, t, m->n, m->n0inv, m->limbs);
}

void mont_sqr(uint32_t *z, const uint32_t *x, const struct modulus *m)
{
    uint32_t t[2 * MAX_LIMBS];
    if (!m->squares) {
        mont_mul(z, x, x, m);
        return;
    }
    if (m->levels == 0)
        square(t, x, m->limbs);
    else
        karatsuba_square(t, x, m->limbs, m->levels);
    reduce(z, t, m->n, m->n0inv, m->limbs);
}
