/* SPDX-License-Identifier: Apache-2.0 */
/* riscv-tests on QEMU's virt machine: the package's environment `p`, but a test ends through the finisher. In user mode, too: the
 * environment opens all addresses to it. A trap that nobody expects writes `tohost` for ever, and the run's limit ends it. */
#include "p/riscv_test.h"

#undef RVTEST_PASS
#undef RVTEST_FAIL

/* clang-format off: assembly */
#define RVTEST_PASS  \
    fence;           \
    li x2, 0x100000; \
    li x1, 0x5555;   \
    sw x1, 0(x2);    \
    99:;             \
    j 99b;

/* The code is the number of the case that failed. */
#define RVTEST_FAIL            \
    fence;                     \
    slli TESTNUM, TESTNUM, 16; \
    li x1, 0x3333;             \
    or x1, x1, TESTNUM;        \
    li x2, 0x100000;           \
    sw x1, 0(x2);              \
    99:;                       \
    j 99b;
