/* SPDX-License-Identifier: Apache-2.0 */
/** @file
 *  The three tasks of links. Who may run when: the driver task is an interrupt task, so nothing interrupts it;
 *  RLNH (9) is more urgent than the receive task (10), so RLNH never meets a half-done turn of its own, only of
 *  the receive task. */
#include "link_node.h"

#include "signalbox/doorbell.h"
#include "signalbox/probe.h"
#include "signalbox/sem.h"
#include "signalbox/timer.h"

#include "names_wire.h"

/** Heartbeats per second, if the tick is on. */
#define SB_LINK_HEARTBEAT_HZ 10u

enum { MANAGER_PART_RLNH = 1, MANAGER_PART_RECEIVER = 2 };

SB_COLD static uint32_t largest_signal(void)
{
    uint32_t largest = 0;
    const struct sb_pool_config *system_pool = &port_node()->config->pools[0];
    for (uint32_t i = 0; i < system_pool->classes; i++) {
        if (system_pool->block_bytes[i] > largest) {
            largest = system_pool->block_bytes[i];
        }
    }
    return largest;
}

SB_COLD void sb_link_start(void)
{
    const struct sb_node_config *config = port_node()->config;
    struct sb_link_node *here = sb_link_node_memory();
    if (config->link_count > SB_LINK_ENDS_MAX) {
        port_fatal("link-too-many");
    }
    *here = (struct sb_link_node){
        .count = config->link_count,
        .rlnh = sb_task_lookup("rlnh"),
        .receiver = sb_task_lookup("cm_rx"),
        .driver = sb_task_lookup("drv"),
        .signal_bytes_max = largest_signal(),
    };
    sb_signal_queue_init(&here->hunts);
    for (uint32_t unit = 0; unit < here->count; unit++) {
        here->ends[unit] = (struct sb_link){
            .config = &config->links[unit],
            .driver = config->links[unit].driver,
            .manager = config->links[unit].manager,
            .unit = unit,
            .event = sb_alloc((uint32_t)sizeof(struct sb_link_event), SB_SIGNO_LINK_EVENT),
        };
    }
    port_node()->link = here;
    for (uint32_t unit = 0; unit < here->count; unit++) {
        struct sb_link *link = &here->ends[unit];
        if (link->manager->start(link) != SB_OK) {
            port_fatal("link-start");
        }
        link->started = true;
        /* A bell may have rung, and been taken, before the end could be polled. */
        sb_link_wake_driver(link);
    }
}

static void wake(struct sb_link_node *here, sb_addr task, bool *woken)
{
    uint32_t saved = port_lock();
    bool already = *woken;
    *woken = true;
    port_unlock(saved);
    if (!already && sb_fsem_signal(task) != SB_OK) {
        here->orphans++;
    }
}

void sb_link_wake_receiver(void)
{
    struct sb_link_node *here = sb_link_node_here();
    wake(here, here->receiver, &here->receiver_woken);
}

void sb_link_memory_freed(void)
{
    struct sb_link_node *here = sb_link_node_here();
    if (here != NULL && here->memory_due) {
        sb_link_wake_receiver();
    }
}

void sb_link_wake_driver(struct sb_link *link)
{
    struct sb_link_node *here = sb_link_node_here();
    (void)link;
    wake(here, here->driver, &here->driver_woken);
}

void sb_link_driver_task(void)
{
    struct sb_link_node *here = sb_link_node_here();
    /* Bells first, states afterwards: diagram 5 of link.h. Before start there is nothing to look at; start looks itself. */
    uint32_t bells = port_doorbell_take();
    if (here == NULL) {
        return;
    }
    /* Woken by a task. The flag is set before the semaphore is signalled, so a look may come early, and a signal without flag
     * later: both only look once more. */
    uint32_t woken = here->driver_woken ? ~0u : 0;
    here->driver_woken = false;
    if (woken != 0 || bells == 0) {
        while (sb_fsem_wait_timeout(0) == SB_OK) {
            woken = ~0u;
        }
    }
    /* A bell that rings while another unit is served is answered in the same activation (osek-linx 3.6.1.3). */
    for (uint32_t due = bells | woken; due != 0; due = port_doorbell_take()) {
        for (uint32_t unit = 0; unit < here->count; unit++) {
            struct sb_link *link = &here->ends[unit];
            if (link->started && (due & (1u << link->config->doorbell_bit)) != 0) {
                link->driver->poll(link);
            }
        }
    }
}

static bool waits_for_memory(const struct sb_link_node *here)
{
    for (uint32_t unit = 0; unit < here->count; unit++) {
        if (here->ends[unit].manager->waits_for_memory(&here->ends[unit])) {
            return true;
        }
    }
    return false;
}

void sb_cm_rx_turn(void)
{
    struct sb_link_node *here = sb_link_node_here();
    uint32_t part = MANAGER_PART_RECEIVER;
    SB_PROBE_NOP(manager_enter, part);
    for (uint32_t unit = 0; unit < here->count; unit++) {
        struct sb_link *link = &here->ends[unit];
        link->manager->work(link);
    }
    here->memory_due = waits_for_memory(here);
    SB_PROBE_NOP(manager_exit, part);
}

SB_COLD static void heartbeats(struct sb_link_node *here)
{
    for (uint32_t unit = 0; unit < here->count; unit++) {
        struct sb_link *link = &here->ends[unit];
        link->manager->heartbeat(link);
        sb_rlnh_heartbeat(link);
    }
}

/** Wait until woken; with the tick on also until the next heartbeat is due, or a tick if a signal waits for
 *  memory. */
static void wait_for_work(struct sb_link_node *here, uint32_t *heartbeat_tick)
{
    uint32_t interval = sb_tick_hz() / SB_LINK_HEARTBEAT_HZ;
    if (sb_tick_hz() == 0) {
        sb_fsem_wait();
    } else {
        interval = interval != 0 ? interval : 1u;
        int32_t left = (int32_t)(*heartbeat_tick + interval - sb_ticks());
        if (left <= 0) {
            *heartbeat_tick = sb_ticks();
            heartbeats(here);
            left = (int32_t)interval;
        }
        if (sb_fsem_wait_timeout(here->memory_due ? 1u : (uint32_t)left) != SB_OK) {
            return;
        }
    }
    uint32_t saved = port_lock();
    here->receiver_woken = false;
    port_unlock(saved);
}

void sb_cm_rx_task(void)
{
    uint32_t heartbeat_tick = sb_ticks();
    /* RLNH is more urgent and has started the links by now. */
    struct sb_link_node *here = sb_link_node_here();
    for (;;) {
        wait_for_work(here, &heartbeat_tick);
        sb_cm_rx_turn();
    }
}

void sb_rlnh_task(void)
{
    static const uint32_t all[] = {0};
    uint32_t part = MANAGER_PART_RLNH;
    sb_link_start();
    for (;;) {
        union sb_signal *sig = sb_receive(all);
        SB_PROBE_NOP(manager_enter, part);
        sb_rlnh_handle(sig);
        SB_PROBE_NOP(manager_exit, part);
    }
}
