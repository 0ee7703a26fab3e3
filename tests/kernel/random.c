/* SPDX-License-Identifier: Apache-2.0 */
/** @file
 *  Everything at once: tasks and interrupt tasks do random things, interrupts strike at random ends of
 *  critical sections. What must hold is looked at there; at the end nothing may be lost, reordered, leaked or
 *  left waiting. */
#include <stddef.h>

#include "check.h"
#include "ready.h"
#include "select.h"
#include "signalbox/sem.h"
#include "signalbox/timer.h"
#include "world.h"

#define PRIORITY_TASKS 7u
#define ACTORS 9u
#define SEMS 2u

static struct sb_sem sems[SEMS];
static int64_t units[SEMS];
static uint32_t sent[ACTORS][ACTORS];
static uint32_t received[ACTORS][ACTORS];
static int64_t fast[ACTORS];
static uint32_t steps;
static uint32_t injected;
static uint32_t nests;
static uint32_t blocked_receives;
static bool stop;

static sb_addr address(uint32_t actor)
{
    return sb_addr_make(0, actor, 1);
}

static uint32_t me(void)
{
    return sb_addr_index(sb_self());
}

static void do_send(uint32_t from)
{
    const uint32_t to = check_random(ACTORS);
    union sb_signal *sig = sb_alloc_nil(8 + check_random(60), from + 1);
    if (sig == NULL) {
        return;
    }
    sig->numbered.value = ++sent[from][to];
    if (sb_send_from(&sig, address(to), address(from)) != SB_OK) {
        sent[from][to]--; /* has ended already: freed */
        EQUAL(stop, true);
    }
    EQUAL(sig == NULL, true);
}

static void accept(union sb_signal *sig, uint32_t to)
{
    const uint32_t from = sig->signo - 1;
    EQUAL(sb_sender(sig), address(from));
    EQUAL(sb_addressee(sig), address(to));
    EQUAL(sig->numbered.value, ++received[from][to]); /* in order, none missing */
    sb_free(&sig);
}

static void do_receive(uint32_t to)
{
    static const uint32_t any[] = {0};
    const uint32_t one[] = {1, 1 + check_random(ACTORS)};
    const uint32_t except[] = {SB_SELECT_EXCEPT(2), 1 + check_random(ACTORS), 1 + check_random(ACTORS)};
    const uint32_t kind = check_random(3);
    const uint32_t timeout = check_random(4);
    union sb_signal *sig = sb_receive_timeout(kind == 0 ? any : kind == 1 ? one : except, timeout);
    if (sig == NULL) {
        blocked_receives += timeout != 0;
        return;
    }
    EQUAL(kind != 1 || sig->signo == one[1], true);
    EQUAL(kind != 2 || (sig->signo != except[1] && sig->signo != except[2]), true);
    accept(sig, to);
}

static void do_fast(uint32_t self)
{
    if (check_random(2)) {
        const uint32_t to = check_random(PRIORITY_TASKS);
        fast[to]++;
        if (sb_fsem_signal(address(to)) != SB_OK) {
            EQUAL(stop, true);
        }
    } else if (sb_fsem_wait_timeout(check_random(3)) == SB_OK) {
        fast[self]--;
    }
}

static void do_sem(void)
{
    const uint32_t i = check_random(SEMS);
    if (check_random(2)) {
        units[i]++;
        EQUAL(sb_sem_signal(&sems[i]), SB_OK);
    } else if (sb_sem_wait_timeout(&sems[i], check_random(4)) == SB_OK) {
        units[i]--;
    }
}

static void actor(void)
{
    const uint32_t self = me();
    while (!stop) {
        steps++;
        EQUAL(me(), self);
        switch (check_random(6)) {
        case 0:
        case 1:
            do_send(self);
            break;
        case 2:
            do_receive(self);
            break;
        case 3:
            do_fast(self);
            break;
        case 4:
            do_sem();
            break;
        default:
            EQUAL(sb_delay(check_random(3)), SB_OK);
            break;
        }
    }
}

static void interrupt_actor(void)
{
    static const uint32_t any[] = {0};
    const uint32_t self = me();
    union sb_signal *sig;
    EQUAL(self >= PRIORITY_TASKS, true);
    while ((sig = sb_receive_timeout(any, 0)) != NULL) {
        accept(sig, self);
    }
    if (!stop && check_random(2)) {
        do_send(self);
    }
}

static void strike(void)
{
    switch (check_random(4)) {
    case 0:
        sb_tick();
        break;
    case 1:
        sb_interrupt_activate(&port_node()->tasks[PRIORITY_TASKS + check_random(ACTORS - PRIORITY_TASKS)]);
        break;
    case 2:
        do_send(PRIORITY_TASKS);
        break;
    default: {
        const uint32_t i = check_random(SEMS);
        units[i]++;
        EQUAL(sb_sem_signal(&sems[i]), SB_OK);
        break;
    }
    }
}

static bool look(void)
{
    const struct sb_node *node = port_node();
    struct sb_task *first = sb_ready_first(&node->ready);
    EQUAL(node->next == (first != NULL ? first : &node->idle), true);
    const bool nested =
        node->self != node->current; /* in the body of an interrupt task that may be interrupted */
    EQUAL(node->held != 0 || node->current == node->next, true);
    EQUAL(node->held & SB_HELD_INTERRUPT, nested ? SB_HELD_INTERRUPT : 0);
    EQUAL(node->held < 2 * SB_HELD_ONE, true);
    EQUAL(node->level, nested ? node->self->priority : SB_PRIORITIES);
    EQUAL(node->interrupts.levels & (nested ? (1u << node->level) - 1u : ~0u),
          0); /* none that is more urgent waits */
    nests += nested;
    uint32_t timing = 0;
    for (uint32_t i = 0; i < PRIORITY_TASKS; i++) {
        const struct sb_task *task = &node->tasks[i];
        const bool is_timing = (task->flags & SB_TASK_TIMING) != 0;
        EQUAL(task->state != SB_STATE_READY || !is_timing, true);
        timing += is_timing;
        if (task->state == SB_STATE_WAIT_SIGNAL) { /* for something that it does not have */
            for (struct sb_signal_header *header = task->queue.first; header != NULL; header = header->next) {
                EQUAL(sb_selected(task->selection, *sb_signal_number(header)), false);
            }
        }
    }
    uint32_t listed = 0;
    uint32_t distance = 0;
    for (const struct sb_timer_entry *entry = node->timers.first; entry != NULL; entry = entry->next) {
        EQUAL(entry->due_tick - node->timers.now_tick >= distance, true);
        distance = entry->due_tick - node->timers.now_tick;
        listed++;
    }
    EQUAL(listed, timing);
    for (uint32_t i = 0; i < SEMS; i++) {
        EQUAL(sems[i].count == 0 || sems[i].waiters.first == NULL, true);
        const struct sb_task *last = NULL;
        for (const struct sb_task *task = sems[i].waiters.first; task != NULL; task = task->next) {
            EQUAL(task->state, SB_STATE_WAIT_LIST);
            EQUAL(task->previous == last, true);
            EQUAL(last == NULL || last->priority <= task->priority, true);
            last = task;
        }
        EQUAL(sems[i].waiters.first == NULL || sems[i].waiters.last == last, true);
    }
    const bool now = check_random(8) == 0;
    injected += now;
    return now;
}

static void everything(void)
{
    static const uint8_t priorities[PRIORITY_TASKS] = {1, 2, 2, 2, 5, 30, 31};
    static const char *const names[ACTORS] = {"a", "b", "c", "d", "e", "f", "g", "x", "y"};
    struct world *world = world_make(0);
    memset(sent, 0, sizeof sent);
    memset(received, 0, sizeof received);
    memset(fast, 0, sizeof fast);
    stop = false;
    steps = 0;
    injected = 0;
    nests = 0;
    blocked_receives = 0;
    for (uint32_t i = 0; i < SEMS; i++) {
        sb_sem_init(&sems[i], (int32_t)i);
        units[i] = i;
    }
    for (uint32_t i = 0; i < PRIORITY_TASKS; i++) {
        world_task(world, names[i], priorities[i], actor);
    }
    world_interrupt(world, names[7], 3, -1, interrupt_actor);
    world_interrupt(world, names[8], 1, -1, interrupt_actor);
    world_boot(world);
    host_at_unlock = look;
    host_inject_handler = strike;
    host_run();
    const uint32_t rounds = check_rounds(60000);
    while (steps < rounds && check_failed() == 0) {
        host_interrupt(sb_tick);
    }
    stop = true;
    for (uint32_t i = 0; i < 8; i++) {
        host_interrupt(sb_tick);
    }
    host_at_unlock = NULL;
    for (uint32_t i = 0; i < PRIORITY_TASKS; i++) {
        EQUAL(sb_task_lookup(names[i]), SB_ADDR_NONE);
    }
    EQUAL(world_in_use(), 0);
    EQUAL(port_node()->timers.first == NULL, true);
    for (uint32_t i = 0; i < SEMS; i++) {
        EQUAL(sb_sem_value(&sems[i]), units[i]);
        EQUAL(sems[i].waiters.first == NULL, true);
    }
    /* A task's queue is freed with it; an interrupt task has taken everything. */
    for (uint32_t from = 0; from < ACTORS; from++) {
        for (uint32_t to = 0; to < ACTORS; to++) {
            EQUAL(received[from][to] <= sent[from][to], true);
            EQUAL(to < PRIORITY_TASKS || received[from][to] == sent[from][to], true);
        }
    }
    for (uint32_t i = 0; i < PRIORITY_TASKS; i++) {
        EQUAL(fast[i] >= 0, true);
    }
    /* The run was what it should be. */
    EQUAL(injected > rounds / 10, true);
    EQUAL(blocked_receives > rounds / 100, true);
    EQUAL(nests > rounds / 100, true);
    EQUAL(host_fatal_label == NULL, true);
    world_free(world);
}

void suite_random(void)
{
    check_run("tasks, interrupts and ticks at random", everything);
}
