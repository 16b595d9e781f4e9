// z := x y 2^-WIDTH mod n for odd n and x, y < n, one bit of x in a clock, without a carry chain.
//
// t is kept as two numbers, t = s + c < 2n: an addition of a third number is one gate a bit, and no carry
// travels (carry-save).  sum and even are the s of h2's sum and even, carry and half their c.  The lowest bit
// of half is 0, so that of even is 0, too, and both are halved exactly.
// At the end s + c and s + c - n are added up, CHUNK bits in a clock.
// Clocks: 1 to begin, WIDTH rounds, CHUNKS and 1 for the two sums, 1 to choose.
// A start in the middle of a product gives it up and begins anew: done is 1 once, for the last one begun.
module h4 #(parameter WIDTH = 128, CHUNK = 16) (
    input  wire             clk, start,
    input  wire [WIDTH-1:0] x, y, n,
    output reg  [WIDTH-1:0] z,
    output reg              done
);
    localparam CHUNKS = (WIDTH + CHUNK) / CHUNK;   // of WIDTH + 1 bits
    localparam TOP = CHUNKS * CHUNK;

    reg [WIDTH:0]   bits;
    reg [WIDTH-1:0] by, modulus;
    reg [TOP:0]     s, c;                          // one bit above the top
    reg             busy;

    wire [TOP:0] xy    = bits[0] ? by : {WIDTH{1'b0}};
    wire [TOP:0] sum   = s ^ c ^ xy;
    wire [TOP:0] carry = (s & c | s & xy | c & xy) << 1;
    wire [TOP:0] qn    = sum[0] ? modulus : {WIDTH{1'b0}};
    wire [TOP:0] even  = sum ^ carry ^ qn;
    wire [TOP:0] half  = (sum & carry | sum & qn | carry & qn) << 1;

    reg [TOP-1:0]    total, minus, left;           // s + c, that less n, what is left of n
    reg              over;                         // the carry into the next chunk of total
    reg              below;                        // the borrow from the next chunk of minus
    reg [CHUNK-1:0]  part;                         // the last chunk of total
    reg [CHUNKS+1:0] turn;                         // which chunk; 0 while rounds last
    wire [CHUNK:0]   added = s[CHUNK-1:0] + c[CHUNK-1:0] + over;
    wire [CHUNK:0]   taken = part - left[CHUNK-1:0] - below;

    initial {busy, turn} = 0;

    always @(posedge clk) begin
        done <= 0;
        turn <= turn << 1;
        if (start) begin
            {bits, by, modulus} <= {1'b1, x, y, n};
            {s, c} <= 0;
            {busy, turn} <= 1 << CHUNKS + 2;
        end else if (busy) begin
            s <= even >> 1;
            c <= half >> 1;
            bits <= bits >> 1;
            if (bits[WIDTH:1] == 1) begin
                {busy, turn} <= 1;
                {over, below} <= 0;
                left <= modulus;
            end
        end else begin
            {over, part} <= added;
            s <= s >> CHUNK;
            c <= c >> CHUNK;
            if (!turn[0]) begin
                total <= {part, total[TOP-1:CHUNK]};
                minus <= {taken[CHUNK-1:0], minus[TOP-1:CHUNK]};
                below <= taken[CHUNK];
                left <= left >> CHUNK;
            end
            if (turn[CHUNKS+1]) begin
                z <= below ? total[WIDTH-1:0] : minus[WIDTH-1:0];
                done <= 1;
            end
        end
    end
endmodule
