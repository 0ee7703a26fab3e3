/* SPDX-License-Identifier: Apache-2.0 */
#ifndef OSE_H
#define OSE_H
/** @file
 *  OSE's calls, as applications know them, on the contract of this kernel: each is an inline function around one or two
 *  sb_ calls, which say what happens in detail. CONFORMANCE.md lists call, requirement and test.
 *
 *  An application defines `union SIGNAL` for itself, with the number first. PROCESS is a global address: 0 is nobody, one of a
 *  dead process is not given again until 1023 others have lived in its place. Times are in milliseconds, rounded up to ticks;
 *  they end at a tick. A call that cannot do what it should and returns nothing does nothing and tells the error hook, with
 *  the label `ose-<call>`; at the checked level the node ends (sb_violation). Calls that wait are not for interrupt processes.
 *
 *  A node whose processes are created at run time needs `spare_tasks`, and blocks for their stacks in its first pool; one that
 *  requests timeouts needs a task with the entry sb_timeout_task. */
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "signalbox/attach.h"
#include "signalbox/hooks.h"
#include "signalbox/pool.h"
#include "signalbox/process.h"
#include "signalbox/sem.h"
#include "signalbox/signal.h"
#include "signalbox/task.h"
#include "signalbox/timeout.h"
#include "signalbox/timer.h"

#ifdef __cplusplus
#define OS_PROCESS(name) extern "C" void name(void)
#else
#define OS_PROCESS(name) void name(void)
#endif

union SIGNAL;

typedef uint32_t SIGSELECT;
typedef sb_addr PROCESS;
typedef uint32_t OSTIME; /**< milliseconds */
typedef uint32_t OSTICK;
typedef uint32_t OSBUFSIZE;
typedef uint32_t OSERRCODE;
typedef uint32_t OSUSER;
typedef uint32_t OSPOOLID;
typedef uintptr_t OSADDRESS;
typedef uint16_t OSVECTOR;
typedef uint8_t OSPRIORITY;
typedef uint8_t OSBOOLEAN;
typedef int32_t OSFSEMVAL;
typedef int32_t OSSEMVAL;
typedef sb_attach_ref OSATTREF;
typedef sb_timeout_ref OSTMOREF;
typedef void(OSENTRYPOINT)(void);
typedef struct sb_sem SEMAPHORE;

typedef enum PROCESS_TYPE {
    OS_PRI_PROC = 0,
    OS_BG_PROC = 64,
    OS_INT_PROC = 128,
    OS_TI_PROC = 256,
    OS_PHANTOM = 512,
    OS_BLOCK = 1024,
    OS_ZOOMBIE = 2048,
    OS_ILLEGAL = 4096,
} PROCESS_TYPE;

struct OS_redir_entry {
    SIGSELECT sig;
    PROCESS pid;
};

#ifndef NIL
#define NIL NULL
#endif
#define OSE_ILLEGAL_PROCESS ((PROCESS)0)
#define OSE_ILLEGAL_ATTREF ((OSATTREF)0)
#define OSE_ILLEGAL_TMOREF ((OSTMOREF)0)

#define OS_ATTACH_SIG ((SIGSELECT)SB_SIGNO_ATTACH)
#define OS_HUNT_SIG ((SIGSELECT)SB_SIGNO_HUNTED)
#define OS_TMO_SIG ((SIGSELECT)249)

/* ---- what the rest of this file shares */

static inline union sb_signal *ose_in(union SIGNAL *sig)
{
    return (union sb_signal *)(void *)sig;
}

static inline union SIGNAL *ose_out(union sb_signal *sig)
{
    return (union SIGNAL *)(void *)sig;
}

/** *sig, which the caller gives away; NULL if there is none. */
static inline union sb_signal *ose_take(union SIGNAL **sig)
{
    if (sig == NULL) {
        return NULL;
    }
    union sb_signal *own = ose_in(*sig);
    *sig = NIL;
    return own;
}

static inline void ose_expect(enum sb_err err, const char *label)
{
    if (err != SB_OK) {
        sb_violation(err, label);
    }
}

/** Ticks of so many milliseconds, at least as long. */
static inline uint32_t ose_ticks(OSTIME milliseconds)
{
    const uint32_t hz = sb_tick_hz();
    if (hz == 1000u || hz == 0u) {
        return milliseconds < SB_TIMEOUT_TICKS_MAX ? milliseconds : SB_TIMEOUT_TICKS_MAX;
    }
    const uint64_t ticks = ((uint64_t)milliseconds * hz + 999u) / 1000u;
    return ticks < SB_TIMEOUT_TICKS_MAX ? (uint32_t)ticks : SB_TIMEOUT_TICKS_MAX;
}

/* ---- signals */

/** A buffer of `size` bytes with the number `signo` in front, from the system pool. Never NIL: without one the node ends. */
static inline union SIGNAL *alloc(OSBUFSIZE size, SIGSELECT signo)
{
    return ose_out(sb_alloc(size, signo));
}

static inline union SIGNAL *alloc_nil(OSBUFSIZE size, SIGSELECT signo)
{
    return ose_out(sb_alloc_nil(size, signo));
}

static inline union SIGNAL *s_alloc_nil(OSPOOLID pool, OSBUFSIZE size, SIGSELECT signo)
{
    return ose_out(sb_alloc_from(pool, size, signo));
}

static inline union SIGNAL *s_alloc(OSPOOLID pool, OSBUFSIZE size, SIGSELECT signo)
{
    union sb_signal *sig = sb_alloc_from(pool, size, signo);
    if (sig == NULL) {
        sb_fatal(SB_ERR_MEMORY, "alloc-exhausted");
    }
    return ose_out(sig);
}

static inline void free_buf(union SIGNAL **sig)
{
    union sb_signal *own = ose_take(sig);
    sb_free(&own);
}

/** To a dead process: the signal is freed and counted. */
static inline void send(union SIGNAL **sig, PROCESS to)
{
    union sb_signal *own = ose_take(sig);
    SB_IGNORE(sb_send(&own, to));
}

/** As if `from` had sent it. */
static inline void send_w_s(union SIGNAL **sig, PROCESS from, PROCESS to)
{
    union sb_signal *own = ose_take(sig);
    SB_IGNORE(sb_send_from(&own, to, from));
}

static inline union SIGNAL *receive(const SIGSELECT *sel)
{
    return ose_out(sb_receive(sel));
}

/** NIL: nothing came in time. 0 polls. */
static inline union SIGNAL *receive_w_tmo(OSTIME timeout, const SIGSELECT *sel)
{
    return ose_out(sb_receive_timeout(sel, ose_ticks(timeout)));
}

static inline PROCESS sender(union SIGNAL **sig)
{
    return sb_sender(ose_in(*sig));
}

static inline PROCESS addressee(union SIGNAL **sig)
{
    return sb_addressee(ose_in(*sig));
}

static inline OSBUFSIZE sigsize(union SIGNAL **sig)
{
    return sb_size(ose_in(*sig));
}

/** The caller becomes owner and sender. */
static inline void restore(union SIGNAL *sig)
{
    sb_restore(ose_in(sig));
}

/** All blocks of the pool as at start. They must have been freed. */
static inline void reset_pool(OSPOOLID pool)
{
    ose_expect(sb_pool_reset(pool), "ose-reset_pool");
}

/* ---- fast semaphores */

static inline void set_fsem(OSFSEMVAL value, PROCESS pid)
{
    ose_expect(sb_fsem_set_of(pid, value), "ose-set_fsem");
}

/** Take `count`, waiting as long as there are fewer. wait_fsem() takes one. */
static inline void wait_fsem(OSFSEMVAL count)
{
    for (; count > 0; count--) {
        sb_fsem_wait();
    }
}
#define wait_fsem(...) wait_fsem(0 __VA_OPT__(+(__VA_ARGS__)-1) + 1)

static inline void signal_fsem(PROCESS pid)
{
    ose_expect(sb_fsem_signal(pid), "ose-signal_fsem");
}

/** -1: the process waits for it. */
static inline OSFSEMVAL get_fsem(PROCESS pid)
{
    const int32_t value = sb_fsem_value(pid);
    ose_expect(value == SB_ERR_DEAD ? SB_ERR_DEAD : SB_OK, "ose-get_fsem");
    return value;
}

/* ---- semaphores */

/** Never NIL: without a block the node ends. */
static inline SEMAPHORE *create_sem(OSSEMVAL initial_val)
{
    SEMAPHORE *sem = initial_val >= 0 ? sb_sem_create(initial_val) : NULL;
    if (sem == NULL) {
        sb_fatal(initial_val < 0 ? SB_ERR_ARGUMENT : SB_ERR_MEMORY, "ose-create_sem");
    }
    return sem;
}

static inline void wait_sem(SEMAPHORE *sem)
{
    sb_sem_wait(sem);
}

static inline void signal_sem(SEMAPHORE *sem)
{
    ose_expect(sb_sem_signal(sem), "ose-signal_sem");
}

static inline OSSEMVAL get_sem(SEMAPHORE *sem)
{
    return sb_sem_value(sem);
}

/** Nobody may wait for it. */
static inline void kill_sem(SEMAPHORE *sem)
{
    ose_expect(sb_sem_delete(sem), "ose-kill_sem");
}

/* ---- processes */

static inline PROCESS current_process(void)
{
    return sb_self();
}

/** A new process, stopped: start lets it run. 0: it cannot be created, the error hook knows why. A process with a time slice
 *  shares its level in turns; background processes do so at the lowest priority, below all others by custom. `vector` of an
 *  interrupt process is its line, 0 is none; a timer-interrupt process is activated every `timeslice` milliseconds, by the
 *  timeout server. Phantom processes and blocks do not exist here; `block`, `redirection` and `user` say nothing. */
static inline PROCESS create_process(PROCESS_TYPE type, const char *name, OSENTRYPOINT *entrypoint,
                                     OSADDRESS stack_size, OSPRIORITY priority, OSTIME timeslice,
                                     PROCESS block, const struct OS_redir_entry *redirection, OSVECTOR vector,
                                     OSUSER user)
{
    (void)block;
    (void)redirection;
    (void)user;
    const uint32_t turn = ose_ticks(timeslice);
    const uint32_t stack = stack_size < 512u ? 512u : (uint32_t)stack_size;
    struct sb_process_config config = {.name = name,
                                       .entry = entrypoint,
                                       .priority = priority,
                                       .irq = -1,
                                       .stopped = true,
                                       .stack_bytes = stack};
    switch (type) {
    case OS_PRI_PROC:
        config.kind = turn != 0 ? SB_TASK_BEST_EFFORT : SB_TASK_PRIORITY;
        break;
    case OS_BG_PROC:
        config.kind = SB_TASK_BEST_EFFORT;
        config.priority = SB_PRIORITIES - 1u;
        break;
    case OS_INT_PROC:
        config.kind = SB_TASK_INTERRUPT;
        config.irq = vector != 0 ? (int8_t)(vector < 127u ? vector : 127u) : -1;
        config.stack_bytes = 0;
        break;
    case OS_TI_PROC:
        config.kind = SB_TASK_INTERRUPT;
        config.every_ticks = turn != 0 ? turn : 1u;
        config.stack_bytes = 0;
        break;
    default:
        sb_violation(SB_ERR_ARGUMENT, "ose-create_process");
        return OSE_ILLEGAL_PROCESS;
    }
    config.slice_ticks = (uint16_t)(turn == 0 ? 1u : turn < 65535u ? turn : 65535u);
    sb_addr pid;
    ose_expect(sb_process_create(&config, &pid), "ose-create_process");
    return pid;
}

/** One that is dead already stays so. */
static inline void kill_proc(PROCESS pid)
{
    const enum sb_err err = sb_task_kill(pid);
    ose_expect(err == SB_ERR_DEAD ? SB_OK : err, "ose-kill_proc");
}

/** Undo one stop. */
static inline void start(PROCESS pid)
{
    ose_expect(sb_task_start(pid), "ose-start");
}

static inline void stop(PROCESS pid)
{
    ose_expect(sb_task_stop(pid), "ose-stop");
}

static inline OSPRIORITY get_pri(PROCESS pid)
{
    const int32_t priority = sb_task_priority(pid);
    ose_expect(priority < 0 ? SB_ERR_DEAD : SB_OK, "ose-get_pri");
    return (OSPRIORITY)priority;
}

static inline OSPRIORITY set_pri_for(PROCESS pid, OSPRIORITY priority)
{
    const OSPRIORITY before = get_pri(pid);
    ose_expect(sb_task_priority_set(pid, priority), "ose-set_pri");
    return before;
}

/** Of the caller; answers what it was. */
static inline OSPRIORITY set_pri(OSPRIORITY priority)
{
    return set_pri_for(sb_self(), priority);
}

/** End the delay of another process. One that is in none stays as it is. */
static inline void ose_wake(PROCESS pid)
{
    const enum sb_err err = sb_task_wake(pid);
    ose_expect(err == SB_ERR_ARGUMENT ? SB_OK : err, "ose-wake_up");
}

/** In an interrupt process: whether its fast semaphore has activated it (1, and one is taken), or its line or a signal (0).
 *  Several may have before it ran. */
static inline int ose_wake_reason(void)
{
    return sb_fsem_wait_timeout(0) == SB_OK;
}
/** wake_up(pid) ends a delay; wake_up() says why an interrupt process runs. */
#define wake_up(...) OSE_FIRST(__VA_OPT__(ose_wake, ) ose_wake_reason, )(__VA_ARGS__)
#define OSE_FIRST(first, ...) first

/* ---- time */

static inline OSTICK get_ticks(void)
{
    return sb_ticks();
}

/** Length of a tick in microseconds. */
static inline OSTIME system_tick(void)
{
    const uint32_t hz = sb_tick_hz();
    return hz != 0 ? 1000000u / hz : 0;
}

static inline void delay(OSTIME timeout)
{
    const enum sb_err err = sb_delay(ose_ticks(timeout));
    ose_expect(err == SB_ERR_WOKEN ? SB_OK : err, "ose-delay");
}

/* ---- other processes: names and ends */

/** Find a process: "process" on this node, "node/process" on another. Answers whether *pid has been found now.
 *  With hunt_sig the signal is taken and arrives, from the process, when that exists; at once if it does. Without, a name on
 *  another node is waited for until it appears or the link is lost, a local one is not. */
static inline OSBOOLEAN hunt(const char *name, OSUSER user, PROCESS *pid, union SIGNAL **hunt_sig)
{
    (void)user;
    const int local = strchr(name, '/') == NULL;
    sb_addr found = SB_ADDR_NONE;
    if (hunt_sig == NULL || local) {
        SB_IGNORE(sb_hunt(name, SB_FOREVER, &found));
    }
    if (pid != NULL) {
        *pid = found;
    }
    if (hunt_sig != NULL) {
        union sb_signal *own = ose_take(hunt_sig);
        if (own == NULL) {
            own = sb_alloc((uint32_t)sizeof(SIGSELECT), OS_HUNT_SIG);
        }
        ose_expect(sb_hunt_signal(name, &own), "ose-hunt");
    }
    return found != SB_ADDR_NONE;
}

/** Receive *sig, or OS_ATTACH_SIG if there is none, from `pid` when that dies, or the link to it is lost. */
static inline OSATTREF attach(union SIGNAL **sig, PROCESS pid)
{
    union sb_signal *own = ose_take(sig);
    OSATTREF ref;
    ose_expect(sb_attach(pid, &own, &ref), "ose-attach");
    return ref;
}

/** *ref becomes OSE_ILLEGAL_ATTREF. Nothing happens if the signal has been received. */
static inline void detach(OSATTREF *ref)
{
    SB_IGNORE(sb_detach(ref));
}

/* ---- the timeout server */

static inline uint32_t ose_timeout_ticks(OSTIME timeout)
{
    const uint32_t ticks = ose_ticks(timeout);
    return ticks != 0 ? ticks : 1u;
}

/** Receive *tmosig, or OS_TMO_SIG if there is none, in `timeout` milliseconds. */
static inline OSTMOREF request_tmo_sig(OSTIME timeout, union SIGNAL **tmosig)
{
    union sb_signal *own = ose_take(tmosig);
    if (own == NULL) {
        own = sb_alloc((uint32_t)sizeof(SIGSELECT), OS_TMO_SIG);
    }
    OSTMOREF ref;
    ose_expect(sb_timeout_request_signal(ose_timeout_ticks(timeout), &own, &ref), "ose-request_tmo");
    return ref;
}

static inline OSTMOREF ose_request_tmo_number(OSTIME timeout, SIGSELECT tmosigno)
{
    union SIGNAL *sig = alloc((OSBUFSIZE)sizeof(SIGSELECT), tmosigno);
    return request_tmo_sig(timeout, &sig);
}

static inline OSTMOREF ose_request_tmo_default(OSTIME timeout, const void *none)
{
    (void)none;
    return request_tmo_sig(timeout, NULL);
}

/** Both forms that programs use: the number of the signal, or the address of one. */
#define request_tmo(timeout, what) \
    _Generic((what),                            \
        union SIGNAL **: request_tmo_sig,       \
        void *: ose_request_tmo_default,        \
        default: ose_request_tmo_number)(timeout, what)

/** The server calls back in `timeout` milliseconds, and every `period` milliseconds from then on if that is not 0. */
static inline OSTMOREF request_tmo_callback(OSTIME timeout, OSTIME period, void (*callback)(void *argument),
                                            void *argument)
{
    OSTMOREF ref;
    ose_expect(sb_timeout_request(ose_timeout_ticks(timeout), period != 0 ? ose_timeout_ticks(period) : 0,
                                  callback, argument, &ref),
               "ose-request_tmo");
    return ref;
}

/** *ref becomes OSE_ILLEGAL_TMOREF. A signal that waits in the queue goes, one that has been received stays. */
static inline void cancel_tmo(OSTMOREF *ref)
{
    SB_IGNORE(sb_timeout_withdraw(ref));
}

/** In `timeout` milliseconds from now instead. Nothing happens if it has come. */
static inline void modify_tmo(const OSTMOREF *ref, OSTIME timeout)
{
    SB_IGNORE(sb_timeout_modify(*ref, ose_timeout_ticks(timeout)));
}

static inline void restart_tmo(const OSTMOREF *ref, OSTIME timeout)
{
    modify_tmo(ref, timeout);
}

/* ---- errors */

/** The application has found one that it does not survive. */
static inline void error2(OSERRCODE ecode, OSERRCODE extra)
{
    (void)ecode;
    (void)extra;
    sb_fatal(SB_ERR_ARGUMENT, "ose-error");
}

static inline void error(OSERRCODE ecode)
{
    error2(ecode, 0);
}

#endif
