/* SPDX-License-Identifier: Apache-2.0 */
/* A server that is created at run time and adds, until it is told to stop. OSE's names only. */
#include "adder.h"

union SIGNAL {
    SIGSELECT sig_no;
    struct add add;
};

OS_PROCESS(adder)
{
    static const SIGSELECT wanted[] = {2, ADD_REQUEST, STOP_SERVER};
    for (;;) {
        union SIGNAL *sig = receive(wanted);
        if (sig->sig_no == STOP_SERVER) {
            free_buf(&sig);
            kill_proc(current_process());
        }
        sig->add.sum = sig->add.a + sig->add.b;
        sig->sig_no = ADD_REPLY;
        send(&sig, sender(&sig));
    }
}

/** Creates the server late, so that the client's hunt has to wait, and once more when it has died. */
OS_PROCESS(server_main)
{
    static const SIGSELECT attached[] = {1, OS_ATTACH_SIG};
    for (;;) {
        delay(20);
        const PROCESS pid = create_process(OS_PRI_PROC, "adder", adder, 2048, 10, 0, 0, NULL, 0, 0);
        (void)attach(NULL, pid);
        start(pid);
        union SIGNAL *sig = receive(attached);
        free_buf(&sig);
    }
}
