/* What compiled code may call of a C library, a byte at a time. */
#include <stddef.h>

void *memcpy(void *to, const void *from, size_t n);
void *memset(void *to, int byte, size_t n);
int memcmp(const void *x, const void *y, size_t n);

void *memcpy(void *to, const void *from, size_t n)
{
    char *z = to;
    const char *x = from;
    for (size_t i = 0; i < n; i++)
        z[i] = x[i];
    return to;
}

void *memset(void *to, int byte, size_t n)
{
    char *z = to;
    for (size_t i = 0; i < n; i++)
        z[i] = (char)byte;
    return to;
}

int memcmp(const void *x, const void *y, size_t n)
{
    const unsigned char *a = x, *b = y;
    for (size_t i = 0; i < n; i++)
        if (a[i] != b[i])
            return a[i] < b[i] ? -1 : 1;
    return 0;
}
