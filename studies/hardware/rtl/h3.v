// z := x y 2^-WIDTH mod n for odd n and x, y < n, U bits of x in a clock: h2 with U rounds in a row.
//
// Before and after each round t < 2n.  bits has a 1 above the bits of x that are left.
// Clocks: 1 to begin, WIDTH / U of U rounds, 1 for the final subtraction.  U divides WIDTH.
// A start in the middle of a product gives it up and begins anew: done is 1 once, for the last one begun.
module h3 #(parameter WIDTH = 128, U = 2) (
    input  wire             clk, start,
    input  wire [WIDTH-1:0] x, y, n,
    output reg  [WIDTH-1:0] z,
    output reg              done
);
    reg [WIDTH:0]   t, bits;
    reg [WIDTH-1:0] by, modulus;
    reg             busy;

    reg [WIDTH+1:0] u;
    integer         i;
    always @* begin
        u = t;
        for (i = 0; i < U; i = i + 1) begin
            u = u + (bits[i] ? by : {WIDTH{1'b0}});
            u = (u + (u[0] ? modulus : {WIDTH{1'b0}})) >> 1;
        end
    end
    wire [WIDTH+1:0] less = t - modulus;

    initial busy = 0;

    always @(posedge clk) begin
        done <= 0;
        if (start) begin
            {bits, by, modulus} <= {1'b1, x, y, n};
            t <= 0;
            busy <= 1;
        end else if (busy && bits != 1) begin
            t <= u;
            bits <= bits >> U;
        end else if (busy) begin
            z <= less[WIDTH+1] ? t[WIDTH-1:0] : less[WIDTH-1:0];
            done <= 1;
            busy <= 0;
        end
    end
endmodule
