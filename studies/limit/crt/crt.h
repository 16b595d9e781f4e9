/* The private operation by the Chinese remainder theorem: a contract of its own, with the
 * conventions of harness/snapshot.h.  Numbers are little-endian arrays of 32-bit limbs; R = 2^64. */
#ifndef CRT_H
#define CRT_H

#include <stdint.h>

struct prime {
    uint32_t p[2];   /* odd, below R */
    uint32_t n0inv;  /* -p^-1 mod 2^32 */
    uint32_t rrr[2]; /* R^3 mod p */
    uint32_t d[2];   /* the exponent modulo p - 1 */
};

struct private_key {
    struct prime p, q; /* q < p */
    uint32_t qinv[2];  /* q^-1 R mod p */
};

/* z := c^d mod p q.   Needs c < p q.   z may be c.   The same instructions and the same addresses
 * for every key and every c. */
void private_crt(uint32_t z[4], const uint32_t c[4], const struct private_key *key);

#endif
