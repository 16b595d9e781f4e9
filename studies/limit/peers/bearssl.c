/* BearSSL: words of 31 bits, constant time only.  R^2 mod n is made in every call. */
#include "peer.h"

#include <stddef.h>
#include <string.h>

#define ROOM (MAX_WORDS + MAX_WORDS / 16 + 2)

/* From its inner.h, which Debian does not install. */
uint32_t br_i31_ninv31(uint32_t x);
void br_i31_decode(uint32_t *x, const void *src, size_t len);
void br_i31_encode(void *dst, size_t len, const uint32_t *x);
uint32_t br_i31_decode_mod(uint32_t *x, const void *src, size_t len, const uint32_t *m);
uint32_t br_i31_modpow_opt(uint32_t *x, const unsigned char *e, size_t elen, const uint32_t *m,
                           uint32_t m0i, uint32_t *tmp, size_t twlen);

static unsigned char modulus[4 * MAX_WORDS], e[4 * MAX_WORDS];
static uint32_t n[ROOM], n0inv, x[COUNT][ROOM], z[COUNT][ROOM], table[34 * ROOM], words;

int take_key(const struct numbers *key, int constant)
{
    words = key->words;
    to_bytes(modulus, key->n, words);
    to_bytes(e, key->e, words);
    br_i31_decode(n, modulus, 4 * words);
    return constant;
}

void take_base(int i, const uint32_t *from)
{
    unsigned char bytes[4 * MAX_WORDS];

    to_bytes(bytes, from, words);
    br_i31_decode_mod(x[i], bytes, 4 * words, n);
}

void prepare(void)
{
    br_i31_decode(n, modulus, 4 * words);
    n0inv = br_i31_ninv31(n[1]);
}

int power(int i)
{
    memcpy(z[i], x[i], sizeof z[i]);
    return (int)br_i31_modpow_opt(z[i], e, 4 * words, n, n0inv, table, sizeof table / 4);
}

void give_result(int i, uint32_t *to)
{
    unsigned char bytes[4 * MAX_WORDS];

    br_i31_encode(bytes, 4 * words, z[i]);
    to_words(to, bytes, words);
}
