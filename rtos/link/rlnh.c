/* SPDX-License-Identifier: Apache-2.0 */
/** @file
 *  The Rapid Link Handler (osek-linx 3.3.2). The kernel puts signals for remote addressees into this task's
 *  queue; it tells them from its own by the addressee, and gives them to the manager of the link that leads
 *  there. Addresses are global, so nothing is translated. What arrives is sent on under the name of the one who
 *  sent it. */
#include "link_node.h"

#include "names_wire.h"
#include "signalbox/probe.h"
#include "signalbox/remote.h"
#include "signalbox/task.h"

struct sb_link *sb_link_to(uint32_t node)
{
    struct sb_link_node *here = sb_link_node_here();
    for (uint32_t unit = 0; unit < here->count; unit++) {
        if (here->ends[unit].config->peer_node == node) {
            return &here->ends[unit];
        }
    }
    return NULL;
}

/** Numbers that applications must not send over links; 0 is none. */
static bool is_reserved(uint32_t signo)
{
    return signo >= SB_SIGNO_RESERVED_FIRST && signo <= SB_SIGNO_RESERVED_LAST;
}

enum sb_err sb_remote_send(union sb_signal *sig)
{
    const struct sb_node_config *config = port_node()->config;
    struct sb_link_node *here = sb_link_node_here();
    uint32_t node = sb_addr_node(sb_addressee(sig));
    /* With the tick off nobody else reminds the receive task that it waits for a pool block. */
    sb_link_memory_freed();
    const uint32_t signo = *(const uint32_t *)(const void *)sig;
    if (is_reserved(signo) || signo == 0) {
        sb_free(&sig);
        return SB_ERR_ARGUMENT;
    }
    for (uint32_t unit = 0; unit < config->link_count; unit++) {
        if (config->links[unit].peer_node == node) {
            return sb_signal_forward(&sig, here != NULL ? here->rlnh : sb_task_lookup("rlnh"));
        }
    }
    sb_free(&sig);
    return SB_ERR_DEAD;
}

void sb_link_forward(union sb_signal **sig, sb_addr task)
{
    if (sb_signal_forward(sig, task) != SB_OK) {
        sb_link_node_here()->orphans++;
    }
}

static void handle_event(union sb_signal *sig)
{
    struct sb_link *link = &sb_link_node_here()->ends[((struct sb_link_event *)(void *)sig)->unit];
    /* The event says only that something happened; what, is in the end. It goes back first, so that the next one finds it. */
    uint32_t saved = port_lock();
    link->event = sig;
    uint32_t downs = link->downs_seen;
    bool connected = link->connected;
    port_unlock(saved);
    if (downs != link->downs_told) {
        link->downs_told = downs;
        sb_names_lost(link);
    }
    if (connected && !link->names_ready) {
        sb_names_connected(link);
    } else if (connected) {
        sb_names_ask(link);
    }
}

void sb_rlnh_handle(union sb_signal *sig)
{
    sb_addr to = sb_addressee(sig);
    if (to != SB_ADDR_NONE && sb_addr_node(to) != port_node()->config->node) {
        /* The usual case: somebody's signal for another node. sb_remote_send has seen that a link leads there. */
        struct sb_link *link = sb_link_to(sb_addr_node(to));
        (void)link->manager->transmit(link, &sig);
        return;
    }
    switch (*(const uint32_t *)(const void *)sig) {
    case SB_SIGNO_HUNT:
        sb_names_request(sig);
        break;
    case SB_SIGNO_NAME_FRAME:
        sb_names_frame(sig);
        break;
    case SB_SIGNO_FRAME_OUT:
        sb_names_send(sig);
        break;
    case SB_SIGNO_LINK_EVENT:
        handle_event(sig);
        break;
    case SB_SIGNO_DEAD:
        sb_names_dead(sig);
        break;
    default:
        sb_free(&sig);
        break;
    }
}

static void post_event(struct sb_link *link)
{
    uint32_t saved = port_lock();
    union sb_signal *event = link->event;
    link->event = NULL;
    port_unlock(saved);
    if (event != NULL) {
        ((struct sb_link_event *)(void *)event)->unit = link->unit;
        sb_link_forward(&event, sb_link_node_here()->rlnh);
    }
}

SB_COLD void sb_rlnh_heartbeat(struct sb_link *link)
{
    if (link->connected &&
        (!link->names_ready || link->attach_due || sb_link_node_here()->hunts.first != NULL)) {
        post_event(link);
    }
}

SB_COLD void sb_rlnh_up(struct sb_link *link)
{
    link->connected = true;
    post_event(link);
}

SB_COLD void sb_rlnh_down(struct sb_link *link, enum sb_err why)
{
    (void)why;
    uint32_t saved = port_lock();
    link->connected = false;
    link->names_ready = false;
    link->downs_seen++;
    port_unlock(saved);
    post_event(link);
}

/** Tell RLNH, so that it tells the peer. Without memory the peer learns it from the next signal. */
static void report_dead(struct sb_link *link, sb_addr addr)
{
    union sb_signal *sig = sb_alloc_nil((uint32_t)sizeof(struct sb_link_event), SB_SIGNO_DEAD);
    if (sig == NULL) {
        link->counters.no_buffer++;
        return;
    }
    struct sb_link_event *event = (struct sb_link_event *)(void *)sig;
    event->unit = link->unit;
    event->addr = addr;
    sb_link_forward(&sig, sb_link_node_here()->rlnh);
}

void sb_rlnh_deliver(struct sb_link *link, union sb_signal **sig, sb_addr from, sb_addr to)
{
    uint32_t signo = *(const uint32_t *)(const void *)*sig;
    SB_PROBE_NOP(rlnh_deliver_enter, from, to, signo);
    struct sb_link_node *here = sb_link_node_here();
    bool reserved = is_reserved(signo);
    if (to == SB_ADDR_NONE) {
        /* For RLNH itself: everything but a name frame is nonsense. */
        if (signo == SB_SIGNO_NAME_FRAME && sb_size(*sig) >= sizeof(struct sb_name_frame)) {
            ((struct sb_name_frame *)(void *)*sig)->unit = link->unit;
            sb_link_forward(sig, here->rlnh);
        } else {
            link->counters.bad_name_frame++;
            sb_free(sig);
        }
    } else if (reserved || to == here->rlnh || to == here->receiver || to == here->driver) {
        /* Nobody outside may speak to the tasks of links, or in their name: two of them never empty their queues. */
        link->counters.bad_address++;
        sb_free(sig);
    } else if (sb_send_from(sig, to, from) == SB_ERR_DEAD) {
        link->counters.undeliverable++;
        report_dead(link, to);
    }
    SB_PROBE_NOP(rlnh_deliver_exit);
}

bool sb_link_addresses_fit(const struct sb_link *link, sb_addr from, sb_addr to)
{
    if (to == SB_ADDR_NONE) {
        return from == SB_ADDR_NONE;
    }
    return from != SB_ADDR_NONE && sb_addr_node(from) == link->config->peer_node &&
           sb_addr_node(to) == port_node()->config->node;
}

uint32_t sb_link_signal_bytes_max(void)
{
    return sb_link_node_here()->signal_bytes_max;
}

const struct sb_link_counters *sb_link_counters(uint32_t unit)
{
    struct sb_link_node *here = sb_link_node_here();
    return here != NULL && unit < here->count ? &here->ends[unit].counters : NULL;
}

bool sb_link_is_up(uint32_t unit)
{
    struct sb_link_node *here = sb_link_node_here();
    return here != NULL && unit < here->count && here->ends[unit].connected;
}
