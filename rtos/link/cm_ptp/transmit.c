/* SPDX-License-Identifier: Apache-2.0 */
/** @file
 *  CM-transmit and CM-handleTX: one queue per end, one frame in the driver, fragments cut one by one as the
 *  driver takes them.
 *
 *  `busy` decides who transmits: whoever finds it false sets it and pumps one frame; tx_done, in the driver
 *  interrupt, pumps the next one, and clears it when there is none. tx_done may interrupt the very call of
 *  driver->tx that it answers (diagram 7), so a frame is described completely, and the cursor moved on, before
 *  that call; after it only the caller's variables count. */
#include "cm_ptp.h"

#include "signalbox/port.h"
#include "signalbox/probe.h"

/** A frame on its way to the driver, in its sender's own variables. */
struct ptp_frame {
    struct ptp_header header;
    struct sb_link_piece list[2];
    uint32_t pieces;
    uint32_t size_bytes;
    uint32_t session;
    union sb_signal *finished; /**< to free once the driver has copied it */
};

static void describe(struct ptp_frame *frame, enum ptp_type type, uint16_t connection, uint32_t header_bytes)
{
    frame->header.main.version = PTP_VERSION;
    frame->header.main.type = (uint8_t)type;
    frame->header.main.connection = connection;
    frame->header.main.size_bytes = header_bytes;
    frame->header.main.sequence = 0;
    frame->list[0].base = &frame->header;
    frame->list[0].size_bytes = header_bytes;
    frame->pieces = 1;
    frame->size_bytes = header_bytes;
    frame->finished = NULL;
}

static void next_control_locked(struct sb_link *link, struct ptp_frame *frame)
{
    struct ptp_end *end = ptp_end_of(link);
    const uint32_t empty = (uint32_t)sizeof(struct ptp_main);
    if (end->control & PTP_SEND_RESET) {
        end->control &= ~(uint32_t)PTP_SEND_RESET;
        describe(frame, PTP_RESET, end->own_connection, empty);
    } else if (end->control & PTP_SEND_CONNECT) {
        end->control &= ~(uint32_t)PTP_SEND_CONNECT;
        describe(frame, PTP_CONNECT, end->own_connection, PTP_CONNECT_BYTES);
        frame->header.connect.answered = 0;
        frame->header.connect.mtu_bytes = link->config->mtu_bytes;
    } else if (end->control & PTP_SEND_CONNECT_ACK) {
        end->control &= ~(uint32_t)PTP_SEND_CONNECT_ACK;
        describe(frame, PTP_CONNECT_ACK, end->own_connection, PTP_CONNECT_BYTES);
        frame->header.connect.answered = end->peer_connection;
        frame->header.connect.mtu_bytes = link->config->mtu_bytes;
    } else if (end->control & PTP_SEND_HEARTBEAT) {
        end->control &= ~(uint32_t)PTP_SEND_HEARTBEAT;
        describe(frame, PTP_HEARTBEAT, end->own_connection, empty);
    } else {
        end->control &= ~(uint32_t)PTP_SEND_HEARTBEAT_ACK;
        describe(frame, PTP_HEARTBEAT_ACK, end->own_connection, empty);
    }
}

/** The next part of a signal: UDATA with its beginning, FRAG with the rest. */
static void next_data_locked(struct sb_link *link, struct ptp_frame *frame)
{
    struct ptp_end *end = ptp_end_of(link);
    union sb_signal *sig = end->current;
    uint32_t total = sb_size(sig);
    uint32_t offset = end->tx_offset;
    uint32_t part = total - offset;

    if (offset == 0) {
        describe(frame, PTP_UDATA, end->own_connection, PTP_UDATA_BYTES);
        frame->header.udata.from = sb_signal_from(sig);
        frame->header.udata.to = sb_signal_to(sig);
        frame->header.udata.total_bytes = total;
    } else {
        describe(frame, PTP_FRAG, end->own_connection, PTP_FRAG_BYTES);
        frame->header.frag.offset_bytes = offset;
    }
    uint32_t room = link->config->mtu_bytes - frame->size_bytes;
    if (part > room) {
        part = room;
    }
    end->tx_sequence++;
    end->tx_offset = offset + part;
    if (end->tx_offset == total) {
        frame->finished = sig;
        end->current = NULL;
        link->counters.signals_tx++;
    }
    frame->list[1].base = (const uint8_t *)sig + offset;
    frame->list[1].size_bytes = part;
    frame->pieces = 2;
    frame->size_bytes += part;
    frame->header.main.sequence = end->tx_sequence;
    frame->header.main.size_bytes = frame->size_bytes;
}

static bool next_frame_locked(struct sb_link *link, struct ptp_frame *frame)
{
    struct ptp_end *end = ptp_end_of(link);
    frame->session = end->session;
    if (end->phase == PTP_DOWN) {
        return false;
    }
    if (end->control != 0) {
        next_control_locked(link, frame);
        return true;
    }
    if (end->phase != PTP_CONNECTED) {
        return false;
    }
    if (end->current == NULL) {
        end->current = sb_signal_queue_pop(&end->queue);
        end->tx_offset = 0;
    }
    if (end->current == NULL) {
        return false;
    }
    next_data_locked(link, frame);
    return true;
}

/** Transmit one frame if there is one. The caller has set `busy`. */
static void pump(struct sb_link *link)
{
    struct ptp_end *end = ptp_end_of(link);
    bool again = true;
    while (again) {
        struct ptp_frame frame;
        uint32_t saved = port_lock();
        bool any = next_frame_locked(link, &frame);
        end->in_tx = any;
        end->busy = any;
        port_unlock(saved);
        if (!any) {
            return;
        }

        uint32_t size_bytes = frame.size_bytes;
        SB_PROBE_NOP(drv_write_enter, size_bytes);
        enum sb_err err = link->driver->tx(link, frame.list, frame.pieces);
        SB_PROBE_NOP(drv_write_exit);
        if (frame.finished != NULL) {
            sb_free(&frame.finished);
            sb_link_memory_freed();
        }

        again = false;
        saved = port_lock();
        end->in_tx = false;
        if (err == SB_OK) {
            link->counters.frames_tx++;
        } else {
            /* Not taken. If the driver went down under us, the rest is cleared by the receive task, and a connection that
             * has begun meanwhile may have frames to send: look again. Otherwise the driver broke its contract. */
            end->busy = false;
            if (frame.session != end->session) {
                again = end->phase != PTP_DOWN;
                end->busy = again;
            } else {
                end->fault = true;
            }
        }
        bool fault = end->fault;
        port_unlock(saved);
        if (fault) {
            sb_link_wake_receiver();
        }
    }
}

enum sb_err ptp_transmit(struct sb_link *link, union sb_signal **sig)
{
    struct ptp_end *end = ptp_end_of(link);
    uint32_t size_bytes = sb_size(*sig);
    SB_PROBE_NOP(cm_transmit_enter, size_bytes);

    enum sb_err err = SB_OK;
    bool claimed = false;
    uint32_t saved = port_lock();
    if (end->phase != PTP_CONNECTED) {
        err = SB_ERR_LINK_DOWN;
    } else {
        sb_signal_queue_push(&end->queue, *sig);
        *sig = NULL;
        claimed = !end->busy;
        end->busy = true;
    }
    port_unlock(saved);

    if (claimed) {
        pump(link);
    }
    if (err != SB_OK) {
        link->counters.signals_discarded++;
        sb_free(sig);
    }
    SB_PROBE_NOP(cm_transmit_exit);
    return err;
}

SB_COLD void ptp_send_control(struct sb_link *link, uint32_t frames)
{
    struct ptp_end *end = ptp_end_of(link);
    uint32_t saved = port_lock();
    end->control |= frames;
    bool claimed = !end->busy;
    end->busy = true;
    port_unlock(saved);
    if (claimed) {
        pump(link);
    }
}

void ptp_tx_done(struct sb_link *link)
{
    SB_PROBE_NOP(cm_handle_tx_enter);
    pump(link);
    SB_PROBE_NOP(cm_handle_tx_exit);
}
