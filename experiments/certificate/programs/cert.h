/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CERT_H
#define CERT_H
/** @file
 *  What a certificate program is made of. CERT_MARK() marks an instant by one store to `cert_mark`: the RTL bench
 *  sees the store, the simulator stamps the instruction (it is a probe of kind 72, "mark"). What lies between two marks
 *  is what is compared; the store itself is on both sides of the difference. It is aligned, and far enough behind the
 *  instruction that makes its address, so that it issues at the instant that is stamped, on any core. */
#include <stdint.h>

extern volatile uint32_t cert_mark, cert_result;

#define CERT_MARK()                                                                                   \
    __asm__ __volatile__(".option push\n.option norvc\n.balign 4\nnop\nnop\nnop\nnop\n"               \
                         "990: sw zero, 0(%0)\n.option pop\n"                                         \
                         ".pushsection .sb_probes,\"\",@progbits\n.4byte 990b\n.2byte 72\n.2byte 1\n" \
                         ".asciz \"0\"\n.balign 4\n.popsection" ::"r"(&cert_mark)                     \
                         : "memory")

/** A program: does its work between two marks and returns a checksum of what it computed. */
uint32_t cert_run(void);

/** A small generator of test data: the same numbers everywhere. */
static inline uint32_t cert_random(uint32_t *state)
{
    uint32_t x = *state;
    x ^= x << 13;
    x ^= x >> 17;
    x ^= x << 5;
    return *state = x;
}

#endif
