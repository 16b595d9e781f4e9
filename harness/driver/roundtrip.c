/* The workload: a message there and back, each way by one call of mod_exp, timed. */
#define _POSIX_C_SOURCE 200809L
#include "commands.h"
#include <time.h>

static long long real_ns(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (long long)now.tv_sec * 1000000000 + now.tv_nsec;
}

static long long clock_us(void)
{
    return (long long)clock() * 1000000 / CLOCKS_PER_SEC;
}

/* z := x^e mod n, and how long that took.  The finer clock is the inner one. */
static struct sample timed_exp(uint32_t z[LIMBS], const struct number *x, const struct number *e,
                               const struct modulus *m)
{
    struct sample s;
    long long clock_start = clock_us();
    long long real_start = real_ns();
    mod_exp(z, x->limb, e->limb, m);
    s.real_ns = real_ns() - real_start;
    s.clock_us = clock_us() - clock_start;
    return s;
}

struct round_trip make_round_trip(const struct key *key, const struct message *message)
{
    struct number cipher;
    struct number plain;
    struct round_trip t;
    t.encrypt = timed_exp(cipher.limb, &message->plain, &key->e, &key->m);
    expect(message->file, message->line, "ciphertext", message->cipher.limb, cipher.limb);
    t.decrypt = timed_exp(plain.limb, &cipher, &key->d, &key->m);
    expect(message->file, message->line, "decrypted message", message->plain.limb, plain.limb);
    return t;
}
