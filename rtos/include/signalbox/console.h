/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SIGNALBOX_CONSOLE_H
#define SIGNALBOX_CONSOLE_H
/** @file
 *  The console of the core (drivers/uart, polled). stdin, stdout and stderr of the C library are this console, unbuffered:
 *  printf writes there; getchar, scanf and the like wait for characters, a tick at a time with a tick, else looking. They do
 *  not see an end of the file, but in interrupt tasks and handlers, where nobody may wait. Tasks that share the streams agree
 *  on who uses them. */
#include <stdint.h>

/** Write `size_bytes` characters; waits for the device.   Context: any */
void sb_console_write(const char *text, uint32_t size_bytes);
/** Write a NUL-terminated text.   Context: any */
void sb_console_puts(const char *text);
/** The next received character, -1 if there is none.   Context: any */
int sb_console_getc(void);

#endif
