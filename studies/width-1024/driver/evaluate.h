/* What a line says, computed. */
#ifndef EVALUATE_H
#define EVALUATE_H

#include "line.h"

/* Computes what the line says, in one plain call.  Returns the limbs of z, which has MOST_LIMBS. */
uint32_t evaluate(const struct line *l, uint32_t *z);

/* Whether the line is one of add, subtract and subtract_masked. */
bool is_sum(const struct line *l);

/* z[0..k] := what such a line says, in the shape of a product: a carry is 1 in z[k], a borrow -1. */
void sum(uint32_t *z, const uint32_t *x, const uint32_t *y, const struct line *l);

#endif
