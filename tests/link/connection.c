/* SPDX-License-Identifier: Apache-2.0 */
/** @file
 *  Cases: handshake, hunts, restart. */
#include <stddef.h>

#include "check.h"
#include "traffic.h"

static const struct world_config plain = {.seed = 1,
                                          .mtu_bytes = 256,
                                          .dm_buffers = 10,
                                          .sender = {traffic_sender, traffic_sender},
                                          .sink = {traffic_sink, traffic_sink}};

static void start_orders(void)
{
    static const int32_t skews[] = {0, 1, 2, 3, 5, 9, 17, 40, 200, -1, -2, -3, -5, -9, -17, -40, -200};
    for (uint32_t seed = 1; seed <= 20; seed++) {
        for (uint32_t i = 0; i < sizeof skews / sizeof skews[0]; i++) {
            struct world_config config = plain;
            config.seed = seed * 100u + i;
            config.start_skew = (uint32_t)skews[i];
            traffic_reset();
            world_start(&config);
            CHECK(world_run(traffic_up, 20000));
            for (uint32_t node = 0; node < NODES; node++) {
                const struct sb_link_counters *counters = world_counters(node);
                CHECK_EQUAL(counters->connects, 1);
                CHECK_EQUAL(counters->resets, 0);
                CHECK_EQUAL(counters->downs, 0);
                CHECK_EQUAL(counters->driver_restarts, 0);
            }
        }
    }
}

/** The area holds what the last run left: valid blocks, old states. */
static void start_again_in_the_same_memory(void)
{
    for (uint32_t seed = 1; seed <= 40; seed++) {
        struct world_config config = plain;
        config.seed = seed;
        traffic_reset();
        traffic.count[0] = traffic.count[1] = 20;
        world_start(&config);
        CHECK(world_run(traffic_complete, 200000));
        config.keep_area = true;
        config.start_skew = world_random(2) == 0 ? 100u : (uint32_t)-100;
        traffic_reset();
        traffic.count[0] = traffic.count[1] = 20;
        world_start(&config);
        CHECK(world_run(traffic_complete, 200000));
        CHECK_EQUAL(traffic.errors, 0);
        CHECK(world_run(traffic_quiet, 20000));
    }
}

static struct {
    sb_addr sink;
    sb_addr lost;
    enum sb_err first;
    enum sb_err again;
    enum sb_err unknown_node;
    enum sb_err finite;
    enum sb_err late;
    bool done;
} hunts;

static bool hunts_done(void)
{
    return hunts.done;
}

static void hunter_without_tick(void)
{
    hunts.first = sb_hunt("node1/sink", SB_FOREVER, &hunts.sink);
    hunts.again = sb_hunt("node1/sender", SB_FOREVER, &hunts.lost);
    hunts.unknown_node = sb_hunt("node7/sink", SB_FOREVER, &hunts.lost);
    hunts.finite = sb_hunt("node1/sink", 10, &hunts.lost);
    hunts.late = sb_hunt("node1/nobody", 0, &hunts.lost);
    hunts.done = true;
}

static bool unknown_counted(void)
{
    return world_counters(1)->unknown_names == 1;
}

static void hunt_finds_and_refuses(void)
{
    for (uint32_t seed = 1; seed <= 20; seed++) {
        struct world_config config = plain;
        config.seed = seed;
        config.start_skew = 60;
        config.sender[0] = hunter_without_tick;
        traffic_reset();
        traffic.finished[0] = true;
        hunts.done = false;
        world_start(&config);
        CHECK(world_run(hunts_done, 50000));
        CHECK_EQUAL(hunts.first, SB_OK);
        CHECK_EQUAL(hunts.sink, sb_addr_make(1, 1, 1));
        CHECK_EQUAL(hunts.again, SB_OK);
        CHECK_EQUAL(hunts.unknown_node, SB_ERR_NOT_FOUND);
        CHECK_EQUAL(hunts.finite, SB_ERR_NO_TICK);
        CHECK_EQUAL(hunts.late, SB_ERR_TIMEOUT);
        CHECK(world_run(traffic_quiet, 20000));
        CHECK(world_run(unknown_counted, 20000));
    }
}

static void hunter_with_tick(void)
{
    hunts.late = sb_hunt("node1/nobody", 5, &hunts.lost);
    hunts.first = sb_hunt("node1/sink", SB_FOREVER, &hunts.sink);
    hunts.done = true;
}

static void hunt_times_out(void)
{
    for (uint32_t seed = 1; seed <= 20; seed++) {
        struct world_config config = plain;
        config.seed = seed;
        config.tick_hz = 1000;
        config.start_skew = (seed & 1u) != 0 ? 0 : 3000; /* the peer answers; the peer is not there yet */
        config.sender[0] = hunter_with_tick;
        traffic_reset();
        traffic.finished[0] = true;
        hunts.done = false;
        world_start(&config);
        CHECK(world_run(hunts_done, 100000));
        CHECK_EQUAL(hunts.late, SB_ERR_TIMEOUT);
        CHECK_EQUAL(hunts.first, SB_OK);
    }
}

static bool lost_begun;

static void hunter_of_lost(void)
{
    while (!lost_begun) {
        world_yield();
    }
    hunts.late = sb_hunt("node1/nobody", SB_FOREVER, &hunts.lost);
    hunts.done = true;
}

static bool heartbeats_missed(void)
{
    return world_counters(0)->heartbeats_missed > 0;
}

/** A peer that stops without a word: heartbeats notice it, and a hunt that waits ends. */
static void hunt_of_a_lost_peer(void)
{
    struct world_config config = plain;
    config.tick_hz = 1000;
    config.sender[0] = hunter_of_lost;
    traffic_reset();
    lost_begun = false;
    hunts.done = false;
    world_start(&config);
    CHECK(world_run(traffic_up, 20000));
    world_kill(1);
    lost_begun = true;
    CHECK(world_run(hunts_done, 2000000));
    CHECK_EQUAL(hunts.late, SB_ERR_LINK_DOWN);
    CHECK(heartbeats_missed());
    CHECK_EQUAL(world_counters(0)->downs, 1);
    CHECK_EQUAL(world_blocks_in_use(0), IDLE_BLOCKS);
    /* It comes back. */
    world_restart(1);
    CHECK(world_run(traffic_up, 2000000));
}

static void restart(void)
{
    for (uint32_t seed = 1; seed <= 40; seed++) {
        struct world_config config = plain;
        config.seed = seed;
        traffic_reset();
        traffic.may_lose = true;
        traffic.count[0] = traffic.count[1] = 400;
        traffic.size_max = 1500;
        world_start(&config);
        uint32_t victim = seed & 1u;
        for (uint32_t i = 0; i < 3; i++) {
            (void)world_run(traffic_quiet, 500 + world_random(3000));
            uint32_t downs = world_counters(1u - victim)->downs;
            uint32_t connects = world_counters(1u - victim)->connects;
            bool was_up = connects > downs;
            world_restart(victim);
            CHECK(world_run(traffic_up, 100000));
            if (was_up) {
                CHECK_EQUAL(world_counters(1u - victim)->downs, downs + 1u);
            }
            CHECK_EQUAL(world_counters(1u - victim)->driver_restarts, 0);
            CHECK_EQUAL(world_counters(victim)->connects, 1);
        }
        CHECK(world_run(traffic_quiet, 2000000));
        CHECK_EQUAL(traffic.errors, 0);
        CHECK(traffic.received[0] > 0 && traffic.received[1] > 0);
    }
}

static bool settled(void)
{
    return false;
}

/** Two ends that disagree about the frame size never connect, and do not quarrel for ever either. */
static void other_mtu(void)
{
    struct world_config config = plain;
    traffic_reset();
    world_start(&config);
    world_set_mtu(1, 512);
    CHECK(!world_run(settled, 5000));
    CHECK_EQUAL(world_counters(0)->connects, 0);
    CHECK_EQUAL(world_counters(1)->connects, 0);
    CHECK_EQUAL(world_counters(0)->bad_size, 1);
    CHECK_EQUAL(world_counters(1)->bad_size, 1);
}

const struct check_case cases_connection[] = {
    {"either node starts first, random memory", start_orders},
    {"both start again in the memory of the last run", start_again_in_the_same_memory},
    {"hunt finds, refuses, polls", hunt_finds_and_refuses},
    {"hunt times out", hunt_times_out},
    {"hunt of a peer that is lost", hunt_of_a_lost_peer},
    {"peer restarts under traffic", restart},
    {"ends with different MTU", other_mtu},
    {NULL, NULL},
};
