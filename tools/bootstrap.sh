#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Makes sure that everything which `make` needs is installed. Looks first; installs only what is missing, with apt, when it
# may (root, or sudo without a password); otherwise says exactly what to install and exits with 5.
#
#   tools/bootstrap.sh [demo|test] [--with-browser] [--check]
#
# demo: what builds and runs an application (the default). test: also what the tests and linters need.
# --with-browser: also Chromium, for the test of the report page; without it that test is skipped.
# --check: install nothing.
set -eu

root=$(dirname -- "$(dirname -- "$(readlink -f -- "$0")")")
PATH=$PATH:${CARGO_HOME:-${HOME:-/nonexistent}/.cargo}/bin
want=demo browser= install=yes updated=
for argument; do
    case $argument in
    demo | test) want=$argument ;;
    --with-browser) browser=yes ;;
    --check) install= ;;
    *)
        echo "usage: tools/bootstrap.sh [demo|test] [--with-browser] [--check]" >&2
        exit 2
        ;;
    esac
done

say() { printf 'bootstrap: %s\n' "$*" >&2; }
have() { command -v "$1" >/dev/null 2>&1; }
at_least() { [ "$(printf '%s\n%s\n' "$1" "$2" | sort -V | head -n 1)" = "$1" ]; } # wanted, found

packages= hints=
need() { packages="$packages $*"; }
hint() { hints="$hints$*
"; }

usable_python() {
    [ -x "$root/.venv/bin/python" ] && return
    for python in python3 python3.14 python3.13 python3.12 python3.11; do
        have "$python" && "$python" -c 'import sys; sys.exit(sys.version_info < (3, 11))' 2>/dev/null &&
            "$python" -c 'import ensurepip, venv' 2>/dev/null && return
    done
    return 1
}

look_for_tools() {
    for pair in riscv64-unknown-elf-gcc:gcc-riscv64-unknown-elf cmake:cmake ninja:ninja-build \
        qemu-system-riscv32:qemu-system-misc; do
        have "${pair%%:*}" || need "${pair#*:}"
    done
    # Asked for a file that it does not have, gcc answers with the bare name.
    have riscv64-unknown-elf-gcc && [ "$(riscv64-unknown-elf-gcc -print-file-name=picolibc.specs)" != picolibc.specs ] ||
        need picolibc-riscv64-unknown-elf
    have cc || need gcc libc6-dev
    usable_python || need python3 python3-venv
    [ -e /etc/ssl/certs/ca-certificates.crt ] || need ca-certificates
    if [ "$want" = test ]; then
        have c++ || need g++
        have pkg-config || need pkg-config
        have clang-format || need clang-format
        have cppcheck || need cppcheck
        have verilator || need verilator
        have git || need git
        have gdb || need gdb
        # The ports to other processors: tests/port.
        have qemu-system-arm || need qemu-system-arm
        have arm-none-eabi-gcc || need gcc-arm-none-eabi
        have arm-none-eabi-gcc && [ "$(arm-none-eabi-gcc -print-file-name=picolibc.specs)" != picolibc.specs ] ||
            need picolibc-arm-none-eabi
    fi
    if [ -n "$browser" ] && ! have chromium && ! have chromium-browser && ! have google-chrome; then
        if [ -z "$updated" ] || candidate chromium >/dev/null; then
            need chromium
        else
            say 'there is no package chromium here (Ubuntu has a snap); the test of the report page will be skipped'
        fi
    fi
}

# Debian's rustc-web follows current Rust; its plain cargo may be too old, as Ubuntu's is, which has rustup as a package.
look_for_rust() {
    wanted=$(sed -n 's/^rust-version *= *"\([0-9.]*\)".*/\1/p' "$root/sim/Cargo.toml")
    found=none
    ! have cargo || found=$(cargo --version 2>/dev/null | cut -d' ' -f2)
    if at_least "$wanted" "${found:-none}" && [ "${found:-none}" != none ]; then
        [ "$want" = test ] || return 0
        # rustup has cargo-fmt and cargo-clippy on the path whether they are installed or not.
        sysroot=$(rustc --print sysroot)
        [ -x "$sysroot/bin/cargo-fmt" ] && [ -x "$sysroot/bin/cargo-clippy" ] && return
        if have rustup; then
            hint 'rustup component add rustfmt clippy'
        elif candidate rustfmt-web >/dev/null; then
            need rustfmt-web rust-web-clippy
        else
            need rustfmt rust-clippy
        fi
    elif have rustup; then
        hint 'rustup toolchain install stable --no-self-update && rustup default stable'
    elif candidate cargo-web >/dev/null; then
        need cargo-web rustc-web
        [ "$want" != test ] || need rustfmt-web rust-web-clippy
    elif version=$(candidate cargo) && at_least "$wanted" "$version"; then
        need cargo rustc
        [ "$want" != test ] || need rustfmt rust-clippy
    elif candidate rustup >/dev/null; then
        need rustup
        hint 'rustup toolchain install stable --no-self-update && rustup default stable'
    else
        hint "Rust $wanted or newer (found: ${found:-none}), from https://rustup.rs"
    fi
}

candidate() { # the version that apt would install, without its epoch
    have apt-cache || return 1
    version=$(LC_ALL=C apt-cache policy "$1" 2>/dev/null | sed -n 's/^ *Candidate: *\([0-9]*:\)\?//p')
    [ -n "$version" ] && [ "$version" != '(none)' ] && printf '%s\n' "$version"
}

look() {
    packages= hints=
    look_for_tools
    look_for_rust
}

report_and_stop() {
    say 'not everything that is needed is installed, and this cannot be changed from here. Please run:'
    if [ -n "$packages" ]; then
        if have apt-get; then
            printf '  sudo apt-get install -y%s\n' "$packages" >&2
        else
            printf '  (install the equivalents of these Debian packages)%s\n' "$packages" >&2
        fi
    fi
    [ -z "$hints" ] || printf '%s' "$hints" | sed 's/^/  /' >&2
    exit 5
}

look
[ -n "$packages$hints" ] || exit 0

if [ -n "$install" ]; then
    as_root=none
    if have apt-get; then
        if [ "$(id -u)" = 0 ]; then
            as_root=
        elif have sudo && sudo -n true 2>/dev/null; then
            as_root=sudo
        fi
    fi
    if [ "$as_root" != none ]; then
        # On a fresh machine apt knows no package yet, and then even the choice of a Rust package is a guess.
        say 'asking apt for its list of packages'
        $as_root apt-get update -qq >&2 || say 'apt-get update failed; going on with the lists that are here'
        updated=yes
        look
        if [ -n "$packages" ]; then
            say "installing:$packages"
            # shellcheck disable=SC2086  # one word per package
            $as_root env DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends $packages >&2 ||
                report_and_stop
            look
        fi
    fi
    if have rustup && [ -n "$hints" ]; then
        say "running: $(printf '%s' "$hints" | tr '\n' ' ')"
        printf '%s' "$hints" | grep '^rustup ' | sh >&2 || true
        look
    fi
fi
[ -z "$packages$hints" ] || report_and_stop
