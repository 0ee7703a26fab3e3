# SPDX-License-Identifier: Apache-2.0
CC := cc
OPT ?= -O1
ARCH := -D_GNU_SOURCE $(SANITIZE)
MACHINE_H := machine_posix.h
PORT_DIR ?= $(ROOT)/rtos/ports/posix
PORT := $(wildcard $(PORT_DIR)/*.c)
REGISTERS := $(if $(filter x86_64,$(shell uname -m)),registers_x86_64.S,registers_any.c)
PLATFORM := -I$(PORT_DIR)
PLATFORM_FILES := $(wildcard $(PORT_DIR)/*.h)
LDFLAGS = $(SANITIZE)
RUN :=
