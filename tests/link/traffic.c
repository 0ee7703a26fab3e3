/* SPDX-License-Identifier: Apache-2.0 */
#include "traffic.h"

#include <string.h>

struct traffic traffic;

union sb_signal {
    uint32_t signo;
    struct {
        uint32_t signo;
        uint32_t sequence;
        uint32_t size_bytes;
        uint8_t filler[];
    } data;
};

enum { SIGNO_DATA = 7 };
#define HEAD_BYTES 12u

void traffic_reset(void)
{
    memset(&traffic, 0, sizeof traffic);
    traffic.window = 20;
    traffic.size_min = HEAD_BYTES;
    traffic.size_max = HEAD_BYTES;
}

static uint8_t filler(uint32_t sequence, uint32_t i)
{
    return (uint8_t)(sequence * 31u + i * 7u + (i >> 8));
}

void traffic_sender(void)
{
    uint32_t node = world_node();
    sb_addr peer = SB_ADDR_NONE;
    while (traffic.sent[node] < traffic.count[node]) {
        if (peer == SB_ADDR_NONE &&
            sb_hunt(node == 0 ? "node1/sink" : "node0/sink", SB_FOREVER, &peer) != SB_OK) {
            traffic.hunt_errors++;
            world_yield();
            continue;
        }
        uint32_t sequence = traffic.sent[node];
        if (!traffic.may_lose && sequence - traffic.received[1u - node] >= traffic.window) {
            world_yield();
            continue;
        }
        uint32_t size = traffic.size_min + world_random(traffic.size_max - traffic.size_min + 1u);
        if (traffic.sizes != NULL) {
            size = traffic.sizes[sequence % traffic.sizes_count];
        }
        union sb_signal *sig = sb_alloc_nil(size, SIGNO_DATA);
        if (sig == NULL) {
            world_yield();
            continue;
        }
        sig->data.sequence = sequence;
        sig->data.size_bytes = size;
        for (uint32_t i = 0; i < size - HEAD_BYTES; i++) {
            sig->data.filler[i] = filler(sequence, i);
        }
        /* Counted first: the node may be restarted inside the call. */
        traffic.sent[node]++;
        if (sb_send(&sig, peer) != SB_OK || sig != NULL) {
            traffic.errors++;
        }
    }
    traffic.finished[node] = true;
}

static bool right(union sb_signal *sig, uint32_t node)
{
    uint32_t size = sb_size(sig);
    if (sig->signo != SIGNO_DATA || size < HEAD_BYTES || sig->data.size_bytes != size ||
        sb_addr_node(sb_sender(sig)) != 1u - node || sb_addressee(sig) != sb_self()) {
        return false;
    }
    for (uint32_t i = 0; i < size - HEAD_BYTES; i++) {
        if (sig->data.filler[i] != filler(sig->data.sequence, i)) {
            return false;
        }
    }
    return true;
}

void traffic_sink(void)
{
    static const uint32_t all[] = {0};
    uint32_t node = world_node();
    for (;;) {
        while (traffic.sink_waits[node]) {
            world_yield();
        }
        union sb_signal *sig = sb_receive(all);
        bool ok = right(sig, node);
        if (ok) {
            uint32_t sequence = sig->data.sequence;
            ok = traffic.may_lose ? sequence >= traffic.next[node] : sequence == traffic.next[node];
            traffic.next[node] = sequence + 1u;
        }
        if (!ok && !traffic.may_damage) {
            traffic.errors++;
        }
        traffic.received[node]++;
        sb_free(&sig);
    }
}

bool traffic_complete(void)
{
    return traffic.finished[0] && traffic.finished[1] && traffic.received[1] == traffic.sent[0] &&
           traffic.received[0] == traffic.sent[1];
}

bool traffic_up(void)
{
    bool up = true;
    for (uint32_t node = 0; node < NODES; node++) {
        world_look(node);
        up = up && sb_link_is_up(0) && sb_link_node_here()->ends[0].names_ready;
    }
    return up;
}

bool traffic_quiet(void)
{
    return traffic.finished[0] && traffic.finished[1] && world_blocks_in_use(0) == IDLE_BLOCKS &&
           world_blocks_in_use(1) == IDLE_BLOCKS;
}
