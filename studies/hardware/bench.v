// Reads WIDTH-bit vectors "x y n n0inv", one a line in hexadecimal, and prints "z clocks" for each.  +wave= names the
// file for what the unit's signals are.
`timescale 1ns / 1ns
module bench;
    parameter WIDTH = 128, W = 32;
    reg  [WIDTH-1:0] x, y, n, n0inv;
    wire [WIDTH-1:0] z;
    reg              clk = 0, start = 0;
    wire             done;
    integer          file, clocks;
    reg [1023:0]     name;

    `UNIT unit (.clk(clk), .start(start), .x(x), .y(y), .n(n), `INVERSE .z(z), .done(done));
    always #1 clk = !clk;

    initial begin
        if (!$value$plusargs("vectors=%s", name))
            $finish(0);
        file = $fopen(name, "r");
        if ($value$plusargs("wave=%s", name)) begin
            $dumpfile(name);
            $dumpvars(1, unit);
        end
        while ($fscanf(file, "%h %h %h %h\n", x, y, n, n0inv) == 4) begin
            start = 1;
            @(negedge clk) start = 0;
            clocks = 1;
            while (done !== 1) begin
                @(negedge clk) clocks = clocks + 1;
            end
            $display("%0h %0d", z, clocks);
            @(negedge clk);
        end
        $finish(0);
    end
endmodule
