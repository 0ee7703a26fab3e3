/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CM_PTP_H
#define CM_PTP_H
/** @file
 *  State of one end under cm/ptp and what its files offer each other:
 *
 *    cm_ptp.c     start, turns of the receive task, up and down
 *    connect.c    connection handshake, reset, heartbeat
 *    transmit.c   CM-transmit, CM-handleTX, the queue, fragments
 *    receive.c    CM-handleRX, DRV-read, headers, reassembly */
#include <stdbool.h>
#include <stdint.h>

#include "../signal_queue.h"
#include "signalbox/config_types.h"
#include "signalbox/link.h"
#include "wire.h"

/** One DM-buffer: where the driver puts a frame. */
struct ptp_dm {
    struct ptp_dm *next;
    uint8_t *data;
    uint32_t size_bytes;
};

/** Control frames that wait to be sent. They need no memory: each kind is one bit, sent before any data, in
 *  this order. */
enum ptp_control {
    PTP_SEND_RESET = 1u,
    PTP_SEND_CONNECT = 2u,
    PTP_SEND_CONNECT_ACK = 4u,
    PTP_SEND_HEARTBEAT = 8u,
    PTP_SEND_HEARTBEAT_ACK = 16u,
};

enum ptp_phase {
    PTP_DOWN,       /**< the driver has no peer */
    PTP_CONNECTING, /**< the driver has; the connection handshake runs */
    PTP_CONNECTED,
};

struct ptp_end {
    /* Shared by tasks and the driver interrupt: with interrupts off only. */
    enum ptp_phase phase;
    uint32_t session; /**< changes with each up and down of the driver */
    uint32_t control; /**< enum ptp_control */
    uint16_t own_connection;
    uint16_t peer_connection; /**< 0: the peer's CONNECT has not come yet */
    bool driver_up;
    bool lost;  /**< the driver went down; the receive task has not dealt with it yet */
    bool fault; /**< transmission failed; the receive task shall reset */
    bool busy;  /**< someone transmits, or the acknowledge of a frame is awaited */
    bool in_tx; /**< driver->tx is being executed */
    bool starved;
    struct sb_signal_queue queue;
    union sb_signal *current; /**< being cut into fragments */
    uint32_t tx_offset;
    uint32_t tx_sequence;
    struct ptp_dm *free;
    struct ptp_dm *free_tail;
    struct ptp_dm *receiving; /**< given to the driver, not yet back */
    struct ptp_dm *ready_head;
    struct ptp_dm *ready_tail;

    /* The receive task's own. */
    bool acknowledged;  /**< the peer has acknowledged own_connection */
    bool told_up;       /**< RLNH knows the connection as up */
    uint8_t unanswered; /**< heartbeat intervals without any frame from the peer */
    uint8_t stalled;    /**< heartbeat intervals in which nothing moved */
    uint32_t stalled_frames;
    uint32_t own_session; /**< driver session that the connection belongs to */
    enum sb_err why_down;
    uint32_t rx_sequence;
    union sb_signal *partial; /**< being put together */
    uint32_t partial_bytes;
    uint32_t partial_total;
    sb_addr partial_from;
    sb_addr partial_to;
    struct ptp_dm *held; /**< its signal found no pool block; tried again */
    struct ptp_dm dm[SB_LINK_DM_BUFFERS_MAX];
};

_Static_assert(sizeof(struct ptp_end) <= SB_LINK_MANAGER_STATE_BYTES, "manager state fits");

static inline struct ptp_end *ptp_end_of(struct sb_link *link)
{
    return (struct ptp_end *)(void *)link->manager_state;
}

/* connect.c; receive task */
void ptp_connect_begin(struct sb_link *link);
void ptp_reset(struct sb_link *link, uint32_t *counter);
void ptp_lost(struct sb_link *link, enum sb_err why);
void ptp_rx_reset(struct sb_link *link);
void ptp_rx_connect(struct sb_link *link, const struct ptp_header *header);
void ptp_rx_connect_ack(struct sb_link *link, const struct ptp_header *header);
void ptp_heartbeat(struct sb_link *link);

/* cm_ptp.c; receive task: close the driver and open it again */
void ptp_reopen(struct sb_link *link);

/* transmit.c */
enum sb_err ptp_transmit(struct sb_link *link, union sb_signal **sig);
void ptp_tx_done(struct sb_link *link);
/** Have these control frames sent as soon as the driver takes them. */
void ptp_send_control(struct sb_link *link, uint32_t frames);

/* receive.c */
void *ptp_rx_buf(struct sb_link *link, uint32_t size_bytes, const void *head);
void ptp_rx(struct sb_link *link, void *buffer, uint32_t size_bytes);
/** Give a buffer to the driver (DRV-read). */
void ptp_drv_read(struct sb_link *link, struct ptp_dm *dm);
/** Decode and deliver all frames that are ready. */
void ptp_receive_all(struct sb_link *link);
/** Forget frames that came before the driver went down, at most all DM-buffers. Interrupts are off. */
void ptp_purge_locked(struct sb_link *link);

#endif
