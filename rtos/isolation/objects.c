/* SPDX-License-Identifier: Apache-2.0 */
/** @file
 *  Objects that tasks of a domain share: they hold lists of tasks and the address of a function, so they are the kernel's. What
 *  the domain declares is their place: its first word is a number in the domain's table, which says whose place it is. */
#include "caller.h"
#include "calls.h"

enum kind { FREE = 0, SEM, MUTEX, FLAGS, QUEUE, COND, RWLOCK };

/** Longest message of a queue: it is copied with interrupts masked, and a domain must not choose for how long. */
#define MESSAGE_BYTES_MAX 256u

struct sb_user_object {
    const void *place;
    uint32_t kind;
    union {
        struct sb_sem sem;
        struct sb_mutex mutex;
        struct sb_flags flags;
        struct sb_mq queue;
        struct sb_cond cond;
        struct sb_rwlock rwlock;
    } is;
};

_Static_assert(sizeof(void *) != 4 || sizeof(struct sb_user_object) <= SB_USER_OBJECT_BYTES,
               "the build makes room for them");

static struct sb_user_object *table(const struct sb_domain *domain, uint32_t index)
{
    return (struct sb_user_object *)(void *)((uint8_t *)(void *)domain->objects +
                                             index * SB_USER_OBJECT_BYTES);
}

/** Nobody waits for it or holds it: another may take its place. */
static bool is_idle(const struct sb_user_object *object)
{
    switch (object->kind) {
    case FREE:
        return true;
    case SEM:
        return object->is.sem.waiters.first == NULL;
    case MUTEX:
        return object->is.mutex.waiters.first == NULL && object->is.mutex.owner == NULL;
    case FLAGS:
        return object->is.flags.waiters.first == NULL;
    case QUEUE:
        return object->is.queue.receivers.first == NULL && object->is.queue.senders.first == NULL;
    case COND:
        return object->is.cond.waiters.first == NULL;
    default:
        return object->is.rwlock.waiters.first == NULL && object->is.rwlock.writer == NULL &&
               object->is.rwlock.readers == 0;
    }
}

/** The object of this kind at this place, new or to be set up anew. A place keeps its kind: another task may just be between
 *  finding the object and using it. No other task runs until made(). */
SB_COLD static struct sb_user_object *make(void *place, enum kind kind)
{
    sb_need_words(place, sizeof(uint32_t));
    const struct sb_domain *domain = sb_caller()->domain;
    uint32_t found = 0;
    sb_preemption_off();
    while (found < domain->object_count && table(domain, found)->kind != FREE &&
           table(domain, found)->place != place) {
        found++; /* tables fill from the front */
    }
    if (found == domain->object_count) {
        sb_isolation_stop("object-too-many", (uint32_t)(uintptr_t)place);
    }
    struct sb_user_object *object = table(domain, found);
    if (object->kind != FREE && (object->kind != (uint32_t)kind || !is_idle(object))) {
        sb_isolation_stop("object-in-use", (uint32_t)(uintptr_t)place);
    }
    object->place = place;
    object->kind = kind;
    *(volatile uint32_t *)place = found;
    return object;
}

static void made(void)
{
    sb_preemption_on();
}

static inline struct sb_user_object *find(const void *place, enum kind kind)
{
    sb_need_words(place, sizeof(uint32_t));
    const struct sb_domain *domain = sb_caller()->domain;
    const uint32_t index = *(volatile const uint32_t *)place;
    if (index < domain->object_count) {
        struct sb_user_object *object = table(domain, index);
        if (object->place == place && object->kind == (uint32_t)kind) {
            return object;
        }
    }
    sb_isolation_stop("object-unknown", (uint32_t)(uintptr_t)place);
}

void call_sem_init(struct sb_sem *sem, int32_t count)
{
    sb_sem_init(&make(sem, SEM)->is.sem, count);
    made();
}

enum sb_err call_sem_signal(struct sb_sem *sem)
{
    return sb_sem_signal(&find(sem, SEM)->is.sem);
}

void call_sem_wait(struct sb_sem *sem)
{
    sb_sem_wait(&find(sem, SEM)->is.sem);
}

enum sb_err call_sem_wait_timeout(struct sb_sem *sem, uint32_t timeout_ticks)
{
    return sb_sem_wait_timeout(&find(sem, SEM)->is.sem, timeout_ticks);
}

int32_t call_sem_value(struct sb_sem *sem)
{
    return sb_sem_value(&find(sem, SEM)->is.sem);
}

/** A ceiling lends priority: none that the domain must not have. */
void call_mutex_init(struct sb_mutex *mutex, uint32_t ceiling)
{
    if (ceiling > SB_MUTEX_INHERIT || ceiling < sb_caller()->domain->most_urgent) {
        sb_isolation_stop("mutex-ceiling", ceiling);
    }
    sb_mutex_init(&make(mutex, MUTEX)->is.mutex, ceiling);
    made();
}

enum sb_err call_mutex_lock(struct sb_mutex *mutex)
{
    return sb_mutex_lock(&find(mutex, MUTEX)->is.mutex);
}

enum sb_err call_mutex_lock_time(struct sb_mutex *mutex, uint32_t timeout_ticks)
{
    return sb_mutex_lock_timeout(&find(mutex, MUTEX)->is.mutex, timeout_ticks);
}

enum sb_err call_mutex_unlock(struct sb_mutex *mutex)
{
    return sb_mutex_unlock(&find(mutex, MUTEX)->is.mutex);
}

sb_addr call_mutex_owner(struct sb_mutex *mutex)
{
    return sb_mutex_owner(&find(mutex, MUTEX)->is.mutex);
}

void call_flags_init(struct sb_flags *flags, uint32_t bits)
{
    sb_flags_init(&make(flags, FLAGS)->is.flags, bits);
    made();
}

void call_flags_set(struct sb_flags *flags, uint32_t bits)
{
    sb_flags_set(&find(flags, FLAGS)->is.flags, bits);
}

uint32_t call_flags_clear(struct sb_flags *flags, uint32_t bits)
{
    return sb_flags_clear(&find(flags, FLAGS)->is.flags, bits);
}

enum sb_err call_flags_wait(struct sb_flags *flags, uint32_t wanted, uint32_t mode, uint32_t timeout_ticks,
                            uint32_t *got)
{
    uint32_t bits = 0;
    if (mode > SB_FLAGS_ALL_CLEAR) {
        sb_isolation_stop("flags-mode", mode);
    }
    if (got != NULL) {
        sb_need_words(got, sizeof *got);
    }
    const enum sb_err err =
        sb_flags_wait(&find(flags, FLAGS)->is.flags, wanted, (enum sb_flags_mode)mode, timeout_ticks, &bits);
    if (got != NULL) {
        *got = bits;
    }
    return err;
}

uint32_t call_flags_value(struct sb_flags *flags)
{
    return sb_flags_value(&find(flags, FLAGS)->is.flags);
}

enum sb_err call_mq_init(struct sb_mq *queue, void *memory, uint32_t message_bytes, uint32_t capacity)
{
    const uint64_t bytes = (uint64_t)message_bytes * capacity;
    if (message_bytes == 0 || message_bytes > MESSAGE_BYTES_MAX || bytes > UINT32_MAX) {
        return SB_ERR_SIZE;
    }
    if (bytes != 0 && !sb_writable(sb_caller()->domain, memory, (uint32_t)bytes)) {
        sb_isolation_stop("call-pointer", (uint32_t)(uintptr_t)memory);
    }
    struct sb_mq *made_queue = &make(queue, QUEUE)->is.queue;
    /* Who has found the queue has checked room for messages of its size. */
    if (made_queue->message_bytes != 0 &&
        (made_queue->message_bytes != message_bytes || made_queue->capacity != capacity ||
         made_queue->memory != (uint8_t *)memory)) {
        sb_isolation_stop("object-in-use", (uint32_t)(uintptr_t)queue);
    }
    const enum sb_err err = sb_mq_init(made_queue, memory, message_bytes, capacity);
    made();
    return err;
}

/** The queue, if the caller may reach a message of its size at `message`. */
static struct sb_mq *queue_for(struct sb_mq *queue, const void *message, bool write)
{
    struct sb_mq *found = &find(queue, QUEUE)->is.queue;
    const struct sb_domain *domain = sb_caller()->domain;
    const bool may = write ? sb_writable(domain, message, found->message_bytes)
                           : sb_readable(domain, message, found->message_bytes);
    if (!may || found->message_bytes == 0) {
        sb_isolation_stop("call-pointer", (uint32_t)(uintptr_t)message);
    }
    return found;
}

enum sb_err call_mq_send(struct sb_mq *queue, const void *message, uint32_t timeout_ticks)
{
    return sb_mq_send(queue_for(queue, message, false), message, timeout_ticks);
}

enum sb_err call_mq_send_front(struct sb_mq *queue, const void *message, uint32_t timeout_ticks)
{
    return sb_mq_send_front(queue_for(queue, message, false), message, timeout_ticks);
}

enum sb_err call_mq_receive(struct sb_mq *queue, void *message, uint32_t timeout_ticks)
{
    return sb_mq_receive(queue_for(queue, message, true), message, timeout_ticks);
}

uint32_t call_mq_count(struct sb_mq *queue)
{
    return sb_mq_count(&find(queue, QUEUE)->is.queue);
}

void call_cond_init(struct sb_cond *cond)
{
    sb_cond_init(&make(cond, COND)->is.cond);
    made();
}

enum sb_err call_cond_wait(struct sb_cond *cond, struct sb_mutex *mutex, uint32_t timeout_ticks)
{
    struct sb_cond *found = &find(cond, COND)->is.cond;
    return sb_cond_wait(found, &find(mutex, MUTEX)->is.mutex, timeout_ticks);
}

void call_cond_signal(struct sb_cond *cond)
{
    sb_cond_signal(&find(cond, COND)->is.cond);
}

void call_cond_broadcast(struct sb_cond *cond)
{
    sb_cond_broadcast(&find(cond, COND)->is.cond);
}

void call_rwlock_init(struct sb_rwlock *lock)
{
    sb_rwlock_init(&make(lock, RWLOCK)->is.rwlock);
    made();
}

enum sb_err call_rwlock_read(struct sb_rwlock *lock, uint32_t timeout_ticks)
{
    return sb_rwlock_read(&find(lock, RWLOCK)->is.rwlock, timeout_ticks);
}

enum sb_err call_rwlock_write(struct sb_rwlock *lock, uint32_t timeout_ticks)
{
    return sb_rwlock_write(&find(lock, RWLOCK)->is.rwlock, timeout_ticks);
}

enum sb_err call_rwlock_unlock(struct sb_rwlock *lock)
{
    return sb_rwlock_unlock(&find(lock, RWLOCK)->is.rwlock);
}
