// SPDX-License-Identifier: Apache-2.0
// Two Ibex cores (as in ibex.sv), one memory with a port for each master, and behind a crossbar of ours what they meet at: a
// hardware mutex, a doorbell for each core, console and finisher. Registers as in sim/dev, addresses as in platforms/rtl-ibex-two.toml.
//
// Crossbar: a request reaches its slave in the cycle after it is made, each slave serves one master a cycle, round robin, and the
// master is granted in the cycle after that.

// One core with its own ports of the memory and one of the crossbar.
module node #(
    parameter [31:0] HART = 0
) (
    input logic clk,
    input logic resetn,
    input logic irq,
    output logic [31:0] instr_addr,
    input logic [31:0] instr_word,
    output logic [31:0] data_addr,
    input logic [31:0] data_word,
    output logic ram_write,
    output logic [3:0] data_be,
    output logic [31:0] data_wdata,
    output logic want,
    output logic want_write,
    input logic served,
    input logic [31:0] served_word,
    output logic stopped
);
  import ibex_pkg::*;

  logic instr_req, instr_valid, data_req, data_gnt, data_valid, data_we;
  logic [31:0] instr_q, data_q;
  logic [4:0] raddr_a, raddr_b, waddr;
  logic [31:0] rdata_a, rdata_b, wdata;
  logic we, dummy_id, dummy_wb;

  // A request to the crossbar: seen, waiting at its slave, granted.
  typedef enum logic [1:0] {
    SEEN,
    WAITING,
    GRANTED
  } state_e;
  state_e state;
  logic outside;

  assign outside = data_req && data_addr[31:28] != 4'h4;
  assign want = state == WAITING;
  assign want_write = data_we;
  assign data_gnt = data_req && (!outside || state == GRANTED);
  assign ram_write = data_req && data_we && !outside;

  always_ff @(posedge clk or negedge resetn)
    if (!resetn) begin
      state <= SEEN;
      instr_valid <= 1'b0;
      data_valid <= 1'b0;
    end else begin
      case (state)
        SEEN: if (outside) state <= WAITING;
        WAITING: if (served) state <= GRANTED;
        default: state <= SEEN;
      endcase
      instr_valid <= instr_req;
      instr_q <= instr_word;
      data_valid <= data_gnt;
      if (!outside) data_q <= data_word;
      else if (served) data_q <= served_word;
    end

  ibex_core core (
      .clk_i(clk),
      .rst_ni(resetn),
      .hart_id_i(HART),
      .boot_addr_i(32'h4000_0000),
      .instr_req_o(instr_req),
      .instr_gnt_i(instr_req),
      .instr_rvalid_i(instr_valid),
      .instr_addr_o(instr_addr),
      .instr_rdata_i(instr_q),
      .instr_err_i(1'b0),
      .data_req_o(data_req),
      .data_gnt_i(data_gnt),
      .data_rvalid_i(data_valid),
      .data_we_o(data_we),
      .data_be_o(data_be),
      .data_addr_o(data_addr),
      .data_wdata_o(data_wdata),
      .data_rdata_i(data_q),
      .data_err_i(1'b0),
      .dummy_instr_id_o(dummy_id),
      .dummy_instr_wb_o(dummy_wb),
      .rf_raddr_a_o(raddr_a),
      .rf_raddr_b_o(raddr_b),
      .rf_waddr_wb_o(waddr),
      .rf_we_wb_o(we),
      .rf_wdata_wb_ecc_o(wdata),
      .rf_rdata_a_ecc_i(rdata_a),
      .rf_rdata_b_ecc_i(rdata_b),
      .ic_tag_req_o(),
      .ic_tag_write_o(),
      .ic_tag_addr_o(),
      .ic_tag_wdata_o(),
      .ic_tag_rdata_i('{default: '0}),
      .ic_data_req_o(),
      .ic_data_write_o(),
      .ic_data_addr_o(),
      .ic_data_wdata_o(),
      .ic_data_rdata_i('{default: '0}),
      .ic_scr_key_valid_i(1'b1),
      .ic_scr_key_req_o(),
      .irq_software_i(1'b0),
      .irq_timer_i(1'b0),
      .irq_external_i(1'b0),
      .irq_fast_i({14'd0, irq}),
      .irq_nm_i(1'b0),
      .irq_pending_o(),
      .debug_req_i(1'b0),
      .crash_dump_o(),
      .double_fault_seen_o(stopped),
      .fetch_enable_i(IbexMuBiOn),
      .alert_minor_o(),
      .alert_major_internal_o(),
      .alert_major_bus_o(),
      .core_busy_o()
  );
  ibex_register_file_ff registers (
      .clk_i(clk),
      .rst_ni(resetn),
      .test_en_i(1'b0),
      .dummy_instr_id_i(dummy_id),
      .dummy_instr_wb_i(dummy_wb),
      .raddr_a_i(raddr_a),
      .rdata_a_o(rdata_a),
      .raddr_b_i(raddr_b),
      .rdata_b_o(rdata_b),
      .waddr_a_i(waddr),
      .wdata_a_i(wdata),
      .we_a_i(we),
      .err_o()
  );
endmodule

// Who is served at one slave: the first that wants, from the one after the last served.
module round_robin (
    input logic clk,
    input logic resetn,
    input logic [1:0] want,
    output logic [1:0] serve
);
  logic last;
  assign serve = want == 2'b11 ? (last ? 2'b01 : 2'b10) : want;
  always_ff @(posedge clk or negedge resetn)
    if (!resetn) last <= 1'b1;
    else if (|want) last <= serve[1];
endmodule

module top (
    input logic clk,
    input logic resetn,
    output logic store,
    output logic [31:0] store_addr,
    output logic [31:0] store_data,
    output logic stopped
);
  localparam int SLAVES = 5;  // finisher, console, doorbell of 0, of 1, mutex

  logic [31:0] iaddr[2], iword[2], daddr[2], dword[2], dwdata[2];
  logic [3:0] be[2];
  logic [1:0] ram_write, want, want_write, served, halt;
  logic [31:0] served_word[2];
  logic [31:0] pending[2], next_pending[2];
  logic [31:0] mutex;
  logic [1:0] serve[SLAVES];

  for (genvar n = 0; n < 2; n++) begin : g_node
    node #(
        .HART(n)
    ) one (
        .clk(clk),
        .resetn(resetn),
        .irq(|next_pending[n]),
        .instr_addr(iaddr[n]),
        .instr_word(iword[n]),
        .data_addr(daddr[n]),
        .data_word(dword[n]),
        .ram_write(ram_write[n]),
        .data_be(be[n]),
        .data_wdata(dwdata[n]),
        .want(want[n]),
        .want_write(want_write[n]),
        .served(served[n]),
        .served_word(served_word[n]),
        .stopped(halt[n])
    );
  end

  function automatic logic [SLAVES-1:0] decode(input logic [31:0] addr);
    decode = '0;
    if (addr[31:12] == 20'h00100) decode[0] = 1'b1;
    if (addr[31:8] == 24'h100000) decode[1] = 1'b1;
    if (addr[31:3] == 29'(32'h1000_2000 >> 3)) decode[2] = 1'b1;
    if (addr[31:3] == 29'(32'h1000_2010 >> 3)) decode[3] = 1'b1;
    if (addr[31:3] == 29'(32'h1000_3000 >> 3)) decode[4] = 1'b1;
  endfunction

  for (genvar s = 0; s < SLAVES; s++) begin : g_slave
    logic [1:0] here;
    for (genvar n = 0; n < 2; n++) begin : g_want
      wire [SLAVES-1:0] at = decode(daddr[n]);
      assign here[n] = want[n] && at[s];
    end
    round_robin arbiter (
        .clk(clk),
        .resetn(resetn),
        .want(here),
        .serve(serve[s])
    );
  end

  // A doorbell rings in the cycle in which it is written.
  always_comb
    for (int k = 0; k < 2; k++) begin
      next_pending[k] = pending[k];
      for (int n = 0; n < 2; n++)
        if (serve[2+k][n] && want_write[n])
          next_pending[k] = daddr[n][2] ? pending[k] & ~dwdata[n] : pending[k] | dwdata[n];
    end

  always_comb begin
    served = '0;
    for (int s = 0; s < SLAVES; s++) served |= serve[s];
    for (int n = 0; n < 2; n++)
      served_word[n] = serve[4][n] ? mutex : serve[2][n] ? pending[0] : serve[3][n] ? pending[1] : '0;
  end

  always_ff @(posedge clk or negedge resetn)
    if (!resetn) begin
      pending[0] <= '0;
      pending[1] <= '0;
      mutex <= '0;
    end else begin
      pending[0] <= next_pending[0];
      pending[1] <= next_pending[1];
      for (int n = 0; n < 2; n++)
        if (serve[4][n] && want_write[n] && !daddr[n][2])
          if (mutex[15:0] == '0 || mutex[31:16] == dwdata[n][31:16]) mutex <= dwdata[n];
    end

  // The memory: a word that both write in one cycle is the second core's.
  localparam int WORDS = 1 << 18;
  logic [31:0] words[WORDS];
  logic [8*1024-1:0] image;
  initial if ($value$plusargs("image=%s", image)) $readmemh(image, words);
  for (genvar n = 0; n < 2; n++) begin : g_port
    assign iword[n] = words[iaddr[n][2+:18]];
    assign dword[n] = words[daddr[n][2+:18]];
  end
  always_ff @(posedge clk)
    for (int n = 0; n < 2; n++)
      for (int i = 0; i < 4; i++)
        if (ram_write[n] && be[n][i]) words[daddr[n][2+:18]][8*i+:8] <= dwdata[n][8*i+:8];

  // The bench sees the first core.
  assign store = ram_write[0] || (served[0] && want_write[0]);
  assign store_addr = daddr[0];
  assign store_data = dwdata[0];
  assign stopped = |halt;
endmodule
