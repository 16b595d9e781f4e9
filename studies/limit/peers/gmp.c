/* GMP: mpz_powm, and mpz_powm_sec, which reads its whole table.  Both prepare n in every call. */
#include "peer.h"

#include <gmp.h>

static mpz_t n, e, x[COUNT], z[COUNT];
static int sec;
static uint32_t words;

static void take(mpz_t to, const uint32_t *from)
{
    mpz_init(to);
    mpz_import(to, words, -1, 4, 0, 0, from);
}

int take_key(const struct numbers *key, int constant)
{
    sec = constant;
    words = key->words;
    take(n, key->n);
    take(e, key->e);
    return 1;
}

void take_base(int i, const uint32_t *from)
{
    take(x[i], from);
    mpz_init(z[i]);
}

int power(int i)
{
    if (sec)
        mpz_powm_sec(z[i], x[i], e, n);
    else
        mpz_powm(z[i], x[i], e, n);
    return 1;
}

void give_result(int i, uint32_t *to)
{
    for (uint32_t j = 0; j < words; j++)
        to[j] = 0;
    mpz_export(to, NULL, -1, 4, 0, 0, z[i]);
}
