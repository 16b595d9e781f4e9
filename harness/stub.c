/* mont_mul, and with -DMOD_EXP mod_exp too, for the profiled build of a snapshot that has them in
 * assembly, where nothing counts.  There the assembly's end in _assembly, and these, compiled with
 * -pg, count the calls. */
#include "snapshot.h"

void mont_mul_assembly(uint32_t z[LIMBS], const uint32_t x[LIMBS], const uint32_t y[LIMBS],
                       const struct modulus *m);

void mont_mul(uint32_t z[LIMBS], const uint32_t x[LIMBS], const uint32_t y[LIMBS],
              const struct modulus *m)
{
    mont_mul_assembly(z, x, y, m);
}

#ifdef MOD_EXP
void mod_exp_assembly(uint32_t z[LIMBS], const uint32_t x[LIMBS], const uint32_t e[LIMBS],
                      const struct modulus *m);

void mod_exp(uint32_t z[LIMBS], const uint32_t x[LIMBS], const uint32_t e[LIMBS],
             const struct modulus *m)
{
    mod_exp_assembly(z, x, e, m);
}
#endif
