// z := x y 2^-WIDTH mod n for odd n and x, y < n, all in one clock: h0 without its faults.
//
// A round is t := (t + x_i y + q n) / 2, where q makes the sum even.  Before and after it t < 2n, because
// (2n + n + n) / 2 = 2n: so t has one bit above the top, and the sum two.
// Clocks: 1.  A start in every clock gives a product in every clock.
module h1 #(parameter WIDTH = 128) (
    input  wire             clk, start,
    input  wire [WIDTH-1:0] x, y, n,
    output reg  [WIDTH-1:0] z,
    output reg              done
);
    reg [WIDTH+1:0] t;
    integer i;

    always @* begin
        t = 0;
        for (i = 0; i < WIDTH; i = i + 1) begin
            t = t + (x[i] ? y : 0);
            t = (t + (t[0] ? n : 0)) >> 1;
        end
        if (t >= n)
            t = t - n;
    end

    always @(posedge clk) begin
        z <= t[WIDTH-1:0];
        done <= start;
    end
endmodule
