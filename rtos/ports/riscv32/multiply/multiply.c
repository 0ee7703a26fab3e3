/* SPDX-License-Identifier: Apache-2.0 */
/** @file
 *  The instructions of the M extension for cores that do not have it (riscv-isa-manual, unprivileged, chapter M). Compiled
 *  without them, and without operators that the compiler would make calls of. */
#include <stdbool.h>
#include <stdint.h>

enum { MUL, MULH, MULHSU, MULHU, DIV, DIVU, REM, REMU };

/** funct7 and opcode of all eight. */
#define MASK 0xfe00007fu
#define MATCH 0x02000033u

#define WORD_BITS 32u
#define SIGN 0x80000000u

#define CSR_READ(name)                                                \
    __extension__({                                                   \
        uint32_t value_;                                              \
        __asm__ volatile("csrr %0, " #name : "=r"(value_)::"memory"); \
        value_;                                                       \
    })
#define CSR_WRITE(name, value) __asm__ volatile("csrw " #name ", %0" ::"r"(value) : "memory")

bool sb_port_multiply(uint32_t *x, uintptr_t pc);
bool __real_sb_port_interrupt(uint32_t cause);
bool __wrap_sb_port_interrupt(uint32_t cause);

static uint64_t product(uint32_t a, uint32_t b)
{
    uint64_t sum = 0;
    for (uint64_t shifted = a; b != 0; shifted += shifted, b >>= 1) {
        sum += (b & 1u) != 0 ? shifted : 0;
    }
    return sum;
}

struct division {
    uint32_t quotient;
    uint32_t remainder;
};

/** By 0: all ones and the dividend, as the specification has it. */
static struct division divide(uint32_t dividend, uint32_t divisor)
{
    struct division d = {.quotient = dividend, .remainder = 0};
    for (uint32_t bit = 0; bit < WORD_BITS; bit++) {
        d.remainder = d.remainder << 1 | d.quotient >> (WORD_BITS - 1);
        d.quotient <<= 1;
        if (d.remainder >= divisor) {
            d.remainder -= divisor;
            d.quotient |= 1;
        }
    }
    return d;
}

static uint32_t magnitude(uint32_t value)
{
    return (value & SIGN) != 0 ? 0u - value : value;
}

static uint32_t signed_as(uint32_t value, bool negative)
{
    return negative ? 0u - value : value;
}

static uint32_t result_of(uint32_t operation, uint32_t a, uint32_t b)
{
    /* The upper half of a product of unsigned numbers is too large by b where a is negative, and by a where b is. */
    const uint32_t too_large = (a & SIGN) != 0 ? b : 0;
    switch (operation) {
    case MUL:
        return (uint32_t)product(a, b);
    case MULH:
        return (uint32_t)(product(a, b) >> WORD_BITS) - too_large - ((b & SIGN) != 0 ? a : 0);
    case MULHSU:
        return (uint32_t)(product(a, b) >> WORD_BITS) - too_large;
    case MULHU:
        return (uint32_t)(product(a, b) >> WORD_BITS);
    case DIV:
        return signed_as(divide(magnitude(a), magnitude(b)).quotient, b != 0 && ((a ^ b) & SIGN) != 0);
    case DIVU:
        return divide(a, b).quotient;
    case REM:
        return signed_as(divide(magnitude(a), magnitude(b)).remainder, (a & SIGN) != 0);
    default:
        return divide(a, b).remainder;
    }
}

/** Execute the instruction at `pc` if it is one of these: true, and its result is in `x`, the register file. Called by
 *  trap_multiply.S. */
bool sb_port_multiply(uint32_t *x, uintptr_t pc)
{
    const uint16_t *parcels = (const uint16_t *)pc; /* only they are aligned */
    const uint32_t bits = parcels[0] | (uint32_t)parcels[1] << 16;
    if ((bits & MASK) != MATCH) {
        return false;
    }
    const uint32_t rs1 = bits >> 15 & 31u;
    const uint32_t rs2 = bits >> 20 & 31u;
    const uint32_t rd = bits >> 7 & 31u;
    const uint32_t result = result_of(bits >> 12 & 7u, rs1 == 0 ? 0 : x[rs1], rs2 == 0 ? 0 : x[rs2]);
    if (rd != 0) {
        x[rd] = result;
    }
    return true;
}

/** Interrupt tasks and handlers of the application may have such instructions, whose traps overwrite what the interrupt
 *  returns by. The linker leads the entry here (--wrap); the nested entry keeps it anyway. */
bool __wrap_sb_port_interrupt(uint32_t cause)
{
    const uint32_t mepc = CSR_READ(mepc);
    const uint32_t mstatus = CSR_READ(mstatus);
    const bool leave = __real_sb_port_interrupt(cause);
    CSR_WRITE(mepc, mepc);
    CSR_WRITE(mstatus, mstatus);
    return leave;
}
