/* The contract between a snapshot and everything that builds, checks or measures it.
 *
 * Numbers are little-endian arrays of 32-bit limbs: x[0] is the lowest.  A snapshot exports the two
 * functions below and nothing else, keeps no mutable global state, and calls nothing from outside
 * but the compiler's own run-time.  R = 2^WIDTH throughout. */
#ifndef SNAPSHOT_H
#define SNAPSHOT_H

#include <stdint.h>

#ifndef WIDTH
#define WIDTH 128 /* bits; a multiple of 32 */
#endif
#define LIMBS (WIDTH / 32)

struct modulus {
    uint32_t n[LIMBS];  /* odd, 3 <= n < 2^WIDTH: the full width, not two bits less */
    uint32_t rr[LIMBS]; /* R^2 mod n, with R = 2^WIDTH in every snapshot */
    uint32_t n0inv;     /* -n^-1 mod 2^32 */
};

/* z := x y R^-1 mod n.   Needs x < n and y < n.   z may be x or y. */
void mont_mul(uint32_t z[LIMBS], const uint32_t x[LIMBS], const uint32_t y[LIMBS],
              const struct modulus *m);

/* z := x^e mod n.   Needs x < n; e is any number below 2^WIDTH, 0 included.   z may be x. */
void mod_exp(uint32_t z[LIMBS], const uint32_t x[LIMBS], const uint32_t e[LIMBS],
             const struct modulus *m);

#endif
