/* LibTomMath: mp_exptmod, variable time, which prepares n in every call. */
#include "peer.h"

#include <tommath.h>

static mp_int n, e, x[COUNT], z[COUNT];
static uint32_t words;

static void take(mp_int *to, const uint32_t *from)
{
    unsigned char bytes[4 * MAX_WORDS];

    to_bytes(bytes, from, words);
    if (mp_init(to) != MP_OKAY || mp_from_ubin(to, bytes, 4 * words) != MP_OKAY)
        mp_zero(to);
}

int take_key(const struct numbers *key, int constant)
{
    words = key->words;
    take(&n, key->n);
    take(&e, key->e);
    return !constant;
}

void take_base(int i, const uint32_t *from)
{
    take(&x[i], from);
    take(&z[i], from);
}

int power(int i)
{
    return mp_exptmod(&x[i], &e, &n, &z[i]) == MP_OKAY;
}

void give_result(int i, uint32_t *to)
{
    unsigned char bytes[4 * MAX_WORDS] = {0};
    size_t length = mp_ubin_size(&z[i]), written;

    if (mp_to_ubin(&z[i], bytes + 4 * words - length, length, &written) != MP_OKAY)
        bytes[0] = 0;
    to_words(to, bytes, words);
}
