// For a solver: whatever x, y < n and odd n are, when the unit is done z < n, and z 2^WIDTH is x y modulo n.
module same #(parameter WIDTH = 4, W = 2) (input wire clk);
    wire [WIDTH-1:0] x = $anyconst, y = $anyconst, n = $anyconst;
    reg              begun = 0;
    wire [WIDTH-1:0] z;
    wire             done;
    wire [WIDTH-1:0] n0inv = W == 1 ? 1 : W == 2 ? {n[1] ^ 1'b1, 1'b1} : 0;   // n (n0inv) = -1 modulo 4

    `UNIT unit (.clk(clk), .start(!begun), .x(x), .y(y), .n(n), `INVERSE .z(z), .done(done));

    always @(posedge clk)
        begun <= 1;
    always @* begin
        assume (n[0] && x < n && y < n);
        if (begun && done)
            assert (z < n && {{WIDTH{1'b0}}, z} * (1 << WIDTH) % n == {{WIDTH{1'b0}}, x} * y % n);
    end
endmodule
