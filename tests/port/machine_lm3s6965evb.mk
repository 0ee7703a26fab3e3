# SPDX-License-Identifier: Apache-2.0
UART := uart_pl011
include cortex_m.mk
