/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SB_HOST_CHECK_H
#define SB_HOST_CHECK_H
/** @file
 *  A small test runner: every comparison counts, failures say where, main() sums up. */
#include <inttypes.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>

void check_equal(int64_t got, int64_t want, const char *what, const char *file, int line);
void check_text(const char *got, const char *want, const char *file, int line);

#define EQUAL(got, want) check_equal((int64_t)(got), (int64_t)(want), #got, __FILE__, __LINE__)
#define TEXT(got, want) check_text((got), (want), __FILE__, __LINE__)

/** Comparisons that have failed so far; property tests stop at the first. */
uint32_t check_failed(void);

/** Random numbers of the running test; its seed is printed when it fails. SEED=n in the environment repeats
 *  it. */
uint32_t check_random(uint32_t below);

/** Steps of a property test; ROUNDS=n in the environment changes it. */
uint32_t check_rounds(uint32_t standard);

/* The tests, in suites. */
void suite_queues(void);
void suite_pools(void);
void suite_node(void);
void suite_tasks(void);
void suite_kinds(void);
void suite_bad_input(void);
void suite_sync(void);
void suite_services(void);
void suite_supervise(void);
void suite_deadlines(void);
void suite_ose(void);
void suite_random(void);
void suite_random_sync(void);

/** Run one test under a name. */
void check_run(const char *name, void (*test)(void));

#endif
