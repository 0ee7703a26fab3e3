/* SPDX-License-Identifier: Apache-2.0 */
#ifndef LINK_NODE_H
#define LINK_NODE_H
/** @file
 *  What link/ keeps per node, and what its files offer each other:
 *
 *    tasks.c     bodies of the three link tasks; start; who is woken
 *    rlnh.c      RLNH: signals out, signals in, events of the connection
 *    names.c     hunts: requests of local tasks, frames between two RLNHs
 *    memory.c    where the state lies on a target
 *    copy.c      the copy */
#include <stdbool.h>
#include <stdint.h>

#include "signal_queue.h"
#include "signalbox/config_types.h"
#include "signalbox/link.h"
#include "signalbox/node.h"
#include "signalbox/port.h"

/** Most ends of links that one node can have. */
#define SB_LINK_ENDS_MAX 4u

/** node->link points to it once sb_link_start() has run. */
struct sb_link_node {
    uint32_t count;
    sb_addr rlnh;
    sb_addr receiver;
    sb_addr driver;
    uint32_t signal_bytes_max;
    bool receiver_woken; /**< its fast semaphore holds a signal; interrupts off */
    bool driver_woken;   /**< as above */
    bool memory_due;     /**< a received signal waits for a pool block */
    uint32_t orphans;    /**< signals and wake-ups for a task of this node that has died */
    uint32_t hunt_cookie;
    struct sb_signal_queue hunts; /**< requests that wait for an answer; interrupts off */
    struct sb_link ends[SB_LINK_ENDS_MAX];
};

/** NULL before sb_link_start(). */
static inline struct sb_link_node *sb_link_node_here(void)
{
    return port_node()->link;
}

/** Zeroed memory for the state of this node. */
struct sb_link_node *sb_link_node_memory(void);

/** Put *sig into the queue of the local task `task`; sender and addressee stay. Consumes. */
void sb_link_forward(union sb_signal **sig, sb_addr task);

/** Set up all ends and open their drivers.   Context: RLNH task, once */
void sb_link_start(void);

/** The end that leads to `node`, NULL if there is none. */
struct sb_link *sb_link_to(uint32_t node);

/** One signal from RLNH's queue. Consumes. */
void sb_rlnh_handle(union sb_signal *sig);

/** A heartbeat interval has passed.   Context: receive task */
void sb_rlnh_heartbeat(struct sb_link *link);

/** One turn of the receive task. */
void sb_cm_rx_turn(void);

/* names.c; RLNH task */
void sb_names_request(union sb_signal *sig);
void sb_names_frame(union sb_signal *sig);
void sb_names_connected(struct sb_link *link);
/** Ask the peer for everything that is pending for it. */
void sb_names_ask(struct sb_link *link);
void sb_names_lost(struct sb_link *link);
void sb_names_dead(union sb_signal *sig);
/** A frame that is complete but for its number goes to the peer of its unit. */
void sb_names_send(union sb_signal *sig);

#endif
