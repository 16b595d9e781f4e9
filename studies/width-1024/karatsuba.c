/* Karatsuba's method (Knuth 1997, section 4.3.3), subtractive: with x = x1 B + x0 and y = y1 B + y0,
 *
 *     x y = x1 y1 B^2 + (x1 y1 + x0 y0 - (x1 - x0) (y1 - y0)) B + x0 y0,    B = 2^(32 h), h = k / 2. */
#include "nat.h"

/* t := t + (t1 + t0 - d) B for t = t1 B^2 + t0.  dx and dy are x1 - x0 and y1 - y0 modulo B, bx and by
 * their borrows, and d[0..2h) = dx dy, so that d = dx dy - (bx dy + by dx) B + bx by B^2. */
static void combine(uint32_t *t, uint32_t *d, const uint32_t *dx, const uint32_t *dy, uint32_t bx,
                    uint32_t by, uint32_t h)
{
    uint32_t middle[MAX_LIMBS];
    uint32_t top = bx & by;
    top -= subtract_masked(d + h, d + h, dy, h, 0 - bx);
    top -= subtract_masked(d + h, d + h, dx, h, 0 - by);
    /* middle = x1 y0 + x0 y1 < 2 B^2, with its last bit in c. */
    uint32_t c = add(middle, t, t + 2 * h, 2 * h);
    c -= subtract(middle, middle, d, 2 * h);
    c -= top;
    c += add(t + h, t + h, middle, 2 * h);
    for (uint32_t i = 3 * h; i < 4 * h; i++) {
        uint32_t sum = t[i] + c;
        c = sum < c;
        t[i] = sum;
    }
}

void karatsuba_multiply(uint32_t *t, const uint32_t *x, const uint32_t *y, uint32_t k,
                        uint32_t levels)
{
    if (levels == 0) {
        multiply(t, x, y, k);
        return;
    }
    uint32_t h = k / 2;
    uint32_t dx[MAX_LIMBS / 2], dy[MAX_LIMBS / 2], d[MAX_LIMBS];
    uint32_t bx = subtract(dx, x + h, x, h);
    uint32_t by = subtract(dy, y + h, y, h);
    karatsuba_multiply(t, x, y, h, levels - 1);
    karatsuba_multiply(t + k, x + h, y + h, h, levels - 1);
    karatsuba_multiply(d, dx, dy, h, levels - 1);
    combine(t, d, dx, dy, bx, by, h);
}

void karatsuba_square(uint32_t *t, const uint32_t *x, uint32_t k, uint32_t levels)
{
    if (levels == 0) {
        square(t, x, k);
        return;
    }
    uint32_t h = k / 2;
    uint32_t dx[MAX_LIMBS / 2], d[MAX_LIMBS];
    uint32_t bx = subtract(dx, x + h, x, h);
    karatsuba_square(t, x, h, levels - 1);
    karatsuba_square(t + k, x + h, h, levels - 1);
    karatsuba_square(d, dx, h, levels - 1);
    combine(t, d, dx, dx, bx, bx, h);
}
