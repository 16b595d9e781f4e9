/* A number below 2^64 that is multiplied is an array of limbs, as mont_mul takes it.  The exponent,
 * which is only read bit by bit, is held in one 64-bit word. */
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

#endif
