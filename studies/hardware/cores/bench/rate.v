/* PicoRV32 with a unit behind its port and 4 KB of memory, for synthesis: what clock rate is left. */
module rate (input clk, output reg out);
    reg [31:0] memory[0:1023];
    reg [3:0] starting = 0;
    reg [31:0] read;
    wire trap, la_read, la_write;
    wire [31:0] la_addr, la_wdata;
    wire [3:0] la_wstrb;
    wire pcpi_valid, pcpi_wr, pcpi_wait, pcpi_ready;
    wire [31:0] pcpi_insn, pcpi_rs1, pcpi_rs2, pcpi_rd;
    integer i;
    picorv32 #(.ENABLE_PCPI(1), .ENABLE_DIV(1), .ENABLE_FAST_MUL(1), .BARREL_SHIFTER(1), .ENABLE_COUNTERS(0)) core (
        .clk(clk), .resetn(starting[3]), .trap(trap), .mem_ready(1'b1), .mem_rdata(read),
        .mem_la_read(la_read), .mem_la_write(la_write), .mem_la_addr(la_addr),
        .mem_la_wdata(la_wdata), .mem_la_wstrb(la_wstrb), .irq(32'd0),
        .pcpi_valid(pcpi_valid), .pcpi_insn(pcpi_insn), .pcpi_rs1(pcpi_rs1), .pcpi_rs2(pcpi_rs2),
        .pcpi_wr(pcpi_wr), .pcpi_rd(pcpi_rd), .pcpi_wait(pcpi_wait), .pcpi_ready(pcpi_ready));
    wire start = pcpi_valid && pcpi_insn[6:0] == 7'h0b;
`ifdef UNIT
    `UNIT unit(clk, start, pcpi_insn[14:12], pcpi_rs1, pcpi_rs2, pcpi_ready, pcpi_rd);
`else
    assign pcpi_ready = 0, pcpi_rd = 0;
`endif
    assign pcpi_wr = pcpi_ready, pcpi_wait = start;
    always @(posedge clk) begin
        if (!starting[3]) starting <= starting + 1;
        if (la_read) read <= memory[la_addr[11:2]];
        if (la_write) for (i = 0; i < 4; i = i + 1) if (la_wstrb[i]) memory[la_addr[11:2]][8*i +: 8] <= la_wdata[8*i +: 8];
        out <= trap ^ ^la_addr;
    end
endmodule
