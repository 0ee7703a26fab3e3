/* SPDX-License-Identifier: Apache-2.0 */
/* Generated from sim/trace/schema.toml by tools/gen_probe_ids.py; do not edit. */
#ifndef SIGNALBOX_PROBE_IDS_H
#define SIGNALBOX_PROBE_IDS_H

#define SB_PROBE_SCHEMA_VERSION 1

#define SB_PROBE_ID_task_create 32
#define SB_PROBE_ID_switch_begin 33
#define SB_PROBE_ID_switch_end 34
#define SB_PROBE_ID_send_call 35
#define SB_PROBE_ID_send_return 36
#define SB_PROBE_ID_receive_call 37
#define SB_PROBE_ID_receive_return 38
#define SB_PROBE_ID_kernel_enter 39
#define SB_PROBE_ID_kernel_exit 40
#define SB_PROBE_ID_isr_enter 41
#define SB_PROBE_ID_isr_exit 42
#define SB_PROBE_ID_cm_transmit_enter 48
#define SB_PROBE_ID_cm_transmit_exit 49
#define SB_PROBE_ID_drv_write_enter 50
#define SB_PROBE_ID_drv_write_exit 51
#define SB_PROBE_ID_drv_read_enter 52
#define SB_PROBE_ID_drv_read_exit 53
#define SB_PROBE_ID_cm_handle_rx_enter 54
#define SB_PROBE_ID_cm_handle_rx_exit 55
#define SB_PROBE_ID_cm_handle_tx_enter 56
#define SB_PROBE_ID_cm_handle_tx_exit 57
#define SB_PROBE_ID_rlnh_deliver_enter 58
#define SB_PROBE_ID_rlnh_deliver_exit 59
#define SB_PROBE_ID_copy_enter 60
#define SB_PROBE_ID_copy_exit 61
#define SB_PROBE_ID_doorbell_enter 62
#define SB_PROBE_ID_doorbell_exit 63
#define SB_PROBE_ID_manager_enter 64
#define SB_PROBE_ID_manager_exit 65
#define SB_PROBE_ID_mark 72

#endif
