/* bn_mul_mont on the cases of stdin, the answers to stdout, both as little-endian 32-bit words.
 *
 *     case     num, alias, n0, a[num], b[num] unless a is b, n[num]
 *     answer   what bn_mul_mont returned, r[num]
 *
 * alias: 0 none, 1 r is a, 2 r is b, 3 a is b, 4 all three.  Each operand ends where no memory is,
 * or, in every other case, begins there, so an access beside one ends the program.  A call finds no
 * zeros below the stack pointer.  Two of four calls come from Thumb code.  An operand that has
 * changed, or a callee-saved register, is exit status 1. */
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>

#define LARGEST 1024
#define PAGES (LARGEST * 4 / 4096)

enum { NONE, R_IS_A, R_IS_B, A_IS_B, ALL };

typedef int product(uint32_t *rp, const uint32_t *ap, const uint32_t *bp, const uint32_t *np,
                    const uint32_t *n0, int num);

product bn_mul_mont, called_from_thumb; /* thumb.S: called with all callee-saved registers filled */

/* Room for the largest operand between two pages without access. */
static uint8_t *room(void)
{
    uint8_t *p = mmap(NULL, (PAGES + 2) * 4096, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

    if (p == MAP_FAILED || mprotect(p + 4096, PAGES * 4096, PROT_READ | PROT_WRITE))
        return NULL;
    return p + 4096;
}

/* No word below the caller's frame, as deep as bn_mul_mont may need it, stays 0. */
static __attribute__((noinline)) void fill_stack(void)
{
    volatile uint32_t below[6 * LARGEST];

    for (unsigned i = 0; i < 6 * LARGEST; i++)
        below[i] = 0xa5a5a5a5;
}

static int read_words(uint32_t *to, uint32_t count)
{
    return fread(to, 4, count, stdin) == count;
}

int main(void)
{
    static uint32_t before[3][LARGEST];
    uint8_t *rooms[4] = {room(), room(), room(), room()};
    uint32_t head[3], *at[4];

    for (unsigned cases = 0; read_words(head, 3); cases++) {
        uint32_t num = head[0], alias = head[1], size = 4 * num;
        product *call = cases / 2 % 2 ? called_from_thumb : bn_mul_mont;
        int answer;

        if (num > LARGEST)
            return 2;
        for (unsigned i = 0; i < 4; i++)
            at[i] = (uint32_t *)(rooms[i] + ((cases + i) % 2 ? 0 : PAGES * 4096 - size));
        uint32_t *a = at[1], *b = alias >= A_IS_B ? a : at[2], *n = at[3];
        uint32_t *r = alias == R_IS_A || alias == ALL ? a : alias == R_IS_B ? b : at[0];

        if (!read_words(a, num) || (a != b && !read_words(b, num)) || !read_words(n, num))
            return 2;
        memcpy(before[0], a, size);
        memcpy(before[1], b, size);
        memcpy(before[2], n, size);
        fill_stack();
        answer = call(r, a, b, n, &head[2], (int)num);
        if ((r != a && memcmp(before[0], a, size)) || (r != b && memcmp(before[1], b, size)) ||
            memcmp(before[2], n, size) || answer > 1)
            return 1;
        fwrite(&answer, 4, 1, stdout);
        fwrite(r, 4, num, stdout);
    }
    return ferror(stdin) || fflush(stdout) ? 2 : 0;
}
