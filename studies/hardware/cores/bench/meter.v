/* Counts what a core retires between two marks, and tells it on standard output.
 *
 * A mark is an instruction without effect, slti x0, x0, M:
 *
 *     1   the instruction after the next is the first of a call
 *     2   the instruction before was its last: a line `call INSTRUCTIONS CYCLES`
 *     3   the end: a line `class NUMBER INSTRUCTIONS CYCLES` for each class, over all calls
 *     4   the program was trapped
 *
 * An instruction costs the clocks until the next one retires where they overlap (AFTER = 1: a late
 * operand or a taken branch delays the next one), else those since the one before has retired. */
module meter #(parameter AFTER = 0) (
    input clk,
    input retired,
    input [31:0] insn,
    input [31:0] pc,
    input refill /* a line of a cache is fetched */
);
    localparam ALU = 0, SHIFT = 1, MUL = 2, DIV = 3, LOAD = 4, STORE = 5, PASSED = 6, TAKEN = 7,
               JUMP = 8, UNIT = 9, OTHER = 10, MISS = 11, CLASSES = 12;

    reg [63:0] now, at, earlier;           /* clocks: of this, the last and the last but one */
    reg [31:0] last_insn, last_pc;
    reg last_measured, measuring, starting, missed;
    reg [5:0] ending;                     /* clocks since mark 3: the last store is on its way */
    reg [63:0] instructions, cycles;      /* of this call */
    reg [63:0] count[0:CLASSES-1], clocks[0:CLASSES-1];
    reg [63:0] cost;
    reg [3:0] kind;
    integer i;

    wire marked = retired && (insn & 32'h000fffff) == 32'h00002013;
    wire [11:0] mark = marked ? insn[31:20] : 12'd0;

    initial begin
        now = 0; at = 0; earlier = 0; last_measured = 0; measuring = 0; starting = 0; missed = 0; ending = 0;
        instructions = 0; cycles = 0; last_insn = 0; last_pc = 0;
        for (i = 0; i < CLASSES; i = i + 1) begin count[i] = 0; clocks[i] = 0; end
    end

    always @(posedge clk) begin
        now <= now + 1;
        missed <= (missed && !retired) || refill;
        if (retired) begin
            at <= now;
            earlier <= at;
            last_insn <= insn;
            last_pc <= pc;
            last_measured <= measuring && mark != 2;
            if (mark == 1) starting <= 1;
            else if (starting) begin
                starting <= 0;
                measuring <= 1;
            end else if (mark == 2) measuring <= 0;
            if (last_measured) begin
                cost = AFTER ? now - at : at - earlier;
                case (last_insn[6:0])
                    7'h13, 7'h33, 7'h37, 7'h17:
                        kind = last_insn[6:0] == 7'h33 && last_insn[25] ? (last_insn[14] ? DIV : MUL)
                             : last_insn[13:12] == 1 && !last_insn[6] && !last_insn[2] ? SHIFT : ALU;
                    7'h03: kind = LOAD;
                    7'h23: kind = STORE;
                    7'h63: kind = pc == last_pc + 4 ? PASSED : TAKEN;
                    7'h67, 7'h6f: kind = JUMP;
                    7'h0b: kind = UNIT;
                    default: kind = OTHER;
                endcase
                count[kind] = count[kind] + 1;
                if (AFTER && (missed || refill)) begin /* all but one clock is the cache's */
                    clocks[MISS] = clocks[MISS] + cost - 1;
                    count[MISS] = count[MISS] + 1;
                    clocks[kind] = clocks[kind] + 1;
                end else clocks[kind] = clocks[kind] + cost;
                instructions <= instructions + 1;
                cycles <= cycles + cost;
            end
            if (mark == 2) begin
                $display("call %0d %0d", instructions + {63'd0, last_measured}, cycles + (last_measured ? cost : 0));
                instructions <= 0;
                cycles <= 0;
            end
            if (mark == 4) begin $display("trap"); $finish; end
        end
        if (mark == 3 || ending != 0) ending <= ending + 1;
        if (ending == 40) begin
            for (i = 0; i < CLASSES; i = i + 1) $display("class %0d %0d %0d", i, count[i], clocks[i]);
            $finish;
        end
    end
endmodule
