/* A 32 x 32 multiplier and an accumulator of 96 bits, three stages: operands, product, sum.
 *
 *     op 0   accumulator += a b; does not wait for it
 *     op 1   z = its lowest limb
 *     op 2   the same, and the accumulator is shifted down by a limb
 *     op 3   accumulator = 0
 *
 * op 1 and 2 wait until what was begun is in the sum. */
module multiply_add (
    input clk,
    input start, input [2:0] op, input [31:0] a, input [31:0] b,
    output done, output [31:0] z
);
    reg [31:0] x, y;
    reg [63:0] product;
    reg [95:0] sum;
    reg begun = 0, multiplied = 0;
    wire idle = !begun && !multiplied;
    assign z = sum[31:0];
    assign done = start && (op == 0 || idle);

    always @(posedge clk) begin
        begun <= start && op == 0;
        multiplied <= begun;
        x <= a;
        y <= b;
        product <= x * y;
        if (multiplied) sum <= sum + {32'd0, product};
        else if (done && op == 2) sum <= sum >> 32;
        else if (done && op == 3) sum <= 0;
    end
endmodule
