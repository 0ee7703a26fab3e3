/* SPDX-License-Identifier: Apache-2.0 */
/** @file
 *  Mutexes, event flags, message queues, condition variables, reader-writer locks: what each promises, step by step. A
 *  conductor of the lowest priority lets the others run one after the other by their fast semaphores. */
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

static struct sb_mutex m1;
static struct sb_mutex m2;
static struct sb_mutex m3;
static struct sb_flags flags;
static struct sb_mq queue;
static struct sb_cond cond;
static struct sb_rwlock rwlock;

/** What each task does at its next turns: a text of steps, one character each; see step(). */
static const char *scripts[WORLD_TASKS];

static sb_addr named(char name)
{
    const char text[2] = {name, '\0'};
    return sb_task_lookup(text);
}

static struct sb_task *task_named(char name)
{
    return sb_task_local(port_node(), named(name));
}

static char result(enum sb_err err)
{
    switch (err) {
    case SB_OK:
        return '+';
    case SB_ERR_TIMEOUT:
        return 't';
    case SB_ERR_ABANDONED:
        return 'a';
    case SB_ERR_DEADLOCK:
        return 'd';
    case SB_ERR_NO_TICK:
        return 'n';
    case SB_ERR_FULL:
        return 'f';
    default:
        return '?';
    }
}

static uint32_t mq_value;

static enum sb_err step(char c)
{
    switch (c) {
    case '1':
        return sb_mutex_lock(&m1);
    case '2':
        return sb_mutex_lock(&m2);
    case '3':
        return sb_mutex_lock(&m3);
    case 'l':
        return sb_mutex_lock_timeout(&m1, 0);
    case 'T':
        return sb_mutex_lock_timeout(&m1, 3);
    case '!':
        return sb_mutex_unlock(&m1);
    case '@':
        return sb_mutex_unlock(&m2);
    case '#':
        return sb_mutex_unlock(&m3);
    case 'A':
        return sb_flags_wait(&flags, 3, SB_FLAGS_ALL, SB_FOREVER, NULL);
    case 'O':
        return sb_flags_wait(&flags, 3, SB_FLAGS_ANY_CLEAR, SB_FOREVER, NULL);
    case 'B':
        return sb_flags_wait(&flags, 3, SB_FLAGS_ALL_CLEAR, 2, NULL);
    case 's':
        mq_value++;
        return sb_mq_send(&queue, &mq_value, SB_FOREVER);
    case 'S':
        mq_value++;
        return sb_mq_send(&queue, &mq_value, 2);
    case 'F':
        mq_value++;
        return sb_mq_send_front(&queue, &mq_value, 0);
    case 'g': {
        uint32_t value = 0;
        const enum sb_err err = sb_mq_receive(&queue, &value, SB_FOREVER);
        world_log((char)('0' + value));
        return err;
    }
    case 'c':
        return sb_cond_wait(&cond, &m1, SB_FOREVER);
    case 'C':
        return sb_cond_wait(&cond, &m1, 2);
    case 'r':
        return sb_rwlock_read(&rwlock, SB_FOREVER);
    case 'w':
        return sb_rwlock_write(&rwlock, SB_FOREVER);
    case 'W':
        return sb_rwlock_write(&rwlock, 2);
    case 'u':
        return sb_rwlock_unlock(&rwlock);
    default:
        return SB_ERR_ARGUMENT;
    }
}

/** One step per turn; logs its name before and, with the result, after it. */
static void actor(void)
{
    const uint32_t me = sb_addr_index(sb_self());
    const char name = *sb_task_name(sb_self());
    while (*scripts[me] != '\0') {
        sb_fsem_wait();
        const char c = *scripts[me]++;
        world_log(name);
        const enum sb_err err = step(c);
        world_log((char)(name - 'a' + 'A'));
        world_log(result(err));
    }
    sb_fsem_wait();
    sb_fsem_wait();
}

/** Interrupt context: a turn for the task whose name this is. */
static char turn_of;

static void give_turn(void)
{
    EQUAL(sb_fsem_signal(named(turn_of)), SB_OK);
}

/** Turns for the tasks of `order`, then the log. */
static const char *turns(const char *order)
{
    for (; *order != '\0'; order++) {
        turn_of = *order;
        host_interrupt(give_turn);
    }
    return world_log_take();
}

static void pass(uint32_t ticks)
{
    while (ticks-- > 0) {
        host_interrupt(sb_tick);
    }
}

static void set_up_objects(void)
{
    sb_mutex_init(&m1, SB_MUTEX_INHERIT);
    sb_mutex_init(&m2, SB_MUTEX_INHERIT);
    sb_mutex_init(&m3, SB_MUTEX_INHERIT);
    sb_flags_init(&flags, 0);
    static uint32_t ring[2];
    EQUAL(sb_mq_init(&queue, ring, sizeof *ring, 2), SB_OK);
    sb_cond_init(&cond);
    sb_rwlock_init(&rwlock);
    mq_value = 0;
}

/** Tasks a, b, c, ... of these priorities with these scripts. */
static struct world *stage(uint32_t count, const uint8_t *priorities, const char *const *texts)
{
    static const char *const names[] = {"a", "b", "c", "d", "e"};
    struct world *world = world_make(0);
    for (uint32_t i = 0; i < count; i++) {
        world_task(world, names[i], priorities[i], actor);
        scripts[i] = texts[i];
    }
    world_servant(world);
    world_boot(world);
    set_up_objects();
    host_run();
    return world;
}

#define STAGE(priorities, ...) stage(sizeof(priorities), (priorities), (const char *const[]){__VA_ARGS__})

static int32_t priority(char name)
{
    return sb_task_priority(named(name));
}

static uint32_t new_priority;

static enum sb_err set_priority(sb_addr task)
{
    return sb_task_priority_set(task, new_priority);
}

/* ---- mutexes */

static void inheritance(void)
{
    static const uint8_t priorities[] = {3, 5, 9};
    struct world *world = STAGE(priorities, "1!", "11!!", "1!");
    TEXT(turns("c"), "cC+");
    TEXT(turns("b"), "b"); /* waits; c runs at its priority */
    EQUAL(priority('c'), 5);
    TEXT(turns("a"), "a");
    EQUAL(priority('c'), 3);
    EQUAL(sb_mutex_owner(&m1), named('c'));
    TEXT(turns("c"), "cA+C+"); /* the most urgent waiter has it at once */
    EQUAL(priority('c'), 9);
    EQUAL(priority('a'), 3);
    TEXT(turns("a"), "aA+B+");
    TEXT(turns("bbb"), "bB+bB+bB+"); /* as often as locked */
    EQUAL(sb_mutex_owner(&m1), SB_ADDR_NONE);
    world_free(world);
}

static void transitive(void)
{
    /* d holds m1; c holds m2 and waits for m1; b holds m3 and waits for m2; a comes for m3. */
    static const uint8_t priorities[] = {2, 10, 20, 30};
    struct world *world = STAGE(priorities, "3#", "32@#", "21!@", "1!");
    TEXT(turns("dcb"), "dD+cC+bB+");
    TEXT(turns("cb"), "cb");
    EQUAL(priority('d'), 10);
    TEXT(turns("a"), "a");
    EQUAL(priority('b'), 2);
    EQUAL(priority('c'), 2);
    EQUAL(priority('d'), 2);
    TEXT(turns("d"), "dC+D+"); /* c runs first: it is as urgent as a, and d no longer is */
    EQUAL(priority('d'), 30);
    EQUAL(priority('c'), 2);
    /* The most urgent waiter changes its mind: everybody along the chain. */
    new_priority = 15;
    EQUAL(world_by_interrupt(set_priority, named('a')), SB_OK);
    EQUAL(priority('b'), 10);
    EQUAL(priority('c'), 10);
    new_priority = 25;
    EQUAL(world_by_interrupt(set_priority, named('b')), SB_OK);
    EQUAL(priority('b'), 15);
    EQUAL(priority('c'), 15);
    EQUAL(world_by_task(sb_task_kill, named('a')), SB_OK);
    EQUAL(priority('b'), 25);
    EQUAL(priority('c'), 20);
    TEXT(turns("cc"), "cC+cC+B+");
    world_free(world);
}

static void time_and_death(void)
{
    static const uint8_t priorities[] = {3, 5, 9};
    struct world *world = STAGE(priorities, "T1!", "1!", "1!1!");
    TEXT(turns("c"), "cC+");
    TEXT(turns("a"), "a");
    EQUAL(priority('c'), 3);
    pass(2);
    EQUAL(priority('c'), 3);
    pass(1);
    TEXT(world_log_take(), "At"); /* and lends nothing any more */
    EQUAL(priority('c'), 9);
    TEXT(turns("b"), "b");
    EQUAL(priority('c'), 5);
    EQUAL(world_by_task(sb_task_kill, named('c')), SB_OK);
    host_run();
    TEXT(world_log_take(), "Ba"); /* b has it, and knows */
    EQUAL(sb_mutex_owner(&m1), named('b'));
    EQUAL(world_by_task(sb_task_kill, named('b')), SB_OK);
    EQUAL(sb_mutex_owner(&m1), SB_ADDR_NONE);
    TEXT(turns("a"), "aAa"); /* abandoned with nobody waiting: the next one is told, once */
    TEXT(turns("a"), "aA+");
    EQUAL(sb_mutex_owner(&m1), SB_ADDR_NONE);
    world_free(world);
}

static void deadlock(void)
{
    static const uint8_t priorities[] = {3, 5, 9};
    struct world *world = STAGE(priorities, "13", "21", "32");
    TEXT(turns("abc"), "aA+bB+cC+");
    TEXT(turns("bc"), "bc"); /* b waits for a, c for b */
    TEXT(turns("a"), "aAd"); /* a would wait for c */
    EQUAL(task_named('a')->state, SB_STATE_WAIT_FSEM);
    EQUAL(sb_mutex_owner(&m3), named('c'));
    world_free(world);
}

static void ceiling(void)
{
    static const uint8_t priorities[] = {3, 5, 9};
    struct world *world = STAGE(priorities, "1", "1!", "1!l");
    sb_mutex_init(&m1, 4);
    TEXT(turns("c"), "cC+");
    EQUAL(priority('c'), 4);
    TEXT(turns("a"), "aA?"); /* more urgent than the ceiling */
    TEXT(turns("c"), "cC+");
    EQUAL(priority('c'), 9);
    TEXT(turns("b"), "bB+");
    EQUAL(priority('b'), 4);
    TEXT(turns("c"), "cCt");
    TEXT(turns("b"), "bB+");
    EQUAL(priority('b'), 5);
    world_free(world);
}

static void unlock_not_owned(void)
{
    sb_mutex_init(&m1, SB_MUTEX_INHERIT);
    SB_IGNORE(sb_mutex_unlock(&m1));
    world_log('.');
}

static void not_owned(void)
{
    struct world *world = world_make(0);
    world_task(world, "a", 3, unlock_not_owned);
    world_boot(world);
    host_run();
    if (SB_CFG_LEVEL >= SB_LEVEL_CHECKED) {
        TEXT(host_fatal_label, "mutex-not-owned");
    } else {
        TEXT(world_log_take(), ".");
    }
    world_free(world);
}

/* ---- event flags */

static uint32_t bits_to_set;

static void set_bits(void)
{
    sb_flags_set(&flags, bits_to_set);
}

static const char *set(uint32_t bits)
{
    bits_to_set = bits;
    host_interrupt(set_bits);
    return world_log_take();
}

static void event_flags(void)
{
    static const uint8_t priorities[] = {3, 5, 7, 9};
    struct world *world = STAGE(priorities, "OO", "AB", "O", "A");
    TEXT(turns("dcba"), "dcba");
    TEXT(set(4), "");
    TEXT(set(1), "A+"); /* a wants any, and clears: nobody else sees it */
    EQUAL(sb_flags_value(&flags), 4);
    TEXT(turns("a"), "a");
    TEXT(set(3), "A+"); /* the most urgent again takes all */
    EQUAL(sb_flags_value(&flags), 4);
    TEXT(set(3), "B+C+"); /* b takes none, c clears before d is looked at */
    EQUAL(sb_flags_value(&flags), 4);
    TEXT(turns("b"), "b");
    TEXT(set(2), "");
    pass(2);
    TEXT(world_log_take(), "Bt");
    TEXT(set(1), "D+");
    EQUAL(sb_flags_clear(&flags, 5), 7);
    EQUAL(sb_flags_value(&flags), 2);
    uint32_t got = 0;
    EQUAL(sb_flags_wait(&flags, 2, SB_FLAGS_ANY, 0, &got), SB_OK);
    EQUAL(got, 2);
    EQUAL(sb_flags_wait(&flags, 3, SB_FLAGS_ALL, 0, &got), SB_ERR_TIMEOUT);
    EQUAL(sb_flags_wait(&flags, 0, SB_FLAGS_ALL, 0, &got), SB_ERR_ARGUMENT);
    world_free(world);
}

/** Every small case: bits set, bits wanted, mode. */
static void flags_exhaustive(void)
{
    struct world *world = world_make(0);
    world_boot(world);
    for (uint32_t bits = 0; bits < 8; bits++) {
        for (uint32_t wanted = 1; wanted < 8; wanted++) {
            for (uint32_t mode = 0; mode < 4; mode++) {
                uint32_t got = 99;
                sb_flags_init(&flags, bits);
                const bool holds = (mode & 1) != 0 ? (bits & wanted) == wanted : (bits & wanted) != 0;
                EQUAL(sb_flags_wait(&flags, wanted, (enum sb_flags_mode)mode, 0, &got),
                      holds ? SB_OK : SB_ERR_TIMEOUT);
                EQUAL(got, bits);
                EQUAL(sb_flags_value(&flags), holds && mode >= 2 ? bits & ~wanted : bits);
            }
        }
    }
    world_free(world);
}

/* ---- message queues */

static void message_queues(void)
{
    static const uint8_t priorities[] = {3, 5, 7};
    struct world *world = STAGE(priorities, "ggggg", "sSs", "sssF");
    TEXT(turns("a"), "a");
    TEXT(turns("c"), "c1A+C+"); /* straight to who waits */
    TEXT(turns("cc"), "cC+cC+");
    TEXT(turns("c"), "cCt"); /* full: no room in front either */
    EQUAL(sb_mq_count(&queue), 2);
    TEXT(turns("b"), "b");
    TEXT(turns("a"), "a2A+B+"); /* b's message has the room */
    EQUAL(sb_mq_count(&queue), 2);
    TEXT(turns("b"), "b");
    pass(2);
    TEXT(world_log_take(), "Bt");
    TEXT(turns("a"), "a3A+");
    TEXT(turns("b"), "bB+");
    TEXT(turns("aa"), "a5A+a7A+");
    EQUAL(sb_mq_count(&queue), 0);
    world_free(world);
}

static void urgent_and_rendezvous(void)
{
    static const uint8_t priorities[] = {3, 5};
    struct world *world = STAGE(priorities, "gggg", "sFss");
    TEXT(turns("bb"), "bB+bB+");
    TEXT(turns("aa"), "a2A+a1A+");
    EQUAL(sb_mq_init(&queue, NULL, 4, 0), SB_OK);
    TEXT(turns("b"), "b");
    TEXT(turns("a"), "a3A+B+");
    TEXT(turns("a"), "a");
    TEXT(turns("b"), "b4A+B+");
    EQUAL(sb_mq_init(&queue, NULL, 4, 1), SB_ERR_SIZE);
    EQUAL(sb_mq_init(&queue, &queue, 0, 1), SB_ERR_SIZE);
    EQUAL(sb_mq_init(&queue, &queue, 65536, 65536), SB_ERR_SIZE);
    world_free(world);
}

/* ---- condition variables */

static void signal_cond(void)
{
    sb_cond_signal(&cond);
}

static void broadcast_cond(void)
{
    sb_cond_broadcast(&cond);
}

static void conditions(void)
{
    static const uint8_t priorities[] = {3, 5, 7};
    struct world *world = STAGE(priorities, "11c!!", "1c!1C!", "1!");
    TEXT(turns("aaa"), "aA+aA+a");
    EQUAL(sb_mutex_owner(&m1), SB_ADDR_NONE);
    TEXT(turns("bb"), "bB+b");
    TEXT(turns("c"), "cC+");
    host_interrupt(signal_cond);
    TEXT(world_log_take(), ""); /* a is awake, and waits for the mutex */
    EQUAL(priority('c'), 3);
    TEXT(turns("c"), "cA+C+");
    TEXT(turns("a"), "aA+"); /* locked twice, as before */
    EQUAL(sb_mutex_owner(&m1), named('a'));
    host_interrupt(broadcast_cond);
    TEXT(turns("a"), "aA+B+");
    EQUAL(sb_mutex_owner(&m1), named('b'));
    TEXT(turns("bbb"), "bB+bB+b");
    pass(2);
    TEXT(world_log_take(), "Bt");
    EQUAL(sb_mutex_owner(&m1), named('b'));
    TEXT(turns("b"), "bB+");
    host_interrupt(signal_cond); /* nobody: nothing is kept */
    world_free(world);
}

/* ---- reader-writer locks */

static void readers_and_writers(void)
{
    static const uint8_t priorities[] = {3, 5, 5, 9, 10};
    struct world *world = STAGE(priorities, "ru", "wu", "ru", "ru", "Wrw");
    TEXT(turns("cd"), "cC+dD+");
    TEXT(turns("b"), "b");
    TEXT(turns("a"), "aA+"); /* more urgent than the writer that waits */
    TEXT(turns("e"), "e");
    TEXT(turns("acd"), "aA+cC+dB+D+");
    EQUAL(rwlock.writer == task_named('b'), true);
    pass(2);
    TEXT(world_log_take(), "Et");
    TEXT(turns("e"), "e");
    TEXT(turns("b"), "bB+E+");
    EQUAL(rwlock.readers, 1);
    world_free(world);
}

static void a_writer_that_gives_up_frees_the_way(void)
{
    static const uint8_t priorities[] = {3, 5, 9};
    struct world *world = STAGE(priorities, "ru", "W", "ru");
    TEXT(turns("abc"), "aA+bc"); /* c waits behind the writer */
    pass(2);
    TEXT(world_log_take(), "BtC+");
    EQUAL(rwlock.readers, 2);
    TEXT(turns("ac"), "aA+cC+");
    EQUAL(sb_rwlock_unlock(&rwlock), SB_ERR_ARGUMENT); /* it is free */
    world_free(world);
}

void suite_sync(void)
{
    check_run("mutex: inheritance, hand over, depth", inheritance);
    check_run("mutex: inheritance along a chain", transitive);
    check_run("mutex: time and death", time_and_death);
    check_run("mutex: a circle is refused", deadlock);
    check_run("mutex: ceiling", ceiling);
    check_run("mutex: unlock by another", not_owned);
    check_run("event flags", event_flags);
    check_run("event flags: every small case", flags_exhaustive);
    check_run("message queues", message_queues);
    check_run("message queues: urgent messages, rendezvous", urgent_and_rendezvous);
    check_run("condition variables", conditions);
    check_run("reader-writer locks", readers_and_writers);
    check_run("reader-writer lock: a writer that gives up frees the way",
              a_writer_that_gives_up_frees_the_way);
}
