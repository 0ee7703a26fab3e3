/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SHM_ACK_AREA_H
#define SHM_ACK_AREA_H
/** @file
 *  The shared area of one link, as both nodes see it (osek-linx 3.6.1.2). All words are little endian.
 *
 *     0              block of side 0    written by side 0 only
 *     64             block of side 1    written by side 1 only
 *     128            data of side 0     its TX area, the RX area of side 1
 *     128 + half     data of side 1     its TX area, the RX area of side 0
 *
 *  The published state of a TX area (EMPTY, WRITING, WRITTEN, READING, READ) is one word that both nodes
 *  write. Here it is split so that every word has one writer: the sender's part is `tx_state` in its own block,
 *  the receiver's part `rx_state` in the receiver's. Each carries the frame's sequence number, and the state of
 *  the area is the part with the newer one (the receiver's, if both are equal):
 *
 *     tx_state        rx_state        state of the area
 *     0, EMPTY        0, EMPTY        EMPTY
 *     n+1, WRITING    n, READ         WRITING
 *     n+1, WRITTEN    n, READ         WRITTEN
 *     n+1, WRITTEN    n+1, READING    READING
 *     n+1, WRITTEN    n+1, READ       READ
 *
 *  Everything else is not a state, and the reader starts the handshake again.
 *
 *  Blocks are always accessed past the cache. Blocks and halves are multiples of 64 bytes, so that words of
 *  different writers are never in one cache line whatever its size (up to 64). */
#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>

#define SHM_UNIT_BYTES 64u /**< granule: at least a cache line of any supported core */
#define SHM_MAGIC 0x53484d41u
#define SHM_SEQUENCE_MASK 0x00ffffffu

enum shm_state {
    SHM_EMPTY = 0,   /**< no data available */
    SHM_WRITING = 1, /**< the sender copies into the area */
    SHM_WRITTEN = 2, /**< the frame is complete */
    SHM_READING = 3, /**< the receiver copies out of it */
    SHM_READ = 4,    /**< the receiver is done with it */
};

/** Sequence number in bits 31..8, enum shm_state in bits 7..0. */
#define SHM_WORD(sequence, state) (((sequence) << 8) | (uint32_t)(state))

#define SHM_CHECK(epoch, mtu_bytes) (~(SHM_MAGIC ^ (epoch) ^ (mtu_bytes)))

/** What one side tells the other. */
struct shm_block {
    _Atomic uint32_t magic;    /**< SHM_MAGIC while the block is valid */
    _Atomic uint32_t epoch;    /**< changes whenever this side begins again; never 0 */
    _Atomic uint32_t check;    /**< SHM_CHECK: random memory does not pass */
    _Atomic uint32_t echo;     /**< the peer's epoch this side answers; 0: none */
    _Atomic uint32_t tx_state; /**< SHM_WORD of this side's TX area: EMPTY, WRITING, WRITTEN */
    _Atomic uint32_t tx_size;  /**< bytes of the frame in it; valid with WRITTEN */
    _Atomic uint32_t rx_state; /**< SHM_WORD of the peer's TX area: EMPTY, READING, READ */
    _Atomic uint32_t
        mtu_bytes; /**< of this side; the halves lie where they do because of it, so both must be equal */
    uint32_t reserved[8];
};

_Static_assert(sizeof(struct shm_block) == SHM_UNIT_BYTES, "wire layout");
_Static_assert(offsetof(struct shm_block, epoch) == 4, "wire layout");
_Static_assert(offsetof(struct shm_block, check) == 8, "wire layout");
_Static_assert(offsetof(struct shm_block, echo) == 12, "wire layout");
_Static_assert(offsetof(struct shm_block, tx_state) == 16, "wire layout");
_Static_assert(offsetof(struct shm_block, tx_size) == 20, "wire layout");
_Static_assert(offsetof(struct shm_block, rx_state) == 24, "wire layout");
_Static_assert(offsetof(struct shm_block, mtu_bytes) == 28, "wire layout");

/** Bytes of one data half for frames of up to `mtu_bytes`. */
#define SHM_HALF_BYTES(mtu_bytes) (((uint32_t)(mtu_bytes) + SHM_UNIT_BYTES - 1u) & ~(SHM_UNIT_BYTES - 1u))
/** Bytes of the whole area. */
#define SHM_AREA_BYTES(mtu_bytes) (2u * SHM_UNIT_BYTES + 2u * SHM_HALF_BYTES(mtu_bytes))

#endif
