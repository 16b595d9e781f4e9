/* 32 rounds of MMM_1 by Bishop and Austin's circuit and by the one with 33 bits.  +pairs= names a file
 * of numbers Z N in hexadecimal, a pair a line; a line of output has both results. */
module rounds;
    reg [1023:0] name;
    reg [31:0] claimed, kept, n;
    wire [31:0] claimed_next, kept_next;
    wire [1:0] done;
    integer pairs, k;

    mmm_1_hw theirs(1'b0, 1'b1, 3'd0, claimed, n, done[0], claimed_next);
    mmm_1 ours(1'b0, 1'b1, 3'd0, kept, n, done[1], kept_next);

    initial begin
        if (!$value$plusargs("pairs=%s", name)) $finish;
        pairs = $fopen(name, "r");
        while ($fscanf(pairs, "%h %h", claimed, n) == 2) begin
            kept = claimed;
            for (k = 0; k < 32; k = k + 1) begin
                #1;
                claimed = claimed_next;
                kept = kept_next;
            end
            $display("%08x %08x", claimed, kept);
        end
    end
endmodule
