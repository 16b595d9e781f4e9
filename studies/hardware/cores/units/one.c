/* MMM_1 of 32 bits, x R^-1 mod n, as Bishop and Austin have it; y is not looked at.
 *
 *     ROUND 1   a round by the unit that keeps the 33rd bit   ROUND 2   all 32 by one instruction
 *     ROUND 3   a round in C that keeps it                    ROUND 4   no rounds: one 32-bit digit */
#include "snapshot.h"
#include "unit.h"

void mont_mul(uint32_t z[LIMBS], const uint32_t x[LIMBS], const uint32_t y[LIMBS],
              const struct modulus *m)
{
    uint32_t t = x[0], n = m->n[0];
    (void)y;
#if ROUND == 2
    UNIT(t, 1, 1, t, n);
#elif ROUND == 4
    uint64_t s = (uint64_t)(t * m->n0inv) * n + t;
    t = (uint32_t)(s >> 32);
#else
#pragma GCC unroll 1
    for (int i = 0; i < 32; i++) {
#if ROUND == 3
        uint64_t s = (uint64_t)t + (t & 1 ? n : 0);
        t = (uint32_t)(s >> 1);
#else
        UNIT(t, 1, 0, t, n);
#endif
    }
#endif
    z[0] = t;
}
