/* A target of libFuzzer: mont_mul and mod_exp of one snapshot against GMP.
 *
 * An input is three numbers n, x, y of WIDTH bits, a byte for each of their limbs that may make the
 * limb 0, all ones or n's limb, and a byte that says what to compute.  Limbs like these are where
 * carries are lost.  What fails is printed as a line of a vector file. */
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <gmp.h> /* after stdio.h, for gmp_fprintf */

#include "snapshot.h"

enum { N, X, Y, NUMBERS };
enum { CHAIN = 8, INPUTS_PER_POWER = 125 };

struct input {
    uint32_t number[NUMBERS][LIMBS];
    uint8_t kind[NUMBERS][LIMBS];
    uint8_t flags;
};

static unsigned long products, powers;
static mpz_t n, x, y, z, r, left, right;
static struct modulus m;

static void print_counts(void)
{
    fprintf(stderr, "%lu products, %lu powers\n", products, powers);
}

static void to_limbs(uint32_t limbs[LIMBS], const mpz_t number)
{
    memset(limbs, 0, 4 * LIMBS);
    mpz_export(limbs, NULL, -1, 4, 0, 0, number);
}

static void from_limbs(mpz_t number, const uint32_t limbs[LIMBS])
{
    mpz_import(number, LIMBS, -1, 4, 0, 0, limbs);
}

/* The numbers of an input with their limbs made special; short inputs end in zeros. */
static struct input unpack(const uint8_t *data, size_t size)
{
    struct input in = {0};

    memcpy(&in, data, size < sizeof in ? size : sizeof in);
    for (int i = 0; i < NUMBERS; i++)
        for (int j = 0; j < LIMBS; j++) {
            uint32_t special[] = {0, UINT32_MAX, in.number[N][j], in.number[N][j] - 1};
            if (in.kind[i][j] % 8 < 4)
                in.number[i][j] = special[in.kind[i][j] % 8];
        }
    return in;
}

/* m := the modulus of an input, made odd and at least 3. */
static void set_modulus(const struct input *in)
{
    uint32_t inverse = 1;

    from_limbs(n, in->number[N]);
    mpz_setbit(n, 0);
    if (mpz_cmp_ui(n, 1) == 0)
        mpz_set_ui(n, 3);
    to_limbs(m.n, n);
    mpz_mul(left, r, r);
    mpz_mod(left, left, n);
    to_limbs(m.rr, left);
    for (int i = 0; i < 5; i++) /* Newton: bits double from 1 to 32 */
        inverse *= 2 - m.n[0] * inverse;
    m.n0inv = -inverse;
}

/* y := that with x y R^-1 = y mod n, where there is one: results near n need operands made so. */
static void make_result(void)
{
    if (mpz_invert(left, x, n)) {
        mpz_mul(left, left, r);
        mpz_mul(y, y, left);
        mpz_mod(y, y, n);
    }
}

static void fail(const char *operation, const mpz_t second, const mpz_t expected)
{
    gmp_fprintf(stderr, "%s fuzz %Zx %Zx %Zx %Zx\nexpected the last, got %Zx\n", operation, n, x,
                second, expected, z);
    abort();
}

/* z := x y R^-1 mod n by the snapshot, checked without a division by R: z R = x y (mod n). */
static void multiply(int aliasing)
{
    uint32_t a[LIMBS], b[LIMBS], c[LIMBS];
    uint32_t *to[] = {c, a, b, c};

    if (aliasing == 3)
        mpz_set(x, y);
    to_limbs(a, x);
    to_limbs(b, y);
    mont_mul(to[aliasing], a, aliasing == 3 ? a : b, &m);
    from_limbs(z, to[aliasing]);
    mpz_mul(left, z, r);
    mpz_mul(right, x, y);
    if (mpz_cmp(z, n) >= 0 || !mpz_congruent_p(left, right, n)) {
        mpz_invert(left, r, n);
        mpz_mul(left, left, right);
        mpz_mod(left, left, n);
        fail("mont_mul", y, left);
    }
    products++;
}

/* z := x^e mod n, in place or not. */
static void raise(const uint32_t exponent[LIMBS], bool in_place)
{
    uint32_t a[LIMBS], e[LIMBS], c[LIMBS];

    memcpy(e, exponent, sizeof e);
    to_limbs(a, x);
    mod_exp(in_place ? a : c, a, e, &m);
    from_limbs(z, in_place ? a : c);
    from_limbs(left, e);
    mpz_powm(right, x, left, n);
    if (mpz_cmp(z, right) != 0)
        fail("mod_exp", left, right);
    powers++;
}

int LLVMFuzzerInitialize(int *argc, char ***argv);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerInitialize(int *argc, char ***argv)
{
    (void)argc, (void)argv;
    mpz_inits(n, x, y, z, r, left, right, NULL);
    mpz_setbit(r, WIDTH);
    return atexit(print_counts);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct input in = unpack(data, size);
    uint32_t hash = in.flags;

    set_modulus(&in);
    from_limbs(x, in.number[X]);
    from_limbs(y, in.number[Y]);
    mpz_mod(x, x, n);
    mpz_mod(y, y, n);
    for (size_t i = 0; i < size; i++)
        hash = (hash ^ data[i]) * 16777619;
    if (hash % INPUTS_PER_POWER == 0)
        raise(in.number[Y], in.flags & 1);
    if (in.flags & 2)
        make_result();
    for (int i = 0; i < CHAIN; i++) {
        multiply((in.flags / 4 + i) % 4);
        mpz_swap(x, y);
        mpz_swap(y, z);
    }
    return 0;
}
