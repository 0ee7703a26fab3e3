#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Runs every image of the folder $1 on QEMU: kernel tests must pass, the others must die with code 4 and their message.
set -u
qemu=${QEMU:-qemu-system-riscv32}
bad=0

run() { # image, wanted exit code, wanted text
    out=$(timeout 60 "$qemu" -M virt -nographic -bios none -kernel "$1" </dev/null 2>&1)
    code=$?
    printf '%s\n' "$out"
    if [ "$code" -ne "$2" ] || ! printf '%s\n' "$out" | grep -q "$3"; then
        echo "FAIL $1: exit code $code, want $2 with \"$3\""
        bad=1
    fi
}

for level in 0 1 2; do
    run "$1/kernel_test_$level.elf" 0 ' passed, 0 failed$'
done
overflow='^signalbox: fatal: stack-overflow, pc 0x8.*, address 0x8.*'
run "$1/fatal_0.elf" 4 "$overflow, task main\$"
run "$1/fatal_1.elf" 4 '^signalbox: exception: load access fault, cause 0x00000005, pc 0x8.*, address 0x08000000, task main$'
run "$1/fatal_2.elf" 4 '^signalbox: fatal: interrupt-stack-overflow, task main$'
run "$1/fatal_3.elf" 4 "$overflow, task main\$"
run "$1/fatal_4.elf" 4 '^signalbox: fatal: stack-overflow, task main$'
run "$1/fatal_5.elf" 4 "$overflow, task high\$"
run "$1/fatal_unguarded.elf" 4 '^signalbox: fatal: stack-overflow, task main$'
exit $bad
