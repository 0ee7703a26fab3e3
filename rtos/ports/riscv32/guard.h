/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SB_PORT_GUARD_H
#define SB_PORT_GUARD_H
/** @file
 *  Stack guards by physical memory protection, where SB_CFG_GUARD_BYTES is not 0: the lowest bytes of the running task's
 *  stack can be read and not written. Entries that are not locked bind machine mode only through mstatus.MPRV with MPP at
 *  user mode: loads and stores then have user mode's rights, fetches keep machine mode's. A trap sets MPP to machine mode,
 *  so handlers may do everything; an mret to machine mode sets it back to user mode and leaves MPRV alone. So the bits
 *  cost nothing but in a switch out of an interrupt. */

/** pmpcfg0: entry 0 off, its address is where entry 1 begins; entry 1 up to its own address, reading; entry 2 all. */
#define SB_PORT_GUARD_ENTRIES 0x001f0900

#endif
