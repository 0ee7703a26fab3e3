/* SPDX-License-Identifier: Apache-2.0 */
/** @file
 *  Mutexes, flags, message queues, condition variables and reader-writer locks on a target; their cases are in tests/kernel. */
#include <stddef.h>

#include "signalbox/cond.h"
#include "signalbox/flags.h"
#include "signalbox/message_queue.h"
#include "signalbox/rwlock.h"
#include "signalbox/timer.h"
#include "test.h"

static struct sb_mutex mutex;
static struct sb_flags flags;
static struct sb_mq queue;
static struct sb_cond cond;
static struct sb_rwlock rwlock;

static void lock_and_log(void)
{
    EQUAL(sb_mutex_lock(&mutex), SB_OK);
    test_log((char)('0' + sb_task_priority(sb_self()) % 10));
    EQUAL(sb_mutex_unlock(&mutex), SB_OK);
}

static void hold_mutex(void)
{
    EQUAL(sb_mutex_lock(&mutex), SB_OK);
    test_log('(');
    test_run_on("high", lock_and_log); /* waits, and lends its priority */
    EQUAL(sb_task_priority(sb_self()), 5);
    test_log('l');
    EQUAL(sb_mutex_unlock(&mutex), SB_OK);
    EQUAL(sb_task_priority(sb_self()), 30);
    test_log(')');
}

static void mutexes(void)
{
    sb_mutex_init(&mutex, SB_MUTEX_INHERIT);
    test_run_on("low", hold_mutex);
    test_rest();
    LOG_EXPECT("(l5)");
    sb_mutex_init(&mutex, 4);
    EQUAL(sb_mutex_lock(&mutex), SB_OK);
    EQUAL(sb_task_priority(sb_self()), 4);
    test_run_on("high", lock_and_log); /* 5: cannot even start */
    LOG_EXPECT("");
    EQUAL(sb_mutex_unlock(&mutex), SB_OK);
    LOG_EXPECT("4");
    if (SB_CFG_LEVEL < SB_LEVEL_CHECKED) {
        EQUAL(sb_mutex_unlock(&mutex), SB_ERR_ARGUMENT);
    }
    EQUAL(sb_mutex_owner(&mutex), SB_ADDR_NONE);
}

static void wait_for_flags(void)
{
    uint32_t got;
    EQUAL(sb_flags_wait(&flags, 6, SB_FLAGS_ALL_CLEAR, 4, &got), SB_OK);
    EQUAL(got, 7);
    test_log('f');
    EQUAL(sb_flags_wait(&flags, 6, SB_FLAGS_ANY, 2, &got), SB_ERR_TIMEOUT);
    test_log('t');
}

static void event_flags(void)
{
    sb_flags_init(&flags, 1);
    test_run_on("high", wait_for_flags);
    sb_flags_set(&flags, 2);
    test_log('.');
    sb_flags_set(&flags, 4);
    LOG_EXPECT(".f");
    EQUAL(sb_flags_value(&flags), 1);
    test_pass(2);
    LOG_EXPECT("t");
}

static void consume(void)
{
    for (uint32_t i = 0; i < 3; i++) {
        uint8_t message[3];
        EQUAL(sb_mq_receive(&queue, message, SB_FOREVER), SB_OK);
        test_log((char)message[0]);
        EQUAL(message[2], message[0] + 2);
    }
}

static void send_message(char c, enum sb_err want)
{
    const uint8_t message[3] = {(uint8_t)c, 0, (uint8_t)(c + 2)};
    EQUAL(sb_mq_send(&queue, message, 0), want);
}

static void message_queues(void)
{
    static uint8_t ring[SB_MQ_BYTES(3, 2)];
    EQUAL(sb_mq_init(&queue, ring, 3, 2), SB_OK);
    send_message('a', SB_OK);
    send_message('b', SB_OK);
    send_message('c', SB_ERR_TIMEOUT);
    EQUAL(sb_mq_count(&queue), 2);
    test_run_on("high", consume);
    LOG_EXPECT("ab");
    send_message('d', SB_OK);
    LOG_EXPECT("d");
}

static bool ready;

static void wait_until_ready(void)
{
    EQUAL(sb_mutex_lock(&mutex), SB_OK);
    while (!ready) {
        test_log('w');
        EQUAL(sb_cond_wait(&cond, &mutex, SB_FOREVER), SB_OK);
    }
    test_log('r');
    EQUAL(sb_mutex_unlock(&mutex), SB_OK);
}

static void conditions(void)
{
    sb_mutex_init(&mutex, SB_MUTEX_INHERIT);
    sb_cond_init(&cond);
    test_run_on("high", wait_until_ready);
    sb_cond_signal(&cond);
    LOG_EXPECT("ww");
    EQUAL(sb_mutex_lock(&mutex), SB_OK);
    ready = true;
    sb_cond_broadcast(&cond);
    test_log('.');
    EQUAL(sb_mutex_unlock(&mutex), SB_OK);
    LOG_EXPECT(".r");
}

static void write_and_log(void)
{
    EQUAL(sb_rwlock_write(&rwlock, SB_FOREVER), SB_OK);
    test_log('w');
    EQUAL(sb_rwlock_unlock(&rwlock), SB_OK);
}

static void read_and_log(void)
{
    EQUAL(sb_rwlock_read(&rwlock, 0), SB_OK);
    test_log('r');
    EQUAL(sb_rwlock_unlock(&rwlock), SB_OK);
}

static void reader_writer_locks(void)
{
    sb_rwlock_init(&rwlock);
    EQUAL(sb_rwlock_read(&rwlock, SB_FOREVER), SB_OK);
    test_run_on("high", read_and_log);
    test_run_on("high", write_and_log);
    EQUAL(sb_rwlock_read(&rwlock, 0), SB_ERR_TIMEOUT); /* a more urgent writer waits */
    EQUAL(sb_rwlock_unlock(&rwlock), SB_OK);
    LOG_EXPECT("rw");
    EQUAL(sb_rwlock_unlock(&rwlock), SB_ERR_ARGUMENT);
}

void test_locks(void)
{
    mutexes();
    event_flags();
    message_queues();
    conditions();
    reader_writer_locks();
}
