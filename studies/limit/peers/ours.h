/* What our programs need of n, made as a library would.  Include the contract before: it says what
 * `struct modulus` and mont_mul are. */
#ifndef OURS_H
#define OURS_H

#include <stdint.h>

/* m->n0inv and m->rr for a modulus of k limbs whose highest bit is 1.   In the Montgomery domain,
 * rr is R: a 1 is doubled until what is left are squares. */
static inline void make_constants(struct modulus *m, uint32_t k)
{
    uint32_t inverse = m->n[0], doublings = 32 * k, squares = 0;
    uint64_t t = 1;

    for (int i = 0; i < 4; i++) /* 3, 6, 12, 24, 48 bits of it are right */
        inverse *= 2 - m->n[0] * inverse;
    m->n0inv = 0 - inverse;
    for (uint32_t i = 0; i < k; i++) { /* R - n */
        t += (uint32_t)~m->n[i];
        m->rr[i] = (uint32_t)t;
        t >>= 32;
    }
    for (; doublings % 2 == 0; doublings /= 2)
        squares++;
    while (doublings-- > 0) {
        uint32_t twice[sizeof m->rr / 4], top = m->rr[k - 1] >> 31, mask;
        int64_t rest = 0;
        for (uint32_t i = k; i-- > 0;)
            twice[i] = m->rr[i] << 1 | (i ? m->rr[i - 1] >> 31 : 0);
        for (uint32_t i = 0; i < k; i++) {
            rest += (int64_t)twice[i] - m->n[i];
            m->rr[i] = (uint32_t)rest;
            rest >>= 32;
        }
        mask = (uint32_t)rest + top; /* all ones: twice was below n */
        for (uint32_t i = 0; i < k; i++)
            m->rr[i] ^= (m->rr[i] ^ twice[i]) & mask;
    }
    while (squares-- > 0)
        mont_mul(m->rr, m->rr, m->rr, m);
}

#endif
