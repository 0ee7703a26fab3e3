# SPDX-License-Identifier: Apache-2.0
include $(dir $(lastword $(MAKEFILE_LIST)))posix.mk
