/* BN_mod_exp_mont_consttime_x2 on the cases of stdin, the answers to stdout, both as little-endian 32-bit words.
 *
 *     case     words, flags, then m1, a1, d1, m2, a2, d2, each of `words` words
 *     answer   what the function returned, way, dirty, then z1 and z2
 *
 * flags: 1 with Montgomery contexts, as RSA calls it; 2 on a core without NEON; 4 z1 is a1, and z2 is a2.
 * way: what bn_mod_exp_lanes returned, 1 where both powers were its.  dirty: how many words that it left below the
 * stack pointer are neither 0 nor what was there before.  A fault of OpenSSL is exit status 1. */
#include <openssl/bn.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#define MOST_WORDS 128
#define DEPTH 8192   /* words of stack that are looked at */
#define OWN_FRAME 64 /* words at the top of it, the frame of bn_mod_exp_lanes itself */
#define FILL 0xa5a5a5a5u

enum { CONTEXTS = 1, NO_NEON = 2, ALIAS = 4 };

typedef int two_powers(BIGNUM *z1, const BIGNUM *a1, const BIGNUM *d1, const BIGNUM *m1,
                       const BN_MONT_CTX *mont1, BIGNUM *z2, const BIGNUM *a2, const BIGNUM *d2,
                       const BIGNUM *m2, const BN_MONT_CTX *mont2);
two_powers __real_bn_mod_exp_lanes, __wrap_bn_mod_exp_lanes; /* as ld --wrap calls them */

extern unsigned int OPENSSL_armcap_P;
static uint32_t way, dirty;

static __attribute__((noinline)) void fill_stack(void)
{
    volatile uint32_t below[DEPTH];

    for (unsigned i = 0; i < DEPTH; i++)
        below[i] = FILL;
}

/* Has the same frame as fill_stack. */
static __attribute__((noinline)) uint32_t dirty_words(void)
{
    volatile uint32_t below[DEPTH];
    uint32_t found = 0;

    for (unsigned i = 0; i < DEPTH - OWN_FRAME; i++) {
        uint32_t word = below[i];
        found += word != FILL && word != 0;
    }
    return found;
}

int __wrap_bn_mod_exp_lanes(BIGNUM *z1, const BIGNUM *a1, const BIGNUM *d1, const BIGNUM *m1,
                            const BN_MONT_CTX *mont1, BIGNUM *z2, const BIGNUM *a2,
                            const BIGNUM *d2, const BIGNUM *m2, const BN_MONT_CTX *mont2)
{
    fill_stack();
    int done = __real_bn_mod_exp_lanes(z1, a1, d1, m1, mont1, z2, a2, d2, m2, mont2);
    dirty = dirty_words();
    way = (uint32_t)done;
    return done;
}

static void must(int good)
{
    if (!good)
        exit(1);
}

static BIGNUM *read_number(uint32_t words)
{
    uint8_t bytes[4 * MOST_WORDS];
    BIGNUM *number = BN_new();

    must(fread(bytes, 4, words, stdin) == words);
    must(BN_lebin2bn(bytes, (int)(4 * words), number) != NULL);
    return number;
}

static void write_word(uint32_t word)
{
    must(fwrite(&word, 4, 1, stdout) == 1);
}

static void write_number(const BIGNUM *number, uint32_t words)
{
    uint8_t bytes[4 * MOST_WORDS];

    must(BN_bn2lebinpad(number, bytes, (int)(4 * words)) >= 0);
    must(fwrite(bytes, 4, words, stdout) == words);
}

struct half {
    BIGNUM *m, *a, *d, *z;
    BN_MONT_CTX *context;
};

static struct half read_half(uint32_t words, uint32_t flags, BN_CTX *ctx)
{
    struct half h = {0};

    h.m = read_number(words);
    h.a = read_number(words);
    h.d = read_number(words);
    h.z = flags & ALIAS ? h.a : BN_new();
    if (flags & CONTEXTS) {
        h.context = BN_MONT_CTX_new();
        must(BN_MONT_CTX_set(h.context, h.m, ctx));
    }
    return h;
}

static void forget_half(struct half h)
{
    BN_MONT_CTX_free(h.context);
    if (h.z != h.a)
        BN_free(h.z);
    BN_free(h.m);
    BN_free(h.a);
    BN_free(h.d);
}

int main(void)
{
    BN_CTX *ctx = BN_CTX_new();
    const unsigned int neon = OPENSSL_armcap_P;
    uint32_t head[2];

    while (fread(head, 4, 2, stdin) == 2) {
        const uint32_t words = head[0], flags = head[1];
        must(words <= MOST_WORDS);
        OPENSSL_armcap_P = flags & NO_NEON ? 0 : neon;
        struct half p = read_half(words, flags, ctx), q = read_half(words, flags, ctx);
        way = dirty = 0;
        int done = BN_mod_exp_mont_consttime_x2(p.z, p.a, p.d, p.m, p.context, q.z, q.a, q.d, q.m,
                                                q.context, ctx);
        write_word((uint32_t)done);
        write_word(way);
        write_word(dirty);
        write_number(p.z, words);
        write_number(q.z, words);
        forget_half(p);
        forget_half(q);
    }
    BN_CTX_free(ctx);
    return 0;
}
