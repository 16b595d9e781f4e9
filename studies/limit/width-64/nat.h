/* A number below 2^64 is two limbs, in a pair of registers or as the contract passes it.  In the
 * Montgomery domain it is any of its class modulo n that is below 2^64, not always the one below
 * n. */
#ifndef NAT_H
#define NAT_H

#include "../../../harness/snapshot.h"

_Static_assert(WIDTH == 64, "two limbs");

#endif
