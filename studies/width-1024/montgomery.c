/* Montgomery's product and square: the whole product first, then its reduction (separated operand
 * scanning: Koc, Acar and Kaliski 1996, section 4). */
#include "nat.h"

void mont_mul(uint32_t *z, const uint32_t *x, const uint32_t *y, const struct modulus *m)
{
    uint32_t t[2 * MAX_LIMBS];
    multiply(t, x, y, m->limbs);
    reduce(z, t, m->n, m->n0inv, m->limbs);
}

void mont_sqr(uint32_t *z, const uint32_t *x, const struct modulus *m)
{
    uint32_t t[2 * MAX_LIMBS];
    square(t, x, m->limbs);
    reduce(z, t, m->n, m->n0inv, m->limbs);
}
