/* Runs check vectors against a mutant and says which is the first that finds it.
 *
 * A program without a C library: Unicorn calls judge(). */
#include "snapshot.h"
#include <stddef.h>

#define GUARD 5
#define GUARD_WORD 0xa5c3f00dU

struct vector {
    uint32_t power; /* 0: mont_mul, 1: mod_exp */
    uint32_t aliasing;
    struct modulus m;
    uint32_t x[LIMBS], y[LIMBS], z[LIMBS];
};

struct guarded {
    uint32_t before[GUARD];
    uint32_t limb[LIMBS];
    uint32_t after[GUARD];
};

typedef void function(uint32_t *, const uint32_t *, const uint32_t *, const struct modulus *);

/* Calls f(z, x, y, m); 1 if r4 to r11 and sp are what they were, else 0.  Each call finds other
 * flags, neither zeros nor its last frame below sp, and above sp nothing that a function could take
 * for what it saved. */
uint32_t preserving(uint32_t *z, const uint32_t *x, const uint32_t *y, const struct modulus *m,
                    function *f);
__asm__(".arm\n"
        "preserving: push {r4-r11, lr}\n"
        "        ldr r12, [sp, #36]\n"
        "        sub sp, sp, #128\n"
        "        ldr r4, =saved\n"
        "        str sp, [r4]\n"
        "        ldr r5, [r4, #4]\n"
        "        add r5, r5, #1 << 28\n"
        "        str r5, [r4, #4]\n"
        "        mvn r6, r5\n"
        "        mov r7, #64\n"
        "1:      str r6, [sp, -r7, lsl #2]\n"
        "        subs r7, r7, #1\n"
        "        bne 1b\n"
        "        msr APSR_nzcvq, r5\n"
        "        .irp n, 5, 6, 7, 8, 9, 10, 11\n"
        "        add r\\n, r4, #\\n\n"
        "        .endr\n"
        "        blx r12\n"
        "        ldr r1, =saved\n"
        "        cmp r4, r1\n"
        "        .irp n, 5, 6, 7, 8, 9, 10, 11\n"
        "        subeq r2, r\\n, #\\n\n"
        "        cmpeq r2, r1\n"
        "        .endr\n"
        "        ldr r1, [r1]\n"
        "        cmpeq sp, r1\n"
        "        add sp, r1, #128\n"
        "        mov r0, #0\n"
        "        moveq r0, #1\n"
        "        pop {r4-r11, pc}\n"
        "        .ltorg\n"
        "        .lcomm saved, 8\n");

/* The compiler calls these on its own. */
void *memcpy(void *restrict to, const void *restrict from, size_t size)
{
    for (size_t i = 0; i < size; i++)
        ((char *)to)[i] = ((const char *)from)[i];
    return to;
}
void *memset(void *to, int value, size_t size)
{
    for (size_t i = 0; i < size; i++)
        ((char *)to)[i] = (char)value;
    return to;
}

#ifdef PRODUCT
/* The product where the snapshot's own is assembly: z := x y R^-1 mod n, a limb of x a round. */
void mont_mul(uint32_t z[LIMBS], const uint32_t x[LIMBS], const uint32_t y[LIMBS],
              const struct modulus *m)
{
    uint32_t t[LIMBS + 2] = {0}, d[LIMBS];
    uint64_t s = 0;

    for (int i = 0; i < LIMBS; i++)
        for (int half = 0; half < 2; half++) {
            uint32_t digit = half ? t[0] * m->n0inv : x[i];
            s = 0;
            for (int j = 0; j < LIMBS; j++, s >>= 32) {
                s += (uint64_t)digit * (half ? m->n : y)[j] + t[j];
                t[j] = (uint32_t)s;
            }
            s += t[LIMBS];
            t[LIMBS] = (uint32_t)s;
            t[LIMBS + 1] += (uint32_t)(s >> 32);
            for (int j = 0; half && j <= LIMBS; j++)
                t[j] = t[j + 1];
            if (half)
                t[LIMBS + 1] = 0;
        }
    s = 0;
    for (int j = 0; j < LIMBS; j++) {
        s = (uint64_t)t[j] - m->n[j] - (s >> 63);
        d[j] = (uint32_t)s;
    }
    for (int j = 0; j < LIMBS; j++)
        z[j] = t[LIMBS] >= s >> 63 ? d[j] : t[j];
}
#endif

static int same(const uint32_t *a, const uint32_t *b, size_t words)
{
    uint32_t different = 0;

    for (size_t i = 0; i < words; i++)
        different |= a[i] ^ b[i];
    return different == 0;
}

/* 1 if the function gives z and changes nothing else, with the operands in places ix, iy, iz. */
static int right(const struct vector *v, int ix, int iy, int iz)
{
    static struct guarded place[3], wanted[3];
    struct modulus m = v->m;

    for (int p = 0; p < 3; p++)
        for (size_t i = 0; i < sizeof place[p] / 4; i++)
            ((uint32_t *)&place[p])[i] = GUARD_WORD;
    for (int i = 0; i < LIMBS; i++) {
        place[iy].limb[i] = v->y[i];
        place[ix].limb[i] = v->x[i];
    }
    for (size_t i = 0; i < sizeof place / 4; i++)
        ((uint32_t *)wanted)[i] = ((uint32_t *)place)[i];
    for (int i = 0; i < LIMBS; i++)
        wanted[iz].limb[i] = v->z[i];
    return preserving(place[iz].limb, place[ix].limb, place[iy].limb, &m,
                      v->power ? mod_exp : mont_mul) &&
           same((uint32_t *)&m, (const uint32_t *)&v->m, sizeof m / 4) &&
           same((uint32_t *)place, (uint32_t *)wanted, sizeof place / 4);
}

uint32_t judge(const struct vector *v, uint32_t count);

/* The place of the first vector that finds a fault; count if none does. */
uint32_t judge(const struct vector *v, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++, v++) {
        if (!right(v, 0, 1, 2))
            return i;
        if (v->aliasing && !right(v, 0, 1, 0))
            return i;
        if (v->aliasing && !v->power && !right(v, 0, 1, 1))
            return i;
        if (v->aliasing && !v->power && same(v->x, v->y, LIMBS) &&
            (!right(v, 0, 0, 2) || !right(v, 0, 0, 0)))
            return i;
    }
    return count;
}
