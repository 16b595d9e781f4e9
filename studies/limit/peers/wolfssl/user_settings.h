/* wolfSSL's numbers and nothing else, with its assembly for A32. */
#define WOLFCRYPT_ONLY
#define SINGLE_THREADED
#define NO_FILESYSTEM
#define NO_SIG_WRAPPER
#define WC_NO_RNG
#define SP_WORD_SIZE 32
#define SP_INT_BITS 4096
#define WOLFSSL_ARM_ARCH 7
#define WOLFSSL_SP_MATH_ALL
#define WOLFSSL_SP_ARM32
#define WOLFSSL_SP_ARM32_ASM
#define WOLFSSL_HAVE_SP_RSA
#define WOLFSSL_HAVE_SP_DH
#define WOLFSSL_SP_4096
#define TFM_TIMING_RESISTANT
