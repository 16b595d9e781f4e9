/* One RSA operation of OpenSSL, to be counted: speed sign|verify BITS INTEGER_ONLY
 *
 * The keys and the calls are those of `openssl speed rsa`: a signature of 36 bytes.  An operation
 * before the counted one makes what later ones find made.  OpenSSL blinds the key's operations with
 * random numbers; here they are the same in every run, and so is the count.  With INTEGER_ONLY 1, OpenSSL takes the
 * core for one without NEON. */
#include <openssl/evp.h>
#include <openssl/rand.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "testrsa.h"

#define SNAPSHOT __attribute__((section("snapshot_text"), noinline))
#define HARNESS __attribute__((section("harness_text")))
#define KEY(bits) {bits, test##bits, sizeof test##bits}

extern unsigned int OPENSSL_armcap_P;

static const struct {
    int bits;
    const unsigned char *data;
    long size;
} keys[] = {KEY(512), KEY(1024), KEY(2048), KEY(3072), KEY(4096), KEY(7680), KEY(15360)};

static unsigned char message[36], signature[15360 / 8];
static size_t length = sizeof signature;

SNAPSHOT static int sign(EVP_PKEY_CTX *context)
{
    length = sizeof signature;
    return EVP_PKEY_sign(context, signature, &length, message, sizeof message) == 1;
}

SNAPSHOT static int verify(EVP_PKEY_CTX *context)
{
    return EVP_PKEY_verify(context, signature, length, message, sizeof message) == 1;
}

/* From a linear congruential generator. */
static int bytes_of(unsigned char *to, int count)
{
    static uint32_t state = 1;

    for (int i = 0; i < count; i++)
        to[i] = (unsigned char)((state = state * 1664525u + 1013904223u) >> 24);
    return 1;
}

static const RAND_METHOD generator = {.bytes = bytes_of, .pseudorand = bytes_of};

HARNESS static EVP_PKEY *key_of(int bits)
{
    for (size_t i = 0; i < sizeof keys / sizeof keys[0]; i++)
        if (keys[i].bits == bits) {
            const unsigned char *data = keys[i].data;
            return d2i_PrivateKey(EVP_PKEY_RSA, NULL, &data, keys[i].size);
        }
    return NULL;
}

HARNESS int main(int argc, char **argv)
{
    EVP_PKEY *key = argc == 4 ? key_of(atoi(argv[2])) : NULL;
    EVP_PKEY_CTX *signer, *verifier;

    if (key == NULL)
        return 2;
#ifdef INTEGER_PATH
    if (argv[3][0] == '1')
        OPENSSL_armcap_P = 0;
#endif
    RAND_set_rand_method(&generator);
    memset(message, 0xa5, sizeof message);
    signer = EVP_PKEY_CTX_new(key, NULL);
    verifier = EVP_PKEY_CTX_new(key, NULL);
    if (EVP_PKEY_sign_init(signer) != 1 || EVP_PKEY_verify_init(verifier) != 1 || !sign(signer) ||
        !verify(verifier))
        return 1;
    return argv[1][0] == 's' ? !sign(signer) : !verify(verifier);
}
