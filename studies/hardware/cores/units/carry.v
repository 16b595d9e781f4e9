/* Lee's addition and shift of long numbers, a limb an instruction, with a carry between them.
 *
 *     op 0   carry, z = a + b
 *     op 1   carry, z = a + b + carry
 *     op 2   z, carry = (carry 2^32 + a) rotated right by one */
module carry (
    input clk,
    input start, input [2:0] op, input [31:0] a, input [31:0] b,
    output done, output [31:0] z
);
    reg c = 0;
    wire [32:0] sum = {1'b0, a} + {1'b0, b} + {32'd0, op[0] & c};
    assign z = op[1] ? {c, a[31:1]} : sum[31:0];
    assign done = start;

    always @(posedge clk)
        if (start) c <= op[1] ? a[0] : sum[32];
endmodule
