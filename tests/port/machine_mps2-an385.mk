# SPDX-License-Identifier: Apache-2.0
UART := uart_cmsdk
include $(dir $(lastword $(MAKEFILE_LIST)))cortex_m.mk
