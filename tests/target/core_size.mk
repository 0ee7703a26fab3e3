# SPDX-License-Identifier: Apache-2.0
# The kernel's core on a Cortex-M3, -Os, release: what the linker keeps of it for a node that makes the calls of core_calls.c.
#
#   make -f core_size.mk O=/tmp/out
#
# `signalbox size` counts every function that the core's files have instead.
O ?= build
ROOT := ../..
OUT := $(O)/core-size
CC := arm-none-eabi-gcc
PORT := $(ROOT)/rtos/ports/cortex_m
ARCH := -mcpu=cortex-m3 -mthumb --specs=picolibc.specs
CFLAGS := -std=c11 -Os $(ARCH) -ffunction-sections -fdata-sections -fno-common -DSB_CFG_LEVEL=0 -DSB_CFG_GUARD_BYTES=0 -I$(OUT) -I$(PORT)/boards/mps2-an385 -I$(ROOT)/rtos/include
KERNEL := $(wildcard $(ROOT)/rtos/kernel/*.c) $(ROOT)/rtos/services/timeout/server.c
VARIANTS := separate lto
LTO_separate :=
LTO_lto := -flto

all: $(foreach v,$(VARIANTS),$(OUT)/$(v)-all.elf $(OUT)/$(v)-static.elf)
	@for image in $^; do echo "$$(basename $$image .elf): $$(arm-none-eabi-size -A $$image | awk '/^.text|^.rodata/ {sum += $$2} END {print sum}') bytes"; done

$(OUT)/config.h: core_size.mk
	@mkdir -p $(OUT) && echo '#define SB_CFG_NODE 0u' > $@
$(OUT)/core.ld: core_size.mk
	@mkdir -p $(OUT) && echo 'SECTIONS { .calls : { KEEP(*(.calls)) } .text : { *(.text*) } .rodata : { *(.rodata*) } .data : { *(.data*) } .bss : { *(.bss*) } /DISCARD/ : { *(.ARM*) } }' > $@
$(OUT)/calls-all.o: core_calls.c $(OUT)/config.h ; @$(CC) $(CFLAGS) -c $< -o $@
$(OUT)/calls-static.o: core_calls.c $(OUT)/config.h ; @$(CC) $(CFLAGS) -DSTATIC -c $< -o $@

object = $(OUT)/$(1)/$(notdir $(basename $(2))).o
define compile
$(call object,$(1),$(2)): $(2) $(OUT)/config.h ; @mkdir -p $(OUT)/$(1) && $(CC) $(CFLAGS) $(LTO_$(1)) -c $$< -o $$@
endef
$(foreach v,$(VARIANTS),$(foreach s,$(KERNEL),$(eval $(call compile,$(v),$(s)))))
define link
$(OUT)/$(1)-$(2).elf: $(OUT)/calls-$(2).o $(foreach s,$(KERNEL),$(call object,$(1),$(s))) $(OUT)/core.ld ; @$(CC) $(ARCH) -Os $(LTO_$(1)) -nostdlib -Wl,--gc-sections,--unresolved-symbols=ignore-all,-e,0 -T $(OUT)/core.ld $$(filter %.o,$$^) -o $$@
endef
$(foreach v,$(VARIANTS),$(foreach c,all static,$(eval $(call link,$(v),$(c)))))

.PHONY: all
