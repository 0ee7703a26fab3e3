/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SIGNALBOX_CONSOLE_H
#define SIGNALBOX_CONSOLE_H
/** @file
 *  The console of the core (drivers/uart, polled output). printf goes there too, unbuffered. */
#include <stdint.h>

/** Write `size_bytes` characters; waits for the device.   Context: any */
void sb_console_write(const char *text, uint32_t size_bytes);
/** Write a NUL-terminated text.   Context: any */
void sb_console_puts(const char *text);
/** The next received character, -1 if there is none.   Context: any */
int sb_console_getc(void);

#endif
