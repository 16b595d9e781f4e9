/* Powers by a library, to be counted: PROGRAM constant|variable once|each TIMES, with n, e and
 * the bases on stdin, a number of hexadecimal digits a line.
 *
 * All bases are raised TIMES times; what depends on n alone is done once, before anything is
 * counted, or before each power.  The results are printed, one a line.  Status 3: the library does
 * not promise constant time. */
#include "peer.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define SNAPSHOT __attribute__((section("snapshot_text"), noinline))
#define HARNESS __attribute__((section("harness_text"), noinline))

static struct numbers key;

__attribute__((weak)) void prepare(void)
{
}

__attribute__((weak)) void forget(void)
{
}

void to_bytes(unsigned char *bytes, const uint32_t *x, uint32_t words)
{
    for (uint32_t i = 0; i < 4 * words; i++)
        bytes[4 * words - 1 - i] = (unsigned char)(x[i / 4] >> 8 * (i % 4));
}

void to_words(uint32_t *x, const unsigned char *bytes, uint32_t words)
{
    memset(x, 0, 4 * words);
    for (uint32_t i = 0; i < 4 * words; i++)
        x[i / 4] |= (uint32_t)bytes[4 * words - 1 - i] << 8 * (i % 4);
}

HARNESS static _Noreturn void refuse(const char *line)
{
    fprintf(stderr, "no number, or one that is too long: %.40s\n", line);
    exit(2);
}

/* Returns the number of words of the next line, `most` at most, or 0 where there is none. */
HARNESS static uint32_t read_number(uint32_t *x, uint32_t most)
{
    static char line[8 * MAX_WORDS + 2];
    if (fgets(line, sizeof line, stdin) == NULL)
        return 0;
    size_t length = strspn(line, "0123456789abcdef");
    if (length == 0 || strcmp(line + length, "\n") != 0 || length > 8 * most)
        refuse(line);

    memset(x, 0, 4 * MAX_WORDS);
    for (size_t i = 0; i < length; i++) {
        char digit[2] = {line[length - 1 - i], 0};
        x[i / 8] |= (uint32_t)strtoul(digit, NULL, 16) << 4 * (i % 8);
    }
    return (uint32_t)((length + 7) / 8);
}

SNAPSHOT static int powers(int bases, int times, int each)
{
    int right = 1;

    while (times-- > 0)
        for (int i = 0; i < bases; i++) {
            if (each) {
                forget();
                prepare();
            }
            right &= power(i);
        }
    return right;
}

HARNESS int main(int argc, char **argv)
{
    static uint32_t x[MAX_WORDS];
    int bases = 0;

    if (argc != 4 || (key.words = read_number(key.n, MAX_WORDS)) == 0)
        return 2;
    if (read_number(key.e, key.words) == 0)
        return 2;
    if (!take_key(&key, argv[1][0] == 'c'))
        return 3;
    while (bases < COUNT && read_number(x, key.words))
        take_base(bases++, x);
    prepare();
    if (!powers(bases, atoi(argv[3]), argv[2][0] == 'e'))
        return 1;
    for (int i = 0; i < bases; i++) {
        give_result(i, x);
        for (uint32_t j = key.words; j-- > 0;)
            printf("%08x", x[j]);
        putchar('\n');
    }
    return 0;
}
