/* <arm_neon.h> for a machine without NEON: SIMDe's translation of the intrinsics, with those that
 * Debian 12's SIMDe lacks.  Where there is NEON, the compiler's own header. */
#ifndef HOST_ARM_NEON_H
#define HOST_ARM_NEON_H
#pragma GCC system_header

#if defined(__ARM_NEON)
#include_next <arm_neon.h>
#else
#define SIMDE_ENABLE_NATIVE_ALIASES
#include <simde/arm/neon.h>

/* Each lane: the low k bits of a below the low 32 - k bits of b.  Needs 0 <= k < 32. */
#ifndef vsliq_n_u32
#define vsliq_n_u32(a, b, k)                                                                       \
    vorrq_u32(vandq_u32((a), vdupq_n_u32((UINT32_C(1) << (k)) - 1)), vshlq_n_u32((b), (k)))
#endif
#endif

#endif
