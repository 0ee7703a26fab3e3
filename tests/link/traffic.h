/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TESTS_LINK_TRAFFIC_H
#define TESTS_LINK_TRAFFIC_H
/** @file
 *  Traffic for the cases: senders that fill signals so that sinks can check every byte, and what they counted. */
#include <stdbool.h>
#include <stdint.h>

#include "host.h"

/** What the senders do; sinks follow. Reset by traffic_reset. */
struct traffic {
    uint32_t count[NODES]; /**< signals to send */
    uint32_t window;       /**< at most so many sent and not received (ignored where signals may be lost) */
    uint32_t size_min;     /**< bytes, at least 12 */
    uint32_t size_max;
    const uint32_t *sizes; /**< fixed sequence of sizes instead; repeated */
    uint32_t sizes_count;
    bool may_lose; /**< gaps are no error, the contents need not be right if `may_damage` */
    bool may_damage;
    bool sink_waits[NODES]; /**< the sink does not receive while this is set */

    uint32_t sent[NODES];
    uint32_t received[NODES]; /**< by the sink of this node */
    uint32_t next[NODES];     /**< sequence number that the sink expects */
    uint32_t errors;
    uint32_t hunt_errors;
    bool finished[NODES]; /**< the sender has sent all */
};

extern struct traffic traffic;

void traffic_reset(void);
/** Task bodies. */
void traffic_sender(void);
void traffic_sink(void);
/** Both senders have finished and both sinks have everything. */
bool traffic_complete(void);
/** Both ends are connected and the RLNHs have agreed. */
bool traffic_up(void);
/** Both senders have finished and no pool block is in use but the two events of the ends. */
bool traffic_quiet(void);
/** Blocks that an idle node uses: the event of its end. */
#define IDLE_BLOCKS 1u

#endif
