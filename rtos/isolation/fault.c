/* SPDX-License-Identifier: Apache-2.0 */
/** @file
 *  Who a task of a domain is, and how it ends when it does what it may not: as sb_task_kill ends it, from its own context. */
#include "caller.h"

#include "signalbox/config_types.h"
#include "signalbox/console.h"

#define CAUSE_CALL 8u
#define CAUSE_LOAD_FAULT 5u
#define CAUSE_STORE_FAULT 7u

static struct sb_isolation_report last;
static uint32_t stopped;

SB_COLD void sb_isolation_start(void)
{
    const struct sb_node_config *config = &sb_node_config;
    for (uint32_t i = 0; i < config->task_count; i++) {
        const struct sb_user *user = sb_isolation_config.users[i];
        if (user != NULL) {
            uint8_t *end = (uint8_t *)config->tasks[i].stack + config->tasks[i].stack_bytes;
            ((struct sb_user_tail *)(void *)end)->user = user;
        }
    }
}

void sb_user_entry(void)
{
    struct sb_user_tail *tail = sb_user_tail_of(port_node()->current);
    port_user_enter(tail->user, &tail->frame);
}

SB_COLD uint32_t sb_isolation_stopped(struct sb_isolation_report *out)
{
    const uint32_t state = port_lock();
    const uint32_t count = stopped;
    if (out != NULL) {
        *out = last;
    }
    port_unlock(state);
    return count;
}

SB_COLD static void put_hex(const char *what, uint32_t value)
{
    char text[11] = {'0', 'x'};
    for (uint32_t i = 0; i < 8; i++) {
        text[2 + i] = "0123456789abcdef"[value >> (28 - 4 * i) & 15u];
    }
    sb_console_puts(what);
    sb_console_puts(text);
}

/** One line; the lines of two tasks do not mix, for no other task runs meanwhile. */
SB_COLD static void say(const struct sb_isolation_report *report)
{
    sb_console_puts("signalbox: stopped: ");
    sb_console_puts(report->label);
    put_hex(", cause ", report->cause);
    put_hex(", pc ", report->pc);
    put_hex(", address ", report->address);
    sb_console_puts(", task ");
    sb_console_puts(report->name);
    sb_console_puts(", domain ");
    sb_console_puts(report->domain);
    sb_console_puts("\n");
}

SB_COLD static _Noreturn void stop(const char *label, uint32_t cause, uint32_t pc, uint32_t address)
{
    struct sb_node *node = port_node();
    const struct sb_task *task = node->current;
    const struct sb_isolation_report report = {.task = task->addr,
                                               .name = task->config->name,
                                               .domain = sb_caller()->domain->name,
                                               .label = label,
                                               .cause = cause,
                                               .pc = pc,
                                               .address = address};
    uint32_t state = port_lock();
    last = report;
    stopped++;
    sb_report(SB_ERR_DENIED, label);
    port_unlock(state);
    sb_preemption_off();
    port_unmask(); /* who found a violation may have masked interrupts */
    say(&report);
    sb_preemption_on();
    SB_IGNORE(sb_task_kill(report.task));
    sb_fatal(SB_ERR_CORRUPT, "task-end");
}

SB_COLD _Noreturn void sb_isolation_fault(uint32_t cause, uint32_t pc, uint32_t address)
{
    static const char *const names[] = {"instruction address misaligned",
                                        "instruction access fault",
                                        "illegal instruction",
                                        "breakpoint",
                                        "load address misaligned",
                                        "load access fault",
                                        "store address misaligned",
                                        "store access fault"};
    const struct sb_user *user = sb_caller();
    const char *label = cause < sizeof names / sizeof names[0] ? names[cause] : "exception";
    if ((cause == CAUSE_LOAD_FAULT || cause == CAUSE_STORE_FAULT) &&
        sb_within(address, 1, user->stack, SB_CFG_USER_GUARD_BYTES)) {
        label = "stack overflow";
    }
    stop(label, cause, pc, address);
}

SB_COLD _Noreturn void sb_isolation_stop(const char *label, uint32_t argument)
{
    stop(label, CAUSE_CALL, port_user_pc(sb_user_tail_of(port_node()->current)->frame), argument);
}

SB_COLD _Noreturn void sb_isolation_no_call(void)
{
    sb_isolation_stop("call-number", 0);
}

SB_COLD void sb_isolation_violation(enum sb_err err, const char *label)
{
    const struct sb_node *node = port_node();
    const struct sb_task *task = node->current;
    if (err == SB_ERR_CORRUPT || task == NULL || !sb_in_task(node) || task < node->tasks ||
        sb_user_by_index(node, (uint32_t)(task - node->tasks)) == NULL) {
        return; /* damage, or a trusted caller's */
    }
    sb_isolation_stop(label, (uint32_t)err);
}
