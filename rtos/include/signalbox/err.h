/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SIGNALBOX_ERR_H
#define SIGNALBOX_ERR_H
/** @file
 *  Results of calls. Negative is failure. Each header lists all that a call can return.
 *  Bad data from another core gives an error and a counter; a caller's own bug gives an assertion with a
 *  stable label. */

/** The compiler complains when the result is thrown away. */
#define SB_MUST_USE __attribute__((warn_unused_result))

/** Runs seldom: compiled for size, and laid apart from what runs often. */
#define SB_COLD __attribute__((cold))

/** Says that the result of `call` changes nothing here (the failure is counted where it happens). */
#define SB_IGNORE(call)   \
    do {                  \
        if ((call) < 0) { \
        }                 \
    } while (0)

enum sb_err {
    SB_OK = 0,
    SB_ERR_TIMEOUT = -1, /**< the time is up, or polling found nothing */
    SB_ERR_DEAD = -2,    /**< the addressee does not exist (any more) */
    SB_ERR_NO_TICK =
        -3, /**< a timeout other than 0 and SB_FOREVER was asked for, but the kernel tick is off */
    SB_ERR_NOT_FOUND = -4,  /**< no task has this name */
    SB_ERR_ARGUMENT = -5,   /**< outside the allowed range */
    SB_ERR_SIZE = -6,       /**< too large, too small, or nothing */
    SB_ERR_MEMORY = -7,     /**< no block left */
    SB_ERR_BUSY = -8,       /**< not now, try again */
    SB_ERR_LINK_DOWN = -9,  /**< no connection to the peer's node */
    SB_ERR_FULL = -10,      /**< a counter or queue is at its limit */
    SB_ERR_CONTEXT = -11,   /**< not allowed where it was called from */
    SB_ERR_PROTOCOL = -12,  /**< the peer sent what it must not send */
    SB_ERR_CORRUPT = -13,   /**< an end mark, stack mark or list was overwritten */
    SB_ERR_ABANDONED = -14, /**< the lock is the caller's now, but its last owner died holding it */
    SB_ERR_DEADLOCK = -15,  /**< waiting would never end: its owner waits for the caller */
    SB_ERR_WOKEN = -16,     /**< a delay was ended by sb_task_wake */
    SB_ERR_DENIED = -17,    /**< a task of a domain must not do this (isolation.h) */
};

#endif
