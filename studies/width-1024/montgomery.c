/* Montgomery's product and square: the whole product first, then its reduction (separated operand
 * scanning: Koc, Acar and Kaliski 1996, section 4). */
#include "nat.h"

static void product(uint32_t *t, const uint32_t *x, const uint32_t *y, const struct modulus *m)
{
    if (m->levels == 0)
        multiply(t, x, y, m->limbs);
    else
        karatsuba_multiply(t, x, y, m->limbs, m->levels);
}

static void squaring(uint32_t *t, const uint32_t *x, const struct modulus *m)
{
    if (!m->squares)
        product(t, x, x, m);
    else if (m->levels == 0)
        square(t, x, m->limbs);
    else
        karatsuba_square(t, x, m->limbs, m->levels);
}

void mont_mul(uint32_t *z, const uint32_t *x, const uint32_t *y, const struct modulus *m)
{
    uint32_t t[2 * MAX_LIMBS];
    product(t, x, y, m);
    reduce(z, t, m->n, m->n0inv, m->limbs);
}

void mont_sqr(uint32_t *z, const uint32_t *x, const struct modulus *m)
{
    uint32_t t[2 * MAX_LIMBS];
    squaring(t, x, m);
    reduce(z, t, m->n, m->n0inv, m->limbs);
}

void lazy_mul(uint32_t *z, const uint32_t *x, const uint32_t *y, const struct modulus *m)
{
    uint32_t t[2 * MAX_LIMBS];
    product(t, x, y, m);
    reduce_lazily(z, t, m->n, m->n0inv, m->limbs);
}

void lazy_sqr(uint32_t *z, const uint32_t *x, uint32_t times, const struct modulus *m)
{
    uint32_t t[2 * MAX_LIMBS];
    for (; times > 0; times--, x = z) {
        squaring(t, x, m);
        reduce_lazily(z, t, m->n, m->n0inv, m->limbs);
    }
}
