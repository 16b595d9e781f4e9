/* The A32 decoder: two tables, one for each meaning of the condition field, read from the top.  The
 * first rule that fits wins, so an exception stands above the rule that it is an exception to.
 *
 * Arm Architecture Reference Manual, ARMv7-A edition, chapter A5; the groups follow its sections.
 * Fields that should be zero are looked at only where they tell two instructions apart. */
#include "a32.h"

#include <stddef.h>

enum { L = A32_LOADS, S = A32_STORES, B = A32_BRANCHES };

/* Condition 0000 to 1110. */
static const struct a32_rule conditional[] = {
    /* A5.2.5 Multiply and multiply accumulate */
    {0x0fe000f0, 0x00000090, A32_mul, 0}, /* mul */
    {0x0fe000f0, 0x00200090, A32_mul, 0}, /* mla */
    {0x0ff000f0, 0x00400090, A32_umaal, 0},
    {0x0ff000f0, 0x00600090, A32_mul, 0}, /* mls */
    {0x0ff000f0, 0x00500090, A32_unknown, 0},
    {0x0ff000f0, 0x00700090, A32_unknown, 0},
    {0x0f8000f0, 0x00800090, A32_mul_long, 0}, /* umull, umlal, smull, smlal */

    /* A5.2.10 Synchronization primitives: swp and swpb, then strex and ldrex of all sizes */
    {0x0fb000f0, 0x01000090, A32_exclusive, L | S},
    {0x0f9000f0, 0x01800090, A32_exclusive, S},
    {0x0f9000f0, 0x01900090, A32_exclusive, L},
    {0x0f0000f0, 0x01000090, A32_unknown, 0},

    /* A5.2.8 Extra load/store.  Bit 20 is the direction, but ldrd hides among the stores. */
    {0x0e1000f0, 0x000000b0, A32_store, S}, /* strh */
    {0x0e1000f0, 0x000000d0, A32_load, L},  /* ldrd */
    {0x0e1000f0, 0x000000f0, A32_store, S}, /* strd */
    {0x0e100090, 0x00100090, A32_load, L},  /* ldrh, ldrsb, ldrsh */

    /* A5.2.7 Halfword multiply: smlabb, smlawb, smulwb, smlalbb, smulbb */
    {0x0f900090, 0x01000080, A32_mul_half, 0},

    /* A5.2.12 Miscellaneous: the compares' encodings without the S bit */
    {0x0f9000f0, 0x01000000, A32_system, 0},   /* mrs, msr */
    {0x0ff000ff, 0x0120001e, A32_return, B},   /* bx lr */
    {0x0ff000f0, 0x01200010, A32_branch, B},   /* bx */
    {0x0ff000f0, 0x01600010, A32_bitfield, 0}, /* clz */
    {0x0ff000f0, 0x01200020, A32_branch, B},   /* bxj */
    {0x0ff000f0, 0x01200030, A32_call, B},     /* blx */
    {0x0f9000f0, 0x01000050, A32_media, 0},    /* qadd, qsub, qdadd, qdsub */
    {0x0ff000f0, 0x01600060, A32_return, B},   /* eret */
    {0x0f9000f0, 0x01000070, A32_system, 0},   /* bkpt, hvc, smc */
    {0x0f900000, 0x01000000, A32_unknown, 0},

    /* A5.2, A5.2.11 The same with an immediate: movw and movt, msr and hints */
    {0x0fb00000, 0x03000000, A32_move, 0}, /* movw, movt */
    {0x0fb00000, 0x03200000, A32_system, 0},

    /* A5.2.1 to A5.2.3 Data processing.  Compares have no result, so they cannot write pc. */
    {0x0d900000, 0x01100000, A32_compare, 0},
    {0x0fefffff, 0x01a0f00e, A32_return, B}, /* mov pc, lr */
    {0x0c00f000, 0x0000f000, A32_branch, B},
    {0x0de00000, 0x00400000, A32_add_sub, 0},       /* sub */
    {0x0de00000, 0x00600000, A32_add_sub, 0},       /* rsb */
    {0x0de00000, 0x00800000, A32_add_sub, 0},       /* add */
    {0x0de00000, 0x00a00000, A32_add_sub_carry, 0}, /* adc */
    {0x0dc00000, 0x00c00000, A32_add_sub_carry, 0}, /* sbc, rsc */
    {0x0dc00000, 0x00000000, A32_logical, 0},       /* and, eor */
    {0x0de00000, 0x01800000, A32_logical, 0},       /* orr */
    {0x0de00000, 0x01c00000, A32_logical, 0},       /* bic */
    {0x0de00000, 0x01e00000, A32_move, 0},          /* mvn */
    {0x0fe00000, 0x03a00000, A32_move, 0},          /* mov of an immediate */
    {0x0fe00ff0, 0x01a00000, A32_move, 0},          /* mov of a register, lsl #0 */
    {0x0fe00000, 0x01a00000, A32_shift, 0},

    /* A5.4 Media.  Above the loads: udiv has its four ones where ldr pc has them. */
    {0x0f800010, 0x06000010, A32_media, 0},    /* sadd8 to uhsub16 */
    {0x0ff000f0, 0x068000b0, A32_media, 0},    /* sel */
    {0x0fa00030, 0x06a00010, A32_media, 0},    /* ssat, usat */
    {0x0fb000f0, 0x06a00030, A32_media, 0},    /* ssat16, usat16 */
    {0x0f800010, 0x06800010, A32_bitfield, 0}, /* pkhbt, sxtb, uxtab, rev, rbit */
    {0x0fd000f0, 0x07100010, A32_divide, 0},   /* sdiv, udiv */
    {0x0f800010, 0x07000010, A32_mul_half, 0}, /* smlad, smlald, smmul, smmls */
    {0x0ff000f0, 0x07800010, A32_media, 0},    /* usad8, usada8 */
    {0x0fa00070, 0x07a00050, A32_bitfield, 0}, /* sbfx, ubfx */
    {0x0fe00070, 0x07c00010, A32_bitfield, 0}, /* bfc, bfi */
    {0x0e000010, 0x06000010, A32_unknown, 0},

    /* A5.3 Load/store word and byte.  Only a word can be loaded to pc. */
    {0x0e5ff000, 0x041df000, A32_return, L | B}, /* ldr pc, [sp], #4: pop {pc} */
    {0x0c50f000, 0x0410f000, A32_branch, L | B},
    {0x0c100000, 0x04100000, A32_load, L},
    {0x0c100000, 0x04000000, A32_store, S},

    /* A5.5 Branch and block transfer */
    {0x0e108000, 0x08108000, A32_return, L | B},
    {0x0e100000, 0x08100000, A32_load_multiple, L},
    {0x0e100000, 0x08000000, A32_store_multiple, S},
    {0x0f000000, 0x0a000000, A32_branch, B},
    {0x0f000000, 0x0b000000, A32_call, B},

    /* A7.9 vmov between two core registers and a d or two s registers */
    {0x0fe00ed0, 0x0c400a10, A32_neon_move, 0},
    /* A7.6 Extension register load/store.  Three of the eight values of P, U, W mean nothing. */
    {0x0fa00e00, 0x0c000a00, A32_unknown, 0},
    {0x0fa00e00, 0x0c200a00, A32_unknown, 0},
    {0x0fa00e00, 0x0da00a00, A32_unknown, 0},
    {0x0e100e00, 0x0c100a00, A32_neon_load, L},
    {0x0e100e00, 0x0c000a00, A32_neon_store, S},
    /* A7.5 VFP data processing; A7.8 vmsr, vmrs, vmov and vdup of one core register */
    {0x0f000e10, 0x0e000a00, A32_vfp, 0},
    {0x0fe00f10, 0x0ee00a10, A32_vfp, 0},
    {0x0f000e10, 0x0e000a10, A32_neon_move, 0},

    /* A5.6 Other coprocessors, and svc */
    {0x0fe00000, 0x0c400000, A32_system, 0}, /* mcrr, mrrc */
    {0x0e100000, 0x0c100000, A32_system, L}, /* ldc */
    {0x0e100000, 0x0c000000, A32_system, S}, /* stc */
    {0x0e000000, 0x0e000000, A32_system, 0}, /* cdp, mcr, mrc, svc */
};

/* A5.7 Condition 1111. */
static const struct a32_rule unconditional[] = {
    {0xfe000000, 0xf2000000, A32_neon_arith, 0},
    {0xff300000, 0xf4200000, A32_neon_load, L},  /* vld1 to vld4 */
    {0xff300000, 0xf4000000, A32_neon_store, S}, /* vst1 to vst4 */
    {0xfff00000, 0xf1000000, A32_system, 0},     /* cps, setend */
    {0xfd700000, 0xf4500000, A32_system, 0},     /* pli */
    {0xfd300000, 0xf5100000, A32_system, 0},     /* pld, pldw */
    {0xfff00000, 0xf5700000, A32_system, 0},     /* clrex, dsb, dmb, isb */
    {0xfe500000, 0xf8100000, A32_return, L | B}, /* rfe */
    {0xfe500000, 0xf8400000, A32_system, S},     /* srs */
    {0xfe000000, 0xfa000000, A32_call, B},       /* blx to Thumb code */
    {0xfc000e00, 0xfc000a00, A32_unknown, 0},    /* ARMv8 floating point */
    {0xffe00000, 0xfc400000, A32_system, 0},     /* mcrr2, mrrc2 */
    {0xfe100000, 0xfc100000, A32_system, L},     /* ldc2 */
    {0xfe100000, 0xfc000000, A32_system, S},     /* stc2 */
    {0xff000000, 0xfe000000, A32_system, 0},     /* cdp2, mcr2, mrc2 */
};

static const struct a32_rule no_rule = {0, 0, A32_unknown, 0};

static const struct a32_rule *find(const struct a32_rule *rule, size_t n, uint32_t opcode)
{
    for (; n > 0; n--, rule++)
        if ((opcode & rule->mask) == rule->value)
            return rule;
    return &no_rule;
}

const struct a32_rule *a32_decode(uint32_t opcode)
{
    if (opcode >> 28 == 15)
        return find(unconditional, sizeof unconditional / sizeof *unconditional, opcode);
    return find(conditional, sizeof conditional / sizeof *conditional, opcode);
}

unsigned a32_accesses(const struct a32_rule *rule, uint32_t opcode)
{
    if (opcode >> 28 != 14 || !(rule->does & (L | S)) || rule->class == A32_exclusive)
        return 0;
    if ((opcode & 0x0e000000) == 0x08000000)
        return (unsigned)__builtin_popcount(opcode & 0xffff);
    if ((opcode & 0x0e1000d0) == 0x000000d0)
        return 2; /* ldrd, strd */
    return opcode >> 27 & 1 ? 0 : 1;
}

const char *a32_class_name(enum a32_class class)
{
    static const char *const names[] = {
#define X(name) #name,
        A32_CLASSES(X)
#undef X
    };
    return names[class];
}
