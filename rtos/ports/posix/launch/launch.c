/* SPDX-License-Identifier: Apache-2.0 */
/** @file
 *  Runs the nodes of a system, each a process: launch NODE0 NODE1 ... They share one file of memory and know their cores by their
 *  places. Each line that a node prints gets its name in front, if there are several. The first node that ends ends the machine, and its
 *  code is the launcher's; a signal that killed it counts as 4. */
#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "../platform.h"

/** The port's own page lies before the shared memory. */
#define FILE_BYTES (0x10000 + (long)SB_SHARED_BYTES)
#define LINE_BYTES 1024u
#define CODE_LAUNCHER 5
#define CODE_KILLED 4

static struct {
    pid_t process;
    int output;
    char line[LINE_BYTES];
    size_t length;
} nodes[SB_CORES];

static unsigned count;

static void fail(const char *what)
{
    fprintf(stderr, "launch: %s: %s\n", what, strerror(errno));
    for (unsigned i = 0; i < count; i++) {
        if (nodes[i].process > 0) {
            kill(nodes[i].process, SIGKILL);
        }
    }
    exit(CODE_LAUNCHER);
}

static void begin(unsigned core, const char *program, int memory)
{
    int ends[2];
    if (pipe(ends) != 0) {
        fail("pipe");
    }
    const pid_t process = fork();
    if (process < 0) {
        fail("fork");
    }
    if (process == 0) {
        char number[16];
        snprintf(number, sizeof number, "%u", core);
        setenv("SIGNALBOX_CORE", number, 1);
        snprintf(number, sizeof number, "%d", memory);
        setenv("SIGNALBOX_SHARED_FD", number, 1);
        dup2(ends[1], STDOUT_FILENO);
        close(ends[0]);
        close(ends[1]);
        execl(program, program, (char *)NULL);
        fprintf(stderr, "launch: %s: %s\n", program, strerror(errno));
        _exit(CODE_LAUNCHER);
    }
    close(ends[1]);
    nodes[core].process = process;
    nodes[core].output = ends[0];
}

static void put_line(unsigned core)
{
    if (count > 1) {
        printf("cpu%u | ", core);
    }
    printf("%.*s\n", (int)nodes[core].length, nodes[core].line);
    fflush(stdout);
    nodes[core].length = 0;
}

/** What the node has printed; false when it prints no more. */
static int drain(unsigned core)
{
    char text[512];
    const ssize_t got = read(nodes[core].output, text, sizeof text);
    for (ssize_t i = 0; i < got; i++) {
        if (text[i] == '\n' || nodes[core].length == LINE_BYTES) {
            put_line(core);
        }
        if (text[i] != '\n') {
            nodes[core].line[nodes[core].length++] = text[i];
        }
    }
    if (got <= 0 && nodes[core].length > 0) {
        put_line(core);
    }
    return got > 0;
}

/** Until one node has closed its console, which it does by ending. */
static void follow(void)
{
    for (;;) {
        struct pollfd outputs[SB_CORES];
        for (unsigned i = 0; i < count; i++) {
            outputs[i] = (struct pollfd){.fd = nodes[i].output, .events = POLLIN};
        }
        if (poll(outputs, count, -1) < 0) {
            if (errno == EINTR) {
                continue;
            }
            fail("poll");
        }
        for (unsigned i = 0; i < count; i++) {
            if (outputs[i].revents != 0 && !drain(i)) {
                return;
            }
        }
    }
}

int main(int arguments, char **argument)
{
    if (arguments < 2 || arguments - 1 > (int)SB_CORES) {
        fprintf(stderr, "usage: launch NODE0 [NODE1 ...], at most %u\n", SB_CORES);
        return 2;
    }
    const int memory = memfd_create("signalbox", 0);
    if (memory < 0 || ftruncate(memory, FILE_BYTES) != 0) {
        fail("shared memory");
    }
    count = (unsigned)(arguments - 1);
    for (unsigned i = 0; i < count; i++) {
        begin(i, argument[i + 1], memory);
    }
    follow();
    int status = 0;
    pid_t ended;
    do {
        ended = wait(&status);
    } while (ended < 0 && errno == EINTR);
    for (unsigned i = 0; i < count; i++) {
        if (nodes[i].process != ended) {
            kill(nodes[i].process, SIGKILL);
        }
    }
    for (unsigned i = 0; i < count; i++) {
        while (drain(i)) {
        }
    }
    return WIFEXITED(status) ? WEXITSTATUS(status) : CODE_KILLED;
}
