/* A32 (ARM state, 32-bit) opcodes, sorted into the classes that the counts are given by.
 *
 * A class says what an instruction is for; `does' says what it does to memory and to the program
 * counter.  They are two things because pop {r4, pc} is one return, one load and one branch.
 * What an instruction does is what it would do if its condition held. */
#ifndef A32_H
#define A32_H

#include <stdint.h>

/* clang-format off */
#define A32_CLASSES(X) \
    X(move)           /* mov, mvn, movw, movt */ \
    X(shift)          /* mov with a shift: lsl, lsr, asr, ror, rrx */ \
    X(add_sub)        /* add, sub, rsb */ \
    X(add_sub_carry)  /* adc, sbc, rsc: those that read the carry */ \
    X(logical)        /* and, eor, orr, bic */ \
    X(compare)        /* cmp, cmn, tst, teq */ \
    X(bitfield)       /* bfi, ubfx, uxtb, uxtab, rev, clz, pkhbt, ... */ \
    X(media)          /* lanes in a core register, saturation: uadd8, sel, usad8, qadd, ssat */ \
    X(mul)            /* mul, mla, mls */ \
    X(mul_half)       /* smlabb, smulwb, smlad, smmul, ...: halfword and high-word products */ \
    X(mul_long)       /* umull, umlal, smull, smlal */ \
    X(umaal) \
    X(divide)         /* udiv, sdiv */ \
    X(load)           /* ldr, ldrb, ldrh, ldrsb, ldrsh, ldrd */ \
    X(store)          /* str, strb, strh, strd */ \
    X(load_multiple)  /* ldm, pop */ \
    X(store_multiple) /* stm, push */ \
    X(exclusive)      /* ldrex, strex, swp: never in arithmetic, so kept out of load and store */ \
    X(branch)         /* b, bx, ldr pc, any write to pc that is neither of the next two */ \
    X(call)           /* bl, blx */ \
    X(return)         /* bx lr, mov pc lr, ldr pc [sp], ldm with pc in the list */ \
    X(neon_arith)     /* Advanced SIMD data processing */ \
    X(neon_load)      /* vld1, vldr, vldm, vpop: anything that fills s, d or q registers */ \
    X(neon_store)     /* vst1, vstr, vstm, vpush */ \
    X(neon_move)      /* vmov and vdup between core and s, d, q registers */ \
    X(vfp)            /* scalar floating point, vmrs, vmsr */ \
    X(system)         /* nop, pld, dmb, mrs, msr, mrc, svc, ... */ \
    X(unknown)        /* no rule fits */ \
    X(thumb)          /* not A32: given by the counter, never by a32_decode */
/* clang-format on */

enum a32_class {
#define X(name) A32_##name,
    A32_CLASSES(X)
#undef X
};

enum { A32_LOADS = 1, A32_STORES = 2, A32_BRANCHES = 4 };

struct a32_rule {
    uint32_t mask, value; /* fits an opcode when (opcode & mask) == value */
    uint8_t class;        /* enum a32_class */
    uint8_t does;         /* A32_LOADS | A32_STORES | A32_BRANCHES */
};

/* The rule that the opcode falls under; one of class unknown where there is none.  Never NULL. */
const struct a32_rule *a32_decode(uint32_t opcode);

/* Accesses of an instruction that loads or stores core registers always; 0 of any other. */
unsigned a32_accesses(const struct a32_rule *rule, uint32_t opcode);

const char *a32_class_name(enum a32_class class);

#endif
