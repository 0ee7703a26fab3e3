/* SPDX-License-Identifier: Apache-2.0 */
/** @file
 *  Signals whose blocks domains can write. Headers lie in the kernel's memory; beside each signal stands the number of its
 *  header. Nobody believes that number: the header must point back at the signal. */
#include "caller.h"

#include <string.h>

#include "signalbox/config_types.h"

static uint32_t refused;

uint32_t sb_isolation_refused(void)
{
    return refused;
}

SB_COLD uint32_t sb_isolation_first_header(const struct sb_pool_config *config, uint32_t index)
{
    uint32_t first = 0;
    for (const struct sb_pool_config *pool = sb_node_config.pools; pool < config; pool++) {
        for (uint32_t i = 0; i < pool->classes; i++) {
            first += pool->block_count[i];
        }
    }
    for (uint32_t i = 0; i < index; i++) {
        first += config->block_count[i];
    }
    return first;
}

/** Where a signal keeps the number of its header. */
static uint32_t *number_of(const union sb_signal *sig)
{
    return (uint32_t *)((uintptr_t)sig - SB_SIGNAL_HEADER_BYTES);
}

void sb_isolation_number(struct sb_signal_header *header)
{
    *number_of(header->body) = (uint32_t)(header - sb_isolation_config.headers);
}

/** The header that the number beside the signal names, if it is right. */
static inline struct sb_signal_header *named_header(const union sb_signal *sig)
{
    const uint32_t number = *(volatile const uint32_t *)number_of(sig);
    struct sb_signal_header *header = sb_isolation_config.headers + number;
    return number < sb_isolation_config.header_count && header->body == sig ? header : NULL;
}

SB_COLD static struct sb_signal_header *search(const union sb_signal *sig)
{
    for (uint32_t i = 0; i < sb_isolation_config.header_count; i++) {
        if (sb_isolation_config.headers[i].body == sig) {
            return &sb_isolation_config.headers[i];
        }
    }
    sb_fatal(SB_ERR_CORRUPT, "signal-header");
}

struct sb_signal_header *sb_isolation_header_of(const union sb_signal *sig)
{
    struct sb_signal_header *header = named_header(sig);
    return header != NULL ? header : search(sig); /* a domain has overwritten the number */
}

struct sb_signal_header *sb_owned_header(const union sb_signal *sig)
{
    const uint32_t *number = number_of(sig);
    if (((uintptr_t)sig & 7u) != 0 ||
        !sb_writable(sb_caller()->domain, number, SB_SIGNAL_HEADER_BYTES + sizeof(uint32_t))) {
        sb_isolation_stop("signal-pointer", (uint32_t)(uintptr_t)sig);
    }
    struct sb_signal_header *header = named_header(sig);
    if (header == NULL || header->next != (const void *)port_node()->current) {
        sb_isolation_stop("signal-not-owned", (uint32_t)(uintptr_t)sig);
    }
    return header;
}

static uint32_t pool_of(const struct sb_node *node, const struct sb_signal_header *header)
{
    const uintptr_t offset = (uintptr_t)header->pool_class - (uintptr_t)node->pools;
    return (uint32_t)offset / (uint32_t)sizeof(struct sb_pool);
}

bool sb_isolation_mapped(const struct sb_node *node, const struct sb_signal_header *header)
{
    return (sb_isolation_config.mapped_pools >> pool_of(node, header) & 1u) != 0;
}

SB_COLD static struct sb_signal_header *copy_to(const struct sb_domain *domain,
                                                struct sb_signal_header *header)
{
    const uint32_t *from = sb_signal_number(header);
    union sb_signal *sig = sb_alloc_from(domain->pool, header->size_bytes, *from);
    if (sig == NULL) {
        const uint32_t state = port_lock();
        refused++;
        port_unlock(state);
        sb_pool_return(header);
        return NULL;
    }
    struct sb_signal_header *copy = sb_isolation_header_of(sig);
    memcpy(sb_signal_number(copy), from, header->size_bytes);
    copy->sender = header->sender;
    copy->addressee = header->addressee;
    sb_pool_return(header);
    return copy;
}

struct sb_signal_header *sb_isolation_deliverable(struct sb_node *node, struct sb_signal_header *header)
{
    const struct sb_user *user = sb_user_by_index(node, (header->addressee ^ node->addr_base) >> 10);
    if (user == NULL || (user->domain->pools >> pool_of(node, header) & 1u) != 0) {
        return header; /* remote, trusted, or mapped in both */
    }
    return copy_to(user->domain, header);
}
