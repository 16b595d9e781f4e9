/* x y R^-1 mod n, a limb a round, product scanning: in C, or (MAC) with the sums of a column in the
 * unit's accumulator.  Column i of x y + q n is the sum of x[j] y[i - j] + q[j] n[i - j]. */
#include "snapshot.h"
#include "unit.h"

struct sum {
    uint64_t low;
    uint32_t high;
};

static inline void multiply_add(struct sum *s, uint32_t a, uint32_t b)
{
#ifdef MAC
    uint32_t none;
    (void)s;
    UNIT(none, 3, 0, a, b);
#else
    uint64_t p = (uint64_t)a * b;
    s->low += p;
    s->high += s->low < p;
#endif
}

/* The lowest limb; `shift`: which is then gone. */
static inline uint32_t lowest(struct sum *s, int shift)
{
    uint32_t z;
#ifdef MAC
    (void)s;
    if (shift)
        UNIT(z, 3, 2, 0, 0);
    else
        UNIT(z, 3, 1, 0, 0);
#else
    z = (uint32_t)s->low;
    if (shift) {
        s->low = s->low >> 32 | (uint64_t)s->high << 32;
        s->high = 0;
    }
#endif
    return z;
}

void mont_mul(uint32_t z[LIMBS], const uint32_t x[LIMBS], const uint32_t y[LIMBS],
              const struct modulus *m)
{
    uint32_t a[LIMBS], b[LIMBS], n[LIMBS], q[LIMBS], t[LIMBS], d[LIMBS];
    struct sum s = {0, 0};
    EACH_LIMB
    {
        a[i] = x[i];
        b[i] = y[i];
        n[i] = m->n[i];
    }
#ifdef MAC
    uint32_t none;
    UNIT(none, 3, 3, 0, 0);
#endif
    EACH_LIMB
    {
#pragma GCC unroll 8
        for (int j = 0; j <= i; j++)
            multiply_add(&s, a[j], b[i - j]);
#pragma GCC unroll 8
        for (int j = 0; j < i; j++)
            multiply_add(&s, q[j], n[i - j]);
        q[i] = lowest(&s, 0) * m->n0inv;
        multiply_add(&s, q[i], n[0]);
        lowest(&s, 1);
    }
    EACH_LIMB
    {
#pragma GCC unroll 8
        for (int j = i + 1; j < LIMBS; j++) {
            multiply_add(&s, a[j], b[LIMBS + i - j]);
            multiply_add(&s, q[j], n[LIMBS + i - j]);
        }
        t[i] = lowest(&s, 1);
    }
    int64_t less = 0;
    EACH_LIMB
    {
        less += (int64_t)t[i] - n[i];
        d[i] = (uint32_t)less;
        less >>= 32;
    }
    less += lowest(&s, 0);
    EACH_LIMB
    z[i] = less < 0 ? t[i] : d[i];
}
