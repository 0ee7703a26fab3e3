/* SPDX-License-Identifier: Apache-2.0 */
/** @file
 *  Locks, flags and message queues at random, while tasks are stopped, started, killed, restarted and given other
 *  priorities, and ticks strike at random ends of critical sections. At each of these everything that must hold is found
 *  again from scratch, by code that is slow and obviously right. */
#include <stddef.h>

#include "check.h"
#include "kernel.h"
#include "signalbox/cond.h"
#include "signalbox/flags.h"
#include "signalbox/message_queue.h"
#include "signalbox/rwlock.h"
#include "signalbox/sem.h"
#include "signalbox/timer.h"
#include "world.h"

#define ACTORS 7u
#define MUTEXES 4u
#define CAPACITY 3u

static struct sb_mutex mutexes[MUTEXES];
static struct sb_flags flags;
static struct sb_mq queue;
static struct sb_cond cond;
static struct sb_rwlock rwlock;
static uint32_t ring[CAPACITY];

/** What tasks believe to hold; death and restart wipe it. */
static uint32_t holds[ACTORS][MUTEXES];
static uint32_t reads[ACTORS];
static bool writes[ACTORS];
static bool at_rwlock[ACTORS]; /* in a call: it may have got the lock without knowing yet */

static uint32_t steps;
static uint32_t strikes;
static uint32_t waits;
static uint32_t lent;
static uint32_t deaths;
static uint32_t refused;
static uint32_t sent;
static uint32_t received;
static bool stop;

static uint32_t me(void)
{
    return sb_addr_index(sb_self());
}

/* ---- what must hold */

/** The priority that a task must have: its own, or the most urgent of what the mutexes that it holds lend, where waiters
 *  count with the priority that they must have. */
static uint32_t due_priority(const struct sb_node *node, const struct sb_task *task, uint32_t depth)
{
    uint32_t priority = task->base_priority;
    EQUAL(depth <= ACTORS, true); /* no circle */
    for (uint32_t i = 0; i < MUTEXES && depth <= ACTORS; i++) {
        if (mutexes[i].owner != task) {
            continue;
        }
        if (mutexes[i].ceiling < priority) {
            priority = mutexes[i].ceiling;
        }
        for (uint32_t k = 0; k < ACTORS; k++) {
            const struct sb_task *waiter = &node->tasks[k];
            if (waiter->state == SB_STATE_WAIT_LIST && waiter->waits == &mutexes[i].waiters) {
                const uint32_t lends = due_priority(node, waiter, depth + 1);
                priority = lends < priority ? lends : priority;
            }
        }
    }
    return priority;
}

static void look_at_list(const struct sb_wait_list *list)
{
    const struct sb_task *last = NULL;
    for (const struct sb_task *task = list->first; task != NULL; task = task->next) {
        EQUAL(task->state, SB_STATE_WAIT_LIST);
        EQUAL(task->waits == list, true);
        EQUAL(task->previous == last, true);
        EQUAL(last == NULL || last->priority <= task->priority, true);
        last = task;
    }
    EQUAL(list->first == NULL || list->last == last, true);
}

static void look_at_tasks(const struct sb_node *node)
{
    for (uint32_t i = 0; i < ACTORS; i++) {
        const struct sb_task *task = &node->tasks[i];
        if (task->addr == SB_ADDR_NONE) {
            continue;
        }
        EQUAL(task->priority, due_priority(node, task, 0));
        lent += task->priority != task->base_priority;
        EQUAL((task->flags & SB_TASK_HALTED) != 0, task->stops != 0);
        EQUAL(task->state != SB_STATE_READY || task->stops == 0, true);
        EQUAL(task->state != SB_STATE_STOPPED || task->stops != 0, true);
        waits += task->state == SB_STATE_WAIT_LIST;
    }
    const struct sb_task *best = &node->idle;
    for (uint32_t i = 0; i < node->task_count; i++) {
        const struct sb_task *task = &node->tasks[i];
        if (task->state == SB_STATE_READY && task->priority < best->priority) {
            best = task;
        }
    }
    EQUAL(node->next->priority, best->priority);
}

static void look_at_objects(const struct sb_node *node)
{
    for (uint32_t i = 0; i < MUTEXES; i++) {
        look_at_list(&mutexes[i].waiters);
        EQUAL(mutexes[i].owner != NULL || mutexes[i].waiters.first == NULL,
              true); /* a free one has no waiters */
        for (uint32_t k = 0; k < ACTORS; k++) {
            EQUAL(holds[k][i] == 0 || mutexes[i].owner == &node->tasks[k], true);
        }
    }
    look_at_list(&flags.waiters);
    look_at_list(&queue.senders);
    look_at_list(&queue.receivers);
    EQUAL(queue.senders.first == NULL || queue.count == CAPACITY, true);
    EQUAL(queue.receivers.first == NULL || queue.count == 0, true);
    look_at_list(&cond.waiters);
    look_at_list(&rwlock.waiters);
    EQUAL(rwlock.writer == NULL || rwlock.readers == 0, true);
    const struct sb_task *first = rwlock.waiters.first;
    EQUAL(first == NULL || rwlock.writer != NULL || (first->wanted != NULL && rwlock.readers != 0), true);
}

static bool look(void)
{
    const struct sb_node *node = port_node();
    look_at_tasks(node);
    look_at_objects(node);
    const bool now = check_random(6) == 0 && (node->held & SB_HELD_INTERRUPT) == 0;
    strikes += now;
    return now;
}

/* ---- what tasks do */

static void do_lock(uint32_t self)
{
    const uint32_t i = check_random(MUTEXES);
    const enum sb_err err = sb_mutex_lock_timeout(&mutexes[i], check_random(5));
    if (err == SB_OK || err == SB_ERR_ABANDONED) {
        holds[self][i]++;
        EQUAL(mutexes[i].depth, holds[self][i]);
    } else {
        refused += err == SB_ERR_DEADLOCK;
        EQUAL(err == SB_ERR_DEADLOCK || err == SB_ERR_TIMEOUT ||
                  (err == SB_ERR_ARGUMENT && mutexes[i].ceiling < 32),
              true);
    }
}

static void do_unlock(uint32_t self)
{
    for (uint32_t i = 0; i < MUTEXES; i++) {
        if (holds[self][i] > 0 && check_random(2)) {
            holds[self][i]--; /* before: afterwards it may be another's at once */
            EQUAL(sb_mutex_unlock(&mutexes[i]), SB_OK);
        }
    }
}

static void do_cond(uint32_t self)
{
    if (holds[self][0] > 0) {
        const uint32_t depth = holds[self][0];
        holds[self][0] = 0;
        const enum sb_err err = sb_cond_wait(&cond, &mutexes[0], 1 + check_random(3));
        EQUAL(err == SB_OK || err == SB_ERR_TIMEOUT || err == SB_ERR_ABANDONED || err == SB_ERR_DEADLOCK,
              true);
        holds[self][0] = err == SB_ERR_DEADLOCK ? 0 : depth;
    } else if (check_random(2)) {
        sb_cond_signal(&cond);
    } else {
        sb_cond_broadcast(&cond);
    }
}

static void do_rwlock(uint32_t self)
{
    at_rwlock[self] = true;
    if (reads[self] > 0 || writes[self]) {
        reads[self] = 0;
        writes[self] = false;
        EQUAL(sb_rwlock_unlock(&rwlock), SB_OK);
    } else if (check_random(2)) {
        writes[self] = sb_rwlock_write(&rwlock, check_random(4)) == SB_OK;
        EQUAL(!writes[self] || rwlock.readers == 0, true);
    } else if (sb_rwlock_read(&rwlock, check_random(4)) == SB_OK) {
        reads[self] = 1;
        EQUAL(rwlock.writer == NULL, true);
    }
    at_rwlock[self] = false;
}

static void do_message(void)
{
    uint32_t value = sent + 1;
    if (check_random(2)) {
        const enum sb_err err = check_random(4) ? sb_mq_send(&queue, &value, check_random(4))
                                                : sb_mq_send_front(&queue, &value, 0);
        sent += err == SB_OK;
    } else {
        received += sb_mq_receive(&queue, &value, check_random(4)) == SB_OK;
    }
}

static void do_flags(void)
{
    const uint32_t wanted = 1 + check_random(7);
    const uint32_t mode = check_random(4);
    uint32_t got;
    if (sb_flags_wait(&flags, wanted, (enum sb_flags_mode)mode, check_random(4), &got) == SB_OK) {
        EQUAL((mode & 1) != 0 ? (got & wanted) == wanted : (got & wanted) != 0, true);
    }
}

static void actor(void)
{
    const uint32_t self = me();
    while (!stop) {
        steps++;
        switch (check_random(8)) {
        case 0:
        case 1:
            do_lock(self);
            break;
        case 2:
            do_unlock(self);
            break;
        case 3:
            do_cond(self);
            break;
        case 4:
            do_rwlock(self);
            break;
        case 5:
            do_message();
            break;
        case 6:
            do_flags();
            break;
        default:
            EQUAL(sb_delay(check_random(3)), SB_OK);
            break;
        }
    }
    for (uint32_t i = 0; i < MUTEXES; i++) {
        while (holds[self][i] > 0) {
            holds[self][i]--;
            EQUAL(sb_mutex_unlock(&mutexes[i]), SB_OK);
        }
    }
    if (reads[self] > 0 || writes[self]) {
        EQUAL(sb_rwlock_unlock(&rwlock), SB_OK);
    }
}

/** The reaper: a task that may kill. Whoever reads or writes is spared: such locks stay taken. */
static void reaper(void)
{
    while (!stop) {
        EQUAL(sb_delay(1 + check_random(20)), SB_OK);
        const uint32_t victim = check_random(ACTORS);
        struct sb_task *task = &port_node()->tasks[victim];
        sb_preemption_off();
        if (!stop && reads[victim] == 0 && !writes[victim] && !at_rwlock[victim] &&
            task->addr != SB_ADDR_NONE) {
            sb_addr again;
            memset(holds[victim], 0, sizeof holds[victim]);
            host_stack_reuse(task->stack);
            EQUAL(sb_task_restart(task->addr, &again), SB_OK);
            deaths++;
        }
        sb_preemption_on();
    }
}

/* ---- what interrupts do */

static void strike(void)
{
    const uint32_t i = check_random(ACTORS);
    const sb_addr addr = port_node()->tasks[i].addr;
    switch (check_random(6)) {
    case 0:
    case 1:
        sb_tick();
        break;
    case 2:
        sb_flags_set(&flags, 1u << check_random(3));
        break;
    case 3:
        SB_IGNORE(sb_task_priority_set(addr, check_random(31)));
        break;
    case 4:
        SB_IGNORE(stop ? SB_OK : sb_task_stop(addr));
        break;
    default:
        SB_IGNORE(sb_task_start(addr));
        break;
    }
}

static void start_all(void)
{
    for (uint32_t i = 0; i < ACTORS; i++) {
        while (sb_task_start(port_node()->tasks[i].addr) == SB_OK) {
        }
    }
    sb_flags_set(&flags, 7);
    sb_tick();
}

static void everything(void)
{
    static const uint8_t priorities[ACTORS] = {1, 2, 2, 8, 9, 30, 30};
    static const char *const names[ACTORS] = {"a", "b", "c", "d", "e", "f", "g"};
    struct world *world = world_make(0);
    memset(holds, 0, sizeof holds);
    memset(reads, 0, sizeof reads);
    memset(writes, 0, sizeof writes);
    memset(at_rwlock, 0, sizeof at_rwlock);
    stop = false;
    steps = strikes = waits = lent = deaths = refused = sent = received = 0;
    for (uint32_t i = 0; i < ACTORS; i++) {
        world_task(world, names[i], priorities[i], actor);
    }
    world_task(world, "reaper", 0, reaper);
    world_boot(world);
    for (uint32_t i = 0; i < MUTEXES; i++) {
        sb_mutex_init(&mutexes[i], i == MUTEXES - 1 ? 5 : SB_MUTEX_INHERIT);
    }
    sb_flags_init(&flags, 0);
    EQUAL(sb_mq_init(&queue, ring, sizeof *ring, CAPACITY), SB_OK);
    sb_cond_init(&cond);
    sb_rwlock_init(&rwlock);
    host_at_unlock = look;
    host_inject_handler = strike;
    host_run();
    const uint32_t rounds = check_rounds(30000);
    while (steps < rounds && check_failed() == 0 && host_fatal_label == NULL) {
        host_interrupt(check_random(4) ? sb_tick : strike);
    }
    stop = true;
    for (uint32_t i = 0; i < 40; i++) {
        host_interrupt(start_all);
    }
    host_at_unlock = NULL;
    EQUAL(host_fatal_label == NULL, true);
    for (uint32_t i = 0; i < ACTORS; i++) {
        EQUAL(sb_task_lookup(names[i]), SB_ADDR_NONE);
    }
    for (uint32_t i = 0; i < MUTEXES; i++) {
        EQUAL(mutexes[i].owner == NULL, true);
    }
    EQUAL(rwlock.writer == NULL && rwlock.readers == 0, true);
    EQUAL(port_node()->timers.first == NULL, true);
    /* The run was what it should be. */
    EQUAL(strikes > rounds / 10, true);
    EQUAL(waits > rounds / 4, true);
    EQUAL(lent > rounds / 10, true);
    EQUAL(deaths > rounds / 1000, true);
    EQUAL(refused > 0, true);
    EQUAL(sent > rounds / 100 && received <= sent + deaths,
          true); /* who dies does not count what was taken from it */
    world_free(world);
}

void suite_random_sync(void)
{
    check_run("locks, flags, queues, deaths, priorities at random", everything);
}
