# SPDX-License-Identifier: Apache-2.0
CC := arm-none-eabi-gcc
OPT ?= -O2
ARCH := -mcpu=cortex-m3 -mthumb --specs=picolibc.specs -ffunction-sections -fdata-sections -fno-common
MACHINE_H := machine_cortex_m.h
PORT_DIR ?= $(ROOT)/rtos/ports/cortex_m
BOARD := $(PORT_DIR)/boards/$(MACHINE)
PORT := $(wildcard $(PORT_DIR)/*.[cS] $(BOARD)/*.c $(ROOT)/rtos/drivers/$(UART)/*.c)
REGISTERS := registers_cortex_m.S
PLATFORM := -I$(BOARD) -I$(PORT_DIR)
PLATFORM_FILES := $(wildcard $(BOARD)/*.h $(PORT_DIR)/*.h)
LD_FILES := $(BOARD)/memory.ld $(PORT_DIR)/node.ld
LDFLAGS = -mcpu=cortex-m3 -mthumb --specs=picolibc.specs -nostartfiles -Wl,--gc-sections -Wl,--no-warn-rwx-segments $(addprefix -T ,$(LD_FILES))
RUN := qemu-system-arm -M $(MACHINE) -nographic -semihosting-config enable=on,target=native -icount shift=5,align=off,sleep=off -kernel
