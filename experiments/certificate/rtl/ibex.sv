// SPDX-License-Identifier: Apache-2.0
// Ibex in the configuration `small` of its ibex_configs.yaml, with a memory that grants at once and answers in the next
// cycle, as the memories of its simple system do. Core and register file are joined here; ibex_top adds only
// clock gating, scrambling and lockstep, none of which this configuration has.
module top (
    input logic clk,
    input logic resetn,
    output logic store,
    output logic [31:0] store_addr,
    output logic [31:0] store_data,
    output logic stopped
);
  import ibex_pkg::*;

  logic instr_req, instr_valid, data_req, data_valid, data_we;
  logic [31:0] instr_addr, instr_word, instr_q, data_addr, data_word, data_q, data_wdata;
  logic [3:0] data_be;
  logic [4:0] raddr_a, raddr_b, waddr;
  logic [31:0] rdata_a, rdata_b, wdata;
  logic we, dummy_id, dummy_wb;

  ibex_core core (
      .clk_i(clk),
      .rst_ni(resetn),
      .hart_id_i(32'd0),
      .boot_addr_i(32'h4000_0000),
      .instr_req_o(instr_req),
      .instr_gnt_i(instr_req),
      .instr_rvalid_i(instr_valid),
      .instr_addr_o(instr_addr),
      .instr_rdata_i(instr_q),
      .instr_err_i(1'b0),
      .data_req_o(data_req),
      .data_gnt_i(data_req),
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
      .irq_fast_i(15'd0),
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
  ram memory (
      .clk(clk),
      .a_addr(instr_addr),
      .a_rdata(instr_word),
      .b_addr(data_addr),
      .b_rdata(data_word),
      .b_write(store),
      .b_strobe(data_be),
      .b_wdata(data_wdata)
  );
  always_ff @(posedge clk or negedge resetn)
    if (!resetn) begin
      instr_valid <= 1'b0;
      data_valid  <= 1'b0;
    end else begin
      instr_valid <= instr_req;
      data_valid <= data_req;
      instr_q <= instr_word;
      data_q <= data_word;
    end
  assign store = data_req && data_we;
  assign store_addr = data_addr;
  assign store_data = data_wdata;
endmodule
