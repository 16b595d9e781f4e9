// Dirk's combinational product (2019, appendix A), in our own words, with its three faults:
//   z keeps the value of the last call, where a product begins with 0;
//   the loop's bound is an input, so that no synthesis can unroll it;
//   the sum has no bit above the top, so that it is wrong for a modulus of full width.
module h0 #(parameter WIDTH = 64) (
    input  wire [WIDTH-1:0] x, y, n,
    input  wire [31:0]      rounds,
    output reg  [WIDTH-1:0] z
);
    reg bit_of_x, odd;
    integer i;

    initial z = 0;

    always @(x, y, n, rounds) begin
        for (i = 0; i < rounds; i = i + 1) begin
            bit_of_x = x >> i;
            odd = z[0] ^ (bit_of_x & y[0]);
            z = (z + bit_of_x * y + odd * n) >> 1;
        end
        if (z >= n)
            z = z - n;
    end
endmodule
