/* Makes the calls of the records in memory and writes their results, a word at a time, to PORT.  No
 * library: records and port are at addresses that pass by a cache, so that a call meets there only
 * what it uses itself. */
#include "snapshot.h"

struct record {
    uint32_t power;   /* mod_exp, else mont_mul */
    uint32_t chained; /* x is what the call before has returned */
    struct modulus m;
    uint32_t x[LIMBS], y[LIMBS];
};

typedef void operation(uint32_t *z, const uint32_t *x, const uint32_t *y, const struct modulus *m);
void call_measured(uint32_t *z, const uint32_t *x, const uint32_t *y, const struct modulus *m,
                   operation *f);

#define COUNT (*(const volatile uint32_t *)0x80020000U)
#define RECORDS ((const volatile uint32_t *)0x80020004U)
#define PORT (*(volatile uint32_t *)0xc0000000U)
#define WORDS (sizeof(struct record) / 4)

/* What a call reads and writes, beside the stack. */
static __attribute__((section(".work"))) struct {
    struct record r;
    uint32_t z[LIMBS];
} work;

void loop(void)
{
    for (uint32_t i = 0; i < COUNT; i++) {
        uint32_t *words = (uint32_t *)&work.r;
        for (uint32_t k = 0; k < WORDS; k++)
            words[k] = RECORDS[i * WORDS + k];
        for (uint32_t k = 0; k < LIMBS && work.r.chained; k++)
            work.r.x[k] = work.z[k];
        if (i == 0 && !work.r.power) /* so that what a cache holds is there */
            mont_mul(work.z, work.r.x, work.r.y, &work.r.m);
        call_measured(work.z, work.r.x, work.r.y, &work.r.m, work.r.power ? mod_exp : mont_mul);
        for (uint32_t k = 0; k < LIMBS; k++)
            PORT = work.z[k];
    }
}
