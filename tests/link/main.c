/* SPDX-License-Identifier: Apache-2.0 */
/** @file
 *  usage: link_tests [seed]. The seed changes the fuzz cases; it is printed. */
#include <stdlib.h>

#include "check.h"

bool check_failed;
uint32_t check_seed = 20240229;

static uint32_t passed;
static uint32_t failed;

static void run(const struct check_case *list)
{
    for (; list->name != NULL; list++) {
        check_failed = false;
        printf("%s\n", list->name);
        fflush(stdout);
        list->run();
        if (check_failed) {
            failed++;
        } else {
            passed++;
        }
    }
}

int main(int argc, char **argv)
{
    if (argc > 1) {
        check_seed = (uint32_t)strtoul(argv[1], NULL, 0);
    }
    printf("seed %u\n", check_seed);
    run(cases_connection);
    run(cases_data);
    run(cases_damage);
    run(cases_supervision);
    printf("%u passed, %u failed\n", passed, failed);
    return failed == 0 ? 0 : 1;
}
