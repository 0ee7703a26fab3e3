/* SPDX-License-Identifier: Apache-2.0 */
/* Control registers, environment calls, breakpoints and the return from them. Not for cores without machine mode. */
#include "cert.h"

__attribute__((naked, aligned(4))) void cert_trap(void)
{
    __asm__ __volatile__("csrw mscratch, t0\n"
                         "csrr t0, mepc\n"
                         ".option push\n.option norvc\n"
                         "addi t0, t0, 4\n"
                         ".option pop\n"
                         "csrw mepc, t0\n"
                         "addi s11, s11, 1\n"
                         "csrr t0, mscratch\n"
                         "mret");
}

uint32_t cert_run(void)
{
    extern char _vector[];
    uint32_t count, sum = 0;
    __asm__ __volatile__("csrw mtvec, %0" ::"r"(_vector));
    __asm__ __volatile__("li s11, 0" ::: "s11");
    CERT_MARK();
    for (uint32_t i = 0; i < 40; i++) {
        uint32_t old;
        __asm__ __volatile__("csrw mscratch, %1\ncsrr %0, mscratch" : "=r"(old) : "r"(i));
        sum += old;
        __asm__ __volatile__("csrrci %0, mstatus, 8" : "=r"(old));
        sum += old & 8;
        __asm__ __volatile__(".option push\n.option norvc\necall\n.option pop" ::: "s11", "memory");
        if (i & 1)
            __asm__ __volatile__(".option push\n.option norvc\nebreak\n.option pop" ::: "s11", "memory");
        if (i & 2)
            __asm__ __volatile__(".4byte 0" ::: "s11", "memory");
    }
    CERT_MARK();
    __asm__ __volatile__("mv %0, s11" : "=r"(count));
    return sum * 100 + count;
}
