/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SIGNALBOX_USER_CALLS_H
#define SIGNALBOX_USER_CALLS_H
/** @file
 *  The calls that tasks of a domain may make, in the order of their numbers: X(call, what the kernel does for it). In a domain
 *  each call is a function of its public name that puts its number where the port wants it and traps. A call that is not
 *  here does not link in a domain. */

/* Number 0 is the return of a task's entry. Calls whose arguments are numbers that the kernel function itself bears need
 * nothing in between; the others are in rtos/isolation. */
#define SB_USER_CALLS(X)                           \
    X(sb_user_exit, port_user_exit)                \
    X(sb_alloc, call_alloc)                        \
    X(sb_alloc_nil, call_alloc_nil)                \
    X(sb_alloc_from, call_alloc_from)              \
    X(sb_free, call_free)                          \
    X(sb_send, call_send)                          \
    X(sb_send_from, call_send_from)                \
    X(sb_receive, call_receive)                    \
    X(sb_receive_timeout, call_receive_timeout)    \
    X(sb_receive_one, sb_receive_one)              \
    X(sb_sender, call_sender)                      \
    X(sb_addressee, call_addressee)                \
    X(sb_size, call_size)                          \
    X(sb_restore, call_restore)                    \
    X(sb_pool_classes, sb_pool_classes)            \
    X(sb_pool_lookup, call_pool_lookup)            \
    X(sb_pool_status, call_pool_status)            \
    X(sb_self, sb_self)                            \
    X(sb_task_lookup, call_task_lookup)            \
    X(sb_task_priority, sb_task_priority)          \
    X(sb_hunt, call_hunt)                          \
    X(sb_task_kill, call_task_kill)                \
    X(sb_task_restart, call_task_restart)          \
    X(sb_task_stop, call_task_stop)                \
    X(sb_task_start, call_task_start)              \
    X(sb_task_wake, call_task_wake)                \
    X(sb_task_priority_set, call_priority_set)     \
    X(sb_yield, sb_yield)                          \
    X(sb_period_wait, sb_period_wait)              \
    X(sb_period_set, call_period_set)              \
    X(sb_period_status, call_period_status)        \
    X(sb_attach, call_attach)                      \
    X(sb_detach, call_detach)                      \
    X(sb_fsem_signal, sb_fsem_signal)              \
    X(sb_fsem_wait, sb_fsem_wait)                  \
    X(sb_fsem_wait_timeout, sb_fsem_wait_timeout)  \
    X(sb_fsem_set, sb_fsem_set)                    \
    X(sb_fsem_value, sb_fsem_value)                \
    X(sb_ticks, sb_ticks)                          \
    X(sb_tick_hz, sb_tick_hz)                      \
    X(sb_user_cycles, call_cycles)                 \
    X(sb_delay, sb_delay)                          \
    X(sb_delay_until, sb_delay_until)              \
    X(sb_console_write, call_console_write)        \
    X(sb_console_puts, call_console_puts)          \
    X(sb_console_getc, sb_console_getc)            \
    X(sb_fatal, call_fatal)                        \
    X(sb_sem_init, call_sem_init)                  \
    X(sb_sem_signal, call_sem_signal)              \
    X(sb_sem_wait, call_sem_wait)                  \
    X(sb_sem_wait_timeout, call_sem_wait_timeout)  \
    X(sb_sem_value, call_sem_value)                \
    X(sb_mutex_init, call_mutex_init)              \
    X(sb_mutex_lock, call_mutex_lock)              \
    X(sb_mutex_lock_timeout, call_mutex_lock_time) \
    X(sb_mutex_unlock, call_mutex_unlock)          \
    X(sb_mutex_owner, call_mutex_owner)            \
    X(sb_flags_init, call_flags_init)              \
    X(sb_flags_set, call_flags_set)                \
    X(sb_flags_clear, call_flags_clear)            \
    X(sb_flags_wait, call_flags_wait)              \
    X(sb_flags_value, call_flags_value)            \
    X(sb_mq_init, call_mq_init)                    \
    X(sb_mq_send, call_mq_send)                    \
    X(sb_mq_send_front, call_mq_send_front)        \
    X(sb_mq_receive, call_mq_receive)              \
    X(sb_mq_count, call_mq_count)                  \
    X(sb_cond_init, call_cond_init)                \
    X(sb_cond_wait, call_cond_wait)                \
    X(sb_cond_signal, call_cond_signal)            \
    X(sb_cond_broadcast, call_cond_broadcast)      \
    X(sb_rwlock_init, call_rwlock_init)            \
    X(sb_rwlock_read, call_rwlock_read)            \
    X(sb_rwlock_write, call_rwlock_write)          \
    X(sb_rwlock_unlock, call_rwlock_unlock)

#endif
