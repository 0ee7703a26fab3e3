# SPDX-License-Identifier: Apache-2.0
# The kernel's test on another port: make -f port.mk MACHINE=mps2-an385, with the machines of tests/port.
.DEFAULT_GOAL := all
MACHINE ?= mps2-an385
O ?= build
ROOT := ../..
OUT := $(O)/$(MACHINE)
include ../port/machine_$(MACHINE).mk

WARN := -Wall -Wextra -Werror -Wconversion -Wshadow -Wstrict-prototypes
CFLAGS := -std=c11 -g $(OPT) -ffile-prefix-map=$(abspath $(ROOT))/= $(WARN) $(ARCH) -I$(OUT) -I. $(PLATFORM) -I$(ROOT)/rtos/include -I../port
RTOS := $(wildcard $(ROOT)/rtos/kernel/*.c $(ROOT)/rtos/services/*/*.c) $(PORT)
TEST := $(addsuffix .c,runner real_time scheduling tasks signals timing semaphores locks services interrupts ending) $(OUT)/config.c $(addprefix ../port/,$(REGISTERS))
HEADERS := $(wildcard *.h ../port/*.h $(ROOT)/rtos/include/signalbox/*.h $(ROOT)/rtos/kernel/*.h $(PLATFORM_FILES)) Makefile port.mk
LEVELS ?= 0 1 2

all: $(foreach l,$(LEVELS),$(OUT)/kernel_test_$(l).elf)

# The configuration of virt, beside another machine.h.
$(OUT)/machine.h: port.mk virt/config.h
	@mkdir -p $(OUT) && cp virt/config.h $(OUT) && echo '#include "$(MACHINE_H)"' > $@
$(OUT)/config.c: virt/config.c
	@mkdir -p $(OUT) && cp $< $@

object = $(OUT)/$(1)/$(notdir $(basename $(2))).o
define compile
$(call object,$(1),$(2)): $(2) $$(HEADERS) $(OUT)/machine.h ; @mkdir -p $(OUT)/$(1) && $$(CC) $$(if $$(filter %.S,$$<),$$(ARCH) $$(PLATFORM) -I$$(OUT),$$(CFLAGS)) -DSB_CFG_LEVEL=$(1) -DSB_CFG_GUARD_BYTES=0 -c $$< -o $$@
endef
$(foreach l,$(LEVELS),$(foreach s,$(RTOS) $(TEST),$(eval $(call compile,$(l),$(s)))))
$(foreach l,$(LEVELS),$(eval $(OUT)/kernel_test_$(l).elf: $(foreach s,$(RTOS) $(TEST),$(call object,$(l),$(s))) $(LD_FILES) ; @$$(CC) $$(filter %.o,$$^) $$(LDFLAGS) -o $$@))

.PHONY: all
