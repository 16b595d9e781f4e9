/* mont_mul for the profiled build of a snapshot that has it in assembly, where nothing counts.
 * There the assembly's is called mont_mul_assembly, and this one, compiled with -pg, counts the
 * calls. */
#include "snapshot.h"

void mont_mul_assembly(uint32_t z[LIMBS], const uint32_t x[LIMBS], const uint32_t y[LIMBS],
                       const struct modulus *m);

void mont_mul(uint32_t z[LIMBS], const uint32_t x[LIMBS], const uint32_t y[LIMBS],
              const struct modulus *m) {
    mont_mul_assembly(z, x, y, m);
}
