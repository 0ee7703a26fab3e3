/* SPDX-License-Identifier: Apache-2.0 */
/** @file
 *  16550 console, polled: byte registers, no interrupt. The speed is whatever the platform's reset left. */
#include <stdio.h>

#include "platform.h"
#include "signalbox/console.h"
#include "signalbox/err.h"
#include "signalbox/port.h"

#define UART_DATA 0
#define UART_LINE_STATUS 5
#define LINE_STATUS_RECEIVED 0x01u
#define LINE_STATUS_ROOM 0x20u

static volatile uint8_t *uart(void)
{
    return (volatile uint8_t *)(uintptr_t)SB_UART_BASE(port_core());
}

static void put(volatile uint8_t *device, char c)
{
    while ((device[UART_LINE_STATUS] & LINE_STATUS_ROOM) == 0) {
    }
    device[UART_DATA] = (uint8_t)c;
}

SB_COLD void sb_console_write(const char *text, uint32_t size_bytes)
{
    volatile uint8_t *device = uart();
    for (uint32_t i = 0; i < size_bytes; i++) {
        put(device, text[i]);
    }
}

SB_COLD void sb_console_puts(const char *text)
{
    volatile uint8_t *device = uart();
    for (; *text != '\0'; text++) {
        put(device, *text);
    }
}

SB_COLD int sb_console_getc(void)
{
    volatile uint8_t *device = uart();
    return (device[UART_LINE_STATUS] & LINE_STATUS_RECEIVED) != 0 ? device[UART_DATA] : -1;
}

static int stream_put(char c, FILE *file)
{
    (void)file;
    put(uart(), c);
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
