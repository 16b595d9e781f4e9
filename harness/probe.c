/* Whether a machine runs the ladder's programs, which need NEON and UMAAL: it says 18, then waits, so
 * that /proc can be asked who really runs it. */
#include <arm_neon.h>
#include <stdio.h>

int main(void)
{
    uint32_t lo = 1, hi = 2;
    uint32x4_t v = vdupq_n_u32(3);

    __asm__ volatile("umaal %0, %1, %2, %2" : "+r"(lo), "+r"(hi) : "r"(3));
    printf("%u\n", lo + vgetq_lane_u32(vaddq_u32(v, v), 0));
    fflush(stdout);
    return getchar() == EOF ? 0 : 1;
}
