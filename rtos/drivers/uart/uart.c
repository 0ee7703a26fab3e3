/* SPDX-License-Identifier: Apache-2.0 */
/** @file
 *  16550 console, polled: byte registers, no interrupt. The speed is whatever the platform's reset left. */
#include <stdio.h>

#include "platform.h"
#include "signalbox/config_types.h"
#include "signalbox/console.h"
#include "signalbox/err.h"
#include "signalbox/port.h"
#include "signalbox/timer.h"

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

/** Whether the caller can let others run for a tick. */
static bool may_wait(void)
{
    const struct sb_node *node = port_node();
    return node->tick_hz != 0 && node->current->kind != SB_TASK_IDLE &&
           node->held <= (node->config->cooperative ? SB_HELD_ONE : 0);
}

/** The next character, as read of a file: waits for it. Interrupt tasks and handlers find the end of the file instead. */
static int stream_get(FILE *file)
{
    (void)file;
    int c;
    while ((c = sb_console_getc()) < 0) {
        if ((port_node()->held & SB_HELD_INTERRUPT) != 0) {
            return _FDEV_EOF;
        }
        if (may_wait()) {
            SB_IGNORE(sb_delay(1));
        }
    }
    return c;
}

static FILE stream = FDEV_SETUP_STREAM(stream_put, stream_get, NULL, _FDEV_SETUP_RW);

FILE *const stdin = &stream;
FILE *const stdout = &stream;
FILE *const stderr = &stream;

/** exit() ends the machine as the standard says: 0 is success. */
_Noreturn void _exit(int code);

_Noreturn void _exit(int code)
{
    const uint32_t low = (uint32_t)code & 0xffu;
    port_finish(low == 0 && code != 0 ? 1u : low);
}
