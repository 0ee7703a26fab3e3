/* SPDX-License-Identifier: Apache-2.0 */
/** @file
 *  Cases: the peer, or the memory, is broken. Nothing crashes, nothing leaks, counters rise, and the link
 *  recovers. */
#include <stddef.h>

#include "check.h"
#include "traffic.h"

static const struct world_config plain = {.seed = 1,
                                          .mtu_bytes = 256,
                                          .dm_buffers = 10,
                                          .sender = {traffic_sender, traffic_sender},
                                          .sink = {traffic_sink, traffic_sink}};

static uint32_t complaints(void)
{
    uint32_t sum = 0;
    for (uint32_t node = 0; node < NODES; node++) {
        const struct sb_link_counters *c = world_counters(node);
        sum += c->bad_truncated + c->bad_version + c->bad_type + c->bad_size + c->bad_sequence +
               c->bad_connection + c->bad_address + c->bad_state + c->bad_name_frame + c->stale +
               c->driver_restarts + c->downs;
    }
    return sum;
}

static bool never(void)
{
    return false;
}

/** After the trouble: both directions work again. */
static void check_recovers(void)
{
    CHECK(world_fatal() == NULL);
    CHECK(world_run(traffic_up, 200000));
    CHECK(world_run(traffic_quiet, 2000000));
    (void)world_run(never, 5000); /* what is on the medium is in no pool */
    traffic.may_damage = false;
    traffic.may_lose = false;
    traffic.errors = 0;
    for (uint32_t node = 0; node < NODES; node++) {
        traffic.next[node] = traffic.sent[1u - node];
        traffic.received[node] = traffic.sent[1u - node];
        traffic.count[node] += 50;
        traffic.finished[node] = false;
        world_again(node);
    }
    CHECK(world_run(traffic_complete, 500000));
    CHECK_EQUAL(traffic.errors, 0);
    CHECK(world_run(traffic_quiet, 50000));
    CHECK(world_fatal() == NULL);
}

/** Each n-th frame has a header byte changed: noticed, reset, and what does arrive is right and in order. */
static void each_nth_frame(void)
{
    static const uint32_t each[] = {17, 31, 50, 97};
    for (uint32_t i = 0; i < sizeof each / sizeof each[0]; i++) {
        struct world_config config = plain;
        config.seed = check_seed + i;
        config.damage_each = each[i];
        traffic_reset();
        traffic.may_lose = true;
        traffic.size_max = 900;
        traffic.count[0] = traffic.count[1] = 1500;
        world_start(&config);
        CHECK(world_run(traffic_quiet, 20000000));
        CHECK_EQUAL(traffic.errors, 0);
        CHECK(world_damaged > 5);
        CHECK(world_counters(0)->resets + world_counters(1)->resets > 0);
        CHECK(complaints() >= world_damaged / 2u);
        CHECK(traffic.received[0] > 20 && traffic.received[1] > 20);
        world_set_damage(0);
        check_recovers();
    }
}

static void scribble(uint32_t seed, uint32_t base, uint32_t range, uint32_t most)
{
    struct world_config config = plain;
    config.seed = seed;
    config.tick_hz = 1000; /* an overwritten acknowledge leaves both sides waiting: only time helps */
    traffic_reset();
    traffic.may_lose = true;
    traffic.may_damage = true;
    traffic.size_max = 900;
    traffic.count[0] = traffic.count[1] = 1u << 30;
    world_start(&config);
    uint32_t before = complaints();
    for (uint32_t i = 0; i < 300; i++) {
        (void)world_run(never, 20 + world_random(300));
        CHECK(world_fatal() == NULL);
        uint32_t bytes = 1u + world_random(most);
        world_scribble(base + world_random(range - bytes + 1u), bytes);
    }
    CHECK(complaints() > before);
    for (uint32_t node = 0; node < NODES; node++) {
        traffic.count[node] = traffic.sent[node];
    }
    check_recovers();
}

static void scribble_everywhere(void)
{
    for (uint32_t i = 0; i < 20; i++) {
        scribble(check_seed + i, 0, 128 + 512, 300);
    }
}

static void scribble_states(void)
{
    for (uint32_t i = 0; i < 20; i++) {
        scribble(check_seed + 100u + i, 0, 128, 8);
    }
}

static void scribble_frames(void)
{
    for (uint32_t i = 0; i < 20; i++) {
        scribble(check_seed + 200u + i, 128, 512, 64);
    }
}

const struct check_case cases_damage[] = {
    {"each n-th frame damaged", each_nth_frame},
    {"garbage in the whole area", scribble_everywhere},
    {"garbage in the states", scribble_states},
    {"garbage in the frames", scribble_frames},
    {NULL, NULL},
};
