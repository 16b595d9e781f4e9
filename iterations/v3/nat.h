/* A number below 2^128 is held in one NEON register of four 32-bit lanes, lane 0 the lowest, passed
 * and returned by value.  NEON adds lanes but has no carry between them: add() and sub() widen each
 * limb to 64 bits and pass the carry on from lane to lane.  Every limb is full, so a carry out of
 * the top limb has no place here: less() finds it, because x + y mod 2^128 < y exactly when
 * x + y >= 2^128.  less(), and mmm() in rsa.c, branch on the operands' values. */
#ifndef NAT_H
#define NAT_H

#include <arm_neon.h>

#include "../../harness/snapshot.h"

_Static_assert(WIDTH == 128, "four lanes of 32 bits");

typedef uint32x4_t nat;

/* x, from limbs. */
static nat load(const uint32_t x[LIMBS])
{
    return vld1q_u32(x);
}

/* z := x, to limbs. */
static void store(uint32_t z[LIMBS], nat x)
{
    vst1q_u32(z, x);
}

/* k. */
static nat set(uint32_t k)
{
    return vsetq_lane_u32(k, vdupq_n_u32(0), 0);
}

/* x mod 2. */
static int odd(nat x)
{
    return vgetq_lane_u32(x, 0) & 1;
}

/* x + y mod 2^128. */
static nat add(nat x, nat y)
{
    uint64x2_t lo = vaddl_u32(vget_low_u32(x), vget_low_u32(y));
    uint64x2_t hi = vaddl_u32(vget_high_u32(x), vget_high_u32(y));
    uint64x1_t s0 = vget_low_u64(lo);
    uint64x1_t s1 = vsra_n_u64(vget_high_u64(lo), s0, 32);
    uint64x1_t s2 = vsra_n_u64(vget_low_u64(hi), s1, 32);
    uint64x1_t s3 = vsra_n_u64(vget_high_u64(hi), s2, 32);

    return vcombine_u32(vmovn_u64(vcombine_u64(s0, s1)), vmovn_u64(vcombine_u64(s2, s3)));
}

/* x - y mod 2^128.  A borrow is an arithmetic shift away: -1 from a negative lane, else 0. */
static nat sub(nat x, nat y)
{
    int64x2_t lo = vreinterpretq_s64_u64(vsubl_u32(vget_low_u32(x), vget_low_u32(y)));
    int64x2_t hi = vreinterpretq_s64_u64(vsubl_u32(vget_high_u32(x), vget_high_u32(y)));
    int64x1_t s0 = vget_low_s64(lo);
    int64x1_t s1 = vsra_n_s64(vget_high_s64(lo), s0, 32);
    int64x1_t s2 = vsra_n_s64(vget_low_s64(hi), s1, 32);
    int64x1_t s3 = vsra_n_s64(vget_high_s64(hi), s2, 32);

    return vreinterpretq_u32_s32(
        vcombine_s32(vmovn_s64(vcombine_s64(s0, s1)), vmovn_s64(vcombine_s64(s2, s3))));
}

/* floor(x / 2^k).  Needs k < 128.  VSHL by a negative amount shifts right; an amount beyond the
 * lane gives 0. */
static nat shr(nat x, int k)
{
    uint64x2_t d = vreinterpretq_u64_u32(x);
    uint64x1_t down = vshl_u64(vget_high_u64(d), vdup_n_s64(64 - k));
    uint64x2_t z = vshlq_u64(d, vdupq_n_s64(-k));

    return vreinterpretq_u32_u64(vorrq_u64(z, vcombine_u64(down, vdup_n_u64(0))));
}

/* floor((top 2^128 + x) / 2) mod 2^128. */
static nat halve(nat x, int top)
{
    nat above = vextq_u32(x, vdupq_n_u32((uint32_t)top), 1);

    return vsliq_n_u32(vshrq_n_u32(x, 1), above, 31);
}

/* 1 if x < y, else 0. */
static int less(nat x, nat y)
{
    uint64x2_t a = vreinterpretq_u64_u32(x), b = vreinterpretq_u64_u32(y);

    if (vgetq_lane_u64(a, 1) != vgetq_lane_u64(b, 1))
        return vgetq_lane_u64(a, 1) < vgetq_lane_u64(b, 1);
    return vgetq_lane_u64(a, 0) < vgetq_lane_u64(b, 0);
}

#endif
