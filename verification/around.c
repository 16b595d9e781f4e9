/* A function around each operation of a nat.h, which passes numbers as the contract does: what
 * prove.py executes.  It is compiled with -DPROVE_add and so on for each operation there is.  An
 * operation is given numbers BY_VALUE and returns one, or writes its result to a number that it is
 * given as an array or BY_POINTER; then the result may also take the place of an operand. */
#include "nat.h"

#ifdef BY_VALUE
#define READ(a, x) nat a = load(x)
#define APPLY(z, f, ...) z = f(__VA_ARGS__)
#define IN_PLACE(...)
#else
#define READ(a, x)                                                                                 \
    nat a;                                                                                         \
    load(REF(a), x)
#define APPLY(z, f, ...) f(REF(z), __VA_ARGS__)
#define IN_PLACE(...) __VA_ARGS__
#endif
#ifdef BY_POINTER
#define REF(a) &a
#else
#define REF(a) a
#endif

/* z := f(x, y), and z := f(x, k) where the second operand is no number; c, a or b holds it first. */
#define OF_TWO(name, f, to)                                                                        \
    void prove_##name(uint32_t *z, const uint32_t *x, const uint32_t *y)                           \
    {                                                                                              \
        READ(a, x);                                                                                \
        READ(b, y);                                                                                \
        nat c;                                                                                     \
        APPLY(to, f, REF(a), REF(b));                                                              \
        store(z, REF(to));                                                                         \
    }
#define OF_ONE(name, f, to)                                                                        \
    void prove_##name(uint32_t *z, const uint32_t *x, int k)                                       \
    {                                                                                              \
        READ(a, x);                                                                                \
        nat c;                                                                                     \
        APPLY(to, f, REF(a), k);                                                                   \
        store(z, REF(to));                                                                         \
    }

#ifdef PROVE_add
OF_TWO(add, add, c)
IN_PLACE(OF_TWO(add_in_x, add, a) OF_TWO(add_in_y, add, b))
#endif
#ifdef PROVE_sub
OF_TWO(sub, sub, c)
IN_PLACE(OF_TWO(sub_in_x, sub, a) OF_TWO(sub_in_y, sub, b))
#endif
#ifdef PROVE_shr
OF_ONE(shr, shr, c)
IN_PLACE(OF_ONE(shr_in_x, shr, a))
#endif
#ifdef PROVE_halve
OF_ONE(halve, halve, c)
IN_PLACE(OF_ONE(halve_in_x, halve, a))
#endif

#ifdef PROVE_less
void prove_less(uint32_t *z, const uint32_t *x, const uint32_t *y)
{
    READ(a, x);
    READ(b, y);
    *z = (uint32_t)less(REF(a), REF(b));
}
#endif

/* The limbs of x + d y, and the one above them; d stands above y. */
#ifdef PROVE_add_multiple
void prove_add_multiple(uint32_t *z, const uint32_t *x, const uint32_t *y)
{
    READ(a, x);
    READ(b, y);
#ifdef BY_VALUE
    z[LIMBS] = add_multiple(&a, y[LIMBS], b);
#else
    z[LIMBS] = add_multiple(a, y[LIMBS], b);
#endif
    store(z, a);
}
#endif
