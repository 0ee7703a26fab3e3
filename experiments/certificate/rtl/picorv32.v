// SPDX-License-Identifier: Apache-2.0
// PicoRV32 as its README describes the cycles of it: native interface, a memory that answers in the cycle of the request.
// Defaults, and the options ENABLE_MUL, ENABLE_DIV and COMPRESSED_ISA.
module top (
    input clk,
    input resetn,
    output store,
    output [31:0] store_addr,
    output [31:0] store_data,
    output stopped
);
    wire valid;
    wire [31:0] addr, rdata, wdata, unused;
    wire [3:0] strobe;

    picorv32 #(
        .ENABLE_MUL(1),
        .ENABLE_DIV(1),
        .COMPRESSED_ISA(1),
        .PROGADDR_RESET(32'h4000_0080)
    ) core (
        .clk(clk),
        .resetn(resetn),
        .trap(stopped),
        .mem_valid(valid),
        .mem_instr(),
        .mem_ready(valid),
        .mem_addr(addr),
        .mem_wdata(wdata),
        .mem_wstrb(strobe),
        .mem_rdata(rdata),
        .mem_la_read(),
        .mem_la_write(),
        .mem_la_addr(),
        .mem_la_wdata(),
        .mem_la_wstrb(),
        .pcpi_valid(),
        .pcpi_insn(),
        .pcpi_rs1(),
        .pcpi_rs2(),
        .pcpi_wr(1'b0),
        .pcpi_rd(32'b0),
        .pcpi_wait(1'b0),
        .pcpi_ready(1'b0),
        .irq(32'b0),
        .eoi(),
        .trace_valid(),
        .trace_data()
    );
    ram memory (
        .clk(clk),
        .a_addr(32'b0),
        .a_rdata(unused),
        .b_addr(addr),
        .b_rdata(rdata),
        .b_write(store),
        .b_strobe(strobe),
        .b_wdata(wdata)
    );
    assign store = valid && |strobe;
    assign store_addr = addr;
    assign store_data = wdata;
endmodule
