/* SPDX-License-Identifier: Apache-2.0 */
/** @file
 *  What a node of tasks, signals, pools, semaphores and timeouts calls, and what its port calls: the kernel's core, for
 *  core_size.mk. STATIC: tasks are those of the configuration; nobody stops, kills or changes them. */
#include "signalbox/pool.h"
#include "signalbox/port.h"
#include "signalbox/sem.h"
#include "signalbox/signal.h"
#include "signalbox/task.h"
#include "signalbox/timeout.h"
#include "signalbox/timer.h"

#define CALL(function) (uintptr_t)(function)

extern const uintptr_t core_calls[];
__attribute__((section(".calls"))) const uintptr_t core_calls[] = {
    /* The port's. */
    CALL(sb_start),
    CALL(sb_task_main),
    CALL(sb_interrupt),
    CALL(sb_interrupt_task),
    CALL(sb_interrupt_nested),
    CALL(sb_interrupt_switch),
    CALL(sb_interrupt_spurious),
    CALL(sb_interrupt_activate),
    CALL(sb_tick),
    /* Signals and pools. */
    CALL(sb_alloc),
    CALL(sb_alloc_nil),
    CALL(sb_alloc_from),
    CALL(sb_free),
    CALL(sb_send),
    CALL(sb_send_from),
    CALL(sb_receive),
    CALL(sb_receive_timeout),
    CALL(sb_receive_one),
    CALL(sb_sender),
    CALL(sb_addressee),
    CALL(sb_size),
    CALL(sb_restore),
    /* Semaphores. */
    CALL(sb_fsem_signal),
    CALL(sb_fsem_wait),
    CALL(sb_fsem_wait_timeout),
    CALL(sb_sem_init),
    CALL(sb_sem_signal),
    CALL(sb_sem_wait),
    CALL(sb_sem_wait_timeout),
    /* Time. */
    CALL(sb_delay),
    CALL(sb_ticks),
    CALL(sb_timeout_init),
    CALL(sb_timeout_start),
    CALL(sb_timeout_cancel),
    CALL(sb_timeout_task),
    /* Tasks. */
    CALL(sb_yield),
    CALL(sb_self),
    CALL(sb_task_lookup),
#if !defined(STATIC)
    CALL(sb_task_start),
    CALL(sb_task_stop),
    CALL(sb_task_kill),
    CALL(sb_task_priority_set),
    CALL(sb_preemption_off),
    CALL(sb_preemption_on),
#endif
};
