/* A number below 2^96 is three limbs, the lowest first, in registers or as the contract passes it.
 * Inside mod_exp it is any of its class modulo n that is below 2^96, not always the one below
 * n. */
#ifndef NAT_H
#define NAT_H

#include "../../../harness/snapshot.h"

_Static_assert(WIDTH == 96, "three limbs");

#endif
