/* SPDX-License-Identifier: Apache-2.0 */
/** @file
 *  Lives of tasks: create, stop, start, kill, restart, priorities; cooperative nodes. */
#include <stddef.h>
#include <stdlib.h>

#include "check.h"
#include "kernel.h"
#include "signalbox/mutex.h"
#include "signalbox/sem.h"
#include "signalbox/timer.h"
#include "world.h"

static const uint32_t any[] = {0};

static char name_here(void)
{
    return *sb_task_name(sb_self());
}

/** Logs its name at each turn; turns come by its fast semaphore. */
static void turner(void)
{
    for (;;) {
        sb_fsem_wait();
        world_log(name_here());
    }
}

static void (*calling)(void);

static void call(void)
{
    for (;;) {
        sb_fsem_wait();
        calling();
    }
}

/** Lets the task "x" (priority 20) do something; then the log. */
static const char *as_task(void (*body)(void))
{
    calling = body;
    struct sb_task *task = sb_task_local(port_node(), sb_task_lookup("x"));
    task->fsem = 0;
    extern void wake_x(void);
    host_interrupt(wake_x);
    return world_log_take();
}

void wake_x(void);

void wake_x(void)
{
    EQUAL(sb_fsem_signal(sb_task_lookup("x")), SB_OK);
}

static char turn_of;

static void give_turn(void)
{
    const char text[2] = {turn_of, '\0'};
    EQUAL(sb_fsem_signal(sb_task_lookup(text)), SB_OK);
}

static const char *turns(const char *order)
{
    for (; *order != '\0'; order++) {
        turn_of = *order;
        host_interrupt(give_turn);
    }
    return world_log_take();
}

static uint8_t *spare_stack;

static struct sb_task_config spare_config(const char *name, uint8_t priority)
{
    return (struct sb_task_config){.name = name,
                                   .entry = turner,
                                   .kind = SB_TASK_PRIORITY,
                                   .priority = priority,
                                   .irq = -1,
                                   .stack = spare_stack,
                                   .stack_bytes = HOST_STACK_BYTES};
}

static struct sb_task_config made;
static sb_addr made_addr;

static void create_bad(void)
{
    static struct sb_task_config bad;
    sb_addr addr = 7;
    bad = spare_config(NULL, 3);
    EQUAL(sb_task_create(&bad, &addr), SB_ERR_ARGUMENT);
    EQUAL(addr, SB_ADDR_NONE);
    EQUAL(sb_task_create(NULL, &addr), SB_ERR_ARGUMENT);
    bad = spare_config("m", 32);
    EQUAL(sb_task_create(&bad, &addr), SB_ERR_ARGUMENT);
    bad = spare_config("m", 3);
    bad.kind = SB_TASK_IDLE;
    EQUAL(sb_task_create(&bad, &addr), SB_ERR_ARGUMENT);
    bad.kind = 17;
    EQUAL(sb_task_create(&bad, &addr), SB_ERR_ARGUMENT);
    bad.kind = SB_TASK_PERIODIC; /* without class */
    EQUAL(sb_task_create(&bad, &addr), SB_ERR_ARGUMENT);
    bad = spare_config("m", 3);
    bad.entry = NULL;
    EQUAL(sb_task_create(&bad, &addr), SB_ERR_ARGUMENT);
    bad = spare_config("m", 3);
    bad.irq = 32;
    EQUAL(sb_task_create(&bad, &addr), SB_ERR_ARGUMENT);
    bad = spare_config("m", 3);
    bad.stack = NULL;
    EQUAL(sb_task_create(&bad, &addr), SB_ERR_SIZE);
    bad.stack = spare_stack + 8;
    EQUAL(sb_task_create(&bad, &addr), SB_ERR_SIZE);
    bad = spare_config("m", 3);
    bad.stack_bytes = 0;
    EQUAL(sb_task_create(&bad, &addr), SB_ERR_SIZE);
    bad.stack_bytes = 300;
    EQUAL(sb_task_create(&bad, &addr), SB_ERR_SIZE);
    bad = spare_config("m", 3);
    bad.kind = SB_TASK_INTERRUPT;
    EQUAL(sb_task_create(&bad, &addr), SB_ERR_SIZE);
    bad = spare_config("x", 3);
    EQUAL(sb_task_create(&bad, &addr), SB_ERR_BUSY);
}

static void create_one(void)
{
    EQUAL(sb_task_create(&made, &made_addr), SB_OK);
}

static void create_another(void)
{
    static struct sb_task_config config;
    config = spare_config("n", 3);
    sb_addr addr;
    EQUAL(sb_task_create(&config, &addr), SB_ERR_FULL);
}

static void kill_made(void)
{
    EQUAL(sb_task_kill(made_addr), SB_OK);
    EQUAL(sb_task_kill(made_addr), SB_ERR_DEAD); /* twice */
    union sb_signal *sig = sb_alloc(8, 1);
    EQUAL(sb_send(&sig, made_addr), SB_ERR_DEAD);
    EQUAL(sig == NULL, true);
    EQUAL(sb_task_stop(made_addr), SB_ERR_DEAD);
    EQUAL(sb_task_start(made_addr), SB_ERR_DEAD);
    EQUAL(sb_task_priority_set(made_addr, 3), SB_ERR_DEAD);
    EQUAL(sb_task_priority(made_addr), SB_ERR_DEAD);
    EQUAL(sb_stack_used(made_addr), SB_ERR_DEAD);
    EQUAL(sb_period_set(made_addr, 1, 1), SB_ERR_DEAD);
}

static void restart_made(void)
{
    const sb_addr old = made_addr;
    host_stack_reuse(spare_stack);
    EQUAL(sb_task_restart(old, &made_addr), SB_OK);
    EQUAL(made_addr, old + 1);
    sb_addr none;
    EQUAL(sb_task_restart(old, &none), SB_ERR_DEAD);
    EQUAL(none, SB_ADDR_NONE);
    EQUAL(sb_task_restart(sb_self(), &none), SB_ERR_BUSY);
    EQUAL(sb_task_restart(sb_addr_make(1, 0, 1), &none), SB_ERR_ARGUMENT);
    EQUAL(sb_task_restart(sb_addr_make(0, 4000, 1), &none), SB_ERR_ARGUMENT);
}

static void restart_last(void)
{
    host_stack_reuse(spare_stack);
    EQUAL(sb_task_restart(made_addr, &made_addr), SB_OK);
}

/** x, and room for one more. */
static struct world *small_world(void)
{
    struct world *world = world_make(0);
    world_task(world, "x", 20, call);
    world->config.spare_tasks = 1;
    spare_stack = world->stacks + (WORLD_TASKS - 1u) * HOST_STACK_BYTES;
    made = spare_config("m", 3);
    memset(world->task_state, 0, sizeof world->task_state);
    return world;
}

static void lives(void)
{
    struct world *world = small_world();
    world_boot(world);
    host_run();
    TEXT(as_task(create_bad), "");
    TEXT(as_task(create_one), "");
    EQUAL(made_addr, sb_addr_make(0, 1, 1));
    TEXT(turns("m"), "m");
    TEXT(as_task(create_another), "");
    TEXT(as_task(kill_made), "");
    TEXT(as_task(restart_made), "");
    TEXT(turns("m"), "m");
    TEXT(as_task(restart_made), ""); /* alive: a new life */
    EQUAL(made_addr, sb_addr_make(0, 1, 3));
    /* After the last generation comes the first again. */
    world->task_state[1].generation = SB_ADDR_GENERATION_MAX;
    world->task_state[1].addr = sb_addr_make(0, 1, SB_ADDR_GENERATION_MAX);
    made_addr = world->task_state[1].addr;
    TEXT(as_task(restart_last), "");
    EQUAL(made_addr, sb_addr_make(0, 1, 1));
    EQUAL(world_in_use(), 0);
    world_free(world);
}

static void stopped_at_birth(void)
{
    struct world *world = small_world();
    world->tasks[0].stopped = false;
    made.stopped = true;
    world_boot(world);
    host_run();
    TEXT(as_task(create_one), "");
    EQUAL(world->task_state[1].state, SB_STATE_STOPPED);
    TEXT(turns("m"), "");
    EQUAL(world_by_interrupt(sb_task_start, made_addr), SB_OK);
    EQUAL(world_by_interrupt(sb_task_start, made_addr), SB_ERR_ARGUMENT);
    TEXT(world_log_take(), "m");
    world_free(world);
}

/* ---- what a dying task leaves behind */

static union sb_signal *handed;

/** Owns two of its own and one received; has one queued, and one sent that nobody has received; gave one away. */
static void hoarder(void)
{
    union sb_signal *own[2] = {sb_alloc(8, 1), sb_alloc(100, 2)};
    EQUAL(own[0] != NULL && own[1] != NULL, true);
    union sb_signal *sig = sb_alloc(8, 3);
    EQUAL(sb_send(&sig, sb_self()), SB_OK);
    sig = sb_alloc(8, 4);
    EQUAL(sb_send(&sig, sb_self()), SB_OK);
    EQUAL(sb_receive(any)->signo, 3);
    sig = sb_alloc_from(1, 8, 5);
    EQUAL(sb_send(&sig, sb_task_lookup("heir")), SB_OK);
    sb_fsem_wait();
}

static void heir(void)
{
    sb_fsem_wait();
    handed = sb_receive(any);
    sb_fsem_wait();
}

/** Dies between the hand over and its receive's return. */
static void waits_for_signal(void)
{
    union sb_signal *sig = sb_receive(any);
    sb_free(&sig);
}

static void send_to_w(void)
{
    union sb_signal *sig = sb_alloc(8, 9);
    const sb_addr w = sb_task_lookup("w");
    EQUAL(sb_task_stop(w), SB_OK);
    EQUAL(sb_send(&sig, w), SB_OK);
}

static void legacies(void)
{
    struct world *world = world_make(0);
    world_task(world, "hoarder", 3, hoarder);
    world_task(world, "heir", 5, heir);
    world_task(world, "w", 4, waits_for_signal);
    world_servant(world);
    world_boot(world);
    host_run();
    EQUAL(world_in_use(), 5);
    EQUAL(world_by_task(sb_task_kill, sb_task_lookup("hoarder")), SB_OK);
    EQUAL(world_in_use(), 1); /* what was sent to another lives */
    EQUAL(sb_pool_reset(1), SB_ERR_BUSY);
    EQUAL(world_by_interrupt(sb_fsem_signal, sb_task_lookup("heir")), SB_OK);
    EQUAL(handed->signo, 5);
    EQUAL(world_by_task(sb_task_kill, sb_task_lookup("heir")), SB_OK);
    EQUAL(world_in_use(), 0);
    host_interrupt(send_to_w);
    EQUAL(world_in_use(), 1);
    EQUAL(world_by_task(sb_task_kill, sb_task_lookup("w")), SB_OK);
    EQUAL(world_in_use(), 0);
    struct sb_pool_status status;
    EQUAL(sb_pool_status(0, 0, &status), SB_OK);
    EQUAL(status.in_use_max, 3);
    EQUAL(sb_pool_reset(0), SB_OK);
    EQUAL(sb_pool_status(0, 0, &status), SB_OK);
    EQUAL(status.in_use_max, 0);
    EQUAL(sb_pool_reset(2), SB_ERR_ARGUMENT);
    world_free(world);
}

static void sleeper(void)
{
    EQUAL(sb_delay(1000), SB_ERR_WOKEN);
    world_log('1');
    EQUAL(sb_delay_until(sb_ticks() + 1000), SB_ERR_WOKEN);
    world_log('2');
    EQUAL(sb_fsem_set(2), SB_OK);
    EQUAL(sb_fsem_set(-1), SB_ERR_ARGUMENT);
    sb_fsem_wait();
    sb_fsem_wait();
    world_log('3');
    sb_fsem_wait();
}

static void waking(void)
{
    struct world *world = world_make(0);
    world_task(world, "a", 3, sleeper);
    world_boot(world);
    host_run();
    const sb_addr a = sb_task_lookup("a");
    EQUAL(world_by_interrupt(sb_task_wake, a), SB_OK);
    TEXT(world_log_take(), "1");
    EQUAL(world_by_interrupt(sb_task_wake, a), SB_OK);
    TEXT(world_log_take(), "23");
    EQUAL(world_by_interrupt(sb_task_wake, a), SB_ERR_ARGUMENT); /* waits, but in no delay */
    EQUAL(world_by_interrupt(sb_task_wake, SB_ADDR_NONE), SB_ERR_DEAD);
    EQUAL(port_node()->timers.first == NULL, true);
    world_free(world);
}

/* ---- stop and start, of everything that a task can do */

static struct sb_sem sem;

static void receiver(void)
{
    union sb_signal *sig = sb_receive(any);
    world_log('r');
    sb_free(&sig);
    EQUAL(sb_receive_timeout(any, 2) == NULL, true);
    world_log('t');
    sb_sem_wait(&sem);
    world_log('s');
    EQUAL(sb_delay(2), SB_OK);
    world_log('d');
    sb_fsem_wait();
}

static void send_to_a(void)
{
    union sb_signal *sig = sb_alloc(8, 1);
    EQUAL(sb_send(&sig, sb_task_lookup("a")), SB_OK);
}

static void signal_sem(void)
{
    EQUAL(sb_sem_signal(&sem), SB_OK);
}

/** Stops a before `event`, which would wake it, and starts it again afterwards. */
static const char *while_stopped(void (*event)(void), uint32_t times)
{
    const sb_addr a = sb_task_lookup("a");
    EQUAL(world_by_interrupt(sb_task_stop, a), SB_OK);
    for (uint32_t i = 0; i < times; i++) {
        host_interrupt(event);
    }
    TEXT(world_log_take(), "");
    EQUAL(world_here()->task_state[0].state, SB_STATE_STOPPED);
    EQUAL(world_by_interrupt(sb_task_start, a), SB_OK);
    return world_log_take();
}

static void stopping(void)
{
    struct world *world = world_make(0);
    sb_sem_init(&sem, 0);
    world_task(world, "a", 3, receiver);
    world_servant(world);
    world_boot(world);
    host_run();
    TEXT(while_stopped(send_to_a, 1), "r");
    TEXT(while_stopped(sb_tick, 2), "t");
    TEXT(while_stopped(signal_sem, 1), "s");
    TEXT(while_stopped(sb_tick, 2), "d");
    const sb_addr a = sb_task_lookup("a");
    for (uint32_t i = 0; i < 255; i++) {
        EQUAL(world_by_interrupt(sb_task_stop, a), SB_OK);
    }
    EQUAL(world_by_interrupt(sb_task_stop, a), SB_ERR_FULL);
    EQUAL(world_by_task(sb_task_kill, a), SB_OK); /* a stopped one dies like any other */
    EQUAL(world_in_use(), 0);
    world_free(world);
}

static void count_activation(void)
{
    world_log('i');
    while (sb_fsem_wait_timeout(0) == SB_OK) {
        world_log('f');
    }
}

static void signal_isr(void)
{
    EQUAL(sb_fsem_signal(sb_task_lookup("isr")), SB_OK);
}

static void stopped_interrupt_task(void)
{
    struct world *world = small_world();
    world_interrupt(world, "isr", 4, 5, count_activation);
    world_boot(world);
    host_run();
    const sb_addr isr = sb_task_lookup("isr");
    TEXT(as_task(signal_isr), "if");
    EQUAL(world_by_interrupt(sb_task_stop, isr), SB_OK);
    TEXT(as_task(signal_isr), "");
    host_raise(5);
    TEXT(world_log_take(), "");
    EQUAL(world_by_interrupt(sb_task_start, isr), SB_OK); /* once for all that has come */
    TEXT(world_log_take(), "if");
    EQUAL(sb_task_priority_set(isr, 2), SB_ERR_ARGUMENT);
    EQUAL(sb_stack_used(isr), SB_ERR_ARGUMENT);
    EQUAL(sb_period_set(isr, 2, 2), SB_ERR_ARGUMENT);
    world_free(world);
}

/* ---- priorities, yield, cooperative mode */

static void set_and_look(void)
{
    const sb_addr b = sb_task_lookup("b");
    EQUAL(sb_fsem_signal(b), SB_OK);
    world_log('1');
    EQUAL(sb_task_priority_set(b, 10), SB_OK); /* is ready: overtakes */
    world_log('2');
    EQUAL(sb_task_priority_set(b, 30), SB_OK);
    EQUAL(sb_fsem_signal(b), SB_OK);
    EQUAL(sb_task_priority_set(sb_self(), 31), SB_OK); /* lets it by */
    world_log('3');
    EQUAL(sb_task_priority_set(sb_self(), 20), SB_OK);
    EQUAL(sb_task_priority_set(b, 32), SB_ERR_ARGUMENT);
    EQUAL(sb_task_priority_set(sb_addr_make(1, 0, 1), 3), SB_ERR_DEAD);
}

static void priorities(void)
{
    struct world *world = small_world();
    world_task(world, "b", 25, turner);
    world_boot(world);
    host_run();
    TEXT(as_task(set_and_look), "1b2b3");
    world_free(world);
}

static void cooperate(void)
{
    EQUAL(sb_fsem_signal(sb_task_lookup("a")), SB_OK); /* more urgent: has to wait */
    world_log('1');
    sb_yield();
    world_log('2');
    EQUAL(sb_fsem_signal(sb_task_lookup("a")), SB_OK);
    world_log('3');
    union sb_signal *sig = sb_alloc(8, 1);
    EQUAL(sb_send(&sig, sb_task_lookup("isr")), SB_OK); /* interrupt tasks run all the same */
    world_log('4');
    EQUAL(sb_delay(1), SB_OK);
    world_log('5');
}

static void take_signal(void)
{
    union sb_signal *sig;
    world_log('i');
    while ((sig = sb_receive_timeout(any, 0)) != NULL) {
        sb_free(&sig);
    }
}

static void cooperative(void)
{
    struct world *world = small_world();
    world->config.cooperative = true;
    world_task(world, "a", 2, turner);
    world_interrupt(world, "isr", 4, -1, take_signal);
    world_boot(world);
    host_run();
    TEXT(as_task(cooperate), "1a23i4a");
    host_interrupt(sb_tick);
    TEXT(world_log_take(), "5");
    EQUAL(world->host.node.held, SB_HELD_ONE);
    world_free(world);
}

static void hold(void)
{
    sb_preemption_off();
    sb_preemption_off();
    EQUAL(sb_fsem_signal(sb_task_lookup("a")), SB_OK);
    sb_preemption_on();
    world_log('1');
    sb_preemption_on();
    world_log('2');
}

static void wait_while_held(void)
{
    sb_preemption_off();
    sb_fsem_wait();
}

static void preemption(void)
{
    struct world *world = small_world();
    world_task(world, "a", 2, turner);
    world_boot(world);
    host_run();
    TEXT(as_task(hold), "1a2");
    if (SB_CFG_LEVEL >= SB_LEVEL_CHECKED) {
        (void)as_task(wait_while_held);
        TEXT(host_fatal_label, "fsem-context");
    }
    world_free(world);
}

void suite_tasks(void)
{
    check_run("create, kill, restart; bad configurations", lives);
    check_run("a task that is created stopped", stopped_at_birth);
    check_run("a dying task's signals come back", legacies);
    check_run("a delay ended early; the own fast semaphore set", waking);
    check_run("a stopped task waits on, and runs when started", stopping);
    check_run("a stopped interrupt task", stopped_interrupt_task);
    check_run("priorities at run time", priorities);
    check_run("cooperative nodes", cooperative);
    check_run("preemption off and on", preemption);
}
