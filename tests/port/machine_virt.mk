# SPDX-License-Identifier: Apache-2.0
include $(dir $(lastword $(MAKEFILE_LIST)))riscv32.mk
# Stack guards, as at the checked level where there is memory protection.
GUARD := 64
PLATFORM := -I$(ROOT)/tests/target/virt
PLATFORM_FILES := $(ROOT)/tests/target/virt/platform.h
LD_FILES := $(ROOT)/tests/target/virt/node.ld
RUN := qemu-system-riscv32 -M virt -nographic -bios none -icount shift=6,align=off,sleep=off -kernel
