/* SPDX-License-Identifier: Apache-2.0 */
/** @file
 *  Answers of a node without links. */
#include "signalbox/remote.h"

#include "kernel.h"

__attribute__((weak)) enum sb_err sb_remote_send(union sb_signal *sig)
{
    port_node()->counters.signals_dead++;
    sb_pool_return(sb_signal_header_of(sig));
    return SB_ERR_DEAD;
}

__attribute__((weak)) enum sb_err sb_remote_hunt(uint32_t node, const char *task_name, uint32_t timeout_ticks,
                                                 sb_addr *out)
{
    (void)node;
    (void)task_name;
    (void)timeout_ticks;
    *out = SB_ADDR_NONE;
    return SB_ERR_LINK_DOWN;
}

__attribute__((weak)) enum sb_err sb_remote_hunt_signal(uint32_t node, const char *task_name,
                                                        union sb_signal *sig)
{
    (void)node;
    (void)task_name;
    (void)sig;
    return SB_ERR_LINK_DOWN;
}

__attribute__((weak)) enum sb_err sb_remote_attach(sb_addr victim)
{
    (void)victim;
    return SB_ERR_LINK_DOWN;
}
