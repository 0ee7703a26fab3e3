# SPDX-License-Identifier: Apache-2.0
UART := uart_cmsdk
include cortex_m.mk
