/* SPDX-License-Identifier: Apache-2.0 */
/** @file
 *  What survives its owner, and what does not: attachments, hunts for names, semaphores made at run time, processes,
 *  requested timeouts. After each test no block may be left. */
#include "check.h"
#include "signalbox/attach.h"
#include "signalbox/process.h"
#include "signalbox/sem.h"
#include "signalbox/timeout.h"
#include "signalbox/timer.h"
#include "world.h"

static const uint32_t all[] = {0};
static void (*asked)(void);
static sb_addr victim;
static sb_attach_ref refs[4];
static char callback_letters[] = "abcd";

/** Does what the test asks, each time that its fast semaphore is signalled; lower than "watcher". */
static void serve(void)
{
    for (;;) {
        sb_fsem_wait();
        asked();
    }
}

#define ASK 99u

/** Does what the test asks when it is sent ASK; logs each other signal: its number, and whether the victim has sent it. */
static void watch(void)
{
    for (;;) {
        union sb_signal *sig = sb_receive(all);
        if (sig->signo == ASK) {
            sb_free(&sig);
            asked();
            continue;
        }
        world_log((char)('0' + sig->signo % 10));
        world_log(sb_sender(sig) == victim ? 'v' : '?');
        EQUAL(sb_addressee(sig), sb_self());
        sb_free(&sig);
    }
}

static void sleep_for_ever(void)
{
    sb_fsem_wait();
}

static void poke(void)
{
    union sb_signal *sig = sb_alloc(sizeof sig->signo, ASK);
    SB_IGNORE(sb_send(&sig, sb_task_lookup("watcher")));
}

static void poke_other(void)
{
    SB_IGNORE(sb_fsem_signal(sb_task_lookup("other")));
}

static void as(void (*who)(void), void (*body)(void))
{
    asked = body;
    host_interrupt(who);
}

static const char *pass(uint32_t ticks)
{
    while (ticks-- > 0) {
        host_interrupt(sb_tick);
    }
    return world_log_take();
}

static struct world *begin(void)
{
    struct world *world = world_make(0);
    world_task(world, "watcher", 5, watch);
    world_task(world, "victim", 6, sleep_for_ever);
    world_task(world, "other", 7, serve);
    world_task(world, "server", 4, sb_timeout_task);
    world_servant(world);
    world->config.spare_tasks = 3;
    memset(world->task_state, 0, sizeof world->task_state);
    world->pools[0].classes = 1;
    world->pools[0].block_bytes[0] = 160; /* pointers are long here */
    world->pools[0].memory_bytes = SB_POOL_BYTES(160, 16);
    world_pool_memory(world);
    world_boot(world);
    host_run();
    victim = sb_task_lookup("victim");
    return world;
}

static void end(struct world *world)
{
    EQUAL(world_in_use(), 0);
    world_free(world);
}

static union sb_signal *numbered(uint32_t signo)
{
    union sb_signal *sig = sb_alloc_nil(sizeof sig->numbered, signo);
    EQUAL(sig != NULL, true);
    return sig;
}

static void attach_seven_and_default(void)
{
    union sb_signal *sig = numbered(7);
    EQUAL(sb_attach(victim, &sig, &refs[0]), SB_OK);
    EQUAL(sig == NULL, true);
    EQUAL(sb_attach(victim, NULL, NULL), SB_OK);
    EQUAL(sb_attach(victim, &sig, &refs[1]), SB_OK); /* *sig is NULL: as without */
    EQUAL(sb_detach(&refs[1]), SB_OK);
    EQUAL(refs[1], SB_ATTACH_NONE);
    EQUAL(sb_detach(&refs[1]), SB_ERR_NOT_FOUND);
}

static void attach_arrives_when_the_victim_dies(void)
{
    struct world *world = begin();
    as(poke, attach_seven_and_default);
    TEXT(pass(3), "");
    EQUAL(world_by_task(sb_task_kill, victim), SB_OK);
    TEXT(world_log_take(), "2v7v"); /* the last one first: both at once */
    end(world);
}

static enum sb_err restart(sb_addr task)
{
    sb_addr again;
    return sb_task_restart(task, &again);
}

static void attach_arrives_when_the_victim_is_restarted(void)
{
    struct world *world = begin();
    as(poke, attach_seven_and_default);
    TEXT(pass(3), "");
    EQUAL(world_by_task(restart, victim), SB_OK);
    TEXT(world_log_take(), "2v7v");
    end(world);
}

static void attach_seven(void)
{
    union sb_signal *sig = numbered(7);
    EQUAL(sb_attach(victim, &sig, &refs[0]), SB_OK);
}

static void attach_to_the_dead_arrives_at_once(void)
{
    struct world *world = begin();
    EQUAL(world_by_task(sb_task_kill, victim), SB_OK);
    as(poke, attach_seven);
    TEXT(world_log_take(), "7v");
    victim = sb_addr_make(1, 0, 1); /* another node, no link */
    as(poke, attach_seven);
    TEXT(pass(3), "7v");
    end(world);
}

static void bad_attach(void)
{
    union sb_signal *sig = numbered(7);
    EQUAL(sb_attach(SB_ADDR_NONE, &sig, &refs[0]), SB_ERR_ARGUMENT);
    EQUAL(refs[0], SB_ATTACH_NONE);
    EQUAL(sig == NULL, true);
    EQUAL(sb_attach(sb_self(), NULL, &refs[0]), SB_ERR_ARGUMENT);
    union sb_signal *full[16];
    for (uint32_t i = 0; i < 16; i++) {
        full[i] = numbered(1);
    }
    EQUAL(sb_attach(victim, NULL, &refs[0]), SB_ERR_MEMORY);
    for (uint32_t i = 0; i < 16; i++) {
        sb_free(&full[i]);
    }
    refs[0] = 12345;
    EQUAL(sb_detach(&refs[0]), SB_ERR_NOT_FOUND);
    refs[0] = SB_SIGNAL_OWNED;
    EQUAL(sb_detach(&refs[0]), SB_ERR_NOT_FOUND);
}

static void detach_stolen(void)
{
    sb_attach_ref stolen = refs[0];
    EQUAL(sb_detach(&stolen), SB_ERR_NOT_FOUND);
}

static void attach_refuses(void)
{
    struct world *world = begin();
    as(poke, bad_attach);
    TEXT(pass(3), "");
    as(poke, attach_seven);
    as(poke_other, detach_stolen);
    EQUAL(world_by_task(sb_task_kill, sb_task_lookup("watcher")), SB_OK);
    EQUAL(world_in_use(), 0); /* what it has left dies with it */
    EQUAL(world_by_task(sb_task_kill, victim), SB_OK);
    end(world);
}

static void attach_and_kill_and_detach(void)
{
    union sb_signal *sig = numbered(3);
    EQUAL(sb_send(&sig, sb_self()), SB_OK);
    attach_seven();
    EQUAL(sb_task_kill(victim), SB_OK);
    sig = numbered(4);
    EQUAL(sb_send(&sig, sb_self()), SB_OK);
    EQUAL(sb_detach(&refs[0]), SB_OK); /* between the others in the queue */
    EQUAL(sb_detach(&refs[0]), SB_ERR_NOT_FOUND);
}

static void attach_and_kill_and_receive(void)
{
    attach_seven();
    EQUAL(sb_task_kill(victim), SB_OK);
    union sb_signal *sig = sb_receive_timeout(all, 0);
    EQUAL(sig->signo, 7);
    EQUAL(sb_detach(&refs[0]), SB_ERR_NOT_FOUND);
    sb_free(&sig);
}

static void detach_finds_what_has_arrived(void)
{
    struct world *world = begin();
    as(poke, attach_and_kill_and_detach);
    TEXT(pass(3), "3?4?");
    EQUAL(world_by_task(restart, victim), SB_OK);
    victim = sb_task_lookup("victim");
    as(poke, attach_and_kill_and_receive);
    end(world);
}

/* ---- hunts */

static void hunt_new(void)
{
    union sb_signal *sig = numbered(8);
    EQUAL(sb_hunt_signal("new", &sig), SB_OK);
    EQUAL(sig == NULL, true);
}

static const struct sb_process_config new_process = {
    .name = "new", .entry = sleep_for_ever, .priority = 9, .irq = -1, .stack_bytes = 16384};

static void create_new(void)
{
    EQUAL(sb_process_create(&new_process, &victim), SB_OK);
}

/** The watcher's world, with a pool for stacks. */
static struct world *begin_with_stacks(uint32_t blocks)
{
    struct world *world = world_make(0);
    world_task(world, "watcher", 5, watch);
    world_task(world, "victim", 6, sleep_for_ever);
    world_task(world, "other", 7, serve);
    world_task(world, "server", 4, sb_timeout_task);
    world_servant(world);
    world->config.spare_tasks = 3;
    memset(world->task_state, 0, sizeof world->task_state);
    world->pools[0].block_bytes[0] = 160;
    world->pools[0].block_bytes[1] = 17000;
    world->pools[0].block_count[1] = blocks;
    world->pools[0].memory_bytes = SB_POOL_BYTES(160, 16) + SB_POOL_BYTES(17000, blocks);
    world_pool_memory(world);
    world_boot(world);
    host_run();
    return world;
}

static enum sb_err restart_victim(sb_addr task)
{
    return sb_task_restart(task, &victim);
}

static void hunt_arrives_when_the_name_exists(void)
{
    struct world *world = begin_with_stacks(2);
    as(poke, hunt_new);
    TEXT(pass(3), "");
    as(poke_other, create_new);
    TEXT(world_log_take(), "8v");
    as(poke, hunt_new); /* exists now: at once */
    TEXT(pass(3), "8v");
    EQUAL(world_by_task(sb_task_kill, victim), SB_OK);
    as(poke, hunt_new);
    TEXT(pass(3), "");
    EQUAL(world_by_task(restart_victim, victim), SB_OK); /* its block is still there */
    TEXT(world_log_take(), "8v");
    world_free(world);
}

static void bad_hunts(void)
{
    union sb_signal *sig = numbered(8);
    EQUAL(sb_hunt_signal("nowhere/new", &sig), SB_ERR_NOT_FOUND);
    EQUAL(sig == NULL, true);
    sig = numbered(8);
    EQUAL(sb_hunt_signal("right/new", &sig), SB_ERR_LINK_DOWN);
    sig = numbered(8);
    EQUAL(sb_hunt_signal("a-name-that-no-task-can-ever-have-been-given", &sig), SB_ERR_NOT_FOUND);
    sig = numbered(8);
    EQUAL(sb_hunt_signal("left/new", &sig), SB_OK);
    union sb_signal *full[14];
    for (uint32_t i = 0; i < 14; i++) {
        full[i] = numbered(1);
    }
    EQUAL(sb_hunt_signal("new", &full[0]), SB_ERR_MEMORY);
    for (uint32_t i = 1; i < 14; i++) {
        sb_free(&full[i]);
    }
}

static void hunt_refuses_and_dies_with_its_owner(void)
{
    struct world *world = begin();
    as(poke, bad_hunts);
    TEXT(pass(3), "");
    EQUAL(world_in_use(), 2);
    EQUAL(world_by_task(sb_task_kill, sb_task_lookup("watcher")), SB_OK);
    end(world);
}

/* ---- semaphores */

static struct sb_sem *sem;

static void create_sem_and_die(void)
{
    sem = sb_sem_create(1);
    EQUAL(sb_sem_value(sem), 1);
    SB_IGNORE(sb_task_kill(sb_self()));
}

static void wait_for_sem(void)
{
    sb_sem_wait(sem);
    sb_sem_wait(sem);
    world_log('s');
}

static enum sb_err delete_sem(sb_addr unused)
{
    (void)unused;
    return sb_sem_delete(sem);
}

static enum sb_err signal_sem(sb_addr unused)
{
    (void)unused;
    return sb_sem_signal(sem);
}

static void semaphores_at_run_time(void)
{
    struct world *world = begin();
    as(poke_other, create_sem_and_die);
    EQUAL(world_in_use(), 1);
    as(poke, wait_for_sem);
    EQUAL(world_by_interrupt(delete_sem, 0), SB_ERR_BUSY);
    EQUAL(world_by_interrupt(signal_sem, 0), SB_OK);
    TEXT(world_log_take(), "s");
    EQUAL(world_by_interrupt(delete_sem, 0), SB_OK);
    EQUAL(sb_sem_delete(NULL), SB_ERR_ARGUMENT);
    if (SB_CFG_LEVEL == SB_LEVEL_CHECKED) {
        EQUAL(world_by_interrupt(delete_sem, 0), SB_ERR_ARGUMENT);
    }
    while (sb_sem_create(0) != NULL) {
    }
    EQUAL(world_in_use(), 16 + 0);
    world_free(world);
}

static void fast_semaphore_of_others(void)
{
    struct world *world = begin();
    EQUAL(sb_fsem_value(victim), -1); /* waits */
    EQUAL(sb_fsem_set_of(victim, 3), SB_ERR_BUSY);
    EQUAL(sb_fsem_set_of(sb_addr_make(0, 1, 2), 3), SB_ERR_DEAD);
    EQUAL(sb_fsem_set_of(victim, -1), SB_ERR_ARGUMENT);
    EQUAL(sb_fsem_value(sb_addr_make(0, 1, 2)), SB_ERR_DEAD);
    const sb_addr server = sb_task_lookup("server");
    EQUAL(world_by_task(sb_task_stop, server), SB_OK);
    EQUAL(sb_fsem_set_of(server, 0), SB_ERR_BUSY); /* stopped, and it waits still */
    end(world);
}

/* ---- processes */

static void wait_for_name(void)
{
    world_log('n');
}

static void bad_processes(void)
{
    sb_addr out;
    struct sb_process_config config = new_process;
    EQUAL(sb_process_create(NULL, &out), SB_ERR_ARGUMENT);
    config.name = "with/slash";
    EQUAL(sb_process_create(&config, &out), SB_ERR_ARGUMENT);
    config.name = "a-name-that-no-task-can-ever-have-been-given";
    EQUAL(sb_process_create(&config, &out), SB_ERR_ARGUMENT);
    config = new_process;
    config.entry = NULL;
    EQUAL(sb_process_create(&config, &out), SB_ERR_ARGUMENT);
    config = new_process;
    config.kind = SB_TASK_PERIODIC;
    EQUAL(sb_process_create(&config, &out), SB_ERR_ARGUMENT);
    config.kind = SB_TASK_BEST_EFFORT;
    EQUAL(sb_process_create(&config, &out), SB_ERR_ARGUMENT); /* no turn */
    config = new_process;
    config.every_ticks = 4;
    EQUAL(sb_process_create(&config, &out), SB_ERR_ARGUMENT); /* no interrupt task */
    config = new_process;
    config.stack_bytes = 255;
    EQUAL(sb_process_create(&config, &out), SB_ERR_SIZE);
    config.stack_bytes = 0x1000001u;
    EQUAL(sb_process_create(&config, &out), SB_ERR_SIZE);
    config.stack_bytes = 100000;
    EQUAL(sb_process_create(&config, &out), SB_ERR_MEMORY); /* no block is as large */
    config.kind = SB_TASK_INTERRUPT;
    EQUAL(sb_process_create(&config, &out), SB_ERR_SIZE);
    config = new_process;
    config.name = "watcher";
    EQUAL(sb_process_create(&config, &out), SB_ERR_BUSY);
    config = new_process;
    config.priority = 32;
    EQUAL(sb_process_create(&config, &out), SB_ERR_ARGUMENT);
    EQUAL(out, SB_ADDR_NONE);
    EQUAL(world_in_use(), 0);
}

static void two_blocks_three_lives(void)
{
    sb_addr first;
    sb_addr second;
    sb_addr third;
    struct sb_process_config config = new_process;
    EQUAL(sb_process_create(&config, &first), SB_OK);
    config.name = "second";
    config.entry = wait_for_name;
    config.stopped = true;
    EQUAL(sb_process_create(&config, &second), SB_OK);
    config.name = "third";
    EQUAL(sb_process_create(&config, &third), SB_ERR_MEMORY);
    EQUAL(sb_task_kill(first), SB_OK);
    EQUAL(sb_process_create(&config, &third),
          SB_OK); /* in the block of the first, that nobody can restart now */
    EQUAL(sb_task_restart(first, &first), SB_ERR_DEAD);
    EQUAL(sb_task_start(third), SB_OK);
    EQUAL(sb_task_start(second), SB_OK);
}

static void create_in_interrupt(void)
{
    sb_addr out;
    EQUAL(sb_process_create(&new_process, &out), SB_ERR_CONTEXT);
}

static void processes_come_and_go(void)
{
    struct world *world = begin_with_stacks(2);
    as(poke_other, bad_processes);
    as(poke_other, two_blocks_three_lives);
    TEXT(world_log_take(), "nn");
    host_interrupt(create_in_interrupt);
    world_free(world);
}

/** The tick comes at the end of a critical section of a worker. */
static bool tick_here;
static uint32_t work_left;

static bool at_unlock(void)
{
    const bool now = tick_here && (port_node()->held & SB_HELD_INTERRUPT) == 0;
    tick_here = false;
    return now;
}

static void spin(void)
{
    while (work_left > 0) {
        work_left--;
        world_log(sb_self() == victim ? 'v' : 'w');
        tick_here = true;
        port_unlock(port_lock());
    }
}

static void create_two_that_take_turns(void)
{
    sb_addr other;
    const struct sb_process_config config = {.name = "one",
                                             .entry = spin,
                                             .kind = SB_TASK_BEST_EFFORT,
                                             .priority = 31,
                                             .irq = -1,
                                             .stack_bytes = 16384,
                                             .slice_ticks = 2};
    struct sb_process_config two = config;
    two.name = "two";
    EQUAL(sb_process_create(&config, &victim), SB_OK);
    EQUAL(sb_process_create(&two, &other), SB_OK);
}

static void best_effort_processes_take_turns(void)
{
    struct world *world = begin_with_stacks(2);
    work_left = 9;
    host_at_unlock = at_unlock;
    host_inject_handler = sb_tick;
    as(poke_other, create_two_that_take_turns);
    host_at_unlock = NULL;
    TEXT(world_log_take(), "vvwwvvwwv");
    EQUAL(world_in_use(), 3); /* two blocks, and turns of one length */
    world_free(world);
}

/* ---- timeouts */

static sb_timeout_ref timeout_refs[4];

static void note(void *letter)
{
    world_log(*(const char *)letter);
}

static void withdraw_self(void *letter)
{
    world_log(*(const char *)letter);
    sb_timeout_ref stolen = timeout_refs[3];
    EQUAL(sb_timeout_withdraw(&stolen), SB_ERR_NOT_FOUND); /* the server is not the client */
    poke();
}

static void request_some(void)
{
    union sb_signal *sig = numbered(6);
    EQUAL(sb_timeout_request(3, 0, note, &callback_letters[0], &timeout_refs[0]), SB_OK);
    EQUAL(sb_timeout_request(1, 2, note, &callback_letters[1], &timeout_refs[1]), SB_OK);
    EQUAL(sb_timeout_request_signal(4, &sig, &timeout_refs[2]), SB_OK);
    EQUAL(sig == NULL, true);
    EQUAL(sb_timeout_request(9, 0, note, &callback_letters[3], NULL), SB_OK);
}

static void withdraw_some(void)
{
    EQUAL(sb_timeout_modify(timeout_refs[1], 0), SB_ERR_ARGUMENT);
    EQUAL(sb_timeout_modify(timeout_refs[0], 1), SB_ERR_NOT_FOUND);
    EQUAL(sb_timeout_withdraw(&timeout_refs[0]), SB_ERR_NOT_FOUND);
    EQUAL(sb_timeout_withdraw(&timeout_refs[1]), SB_OK);
    EQUAL(timeout_refs[1], SB_TIMEOUT_NONE);
    EQUAL(sb_timeout_withdraw(&timeout_refs[2]), SB_ERR_NOT_FOUND);
    EQUAL(sb_timeout_request(0, 0, note, NULL, &timeout_refs[0]), SB_ERR_ARGUMENT);
    EQUAL(sb_timeout_request(1, 0, NULL, NULL, &timeout_refs[0]), SB_ERR_ARGUMENT);
}

static void timeouts_on_request(void)
{
    struct world *world = begin();
    victim = sb_task_lookup("watcher");
    as(poke, request_some);
    TEXT(pass(7), "bab6vbb");
    as(poke, withdraw_some);
    TEXT(pass(9), "d");
    end(world);
}

static void request_and_withdraw_what_has_come(void)
{
    union sb_signal *sig = numbered(6);
    EQUAL(sb_timeout_request_signal(2, &sig, &timeout_refs[2]), SB_OK);
    EQUAL(sb_delay(3), SB_OK);
    EQUAL(sb_timeout_modify(timeout_refs[2], 3), SB_ERR_NOT_FOUND);
    EQUAL(sb_timeout_withdraw(&timeout_refs[2]), SB_OK); /* out of the queue */
    sig = numbered(5);
    EQUAL(sb_timeout_request_signal(9, &sig, &timeout_refs[2]), SB_OK);
    EQUAL(sb_timeout_modify(timeout_refs[2], 1), SB_OK);
}

static void request_with_trouble(void)
{
    EQUAL(sb_timeout_request(1, 1, withdraw_self, &callback_letters[2], &timeout_refs[3]), SB_OK);
    asked = withdraw_some;
}

static void withdraw_three(void)
{
    EQUAL(sb_timeout_withdraw(&timeout_refs[3]), SB_OK);
}

static void timeouts_withdrawn_late(void)
{
    struct world *world = begin();
    victim = sb_task_lookup("watcher");
    as(poke, request_and_withdraw_what_has_come);
    TEXT(pass(5), "5v");
    EQUAL(world_in_use(), 0);
    as(poke, request_and_withdraw_what_has_come);
    EQUAL(world_by_task(sb_task_kill, victim), SB_OK); /* with a request under way */
    end(world);

    /* Another task withdraws while the server is in the callback: the block stays until it has ended. */
    world = world_make(0);
    world_task(world, "watcher", 3, watch);
    world_task(world, "victim", 6, sleep_for_ever);
    world_task(world, "server", 4, sb_timeout_task);
    world_boot(world);
    host_run();
    as(poke, request_with_trouble);
    asked = withdraw_three;
    TEXT(pass(5), "c");
    end(world);
}

void suite_supervise(void)
{
    check_run("attach: the victim dies", attach_arrives_when_the_victim_dies);
    check_run("attach: the victim is restarted", attach_arrives_when_the_victim_is_restarted);
    check_run("attach: the victim is dead already", attach_to_the_dead_arrives_at_once);
    check_run("attach: refused; the owner dies", attach_refuses);
    check_run("detach: after the arrival", detach_finds_what_has_arrived);
    check_run("hunt: the name comes later", hunt_arrives_when_the_name_exists);
    check_run("hunt: refused; the owner dies", hunt_refuses_and_dies_with_its_owner);
    check_run("semaphores at run time", semaphores_at_run_time);
    check_run("fast semaphores of others", fast_semaphore_of_others);
    check_run("processes: blocks come back", processes_come_and_go);
    check_run("processes: turns", best_effort_processes_take_turns);
    check_run("timeouts on request", timeouts_on_request);
    check_run("timeouts withdrawn late", timeouts_withdrawn_late);
}
