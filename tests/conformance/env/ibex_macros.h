/* SPDX-License-Identifier: Apache-2.0 */
/* The package's riscv_test.h asks for this header of Ibex's testbench; nothing of it is needed here. */
