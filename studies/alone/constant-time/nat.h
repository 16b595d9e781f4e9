/* A number below 2^128 is held in an array of four 32-bit limbs, the lowest first, as the contract
 * passes it.  Multiplication is in mont.S.  No branch and no address depends on a number's value. */
#ifndef NAT_H
#define NAT_H

#include "../../../harness/snapshot.h"

_Static_assert(WIDTH == 128, "four limbs");

typedef uint32_t nat[LIMBS];

/* z := x where mask is 2^32 - 1; z stays where it is 0. */
static inline void select(nat z, const nat x, uint32_t mask)
{
    for (int j = 0; j < LIMBS; j++)
        z[j] ^= (z[j] ^ x[j]) & mask;
}

#endif
