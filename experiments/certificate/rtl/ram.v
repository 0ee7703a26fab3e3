// SPDX-License-Identifier: Apache-2.0
// One memory of two ports, read in the same cycle; a wrapper adds a register where its core wants one. What the image does not
// set starts with the random values of the run's seed.
//
// Plus arguments: +image=FILE (readmemh, words from BASE).
module ram #(
    parameter [31:0] BASE = 32'h4000_0000,
    parameter integer WORDS = 1 << 18
) (
    input clk,
    input [31:0] a_addr,
    output [31:0] a_rdata,
    input [31:0] b_addr,
    output [31:0] b_rdata,
    input b_write,
    input [3:0] b_strobe,
    input [31:0] b_wdata
);
    localparam integer BITS = $clog2(WORDS);
    reg [31:0] words[0:WORDS-1];
    reg [8*1024-1:0] image;

    initial if ($value$plusargs("image=%s", image)) $readmemh(image, words);

    assign a_rdata = words[a_addr[2+:BITS]];
    assign b_rdata = words[b_addr[2+:BITS]];

    integer i;
    always @(posedge clk)
        if (b_write && b_addr[31:2+BITS] == BASE[31:2+BITS])
            for (i = 0; i < 4; i = i + 1)
                if (b_strobe[i]) words[b_addr[2+:BITS]][8*i+:8] <= b_wdata[8*i+:8];
endmodule
