/* SPDX-License-Identifier: Apache-2.0 */
/** @file
 *  Semaphores made at run time: each in a pool block that no task owns, so that none takes it along when it dies. */
#include "kernel.h"
#include "signalbox/sem.h"

/** First word of the block. */
#define SEM_SIGNO 0x53656d61u

struct sem_block {
    uint32_t signo;
    struct sb_sem sem;
};

static union sb_signal *block_of(struct sb_sem *sem)
{
    return (union sb_signal *)(void *)((uint8_t *)sem - offsetof(struct sem_block, sem));
}

SB_COLD struct sb_sem *sb_sem_create(int32_t count)
{
    sb_check(count >= 0, SB_ERR_ARGUMENT, "sem-count");
    union sb_signal *sig = sb_alloc_nil((uint32_t)sizeof(struct sem_block), SEM_SIGNO);
    if (sig == NULL) {
        return NULL;
    }
    sb_signal_owned_by(sb_signal_header_of(sig), NULL);
    struct sb_sem *sem = &((struct sem_block *)(void *)sig)->sem;
    sb_sem_init(sem, count);
    return sem;
}

/** At the checked level whoever passes something else, or a deleted one, is told so. */
SB_COLD static bool is_created(const union sb_signal *sig)
{
    const struct sb_signal_header *header = sb_signal_header_of(sig);
    return !SB_CHECKED ||
           (header->mark == SB_SIGNAL_OWNED && *(const uint32_t *)(const void *)sig == SEM_SIGNO);
}

SB_COLD enum sb_err sb_sem_delete(struct sb_sem *sem)
{
    if (sem == NULL || !is_created(block_of(sem))) {
        return SB_ERR_ARGUMENT;
    }
    const uint32_t state = port_lock();
    const bool waited_for = sem->waiters.first != NULL;
    port_unlock(state);
    if (waited_for) {
        return SB_ERR_BUSY;
    }
    union sb_signal *sig = block_of(sem);
    sb_free(&sig);
    return SB_OK;
}
