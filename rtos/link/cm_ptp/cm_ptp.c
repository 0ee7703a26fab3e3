/* SPDX-License-Identifier: Apache-2.0 */
/** @file
 *  cm/ptp: the point-to-point connection manager for reliable media (osek-linx 3.3.3). It reproduces published
 *  structure: FIFO queues, a receive task, a copy from the DM-buffer to the pool. Start and turns are here;
 *  cm_ptp.h lists the other files. */
#include "cm_ptp.h"

#include "signalbox/port.h"

SB_COLD static void ptp_up(struct sb_link *link)
{
    struct ptp_end *end = ptp_end_of(link);
    uint32_t saved = port_lock();
    end->driver_up = true;
    end->session++;
    port_unlock(saved);
    sb_link_wake_receiver();
}

SB_COLD static void ptp_down(struct sb_link *link, enum sb_err why)
{
    struct ptp_end *end = ptp_end_of(link);
    uint32_t saved = port_lock();
    end->driver_up = false;
    end->session++;
    end->phase = PTP_DOWN;
    end->control = 0;
    end->lost = true;
    end->why_down = why;
    /* The acknowledge of a frame under way does not come any more. If tx is being executed, it fails and its caller goes on. */
    if (!end->in_tx) {
        end->busy = false;
    }
    ptp_purge_locked(link);
    port_unlock(saved);
    sb_link_wake_receiver();
}

SB_COLD void ptp_reopen(struct sb_link *link)
{
    /* Nobody polls meanwhile; a bell that rings now is made good by the wake-up. */
    link->started = false;
    link->driver->close(link);
    ptp_down(link, SB_ERR_LINK_DOWN);
    if (link->driver->open(link) == SB_OK) {
        link->started = true;
        sb_link_wake_driver(link);
    }
}

static void ptp_work(struct sb_link *link)
{
    struct ptp_end *end = ptp_end_of(link);

    /* First: what went down. Frames of the next session are not looked at before that (take_ready). */
    uint32_t saved = port_lock();
    bool lost = end->lost;
    bool fault = end->fault;
    enum sb_err why = end->why_down;
    end->lost = false;
    end->fault = false;
    port_unlock(saved);
    if (lost) {
        ptp_lost(link, why);
    } else if (fault) {
        ptp_reset(link, &link->counters.tx_refused);
    }

    /* Second: what came up. */
    saved = port_lock();
    bool begin = end->driver_up && end->own_session != end->session && !end->lost;
    uint32_t session = end->session;
    port_unlock(saved);
    if (begin) {
        end->own_session = session;
        ptp_connect_begin(link);
    }

    /* Third: frames. */
    ptp_receive_all(link);
}

static bool ptp_waits_for_memory(const struct sb_link *link)
{
    return ((const struct ptp_end *)(const void *)link->manager_state)->held != NULL;
}

SB_COLD static enum sb_err ptp_start(struct sb_link *link)
{
    const struct sb_link_config *config = link->config;
    struct ptp_end *end = ptp_end_of(link);
    uint32_t stride = SB_DM_BUFFER_BYTES(config->mtu_bytes);
    if (config->mtu_bytes <= PTP_UDATA_BYTES || config->dm_buffers == 0 ||
        config->dm_buffers > SB_LINK_DM_BUFFERS_MAX) {
        return SB_ERR_ARGUMENT;
    }
    *end = (struct ptp_end){.phase = PTP_DOWN};
    sb_signal_queue_init(&end->queue);

    /* Start-up cleared this memory through the cache. Those lines must not be written back over a frame later. */
    uint8_t *memory = config->dm_memory;
    port_cache_flush(memory, stride * config->dm_buffers);
    if (!config->cached) {
        memory = port_uncached(memory);
    }
    for (uint32_t i = 0; i < config->dm_buffers; i++) {
        end->dm[i].data = memory + i * stride;
        ptp_drv_read(link, &end->dm[i]);
    }
    return link->driver->open(link);
}

const struct sb_link_manager sb_manager_cm_ptp = {
    .name = "cm/ptp",
    .up = {.rx_buf = ptp_rx_buf, .rx = ptp_rx, .tx_done = ptp_tx_done, .up = ptp_up, .down = ptp_down},
    .start = ptp_start,
    .transmit = ptp_transmit,
    .work = ptp_work,
    .waits_for_memory = ptp_waits_for_memory,
    .heartbeat = ptp_heartbeat,
};
