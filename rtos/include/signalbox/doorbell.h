/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SIGNALBOX_DOORBELL_H
#define SIGNALBOX_DOORBELL_H
/** @file
 *  Doorbells between cores: 32 bits per core; a set bit keeps the core's doorbell line (SB_PULSE_IRQ, or
 *  SB_MSIP_IRQ) raised. A bell says "look", it carries no data. Two rings before the core looks are one. Platforms with
 *  neither pulse interrupts nor a CLINT have no bells. */
#include <stdint.h>

/** Set bit `bit` (0..31) of `core`. What the caller wrote before (uncached, or cleaned) is visible to whoever
 *  takes the bell. Context: any.   Probes: doorbell_enter, doorbell_exit */
void port_doorbell_ring(uint32_t core, uint32_t bit);

/** The pending bits of the running core, cleared. A ring after the read stays pending. Read state only after
 *  taking. Context: any */
uint32_t port_doorbell_take(void);

/** The pending bits of the running core, left as they are.   Context: any */
uint32_t port_doorbell_pending(void);

#endif
