/* Mbed TLS: its only power reads its whole table; R^2 mod n is kept between calls. */
#include "peer.h"

#include <mbedtls/bignum.h>

static mbedtls_mpi n, e, rr, x[COUNT], z[COUNT];
static uint32_t words;

static void take(mbedtls_mpi *to, const uint32_t *from)
{
    unsigned char bytes[4 * MAX_WORDS];

    mbedtls_mpi_init(to);
    to_bytes(bytes, from, words);
    mbedtls_mpi_read_binary(to, bytes, 4 * words);
}

int take_key(const struct numbers *key, int constant)
{
    words = key->words;
    take(&n, key->n);
    take(&e, key->e);
    mbedtls_mpi_init(&rr);
    return constant;
}

void take_base(int i, const uint32_t *from)
{
    take(&x[i], from);
    mbedtls_mpi_init(&z[i]);
}

/* The next power makes R^2 mod n. */
void forget(void)
{
    mbedtls_mpi_free(&rr);
}

int power(int i)
{
    return mbedtls_mpi_exp_mod(&z[i], &x[i], &e, &n, &rr) == 0;
}

void give_result(int i, uint32_t *to)
{
    unsigned char bytes[4 * MAX_WORDS];

    mbedtls_mpi_write_binary(&z[i], bytes, 4 * words);
    to_words(to, bytes, words);
}
