// A unit between registers, as synthesis measures it: operands come and the result goes in words of 32 bits, so
// that 128 bits need no 512 pins, and no path begins or ends outside.
module registered #(parameter WIDTH = 128) (
    input  wire        clk, start, shift,
    input  wire [31:0] in,
    output reg  [31:0] out,
    output reg         finished
);
    reg  [WIDTH-1:0] x, y, n, n0inv, result;
    reg              begun;
    wire [WIDTH-1:0] z;
    wire             done;

    `UNIT unit (.clk(clk), .start(begun), .x(x), .y(y), .n(n), `INVERSE .z(z), .done(done));

    always @(posedge clk) begin
        begun <= start;
        finished <= done;
        if (shift)
            {n0inv, n, y, x} <= {in, n0inv, n, y, x} >> 32;
        result <= done ? z : result >> 32;
        out <= result[31:0];
    end
endmodule
