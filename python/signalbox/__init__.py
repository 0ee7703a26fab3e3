# SPDX-License-Identifier: Apache-2.0
"""Signalbox: builds, runs and measures multicore systems from the command line."""

__version__ = "0.1.0"
