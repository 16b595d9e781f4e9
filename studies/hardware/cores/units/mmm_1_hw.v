/* Bishop and Austin's mmm_1_hw: one round of MMM_1 on 32 bits, as their Figure 5 draws it.
 *
 *     z = (a + (a odd ? b : 0)) mod 2^32, shifted right by one
 *
 * The sum has 33 bits.  Their adder has no carry out, so that z lacks its highest bit whenever the
 * modulus b is 2^31 or more and the sum passes 2^32: mmm_1.v keeps it. */
module mmm_1_hw (
    input clk,
    input start, input [2:0] op, input [31:0] a, input [31:0] b,
    output done, output [31:0] z
);
    wire [31:0] sum = a + (a[0] ? b : 32'd0);
    assign z = sum >> 1;
    assign done = start;
endmodule
