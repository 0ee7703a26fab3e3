/* SPDX-License-Identifier: Apache-2.0 */
#ifndef LINK_NAMES_WIRE_H
#define LINK_NAMES_WIRE_H
/** @file
 *  Signals of RLNH. Numbers 250 to 255 are reserved for links; applications neither send nor receive them.
 *
 *  Frames between two RLNHs travel as signals with SB_ADDR_NONE on both sides. Little endian.
 *
 *     kind            cookie           addr            status     name
 *     INIT            -                -               version    -
 *     INIT REPLY      -                -               0 or 1     -           1: versions differ, no names over this link
 *     QUERY NAME      the asker's      -               -          task
 *     PUBLISH         of the query     of the task     -          task
 *     UNPUBLISH       -                that is dead    0 or 1     -           1: the peer had asked (ATTACH)
 *     UNPUBLISH ACK   -                the same        -          -
 *     ATTACH          -                of a task       -          -           UNPUBLISH when it dies, at once if it is dead
 *
 *  A reply is made in the signal that brought the question, so answering needs no memory. A query for a task
 *  that does not exist is not answered. */
#include <assert.h>
#include <stddef.h>
#include <stdint.h>

#include "signalbox/addr.h"
#include "signalbox/attach.h"

#define SB_SIGNO_HUNT 250u       /**< hunter to RLNH, struct sb_hunt_request */
#define SB_SIGNO_FRAME_OUT 251u  /**< task to RLNH, or RLNH from a victim: struct sb_name_frame, to be sent */
#define SB_SIGNO_LINK_EVENT 252u /**< receive task to RLNH, struct sb_link_event */
#define SB_SIGNO_NAME_FRAME 253u /**< RLNH to RLNH, struct sb_name_frame */
#define SB_SIGNO_DEAD 254u       /**< receive task to RLNH, struct sb_link_event: addr does not exist here */
#define SB_SIGNO_HUNT_RESULT 255u /**< a hunt's signal back to the hunter */

#define SB_NAMES_VERSION 2u
/** Longest name of a task, without the terminating zero. */
#define SB_NAME_CHARS_MAX 31u

enum sb_name_kind {
    SB_NAME_QUERY = 1,
    SB_NAME_PUBLISH = 2,
    SB_NAME_UNPUBLISH = 3,
    SB_NAME_UNPUBLISH_ACK = 4,
    SB_NAME_INIT = 5,
    SB_NAME_INIT_REPLY = 6,
    SB_NAME_ATTACH = 7,
};

struct sb_name_frame {
    uint32_t signo;
    uint32_t kind; /**< enum sb_name_kind */
    uint32_t cookie;
    uint32_t addr;
    uint32_t status;
    uint32_t unit; /**< not on the wire's account: written by the receiving node */
    char name[];   /**< zero-terminated, may be missing */
};

static_assert(sizeof(struct sb_name_frame) == 24, "wire layout");
static_assert(offsetof(struct sb_name_frame, kind) == 4, "wire layout");
static_assert(offsetof(struct sb_name_frame, cookie) == 8, "wire layout");
static_assert(offsetof(struct sb_name_frame, addr) == 12, "wire layout");
static_assert(offsetof(struct sb_name_frame, status) == 16, "wire layout");
static_assert(offsetof(struct sb_name_frame, unit) == 20, "wire layout");
static_assert(offsetof(struct sb_name_frame, name) == 24, "wire layout");

/** Inside a node only. */
struct sb_link_event {
    uint32_t signo;
    uint32_t unit;
    sb_addr addr;
};

/** Inside a node only. It belongs to RLNH until it comes back, except `cancelled`, which the hunter sets. */
struct sb_hunt_request {
    uint32_t signo;
    uint32_t unit;
    uint32_t cookie;
    int32_t result; /**< enum sb_err */
    sb_addr found;
    uint32_t cancelled;       /**< interrupts off */
    union sb_signal *hunting; /**< answer with this one (sb_hunt_answer); NULL: somebody waits */
    char name[];
};

#endif
