/* SPDX-License-Identifier: Apache-2.0 */
/** @file
 *  Bad input at each level: what docs/kernel-checks.md says. Where the checked level ends the node, the other two must do
 *  what is written there. */
#include <stddef.h>

#include "check.h"
#include "signalbox/cond.h"
#include "signalbox/flags.h"
#include "signalbox/message_queue.h"
#include "signalbox/pool.h"
#include "signalbox/rwlock.h"
#include "signalbox/sem.h"
#include "signalbox/timeout.h"
#include "signalbox/timer.h"
#include "world.h"

static const uint32_t any[] = {0};
static struct sb_sem sem;
static struct sb_mutex mutex;
static struct sb_flags flags;
static struct sb_mq queue;
static struct sb_cond cond;
static struct sb_rwlock rwlock;

static const char *label_seen;
static enum sb_err err_seen;

static void error_hook(enum sb_err err, const char *label)
{
    err_seen = err;
    label_seen = label;
}

static void set_up(void)
{
    static uint32_t ring[1];
    sb_sem_init(&sem, 0);
    sb_mutex_init(&mutex, SB_MUTEX_INHERIT);
    sb_flags_init(&flags, 0);
    EQUAL(sb_mq_init(&queue, ring, 4, 1), SB_OK);
    sb_cond_init(&cond);
    sb_rwlock_init(&rwlock);
}

/* ---- calls that wait, from an interrupt task */

static enum sb_err receive(void)
{
    label_seen = NULL;
    EQUAL(sb_receive_timeout(any, 5) == NULL, true);
    return SB_CFG_LEVEL == SB_LEVEL_RELEASE || err_seen == SB_ERR_CONTEXT ? SB_ERR_CONTEXT : SB_OK;
}

static enum sb_err fsem_wait(void)
{
    return sb_fsem_wait_timeout(5);
}

static enum sb_err sem_wait(void)
{
    return sb_sem_wait_timeout(&sem, SB_FOREVER);
}

static enum sb_err delay(void)
{
    return sb_delay(1);
}

static enum sb_err delay_until(void)
{
    return sb_delay_until(sb_ticks() + 1);
}

static enum sb_err mutex_lock(void)
{
    return sb_mutex_lock(&mutex);
}

static enum sb_err flags_wait(void)
{
    return sb_flags_wait(&flags, 1, SB_FLAGS_ANY, 5, NULL);
}

static enum sb_err mq_receive(void)
{
    uint32_t value;
    return sb_mq_receive(&queue, &value, 5);
}

static enum sb_err rwlock_write(void)
{
    return sb_rwlock_write(&rwlock, 0);
}

static enum sb_err kill(void)
{
    return sb_task_kill(sb_task_lookup("task"));
}

static enum sb_err create(void)
{
    sb_addr addr;
    return sb_task_create(NULL, &addr);
}

static enum sb_err restart(void)
{
    sb_addr addr;
    return sb_task_restart(sb_task_lookup("task"), &addr);
}

static const struct {
    enum sb_err (*call)(void);
    const char *label;
} calls[] = {
    {receive, "receive-context"},  {fsem_wait, "fsem-context"},    {sem_wait, "sem-context"},
    {delay, "delay-context"},      {delay_until, "delay-context"}, {mutex_lock, "mutex-context"},
    {flags_wait, "flags-context"}, {mq_receive, "mq-context"},     {rwlock_write, "rwlock-context"},
    {kill, "kill-context"},        {create, "create-context"},     {restart, "restart-context"},
};

static uint32_t which;

static void call_it(void)
{
    EQUAL(calls[which].call(), SB_ERR_CONTEXT);
    world_log('r');
}

static void idle_task(void)
{
    sb_fsem_wait();
}

static void wrong_context(void)
{
    static const struct sb_hooks hooks = {.error = error_hook};
    for (which = 0; which < sizeof calls / sizeof *calls; which++) {
        struct world *world = world_make(0);
        world->config.hooks = &hooks;
        world_task(world, "task", 3, idle_task);
        world_interrupt(world, "isr", 4, 5, call_it);
        world_boot(world);
        set_up();
        host_run();
        host_raise(5);
        if (SB_CFG_LEVEL >= SB_LEVEL_CHECKED) {
            TEXT(host_fatal_label, calls[which].label);
            TEXT(world_log_take(), "");
        } else {
            EQUAL(host_fatal_label == NULL, true);
            TEXT(world_log_take(), "r"); /* refused, and the node goes on */
            EQUAL(sb_task_lookup("task"), sb_addr_make(0, 0, 1));
        }
        world_free(world);
    }
}

/* ---- sizes, addresses, timeouts: the same at every level */

static void bad_arguments(void)
{
    struct sb_pool_status status;
    const sb_addr nobody[] = {SB_ADDR_NONE, sb_addr_make(0, 99, 1), sb_addr_make(0, 0, 7),
                              sb_addr_make(1, 0, 1), 0xffffffffu};
    for (uint32_t i = 0; i < sizeof nobody / sizeof *nobody; i++) {
        union sb_signal *sig = sb_alloc(8, 1);
        EQUAL(sb_send(&sig, nobody[i]), SB_ERR_DEAD);
        EQUAL(sig == NULL, true);
        EQUAL(sb_fsem_signal(nobody[i]), SB_ERR_DEAD);
        EQUAL(sb_fsem_value(nobody[i]), SB_ERR_DEAD);
        EQUAL(sb_task_priority(nobody[i]), SB_ERR_DEAD);
        EQUAL(sb_task_name(nobody[i]) == NULL, true);
        EQUAL(sb_task_stop(nobody[i]), SB_ERR_DEAD);
        EQUAL(sb_task_start(nobody[i]), SB_ERR_DEAD);
        EQUAL(sb_task_priority_set(nobody[i], 3), SB_ERR_DEAD);
        EQUAL(sb_stack_used(nobody[i]), SB_ERR_DEAD);
        EQUAL(sb_task_kill(nobody[i]), sb_addr_node(nobody[i]) == 0 ? SB_ERR_DEAD : SB_ERR_ARGUMENT);
    }
    EQUAL(port_node()->counters.signals_dead, 5);

    EQUAL(sb_alloc_nil(129, 1) == NULL, true); /* larger than every class */
    EQUAL(sb_alloc_nil(UINT32_MAX, 1) == NULL, true);
    union sb_signal *taken[5];
    for (uint32_t i = 0; i < 4; i++) {
        taken[i] = sb_alloc_nil(100, 1);
        EQUAL(taken[i] != NULL, true);
    }
    EQUAL(sb_alloc_nil(100, 1) == NULL, true); /* exhausted: no other class helps out */
    EQUAL(sb_pool_status(0, 1, &status), SB_OK);
    EQUAL(status.refused, 1);
    EQUAL(status.in_use_max, 4);
    for (uint32_t i = 0; i < 4; i++) {
        sb_free(&taken[i]);
    }
    EQUAL(sb_pool_status(0, 2, &status), SB_ERR_ARGUMENT);
    EQUAL(sb_pool_status(2, 0, &status), SB_ERR_ARGUMENT);
    EQUAL(sb_pool_classes(2), 0);
    EQUAL(sb_pool_lookup("none"), SB_ERR_NOT_FOUND);

    /* To oneself: queued like any other. */
    union sb_signal *sig = sb_alloc(8, 7);
    EQUAL(sb_send(&sig, sb_self()), SB_OK);
    EQUAL(sb_receive_one(8, 0) == NULL, true);
    sig = sb_receive_one(7, 0);
    EQUAL(sig != NULL && sb_sender(sig) == sb_self() && sb_addressee(sig) == sb_self(), true);
    EQUAL(sb_size(sig), 8);
    sb_free(&sig);

    /* A timeout of 0 never waits; the longest is 2^31-1 ticks, more is cut to it. */
    const uint32_t start = sb_ticks();
    EQUAL(sb_receive_timeout(any, 0) == NULL, true);
    EQUAL(sb_fsem_wait_timeout(0), SB_ERR_TIMEOUT);
    EQUAL(sb_sem_wait_timeout(&sem, 0), SB_ERR_TIMEOUT);
    EQUAL(sb_delay(0), SB_OK);
    EQUAL(sb_ticks(), start);
    world_log('w');
    EQUAL(sb_sem_wait_timeout(&sem, SB_FOREVER - 1), SB_ERR_TIMEOUT);
    world_log('t');
}

static void arguments(void)
{
    struct world *world = world_make(0);
    world_task(world, "task", 3, bad_arguments);
    world_boot(world);
    set_up();
    host_run();
    TEXT(world_log_take(), "w");
    EQUAL(port_node()->timers.first->due_tick, SB_TIMEOUT_TICKS_MAX);
    port_node()->timers.now_tick = SB_TIMEOUT_TICKS_MAX - 1; /* a long time later */
    host_interrupt(sb_tick);
    TEXT(world_log_take(), "t");
    EQUAL(world_in_use(), 0);
    world_free(world);
}

/* ---- use after send, of everything that takes a signal; checked level only */

static union sb_signal *gone;

static void use_sender(void)
{
    (void)sb_sender(gone);
}

static void use_addressee(void)
{
    (void)sb_addressee(gone);
}

static void use_size(void)
{
    (void)sb_size(gone);
}

static void use_restore(void)
{
    sb_restore(gone);
}

static void use_free(void)
{
    sb_free(&gone);
}

static void use_send(void)
{
    SB_IGNORE(sb_send(&gone, sb_self()));
}

static void (*use)(void);

static void send_and_use(void)
{
    union sb_signal *sig = sb_alloc(8, 1);
    gone = sig;
    EQUAL(sb_send(&sig, sb_self()), SB_OK);
    use();
    world_log('!');
}

static void use_after_send(void)
{
    static void (*const uses[])(void) = {use_sender,  use_addressee, use_size,
                                         use_restore, use_free,      use_send};
    for (uint32_t i = 0; SB_CFG_LEVEL >= SB_LEVEL_CHECKED && i < sizeof uses / sizeof *uses; i++) {
        struct world *world = world_make(0);
        use = uses[i];
        world_task(world, "task", 3, send_and_use);
        world_boot(world);
        host_run();
        TEXT(host_fatal_label, "signal-not-owned");
        TEXT(world_log_take(), "");
        world_free(world);
    }
}

/* ---- no object; checked level only */

static void no_sem(void)
{
    SB_IGNORE(sb_sem_signal(NULL));
}

static void no_mutex(void)
{
    SB_IGNORE(sb_mutex_lock(NULL));
}

static void no_flags(void)
{
    sb_flags_set(NULL, 1);
}

static void no_queue(void)
{
    const uint32_t message = 1;
    SB_IGNORE(sb_mq_send(NULL, &message, 0));
}

static void no_message(void)
{
    SB_IGNORE(sb_mq_send(&queue, NULL, 0));
}

static void no_cond(void)
{
    sb_cond_signal(NULL);
}

static void no_rwlock(void)
{
    SB_IGNORE(sb_rwlock_read(NULL, 0));
}

static void no_timeout(void)
{
    SB_IGNORE(sb_timeout_cancel(NULL));
}

static void no_callback(void)
{
    static struct sb_timeout timeout;
    sb_timeout_init(&timeout, NULL, NULL);
}

static void bad_ceiling(void)
{
    sb_mutex_init(&mutex, 33);
}

static void on_without_off(void)
{
    sb_preemption_on();
}

static void create_into_nothing(void)
{
    SB_IGNORE(sb_task_create(NULL, NULL));
}

static void restart_into_nothing(void)
{
    SB_IGNORE(sb_task_restart(sb_self(), NULL));
}

static void no_objects(void)
{
    static const struct {
        void (*body)(void);
        const char *label;
    } cases[] = {
        {no_sem, "sem-null"},
        {no_mutex, "mutex-null"},
        {no_flags, "flags-null"},
        {no_queue, "mq-null"},
        {no_message, "mq-null"},
        {no_cond, "cond-null"},
        {no_rwlock, "rwlock-null"},
        {no_timeout, "timeout-null"},
        {no_callback, "timeout-null"},
        {bad_ceiling, "mutex-ceiling"},
        {on_without_off, "preemption-on"},
        {create_into_nothing, "create-null"},
        {restart_into_nothing, "restart-null"},
    };
    for (uint32_t i = 0; SB_CFG_LEVEL >= SB_LEVEL_CHECKED && i < sizeof cases / sizeof *cases; i++) {
        struct world *world = world_make(0);
        world_task(world, "task", 3, cases[i].body);
        world_boot(world);
        host_run();
        TEXT(host_fatal_label, cases[i].label);
        world_free(world);
    }
}

void suite_bad_input(void)
{
    check_run("waiting calls in interrupt tasks", wrong_context);
    check_run("addresses, sizes, timeouts", arguments);
    check_run("use after send", use_after_send);
    check_run("no objects", no_objects);
}
