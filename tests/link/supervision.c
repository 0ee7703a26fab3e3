/* SPDX-License-Identifier: Apache-2.0 */
/** @file
 *  Cases: attach over a link, names that come later, numbers that do not travel. Node 0 asks, node 1's "sink" lives and dies. */
#include "signalbox/attach.h"

#include <stddef.h>

#include "check.h"
#include "traffic.h"

#define SIGNO_TOLD 77u

static const uint32_t all[] = {0};

static struct {
    sb_addr victim;
    sb_addr from[4];
    uint32_t told;
    uint32_t orders; /**< what node 1 has been told to do, one after the other */
    uint32_t obeyed;
    enum sb_err err;
    uint32_t step;
} now;

static void sleeper(void)
{
    for (;;) {
        union sb_signal *sig = sb_receive(all);
        sb_free(&sig);
    }
}

/** Node 1: kills its sink at odd orders, restarts it at even ones. */
static void obedient(void)
{
    sb_addr sink = sb_task_lookup("sink");
    for (;;) {
        while (now.obeyed == now.orders) {
            world_yield();
        }
        if (now.obeyed % 2u == 0) {
            CHECK_EQUAL(sb_task_kill(sink), SB_OK);
        } else {
            CHECK_EQUAL(sb_task_restart(sink, &sink), SB_OK);
        }
        now.obeyed++;
    }
}

static union sb_signal *told_signal(void)
{
    return sb_alloc(16, SIGNO_TOLD);
}

static void receive_told(void)
{
    union sb_signal *sig = sb_receive(all);
    now.from[now.told++] = sb_sender(sig);
    CHECK_EQUAL(*(const uint32_t *)(const void *)sig, SIGNO_TOLD);
    CHECK_EQUAL(sb_addressee(sig), sb_self());
    sb_free(&sig);
}

static void attach_to_victim(void)
{
    union sb_signal *sig = told_signal();
    CHECK_EQUAL(sb_attach(now.victim, &sig, NULL), SB_OK);
    CHECK(sig == NULL);
}

static bool told_all(void)
{
    return now.told == 2;
}

static void rest(void)
{
    now.told = 2;
    for (;;) {
        world_yield();
    }
}

static struct world_config begin(uint32_t seed, void (*asker)(void))
{
    struct world_config config = {.seed = seed,
                                  .mtu_bytes = 256,
                                  .dm_buffers = 10,
                                  .tick_hz = (seed & 1u) != 0 ? 1000 : 0,
                                  .sender = {asker, obedient},
                                  .sink = {sleeper, sleeper}};
    now.told = 0;
    now.orders = 0;
    now.obeyed = 0;
    now.step = 0;
    traffic_reset();
    return config;
}

static bool quiet_blocks(void)
{
    return world_blocks_in_use(0) == IDLE_BLOCKS && world_blocks_in_use(1) == IDLE_BLOCKS;
}

static void asks_and_has_it_killed(void)
{
    CHECK_EQUAL(sb_hunt("node1/sink", SB_FOREVER, &now.victim), SB_OK);
    attach_to_victim();
    now.orders = 1;
    receive_told();
    attach_to_victim(); /* dead by now */
    receive_told();
    rest();
}

static void attach_hears_of_a_death(void)
{
    for (uint32_t seed = 1; seed <= 30; seed++) {
        struct world_config config = begin(seed, asks_and_has_it_killed);
        world_start(&config);
        CHECK(world_run(told_all, 200000));
        CHECK_EQUAL(now.from[0], now.victim);
        CHECK_EQUAL(now.from[1], now.victim);
        CHECK(world_run(quiet_blocks, 20000));
    }
}

static void asks_twice_and_takes_one_back(void)
{
    sb_attach_ref ref;
    CHECK_EQUAL(sb_hunt("node1/sink", SB_FOREVER, &now.victim), SB_OK);
    attach_to_victim();
    CHECK_EQUAL(sb_attach(now.victim, NULL, &ref), SB_OK);
    CHECK_EQUAL(sb_detach(&ref), SB_OK);
    now.orders = 1;
    receive_told();
    CHECK(sb_receive_timeout(all, 0) == NULL);
    rest();
}

static void detach_over_a_link(void)
{
    for (uint32_t seed = 1; seed <= 20; seed++) {
        struct world_config config = begin(seed, asks_twice_and_takes_one_back);
        world_start(&config);
        CHECK(world_run(told_all, 200000));
        CHECK(world_run(quiet_blocks, 20000));
    }
}

static void asks_and_loses(void)
{
    CHECK_EQUAL(sb_hunt("node1/sink", SB_FOREVER, &now.victim), SB_OK);
    attach_to_victim();
    now.step = 1;
    receive_told();
    attach_to_victim(); /* the link is down */
    receive_told();
    rest();
}

static bool attached(void)
{
    return now.step == 1;
}

static void attach_hears_of_a_lost_link(void)
{
    for (uint32_t seed = 1; seed <= 9; seed += 2) {
        struct world_config config = begin(seed, asks_and_loses);
        world_start(&config);
        CHECK(world_run(attached, 200000));
        world_kill(1);
        CHECK(world_run(told_all, 2000000));
        CHECK_EQUAL(now.from[0], now.victim);
        CHECK_EQUAL(now.from[1], now.victim);
        CHECK_EQUAL(world_blocks_in_use(0), IDLE_BLOCKS);
        world_restart(1);
        CHECK(world_run(traffic_up, 2000000));
    }
}

static void hunts_before_and_after(void)
{
    union sb_signal *sig = told_signal();
    CHECK_EQUAL(sb_hunt_signal("node1/sink", &sig), SB_OK); /* perhaps before there is a connection */
    receive_told();
    now.victim = now.from[0];
    attach_to_victim();
    now.orders = 1;
    now.told = 0;
    receive_told();
    sig = told_signal();
    CHECK_EQUAL(sb_hunt_signal("node1/sink", &sig), SB_OK); /* nobody is called so */
    CHECK(sb_receive_timeout(all, 300) == NULL);
    now.orders = 2;
    receive_told();
    now.step = 1;
    rest();
}

static void hunt_signal_waits_for_the_name(void)
{
    for (uint32_t seed = 1; seed <= 19; seed += 2) {
        struct world_config config = begin(seed, hunts_before_and_after);
        config.start_skew = world_random(2) == 0 ? 300u : 0;
        world_start(&config);
        CHECK(world_run(told_all, 2000000));
        CHECK_EQUAL(now.from[0], now.victim);
        CHECK_EQUAL(now.from[1], sb_addr_make(1, sb_addr_index(now.victim), 2));
        CHECK(world_run(quiet_blocks, 20000));
    }
}

static void sends_what_it_must_not(void)
{
    static const uint32_t numbers[] = {0, 250, 251, 255};
    CHECK_EQUAL(sb_hunt("node1/sink", SB_FOREVER, &now.victim), SB_OK);
    for (uint32_t i = 0; i < 4; i++) {
        union sb_signal *sig = sb_alloc(16, numbers[i]);
        CHECK_EQUAL(sb_send(&sig, now.victim), SB_ERR_ARGUMENT);
        CHECK(sig == NULL);
    }
    union sb_signal *sig = told_signal();
    CHECK_EQUAL(sb_hunt_signal("node1/a-name-that-no-task-can-ever-have-been-given", &sig), SB_ERR_NOT_FOUND);
    rest();
}

static void reserved_numbers_stay(void)
{
    struct world_config config = begin(2, sends_what_it_must_not);
    world_start(&config);
    CHECK(world_run(told_all, 200000));
    CHECK(world_run(quiet_blocks, 20000));
}

const struct check_case cases_supervision[] = {
    {"attach hears of a death, also of an old one", attach_hears_of_a_death},
    {"detach", detach_over_a_link},
    {"attach hears of a lost link", attach_hears_of_a_lost_link},
    {"a signal hunts until the name exists", hunt_signal_waits_for_the_name},
    {"numbers that do not travel", reserved_numbers_stay},
    {NULL, NULL},
};
