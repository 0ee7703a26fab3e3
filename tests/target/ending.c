/* SPDX-License-Identifier: Apache-2.0 */
#include <stddef.h>
#include <string.h>

#include "signalbox/port.h"
#include "signalbox/sem.h"
#include "signalbox/timer.h"
#include "test.h"

static const uint32_t any[] = {0};
static struct sb_sem sem;

static void nothing(void)
{
}

static void hooks(void)
{
    if (SB_CFG_LEVEL < SB_LEVEL_HOOKS) {
        EQUAL(test_hook_counts.creates, 0);
        EQUAL(test_hook_counts.swaps, 0);
        return;
    }
    EQUAL(test_hook_counts.creates, 14 + 8); /* with idle, and those that other groups made */
    const uint32_t swaps = test_hook_counts.swaps;
    test_run_on("high", nothing);
    EQUAL(test_hook_counts.swaps - swaps, 2);
    EQUAL(test_hook_counts.swap_from, sb_task_lookup("high"));
    EQUAL(test_hook_counts.swap_to, sb_self());
    EQUAL(test_hook_counts.kills, 8);
}

static void wait_for_sem(void)
{
    sb_sem_wait(&sem);
    test_log('!');
}

static void wait_long(void)
{
    EQUAL(sb_delay(1000), SB_OK);
    test_log('!');
}

static void end_itself(void)
{
    SB_IGNORE(sb_task_kill(sb_self()));
    test_log('!');
}

static void ends(void)
{
    const sb_addr a = sb_task_lookup("victim_a");
    const sb_addr b = sb_task_lookup("victim_b");
    const sb_addr c = sb_task_lookup("victim_c");

    /* victim_b waits in a list, with signals in its queue and one that was handed to it. */
    sb_sem_init(&sem, 0);
    test_run_on("victim_b", wait_for_sem);
    test_rest();
    test_run_on("victim_b", nothing);
    test_run_on("victim_b", nothing);
    EQUAL(test_in_use(), 2);
    EQUAL(sb_task_kill(b), SB_OK);
    EQUAL(test_in_use(), 0);
    EQUAL(sb_task_lookup("victim_b"), SB_ADDR_NONE);
    EQUAL(sb_task_name(b) == NULL, true);
    EQUAL(sb_task_kill(b), SB_ERR_DEAD);
    EQUAL(sb_sem_signal(&sem), SB_OK);
    EQUAL(sb_sem_value(&sem), 1);
    union sb_signal *sig = sb_alloc(8, 1);
    EQUAL(sb_send(&sig, b), SB_ERR_DEAD);
    if (SB_CFG_LEVEL >= SB_LEVEL_HOOKS) {
        EQUAL(test_hook_counts.kills, 9);
        EQUAL(test_hook_counts.killed, b);
    }

    /* victim_c sleeps; victim_a ends itself. */
    test_run_on("victim_c", wait_long);
    EQUAL(sb_task_kill(c), SB_OK);
    EQUAL(port_node()->timers.first == NULL, true);
    test_run_on("victim_a", end_itself);
    EQUAL(sb_task_lookup("victim_a"), SB_ADDR_NONE);
    EQUAL(sb_fsem_signal(a), SB_ERR_DEAD);

    /* An entry that returns; what a handed over signal of a task that never ran again becomes. */
    test_run_on("peer_b", NULL);
    test_rest();
    EQUAL(sb_task_lookup("peer_b"), SB_ADDR_NONE);
    const sb_addr peer = sb_task_lookup("peer_a");
    test_run_on("peer_a", nothing);
    EQUAL(test_in_use(), 1);
    EQUAL(sb_task_kill(peer), SB_OK);
    EQUAL(test_in_use(), 0);
    test_rest();
    LOG_EXPECT("");

    /* An interrupt task ends too, activated or not; the restarted one is another. */
    const sb_addr hot = sb_task_lookup("isr_hot");
    sb_addr again;
    EQUAL(sb_task_kill(hot), SB_OK);
    EQUAL(sb_fsem_signal(hot), SB_ERR_DEAD);
    EQUAL(sb_task_restart(hot, &again), SB_OK);
    EQUAL(again, hot + 1);
    EQUAL(sb_fsem_signal(again), SB_OK);
    EQUAL(sb_task_kill(sb_addr_make(4, 0, 1)), SB_ERR_ARGUMENT);
}

void test_hooks_and_end(void)
{
    hooks();
    ends();
}

/* ---- violations: each body must not return */

static void exhaust(void)
{
    for (uint32_t i = 0; i < 9; i++) {
        union sb_signal *sig = sb_alloc(8, 77);
        EQUAL(sb_send(&sig, sb_self()), SB_OK);
    }
}

static void alloc_too_large(void)
{
    union sb_signal *sig = sb_alloc(1025, 1);
    sb_free(&sig);
}

static void alloc_too_small(void)
{
    union sb_signal *sig = sb_alloc(3, 1);
    sb_free(&sig);
}

static void alloc_from_nowhere(void)
{
    EQUAL(sb_alloc_from(2, 8, 1) == NULL, true);
}

static void send_nothing(void)
{
    union sb_signal *sig = NULL;
    SB_IGNORE(sb_send(&sig, sb_self()));
}

static void free_nothing(void)
{
    union sb_signal *sig = NULL;
    sb_free(&sig);
}

static void free_twice(void)
{
    union sb_signal *sig = sb_alloc(8, 1);
    union sb_signal *same = sig;
    sb_free(&sig);
    sb_free(&same);
}

static void send_twice(void)
{
    union sb_signal *sig = sb_alloc(8, 77);
    union sb_signal *same = sig;
    SB_IGNORE(sb_send(&sig, sb_self()));
    SB_IGNORE(sb_send(&same, sb_self()));
}

static union sb_signal *overwritten;

static void write_behind(void)
{
    overwritten = sb_alloc(13, 1);
    ((volatile uint8_t *)overwritten)[13]++;
    SB_IGNORE(sb_send(&overwritten, sb_self()));
}

static void receive_without_list(void)
{
    EQUAL(sb_receive_timeout(NULL, 0) == NULL, true);
}

static void hunt_nothing(void)
{
    sb_addr addr;
    SB_IGNORE(sb_hunt(NULL, 0, &addr));
}

static void sem_nothing(void)
{
    sb_sem_wait(NULL);
}

static void drain(void)
{
    union sb_signal *sig;
    while ((sig = sb_receive_timeout(any, 0)) != NULL) {
        sb_free(&sig);
    }
}

void test_violations(void)
{
    if (SB_CFG_LEVEL >= SB_LEVEL_HOOKS) {
        VIOLATION(exhaust, "alloc-exhausted");
        drain();
        VIOLATION(alloc_too_large, "alloc-size");
    }
    if (SB_CFG_LEVEL >= SB_LEVEL_CHECKED) {
        VIOLATION(alloc_too_small, "alloc-size");
        VIOLATION(alloc_from_nowhere, "pool-unknown");
        VIOLATION(send_nothing, "send-null");
        VIOLATION(free_nothing, "free-null");
        VIOLATION(free_twice, "signal-not-owned");
        VIOLATION(send_twice, "signal-not-owned");
        drain();
        VIOLATION(write_behind, "signal-end-mark");
        ((volatile uint8_t *)overwritten)[13]--;
        sb_free(&overwritten);
        VIOLATION(receive_without_list, "receive-null");
        VIOLATION(hunt_nothing, "hunt-null");
        VIOLATION(sem_nothing, "sem-null");
    }
}
