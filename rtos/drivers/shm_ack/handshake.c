/* SPDX-License-Identifier: Apache-2.0 */
/** @file
 *  Start, restart and loss of the peer: time diagrams 1 and 6 of link.h.
 *
 *  Every change of the own block goes: invalid (magic 0), then states EMPTY and echo 0, then epoch and check,
 *  then magic. The release of magic pairs with the acquire in valid_epoch(); the release of echo with the
 *  acquire in peer_is_same(). */
#include "shm_ack.h"

#include "signalbox/doorbell.h"
#include "signalbox/port.h"
#include "signalbox/probe.h"

/** The epoch in a block, 0 if the words do not fit each other. */
static uint32_t epoch_of(const struct shm_block *block)
{
    uint32_t epoch = atomic_load_explicit(&block->epoch, memory_order_relaxed);
    uint32_t mtu_bytes = atomic_load_explicit(&block->mtu_bytes, memory_order_relaxed);
    uint32_t check = atomic_load_explicit(&block->check, memory_order_relaxed);
    return check == SHM_CHECK(epoch, mtu_bytes) ? epoch : 0;
}

/** The epoch of a block that is valid, else 0. */
static uint32_t valid_epoch(const struct shm_block *block)
{
    return atomic_load_explicit(&block->magic, memory_order_acquire) == SHM_MAGIC ? epoch_of(block) : 0;
}

/** Is the own block still what this side wrote, before any frame? */
static bool own_is_intact(const struct shm_end *end)
{
    struct shm_block *own = end->own;
    return valid_epoch(own) == end->epoch &&
           atomic_load_explicit(&own->echo, memory_order_relaxed) == (end->misfit ? 0 : end->peer_epoch) &&
           atomic_load_explicit(&own->tx_state, memory_order_relaxed) == SHM_WORD(0, SHM_EMPTY) &&
           atomic_load_explicit(&own->rx_state, memory_order_relaxed) == SHM_WORD(0, SHM_EMPTY);
}

static uint32_t next_epoch(uint32_t epoch)
{
    return epoch + 1u != 0 ? epoch + 1u : 1u;
}

SB_COLD static void forget_states(struct shm_end *end)
{
    end->session++;
    end->tx_sequence = 0;
    end->rx_sequence = 0;
    end->outstanding = false;
    atomic_store_explicit(&end->own->tx_size, 0, memory_order_relaxed);
    atomic_store_explicit(&end->own->tx_state, SHM_WORD(0, SHM_EMPTY), memory_order_relaxed);
    atomic_store_explicit(&end->own->rx_state, SHM_WORD(0, SHM_EMPTY), memory_order_relaxed);
}

static void publish(struct sb_link *link)
{
    struct shm_end *end = shm_end_of(link);
    struct shm_block *own = end->own;
    atomic_store_explicit(&own->magic, 0, memory_order_relaxed);
    atomic_thread_fence(memory_order_release);
    forget_states(end);
    end->peer_epoch = 0;
    end->misfit = false;
    atomic_store_explicit(&own->echo, 0, memory_order_relaxed);
    atomic_store_explicit(&own->mtu_bytes, link->config->mtu_bytes, memory_order_relaxed);
    atomic_store_explicit(&own->epoch, end->epoch, memory_order_relaxed);
    atomic_store_explicit(&own->check, SHM_CHECK(end->epoch, link->config->mtu_bytes), memory_order_relaxed);
    atomic_store_explicit(&own->magic, SHM_MAGIC, memory_order_release);
}

void shm_ring(struct sb_link *link)
{
    uint32_t core = link->config->peer_core;
    uint32_t bit = link->config->doorbell_bit;
    port_doorbell_ring(core, bit);
}

SB_COLD void shm_begin(struct sb_link *link)
{
    struct shm_end *end = shm_end_of(link);
    /* The memory may have outlived the last run: then go on from its epoch. If it is random, avoid the one value that the
     * peer would take for an older self. */
    end->epoch = next_epoch(epoch_of(end->own));
    if (atomic_load_explicit(&end->peer->echo, memory_order_relaxed) == end->epoch) {
        end->epoch = next_epoch(end->epoch);
    }
    publish(link);
    shm_ring(link);
}

static void go_down(struct sb_link *link, enum sb_err why)
{
    struct shm_end *end = shm_end_of(link);
    if (!end->up) {
        return;
    }
    end->up = false;
    end->session++;
    link->manager->up.down(link, why);
}

void shm_restart(struct sb_link *link, enum sb_err why)
{
    struct shm_end *end = shm_end_of(link);
    link->counters.driver_restarts++;
    go_down(link, why);
    end->epoch = next_epoch(end->epoch);
    publish(link);
    shm_ring(link);
}

/** The peer is who it was and still answers this side. */
static bool peer_is_same(const struct shm_end *end)
{
    return atomic_load_explicit(&end->peer->echo, memory_order_acquire) == end->epoch &&
           atomic_load_explicit(&end->peer->epoch, memory_order_relaxed) == end->peer_epoch;
}

void shm_nonsense(struct sb_link *link, uint32_t *counter)
{
    if (peer_is_same(shm_end_of(link))) {
        (*counter)++;
        shm_restart(link, SB_ERR_LINK_DOWN);
    }
}

/** Somebody new. Own states first, then the echo that lets the peer believe them. */
static void meet(struct sb_link *link, uint32_t peer_epoch)
{
    struct shm_end *end = shm_end_of(link);
    go_down(link, SB_ERR_LINK_DOWN);
    forget_states(end);
    end->peer_epoch = peer_epoch;
    end->misfit =
        atomic_load_explicit(&end->peer->mtu_bytes, memory_order_relaxed) != link->config->mtu_bytes;
    if (end->misfit) {
        link->counters.bad_size++;
        atomic_store_explicit(&end->own->echo, 0, memory_order_release);
    } else {
        atomic_store_explicit(&end->own->echo, peer_epoch, memory_order_release);
        shm_ring(link);
    }
}

/** Nobody there, or somebody whose block was overwritten, or who is just beginning. A peer that is alive and
 *  believes in us learns from the missing echo that it must publish again. */
static void part(struct sb_link *link)
{
    struct shm_end *end = shm_end_of(link);
    go_down(link, SB_ERR_LINK_DOWN);
    if (end->peer_epoch != 0) {
        end->peer_epoch = 0;
        end->misfit = false;
        forget_states(end);
        atomic_store_explicit(&end->own->echo, 0, memory_order_release);
        shm_ring(link);
    }
}

bool shm_handshake(struct sb_link *link)
{
    struct shm_end *end = shm_end_of(link);
    /* The usual case. */
    if (end->up && peer_is_same(end)) {
        return true;
    }
    /* First: while not up, has somebody written over the own block? Later the peer notices that. */
    if (!end->up && !own_is_intact(end)) {
        link->counters.bad_state++;
        shm_restart(link, SB_ERR_LINK_DOWN);
    }
    /* Second: who is there? */
    uint32_t peer_epoch = valid_epoch(end->peer);
    if (peer_epoch == 0) {
        part(link);
        return false;
    }
    if (peer_epoch != end->peer_epoch) {
        meet(link, peer_epoch);
    }
    if (end->misfit) {
        return false;
    }
    /* Third: has the peer answered my epoch? If it did and does no longer, its block has been overwritten. */
    if (atomic_load_explicit(&end->peer->echo, memory_order_acquire) != end->epoch) {
        if (end->up) {
            link->counters.bad_state++;
            shm_restart(link, SB_ERR_LINK_DOWN);
        }
        return false;
    }
    if (!end->up) {
        end->up = true;
        link->manager->up.up(link);
    }
    return true;
}
