/* x y R^-1 mod n, a bit a round: in C, or (CARRY) with the long additions and the shift by the unit of
 * carries.  t < y + n, so that one more word holds what is above t. */
#include "snapshot.h"
#include "unit.h"

/* t += y. */
static inline void add(uint32_t t[LIMBS + 1], const uint32_t y[LIMBS])
{
#ifdef CARRY
    UNIT(t[0], 2, 0, t[0], y[0]);
#pragma GCC unroll 8
    for (int i = 1; i < LIMBS; i++)
        UNIT(t[i], 2, 1, t[i], y[i]);
    UNIT(t[LIMBS], 2, 1, t[LIMBS], 0);
#else
    uint64_t s = 0;
    EACH_LIMB
    {
        s = (s >> 32) + t[i] + y[i];
        t[i] = (uint32_t)s;
    }
    t[LIMBS] += (uint32_t)(s >> 32);
#endif
}

/* t := t / 2. */
static inline void halve(uint32_t t[LIMBS + 1])
{
#ifdef CARRY
    uint32_t even;
    UNIT(even, 2, 0, 0, 0); /* no carry */
    UNIT(t[LIMBS], 2, 2, t[LIMBS], even);
#pragma GCC unroll 8
    for (int i = LIMBS - 1; i >= 0; i--)
        UNIT(t[i], 2, 2, t[i], 0);
#else
    EACH_LIMB
    t[i] = t[i] >> 1 | t[i + 1] << 31;
    t[LIMBS] >>= 1;
#endif
}

/* z := t mod n.  Needs t < 2 n. */
static inline void reduce(uint32_t z[LIMBS], const uint32_t t[LIMBS + 1], const uint32_t n[LIMBS])
{
    uint32_t d[LIMBS];
    int64_t s = 0;
    EACH_LIMB
    {
        s += (int64_t)t[i] - n[i];
        d[i] = (uint32_t)s;
        s >>= 32;
    }
    s += t[LIMBS];
    EACH_LIMB
    z[i] = s < 0 ? t[i] : d[i];
}

void mont_mul(uint32_t z[LIMBS], const uint32_t x[LIMBS], const uint32_t y[LIMBS],
              const struct modulus *m)
{
    uint32_t t[LIMBS + 1] = {0}, a[LIMBS], n[LIMBS];
    EACH_LIMB
    {
        a[i] = y[i];
        n[i] = m->n[i];
    }
    for (int k = 0; k < LIMBS; k++) {
        uint32_t limb = x[k];
        for (int bit = 0; bit < 32; bit++, limb >>= 1) {
            if (limb & 1)
                add(t, a);
            if (t[0] & 1)
                add(t, n);
            halve(t);
        }
    }
    reduce(z, t, n);
}
