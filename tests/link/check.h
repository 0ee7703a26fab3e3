/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TESTS_LINK_CHECK_H
#define TESTS_LINK_CHECK_H
/** @file
 *  The smallest harness: a case is a function that fails by CHECK; the program goes on with the next. */
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

extern bool check_failed;

#define CHECK(condition)                                             \
    do {                                                             \
        if (!(condition)) {                                          \
            printf("  %s:%d: %s\n", __FILE__, __LINE__, #condition); \
            check_failed = true;                                     \
        }                                                            \
    } while (0)

#define CHECK_EQUAL(a, b)                                                                                 \
    do {                                                                                                  \
        long long check_a = (long long)(a);                                                               \
        long long check_b = (long long)(b);                                                               \
        if (check_a != check_b) {                                                                         \
            printf("  %s:%d: %s is %lld, not %s = %lld\n", __FILE__, __LINE__, #a, check_a, #b, check_b); \
            check_failed = true;                                                                          \
        }                                                                                                 \
    } while (0)

struct check_case {
    const char *name;
    void (*run)(void);
};

extern const struct check_case cases_connection[];
extern const struct check_case cases_data[];
extern const struct check_case cases_damage[];
extern const struct check_case cases_supervision[];

/** Seed of the fuzz cases; from the command line. */
extern uint32_t check_seed;

#endif
