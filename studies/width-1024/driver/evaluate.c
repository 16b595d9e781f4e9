/* What a line says, computed in one plain call. */
#include "evaluate.h"
#include <string.h>

static struct private_key read_key(const struct line *l)
{
    const uint32_t h = l->k / 2;
    const uint32_t *n = l->value[0], *p = l->value[1], *q = l->value[2];
    struct private_key key = {
        .n = derive(l, n, l->k, "n"), .p = derive(l, p, h, "p"), .q = derive(l, q, h, "q")};
    uint32_t *const places[] = {key.dp, key.dq, key.qinv};
    if (compare(q, p, h) >= 0)
        fault(l, "q must be below p");
    for (size_t i = 0; i < 3; i++)
        memcpy(places[i], l->value[3 + i], h * sizeof **places);
    if (compare(key.qinv, p, h) >= 0)
        fault(l, "qinv must be below p");
    for (uint32_t i = 0; i < 32 * h; i++) /* into the Montgomery domain modulo p */
        twice(key.qinv, p, h);
    memcpy(key.e, l->value[6], sizeof key.e);
    return key;
}

bool is_sum(const struct line *l)
{
    return strcmp(l->operation, "add") == 0 || strstr(l->operation, "subtract") != NULL;
}

void sum(uint32_t *z, const uint32_t *x, const uint32_t *y, const struct line *l)
{
    if (strcmp(l->operation, "add") == 0)
        z[l->k] = add(z, x, y, l->k);
    else if (strcmp(l->operation, "subtract") == 0)
        z[l->k] = 0 - subtract(z, x, y, l->k);
    else
        z[l->k] = 0 - subtract_masked(z, x, y, l->k, l->value[2][0]);
}

uint32_t evaluate(const struct line *l, uint32_t *z)
{
    const uint32_t (*v)[MOST_LIMBS] = l->value;
    if (is_sum(l)) {
        sum(z, v[0], v[1], l);
        return l->k + 1;
    }
    if (strcmp(l->operation, "multiply") == 0) {
        karatsuba_multiply(z, v[0], v[1], l->k, l->levels);
        return 2 * l->k;
    }
    if (strcmp(l->operation, "square") == 0) {
        karatsuba_square(z, v[0], l->k, l->levels);
        return 2 * l->k;
    }
    if (strcmp(l->operation, "private") == 0) {
        struct private_key key = read_key(l);
        if (compare(v[7], v[0], l->k) >= 0)
            fault(l, "x must be below n");
        if (!private_crt(z, v[7], &key, l->method, l->window))
            wrong(l, "the result does not verify, so it is withheld");
        return l->k;
    }
    struct modulus m = derive(l, v[0], l->k, "n");
    if (strcmp(l->operation, "mont_mul") == 0)
        mont_mul(z, v[1], v[2], &m);
    else if (strcmp(l->operation, "mont_sqr") == 0)
        mont_sqr(z, v[1], &m);
    else if (compare(v[1], v[0], l->k) >= 0)
        fault(l, "x must be below n");
    else
        mod_exp(z, v[1], v[2], 32 * l->k, &m, l->method, l->window);
    return l->k;
}
