/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CM_PTP_WIRE_H
#define CM_PTP_WIRE_H
/** @file
 *  Frames of cm/ptp. Both nodes are little endian; every field lies on its own size. A frame is the main
 *  header, the type's own header behind it, then data.
 *
 *     type           own header        data
 *     RESET          -                 -            connection: the sender's, which ends
 *     CONNECT        ptp_connect       -            connection: the one the sender proposes for what it sends
 *     CONNECT ACK    ptp_connect       -            `answered`: the connection of the CONNECT that is acknowledged
 *     UDATA          ptp_udata         first part   `total_bytes` beyond this frame's data: fragments follow
 *     FRAG           ptp_frag          next part
 *     HEARTBEAT      -                 -
 *     HEARTBEAT ACK  -                 -
 *
 *  UDATA and FRAG of a connection are numbered from 1 on; the other types carry 0. The signal's data begins
 *  with its number. */
#include <assert.h>
#include <stddef.h>
#include <stdint.h>

#define PTP_VERSION 1u

enum ptp_type {
    PTP_RESET = 1,
    PTP_CONNECT = 2,
    PTP_CONNECT_ACK = 3,
    PTP_UDATA = 4,
    PTP_FRAG = 5,
    PTP_HEARTBEAT = 6,
    PTP_HEARTBEAT_ACK = 7,
};

struct ptp_main {
    uint8_t version;
    uint8_t type;        /**< enum ptp_type */
    uint16_t connection; /**< the sender's connection number, never 0 */
    uint32_t size_bytes; /**< of the whole frame */
    uint32_t sequence;
};

struct ptp_connect {
    uint32_t answered;  /**< CONNECT ACK: the acknowledged connection; CONNECT: 0 */
    uint32_t mtu_bytes; /**< of the sender; both must be equal */
};

struct ptp_udata {
    uint32_t from;
    uint32_t to;
    uint32_t total_bytes; /**< of the signal */
};

struct ptp_frag {
    uint32_t offset_bytes; /**< of this part in the signal */
};

/** The longest header, as one piece of the list that the driver gets. */
struct ptp_header {
    struct ptp_main main;
    union {
        struct ptp_connect connect;
        struct ptp_udata udata;
        struct ptp_frag frag;
    };
};

#define PTP_UDATA_BYTES ((uint32_t)(sizeof(struct ptp_main) + sizeof(struct ptp_udata)))
#define PTP_FRAG_BYTES ((uint32_t)(sizeof(struct ptp_main) + sizeof(struct ptp_frag)))
#define PTP_CONNECT_BYTES ((uint32_t)(sizeof(struct ptp_main) + sizeof(struct ptp_connect)))

static_assert(sizeof(struct ptp_main) == 12, "wire layout");
static_assert(offsetof(struct ptp_main, connection) == 2, "wire layout");
static_assert(offsetof(struct ptp_main, size_bytes) == 4, "wire layout");
static_assert(offsetof(struct ptp_main, sequence) == 8, "wire layout");
static_assert(sizeof(struct ptp_connect) == 8, "wire layout");
static_assert(offsetof(struct ptp_connect, mtu_bytes) == 4, "wire layout");
static_assert(sizeof(struct ptp_udata) == 12, "wire layout");
static_assert(offsetof(struct ptp_udata, to) == 4, "wire layout");
static_assert(offsetof(struct ptp_udata, total_bytes) == 8, "wire layout");
static_assert(sizeof(struct ptp_frag) == 4, "wire layout");
static_assert(offsetof(struct ptp_header, udata) == 12, "wire layout");
static_assert(sizeof(struct ptp_header) == 24, "wire layout");
static_assert(__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__, "wire byte order");

#endif
