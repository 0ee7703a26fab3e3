/* SPDX-License-Identifier: Apache-2.0 */
/* Signals of the adding server. */
#ifndef OSE_PAIR_ADDER_H
#define OSE_PAIR_ADDER_H
#include "ose.h"

#define ADD_REQUEST 1000 /* to the server */
#define ADD_REPLY 1001   /* the same buffer back */
#define STOP_SERVER 1002 /* the server kills itself */

struct add {
    SIGSELECT sig_no;
    uint32_t a;
    uint32_t b;
    uint32_t sum;
};

#endif
