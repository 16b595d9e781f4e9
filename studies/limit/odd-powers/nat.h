/* A number below 2^128 is four limbs of 32 bits, the lowest first, as the contract passes it.  Inside
 * mont.S it is five limbs of 28 bits, below 2^133 and not always below n, and each register has a
 * limb of two numbers. */
#ifndef NAT_H
#define NAT_H

#include "../../../harness/snapshot.h"

_Static_assert(WIDTH == 128, "four limbs");

#endif
