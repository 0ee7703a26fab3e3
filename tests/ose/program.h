/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TESTS_OSE_PROGRAM_H
#define TESTS_OSE_PROGRAM_H
/** @file
 *  What the program of OSE's calls needs from where it runs. */
#include <stdint.h>

struct ose_test {
    const char *name;
    void (*run)(void);
};

/** A test has ended; `failed_line` is the first line whose check did not hold, 0 if all did. */
void ose_say(const char *name, uint32_t failed_line);
/** All have. May return. */
void ose_end(void);

/** Processes of the program: the tests (priority 16), "echo" (10), "interrupt" (an interrupt process without line). */
void ose_main(void);
void ose_echo(void);
void ose_interrupt(void);

#endif
