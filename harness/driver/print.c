/* Results as text. */
#include "driver.h"
#include <stdio.h>

void put_digits(char *text, const uint32_t z[LIMBS])
{
    for (size_t i = 0; i < DIGITS; i++)
        text[DIGITS - 1 - i] = "0123456789abcdef"[z[i / 8] >> i % 8 * 4 & 15];
}

void print_result(const uint32_t z[LIMBS], const char *more)
{
    char text[DIGITS + 1] = "";
    put_digits(text, z);
    fputs(text, stdout);
    fputs(more, stdout);
}
