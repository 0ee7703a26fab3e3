/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SHM_ACK_H
#define SHM_ACK_H
/** @file
 *  The two files of the driver share this; nobody else includes it. */
#include <stdbool.h>
#include <stdint.h>

#include "area.h"
#include "signalbox/config_types.h"
#include "signalbox/link.h"

/** Private state of one end, in link->driver_state. What this side wrote into its block is kept here too and
 *  is never taken from there: the block belongs to whoever can write to the memory, this does not. */
struct shm_end {
    struct shm_block *own;  /**< uncached */
    struct shm_block *peer; /**< uncached */
    uint8_t *tx_data;       /**< own half; uncached, or cached and cleaned */
    const uint8_t *rx_data; /**< the peer's half; uncached, or cached and invalidated */
    uint32_t epoch;
    uint32_t peer_epoch; /**< what `echo` says; 0: no valid peer seen */
    uint32_t session;    /**< changes when tx must not complete any more */
    uint32_t tx_sequence;
    uint32_t rx_sequence;
    bool up;
    bool misfit;      /**< the peer of peer_epoch has another MTU: no connection with it */
    bool outstanding; /**< a frame is WRITTEN and not yet seen READ */
};

_Static_assert(sizeof(struct shm_end) <= SB_LINK_DRIVER_STATE_BYTES, "driver state fits");

static inline struct shm_end *shm_end_of(struct sb_link *link)
{
    return (struct shm_end *)(void *)link->driver_state;
}

/** Ring the peer's bell of this link. */
void shm_ring(struct sb_link *link);
/** Look at the peer's block; true if both sides agree on both epochs and states may be believed. */
bool shm_handshake(struct sb_link *link);
/** The peer's states make no sense. If it has begun again since the handshake was looked at, they are not meant for us any more
 *  and its bell will say so; otherwise it writes nonsense: count in `counter` and begin again. */
void shm_nonsense(struct sb_link *link, uint32_t *counter);
/** Give up what runs, tell the manager, begin again with a new epoch. */
void shm_restart(struct sb_link *link, enum sb_err why);
/** The first publication of the own block. */
void shm_begin(struct sb_link *link);

#endif
