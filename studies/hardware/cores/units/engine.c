/* x y R^-1 mod n by the engine, which is given all three numbers each time. */
#include "snapshot.h"
#include "unit.h"

void mont_mul(uint32_t z[LIMBS], const uint32_t x[LIMBS], const uint32_t y[LIMBS],
              const struct modulus *m)
{
    uint32_t none, limb;
    EACH_LIMB
    UNIT(none, 4, 0, x[i], y[i]);
    EACH_LIMB
    UNIT(none, 4, 1, m->n[i], 0);
    UNIT(none, 4, 2, WIDTH, 0);
    EACH_LIMB
    {
        UNIT(limb, 4, 3, 0, 0);
        z[i] = limb;
    }
    (void)none;
}
