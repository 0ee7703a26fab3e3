# SPDX-License-Identifier: Apache-2.0
"""Runs images: on the simulator with console, input and limits, or on QEMU."""
