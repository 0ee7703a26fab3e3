/* SPDX-License-Identifier: Apache-2.0 */
#include <stdio.h>
#include <string.h>

#include "suite.h"

static uint32_t passed;
static uint32_t failed;
static uint32_t failed_before;
static char log_text[64];
static volatile uint32_t log_length;

void test_equal(uint64_t got, uint64_t want, const char *what, const char *file, int line)
{
    if (got == want) {
        passed++;
        return;
    }
    failed++;
    const char *name = strrchr(file, '/');
    printf("%s:%d: %s is %#lx%08lx, want %#lx%08lx\n", name != NULL ? name + 1 : file, line, what,
           (unsigned long)(got >> 32), (unsigned long)(got & 0xffffffffu), (unsigned long)(want >> 32),
           (unsigned long)(want & 0xffffffffu));
}

void test_log(char c)
{
    if (log_length < sizeof log_text - 1) {
        log_text[log_length++] = c;
    }
}

void test_log_expect(const char *want, const char *file, int line)
{
    log_text[log_length] = '\0';
    if (strcmp(log_text, want) == 0) {
        passed++;
    } else {
        failed++;
        const char *name = strrchr(file, '/');
        printf("%s:%d: order is \"%s\", want \"%s\"\n", name != NULL ? name + 1 : file, line, log_text, want);
    }
    log_length = 0;
}

void test_group(const char *name)
{
    printf("%s %s\n", failed == failed_before ? "ok  " : "FAIL", name);
    failed_before = failed;
}

_Noreturn void test_end(void)
{
    EQUAL(test_counts.wrong, 0);
    printf("%lu passed, %lu failed\n", (unsigned long)passed, (unsigned long)failed);
    port_finish(failed == 0 ? 0 : 1);
}

void test_linger(void)
{
    for (volatile uint32_t i = 0; i < 300; i++) {
    }
}
