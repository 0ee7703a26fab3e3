/* SPDX-License-Identifier: Apache-2.0 */
/* Domain a: does what supervisor asks, allowed or not. */
#include "messages.h"

#include <errno.h>
#include <string.h>

#include "config.h"
#include "signalbox/attach.h"
#include "signalbox/cond.h"
#include "signalbox/console.h"
#include "signalbox/flags.h"
#include "signalbox/hooks.h"
#include "signalbox/message_queue.h"
#include "signalbox/mutex.h"
#include "signalbox/pool.h"
#include "signalbox/rwlock.h"
#include "signalbox/sem.h"
#include "signalbox/task.h"
#include "signalbox/timer.h"

static const uint32_t any[] = {0};
static const uint32_t jobs[] = {1, SIG_JOB};
static uint32_t counter = 7; /* initialised data of the domain */
static _Alignas(8) uint32_t zeros[4];
static struct sb_sem sem;
static struct sb_mutex mutex;
static struct sb_flags flags;
static struct sb_mq queue;
static struct sb_cond cond;
static struct sb_rwlock rwlock;
static uint8_t ring[SB_MQ_BYTES(8, 2)];
static volatile uint32_t sink;

#define WORD(address) (*(volatile uint32_t *)(uintptr_t)(address))

__attribute__((noinline)) static uint32_t dig(uint32_t depth)
{
    volatile uint32_t room[8];
    room[0] = depth;
    return depth == 0 ? 0 : dig(depth - 1) + room[0];
}

static uint32_t call(uint32_t number)
{
    register uint32_t a7 __asm__("a7") = number;
    register uint32_t a0 __asm__("a0") = 0;
    __asm__ volatile("ecall" : "+r"(a0) : "r"(a7) : "memory");
    return a0;
}

static void sends(enum crime what, uint32_t address)
{
    union sb_signal *sig = NULL;
    if (what == SEND_KERNEL_POINTER) {
        sig = (union sb_signal *)(uintptr_t)address;
    } else if (what == SEND_NO_SIGNAL) {
        sig = (union sb_signal *)(void *)zeros;
    } else if (what != SEND_NULL) {
        sig = sb_alloc(8, 1);
    }
    if (what == SEND_FORGED_NUMBER) {
        ((uint32_t *)(void *)sig)[-2] = 0; /* somebody else's */
    } else if (what == FREE_OVERWRITTEN_END) {
        ((uint8_t *)sig)[8] = 0;
    }
    if (what == FREE_TWICE) {
        union sb_signal *again = sig;
        sb_free(&sig);
        sb_free(&again);
    }
    SB_IGNORE(sb_send(&sig, sb_self()));
}

static void objects(enum crime what, uint32_t address)
{
    static struct sb_sem many[16];
    switch ((int)what) {
    case SEM_WITHOUT_INIT:
        SB_IGNORE(sb_sem_signal(&many[15]));
        break;
    case SEM_FORGED_NUMBER:
        sb_sem_init(&sem, 0);
        sem.count = 3;
        SB_IGNORE(sb_sem_signal(&sem));
        break;
    case SEM_IN_KERNEL:
        sb_sem_init((struct sb_sem *)(uintptr_t)address, 0);
        break;
    case SEM_AS_MUTEX:
        sb_sem_init(&sem, 0);
        SB_IGNORE(sb_mutex_lock((struct sb_mutex *)(void *)&sem));
        break;
    case UNLOCK_NOT_OWNED:
        sb_mutex_init(&mutex, SB_MUTEX_INHERIT);
        SB_IGNORE(sb_mutex_unlock(&mutex));
        break;
    case CEILING_TOO_URGENT:
        sb_mutex_init(&mutex, 3);
        break;
    case QUEUE_IN_KERNEL:
        SB_IGNORE(sb_mq_init(&queue, (void *)(uintptr_t)address, 4, 4));
        break;
    default:
        for (uint32_t i = 0; i < 16; i++) {
            sb_sem_init(&many[i], 0);
        }
        break;
    }
}

static void signals(enum crime what, uint32_t address)
{
    switch ((int)what) {
    case SIZE_OF_FOREIGN:
        sink = sb_size((union sb_signal *)(uintptr_t)address);
        break;
    case ALLOC_TOO_SMALL:
        (void)sb_alloc(3, 1);
        break;
    case ALLOC_TOO_LARGE:
        (void)sb_alloc(4096, 1);
        break;
    case ALLOC_EXHAUSTED:
        for (;;) {
            (void)sb_alloc(100, 1);
        }
    case ALLOC_FOREIGN_POOL:
        sink = (uint32_t)(uintptr_t)sb_alloc_from(2, 8, 1);
        break;
    case RECEIVE_KERNEL_LIST:
        (void)sb_receive((const uint32_t *)(uintptr_t)address);
        break;
    default: {
        static uint32_t list[64] = {0x7fffffff};
        (void)sb_receive(list);
        break;
    }
    }
}

static void commit(enum crime what, uint32_t address)
{
    sb_addr found;
    static char endless[64];
    switch ((int)what) {
    case READ_KERNEL:
    case READ_NEIGHBOUR:
    case READ_KERNEL_STACK:
        sink = WORD(address);
        break;
    case WRITE_KERNEL:
    case WRITE_NEIGHBOUR:
    case WRITE_CODE:
    case WRITE_DEVICE:
        WORD(address) = 0x13333; /* the finisher would take it for a failure */
        break;
    case READ_NOWHERE:
        sink = WORD(0x40000000);
        break;
    case JUMP_INTO_KERNEL:
        ((void (*)(void))(uintptr_t)address)();
        break;
    case JUMP_INTO_OWN_DATA:
        zeros[0] = 0x00008067; /* ret */
        ((void (*)(void))(uintptr_t)zeros)();
        break;
    case OVERFLOW_STACK:
        sink = dig(1000);
        break;
    case READ_CSR:
        __asm__ volatile("csrr t0, mstatus" ::: "t0");
        break;
    case WRITE_CSR:
        __asm__ volatile("csrw mtvec, zero");
        break;
    case WRITE_PROTECTION:
        __asm__ volatile("csrw pmpcfg1, %0" ::"r"(0x1f));
        break;
    case READ_CYCLE:
        __asm__ volatile("csrr t0, cycle" ::: "t0");
        break;
    case DO_MRET:
        __asm__ volatile("mret");
        break;
    case DO_WFI:
        __asm__ volatile("wfi");
        break;
    case DO_EBREAK:
        __asm__ volatile("ebreak");
        break;
    case CALL_UNKNOWN:
        sink = call(1000);
        break;
    case CALL_NEGATIVE:
        sink = call(0xffffffffu);
        break;
    case PRINT_KERNEL:
        sb_console_write((const char *)(uintptr_t)address, 4);
        break;
    case NAME_WITHOUT_END:
        memset(endless, 'x', sizeof endless);
        sink = sb_task_lookup(endless);
        break;
    case RESULT_INTO_KERNEL:
        SB_IGNORE(sb_hunt("partner", 0, (sb_addr *)(uintptr_t)address));
        break;
    case RESULT_INTO_CODE:
        SB_IGNORE(sb_pool_status(1, 0, (struct sb_pool_status *)(uintptr_t)any));
        break;
    case FATAL:
        sb_fatal(SB_ERR_ARGUMENT, "mine");
    default:
        if (what >= SEND_NULL && what <= FREE_OVERWRITTEN_END) {
            sends(what, address);
        } else if (what >= SIZE_OF_FOREIGN && what <= RECEIVE_LONG_LIST) {
            signals(what, address);
        } else {
            objects(what, address);
        }
    }
    (void)found;
}

/** What a domain may do, answered by a number that says how far all was right. */
static uint32_t behave(sb_addr boss)
{
    uint32_t step = 0;
#define STEP(holds)      \
    do {                 \
        step++;          \
        if (!(holds)) {  \
            return step; \
        }                \
    } while (0)
    STEP(counter == 7 && zeros[1] == 0);
    errno = 5;
    STEP(errno == 5);
    STEP(strcmp("a", "b") < 0);
    STEP(sb_task_priority(sb_self()) == 12 && sb_task_lookup("attacker") == sb_self());
    union sb_signal *sig = sb_alloc(32, 9);
    STEP(sb_size(sig) == 32 && sb_sender(sig) == sb_self() && sb_addressee(sig) == SB_ADDR_NONE);
    STEP(sb_send(&sig, sb_self()) == SB_OK && sig == NULL);
    sig = sb_receive_one(9, SB_FOREVER);
    STEP(sig != NULL && sb_addressee(sig) == sb_self());
    sb_restore(sig);
    sb_free(&sig);
    STEP(sb_receive_timeout(any, 0) == NULL);
    struct sb_pool_status status;
    STEP(sb_pool_status((uint32_t)sb_pool_lookup("a"), 0, &status) == SB_OK && status.blocks == 16);
    const uint32_t tick = sb_ticks();
    STEP(sb_delay(2) == SB_OK && sb_ticks() - tick >= 2 && sb_tick_hz() == 1000);
    STEP(sb_cycles() != 0);
    sb_sem_init(&sem, 1);
    STEP(sb_sem_wait_timeout(&sem, 0) == SB_OK && sb_sem_value(&sem) == 0 &&
         sb_sem_wait_timeout(&sem, 1) == SB_ERR_TIMEOUT);
    sb_mutex_init(&mutex, SB_MUTEX_INHERIT);
    STEP(sb_mutex_lock(&mutex) == SB_OK && sb_mutex_owner(&mutex) == sb_self() &&
         sb_mutex_unlock(&mutex) == SB_OK);
    sb_flags_init(&flags, 6);
    uint32_t got = 0;
    STEP(sb_flags_wait(&flags, 2, SB_FLAGS_ANY_CLEAR, 0, &got) == SB_OK && got == 6 &&
         sb_flags_value(&flags) == 4);
    uint32_t message[2] = {1, 2};
    STEP(sb_mq_init(&queue, ring, 8, 2) == SB_OK && sb_mq_send(&queue, message, 0) == SB_OK);
    STEP(sb_mq_init(&queue, ring, 257, 0) == SB_ERR_SIZE && sb_mq_init(&queue, ring, 0, 2) == SB_ERR_SIZE);
    message[0] = 0;
    STEP(sb_mq_count(&queue) == 1 && sb_mq_receive(&queue, message, 0) == SB_OK && message[0] == 1);
    sb_cond_init(&cond);
    STEP(sb_mutex_lock(&mutex) == SB_OK && sb_cond_wait(&cond, &mutex, 1) == SB_ERR_TIMEOUT &&
         sb_mutex_unlock(&mutex) == SB_OK);
    sb_rwlock_init(&rwlock);
    STEP(sb_rwlock_read(&rwlock, 0) == SB_OK && sb_rwlock_unlock(&rwlock) == SB_OK &&
         sb_rwlock_write(&rwlock, 0) == SB_OK && sb_rwlock_unlock(&rwlock) == SB_OK);
    STEP(sb_fsem_set(1) == SB_OK && sb_fsem_wait_timeout(0) == SB_OK && sb_fsem_signal(sb_self()) == SB_OK);
    sb_fsem_wait();
    /* Others can be named, and nothing else. */
    STEP(sb_task_kill(boss) == SB_ERR_DENIED && sb_task_stop(sb_task_lookup("neighbour")) == SB_ERR_DENIED);
    STEP(sb_task_priority_set(boss, 20) == SB_ERR_DENIED &&
         sb_task_priority_set(sb_self(), 3) == SB_ERR_DENIED);
    STEP(sb_task_priority_set(sb_self(), 13) == SB_OK && sb_task_priority_set(sb_self(), 12) == SB_OK);
    sb_addr fresh;
    STEP(sb_task_restart(sb_task_lookup("trusted"), &fresh) == SB_ERR_DENIED && fresh == SB_ADDR_NONE);
    sig = sb_alloc(8, 1);
    STEP(sb_send_from(&sig, sb_self(), boss) == SB_ERR_DENIED && sig == NULL);
    STEP(sb_task_kill(sb_addr_make(0, 4095, 1023)) == SB_ERR_DENIED);
    struct sb_period_status period;
    STEP(sb_period_status(sb_task_lookup("beat"), &period) == SB_OK && period.jobs > 0 && counter == 7);
    sb_attach_ref ref = SB_ATTACH_NONE;
    STEP(sb_attach(boss, NULL, &ref) == SB_OK && ref != SB_ATTACH_NONE && sb_detach(&ref) == SB_OK);
    sig = sb_alloc(8, 66);
    STEP(sb_attach(sb_addr_make(0, 1, 1000), &sig, NULL) == SB_OK && sig == NULL); /* nobody lives there */
    sig = sb_receive_one(66, 0);
    STEP(sig != NULL);
    sb_free(&sig);
    STEP(sb_period_set(sb_task_lookup("beat"), 6, 6) == SB_OK && sb_period_wait() == SB_ERR_ARGUMENT);
    return 0;
}

/** Signals to another domain: copied, or the same block if both map its pool. */
static uint32_t cross(uint32_t pool)
{
    const sb_addr neighbour = sb_task_lookup("neighbour");
    union sb_signal *sig = sb_alloc_from((uint32_t)pool, sizeof(struct job), SIG_ECHO);
    const uint32_t place = (uint32_t)(uintptr_t)sig;
    sig->job.what = place;
    sig->job.value = 1234;
    if (sb_send(&sig, neighbour) != SB_OK) {
        return 1;
    }
    sig = sb_receive_one(SIG_ECHO, 100);
    if (sig == NULL || sb_sender(sig) != neighbour) {
        return 2;
    }
    /* The neighbour says where it saw the signal. */
    const uint32_t seen = sig->job.address;
    const uint32_t value = sig->job.value;
    const bool same = (uint32_t)(uintptr_t)sig == place;
    sb_free(&sig);
    return value != 1235 ? 3 : seen == place && same ? 100 : 101;
}

/** A signal that the neighbour has no room for. */
static uint32_t flood(void)
{
    const sb_addr neighbour = sb_task_lookup("neighbour");
    uint32_t refused = 0;
    for (uint32_t i = 0; i < 10; i++) {
        union sb_signal *sig = sb_alloc(8, 77); /* nobody asks for it there */
        refused += sb_send(&sig, neighbour) == SB_ERR_MEMORY;
    }
    return refused;
}

void attacker(void)
{
    union sb_signal *sig = sb_receive(jobs);
    const enum crime what = (enum crime)sig->job.what;
    const uint32_t address = sig->job.address;
    const sb_addr boss = sb_sender(sig);
    uint32_t answer = 0;
    sb_free(&sig);
    if (what < CRIMES) {
        commit(what, address);
        answer = 0xdead; /* it went through */
    } else if (what == CRIMES) {
        answer = behave(boss);
    } else if (what == CRIMES + 1) {
        answer = cross((uint32_t)sb_pool_lookup("a"));
    } else if (what == CRIMES + 2) {
        answer = cross((uint32_t)sb_pool_lookup("shared"));
    } else if (what == CRIMES + 3) {
        answer = flood();
    } else {
        sb_mutex_init(&mutex, SB_MUTEX_INHERIT); /* partner waits for it while this task dies */
        SB_IGNORE(sb_mutex_lock(&mutex));
        SB_IGNORE(sb_fsem_signal(sb_task_lookup("partner")));
        SB_IGNORE(sb_delay(2));
        sink = WORD(address);
    }
    sig = sb_alloc(sizeof(struct job), SIG_ANSWER);
    sig->job.value = answer;
    SB_IGNORE(sb_send(&sig, boss));
    /* Returning ends the task. */
}

void partner(void)
{
    for (;;) {
        sb_fsem_wait();
        union sb_signal *sig = sb_alloc(sizeof(struct job), SIG_ANSWER);
        sig->job.value = (uint32_t)-sb_mutex_lock(&mutex);
        SB_IGNORE(sb_mutex_unlock(&mutex));
        SB_IGNORE(sb_send(&sig, sb_task_lookup("supervisor")));
    }
}

void beat(void)
{
    zeros[2]++;
}
