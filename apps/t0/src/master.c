/* SPDX-License-Identifier: Apache-2.0 */
/** @file
 *  Node 0 of T0: a request every 0.1 s, one at a time (osek-linx 3.5.2.1). The kernel tick is off; the core's timer wakes the
 *  master through an interrupt task. */
#include "t0.h"

#include "platform.h"
#include "signalbox/console.h"
#include "signalbox/port.h"
#include "signalbox/sem.h"
#include "signalbox/task.h"
#include "signalbox/timer.h"

/** [params] of the system file: they can be changed in the finished image. */
extern volatile const uint32_t sb_param_size_bytes;
extern volatile const uint32_t sb_param_requests;

#define PERIOD_COUNTS (SB_TIMER_HZ / 10u)

static struct {
    sb_addr master;
    uint64_t next_count;
} pace;

/** Interrupt task on the timer's line. */
void pace_task(void)
{
    pace.next_count += PERIOD_COUNTS;
    sb_timer_set(port_core(), pace.next_count);
    if (sb_fsem_signal(pace.master) != SB_OK) {
        port_fatal("t0-pace");
    }
}

static void pace_start(void)
{
    pace.master = sb_self();
    pace.next_count = sb_timer_count(port_core()) + PERIOD_COUNTS;
    sb_timer_set(port_core(), pace.next_count);
}

static void print_number(uint32_t number)
{
    char digits[11];
    uint32_t at = sizeof digits - 1u;
    digits[at] = '\0';
    do {
        digits[--at] = (char)('0' + number % 10u);
        number /= 10u;
    } while (number != 0);
    sb_console_puts(&digits[at]);
}

static _Noreturn void fail(const char *why)
{
    sb_console_puts("t0 failed: ");
    sb_console_puts(why);
    sb_console_puts("\n");
    port_finish(1);
}

static void exchange(sb_addr slave, uint32_t number)
{
    static const uint32_t reply_only[] = {1, T0_REPLY};
    uint32_t size_bytes = sb_param_size_bytes;
    union sb_signal *sig = sb_alloc(size_bytes, T0_REQUEST);
    sig->message.number = number;
    if (sb_send(&sig, slave) != SB_OK) {
        fail("no way to the slave");
    }
    sig = sb_receive(reply_only);
    if (sb_size(sig) != size_bytes || sig->message.number != number || sb_sender(sig) != slave) {
        fail("wrong reply");
    }
    sb_free(&sig);
}

void master(void)
{
    sb_addr slave = SB_ADDR_NONE;
    if (sb_param_size_bytes < sizeof(struct t0_message)) {
        fail("size_bytes is too small");
    }
    if (sb_hunt("node1/slave", SB_FOREVER, &slave) != SB_OK) {
        fail("no slave");
    }
    pace_start();
    uint32_t requests = sb_param_requests;
    for (uint32_t number = 0; number < requests; number++) {
        sb_fsem_wait();
        exchange(slave, number);
    }
    sb_timer_stop(port_core());
    sb_console_puts("t0 done ");
    print_number(requests);
    sb_console_puts("\n");
    port_finish(0);
}
