/* VexRiscv with 256 KB of memory on both buses: a write takes a clock, a read two.  Addresses from
 * 2^31 on pass by the cache. */
module bench (input clk);
    reg [31:0] memory[0:65535];
    reg [1023:0] image;
    reg [3:0] starting = 0;
    reg [31:0] i_read, d_read;
    reg i_ack = 0, d_ack = 0;
    wire i_cyc, i_stb, d_cyc, d_stb, d_we;
    wire [29:0] i_adr, d_adr;
    wire [31:0] d_write;
    wire [3:0] d_sel;
`ifdef CFU
    wire cmd_valid, cmd_ready, rsp_ready;
    wire [9:0] id;
    wire [31:0] rs1, rs2, z;
    reg rsp_valid = 0;
    reg [31:0] rd; /* a result is there in the clock after its operands, in the next stage */
    units units(clk, cmd_valid && (!rsp_valid || rsp_ready), id[9:3], id[2:0], rs1, rs2, cmd_ready, z);
    always @(posedge clk) begin
        if (cmd_ready) rd <= z;
        if (cmd_ready || rsp_ready) rsp_valid <= cmd_ready;
    end
`endif
    integer i;

    initial begin
        if (!$value$plusargs("image=%s", image)) $finish;
        $readmemh(image, memory);
    end

    VexRiscv core (
        .externalResetVector(32'd0), .timerInterrupt(1'b0), .softwareInterrupt(1'b0),
        .externalInterruptArray(32'd0),
`ifdef CFU
        .CfuPlugin_bus_cmd_valid(cmd_valid), .CfuPlugin_bus_cmd_ready(cmd_ready),
        .CfuPlugin_bus_cmd_payload_function_id(id),
        .CfuPlugin_bus_cmd_payload_inputs_0(rs1), .CfuPlugin_bus_cmd_payload_inputs_1(rs2),
        .CfuPlugin_bus_rsp_valid(rsp_valid), .CfuPlugin_bus_rsp_ready(rsp_ready),
        .CfuPlugin_bus_rsp_payload_outputs_0(rd),
`endif
        .iBusWishbone_CYC(i_cyc), .iBusWishbone_STB(i_stb), .iBusWishbone_ACK(i_ack),
        .iBusWishbone_ADR(i_adr), .iBusWishbone_DAT_MISO(i_read), .iBusWishbone_ERR(1'b0),
        .dBusWishbone_CYC(d_cyc), .dBusWishbone_STB(d_stb), .dBusWishbone_ACK(d_ack || (d_stb && d_we)),
        .dBusWishbone_WE(d_we), .dBusWishbone_ADR(d_adr), .dBusWishbone_DAT_MISO(d_read),
        .dBusWishbone_DAT_MOSI(d_write), .dBusWishbone_SEL(d_sel), .dBusWishbone_ERR(1'b0),
        .clk(clk), .reset(!starting[3])
    );
    meter #(.AFTER(1)) meter(
        .clk(clk), .retired(core.lastStageIsFiring && starting[3]), .insn(core.lastStageInstruction),
        .pc(core.lastStagePc), .refill(i_cyc || (d_cyc && !d_we))
    );

    always @(posedge clk) begin
        if (!starting[3]) starting <= starting + 1;
        i_ack <= i_cyc && i_stb && !i_ack;
        i_read <= memory[i_adr[15:0]];
        d_ack <= d_cyc && d_stb && !d_we && !d_ack;
        d_read <= memory[d_adr[15:0]];
        if (d_cyc && d_stb && d_we) begin
            if (d_adr[28]) $display("word %08x", d_write);
            else for (i = 0; i < 4; i = i + 1)
                if (d_sel[i]) memory[d_adr[15:0]][8*i +: 8] <= d_write[8*i +: 8];
        end
    end
endmodule
