/* A number below 2^WIDTH is held in an array of 32-bit limbs, the lowest first, as the contract
 * passes it.  All operations are in mont.S.  Branches depend on the exponent's value. */
#ifndef NAT_H
#define NAT_H

#include "../../../harness/snapshot.h"

typedef uint32_t nat[LIMBS];

#endif
