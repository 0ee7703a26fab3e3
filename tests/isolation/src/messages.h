/* SPDX-License-Identifier: Apache-2.0 */
#ifndef ISOLATION_MESSAGES_H
#define ISOLATION_MESSAGES_H
#include <stdint.h>

#include "signalbox/signal.h"

/** What a domain is asked to do, and what it answers. */
struct job {
    uint32_t signo;
    uint32_t what;
    uint32_t address; /**< of something that is not its own */
    uint32_t value;
};

union sb_signal {
    uint32_t signo;
    struct job job;
};

#define SIG_JOB 1u
#define SIG_ANSWER 2u
#define SIG_ECHO 3u

/** Forbidden things, in the order of the table in supervisor.c. */
enum crime {
    READ_KERNEL,
    WRITE_KERNEL,
    READ_NEIGHBOUR,
    WRITE_NEIGHBOUR,
    READ_KERNEL_STACK,
    JUMP_INTO_KERNEL,
    JUMP_INTO_OWN_DATA,
    WRITE_CODE,
    WRITE_DEVICE,
    READ_NOWHERE,
    OVERFLOW_STACK,
    READ_CSR,
    WRITE_CSR,
    WRITE_PROTECTION,
    READ_CYCLE,
    DO_MRET,
    DO_WFI,
    DO_EBREAK,
    CALL_UNKNOWN,
    CALL_NEGATIVE,
    SEND_NULL,
    SEND_KERNEL_POINTER,
    SEND_NO_SIGNAL,
    SEND_FORGED_NUMBER,
    FREE_TWICE,
    FREE_OVERWRITTEN_END,
    SIZE_OF_FOREIGN,
    ALLOC_TOO_SMALL,
    ALLOC_TOO_LARGE,
    ALLOC_EXHAUSTED,
    ALLOC_FOREIGN_POOL,
    RECEIVE_KERNEL_LIST,
    RECEIVE_LONG_LIST,
    PRINT_KERNEL,
    NAME_WITHOUT_END,
    RESULT_INTO_KERNEL,
    RESULT_INTO_CODE,
    SEM_WITHOUT_INIT,
    SEM_FORGED_NUMBER,
    SEM_IN_KERNEL,
    SEM_AS_MUTEX,
    UNLOCK_NOT_OWNED,
    CEILING_TOO_URGENT,
    TOO_MANY_OBJECTS,
    QUEUE_IN_KERNEL,
    FATAL,
    CRIMES
};

#endif
