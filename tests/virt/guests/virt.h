/* SPDX-License-Identifier: Apache-2.0 */
/* QEMU's virt machine, as a program without an operating system meets it. */
#ifndef VIRT_H
#define VIRT_H
#include <stdbool.h>
#include <stdint.h>

#define REG8(address) (*(volatile uint8_t *)(address))
#define REG32(address) (*(volatile uint32_t *)(address))

#define FINISHER REG32(0x00100000)
#define MSIP(hart) REG32(0x02000000 + 4 * (hart))
#define MTIMECMP(hart) REG32(0x02004000 + 8 * (hart))
#define MTIMECMP_HIGH(hart) REG32(0x02004004 + 8 * (hart))
#define MTIME REG32(0x0200BFF8)
#define MTIME_HIGH REG32(0x0200BFFC)

/* Machine-mode contexts of the PLIC are the even ones. */
#define PLIC_PRIORITY(source) REG32(0x0C000000 + 4 * (source))
#define PLIC_PENDING(word) REG32(0x0C001000 + 4 * (word))
#define PLIC_ENABLE(hart) REG32(0x0C002000 + 0x100 * (hart))
#define PLIC_THRESHOLD(hart) REG32(0x0C200000 + 0x2000 * (hart))
#define PLIC_CLAIM(hart) REG32(0x0C200004 + 0x2000 * (hart))
#define SOURCE_UART 10
#define SOURCE_RTC 11

#define UART(n) REG8(0x10000000 + (n))

#define MIE_MSIE (1u << 3)
#define MIE_MTIE (1u << 7)
#define MIE_MEIE (1u << 11)
#define MSTATUS_MIE (1u << 3)

#define read_csr(name)                                                \
    ({                                                                \
        uint32_t value_;                                              \
        __asm__ volatile("csrr %0, " #name : "=r"(value_)::"memory"); \
        value_;                                                       \
    })
#define set_csr(name, bits) __asm__ volatile("csrs " #name ", %0" ::"r"(bits) : "memory")
#define clear_csr(name, bits) __asm__ volatile("csrc " #name ", %0" ::"r"(bits) : "memory")

static inline void put(char c)
{
    while ((UART(5) & 0x20) == 0) {
    }
    UART(0) = (uint8_t)c;
}

static inline void say(const char *text)
{
    while (*text != '\0') {
        put(*text++);
    }
}

static inline void say_number(uint32_t value)
{
    char digits[10];
    int n = 0;
    do {
        digits[n++] = (char)('0' + value % 10);
        value /= 10;
    } while (value != 0);
    while (n > 0) {
        put(digits[--n]);
    }
}

static inline void say_hex(uint32_t value)
{
    for (int shift = 28; shift >= 0; shift -= 4) {
        put("0123456789abcdef"[value >> shift & 15]);
    }
}

static inline _Noreturn void finish(uint32_t code)
{
    FINISHER = code == 0 ? 0x5555 : code << 16 | 0x3333;
    for (;;) {
        __asm__ volatile("wfi");
    }
}

#endif
