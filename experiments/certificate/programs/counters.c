/* SPDX-License-Identifier: Apache-2.0 */
/* The counters of user mode: how many cycles a loop takes by the core's own account. */
#include "cert.h"

uint32_t cert_run(void)
{
    uint32_t sum = 0, begin, end, retired;
    CERT_MARK();
    for (uint32_t i = 0; i < 50; i++) {
        __asm__ __volatile__("rdcycle %0" : "=r"(begin));
        for (uint32_t k = 0; k < i; k++)
            sum += k ^ i;
        __asm__ __volatile__("rdcycle %0" : "=r"(end));
        __asm__ __volatile__("rdinstret %0" : "=r"(retired));
        sum += (end - begin) ^ retired ^ retired;
    }
    CERT_MARK();
    return sum;
}
