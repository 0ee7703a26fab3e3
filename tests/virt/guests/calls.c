/* SPDX-License-Identifier: Apache-2.0 */
/* Calls to the host, good ones and bad ones; each answer is printed by the calls themselves. */
#include "virt.h"

enum {
    OPEN = 1,
    CLOSE,
    WRITEC,
    WRITE0,
    WRITE,
    READ,
    READC,
    ISERROR,
    ISTTY,
    SEEK,
    FLEN = 0x0c,
    CLOCK = 0x10,
    TIME
};
enum {
    ERRNO = 0x13,
    CMDLINE = 0x15,
    HEAPINFO = 0x16,
    EXIT = 0x18,
    EXIT_EXTENDED = 0x20,
    ELAPSED = 0x30,
    TICKFREQ
};

__attribute__((noinline)) static uint32_t call(uint32_t number, uint32_t parameter)
{
    register uint32_t a0 __asm__("a0") = number;
    register uint32_t a1 __asm__("a1") = parameter;
    __asm__ volatile(
        ".option push\n.option norvc\n.balign 16\nslli x0, x0, 0x1f\nebreak\nsrai x0, x0, 7\n.option pop"
        : "+r"(a0)
        : "r"(a1)
        : "memory");
    return a0;
}

static uint32_t with(uint32_t number, uint32_t a, uint32_t b, uint32_t c)
{
    volatile uint32_t block[3] = {a, b, c};
    return call(number, (uint32_t)(uintptr_t)block);
}

static void tell(const char *what, uint32_t value)
{
    static char line[48];
    uint32_t n = 0;
    while (*what)
        line[n++] = *what++;
    line[n++] = ' ';
    for (int shift = 28; shift >= 0; shift -= 4)
        line[n++] = "0123456789abcdef"[value >> shift & 15];
    line[n++] = '\n';
    line[n] = 0;
    call(WRITE0, (uint32_t)(uintptr_t)line);
}

#define AT(p) ((uint32_t)(uintptr_t)(p))

uint32_t handle(uint32_t cause, uint32_t pc)
{
    (void)cause, (void)pc;
    FINISHER = 0x93333;
    return pc;
}

int main(void)
{
    static char buffer[64];
    static volatile uint32_t four[4];
    uint32_t in = with(OPEN, AT(":tt"), 0, 3), out = with(OPEN, AT(":tt"), 4, 3),
             err = with(OPEN, AT(":tt"), 8, 3);
    tell("in", in), tell("out", out), tell("err", err);
    tell("write", with(WRITE, out, AT("plain\n"), 6));
    tell("write-err", with(WRITE, err, AT("aside\n"), 6));
#ifndef ON_QEMU /* waits for a terminal there */
    tell("readc", call(READC, 0));
    tell("read", with(READ, in, AT(buffer), 8));
    call(WRITE0, AT(buffer));
    call(WRITEC, AT("\n"));
#endif
    tell("istty", with(ISTTY, out, 0, 0));
    tell("iserror", with(ISERROR, 0xffffffff, 0, 0));
    tell("flen-in", with(FLEN, in, 0, 0)), tell("errno", call(ERRNO, 0));
    uint32_t features = with(OPEN, AT(":semihosting-features"), 0, 21);
    tell("flen-features", with(FLEN, features, 0, 0));
    tell("read-features", with(READ, features, AT(buffer), 10)), tell("features", *(uint32_t *)buffer);
    tell("close", with(CLOSE, features, 0, 0)), tell("close-again", with(CLOSE, features, 0, 0)),
        tell("errno", call(ERRNO, 0));
    tell("file", with(OPEN, AT("/etc/hostname"), 0, 13)), tell("errno", call(ERRNO, 0));
    tell("name-too-long", with(OPEN, 0x80000000, 0, 0xffffffff)), tell("errno", call(ERRNO, 0));
    tell("block-nowhere", call(OPEN, 0x10)), tell("errno", call(ERRNO, 0));
    tell("write-nowhere", with(WRITE, out, 0x40, 8)), tell("write-in", with(WRITE, in, AT(buffer), 1));
    tell("read-nowhere", with(READ, in, 0xfffffffc, 8)), tell("errno", call(ERRNO, 0));
    tell("string-nowhere", call(WRITE0, 0x40));
#ifndef ON_QEMU /* ends there */
    tell("unknown", call(0x7777, 0)), tell("errno", call(ERRNO, 0));
#endif
    tell("cmdline", with(CMDLINE, AT(buffer), 64, 0));
    call(WRITE0, AT(buffer));
    call(WRITEC, AT("\n"));
    tell("cmdline-short", with(CMDLINE, AT(buffer), 2, 0)), tell("errno", call(ERRNO, 0));
    tell("heapinfo", with(HEAPINFO, AT(four), 0, 0)), tell("heap-aligned", four[0] & 15),
        tell("heap-end", four[1]), tell("stack", four[2]);
    tell("elapsed", call(ELAPSED, AT(four))), tell("elapsed-high", four[1]);
    tell("tickfreq", call(TICKFREQ, 0)), tell("clock", call(CLOCK, 0)), tell("time", call(TIME, 0));
    with(EXIT_EXTENDED, 0x20026, 7, 0);
    return 0;
}
