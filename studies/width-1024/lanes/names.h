/* Names that a linker sees.  Inside libcrypto they begin with bn_lanes, so that they meet no name of a program. */
#ifdef BN_LANES
#define pair_bits bn_lanes_bits
#define pair_choose bn_lanes_choose
#define pair_exp bn_lanes_exp
#define pair_forget bn_lanes_forget
#define pair_get bn_lanes_get
#define pair_leave bn_lanes_leave
#define pair_mul bn_lanes_mul
#define pair_mul_long bn_lanes_mul_long
#define pair_mul_short bn_lanes_mul_short
#define pair_prepare bn_lanes_prepare
#define pair_set bn_lanes_set
#define pair_sqr bn_lanes_sqr
#define pair_sqr_long bn_lanes_sqr_long
#define pair_sqr_short bn_lanes_sqr_short
#endif
