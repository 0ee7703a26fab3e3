/* SPDX-License-Identifier: Apache-2.0 */
/** @file
 *  The connection: diagram 2 of link.h. All of this runs in the receive task.
 *
 *  An end is connected when it knows the peer's connection number and the peer has acknowledged its own.
 *  Control frames are sent before data, so the peer has our acknowledge before it sees our first UDATA. */
#include "cm_ptp.h"

#include "signalbox/port.h"

/** Heartbeats without answer after which the peer counts as lost. */
#define PTP_HEARTBEATS_MAX 3u
/** Intervals in which nothing moves in either direction for lack of memory, after which the connection is
 *  given up. */
#define PTP_STALLED_MAX 10u

static void free_queue(struct sb_link *link, struct sb_signal_queue *queue)
{
    union sb_signal *sig = sb_signal_queue_pop(queue);
    while (sig != NULL) {
        link->counters.signals_discarded++;
        sb_free(&sig);
        sig = sb_signal_queue_pop(queue);
    }
}

void ptp_lost(struct sb_link *link, enum sb_err why)
{
    struct ptp_end *end = ptp_end_of(link);

    /* First, with interrupts off: nobody queues any more, and the queue is ours. */
    uint32_t saved = port_lock();
    end->phase = end->driver_up ? PTP_CONNECTING : PTP_DOWN;
    end->control = 0;
    end->peer_connection = 0;
    struct sb_signal_queue queue = end->queue;
    sb_signal_queue_init(&end->queue);
    union sb_signal *current = end->current;
    end->current = NULL;
    port_unlock(saved);
    end->acknowledged = false;

    /* Second: free what was on its way, out and in. */
    free_queue(link, &queue);
    if (current != NULL) {
        link->counters.signals_discarded++;
        sb_free(&current);
    }
    if (end->partial != NULL) {
        link->counters.signals_discarded++;
        sb_free(&end->partial);
    }

    if (end->held != NULL) {
        struct ptp_dm *held = end->held;
        end->held = NULL;
        link->counters.stale++;
        ptp_drv_read(link, held);
    }

    /* Third: say so. */
    if (end->told_up) {
        end->told_up = false;
        link->counters.downs++;
        sb_rlnh_down(link, why);
    }
}

void ptp_connect_begin(struct sb_link *link)
{
    struct ptp_end *end = ptp_end_of(link);
    end->rx_sequence = 0;
    end->unanswered = 0;
    uint32_t saved = port_lock();
    bool up = end->driver_up;
    if (up) {
        end->phase = PTP_CONNECTING;
        end->tx_sequence = 0;
        end->own_connection++;
        if (end->own_connection == 0) {
            end->own_connection = 1;
        }
    }
    port_unlock(saved);
    if (up) {
        ptp_send_control(link, PTP_SEND_CONNECT);
    }
}

void ptp_reset(struct sb_link *link, uint32_t *counter)
{
    struct ptp_end *end = ptp_end_of(link);
    (*counter)++;
    link->counters.resets++;
    ptp_lost(link, SB_ERR_PROTOCOL);
    uint32_t saved = port_lock();
    if (end->driver_up) {
        end->control |= PTP_SEND_RESET;
    }
    port_unlock(saved);
    ptp_connect_begin(link);
}

void ptp_rx_reset(struct sb_link *link)
{
    ptp_lost(link, SB_ERR_LINK_DOWN);
    ptp_connect_begin(link);
}

SB_COLD static void connect_if_complete(struct sb_link *link)
{
    struct ptp_end *end = ptp_end_of(link);
    uint32_t saved = port_lock();
    bool complete = end->phase == PTP_CONNECTING && end->peer_connection != 0 && end->acknowledged;
    if (complete) {
        end->phase = PTP_CONNECTED;
    }
    port_unlock(saved);
    if (complete) {
        end->told_up = true;
        link->counters.connects++;
        sb_rlnh_up(link);
    }
}

void ptp_rx_connect(struct sb_link *link, const struct ptp_header *header)
{
    struct ptp_end *end = ptp_end_of(link);
    uint16_t connection = header->main.connection;
    /* Two ends that disagree about the MTU never connect: an answer would only repeat the disagreement for ever. */
    if (header->connect.mtu_bytes != link->config->mtu_bytes) {
        link->counters.bad_size++;
        return;
    }
    if (connection == 0 || header->connect.answered != 0) {
        ptp_reset(link, &link->counters.bad_connection);
        return;
    }
    /* The peer has begun again without our having noticed. */
    if (end->phase == PTP_CONNECTED && connection != end->peer_connection) {
        ptp_lost(link, SB_ERR_LINK_DOWN);
        ptp_connect_begin(link);
    }
    uint32_t saved = port_lock();
    end->peer_connection = connection;
    port_unlock(saved);
    end->rx_sequence = 0;
    ptp_send_control(link, PTP_SEND_CONNECT_ACK);
    connect_if_complete(link);
}

void ptp_rx_connect_ack(struct sb_link *link, const struct ptp_header *header)
{
    struct ptp_end *end = ptp_end_of(link);
    uint32_t answered = header->connect.answered;
    uint16_t last = (uint16_t)(end->own_connection - 1u);
    if (end->peer_connection == 0 || (answered == last && answered != 0)) {
        /* Answers a CONNECT from before a reset. */
        link->counters.stale++;
    } else if (header->main.connection != end->peer_connection || answered != end->own_connection) {
        ptp_reset(link, &link->counters.bad_connection);
    } else {
        end->acknowledged = true;
        connect_if_complete(link);
    }
}

/** Both pools are full of signals for the other side: neither side can receive, so neither can send, and time
 *  does not help. A connection manager that cannot deliver resets the connection and says so. */
static bool stalled(struct sb_link *link)
{
    struct ptp_end *end = ptp_end_of(link);
    bool moves = end->held == NULL || !end->busy || end->stalled_frames != link->counters.frames_tx;
    end->stalled_frames = link->counters.frames_tx;
    end->stalled = moves ? 0 : (uint8_t)(end->stalled + 1u);
    return end->stalled > PTP_STALLED_MAX;
}

void ptp_heartbeat(struct sb_link *link)
{
    struct ptp_end *end = ptp_end_of(link);
    /* A bell that was lost on the way is made good here. */
    sb_link_wake_driver(link);
    if (end->phase == PTP_DOWN) {
        return;
    }
    if (stalled(link)) {
        end->stalled = 0;
        ptp_reset(link, &link->counters.memory_deadlocks);
    } else if (end->held != NULL) {
        /* We do not listen until there is memory, but we live. */
        ptp_send_control(link, PTP_SEND_HEARTBEAT);
    } else if (end->unanswered < PTP_HEARTBEATS_MAX) {
        end->unanswered++;
        if (end->phase == PTP_CONNECTED) {
            ptp_send_control(link, PTP_SEND_HEARTBEAT);
        }
    } else {
        /* Lost. The medium may be stuck in a frame that nobody takes, so it begins again too. */
        end->unanswered = 0;
        link->counters.heartbeats_missed++;
        ptp_reopen(link);
    }
}
