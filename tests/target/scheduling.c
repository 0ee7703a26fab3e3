/* SPDX-License-Identifier: Apache-2.0 */
#include <errno.h>
#include <stddef.h>
#include <string.h>

#include "test.h"

static void log_a(void)
{
    test_log('a');
}

static void log_b(void)
{
    test_log('b');
}

static void log_h(void)
{
    test_log('h');
}

static void log_l(void)
{
    test_log('l');
}

static void wake_high_between(void)
{
    test_log('a');
    test_run_on("high", log_h);
    test_log('A');
}

void test_names(void)
{
    sb_addr addr;
    EQUAL(sb_self(), sb_addr_make(3, 0, 1));
    EQUAL(sb_task_lookup("peer_b"), sb_addr_make(3, 4, 1));
    EQUAL(sb_task_lookup("nobody"), SB_ADDR_NONE);
    EQUAL(strcmp(sb_task_name(sb_self()), "main"), 0);
    EQUAL(sb_task_priority(sb_task_lookup("low")), 30);
    EQUAL(sb_hunt("high", 0, &addr), SB_OK);
    EQUAL(addr, sb_addr_make(3, 1, 1));
    EQUAL(sb_hunt("test/low", SB_FOREVER, &addr), SB_OK);
    EQUAL(addr, sb_addr_make(3, 2, 1));
    EQUAL(sb_hunt("test/nobody", 0, &addr), SB_ERR_NOT_FOUND);
    EQUAL(sb_hunt("nowhere/low", 0, &addr), SB_ERR_NOT_FOUND);
    EQUAL(sb_hunt("node1/low", 5, &addr), SB_ERR_LINK_DOWN);
    EQUAL(addr, SB_ADDR_NONE);

    errno = EDOM; /* the C library's thread-local word has a place of its own */
    EQUAL(errno, EDOM);
    EQUAL(sb_task_lookup("main"), sb_self());
}

void test_scheduling(void)
{
    test_rest();
    test_log('1');
    test_run_on("high", log_h);
    test_log('2');
    LOG_EXPECT("1h2");

    test_run_on("low", log_l);
    test_log('m');
    test_rest();
    LOG_EXPECT("ml");

    /* FIFO inside a level: in the order of becoming ready, not of the table. */
    test_run_on("peer_b", log_b);
    test_run_on("peer_a", log_a);
    test_log('m');
    test_rest();
    LOG_EXPECT("mba");

    /* A preempted task keeps its place. */
    test_run_on("peer_a", wake_high_between);
    test_run_on("peer_b", log_b);
    test_rest();
    LOG_EXPECT("ahAb");
}
