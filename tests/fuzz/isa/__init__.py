# SPDX-License-Identifier: Apache-2.0
"""Differential fuzzing of the instruction set: the same random programs on the simulator and on QEMU."""
