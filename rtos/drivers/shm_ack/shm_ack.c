/* SPDX-License-Identifier: Apache-2.0 */
/** @file
 *  Shared memory with acknowledge interrupt (osek-linx 3.6.1.3): the sender copies into its TX area and rings;
 *  the receiver's interrupt copies out of it into the manager's buffer and rings back; the sender's interrupt
 *  reports tx_done.
 *
 *  Caches: the blocks are never cached. The data halves are either uncached as well, or cached; then the
 *  writer cleans what it wrote before it says WRITTEN, and the reader invalidates before and after reading. The
 *  manager's buffers follow the same option.
 *
 *  tx runs in a task and poll may interrupt it anywhere. They meet in `session`, `up` and `outstanding`; tx
 *  touches these with interrupts off, for a handful of instructions, and copies with interrupts on. */
#include "shm_ack.h"

#include "signalbox/port.h"
#include "signalbox/probe.h"

SB_COLD static enum sb_err shm_open(struct sb_link *link)
{
    const struct sb_link_config *config = link->config;
    struct shm_end *end = shm_end_of(link);
    uint8_t *base = (uint8_t *)config->area;
    uint32_t half = SHM_HALF_BYTES(config->mtu_bytes);

    if (config->area_bytes < SHM_AREA_BYTES(config->mtu_bytes) || ((uintptr_t)base % SHM_UNIT_BYTES) != 0) {
        return SB_ERR_ARGUMENT;
    }
    /* Nothing of the area may be in this cache, not even from before the kernel started. */
    port_cache_invalidate(base, SHM_AREA_BYTES(config->mtu_bytes));

    struct shm_block *blocks = port_uncached(base);
    uint8_t *data = base + 2u * SHM_UNIT_BYTES;
    if (!config->cached) {
        data = port_uncached(data);
    }
    *end = (struct shm_end){
        .session = end->session + 1u,
        .own = &blocks[config->side],
        .peer = &blocks[1u - config->side],
        .tx_data = data + config->side * half,
        .rx_data = data + (1u - config->side) * half,
    };
    shm_begin(link);
    return SB_OK;
}

static enum sb_err shm_tx(struct sb_link *link, const struct sb_link_piece *list, uint32_t count)
{
    struct shm_end *end = shm_end_of(link);
    uint32_t size_bytes = 0;
    for (uint32_t i = 0; i < count; i++) {
        if (list[i].size_bytes > link->config->mtu_bytes - size_bytes) {
            return SB_ERR_SIZE;
        }
        size_bytes += list[i].size_bytes;
    }
    if (size_bytes == 0) {
        return SB_ERR_SIZE;
    }

    /* First: is the area EMPTY or READ? */
    enum sb_err err = SB_OK;
    uint32_t session = 0;
    uint32_t sequence = 0;
    uint32_t saved = port_lock();
    if (!end->up) {
        err = SB_ERR_LINK_DOWN;
    } else if (end->outstanding) {
        err = SB_ERR_BUSY;
    } else {
        session = end->session;
        sequence = (end->tx_sequence + 1u) & SHM_SEQUENCE_MASK;
        end->tx_sequence = sequence;
        atomic_store_explicit(&end->own->tx_state, SHM_WORD(sequence, SHM_WRITING), memory_order_relaxed);
    }
    port_unlock(saved);
    if (err != SB_OK) {
        return err;
    }

    /* Second: the pieces, one behind the other, so that the area holds one block. */
    SB_PROBE_NOP(copy_enter, size_bytes);
    uint8_t *to = end->tx_data;
    for (uint32_t i = 0; i < count; i++) {
        sb_link_copy(to, list[i].base, list[i].size_bytes);
        to += list[i].size_bytes;
    }
    SB_PROBE_NOP(copy_exit);
    if (link->config->cached) {
        port_cache_clean(end->tx_data, size_bytes);
    }

    /* Third: say so, unless the peer has gone meanwhile. The release pairs with the acquire in receive(). */
    saved = port_lock();
    if (end->session != session) {
        err = SB_ERR_LINK_DOWN;
    } else {
        atomic_store_explicit(&end->own->tx_size, size_bytes, memory_order_relaxed);
        atomic_store_explicit(&end->own->tx_state, SHM_WORD(sequence, SHM_WRITTEN), memory_order_release);
        end->outstanding = true;
    }
    port_unlock(saved);
    if (err == SB_OK) {
        shm_ring(link);
    }
    return err;
}

/** The RX area. False: the peer wrote something that is not a state, and the handshake has begun again. */
static bool shm_receive(struct sb_link *link)
{
    struct shm_end *end = shm_end_of(link);
    uint32_t word = atomic_load_explicit(&end->peer->tx_state, memory_order_acquire);
    uint32_t next = (end->rx_sequence + 1u) & SHM_SEQUENCE_MASK;

    if (word == SHM_WORD(next, SHM_WRITTEN)) {
        uint32_t size_bytes = atomic_load_explicit(&end->peer->tx_size, memory_order_relaxed);
        if (size_bytes == 0 || size_bytes > link->config->mtu_bytes) {
            shm_nonsense(link, &link->counters.bad_size);
            return false;
        }
        if (link->config->cached) {
            port_cache_invalidate(end->rx_data, size_bytes);
        }
        uint8_t *buffer = link->manager->up.rx_buf(link, size_bytes, end->rx_data);
        if (buffer == NULL) {
            return true;
        }
        atomic_store_explicit(&end->own->rx_state, SHM_WORD(next, SHM_READING), memory_order_relaxed);
        SB_PROBE_NOP(copy_enter, size_bytes);
        sb_link_copy(buffer, end->rx_data, size_bytes);
        SB_PROBE_NOP(copy_exit);
        if (link->config->cached) {
            port_cache_invalidate(end->rx_data, size_bytes);
        }
        /* All reads of the area before READ: pairs with the acquire in shm_acknowledge(). */
        end->rx_sequence = next;
        atomic_store_explicit(&end->own->rx_state, SHM_WORD(next, SHM_READ), memory_order_release);
        link->manager->up.rx(link, buffer, size_bytes);
        shm_ring(link);
        return true;
    }

    /* Nothing new: the peer has not begun, is copying, or waits for what was read. */
    uint32_t last = end->rx_sequence;
    if (word == SHM_WORD(next, SHM_WRITING) || word == SHM_WORD(last, SHM_WRITTEN) ||
        (last == 0 && word == SHM_WORD(0, SHM_EMPTY))) {
        return true;
    }
    shm_nonsense(link, &link->counters.bad_state);
    return false;
}

/** The TX area: has the far side read the frame? */
static void shm_acknowledge(struct sb_link *link)
{
    struct shm_end *end = shm_end_of(link);
    if (!end->outstanding) {
        return;
    }
    uint32_t word = atomic_load_explicit(&end->peer->rx_state, memory_order_acquire);
    uint32_t sequence = end->tx_sequence;
    if (word == SHM_WORD(sequence, SHM_READ)) {
        end->outstanding = false;
        link->manager->up.tx_done(link);
        return;
    }
    uint32_t last = (sequence - 1u) & SHM_SEQUENCE_MASK;
    if (word == SHM_WORD(sequence, SHM_READING) || word == SHM_WORD(last, SHM_READ) ||
        (last == 0 && word == SHM_WORD(0, SHM_EMPTY))) {
        return;
    }
    shm_nonsense(link, &link->counters.bad_state);
}

static void shm_poll(struct sb_link *link)
{
    if (shm_handshake(link) && shm_receive(link)) {
        shm_acknowledge(link);
    }
}

SB_COLD static void shm_close(struct sb_link *link)
{
    struct shm_end *end = shm_end_of(link);
    uint32_t saved = port_lock();
    end->up = false;
    end->session++;
    end->outstanding = false;
    port_unlock(saved);
    atomic_store_explicit(&end->own->magic, 0, memory_order_relaxed);
    atomic_store_explicit(&end->own->echo, 0, memory_order_release);
    shm_ring(link);
}

const struct sb_link_driver sb_driver_shm_ack = {
    .name = "shm_ack",
    .properties =
        {.coherent = false, .ordered = true, .reliable = true, .dma = false, .head_bytes = SHM_UNIT_BYTES},
    .open = shm_open,
    .tx = shm_tx,
    .poll = shm_poll,
    .close = shm_close,
};
