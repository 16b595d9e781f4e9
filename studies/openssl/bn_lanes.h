/* Two powers at once, where the core may have NEON and its words are little-endian.
 *
 * z1 := a1^d1 mod m1 and z2 := a2^d2 mod m2, in constant time.  Returns 1, 0 where there is no memory, or
 * LANES_DO_NOT_FIT, and then nothing is changed. */
#include "arm_arch.h"
#include <openssl/bn.h>

#if __ARM_MAX_ARCH__ >= 7 && defined(__ARMEL__)
#define LANES_DO_NOT_FIT (-1)

int bn_mod_exp_lanes(BIGNUM *z1, const BIGNUM *a1, const BIGNUM *d1, const BIGNUM *m1,
                     const BN_MONT_CTX *mont1, BIGNUM *z2, const BIGNUM *a2, const BIGNUM *d2,
                     const BIGNUM *m2, const BN_MONT_CTX *mont2);
#endif
