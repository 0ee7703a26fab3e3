/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TESTS_LINK_HOST_H
#define TESTS_LINK_HOST_H
/** @file
 *  A world of two nodes in one process: the kernel, the links and the driver as they are, on a port of our own.
 *
 *  Every task has a context of its own. Whenever a task unmasks interrupts, a seeded die decides whether the
 *  pending bells and ticks are delivered now, and whether the other node runs on. So one process executes both
 *  nodes in arbitrary interleavings, repeatably. */
#include <stdbool.h>
#include <stdint.h>

#include "link_node.h"
#include "signalbox/config_types.h"
#include "signalbox/link.h"
#include "signalbox/sem.h"
#include "signalbox/signal.h"
#include "signalbox/task.h"

#define NODES 2
#define AREA_BYTES 16384u

/** What the tests vary. */
struct world_config {
    uint32_t seed;
    uint32_t mtu_bytes;
    uint32_t dm_buffers;
    uint32_t tick_hz; /**< 0: off */
    bool cached;
    bool keep_area; /**< the shared area is what the last world left */
    uint32_t
        start_skew; /**< node 0 runs so many turns before node 1 begins; negative as two's complement: node 1 first */
    uint32_t damage_each;        /**< damage each n-th frame that is written, 0: none */
    void (*sender[NODES])(void); /**< body of the task "sender", priority 13; may be NULL */
    void (*sink[NODES])(void);   /**< body of the task "sink", priority 12; may be NULL */
};

/** Start over: both nodes power up with random memory in the shared area (or what was there). */
void world_start(const struct world_config *config);
/** Run until `done` says so, at most `turns` turns. True: done. */
bool world_run(bool (*done)(void), uint32_t turns);
/** Power-cycle one node: its state is gone, the shared area stays. */
void world_restart(uint32_t node);
/** Stop a node for good (or until world_restart). */
void world_kill(uint32_t node);
/** Let a killed node go on where it was. */
void world_wake(uint32_t node);
/** Run the body of the task "sender" of a node again, which rests. */
void world_again(uint32_t node);
/** Another MTU for one node, before it has begun. */
void world_set_mtu(uint32_t node, uint32_t mtu_bytes);
void world_set_damage(uint32_t each);
/** Overwrite `bytes` of the shared area with random bytes and ring both bells. */
void world_scribble(uint32_t offset, uint32_t bytes);
/** Make `node` the one that port_node() answers, for looking at it from outside. */
void world_look(uint32_t node);

/** Of the running node. */
uint32_t world_node(void);
/** Let others run: for loops that wait for something that no kernel call waits for. */
void world_yield(void);
/** The seeded die: 0..n-1. */
uint32_t world_random(uint32_t n);
/** Label of the fatal error that ended a node, NULL: none. */
const char *world_fatal(void);
/** Blocks in use in all classes of the system pool of `node`. */
uint32_t world_blocks_in_use(uint32_t node);
/** Counters of the only link of `node`. */
const struct sb_link_counters *world_counters(uint32_t node);
/** Frames written by drivers, and those that were damaged. */
extern uint32_t world_frames;
extern uint32_t world_damaged;
extern uint8_t world_area[AREA_BYTES];

#endif
