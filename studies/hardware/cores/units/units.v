/* All units behind one port: id chooses.  start stays until done, which ends the instruction.  Where start ends before,
 * the instruction is given up: it has changed nothing.  A product that the engine has begun (op 2) goes on, and what comes
 * next waits for its end; the limbs that it was given (op 0 and 1) are counted on until another op comes. */
module units (
    input clk,
    input start, input [6:0] id, input [2:0] op, input [31:0] a, input [31:0] b,
    output done, output [31:0] z
);
    wire [4:0] ready;
    wire [31:0] z0, z1, z2, z3, z4;
    mmm_1_hw     unit0(clk, start && id == 0, op, a, b, ready[0], z0);
    mmm_1        unit1(clk, start && id == 1, op, a, b, ready[1], z1);
    carry        unit2(clk, start && id == 2, op, a, b, ready[2], z2);
    multiply_add unit3(clk, start && id == 3, op, a, b, ready[3], z3);
    engine       unit4(clk, start && id == 4, op, a, b, ready[4], z4);
    assign done = |ready;
    assign z = id == 0 ? z0 : id == 1 ? z1 : id == 2 ? z2 : id == 3 ? z3 : z4;
endmodule
