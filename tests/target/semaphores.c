/* SPDX-License-Identifier: Apache-2.0 */
#include <stddef.h>

#include "signalbox/sem.h"
#include "signalbox/timer.h"
#include "test.h"

static struct sb_sem sem;

static void wait_fast(void)
{
    test_log('w');
    sb_fsem_wait();
    test_log('f');
}

static void take(void)
{
    sb_sem_wait(&sem);
    test_log((char)('0' + sb_task_priority(sb_self()) % 10));
}

static void take_a(void)
{
    sb_sem_wait(&sem);
    test_log('a');
}

static void take_briefly(void)
{
    EQUAL(sb_sem_wait_timeout(&sem, 2), SB_ERR_TIMEOUT);
    test_log('t');
}

static void pass_4(void)
{
    test_pass(4);
}

static void fast(void)
{
    const sb_addr self = sb_self();
    EQUAL(sb_fsem_value(self), 0);
    EQUAL(sb_fsem_wait_timeout(0), SB_ERR_TIMEOUT);
    EQUAL(sb_fsem_signal(self), SB_OK);
    EQUAL(sb_fsem_signal(self), SB_OK);
    EQUAL(sb_fsem_value(self), 2);
    sb_fsem_wait();
    EQUAL(sb_fsem_wait_timeout(0), SB_OK);
    EQUAL(sb_fsem_value(self), 0);
    const uint32_t start = sb_ticks();
    test_run_on("floor", pass_4);
    EQUAL(sb_fsem_wait_timeout(3), SB_ERR_TIMEOUT);
    EQUAL(sb_ticks() - start, 3);
    test_rest();
    EQUAL(sb_fsem_signal(SB_ADDR_NONE), SB_ERR_DEAD);
    EQUAL(sb_fsem_value(sb_addr_make(3, 100, 1)), SB_ERR_DEAD);

    test_run_on("high", wait_fast);
    test_log('s');
    EQUAL(sb_fsem_signal(sb_task_lookup("high")), SB_OK);
    test_log('m');
    EQUAL(sb_fsem_value(sb_task_lookup("high")), 0); /* given to the waiter, not counted */
    LOG_EXPECT("wsfm");
}

static void counting(void)
{
    sb_sem_init(&sem, 2);
    EQUAL(sb_sem_value(&sem), 2);
    sb_sem_wait(&sem);
    EQUAL(sb_sem_wait_timeout(&sem, 0), SB_OK);
    EQUAL(sb_sem_wait_timeout(&sem, 0), SB_ERR_TIMEOUT);

    /* Waiters come in the order low, peer_a, peer_b, high and get it by priority, FIFO inside one. */
    test_run_on("low", take);
    test_rest();
    test_run_on("peer_a", take_a);
    test_run_on("peer_b", take);
    test_rest();
    test_run_on("high", take);
    LOG_EXPECT("");
    for (uint32_t i = 0; i < 4; i++) {
        EQUAL(sb_sem_signal(&sem), SB_OK);
        test_log('.');
    }
    EQUAL(sb_sem_value(&sem), 0);
    test_rest();
    LOG_EXPECT("5....a60");

    /* Who gave up waiting gets nothing and leaves the others in their places. */
    test_run_on("low", take);
    test_rest();
    test_run_on("peer_a", take_briefly);
    test_rest();
    test_pass(2);
    test_rest();
    LOG_EXPECT("t");
    EQUAL(sb_sem_signal(&sem), SB_OK);
    EQUAL(sb_sem_signal(&sem), SB_OK);
    test_rest();
    LOG_EXPECT("0");
    EQUAL(sb_sem_value(&sem), 1);

    sb_sem_init(&sem, INT32_MAX);
    EQUAL(sb_sem_signal(&sem), SB_ERR_FULL);
    EQUAL(sb_sem_value(&sem), INT32_MAX);
}

void test_semaphores(void)
{
    fast();
    counting();
}
