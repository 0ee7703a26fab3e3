/* SPDX-License-Identifier: Apache-2.0 */
/** @file
 *  The program of tests/ose as tasks of a host node. */
#include "../ose/program.h"

#include <stdio.h>

#include "check.h"
#include "signalbox/timeout.h"
#include "world.h"

static bool ended;
static uint32_t said;

void ose_say(const char *name, uint32_t failed_line)
{
    said++;
    if (failed_line != 0) {
        printf("program.c:%u: %s\n", (unsigned)failed_line, name);
    }
    EQUAL(failed_line, 0);
}

void ose_end(void)
{
    ended = true;
}

static void ose_calls(void)
{
    struct world *world = world_make(0);
    memset(world->task_state, 0, sizeof world->task_state);
    world->pools[0] = (struct sb_pool_config){.memory_bytes = SB_POOL_BYTES(32, 16) + SB_POOL_BYTES(160, 16) +
                                                              SB_POOL_BYTES(OSE_TEST_STACK + 256, 3),
                                              .classes = 3,
                                              .block_bytes = {32, 160, OSE_TEST_STACK + 256},
                                              .block_count = {16, 16, 3}};
    world_pool_memory(world);
    world_task(world, "main", 16, ose_main);
    world_task(world, "echo", 10, ose_echo);
    world_interrupt(world, "interrupt", 2, -1, ose_interrupt);
    world_task(world, "timeouts", 3, sb_timeout_task);
    world->config.spare_tasks = 3;
    world_boot(world);
    ended = false;
    said = 0;
    host_run();
    for (uint32_t tick = 0; tick < 1000 && !ended && host_fatal_label == NULL; tick++) {
        host_interrupt(sb_tick);
    }
    if (host_fatal_label != NULL) {
        TEXT(host_fatal_label, "");
    }
    EQUAL(ended, true);
    EQUAL(said, 33);
    EQUAL(world_in_use() <= 4, true); /* blocks of the last processes, and the turns of one length */
    world_free(world);
}

void suite_ose(void)
{
    check_run("every call of the OSE skin", ose_calls);
}
