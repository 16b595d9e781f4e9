// For Verilator: every product x y of WIDTH bits with every odd n; says how many there were and how many were wrong.
module bench #(parameter WIDTH = 8) (input wire clk);
    reg  [WIDTH-1:0] x = 0, y = 0, n = 3;
    reg              idle = 1, start = 0;
    wire [WIDTH-1:0] z;
    wire             done;
    integer          count = 0, wrong = 0;

    // -1 / n modulo 2^WIDTH by Newton's method: n is 1 / n in three bits, and each step doubles them.
    wire [WIDTH-1:0] six   = n * (2 - n * n);
    wire [WIDTH-1:0] n0inv = -(six * (2 - n * six));

    `UNIT unit (.clk(clk), .start(start), .x(x), .y(y), .n(n), `INVERSE .z(z), .done(done));

    always @(posedge clk) begin
        start <= idle;
        idle <= done;
        if (done) begin
            count <= count + 1;
            if (z >= n || {z, {WIDTH{1'b0}}} % n != {{WIDTH{1'b0}}, x} * y % n)
                wrong <= wrong + 1;
            x <= x == n - 1 ? 0 : x + 1;
            if (x == n - 1)
                y <= y == n - 1 ? 0 : y + 1;
            if (x == n - 1 && y == n - 1)
                n <= n + 2;
        end
        if (n == 1) begin   // after the last one
            $display("%0d %0d", count, wrong);
            $finish(0);
        end
    end
endmodule
