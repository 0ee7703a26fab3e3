# SPDX-License-Identifier: Apache-2.0
# Generated from system.toml.
set(SB_SYSTEM_NAME "golden")
set(SB_APP_DIR "<app>")
set(SB_KERNEL_LEVEL "checked")
set(SB_OPTIMISE_KERNEL "-O2")
set(SB_OPTIMISE_LINK "-O0")
set(SB_OPTIMISE_APP "-Os")
set(SB_NODES "left" "right")
set(SB_NODE_left_MARCH "rv32imac_zicsr_zifencei_zicbom")
set(SB_NODE_left_APP_MARCH "rv32imac_zicsr_zifencei_zicbom")
set(SB_NODE_left_EMULATES OFF)
set(SB_NODE_left_SOURCES
  "<app>/left.c")
set(SB_NODE_left_DRIVERS "shm_ack")
set(SB_NODE_left_MANAGERS "cm_ptp")
set(SB_NODE_right_MARCH "rv32imac_zicsr_zifencei_zicbom")
set(SB_NODE_right_APP_MARCH "rv32imac_zicsr_zifencei_zicbom")
set(SB_NODE_right_EMULATES OFF)
set(SB_NODE_right_SOURCES
  "<app>/right.c"
  "<app>/left.c")
set(SB_NODE_right_DRIVERS "shm_ack")
set(SB_NODE_right_MANAGERS "cm_ptp")
