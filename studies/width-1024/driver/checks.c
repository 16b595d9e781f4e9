/* Calls with guard words around every number, in every form of aliasing that nat.h allows. */
#include "checks.h"
#include "evaluate.h"
#include <string.h>

#define GUARD 5
#define GUARD_WORD 0xa5c3f00dU

/* As in harness/driver/driver.h, with the study's own types. */
uint32_t call_checked(void *z, const void *x, const void *y, uintptr_t m, void (*f)(void));

struct guarded {
    _Alignas(16) uint32_t before[GUARD];
    uint32_t limb[MOST_LIMBS];
    uint32_t after[GUARD];
};

static void set(struct guarded *g, const uint32_t *x, uint32_t k)
{
    memset(g, 0xee, sizeof *g);
    for (int i = 0; i < GUARD; i++)
        g->before[i] = g->after[i] = GUARD_WORD;
    memcpy(g->limb, x, k * sizeof *x);
}

/* Which of three places x, y and z have. */
struct places {
    const char *name;
    int x, y, z;
};

static const struct places separate = {"a wrong result", 0, 1, 2};
static const struct places aliased[] = {{"a wrong result with z = x", 0, 1, 0},
                                        {"a wrong result with z = y", 0, 1, 1},
                                        {"a wrong result with x = y", 0, 0, 2},
                                        {"a wrong result with z = x = y", 0, 0, 0}};

/* Calls f(z, x, y, m) with guard words around all, and compares everything with what it must be. */
static void guarded_call(const struct line *l, const struct places *at, const uint32_t *x,
                         const uint32_t *y, const uint32_t *result, uint32_t width, uintptr_t m,
                         void (*f)(void))
{
    struct guarded place[3], expected[3];
    set(&place[2], x, 0);
    set(&place[1], x, 0);
    set(&place[at->y], y, l->k);
    set(&place[at->x], x, l->k);
    memcpy(expected, place, sizeof place);
    memcpy(expected[at->z].limb, result, width * sizeof *result);
    uint32_t registers =
        call_checked(place[at->z].limb, place[at->x].limb, place[at->y].limb, m, f);
    if (compare(place[at->z].limb, result, width) != 0)
        wrong(l, at->name);
    if (memcmp(place, expected, sizeof place) != 0)
        wrong(l, "other memory was written: operands or beyond them");
    if (registers != 0)
        wrong(l, "registers were not preserved");
}

/* z := x^2 in the shape of a product, so that one call serves both. */
static void mont_sqr_shape(uint32_t *z, const uint32_t *x, const uint32_t *y,
                           const struct modulus *m)
{
    (void)y;
    mont_sqr(z, x, m);
}

static void square_shape(uint32_t *t, const uint32_t *x, const uint32_t *y, uint32_t k)
{
    (void)y;
    square(t, x, k);
}

/* Every form of f(z, x, y, m); with z `apart`, it is neither x nor y. */
static void every_form(const struct line *l, const uint32_t *x, const uint32_t *y, uint32_t width,
                       bool apart, uintptr_t m, void (*f)(void))
{
    const uint32_t *z = l->value[l->values - 1];
    bool equal = compare(x, y, l->k) == 0;
    guarded_call(l, &separate, x, y, z, width, m, f);
    for (size_t i = 0; i < sizeof aliased / sizeof *aliased; i++)
        if ((aliased[i].z == 2 || !apart) && (aliased[i].x != aliased[i].y || equal))
            guarded_call(l, &aliased[i], x, y, z, width, m, f);
}

static void checked_product(const struct line *l, const struct modulus *m)
{
    bool squared = strstr(l->operation, "sq") != NULL;
    void (*f)(void) = squared ? (void (*)(void))mont_sqr_shape : (void (*)(void))mont_mul;
    every_form(l, l->value[1], l->value[squared ? 1 : 2], l->k, false, (uintptr_t)m, f);
}

static void checked_plain(const struct line *l)
{
    bool squared = l->values == 2;
    void (*f)(void) = squared ? (void (*)(void))square_shape : (void (*)(void))multiply;
    every_form(l, l->value[0], l->value[squared ? 0 : 1], 2 * l->k, true, l->k, f);
}

/* The forms of a power: z may be x. */
static void checked_power(const struct line *l, const struct modulus *m)
{
    uint32_t z[MAX_LIMBS];
    memcpy(z, l->value[1], sizeof z);
    mod_exp(z, z, l->value[2], 32 * l->k, m, l->method, l->window);
    if (compare(z, l->value[3], l->k) != 0)
        wrong(l, "a wrong result with z = x");
}

void check_line(const struct line *l)
{
    uint32_t z[MOST_LIMBS] = {0};
    uint32_t width = evaluate(l, z);
    if (compare(z, l->value[l->values - 1], width) != 0)
        wrong(l, "a wrong result");
    if (strcmp(l->operation, "private") == 0)
        return;
    if (is_sum(l)) {
        every_form(l, l->value[0], l->value[1], width, false, (uintptr_t)l, (void (*)(void))sum);
        return;
    }
    if (width != l->k) {
        checked_plain(l);
        return;
    }
    struct modulus m = derive(l, l->value[0], l->k, "n");
    if (strcmp(l->operation, "mod_exp") == 0)
        checked_power(l, &m);
    else
        checked_product(l, &m);
}
