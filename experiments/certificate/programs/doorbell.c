/* SPDX-License-Identifier: Apache-2.0 */
/* One cost each of interrupts and of sleep, isolated: the first core rings its own doorbell while it executes, enables a pending
 * interrupt, does so before a long instruction, and sleeps with one pending. Between the marks lie whole sections; the
 * class's costs come from their differences. */
#include "cert.h"

#define DOORBELL(core) ((volatile uint32_t *)(0x10002000 + 0x10 * (core)))
#define MARK                                                                                          \
    "990: sw zero, 0(s2)\n.pushsection .sb_probes,\"\",@progbits\n.4byte 990b\n.2byte 72\n.2byte 0\n" \
    ".popsection\n"
#define NOPS "nop\nnop\nnop\nnop\nnop\nnop\n"

/* Clears the doorbell; s3 and s4 are set up below. */
__attribute__((naked, aligned(4), used)) void cert_interrupt(void)
{
    __asm__ __volatile__("sw s4, 4(s3)\nmret\n");
}

__attribute__((noreturn, used)) void cert_second(void)
{
    for (;;)
        __asm__ __volatile__("wfi");
}

uint32_t cert_run(void)
{
    extern char _vector[];
    __asm__ __volatile__("csrw mtvec, %0" ::"r"((uint32_t)_vector | 1));
    __asm__ __volatile__("csrw mie, %0" ::"r"(1u << 16));
    __asm__ __volatile__(".option push\n.option norvc\n"
                         "mv s2, %0\nmv s3, %1\nli s4, 1\ncsrsi mstatus, 8\n" NOPS ".balign 16\n"
                         /* While it executes. */
                         MARK "sw s4, 0(s3)\n" NOPS NOPS MARK
                         /* By enabling it. */
                         "csrci mstatus, 8\n" NOPS MARK "sw s4, 0(s3)\n" NOPS "csrsi mstatus, 8\n" NOPS MARK
                         /* Before a long instruction. */
                         "csrci mstatus, 8\n" NOPS MARK "sw s4, 0(s3)\n" NOPS
                         "csrsi mstatus, 8\ndiv t0, s4, s4\n" NOPS MARK
                         /* Pending when it goes to sleep. */
                         "csrci mstatus, 8\n" NOPS MARK "sw s4, 0(s3)\n" NOPS
                         "wfi\ncsrsi mstatus, 8\n" NOPS MARK ".option pop\n" ::"r"(&cert_mark),
                         "r"(DOORBELL(0))
                         : "s2", "s3", "s4", "t0", "memory");
    return 0;
}
