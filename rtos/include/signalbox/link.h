/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SIGNALBOX_LINK_H
#define SIGNALBOX_LINK_H
/** @file
 *  Links: how a signal for a task on another node leaves this node and how one from there comes in.
 *
 *  Three parts meet here, and each sees only this file:
 *
 *    RLNH       names, hunts, which link leads to which node       one per node, task priority 9
 *    manager    connection, headers, fragments, queueing           cm/ptp: receive task priority 10; cm/direct: no task
 *    driver     moves frames between two nodes over one medium     runs in the driver interrupt task (priority class of its own)
 *
 *  A link joins exactly two nodes. Each node holds one *end* of it, `struct sb_link`. The *unit* is the number
 *  of an end on its own node; its doorbell bit is fixed by the configuration.
 *
 *  Time runs downwards; `~>` is a doorbell (an interrupt that carries no data), `=>` is data through the medium.
 *
 *  1. Driver handshake. Either node may start first and shared memory holds anything, so a state is believed
 *     only after both have seen each other's *epoch* (a number that changes with each start) come back.
 *
 *        node A: open                              node B: not started (its block is random)
 *        block A := epoch 7, echo 0        ~>        (the bell stays pending, or is lost: no harm)
 *        reads block B: check word wrong
 *        ...                                       open
 *                                                  block B := epoch 4, echo 0
 *                                                  reads block A: valid, epoch 7
 *                                                  all own states := EMPTY, then echo := 7
 *        reads block B: epoch 4, echo 7      <~
 *        own states := EMPTY, echo := 4    ~>
 *        echo of B is my epoch: up                 echo of A is my epoch: up
 *
 *     Own states are made EMPTY *before* echo is written, and nobody looks at the peer's states before the
 *     peer's echo equals the own epoch: so a state left over from before, or random, is never taken for one.
 *
 *  2. Connection handshake (cm/ptp), on top of 1. Each end sends CONNECT with a connection number of its own choice.
 *
 *        CONNECT 21             =>                          Ends are equal; both CONNECTs may cross. An end is
 *                               <=            CONNECT 34    connected when it has *both* the other's CONNECT and the
 *        CONNECT ACK 34         =>                          acknowledge of its own. The medium keeps order, so the
 *                               <=        CONNECT ACK 21    first user data arrives behind the acknowledge.
 *        rlnh up                                 rlnh up
 *
 *     A RESET (bad frame, lost peer) is answered by a new CONNECT, never by a RESET: two resets that cross end
 *     in one handshake. Frames of an older connection number are recognised until the other's CONNECT arrives,
 *     and dropped.
 *
 *  3. Data with acknowledge (shm_ack). One area each way, one frame in it.
 *
 *        application    RLNH           driver                driver interrupt     receive task   application
 *        send ------->  transmit
 *                       tx ---------->  area EMPTY or READ?
 *                                      WRITING, copy 1
 *                                      WRITTEN      ~>       WRITTEN? rx_buf
 *                       (waits)                              READING, copy 2
 *                                                            READ, rx ----------> (made ready)
 *                                      READ? tx_done  <~     ring back, look again
 *                       next frame from the interrupt                            headers, copy 3
 *                                                                                deliver -------> receive
 *
 *  4. Both send at once. There are two areas and each word has one writer, so nothing collides; one doorbell
 *     bit per unit carries both meanings. poll() looks at *both* states whatever rang:
 *
 *        A: WRITTEN   ~>            B: poll: RX area WRITTEN -> takes A's frame
 *                     <~            B: WRITTEN                        (one bell for B's data and for the acknowledge)
 *        A: poll: TX area READ -> tx_done; RX area WRITTEN -> takes B's frame
 *
 *  5. A notify between check and wait. The bell bit is cleared first and the state read afterwards; a ring in
 *     between sets the bit again. The state word decides, the bell only says "look":
 *
 *        driver task: clear bit ......... read state: EMPTY ........... read bits: set -> goes round again
 *        peer:                    (a)                     WRITTEN ~> bit set (b)
 *        at (a) the state is already new when it is read; at (b) the bit brings the task back. Nothing is
 *        lost, a bell too many finds nothing to do.
 *
 *  6. Peer restart. A: up, epoch of B is 4.          B restarts, its memory still holds epoch 4
 *                                                    block B := epoch 5, echo 0        ~> A
 *        A poll: epoch of B changed -> down            (B ignores A's states: A's echo is 4, not 5)
 *        own states EMPTY, echo := 5       ~>         echo is mine: B writes echo := epoch of A, up      ~> A up
 *        What was queued or half sent in A is freed and counted, and RLNH is told: `down`.
 *
 *  7. TX area busy. The manager queues, linked through the signals' own headers (no memory, no limit, no
 *     loss). tx_done starts the next frame, still inside the driver's interrupt:
 *
 *        RLNH: transmit s1 -> tx    transmit s2 -> queued     transmit s3 -> queued
 *        interrupt:                 tx_done -> tx s2          tx_done -> tx s3         tx_done -> idle
 *
 *     The acknowledge may arrive before tx() of the same frame has returned. So everything that tx_done reads
 *     is written before tx() is called, and only the caller's own variables are used after it.
 *
 *  8. No receive buffer. rx_buf answers NULL: the driver leaves the area WRITTEN and does not acknowledge;
 *     the sender's queue grows, nothing is dropped. When the manager has a buffer again it wakes the driver task,
 *     which polls.
 *
 *  9. Fragments. Total 5000, room for 2024 bytes behind UDATA and 2032 behind FRAG (MTU 2048):
 *
 *        UDATA n   total 5000, bytes    0..2023   =>   allocates 5000, copies
 *        FRAG  n+1             bytes 2024..4055   =>   offset is what is expected: copies
 *        FRAG  n+2             bytes 4056..4999   =>   complete: deliver
 *        the signal is freed when tx() of the last fragment has returned (the driver has copied it).
 *        A FRAG without UDATA, another sequence number or offset, too much data: counted, connection reset.
 *        Never an assertion.
 *
 *  The six measured calls of the published system (osek-linx 3.7.1.4) and where they are here:
 *
 *    1 CM-transmit    manager->transmit                        RLNH task
 *    2 DRV-write      driver->tx (a list of buffers)           RLNH task, or driver interrupt (7)
 *    3 DRV-read       the manager gives a buffer back for rx_buf and, if the driver went without (8), wakes it
 *                                                              receive task; at start once for each buffer
 *    4 CM-handleRX    up->rx                                   driver interrupt
 *    5 CM-handleTX    up->tx_done                              driver interrupt
 *    6 RLNH-deliver   sb_rlnh_deliver                          receive task (cm/direct: driver interrupt)
 *
 *  What cm/direct does with the same contract: rx_buf gets the frame's first bytes and its size, so it can
 *  allocate the signal and the driver copies straight into it; rx delivers from the interrupt; transmit takes
 *  credits and rings only when the ring was empty; rx_buf answering NULL is "no credit"; poll is called with the
 *  bells off while there is load.
 *
 *  Order of locks: none. Words that tasks and interrupts of one node share change with interrupts off, for a
 *  bounded number of instructions (never while copying). Words that two nodes share have one writer each. */
#include <stdbool.h>
#include <stdint.h>

#include "signalbox/addr.h"
#include "signalbox/err.h"
#include "signalbox/signal.h"

struct sb_link;
struct sb_link_config; /* config_types.h: what system.toml says about this end */
struct sb_link_driver;
struct sb_link_manager;

/** One piece of a frame. The pieces of a list follow each other on the medium without gaps. */
struct sb_link_piece {
    const void *base;
    uint32_t size_bytes;
};

/** What a medium offers by itself. The manager adds only what is missing. */
struct sb_link_properties {
    bool coherent; /**< both nodes see each other's writes without cache maintenance */
    bool ordered;  /**< frames arrive in the order of tx */
    bool reliable; /**< no frame is lost or damaged while both nodes run */
    bool dma; /**< the medium reads and writes the buffers itself: they stay the manager's until tx_done */
    uint32_t head_bytes; /**< so many first bytes of a frame can be read when rx_buf is called; 0: none */
};

/** Downwards. One constant object per driver. tx and poll of one end never run at the same time, except that
 *  the driver interrupt may poll while tx runs in a task. */
struct sb_link_driver {
    const char *name;
    struct sb_link_properties properties;

    /** Bring the end to its start state and begin the handshake (1). `up` follows, now or later. Also after close.
     *  Context: a link task, while nobody polls.
     *  Errors:  SB_ERR_ARGUMENT  the area is too small or wrongly aligned for this configuration */
    enum sb_err (*open)(struct sb_link *link);

    /** Send one frame made of `count` pieces. The frame is taken (SB_OK: tx_done follows, perhaps before tx
     *  returns) or not (error: tx_done does not follow for it).
     *  Context: RLNH task, receive task, driver interrupt; never blocks.   Time: linear in the frame's size
     *  Errors:  SB_ERR_BUSY       the previous frame has not been taken by the far side
     *           SB_ERR_LINK_DOWN  not up, or went down meanwhile
     *           SB_ERR_SIZE       more than the MTU, or nothing */
    enum sb_err (*tx)(struct sb_link *link, const struct sb_link_piece *list, uint32_t count);

    /** Look at the medium and do what is due: handshake, receive, tx_done. May be called at any time without reason.
     *  Context: driver interrupt task. */
    void (*poll)(struct sb_link *link);

    /** Leave the medium so that the far side notices; nothing is called upwards any more.   Context: as open */
    void (*close)(struct sb_link *link);
};

/** Upwards, offered by the manager to the driver. Context of all: driver interrupt task. */
struct sb_link_upcalls {
    /** Memory for a frame of `size_bytes` (at most the MTU) whose first properties.head_bytes are at `head`.
     *  NULL: none now (8); the driver leaves the frame where it is and is polled again. */
    void *(*rx_buf)(struct sb_link *link, uint32_t size_bytes, const void *head);
    /** The frame is complete in `buffer`, which is the manager's again. */
    void (*rx)(struct sb_link *link, void *buffer, uint32_t size_bytes);
    /** The far side has taken the last frame: tx accepts another. */
    void (*tx_done)(struct sb_link *link);
    /** The peer's driver answers: tx accepts frames. */
    void (*up)(struct sb_link *link);
    /** The peer is gone, restarted or writes nonsense. A frame under way is lost; tx refuses until the next `up`. */
    void (*down)(struct sb_link *link, enum sb_err why);
};

/** A connection manager, as RLNH sees it. One constant object per manager. */
struct sb_link_manager {
    const char *name;
    struct sb_link_upcalls up;

    /** Prepare the end, then open its driver.   Context: RLNH task, once.
     *  Errors: SB_ERR_ARGUMENT  the configuration of the end cannot work; and those of the driver's open */
    enum sb_err (*start)(struct sb_link *link);

    /** Transmit *sig; sender and addressee are in its header, addressee SB_ADDR_NONE means the RLNH of the
     *  peer. Always consumes. Queued if the driver is busy, in order.
     *  Context: RLNH task; never blocks.
     *  Errors:  SB_ERR_LINK_DOWN  not connected; the signal is freed and counted */
    enum sb_err (*transmit)(struct sb_link *link, union sb_signal **sig);

    /** One turn of the receive task: everything that is due now.   Context: receive task */
    void (*work)(struct sb_link *link);

    /** A received signal waits for a pool block: call work again soon.   Context: any */
    bool (*waits_for_memory)(const struct sb_link *link);

    /** One heartbeat interval has passed (never called with the tick off).   Context: receive task */
    void (*heartbeat)(struct sb_link *link);
};

/** What happened on one end since start. Counters only grow; nothing that is discarded is missing here. */
struct sb_link_counters {
    uint32_t frames_tx;
    uint32_t frames_rx;
    uint32_t signals_tx;
    uint32_t signals_rx;
    uint32_t connects;           /**< times the connection came up */
    uint32_t resets;             /**< connection resets that this end began */
    uint32_t downs;              /**< connection or medium went down, whoever began */
    uint32_t driver_restarts;    /**< driver handshakes begun again after a bad or restarted peer */
    uint32_t signals_discarded;  /**< freed because the connection went down or was down */
    uint32_t bad_truncated;      /**< frame shorter than its header, or than its own size says */
    uint32_t bad_version;        /**< header of another version */
    uint32_t bad_type;           /**< unknown frame type, or not expected in this state */
    uint32_t bad_size;           /**< size 0, beyond the MTU or beyond every pool block */
    uint32_t bad_sequence;       /**< sequence number, offset or FRAG without UDATA */
    uint32_t bad_connection;     /**< connection number that was never agreed */
    uint32_t bad_address;        /**< from or to does not belong to the two nodes of the link */
    uint32_t bad_state;          /**< driver: state word that the protocol does not allow */
    uint32_t bad_name_frame;     /**< RLNH frame that cannot be read */
    uint32_t stale;              /**< frames of an older connection */
    uint32_t undeliverable;      /**< received for an addressee that is unknown or dead */
    uint32_t peer_undeliverable; /**< the peer said so of an address that we sent to */
    uint32_t unknown_names;      /**< names that the peer asked for and this node does not have */
    uint32_t no_buffer; /**< rx_buf answered NULL, or no pool block for a signal: back-pressure, no loss */
    uint32_t memory_deadlocks; /**< both sides full of signals for each other: connection reset */
    uint32_t tx_refused;       /**< driver refused a frame although it should be ready */
    uint32_t heartbeats_missed;
};

/** Room for the private state of a driver and of a manager, by the size of a pointer. */
#define SB_LINK_DRIVER_STATE_BYTES (16u + 12u * sizeof(void *))
#define SB_LINK_MANAGER_STATE_BYTES (96u + 66u * sizeof(void *))
/** Most DM-buffers of one end. */
#define SB_LINK_DM_BUFFERS_MAX 16u

/** One end of a link. The first group is constant after start; RLNH's fields belong to link/. */
struct sb_link {
    const struct sb_link_config *config;
    const struct sb_link_driver *driver;
    const struct sb_link_manager *manager;
    uint32_t unit;
    bool started; /**< the driver has been opened: it may be polled */

    bool connected;   /**< as the manager said last; written by the receive task */
    bool names_ready; /**< both RLNHs have agreed on their version */
    bool attach_due;  /**< the peer is to be asked again to watch tasks: there was no memory */
    bool init_due;    /**< an init frame is to be sent and found no memory yet */
    uint32_t downs_seen;
    uint32_t downs_told;
    union sb_signal *event; /**< carries up and down from the receive task to RLNH; NULL while under way */

    struct sb_link_counters counters;
    _Alignas(8) uint8_t driver_state[SB_LINK_DRIVER_STATE_BYTES];
    _Alignas(8) uint8_t manager_state[SB_LINK_MANAGER_STATE_BYTES];
};

/** RLNH's entry for managers: hand over a signal that has arrived. Always consumes. Probe: RLNH-deliver.
 *  Context: receive task (cm/ptp), driver interrupt (cm/direct). */
void sb_rlnh_deliver(struct sb_link *link, union sb_signal **sig, sb_addr from, sb_addr to);
/** The connection is established.   Context: receive task */
void sb_rlnh_up(struct sb_link *link);
/** The connection is lost (connection reset, peer gone). Pending hunts over it end with an error.   Context:
 *  receive task */
void sb_rlnh_down(struct sb_link *link, enum sb_err why);

/** What managers use besides: run the receive task's work soon; have the driver polled soon.   Context: any */
void sb_link_wake_receiver(void);
void sb_link_wake_driver(struct sb_link *link);
/** Pool blocks may have become free: if a received signal waits for one, it is tried again.   Context: any */
void sb_link_memory_freed(void);
/** Whether a frame of this link may carry these addresses: peer to this node, or RLNH to RLNH (both SB_ADDR_NONE). */
bool sb_link_addresses_fit(const struct sb_link *link, sb_addr from, sb_addr to);
/** Largest signal that a pool of this node can hold.   Context: any, after start */
uint32_t sb_link_signal_bytes_max(void);

/** The copy of all links: words where both sides are aligned to 4, else bytes. The ranges do not overlap.  
 *  Context: any */
void sb_link_copy(void *to, const void *from, uint32_t size_bytes);

/** Counters of the end `unit` of this node, NULL if there is none.   Context: any */
const struct sb_link_counters *sb_link_counters(uint32_t unit);
/** Whether signals can be sent to the peer of `unit` now.   Context: any */
bool sb_link_is_up(uint32_t unit);

/** Entries of the three link tasks, put into the task table by the build: "rlnh" (priority 9), "cm_rx" (10),
 *  "drv" (interrupt). */
void sb_rlnh_task(void);
void sb_cm_rx_task(void);
void sb_link_driver_task(void);

extern const struct sb_link_manager sb_manager_cm_ptp;
extern const struct sb_link_driver sb_driver_shm_ack;

#endif
