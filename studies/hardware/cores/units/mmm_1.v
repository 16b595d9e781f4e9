/* The same with the 33rd bit.  op 0: one round.  op 1: all 32, one a clock; from the first one where start was 0. */
module mmm_1 (
    input clk,
    input start, input [2:0] op, input [31:0] a, input [31:0] b,
    output done, output [31:0] z
);
    reg [4:0] round = 0;
    reg [31:0] y;
    wire [31:0] from = op[0] && round != 0 ? y : a;
    wire [32:0] sum = {1'b0, from} + (from[0] ? {1'b0, b} : 33'd0);
    assign z = sum[32:1];
    assign done = start && (!op[0] || round == 31);

    always @(posedge clk)
        if (start && op[0]) begin
            y <= z;
            round <= round + 1;
        end else
            round <= 0;
endmodule
