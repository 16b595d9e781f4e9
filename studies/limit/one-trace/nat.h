/* A number below 2^128 is four limbs, the lowest first, in registers or as the contract passes it.
 * Inside mod_exp it is any of its class modulo n that is below 2^128, not always the one below
 * n. */
#ifndef NAT_H
#define NAT_H

#include "../../../harness/snapshot.h"

_Static_assert(WIDTH == 128, "four limbs");

#endif
