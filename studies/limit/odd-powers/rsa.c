#include "nat.h"

/* Nothing is left here: mont_mul and mod_exp are both in mont.S. */
