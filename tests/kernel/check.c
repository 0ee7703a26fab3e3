/* SPDX-License-Identifier: Apache-2.0 */
#include "check.h"

#include <stdio.h>
#include <stdlib.h>

static uint32_t passed;
static uint32_t failed;
static uint32_t tests_passed;
static uint32_t tests_failed;
static uint64_t random_state;

void check_equal(int64_t got, int64_t want, const char *what, const char *file, int line)
{
    if (got == want) {
        passed++;
        return;
    }
    failed++;
    printf("%s:%d: %s is %" PRId64 ", want %" PRId64 "\n", file, line, what, got, want);
}

void check_text(const char *got, const char *want, const char *file, int line)
{
    if (got != NULL && strcmp(got, want) == 0) {
        passed++;
        return;
    }
    failed++;
    printf("%s:%d: \"%s\", want \"%s\"\n", file, line, got != NULL ? got : "(null)", want);
}

uint32_t check_failed(void)
{
    return failed;
}

static uint64_t seed(void)
{
    const char *given = getenv("SEED");
    return given != NULL ? strtoull(given, NULL, 0) : 1;
}

uint32_t check_random(uint32_t below)
{
    random_state = random_state * 6364136223846793005u + 1442695040888963407u;
    return (uint32_t)((random_state >> 33) % below);
}

uint32_t check_rounds(uint32_t standard)
{
    const char *given = getenv("ROUNDS");
    return given != NULL ? (uint32_t)strtoul(given, NULL, 0) : standard;
}

void check_run(const char *name, void (*test)(void))
{
    const uint32_t before = failed;
    random_state = seed() * 0x9e3779b97f4a7c15u;
    test();
    if (failed == before) {
        tests_passed++;
        printf("ok   %s\n", name);
    } else {
        tests_failed++;
        printf("FAIL %s (SEED=%" PRIu64 ")\n", name, seed());
    }
}

int main(void)
{
    setvbuf(stdout, NULL, _IOLBF, 0);
    suite_queues();
    suite_pools();
    suite_node();
    suite_tasks();
    suite_kinds();
    suite_bad_input();
    suite_sync();
    suite_services();
    suite_supervise();
    suite_deadlines();
    suite_ose();
    suite_random();
    suite_random_sync();
    printf("%" PRIu32 " comparisons in %" PRIu32 " tests\n", passed + failed, tests_passed + tests_failed);
    printf("%" PRIu32 " passed, %" PRIu32 " failed\n", tests_passed, tests_failed);
    return tests_failed == 0 ? 0 : 1;
}
