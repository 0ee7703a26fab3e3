# SPDX-License-Identifier: Apache-2.0
SANITIZE := -fsanitize=address,undefined -fno-sanitize-recover=undefined -fno-omit-frame-pointer
include $(dir $(lastword $(MAKEFILE_LIST)))posix.mk
