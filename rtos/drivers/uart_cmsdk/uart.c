/* SPDX-License-Identifier: Apache-2.0 */
/** @file
 *  Console on a CMSDK UART (Arm DDI 0479), polled. The board has set its speed. */
#include <stdio.h>

#include "platform.h"
#include "signalbox/console.h"
#include "signalbox/err.h"

#define DATA 0
#define STATE 1
#define STATE_FULL 1u
#define STATE_RECEIVED 2u

static volatile uint32_t *uart(void)
{
    return (volatile uint32_t *)(uintptr_t)SB_UART_BASE(0);
}

static void put(char c)
{
    while ((uart()[STATE] & STATE_FULL) != 0) {
    }
    uart()[DATA] = (uint8_t)c;
}

SB_COLD int sb_console_getc(void)
{
    return (uart()[STATE] & STATE_RECEIVED) != 0 ? (int)(uart()[DATA] & 0xffu) : -1;
}

SB_COLD void sb_console_write(const char *text, uint32_t size_bytes)
{
    for (uint32_t i = 0; i < size_bytes; i++) {
        put(text[i]);
    }
}

SB_COLD void sb_console_puts(const char *text)
{
    for (; *text != '\0'; text++) {
        put(*text);
    }
}

static int stream_put(char c, FILE *file)
{
    (void)file;
    put(c);
    return (unsigned char)c;
}

static int stream_get(FILE *file)
{
    (void)file;
    return sb_console_getc();
}

static FILE stream = FDEV_SETUP_STREAM(stream_put, stream_get, NULL, _FDEV_SETUP_RW);

FILE *const stdin = &stream;
FILE *const stdout = &stream;
FILE *const stderr = &stream;
