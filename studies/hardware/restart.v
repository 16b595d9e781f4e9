// Begins the first product of a file of vectors, and the second one after AFTER clocks; then looks on for twice the
// CLOCKS of a product.  Prints "AFTER n z clocks" for each AFTER from 1 to CLOCKS: how often `done` was 1, and what z
// was the last time, so many clocks after the second start.  HELD=2: the second start lasts two clocks.
`timescale 1ns / 1ns
module bench;
    parameter WIDTH = 128, CLOCKS = 130, HELD = 1;
    reg  [WIDTH-1:0] x, y, n, n0inv, last;
    reg  [WIDTH-1:0] first [0:3], second [0:3];
    wire [WIDTH-1:0] z;
    reg              clk = 0, start = 0;
    wire             done;
    integer          file, fields, after, clock, times, clocks;
    reg [1023:0]     name;

    `UNIT unit (.clk(clk), .start(start), .x(x), .y(y), .n(n), `INVERSE .z(z), .done(done));
    always #1 clk = !clk;

    initial begin
        if (!$value$plusargs("vectors=%s", name))
            $finish(0);
        file = $fopen(name, "r");
        fields = $fscanf(file, "%h %h %h %h\n", first[0], first[1], first[2], first[3]);
        fields = $fscanf(file, "%h %h %h %h\n", second[0], second[1], second[2], second[3]);
        for (after = 1; after <= CLOCKS; after = after + 1) begin
            times = 0;
            for (clock = 1 - HELD - after; clock <= 2 * CLOCKS; clock = clock + 1) begin
                start = clock == 1 - HELD - after || clock > -HELD && clock <= 0;
                if (clock <= -HELD)
                    {x, y, n, n0inv} = {first[0], first[1], first[2], first[3]};
                else
                    {x, y, n, n0inv} = {second[0], second[1], second[2], second[3]};
                @(negedge clk);
                if (done === 1) begin
                    times = times + 1;
                    last = z;
                    clocks = clock + 1;
                end
            end
            $display("%0d %0d %0h %0d", after, times, last, clocks);
        end
        $finish(0);
    end
endmodule
