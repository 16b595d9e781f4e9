/* A number below 2^64 is held in one 64-bit word, which 32-bit ARM keeps in two registers or in two
 * words of memory.  Every bit is used, so a carry out of the top has no place here:
 * x + y mod 2^64 < y exactly when x + y >= 2^64.  Flags, bits and counters are as
 * wide as the numbers. */
#ifndef NAT_H
#define NAT_H

#include "../../../harness/snapshot.h"

_Static_assert(WIDTH == 64, "one word of 64 bits");

typedef uint64_t nat;

/* x, from limbs. */
static nat load(const uint32_t x[LIMBS])
{
    return (nat)x[1] << 32 | x[0];
}

/* z := x, to limbs. */
static void store(uint32_t z[LIMBS], nat x)
{
    z[0] = (uint32_t)x;
    z[1] = (uint32_t)(x >> 32);
}

#endif
