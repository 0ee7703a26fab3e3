/* SPDX-License-Identifier: Apache-2.0 */
/** @file
 *  Whole nodes: what tests on a target cannot reach, such as violations in interrupt context, a node without
 *  tick, two nodes in one process. */
#include <stddef.h>

#include "check.h"
#include "signalbox/remote.h"
#include "signalbox/sem.h"
#include "signalbox/timer.h"
#include "world.h"

static const uint32_t any[] = {0};

static struct {
    uint32_t errors;
    enum sb_err err;
    const char *label;
    uint32_t swaps;
} seen;

static void error_hook(enum sb_err err, const char *label)
{
    seen.errors++;
    seen.err = err;
    seen.label = label;
}

static void swap_hook(sb_addr from, sb_addr to)
{
    EQUAL(from != to, true);
    seen.swaps++;
}

static const struct sb_hooks hooks = {.error = error_hook, .swap = swap_hook};

/* ---- violations */

static void (*violating)(void);

static void violate(void)
{
    violating();
    world_log('!');
}

/** Runs `body` in a task or an interrupt task of a node of its own; at the checked level it must end with
 *  `label`. */
static void expect_violation(bool in_interrupt, void (*body)(void), const char *label)
{
    if (SB_CFG_LEVEL < SB_LEVEL_CHECKED) {
        return;
    }
    struct world *world = world_make(0);
    world->config.hooks = &hooks;
    seen.label = NULL;
    violating = body;
    if (in_interrupt) {
        world_interrupt(world, "isr", 0, 5, violate);
    } else {
        world_task(world, "task", 0, violate);
    }
    world_boot(world);
    host_run();
    if (in_interrupt) {
        host_raise(5);
    }
    TEXT(host_fatal_label, label);
    TEXT(seen.label, label);
    TEXT(world_log_take(), "");
    world_free(world);
}

static void do_receive(void)
{
    union sb_signal *sig = sb_receive(any);
    sb_free(&sig);
}

static void do_fsem_wait(void)
{
    sb_fsem_wait();
}

static void do_sem_wait(void)
{
    static struct sb_sem sem;
    sb_sem_init(&sem, 1);
    sb_sem_wait(&sem);
}

static void do_delay(void)
{
    SB_IGNORE(sb_delay(1));
}

static void do_kill(void)
{
    SB_IGNORE(sb_task_kill(sb_self()));
}

static void do_overflow(void)
{
    struct sb_task *self = port_node()->current;
    self->stack[8] ^= 1;
    SB_IGNORE(sb_delay(1));
}

static void do_wild_free(void)
{
    static _Alignas(8) uint32_t fake[32];
    union sb_signal *sig = (union sb_signal *)(void *)&fake[16];
    sb_free(&sig);
}

static void do_free_twice(void)
{
    union sb_signal *sig = sb_alloc(8, 1);
    union sb_signal *same = sig;
    sb_free(&sig);
    sb_free(&same);
}

static void violations(void)
{
    expect_violation(false, do_free_twice, "signal-not-owned");
    expect_violation(true, do_receive, "receive-context");
    expect_violation(true, do_fsem_wait, "fsem-context");
    expect_violation(true, do_sem_wait, "sem-context");
    expect_violation(true, do_delay, "delay-context");
    expect_violation(true, do_kill, "kill-context");
    expect_violation(false, do_overflow, "stack-overflow");
    expect_violation(false, do_wild_free, "signal-header");
}

static void exhaust(void)
{
    for (;;) {
        union sb_signal *sig = sb_alloc(100, 1);
        world_log('a');
        SB_IGNORE(sb_send(&sig, sb_self()));
    }
}

static void exhaustion_is_fatal_at_every_level(void)
{
    struct world *world = world_make(0);
    world->config.hooks = &hooks;
    world_task(world, "task", 0, exhaust);
    seen.label = NULL;
    world_boot(world);
    host_run();
    TEXT(host_fatal_label, "alloc-exhausted");
    TEXT(world_log_take(), "aaaa");
    if (SB_CFG_LEVEL >= SB_LEVEL_HOOKS) {
        TEXT(seen.label, "alloc-exhausted");
        EQUAL(seen.err, SB_ERR_MEMORY);
    } else {
        EQUAL(seen.label == NULL, true);
    }
    world_free(world);
}

/* ---- no tick */

static void without_tick_task(void)
{
    struct sb_sem sem;
    sb_sem_init(&sem, 0);
    EQUAL(sb_delay(1), SB_ERR_NO_TICK);
    EQUAL(sb_fsem_wait_timeout(1), SB_ERR_NO_TICK);
    EQUAL(sb_sem_wait_timeout(&sem, 1), SB_ERR_NO_TICK);
    EQUAL(sb_receive_timeout(any, 1) == NULL, true);
    EQUAL(sb_receive_timeout(any, 0) == NULL, true);
    EQUAL(sb_fsem_wait_timeout(0), SB_ERR_TIMEOUT);
    world_log('w');
    EQUAL(sb_fsem_wait_timeout(SB_FOREVER), SB_OK);
    world_log('f');
}

static void signal_task(void)
{
    EQUAL(sb_fsem_signal(sb_task_lookup("task")), SB_OK);
}

static void without_tick(void)
{
    struct world *world = world_make(0);
    world->config.tick_hz = 0;
    world->config.hooks = &hooks;
    seen.errors = 0;
    world_task(world, "task", 0, without_tick_task);
    world_boot(world);
    host_run();
    TEXT(world_log_take(), "w");
    host_interrupt(signal_task);
    TEXT(world_log_take(), "f");
    EQUAL(sb_task_lookup("task"), SB_ADDR_NONE); /* its entry returned */
    if (SB_CFG_LEVEL >= SB_LEVEL_HOOKS) {
        EQUAL(seen.errors, 1); /* receive cannot say it otherwise */
        EQUAL(seen.err, SB_ERR_NO_TICK);
        TEXT(seen.label, "timeout-no-tick");
    }
    world_free(world);
}

/* ---- timeouts wake by tick and priority */

static void sleeper(void)
{
    EQUAL(sb_receive_timeout(any, 3) == NULL, true);
    world_log((char)('0' + sb_task_priority(sb_self())));
}

static void timeouts(void)
{
    struct world *world = world_make(0);
    world_task(world, "c", 3, sleeper);
    world_task(world, "a", 1, sleeper);
    world_task(world, "b", 2, sleeper);
    world_boot(world);
    host_run();
    host_interrupt(sb_tick);
    host_interrupt(sb_tick);
    TEXT(world_log_take(), "");
    host_interrupt(sb_tick);
    TEXT(world_log_take(),
         "123"); /* all at the same tick, the most urgent first, though armed in another order */
    EQUAL(port_node()->counters.timeouts, 3);
    EQUAL(sb_ticks(), 3);
    world_free(world);
}

/* ---- an interrupt between the search of a queue and the wait loses nothing */

static void send_wanted(void)
{
    union sb_signal *sig = sb_alloc(8, 9);
    EQUAL(sb_send(&sig, sb_task_lookup("task")), SB_OK);
}

static uint32_t unlocks;
static uint32_t inject_at;

static bool at_one_unlock(void)
{
    return ++unlocks == inject_at;
}

static void search_then_wait(void)
{
    static const uint32_t nine[] = {1, 9};
    for (uint32_t i = 0; i < 3; i++) {
        union sb_signal *sig = sb_alloc(8, i + 1);
        EQUAL(sb_send(&sig, sb_self()), SB_OK);
    }
    world_log('s');
    unlocks = 0;
    host_at_unlock = at_one_unlock;
    host_inject_handler = send_wanted;
    union sb_signal *sig = sb_receive(nine);
    host_at_unlock = NULL;
    EQUAL(sig->signo, 9);
    world_log('9');
    for (uint32_t i = 0; sig != NULL; i++) {
        if (i > 0) {
            EQUAL(sig->signo, i);
        }
        sb_free(&sig);
        sig = sb_receive_timeout(any, 0);
    }
}

static void arrival_during_search(void)
{
    /* Unlocks 1 and 2 are between the elements; the third is the end of a receive that has waited. */
    for (inject_at = 1; inject_at <= 2; inject_at++) {
        struct world *world = world_make(0);
        world_task(world, "task", 0, search_then_wait);
        world_boot(world);
        host_run();
        TEXT(world_log_take(), "s9");
        EQUAL(world_in_use(), 0);
        world_free(world);
    }
}

/* ---- send_from, forward, remote */

static void forwarded_to(void)
{
    union sb_signal *sig = sb_receive(any);
    EQUAL(sb_sender(sig), sb_task_lookup("sender"));
    EQUAL(sb_addressee(sig), sb_addr_make(1, 3, 1));
    world_log('v');
    sb_free(&sig);
    sb_fsem_wait();
}

static void forward(void)
{
    union sb_signal *sig = sb_alloc(8, 1);
    EQUAL(sb_send(&sig, sb_addr_make(1, 3, 1)), SB_ERR_DEAD); /* no link: freed */
    EQUAL(sig == NULL, true);
    EQUAL(world_in_use(), 0);
    EQUAL(port_node()->counters.signals_dead, 1);
    sig = sb_alloc(8, 1);
    EQUAL(sb_send_from(&sig, sb_self(), sb_addr_make(1, 9, 1)), SB_OK);
    sig = sb_receive(any);
    EQUAL(sb_sender(sig), sb_addr_make(1, 9, 1));

    struct sb_signal_header *header = sb_signal_header_of(sig);
    header->sender = sb_self();
    header->addressee = sb_addr_make(1, 3, 1);
    world_log('f');
    EQUAL(sb_signal_forward(&sig, sb_task_lookup("via")), SB_OK);
    EQUAL(sig == NULL, true);
    sig = sb_alloc(8, 1);
    EQUAL(sb_signal_forward(&sig, sb_addr_make(0, 7, 1)), SB_ERR_DEAD);
    EQUAL(sig == NULL, true);
    world_log('.');
    EQUAL(world_in_use(), 0);
    sb_addr addr = 5;
    EQUAL(sb_hunt("right/task", SB_FOREVER, &addr), SB_ERR_LINK_DOWN);
    EQUAL(addr, SB_ADDR_NONE);
    EQUAL(sb_hunt("rig/task", SB_FOREVER, &addr), SB_ERR_NOT_FOUND);
    EQUAL(sb_hunt("left/via", SB_FOREVER, &addr), SB_OK);
    EQUAL(addr, sb_addr_make(0, 0, 1));
}

static void forwarding(void)
{
    struct world *world = world_make(0);
    world_task(world, "via", 1, forwarded_to);
    world_task(world, "sender", 2, forward);
    world_boot(world);
    host_run();
    TEXT(world_log_take(), "fv.");
    world_free(world);
}

/* ---- the order of waiters and of activations */

static struct sb_sem gate;

static void pass_gate(void)
{
    sb_sem_wait(&gate);
    world_log(*sb_task_name(sb_self()));
}

static void open_gate(void)
{
    for (uint32_t i = 0; i < 4; i++) {
        EQUAL(sb_sem_signal(&gate), SB_OK);
    }
}

static void waiters(void)
{
    struct world *world = world_make(0);
    sb_sem_init(&gate, 0);
    world_task(world, "c", 7, pass_gate);
    world_task(world, "a", 7, pass_gate);
    world_task(world, "z", 3, pass_gate);
    world_task(world, "b", 7, pass_gate);
    world_boot(world);
    host_run();
    host_interrupt(open_gate);
    TEXT(world_log_take(), "zcab");
    EQUAL(sb_sem_value(&gate), 0);
    world_free(world);
}

static void log_name(void)
{
    world_log(*sb_task_name(sb_self()));
}

static uint32_t left;

/** Activates itself, then x, which may be activated already. */
static void log_and_signal_x(void)
{
    log_name();
    if (left > 0) {
        left--;
        EQUAL(sb_fsem_signal(sb_self()), SB_OK);
        EQUAL(sb_fsem_signal(sb_task_lookup("x")), SB_OK);
    }
}

static void activate_all(void)
{
    static const uint32_t order[] = {0, 1, 2, 1, 0};
    for (uint32_t i = 0; i < sizeof order / sizeof *order; i++) {
        sb_interrupt_activate(&port_node()->tasks[order[i]]);
    }
}

static void activations(void)
{
    struct world *world = world_make(0);
    world_interrupt(world, "x", 9, -1, log_and_signal_x);
    world_interrupt(world, "y", 9, -1, log_and_signal_x);
    world_interrupt(world, "w", 9, -1, log_name);
    world_interrupt(world, "z", 8, 6, log_name);
    world_boot(world);
    host_run();
    left = 0;
    host_interrupt(activate_all);
    TEXT(world_log_take(), "xyw");
    left = 2;
    host_interrupt(activate_all);
    TEXT(world_log_take(), "xywxy");
    sb_interrupt_activate(&world->task_state[1]);
    host_raise(6);
    TEXT(world_log_take(), "zy");
    world_free(world);
}

/* ---- two nodes in one process */

static void echo(void)
{
    for (;;) {
        union sb_signal *sig = sb_receive(any);
        world_log((char)('0' + sig->numbered.value));
        sb_free(&sig);
    }
}

static void carry(uint32_t value)
{
    union sb_signal *sig = sb_alloc(8, 1);
    sig->numbered.value = value;
    EQUAL(sb_send(&sig, sb_task_lookup("echo")), SB_OK);
}

static void carry_1(void)
{
    carry(1);
}

static void carry_2(void)
{
    carry(2);
}

static void two_nodes(void)
{
    struct world *worlds[2];
    for (uint16_t i = 0; i < 2; i++) {
        worlds[i] = world_make(i);
        world_task(worlds[i], "echo", 4, echo);
        world_boot(worlds[i]);
        host_run();
        EQUAL(sb_task_lookup("echo"), sb_addr_make(i, 0, 1));
    }
    for (uint32_t round = 0; round < 3; round++) {
        world_select(worlds[0]);
        host_interrupt(carry_1);
        world_select(worlds[1]);
        host_interrupt(carry_2);
    }
    TEXT(world_log_take(), "222");
    world_select(worlds[0]);
    TEXT(world_log_take(), "111");
    world_free(worlds[0]);
    world_free(worlds[1]);
}

/* ---- the swap hook sees each switch, the release level calls nobody */

static void hooks_by_level(void)
{
    struct world *world = world_make(0);
    world->config.hooks = &hooks;
    seen.swaps = 0;
    world_task(world, "echo", 4, echo);
    world_boot(world);
    host_run();
    host_interrupt(carry_1);
    EQUAL(world->host.switches, 3); /* to idle, to echo, to idle */
    EQUAL(seen.swaps, SB_CFG_LEVEL >= SB_LEVEL_HOOKS ? 3 : 0);
    EQUAL(port_node()->counters.switches, seen.swaps);
    const struct sb_hooks none = {0};
    sb_hooks_set(&none);
    host_interrupt(carry_1);
    EQUAL(world->host.switches, 5);
    EQUAL(seen.swaps, SB_CFG_LEVEL >= SB_LEVEL_HOOKS ? 3 : 0);
    world_free(world);
}

/* ---- a bad configuration is found at start (checked level) */

static void expect_bad_pool(uint32_t spoil, const char *label)
{
    if (SB_CFG_LEVEL < SB_LEVEL_CHECKED) {
        return;
    }
    struct world *world = world_make(0);
    if (spoil == 0) {
        world->pools[0].block_bytes[1] = 32;
    } else {
        world->pools[1].memory_bytes--;
    }
    world_boot(world);
    TEXT(host_fatal_label, label);
    world_free(world);
}

static void bad_configuration(void)
{
    expect_bad_pool(0, "pool-classes-order");
    expect_bad_pool(1, "pool-memory-size");
}

void suite_node(void)
{
    check_run("violations end the node with their label", violations);
    check_run("an exhausted pool is fatal at every level", exhaustion_is_fatal_at_every_level);
    check_run("without tick, timeouts are refused", without_tick);
    check_run("timeouts wake by tick and priority", timeouts);
    check_run("a signal that arrives during a search is not lost", arrival_during_search);
    check_run("forwarding and remote addressees", forwarding);
    check_run("waiters by priority, then in the order of arrival", waiters);
    check_run("activations are not counted, and none is lost", activations);
    check_run("two nodes in one process", two_nodes);
    check_run("hooks by level", hooks_by_level);
    check_run("a bad pool configuration is found at start", bad_configuration);
}
