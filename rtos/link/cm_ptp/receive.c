/* SPDX-License-Identifier: Apache-2.0 */
/** @file
 *  CM-handleRX and DRV-read, and what the receive task does with a frame: check its headers, allocate, copy,
 *  put together, deliver.
 *
 *  Everything in a frame comes from another core and is checked before it is used. What is wrong is counted
 *  and answered by a connection reset. */
#include "cm_ptp.h"

#include "signalbox/port.h"
#include "signalbox/probe.h"

void *ptp_rx_buf(struct sb_link *link, uint32_t size_bytes, const void *head)
{
    struct ptp_end *end = ptp_end_of(link);
    (void)size_bytes;
    (void)head;
    struct ptp_dm *dm = end->free;
    if (dm == NULL) {
        link->counters.no_buffer++;
        end->starved = true;
        return NULL;
    }
    end->free = dm->next;
    end->receiving = dm;
    return dm->data;
}

void ptp_rx(struct sb_link *link, void *buffer, uint32_t size_bytes)
{
    SB_PROBE(cm_handle_rx_enter, size_bytes);
    struct ptp_end *end = ptp_end_of(link);
    struct ptp_dm *dm = end->receiving;
    end->receiving = NULL;
    if (dm != NULL && dm->data == buffer) {
        dm->size_bytes = size_bytes;
        dm->next = NULL;
        if (end->ready_head == NULL) {
            end->ready_head = dm;
        } else {
            end->ready_tail->next = dm;
        }
        end->ready_tail = dm;
        link->counters.frames_rx++;
        sb_link_wake_receiver();
    }
    SB_PROBE_NOP(cm_handle_rx_exit);
}

/** First in, first out: all device buffers take their turn, as in the published system, where what happens to one of ten
 *  happens to every tenth signal (osek-linx 4.4.2.1). */
static void give_back_locked(struct ptp_end *end, struct ptp_dm *dm)
{
    dm->next = NULL;
    if (end->free == NULL) {
        end->free = dm;
    } else {
        end->free_tail->next = dm;
    }
    end->free_tail = dm;
}

void ptp_drv_read(struct sb_link *link, struct ptp_dm *dm)
{
    struct ptp_end *end = ptp_end_of(link);
    const uint8_t *buffer = dm->data;
    SB_PROBE(drv_read_enter, buffer);
    uint32_t saved = port_lock();
    give_back_locked(end, dm);
    bool starved = end->starved;
    end->starved = false;
    port_unlock(saved);
    if (starved) {
        sb_link_wake_driver(link);
    }
    SB_PROBE_NOP(drv_read_exit);
}

SB_COLD void ptp_purge_locked(struct sb_link *link)
{
    struct ptp_end *end = ptp_end_of(link);
    while (end->ready_head != NULL) {
        struct ptp_dm *dm = end->ready_head;
        end->ready_head = dm->next;
        give_back_locked(end, dm);
        link->counters.stale++;
    }
}

static void deliver(struct sb_link *link, union sb_signal *sig, sb_addr from, sb_addr to)
{
    link->counters.signals_rx++;
    sb_rlnh_deliver(link, &sig, from, to);
}

/** False: no pool block now; the frame is kept and tried again. */
static bool rx_udata(struct sb_link *link, const struct ptp_header *header, const uint8_t *data)
{
    struct ptp_end *end = ptp_end_of(link);
    uint32_t total = header->udata.total_bytes;
    uint32_t part = header->main.size_bytes - PTP_UDATA_BYTES;
    sb_addr from = header->udata.from;
    sb_addr to = header->udata.to;

    if (header->main.sequence != end->rx_sequence + 1u || end->partial != NULL) {
        ptp_reset(link, &link->counters.bad_sequence);
        return true;
    }
    if (total < sizeof(uint32_t) || part == 0 || part > total || total > sb_link_signal_bytes_max()) {
        ptp_reset(link, &link->counters.bad_size);
        return true;
    }
    if (!sb_link_addresses_fit(link, from, to)) {
        ptp_reset(link, &link->counters.bad_address);
        return true;
    }
    union sb_signal *sig = sb_alloc_nil(total, 0);
    if (sig == NULL) {
        link->counters.no_buffer++;
        return false;
    }
    end->rx_sequence++;
    SB_PROBE_NOP(copy_enter, part);
    sb_link_copy(sig, data, part);
    SB_PROBE_NOP(copy_exit);
    if (part == total) {
        deliver(link, sig, from, to);
    } else {
        end->partial = sig;
        end->partial_bytes = part;
        end->partial_total = total;
        end->partial_from = from;
        end->partial_to = to;
    }
    return true;
}

static void rx_frag(struct sb_link *link, const struct ptp_header *header, const uint8_t *data)
{
    struct ptp_end *end = ptp_end_of(link);
    uint32_t part = header->main.size_bytes - PTP_FRAG_BYTES;

    if (header->main.sequence != end->rx_sequence + 1u || end->partial == NULL ||
        header->frag.offset_bytes != end->partial_bytes) {
        ptp_reset(link, &link->counters.bad_sequence);
        return;
    }
    if (part == 0 || part > end->partial_total - end->partial_bytes) {
        ptp_reset(link, &link->counters.bad_size);
        return;
    }
    end->rx_sequence++;
    SB_PROBE_NOP(copy_enter, part);
    sb_link_copy((uint8_t *)end->partial + end->partial_bytes, data, part);
    SB_PROBE_NOP(copy_exit);
    end->partial_bytes += part;
    if (end->partial_bytes == end->partial_total) {
        union sb_signal *sig = end->partial;
        end->partial = NULL;
        deliver(link, sig, end->partial_from, end->partial_to);
    }
}

/** Bytes of header that a frame of this type has; 0: no such type. Control frames carry nothing else. */
static uint32_t header_bytes(uint32_t type)
{
    switch (type) {
    case PTP_RESET:
    case PTP_HEARTBEAT:
    case PTP_HEARTBEAT_ACK:
        return (uint32_t)sizeof(struct ptp_main);
    case PTP_CONNECT:
    case PTP_CONNECT_ACK:
        return PTP_CONNECT_BYTES;
    case PTP_UDATA:
        return PTP_UDATA_BYTES;
    case PTP_FRAG:
        return PTP_FRAG_BYTES;
    default:
        return 0;
    }
}

/** The form of a frame, whatever the state. NULL: well formed; otherwise the counter of what is wrong. */
static uint32_t *malformed(struct sb_link *link, const struct ptp_dm *dm, const struct ptp_header *header)
{
    if (dm->size_bytes < sizeof(struct ptp_main)) {
        return &link->counters.bad_truncated;
    }
    if (header->main.version != PTP_VERSION) {
        return &link->counters.bad_version;
    }
    uint32_t needed = header_bytes(header->main.type);
    if (needed == 0) {
        return &link->counters.bad_type;
    }
    if (header->main.size_bytes != dm->size_bytes || dm->size_bytes < needed) {
        return &link->counters.bad_truncated;
    }
    bool control = header->main.type != PTP_UDATA && header->main.type != PTP_FRAG;
    if (control && dm->size_bytes != needed) {
        return &link->counters.bad_size;
    }
    return NULL;
}

/** Frames that belong to an established connection. False: kept, as rx_udata(). */
static bool rx_connected(struct sb_link *link, const struct ptp_header *header, const uint8_t *data)
{
    struct ptp_end *end = ptp_end_of(link);
    bool done = true;
    if (end->peer_connection == 0) {
        /* We have reset and the peer had not seen it when it sent this. */
        link->counters.stale++;
    } else if (header->main.connection != end->peer_connection) {
        ptp_reset(link, &link->counters.bad_connection);
    } else if (end->phase != PTP_CONNECTED) {
        ptp_reset(link, &link->counters.bad_type);
    } else if (header->main.type == PTP_UDATA) {
        done = rx_udata(link, header, data + PTP_UDATA_BYTES);
    } else if (header->main.type == PTP_FRAG) {
        rx_frag(link, header, data + PTP_FRAG_BYTES);
    } else if (header->main.type == PTP_HEARTBEAT) {
        ptp_send_control(link, PTP_SEND_HEARTBEAT_ACK);
    }
    return done;
}

/** One frame. False: kept. */
static bool rx_frame(struct sb_link *link, const struct ptp_dm *dm)
{
    /* The buffer belongs to this core alone by now; the header may be read in place. Its size is checked first. */
    const struct ptp_header *header = (const struct ptp_header *)(const void *)dm->data;
    uint32_t *wrong = malformed(link, dm, header);
    bool done = true;
    ptp_end_of(link)->unanswered = 0;
    if (wrong != NULL) {
        ptp_reset(link, wrong);
    } else if (header->main.type == PTP_RESET) {
        ptp_rx_reset(link);
    } else if (header->main.type == PTP_CONNECT) {
        ptp_rx_connect(link, header);
    } else if (header->main.type == PTP_CONNECT_ACK) {
        ptp_rx_connect_ack(link, header);
    } else {
        done = rx_connected(link, header, dm->data);
    }
    return done;
}

static struct ptp_dm *take_ready(struct ptp_end *end)
{
    uint32_t saved = port_lock();
    struct ptp_dm *dm = end->ready_head;
    if (dm != NULL && !end->lost) {
        end->ready_head = dm->next;
    } else {
        dm = NULL;
    }
    port_unlock(saved);
    return dm;
}

void ptp_receive_all(struct sb_link *link)
{
    struct ptp_end *end = ptp_end_of(link);
    struct ptp_dm *dm = end->held;
    end->held = NULL;
    if (dm == NULL) {
        dm = take_ready(end);
    }
    while (dm != NULL) {
        if (!rx_frame(link, dm)) {
            end->held = dm;
            return;
        }
        ptp_drv_read(link, dm);
        dm = take_ready(end);
    }
}
