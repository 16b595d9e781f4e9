// z := x y 2^-WIDTH mod n for odd n and x, y < n, with words of W bits and one multiplier of W by W bits.
//
// Row i adds x_i y to t, finds q := t_0 n0inv mod 2^W, where n0inv = -1/n mod 2^W, adds q n, and drops the
// lowest word, which is 0 (coarsely integrated operand scanning: Koc, Acar, Kaliski 1996).  Each clock does one
// a b + t_j + carry < 2^2W.  Before and after a row t < 2n: S words and a bit, in `high`.  Inside a row
// `high` is a word, and `top` the bit above it.
// Clocks: 1 to begin, S rows of 2 S + 3, S + 1 for t - n, 1 to choose.
// A start in the middle of a product gives it up and begins anew: done is 1 once, for the last one begun.
module h5 #(parameter WIDTH = 128, W = 32) (
    input  wire             clk, start,
    input  wire [WIDTH-1:0] x, y, n,
    input  wire [W-1:0]     n0inv,
    output reg  [WIDTH-1:0] z,
    output reg              done
);
    localparam S = WIDTH / W;
    localparam PRODUCT = 0, QUOTIENT = 1, REDUCTION = 2, SUBTRACTION = 3, LAST = 4, IDLE = 5;

    reg [2:0]         state;
    reg [$clog2(S):0] i, j;
    reg [W-1:0]       t [0:S-1];
    reg [W-1:0]       q, high, carry, inverse;
    reg               top, first, borrow;
    reg [WIDTH-1:0]   xs, ys, ns, sum, less;       // xs moves on by a word a row

    wire end_of_row = j == S;
    wire [W-1:0] y_j = end_of_row ? {W{1'b0}} : ys[j*W +: W];
    wire [W-1:0] n_j = end_of_row ? {W{1'b0}} : ns[j*W +: W];
    wire [W-1:0] old = end_of_row ? high : t[j];
    wire [W-1:0] t_j = first && state == PRODUCT ? {W{1'b0}} : old;

    wire [W-1:0]   a = state == PRODUCT ? xs[W-1:0] : state == QUOTIENT ? t[0] : q;
    wire [W-1:0]   b = state == PRODUCT ? y_j : state == QUOTIENT ? inverse : n_j;
    wire [2*W-1:0] result = a * b + (state == QUOTIENT ? {W{1'b0}} : t_j + carry);
    wire [W:0]     taken = t_j - n_j - borrow;

    initial state = IDLE;

    always @(posedge clk) begin
        done <= 0;
        j <= j + 1;
        carry <= result[2*W-1:W];
        case (state)
        PRODUCT: begin
            if (end_of_row) begin
                {top, high} <= result[W:0];
                state <= QUOTIENT;
            end else
                t[j] <= result[W-1:0];
        end
        QUOTIENT: begin
            q <= result[W-1:0];
            carry <= 0;
            j <= 0;
            state <= REDUCTION;
        end
        REDUCTION: begin
            if (j != 0)
                t[j-1] <= result[W-1:0];
            if (end_of_row) begin
                high <= top + result[W];
                {carry, first, borrow} <= 0;
                xs <= xs >> W;
                {i, j} <= {i + 1'b1, {$clog2(S)+1{1'b0}}};
                state <= i == S - 1 ? SUBTRACTION : PRODUCT;
            end
        end
        SUBTRACTION: begin
            borrow <= taken[W];
            if (end_of_row)
                state <= LAST;
            else begin
                sum <= {t_j, sum} >> W;
                less <= {taken[W-1:0], less} >> W;
            end
        end
        LAST: begin
            z <= borrow ? sum : less;
            done <= 1;
            state <= IDLE;
        end
        endcase
        if (start) begin
            {xs, ys, ns, inverse} <= {x, y, n, n0inv};
            {i, j, carry} <= 0;
            first <= 1;
            done <= 0;
            state <= PRODUCT;
        end
    end
endmodule
