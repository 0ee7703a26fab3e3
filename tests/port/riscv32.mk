# SPDX-License-Identifier: Apache-2.0
CROSS ?= riscv64-unknown-elf-
CC := $(CROSS)gcc
OPT ?= -O2
ARCH := -march=rv32imac_zicsr_zifencei -mabi=ilp32 -mcmodel=medany --specs=picolibc.specs -ffunction-sections -fdata-sections -fno-jump-tables -fno-common
MACHINE_H := machine_riscv32.h
PORT_DIR ?= $(ROOT)/rtos/ports/riscv32
PORT := $(wildcard $(PORT_DIR)/*.[cS] $(ROOT)/rtos/drivers/uart/*.c $(ROOT)/rtos/drivers/timer/*.c)
REGISTERS := registers_riscv32.S $(ROOT)/tests/target/registers.S
LDFLAGS = -march=rv32imac -mabi=ilp32 --specs=picolibc.specs -nostartfiles -Wl,--gc-sections -Wl,--no-warn-rwx-segments -T $(LD_FILES)
