/* OpenSSL: BN_mod_exp_mont, and BN_mod_exp_mont_consttime, which gathers from its whole table. */
#include "peer.h"

#include <openssl/bn.h>

static BIGNUM *n, *e, *x[COUNT], *z[COUNT];
static BN_CTX *context;
static BN_MONT_CTX *mont;
static int consttime;
static uint32_t words;

#ifdef WITHOUT_NEON
extern unsigned int OPENSSL_armcap_P;
#endif

static BIGNUM *take(const uint32_t *from)
{
    return BN_lebin2bn((const unsigned char *)from, (int)(4 * words), NULL);
}

int take_key(const struct numbers *key, int constant)
{
#ifdef WITHOUT_NEON
    OPENSSL_armcap_P = 0;
#endif
    consttime = constant;
    words = key->words;
    n = take(key->n);
    e = take(key->e);
    context = BN_CTX_new();
    return 1;
}

void take_base(int i, const uint32_t *from)
{
    x[i] = take(from);
    z[i] = BN_new();
}

void prepare(void)
{
    mont = BN_MONT_CTX_new();
    BN_MONT_CTX_set(mont, n, context);
}

void forget(void)
{
    BN_MONT_CTX_free(mont);
}

int power(int i)
{
    return consttime ? BN_mod_exp_mont_consttime(z[i], x[i], e, n, context, mont)
                     : BN_mod_exp_mont(z[i], x[i], e, n, context, mont);
}

void give_result(int i, uint32_t *to)
{
    BN_bn2lebinpad(z[i], (unsigned char *)to, (int)(4 * words));
}
