/* A number below 2^96 is an array of limbs, as mont_mul takes it, in a struct that can be assigned.
 * The exponent is only read, as 24 digits of four bits.  A branch depends on its length, and the
 * address of a power on a digit. */
#ifndef NAT_H
#define NAT_H

#include "../../../harness/snapshot.h"

_Static_assert(WIDTH == 96, "three limbs");

#define DIGITS (WIDTH / 4)

typedef struct {
    uint32_t w[LIMBS];
} nat;

/* Digit i of x to the base 16. */
static uint32_t digit(const uint32_t x[LIMBS], int i)
{
    return x[i / 8] >> 4 * (i % 8) & 15;
}

#endif
