/* SPDX-License-Identifier: Apache-2.0 */
/* Reads and writes the whole address map and says what each access answered: a value, or the cause of the trap. */
#include "virt.h"

static volatile uint32_t cause;

uint32_t handle(uint32_t mcause, uint32_t pc)
{
    cause = mcause;
    return pc + 4; /* accesses below are never compressed */
}

#define WIDE(text) ".option push\n.option norvc\n" text "\n.option pop"

static void answer(char kind, uint32_t width, uint32_t address, uint32_t value)
{
    put(kind);
    put((char)('0' + width));
    put(' ');
    say_hex(address);
    if (cause != 0) {
        say(" cause ");
        say_hex(cause);
    } else if (kind == 'r') {
        put(' ');
        say_hex(value);
    }
    put('\n');
}

static void read(uint32_t address, uint32_t width)
{
    uint32_t value = 0;
    cause = 0;
    switch (width) {
    case 1:
        __asm__ volatile(WIDE("lbu %0, 0(%1)") : "+r"(value) : "r"(address) : "memory");
        break;
    case 2:
        __asm__ volatile(WIDE("lhu %0, 0(%1)") : "+r"(value) : "r"(address) : "memory");
        break;
    default:
        __asm__ volatile(WIDE("lw %0, 0(%1)") : "+r"(value) : "r"(address) : "memory");
    }
    answer('r', width, address, value);
}

static void write(uint32_t address, uint32_t width, uint32_t value)
{
    cause = 0;
    switch (width) {
    case 1:
        __asm__ volatile(WIDE("sb %0, 0(%1)")::"r"(value), "r"(address) : "memory");
        break;
    case 2:
        __asm__ volatile(WIDE("sh %0, 0(%1)")::"r"(value), "r"(address) : "memory");
        break;
    default:
        __asm__ volatile(WIDE("sw %0, 0(%1)")::"r"(value), "r"(address) : "memory");
    }
    answer('w', width, address, value);
}

static void write_read(uint32_t address, uint32_t value)
{
    write(address, 4, value);
    read(address, 4);
}

static void words(uint32_t first, uint32_t end)
{
    for (uint32_t at = first; at < end; at += 4) {
        read(at, 4);
    }
}

static void plic(void)
{
    const uint32_t base = 0x0c000000, enable = base + 0x2000, context = base + 0x200000;
    const uint32_t places[] = {0,     4,      40,     4 * 95, 4 * 96, 4 * 97,
                               0xffc, 0x1000, 0x1004, 0x1008, 0x100c, 0x107c};
    for (uint32_t i = 0; i < sizeof places / sizeof places[0]; i++) {
        write_read(base + places[i], 0xfffffffd);
    }
    for (uint32_t at = 0; at < 4; at++) {
        for (uint32_t word = 0; word < 5; word++) {
            write_read(enable + 0x80 * at + 4 * word, 0xffffffff);
        }
        write_read(enable + 0x80 * at + 0x7c, 1);
        write_read(context + 0x1000 * at, 0xfe);
        write_read(context + 0x1000 * at + 4, 0);
        write_read(context + 0x1000 * at + 8, 1);
        write_read(context + 0x1000 * at + 0xffc, 1);
    }
    write_read(context - 4, 1);
    write_read(base + 0x5ffffc, 1);
    write_read(base + 0x600000, 1);
    for (uint32_t width = 1; width < 4; width++) {
        read(base + 4, width & 3 ? width & 2 ? 2 : 1 : 4);
        write(base + 4, width & 2 ? 2 : 1, 1);
    }
}

static void others(void)
{
    words(0x101008, 0x101024); /* what the clock shows differs */
    read(0x101000, 1);
    read(0x101ffc, 4);
    write_read(0x101010, 0xffffffff);
    write_read(0x101010, 0);
    for (uint32_t at = 0x10001000; at < 0x10009000; at += 0x1000) {
        words(at, at + 0x20);
        write_read(at + 0x70, 1);
    }
    words(0x10001020, 0x10001200);
    read(0x10001000, 1);
    read(0x10001000, 2);
    read(0x10001ffc, 4);
    read(0x10009000, 4);

    words(0x1000, 0x1060);
    write_read(0x1000, 5);
    read(0xfffc, 4);
    read(0x10000, 4);
    read(0, 4);
    read(0xffc, 4);

    read(0x100000, 4);
    read(0x100000, 2);
    read(0x100000, 1);
    write(0x100000, 4, 1);
    write(0x100000, 1, 1);
    write(0x100004, 4, 0x5555);
    read(0x100ffc, 4);

    read(0x02000000, 1);
    write_read(0x02000000, 2);
    write_read(0x02003ffc, 1);
    words(0x02004000, 0x02004008);
    read(0x0200bff8, 1);
    write_read(0x02004000, 5);
    write_read(0x02004004, 9);
    write(0x02004000, 1, 1);
    write_read(0x02007000, 4);
    read(0x02010000, 4);

    for (uint32_t at = 0; at < 10; at++) {
        read(0x10000000 + at, 1);
    }
    write(0x10000007, 1, 0xa5);
    read(0x10000007, 1);
    read(0x10000004, 4);
    write(0x10000003, 1, 0x83);
    read(0x10000000, 1);
    read(0x10000001, 1);
    write(0x10000003, 1, 3);
    read(0x100000ff, 1);
    read(0x10000100, 1);

    read(0x04000000, 4);
    read(0x05fffffc, 4);
    read(0x06000000, 4);
    read(0x10100000, 4);
    read(0x20000000, 4);
    read(0x24000000, 4);
    read(0x30000000, 4);
    read(0x40000000, 4);
    read(0x7ffffffc, 4);
    read(0x87fffffc, 4);
    read(0x88000000, 4);
    read(0xfffffffc, 4);
}

int main(void)
{
    if (read_csr(mhartid) == 0) {
        plic();
        others();
        finish(0);
    }
    return 0;
}
