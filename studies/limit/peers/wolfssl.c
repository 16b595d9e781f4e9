/* wolfSSL: sp_exptmod_nct, and sp_exptmod in constant time.  From 1024 bits on, both take
 * sp_arm32.c's assembly, where it has the size.  n is prepared in every call. */
#include "peer.h"

#include <wolfssl/wolfcrypt/settings.h>

#include <wolfssl/wolfcrypt/sp_int.h>

static sp_int n, e, x[COUNT], z[COUNT];
static int timing_resistant;
static uint32_t words;

static void take(sp_int *to, const uint32_t *from)
{
    unsigned char bytes[4 * MAX_WORDS];

    to_bytes(bytes, from, words);
    sp_init(to);
    sp_read_unsigned_bin(to, bytes, 4 * words);
}

int take_key(const struct numbers *key, int constant)
{
    timing_resistant = constant;
    words = key->words;
    take(&n, key->n);
    take(&e, key->e);
    return 1;
}

void take_base(int i, const uint32_t *from)
{
    take(&x[i], from);
    sp_init(&z[i]);
}

int power(int i)
{
    return (timing_resistant ? sp_exptmod(&x[i], &e, &n, &z[i])
                             : sp_exptmod_nct(&x[i], &e, &n, &z[i])) == MP_OKAY;
}

void give_result(int i, uint32_t *to)
{
    unsigned char bytes[4 * MAX_WORDS];

    sp_to_unsigned_bin_len(&z[i], bytes, (int)(4 * words));
    to_words(to, bytes, words);
}
