/* One RSA operation on OpenSSL's own big numbers, to be counted: no library but crypto/bn is
 * needed.  driver verify|sign BITS TIMES  verify is x^65537 mod n.  sign is two exponentiations of
 * half the width with exponents of full length, as the CRT has them, and the check with e that
 * OpenSSL makes; blinding and the CRT's own few products are left out.  Moduli are odd and not
 * products of primes: the arithmetic does not look.  What the program calls beyond crypto/bn stands
 * below or is never reached. */
#include <openssl/bn.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define SNAPSHOT __attribute__((section("snapshot_text"), noinline))
#define HARNESS __attribute__((section("harness_text")))

unsigned int OPENSSL_armcap_P = 0; /* an ARM1176 has no NEON */

void *CRYPTO_malloc(size_t size, const char *file, int line)
{
    return malloc(size);
}
void *CRYPTO_zalloc(size_t size, const char *file, int line)
{
    return calloc(1, size);
}
void CRYPTO_free(void *p, const char *file, int line)
{
    free(p);
}
void CRYPTO_clear_free(void *p, size_t size, const char *file, int line)
{
    free(p);
}
void *CRYPTO_secure_zalloc(size_t size, const char *file, int line)
{
    return calloc(1, size);
}
void CRYPTO_secure_clear_free(void *p, size_t size, const char *file, int line)
{
    free(p);
}
void OPENSSL_cleanse(void *p, size_t size)
{
    memset(p, 0, size);
}
void ERR_new(void)
{
}
void ERR_set_debug(const char *file, int line, const char *function)
{
}
void ERR_set_error(int library, int reason, const char *format, ...)
{
    exit(1);
}

struct power {
    BIGNUM *z, *x, *e, *n;
    BN_MONT_CTX *mont;
};

static BN_CTX *context;

/* A number of this many bits from a linear congruential generator; odd. */
static BIGNUM *number(int bits)
{
    static uint32_t state = 1;
    unsigned char bytes[2048];

    for (int i = 0; i < bits / 8; i++)
        bytes[i] = (unsigned char)((state = state * 1664525u + 1013904223u) >> 24);
    bytes[0] |= 0x80;
    bytes[bits / 8 - 1] |= 1;
    return BN_bin2bn(bytes, bits / 8, NULL);
}

/* x < n, and the exponent below n; e 0 asks for one of full length, kept secret. */
static struct power prepared(int bits, BN_ULONG e)
{
    struct power p = {BN_new(), number(bits), number(bits), number(bits), BN_MONT_CTX_new()};

    BN_clear_bit(p.x, bits - 1);
    BN_clear_bit(p.e, bits - 1);
    BN_set_bit(p.e, bits - 2);
    if (e)
        BN_set_word(p.e, e);
    else
        BN_set_flags(p.e, BN_FLG_CONSTTIME);
    BN_MONT_CTX_set(p.mont, p.n, context);
    return p;
}

SNAPSHOT static int power(struct power *p)
{
    return BN_mod_exp_mont(p->z, p->x, p->e, p->n, context, p->mont);
}

HARNESS int main(int argc, char **argv)
{
    int bits = atoi(argv[2]), good = argc == 4;
    struct power whole, p, q;

    context = BN_CTX_new();
    whole = prepared(bits, 65537);
    p = prepared(bits / 2, 0);
    q = prepared(bits / 2, 0);
    for (int i = atoi(argv[3]); i > 0; i--) {
        if (argv[1][0] == 's')
            good &= power(&p) & power(&q);
        good &= power(&whole);
    }
    return !good;
}
