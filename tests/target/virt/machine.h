/* SPDX-License-Identifier: Apache-2.0 */
/* The line that software can raise. */
#include "../../port/machine_riscv32.h"
