/* SPDX-License-Identifier: Apache-2.0 */
/* Hunts for a server on another node, has it add, supervises it while it does, and finds its successor. OSE's names only. */
#include <stdio.h>
#include <stdlib.h>

#include "adder.h"

union SIGNAL {
    SIGSELECT sig_no;
    struct add add;
};

static PROCESS find_server(void)
{
    static const SIGSELECT hunted[] = {1, OS_HUNT_SIG};
    union SIGNAL *sig = alloc(sizeof(SIGSELECT), OS_HUNT_SIG);
    (void)hunt("node1/adder", 0, NULL, &sig);
    sig = receive(hunted);
    const PROCESS server = sender(&sig);
    free_buf(&sig);
    return server;
}

/** The sum, or -1 if the server has died. */
static int32_t add(PROCESS server, uint32_t a, uint32_t b)
{
    static const SIGSELECT answers[] = {2, ADD_REPLY, OS_ATTACH_SIG};
    union SIGNAL *sig = alloc(sizeof(struct add), ADD_REQUEST);
    sig->add.a = a;
    sig->add.b = b;
    OSATTREF ref = attach(NULL, server);
    send(&sig, server);
    sig = receive(answers);
    detach(&ref);
    const int32_t sum = sig->sig_no == ADD_REPLY ? (int32_t)sig->add.sum : -1;
    free_buf(&sig);
    return sum;
}

OS_PROCESS(client)
{
    static const SIGSELECT any[] = {0};
    PROCESS server = find_server();
    printf("server found\n");
    int32_t sum = 0;
    for (uint32_t i = 1; i <= 10; i++) {
        sum = add(server, (uint32_t)sum, i);
    }
    printf("1 + ... + 10 = %ld\n", (long)sum);

    (void)attach(NULL, server);
    union SIGNAL *sig = alloc(sizeof(SIGSELECT), STOP_SERVER);
    send(&sig, server);
    sig = receive(any);
    const int from_victim = sig->sig_no == OS_ATTACH_SIG && sender(&sig) == server;
    free_buf(&sig);
    printf("server died, %s\n", from_victim ? "as its own signal says" : "but somebody else says so");
    const int too_late = add(server, 1, 1) == -1;
    printf("a request to the dead: %s\n", too_late ? "attach answers" : "answered");

    const PROCESS successor = find_server();
    const int32_t again = add(successor, 40, 2);
    printf("successor found, 40 + 2 = %ld\n", (long)again);
    exit(sum == 55 && from_victim && too_late && successor != server && again == 42 ? 0 : 1);
}
