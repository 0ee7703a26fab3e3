// SPDX-License-Identifier: Apache-2.0
// VexRiscv, any of the variants with a Wishbone interface: both buses end in one memory of two ports that acknowledges in the
// cycle of the request.
module top (
    input clk,
    input resetn,
    output store,
    output [31:0] store_addr,
    output [31:0] store_data,
    output stopped
);
    wire icyc, istb, dcyc, dstb, dwe;
    wire [29:0] iaddr, daddr;
    wire [31:0] irdata, drdata, dwdata;
    wire [3:0] dsel;

    VexRiscv core (
        .externalResetVector(32'h4000_0080),
        .timerInterrupt(1'b0),
        .softwareInterrupt(1'b0),
        .externalInterruptArray(32'b0),
        .iBusWishbone_CYC(icyc),
        .iBusWishbone_STB(istb),
        .iBusWishbone_ACK(icyc && istb),
        .iBusWishbone_WE(),
        .iBusWishbone_ADR(iaddr),
        .iBusWishbone_DAT_MISO(irdata),
        .iBusWishbone_DAT_MOSI(),
        .iBusWishbone_SEL(),
        .iBusWishbone_ERR(1'b0),
        .iBusWishbone_CTI(),
        .iBusWishbone_BTE(),
        .dBusWishbone_CYC(dcyc),
        .dBusWishbone_STB(dstb),
        .dBusWishbone_ACK(dcyc && dstb),
        .dBusWishbone_WE(dwe),
        .dBusWishbone_ADR(daddr),
        .dBusWishbone_DAT_MISO(drdata),
        .dBusWishbone_DAT_MOSI(dwdata),
        .dBusWishbone_SEL(dsel),
        .dBusWishbone_ERR(1'b0),
        .dBusWishbone_CTI(),
        .dBusWishbone_BTE(),
        .clk(clk),
        .reset(!resetn)
    );
    ram memory (
        .clk(clk),
        .a_addr({iaddr, 2'b0}),
        .a_rdata(irdata),
        .b_addr({daddr, 2'b0}),
        .b_rdata(drdata),
        .b_write(store),
        .b_strobe(dsel),
        .b_wdata(dwdata)
    );
    assign store = dcyc && dstb && dwe;
    assign store_addr = {daddr, 2'b0};
    assign store_data = dwdata;
    assign stopped = 1'b0;
endmodule
