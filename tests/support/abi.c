/* Prints how many registers mont_mul failed to preserve over all operand patterns tried. */
#include <stdio.h>

#include "snapshot.h"

uint32_t call_checked(uint32_t *z, const uint32_t *x, const uint32_t *y, const void *m,
                      void (*f)(uint32_t *, const uint32_t *, const uint32_t *,
                                const struct modulus *));

int main(void)
{
    static const struct modulus m = {
        {0xffffffff, 0xffffffff, 0xffffffff, 0xffffffff}, {1, 0, 0, 0}, 1};
    uint32_t x[LIMBS] = {0}, y[LIMBS] = {1}, z[LIMBS], faults = 0;

    for (int i = 0; i < 64; i++) {
        faults += call_checked(z, x, y, &m, mont_mul);
        for (int j = 0; j < LIMBS; j++) {
            x[j] = z[j] * 0x9e3779b9 + (uint32_t)i;
            y[j] = x[j] ^ 0xffffffff;
        }
        x[LIMBS - 1] >>= 1;
        y[LIMBS - 1] >>= 1;
    }
    printf("%u\n", (unsigned)faults);
    return 0;
}
