/* PicoRV32 with 256 KB of memory that answers every access in one clock, as block RAM does. */
module bench #(parameter FAST = 1) (input clk);
    reg [31:0] memory[0:65535];
    reg [1023:0] image;
    reg [3:0] starting = 0;
    reg [31:0] read;
    wire trap, la_read, la_write, retired;
    wire [31:0] la_addr, la_wdata, insn, pc;
    wire [3:0] la_wstrb;
    wire pcpi_valid, pcpi_wr, pcpi_wait, pcpi_ready;
    wire [31:0] pcpi_insn, pcpi_rs1, pcpi_rs2, pcpi_rd;
    integer i;

    initial begin
        if (!$value$plusargs("image=%s", image)) $finish;
        $readmemh(image, memory);
    end

    picorv32 #(
        .PROGADDR_RESET(32), .ENABLE_PCPI(1), .ENABLE_DIV(1),
        .ENABLE_MUL(!FAST), .ENABLE_FAST_MUL(FAST), .BARREL_SHIFTER(FAST)
    ) core (
        .clk(clk), .resetn(starting[3]), .trap(trap), .mem_ready(1'b1), .mem_rdata(read),
        .mem_la_read(la_read), .mem_la_write(la_write), .mem_la_addr(la_addr),
        .mem_la_wdata(la_wdata), .mem_la_wstrb(la_wstrb), .irq(32'd0),
        .pcpi_valid(pcpi_valid), .pcpi_insn(pcpi_insn), .pcpi_rs1(pcpi_rs1), .pcpi_rs2(pcpi_rs2),
        .pcpi_wr(pcpi_wr), .pcpi_rd(pcpi_rd), .pcpi_wait(pcpi_wait), .pcpi_ready(pcpi_ready),
        .rvfi_valid(retired), .rvfi_insn(insn), .rvfi_pc_rdata(pc)
    );
    wire start = pcpi_valid && pcpi_insn[6:0] == 7'h0b;
    units units(clk, start, pcpi_insn[31:25], pcpi_insn[14:12], pcpi_rs1, pcpi_rs2, pcpi_ready, pcpi_rd);
    assign pcpi_wr = pcpi_ready, pcpi_wait = start;
    meter #(.AFTER(0)) meter(.clk(clk), .retired(retired), .insn(insn), .pc(pc), .refill(1'b0));

    always @(posedge clk) begin
        if (!starting[3]) starting <= starting + 1;
        if (la_read) read <= memory[la_addr[17:2]];
        if (la_write && la_addr[30]) $display("word %08x", la_wdata);
        else if (la_write)
            for (i = 0; i < 4; i = i + 1)
                if (la_wstrb[i]) memory[la_addr[17:2]][8*i +: 8] <= la_wdata[8*i +: 8];
        if (trap) begin $display("trap"); $finish; end
    end
endmodule
