// z := x y 2^-WIDTH mod n for odd n and x, y < n, one bit of x in a clock.
//
// A round is t := (t + x_i y + q n) / 2, where q makes the sum even.  Before and after it t < 2n.
// bits has a 1 above the bits of x that are left: it is 1 when none is.
// Clocks: 1 to begin, WIDTH rounds, 1 for the final subtraction.
// A start in the middle of a product gives it up and begins anew: done is 1 once, for the last one begun.
module h2 #(parameter WIDTH = 128) (
    input  wire             clk, start,
    input  wire [WIDTH-1:0] x, y, n,
    output reg  [WIDTH-1:0] z,
    output reg              done
);
    reg [WIDTH:0]   t, bits;
    reg [WIDTH-1:0] by, modulus;
    reg             busy;

    wire [WIDTH+1:0] sum  = t + (bits[0] ? by : {WIDTH{1'b0}});
    wire [WIDTH+1:0] even = sum + (sum[0] ? modulus : {WIDTH{1'b0}});
    wire [WIDTH+1:0] less = t - modulus;

    initial busy = 0;

    always @(posedge clk) begin
        done <= 0;
        if (start) begin
            {bits, by, modulus} <= {1'b1, x, y, n};
            t <= 0;
            busy <= 1;
        end else if (busy && bits != 1) begin
            t <= even >> 1;
            bits <= bits >> 1;
        end else if (busy) begin
            z <= less[WIDTH+1] ? t[WIDTH-1:0] : less[WIDTH-1:0];
            done <= 1;
            busy <= 0;
        end
    end
endmodule
