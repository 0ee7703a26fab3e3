/* SPDX-License-Identifier: Apache-2.0 */
#include <stddef.h>

#include "signalbox/sem.h"
#include "signalbox/timer.h"
#include "test.h"

static const uint32_t any[] = {0};

static void wait_2(void)
{
    EQUAL(sb_receive_timeout(any, 2) == NULL, true);
    test_log('2');
}

static void wait_3(void)
{
    EQUAL(sb_delay(3), SB_OK);
    test_log('3');
}

static void wait_3_too(void)
{
    EQUAL(sb_fsem_wait_timeout(3), SB_ERR_TIMEOUT);
    test_log('c');
}

static void wait_9(void)
{
    union sb_signal *sig = sb_receive_timeout(any, 9);
    EQUAL(sig != NULL, true);
    test_log('9');
    sb_free(&sig);
}

static void pass_20(void)
{
    test_pass(20);
}

void test_time(void)
{
    EQUAL(sb_tick_hz(), 1000);
    const uint32_t start = sb_ticks();
    test_run_on("floor", pass_20);
    EQUAL(sb_receive_timeout(any, 5) == NULL, true);
    EQUAL(sb_ticks() - start, 5);
    EQUAL(sb_delay(7), SB_OK);
    EQUAL(sb_ticks() - start, 12);
    EQUAL(sb_delay(0), SB_OK);
    EQUAL(sb_receive_timeout(any, 0) == NULL, true);
    EQUAL(sb_ticks() - start, 12);
    test_rest();
    EQUAL(sb_ticks() - start, 20);

    /* Several at once: by their ticks, equal ones in the order of their calls; a signal in time cancels. */
    test_run_on("peer_a", wait_3);
    test_run_on("peer_b", wait_3_too);
    test_run_on("high", wait_2);
    test_run_on("low", wait_9);
    test_rest();
    test_pass(1);
    test_rest();
    LOG_EXPECT("");
    test_pass(1);
    LOG_EXPECT("2");
    test_pass(1);
    test_rest();
    LOG_EXPECT("3c");
    test_pass(5);
    union sb_signal *sig = sb_alloc(8, 1);
    EQUAL(sb_send(&sig, sb_task_lookup("low")), SB_OK);
    test_pass(1);
    test_rest();
    LOG_EXPECT("9");
    test_pass(8);
    test_rest();
    LOG_EXPECT("");
}
