/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SB_ISOLATION_CALLS_H
#define SB_ISOLATION_CALLS_H
/** @file
 *  What objects.c does for calls. */
#include <stdint.h>

#include "signalbox/cond.h"
#include "signalbox/flags.h"
#include "signalbox/message_queue.h"
#include "signalbox/mutex.h"
#include "signalbox/rwlock.h"
#include "signalbox/sem.h"

void call_sem_init(struct sb_sem *sem, int32_t count);
enum sb_err call_sem_signal(struct sb_sem *sem);
void call_sem_wait(struct sb_sem *sem);
enum sb_err call_sem_wait_timeout(struct sb_sem *sem, uint32_t timeout_ticks);
int32_t call_sem_value(struct sb_sem *sem);
void call_mutex_init(struct sb_mutex *mutex, uint32_t ceiling);
enum sb_err call_mutex_lock(struct sb_mutex *mutex);
enum sb_err call_mutex_lock_time(struct sb_mutex *mutex, uint32_t timeout_ticks);
enum sb_err call_mutex_unlock(struct sb_mutex *mutex);
sb_addr call_mutex_owner(struct sb_mutex *mutex);
void call_flags_init(struct sb_flags *flags, uint32_t bits);
void call_flags_set(struct sb_flags *flags, uint32_t bits);
uint32_t call_flags_clear(struct sb_flags *flags, uint32_t bits);
enum sb_err call_flags_wait(struct sb_flags *flags, uint32_t wanted, uint32_t mode, uint32_t timeout_ticks,
                            uint32_t *got);
uint32_t call_flags_value(struct sb_flags *flags);
enum sb_err call_mq_init(struct sb_mq *queue, void *memory, uint32_t message_bytes, uint32_t capacity);
enum sb_err call_mq_send(struct sb_mq *queue, const void *message, uint32_t timeout_ticks);
enum sb_err call_mq_send_front(struct sb_mq *queue, const void *message, uint32_t timeout_ticks);
enum sb_err call_mq_receive(struct sb_mq *queue, void *message, uint32_t timeout_ticks);
uint32_t call_mq_count(struct sb_mq *queue);
void call_cond_init(struct sb_cond *cond);
enum sb_err call_cond_wait(struct sb_cond *cond, struct sb_mutex *mutex, uint32_t timeout_ticks);
void call_cond_signal(struct sb_cond *cond);
void call_cond_broadcast(struct sb_cond *cond);
void call_rwlock_init(struct sb_rwlock *lock);
enum sb_err call_rwlock_read(struct sb_rwlock *lock, uint32_t timeout_ticks);
enum sb_err call_rwlock_write(struct sb_rwlock *lock, uint32_t timeout_ticks);
enum sb_err call_rwlock_unlock(struct sb_rwlock *lock);

#endif
