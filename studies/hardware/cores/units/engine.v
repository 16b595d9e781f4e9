/* A whole Montgomery product of up to 128 bits behind the same port, one bit of x a clock.
 *
 *     op 0   the next limb of x is a, that of y is b, the lowest first
 *     op 1   the next limb of n is a
 *     op 2   begin: z = x y 2^-a mod n, of a bits
 *     op 3   the next limb of z; waits for it
 *
 * t + (0, y, n or y + n) has one adder, with y + n computed before: t < y + n stays below 2^129. */
module engine (
    input clk,
    input start, input [2:0] op, input [31:0] a, input [31:0] b,
    output done, output [31:0] z
);
    localparam IDLE = 0, PREPARE = 1, ROUND = 2, REDUCE = 3;
    reg [1:0] state = IDLE;
    reg [1:0] at = 0;
    reg [2:0] last = 0;
    wire [1:0] k = op == last ? at : 2'd0; /* which limb of the same kind */
    reg [7:0] left;
    reg [127:0] x, y, n;
    reg [128:0] yn, t;

    wire q = t[0] ^ (x[0] & y[0]);
    wire [128:0] term = q ? (x[0] ? yn : {1'b0, n}) : (x[0] ? {1'b0, y} : 129'd0);
    wire [129:0] sum = {1'b0, t} + {1'b0, term};
    wire [129:0] less = {1'b0, t} - {2'b0, n};
    assign z = t[31:0];
    assign done = start && state == IDLE;

    always @(posedge clk) begin
        case (state)
            IDLE: if (start) begin
                at <= k + 2'd1;
                last <= op;
                case (op)
                    0: begin
                        x <= k == 0 ? {96'd0, a} : x | {96'd0, a} << {k, 5'd0};
                        y <= k == 0 ? {96'd0, b} : y | {96'd0, b} << {k, 5'd0};
                    end
                    1: n <= k == 0 ? {96'd0, a} : n | {96'd0, a} << {k, 5'd0};
                    2: begin
                        left <= a[7:0];
                        state <= PREPARE;
                    end
                    3: t <= t >> 32;
                endcase
            end
            PREPARE: begin
                yn <= {1'b0, y} + {1'b0, n};
                t <= 0;
                state <= ROUND;
            end
            ROUND: begin
                t <= sum[129:1];
                x <= x >> 1;
                left <= left - 1;
                if (left == 1) state <= REDUCE;
            end
            REDUCE: begin
                if (!less[129]) t <= less[128:0];
                state <= IDLE;
            end
        endcase
    end
endmodule
