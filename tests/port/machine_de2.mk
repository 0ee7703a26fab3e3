# SPDX-License-Identifier: Apache-2.0
include $(dir $(lastword $(MAKEFILE_LIST)))riscv32.mk
PLATFORM := -I$(ROOT)/tests/target/de2
PLATFORM_FILES := $(ROOT)/tests/target/de2/platform.h
LD_FILES := $(OUT)/node.ld
RUN := $(ROOT)/signalbox run --platform de2-dual

# The script of virt, in the SDRAM of de2-dual.
$(OUT)/node.ld: $(ROOT)/tests/target/virt/node.ld machine_de2.mk | $(OUT)
	@sed 's/ORIGIN = 0x80000000, LENGTH = 0x7FC0000/ORIGIN = 0x00800000, LENGTH = 0x3C0000/' $< > $@
	@grep -q 'ORIGIN = 0x00800000' $@
