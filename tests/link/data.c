/* SPDX-License-Identifier: Apache-2.0 */
/** @file
 *  Cases: signals arrive, all of them, in order, unchanged. */
#include <stddef.h>
#include <string.h>

#include "check.h"
#include "traffic.h"

static const struct world_config plain = {.seed = 1,
                                          .mtu_bytes = 256,
                                          .dm_buffers = 10,
                                          .sender = {traffic_sender, traffic_sender},
                                          .sink = {traffic_sink, traffic_sink}};

static bool never(void)
{
    return false;
}

static void check_clean(void)
{
    CHECK_EQUAL(traffic.errors, 0);
    CHECK_EQUAL(traffic.hunt_errors, 0);
    CHECK(world_run(traffic_quiet, 50000));
    (void)world_run(never, 2000); /* a call of tx may not have returned yet */
    for (uint32_t node = 0; node < NODES; node++) {
        const struct sb_link_counters *counters = world_counters(node);
        CHECK_EQUAL(counters->resets, 0);
        CHECK_EQUAL(counters->downs, 0);
        CHECK_EQUAL(counters->signals_discarded, 0);
        CHECK_EQUAL(counters->tx_refused, 0);
        CHECK_EQUAL(counters->frames_tx, world_counters(1u - node)->frames_rx);
        CHECK_EQUAL(counters->signals_tx, world_counters(1u - node)->signals_rx);
    }
    CHECK(world_fatal() == NULL);
}

static void ten_thousand(void)
{
    static const struct {
        uint32_t mtu, dm;
        bool cached;
    } shapes[] = {{2048, 10, false}, {256, 10, true}, {256, 1, false}, {64, 3, true}};
    for (uint32_t i = 0; i < sizeof shapes / sizeof shapes[0]; i++) {
        struct world_config config = plain;
        config.seed = check_seed + i;
        config.mtu_bytes = shapes[i].mtu;
        config.dm_buffers = shapes[i].dm;
        config.cached = shapes[i].cached;
        traffic_reset();
        traffic.count[0] = traffic.count[1] = 10000;
        traffic.size_max = 2500;
        world_start(&config);
        CHECK(world_run(traffic_complete, 20000000));
        check_clean();
    }
}

/** Sizes around every boundary where the number of fragments changes: first room mtu - 24, then mtu - 16 each. */
static void boundaries(void)
{
    static uint32_t sizes[64];
    uint32_t mtu = 128;
    uint32_t n = 0;
    uint32_t frames = 0;
    for (uint32_t fragments = 1; fragments <= 16; fragments++) {
        uint32_t full = (mtu - 24u) + (fragments - 1u) * (mtu - 16u);
        sizes[n++] = full - 1u;
        sizes[n++] = full;
        sizes[n++] = full + 1u;
        frames += fragments + fragments + (fragments + 1u);
    }
    struct world_config config = plain;
    config.mtu_bytes = mtu;
    traffic_reset();
    traffic.sizes = sizes;
    traffic.sizes_count = n;
    traffic.count[0] = n;
    world_start(&config);
    CHECK(world_run(traffic_up, 20000));
    uint32_t before = world_counters(0)->frames_tx;
    uint32_t signals = world_counters(0)->signals_tx;
    CHECK(world_run(traffic_complete, 2000000));
    check_clean();
    /* The sender's hunt asks once; that query is one frame and one signal. */
    CHECK_EQUAL(world_counters(0)->signals_tx - signals, n + 1u);
    CHECK_EQUAL(world_counters(0)->frames_tx - before, frames + 1u);
}

/** The far node sleeps: the first frame fills the area, the rest queues in the manager without any memory of
 *  its own. */
static bool sent_all(void)
{
    return traffic.finished[0];
}

static void queue_while_busy(void)
{
    struct world_config config = plain;
    traffic_reset();
    traffic.count[0] = 60;
    traffic.window = 1000;
    traffic.size_max = 60;
    world_start(&config);
    CHECK(world_run(traffic_up, 20000));
    world_kill(1);
    uint32_t before = world_counters(0)->frames_tx;
    (void)world_run(sent_all, 3000);
    /* The hunt's query lies in the area; nothing else is taken. */
    CHECK(world_counters(0)->frames_tx - before <= 1);
    world_wake(1);
    CHECK(world_run(sent_all, 200000));
    world_kill(1);
    (void)world_run(traffic_quiet, 3000);
    CHECK(traffic.received[1] < 60);
    CHECK(world_blocks_in_use(0) > IDLE_BLOCKS);
    world_wake(1);
    CHECK(world_run(traffic_complete, 200000));
    check_clean();
}

/** The sink sleeps until the pool of its node is exhausted: everything waits, back to the sender's pool, and
 *  nothing is lost. */
static void pool_exhausted(void)
{
    for (uint32_t tick = 0; tick < 2; tick++) {
        struct world_config config = plain;
        config.tick_hz = 1000;
        config.seed = 5 + tick;
        traffic_reset();
        traffic.count[0] = 400;
        traffic.window = 1000;
        traffic.size_min = 20;
        traffic.size_max = 60;
        traffic.sink_waits[1] = true;
        world_start(&config);
        (void)world_run(sent_all, 200000);
        CHECK(!sent_all());
        CHECK(world_counters(1)->no_buffer > 0);
        CHECK_EQUAL(traffic.received[1], 0);
        traffic.sink_waits[1] = false;
        CHECK(world_run(traffic_complete, 2000000));
        check_clean();
    }
}

/** A signal to an address that does not exist any more comes back as knowledge, not as a loss without trace. */
static bool told(void)
{
    return world_counters(0)->peer_undeliverable > 0;
}

static void send_to_nobody(void)
{
    sb_addr peer = SB_ADDR_NONE;
    if (sb_hunt("node1/sink", SB_FOREVER, &peer) != SB_OK) {
        return;
    }
    union sb_signal *sig = sb_alloc(16, 9);
    (void)(sb_send(&sig, sb_addr_make(1, 1, 77)) == SB_OK);
}

static void dead_addressee(void)
{
    struct world_config config = plain;
    config.sender[0] = send_to_nobody;
    traffic_reset();
    traffic.finished[0] = true;
    world_start(&config);
    CHECK(world_run(told, 50000));
    CHECK_EQUAL(world_counters(1)->undeliverable, 1);
    CHECK_EQUAL(world_counters(0)->peer_undeliverable, 1);
    CHECK(world_run(traffic_quiet, 20000));
}

static void copy_all_alignments(void)
{
    static _Alignas(16) uint8_t from[96];
    static _Alignas(16) uint8_t to[96];
    for (uint32_t a = 0; a < 8; a++) {
        for (uint32_t b = 0; b < 8; b++) {
            for (uint32_t n = 0; n <= 70; n++) {
                for (uint32_t i = 0; i < sizeof from; i++) {
                    from[i] = (uint8_t)(i + 1u);
                }
                memset(to, 0xee, sizeof to);
                sb_link_copy(to + 8 + b, from + 8 + a, n);
                CHECK(memcmp(to + 8 + b, from + 8 + a, n) == 0);
                CHECK(to[8 + b - 1] == 0xee && to[8 + b + n] == 0xee);
            }
        }
    }
}

const struct check_case cases_data[] = {
    {"the copy at all alignments and sizes", copy_all_alignments},
    {"10,000 random signals each way, four shapes", ten_thousand},
    {"fragmentation at every boundary", boundaries},
    {"queue while the area is busy", queue_while_busy},
    {"pool of the receiver exhausted", pool_exhausted},
    {"addressee that does not exist", dead_addressee},
    {NULL, NULL},
};
