// z := x y 2^-WIDTH mod n for odd n and x, y < n: h5 whose multiplier works in five steps.
//
// A clock begins one a b + t_j + carry; four clocks later it ends.  In between four products of half words are
// formed (1), the outer two are joined and t_j is added to them (2), the middle two are added to that (3), and
// last the carry of the word before (4).  A quotient waits until t_0 is there, and the words after it wait for the
// quotient: these are the clocks in which nothing begins.  A row that begins in ROW clocks reads no word of t
// before the row before has written it.
// Clocks: 1 to begin, S rows of ROW, 4 until the last has ended, S + 1 for t - n, 1 to choose.
// A start in the middle of a product gives it up and begins anew: done is 1 once, for the last one begun.
module h6 #(parameter WIDTH = 128, W = 32) (
    input  wire             clk, start,
    input  wire [WIDTH-1:0] x, y, n,
    input  wire [W-1:0]     n0inv,
    output reg  [WIDTH-1:0] z,
    output reg              done
);
    localparam S = WIDTH / W, H = W / 2;
    localparam AT_Q = S + 1 > 5 ? S + 1 : 5;       // in a row: the quotient
    localparam AT_N = AT_Q + 5;                    // and the first word of q n
    localparam ROW = S < 3 ? AT_N + 4 : AT_N + S + 1;
    localparam NOTHING = 0, PRODUCT = 1, QUOTIENT = 2, REDUCTION = 3;

    // What begins.
    reg                   busy;
    reg [$clog2(S):0]     i;
    reg [$clog2(ROW)-1:0] slot;
    reg [WIDTH-1:0]       xs, ys, ns;
    reg [W-1:0]           inverse, q;
    reg [W-1:0]           t [0:S-1];

    wire [$clog2(ROW)-1:0] j = slot < AT_N ? slot : slot - AT_N;
    wire [W-1:0] y_j = j >= S ? {W{1'b0}} : ys[j*W +: W];
    wire [W-1:0] n_j = j >= S ? {W{1'b0}} : ns[j*W +: W];
    wire [1:0]   kind = !busy ? NOTHING : slot <= S ? PRODUCT : slot == AT_Q ? QUOTIENT
                      : slot >= AT_N && slot <= AT_N + S ? REDUCTION : NOTHING;

    // What goes through the four steps: the kind, the word's number, and whether the row is the first.
    reg [1:0]             kind1, kind2, kind3, kind4;
    reg [$clog2(ROW)-1:0] j1, j2, j3, j4;
    reg                   first1, first2;
    reg [W-1:0]           a, b, ll, lh, hl, hh;
    reg [W:0]             mid;
    reg [2*W-1:0]         outer, joined;
    reg [W-1:0]           high, carry;
    reg                   top;

    wire [W-1:0]   t_j = kind2 == QUOTIENT || first2 && kind2 == PRODUCT ? {W{1'b0}} : j2 == S ? high : t[j2];
    wire [2*W-1:0] result = joined + (j4 == 0 ? {W{1'b0}} : carry);

    // The end.
    reg [4+S+2:0]         turn;
    reg [$clog2(S):0]     k;
    reg                   borrow;
    reg [WIDTH-1:0]       sum, less;
    wire [W-1:0]          t_k = k == S ? high : t[k];
    wire [W:0]            taken = t_k - (k == S ? {W{1'b0}} : ns[k*W +: W]) - borrow;

    initial {busy, turn, kind1, kind2, kind3, kind4} = 0;

    always @(posedge clk) begin
        slot <= slot + 1;
        turn <= turn << 1;
        if (slot == ROW - 1) begin
            slot <= 0;
            i <= i + 1;
            xs <= xs >> W;
            if (i == S - 1 && busy)
                {busy, turn} <= 1;
        end

        {kind1, j1, first1} <= {kind, j, i == 0};
        a <= kind == PRODUCT ? xs[W-1:0] : kind == QUOTIENT ? t[0] : q;
        b <= kind == PRODUCT ? y_j : kind == QUOTIENT ? inverse : n_j;

        {kind2, j2, first2} <= {kind1, j1, first1};
        ll <= a[H-1:0] * b[H-1:0];
        lh <= a[H-1:0] * b[W-1:H];
        hl <= a[W-1:H] * b[H-1:0];
        hh <= a[W-1:H] * b[W-1:H];

        {kind3, j3} <= {kind2, j2};
        outer <= {hh, ll} + t_j;
        mid <= lh + hl;

        {kind4, j4} <= {kind3, j3};
        joined <= outer + {mid, {H{1'b0}}};

        carry <= result[2*W-1:W];
        if (kind4 == QUOTIENT)
            q <= joined[W-1:0];
        if (kind4 == PRODUCT && j4 == S)
            {top, high} <= result[W:0];
        if (kind4 == REDUCTION && j4 == S)
            high <= top + result[W];
        if (kind4 == PRODUCT && j4 != S)
            t[j4] <= result[W-1:0];
        if (kind4 == REDUCTION && j4 != 0)
            t[j4-1] <= result[W-1:0];

        k <= turn[3] ? 0 : k + 1;
        borrow <= !turn[3] && taken[W];
        if (k != S) begin
            sum <= {t_k, sum} >> W;
            less <= {taken[W-1:0], less} >> W;
        end
        done <= turn[S+5];
        if (turn[S+5])
            z <= borrow ? sum : less;

        if (start) begin
            {xs, ys, ns, inverse} <= {x, y, n, n0inv};
            {i, slot, turn, done} <= 0;
            busy <= 1;
        end
    end
endmodule
