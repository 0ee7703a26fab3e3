/* SPDX-License-Identifier: Apache-2.0 */
/** @file
 *  Every call of the OSE skin, in a program that knows only OSE's names. The same file runs on hosts (tests/kernel) and on
 *  targets (system.toml): `ose_main` calls the functions of the table below one after the other and says how each went. */
#include "program.h"

#include "ose.h"

#ifndef OSE_TEST_STACK
#define OSE_TEST_STACK 2048
#endif

#define NUMBER 100
#define OTHER 101
#define DONE 102

struct number {
    SIGSELECT sig_no;
    uint32_t value;
};

union SIGNAL {
    SIGSELECT sig_no;
    struct number number;
};

static const SIGSELECT any[] = {0};
static uint32_t failed_line;

static void check(int holds, uint32_t line)
{
    if (!holds && failed_line == 0) {
        failed_line = line;
    }
}
#define CHECK(what) check((what) != 0, __LINE__)

static union SIGNAL *numbered(SIGSELECT no, uint32_t value)
{
    union SIGNAL *sig = alloc(sizeof(struct number), no);
    sig->number.value = value;
    return sig;
}

static void send_numbers(PROCESS to, uint32_t first, uint32_t last)
{
    for (uint32_t no = first; no <= last; no++) {
        union SIGNAL *sig = numbered(no, 10 * no);
        send(&sig, to);
    }
}

/** The number of the next signal that `sel` wants, without waiting; 0: there is none. */
static SIGSELECT poll(const SIGSELECT *sel)
{
    union SIGNAL *sig = receive_w_tmo(0, sel);
    SIGSELECT no = 0;
    if (sig != NIL) {
        no = sig->sig_no;
        free_buf(&sig);
        CHECK(sig == NIL);
    }
    return no;
}

/* ---- processes of the program */

OS_PROCESS(ose_echo)
{
    for (;;) {
        union SIGNAL *sig = receive(any);
        sig->number.value++;
        send(&sig, sender(&sig));
    }
}

static uint32_t interrupts;
static int interrupt_reason;

OS_PROCESS(ose_interrupt)
{
    interrupts++;
    interrupt_reason = wake_up();
    union SIGNAL *sig = receive_w_tmo(0, any);
    if (sig != NIL) {
        free_buf(&sig);
    }
}

static SEMAPHORE *shared;
static char order[16];
static uint32_t order_length;

static void note(char c)
{
    if (order_length < sizeof order - 1) {
        order[order_length++] = c;
    }
}

static int order_was(const char *want)
{
    order[order_length] = '\0';
    order_length = 0;
    return strcmp(order, want) == 0;
}

OS_PROCESS(takes_semaphore)
{
    wait_sem(shared);
    note('s');
    kill_proc(current_process());
}

OS_PROCESS(takes_fast_semaphore)
{
    note('w');
    wait_fsem(2);
    note('f');
    wait_fsem();
    note('g');
}

OS_PROCESS(sleeps)
{
    for (;;) {
        delay(60000);
        note('d');
    }
}

OS_PROCESS(notes_itself)
{
    note('n');
}

OS_PROCESS(waits_for_nothing)
{
    (void)receive(any);
}

static PROCESS create(const char *name, OSENTRYPOINT *entry, OSPRIORITY priority)
{
    const PROCESS pid =
        create_process(OS_PRI_PROC, name, entry, OSE_TEST_STACK, priority, (OSTIME)0, 0, NULL, 0, 0);
    CHECK(pid != 0);
    return pid;
}

/* ---- signals */

static void alloc_puts_the_number_in_front(void)
{
    union SIGNAL *sig = alloc(sizeof(struct number), NUMBER);
    CHECK(sig->sig_no == NUMBER);
    CHECK(sigsize(&sig) == sizeof(struct number));
    CHECK(sender(&sig) == current_process());
    free_buf(&sig);
    CHECK(sig == NIL);
}

static void alloc_nil_answers_nil_when_there_is_none(void)
{
    union SIGNAL *sig = alloc_nil(1u << 20, NUMBER);
    CHECK(sig == NIL);
    sig = alloc_nil(7, NUMBER);
    CHECK(sig != NIL && sigsize(&sig) == 7);
    free_buf(&sig);
}

static void s_alloc_takes_from_its_pool(void)
{
    union SIGNAL *first = s_alloc(1, 8, NUMBER);
    union SIGNAL *second = s_alloc_nil(1, 8, NUMBER);
    CHECK(second != NIL);
    CHECK(s_alloc_nil(1, 8, NUMBER) == NIL); /* two blocks */
    free_buf(&first);
    free_buf(&second);
    reset_pool(1);
    first = s_alloc(1, 8, OTHER);
    CHECK(first->sig_no == OTHER);
    free_buf(&first);
}

static void send_takes_the_pointer(void)
{
    PROCESS echo;
    CHECK(hunt("echo", 0, &echo, NULL));
    union SIGNAL *sig = numbered(NUMBER, 41);
    const union SIGNAL *block = sig;
    send(&sig, echo);
    CHECK(sig == NIL);
    sig = receive(any);
    CHECK(sig == block && sig->number.value == 42);
    CHECK(sender(&sig) == echo);
    CHECK(addressee(&sig) == current_process());
    free_buf(&sig);
}

static void send_w_s_names_another_sender(void)
{
    PROCESS echo;
    CHECK(hunt("echo", 0, &echo, NULL));
    union SIGNAL *sig = numbered(NUMBER, 1);
    send_w_s(&sig, echo, current_process());
    CHECK(sig == NIL);
    sig = receive(any);
    CHECK(sender(&sig) == echo);
    restore(sig);
    CHECK(sender(&sig) == current_process());
    free_buf(&sig);
}

static void receive_selects(void)
{
    static const SIGSELECT one_or_three[] = {2, 1, 3};
    static const SIGSELECT not_two[] = {(SIGSELECT)-1, 2};
    send_numbers(current_process(), 1, 5);
    CHECK(poll(one_or_three) == 1);
    CHECK(poll(one_or_three) == 3);
    CHECK(poll(one_or_three) == 0);
    CHECK(poll(not_two) == 4);
    CHECK(poll(any) == 2);
    CHECK(poll(any) == 5);
    CHECK(poll(any) == 0);
}

static void receive_w_tmo_ends(void)
{
    const OSTICK begin = get_ticks();
    CHECK(receive_w_tmo(20, any) == NIL);
    CHECK(get_ticks() - begin >= 20000 / system_tick());
}

static void signals_keep_their_order(void)
{
    send_numbers(current_process(), 1, 8);
    for (SIGSELECT no = 1; no <= 8; no++) {
        CHECK(poll(any) == no);
    }
}

static void send_to_the_dead_frees(void)
{
    const PROCESS pid = create("short", notes_itself, 5);
    start(pid);
    CHECK(order_was("n")); /* has run and ended */
    union SIGNAL *sig = numbered(NUMBER, 1);
    send(&sig, pid);
    CHECK(sig == NIL);
}

/* ---- semaphores */

static void fast_semaphores_count(void)
{
    const PROCESS self = current_process();
    set_fsem(2, self);
    CHECK(get_fsem(self) == 2);
    signal_fsem(self);
    wait_fsem(2);
    wait_fsem();
    CHECK(get_fsem(self) == 0);
}

static void fast_semaphores_wake(void)
{
    const PROCESS pid = create("fast", takes_fast_semaphore, 5);
    set_fsem(0, pid);
    start(pid);
    CHECK(get_fsem(pid) == -1);
    signal_fsem(pid);
    note('1');
    signal_fsem(pid);
    note('2');
    signal_fsem(pid);
    CHECK(order_was("w1f2g"));
}

static void semaphores_are_made_and_killed(void)
{
    shared = create_sem(1);
    CHECK(get_sem(shared) == 1);
    wait_sem(shared);
    CHECK(get_sem(shared) == 0);
    const PROCESS pid = create("taker", takes_semaphore, 5);
    start(pid);
    note('1');
    signal_sem(shared);
    CHECK(order_was("1s"));
    signal_sem(shared);
    CHECK(get_sem(shared) == 1);
    kill_sem(shared);
}

/* ---- processes */

static void processes_start_stopped(void)
{
    const PROCESS pid = create("born", notes_itself, 5);
    CHECK(order_was(""));
    start(pid);
    CHECK(order_was("n"));
}

static void stop_and_start_count(void)
{
    const PROCESS pid = create("counted", notes_itself, 5);
    stop(pid);
    start(pid);
    CHECK(order_was(""));
    start(pid);
    CHECK(order_was("n"));
}

static void priorities_change(void)
{
    const PROCESS self = current_process();
    const OSPRIORITY before = get_pri(self);
    CHECK(set_pri(12) == before);
    CHECK(get_pri(self) == 12);
    const PROCESS pid = create("lower", notes_itself, 14);
    start(pid);
    CHECK(order_was(""));
    (void)set_pri(15); /* now it is more urgent */
    CHECK(order_was("n"));
    CHECK(set_pri(before) == 15);
    const PROCESS other = create("other", notes_itself, 20);
    start(other);
    CHECK(set_pri_for(other, 5) == 20); /* has run: it was more urgent */
    CHECK(order_was("n"));
}

static void kill_proc_ends_a_process(void)
{
    const PROCESS pid = create("victim", waits_for_nothing, 5);
    start(pid);
    union SIGNAL *sig = numbered(NUMBER, 1);
    kill_proc(pid);
    kill_proc(pid); /* stays dead */
    send(&sig, pid);
    PROCESS found;
    CHECK(!hunt("victim", 0, &found, NULL));
    CHECK(found == 0);
}

static void dead_identifiers_are_not_reused(void)
{
    const PROCESS first = create("again", notes_itself, 5);
    kill_proc(first);
    const PROCESS second = create("again", notes_itself, 5);
    CHECK(first != second);
    kill_proc(second);
}

static void wake_up_ends_a_delay(void)
{
    const PROCESS pid = create("sleeper", sleeps, 5);
    start(pid);
    wake_up(pid);
    CHECK(order_was("d"));
    kill_proc(pid);
}

static void delay_lasts(void)
{
    const OSTICK begin = get_ticks();
    delay(10);
    CHECK(get_ticks() - begin >= 10000 / system_tick());
}

static void interrupt_processes_run_when_signalled(void)
{
    PROCESS pid;
    CHECK(hunt("interrupt", 0, &pid, NULL));
    interrupts = 0;
    signal_fsem(pid);
    CHECK(interrupts == 1 && interrupt_reason == 1);
    union SIGNAL *sig = numbered(NUMBER, 1);
    send(&sig, pid);
    CHECK(interrupts == 2 && interrupt_reason == 0);
}

static void interrupt_processes_are_created(void)
{
    const PROCESS pid = create_process(OS_INT_PROC, "another", ose_interrupt, 0, 3, 0, 0, NULL, 0, 0);
    CHECK(pid != 0);
    interrupts = 0;
    start(pid);
    signal_fsem(pid);
    CHECK(interrupts == 1);
    kill_proc(pid);
}

static void timer_interrupt_processes_run_every_time_slice(void)
{
    const PROCESS pid = create_process(OS_TI_PROC, "ticking", ose_interrupt, 0, 3, 4, 0, NULL, 0, 0);
    interrupts = 0;
    delay(10);
    CHECK(interrupts == 0); /* stopped */
    start(pid);
    const OSTICK begin = get_ticks();
    while (interrupts < 3) {
        delay(1);
    }
    CHECK(get_ticks() - begin >= 2 * 4000 / system_tick());
    CHECK(interrupt_reason == 1);
    kill_proc(pid);
    delay(10);
    CHECK(interrupts == 3);
}

static void background_processes_are_the_last(void)
{
    const PROCESS pid =
        create_process(OS_BG_PROC, "background", notes_itself, OSE_TEST_STACK, 0, 5, 0, NULL, 0, 0);
    CHECK(get_pri(pid) == 31);
    start(pid);
    note('1');
    delay(2);
    CHECK(order_was("1n"));
}

/* ---- supervision and names */

static void attach_arrives_from_the_victim(void)
{
    static const SIGSELECT attached[] = {1, OS_ATTACH_SIG};
    const PROCESS pid = create("victim", waits_for_nothing, 5);
    start(pid);
    (void)attach(NULL, pid);
    CHECK(poll(any) == 0);
    kill_proc(pid);
    union SIGNAL *sig = receive(attached);
    CHECK(sender(&sig) == pid);
    CHECK(sigsize(&sig) == sizeof(SIGSELECT));
    free_buf(&sig);
}

static void attach_brings_the_callers_signal(void)
{
    const PROCESS pid = create("victim", waits_for_nothing, 5);
    union SIGNAL *sig = numbered(NUMBER, 77);
    (void)attach(&sig, pid);
    CHECK(sig == NIL);
    kill_proc(pid);
    sig = receive_w_tmo(0, any);
    CHECK(sig != NIL && sig->number.value == 77 && sender(&sig) == pid);
    free_buf(&sig);
}

static void attach_to_the_dead_is_answered_at_once(void)
{
    const PROCESS pid = create("victim", waits_for_nothing, 5);
    kill_proc(pid);
    (void)attach(NULL, pid);
    union SIGNAL *sig = receive_w_tmo(0, any);
    CHECK(sig != NIL && sig->sig_no == OS_ATTACH_SIG && sender(&sig) == pid);
    free_buf(&sig);
}

static void detach_takes_back(void)
{
    const PROCESS pid = create("victim", waits_for_nothing, 5);
    OSATTREF ref = attach(NULL, pid);
    CHECK(ref != OSE_ILLEGAL_ATTREF);
    detach(&ref);
    CHECK(ref == OSE_ILLEGAL_ATTREF);
    ref = attach(NULL, pid);
    kill_proc(pid);
    detach(&ref); /* out of the queue */
    CHECK(poll(any) == 0);
    detach(&ref); /* nothing happens */
}

static void hunt_finds_now(void)
{
    PROCESS pid = 1;
    CHECK(!hunt("nobody", 0, &pid, NULL) && pid == 0);
    CHECK(hunt("echo", 0, &pid, NULL) && pid != 0);
}

static void hunt_waits_for_the_name(void)
{
    static const SIGSELECT hunted[] = {1, OS_HUNT_SIG};
    union SIGNAL *sig = alloc(sizeof(SIGSELECT), OS_HUNT_SIG);
    CHECK(!hunt("later", 0, NULL, &sig));
    CHECK(sig == NIL && poll(any) == 0);
    const PROCESS pid = create("later", waits_for_nothing, 5);
    sig = receive(hunted);
    CHECK(sender(&sig) == pid);
    free_buf(&sig);
    sig = numbered(NUMBER, 3);
    PROCESS found;
    CHECK(hunt("later", 0, &found, &sig) && found == pid);
    sig = receive_w_tmo(0, any); /* exists: has come at once */
    CHECK(sig != NIL && sig->number.value == 3 && sender(&sig) == pid);
    free_buf(&sig);
    kill_proc(pid);
}

/* ---- the timeout server */

static uint32_t calls;

static void call(void *argument)
{
    calls += *(const uint32_t *)argument;
}

static void request_tmo_sends_a_signal(void)
{
    (void)request_tmo(5, NUMBER);
    union SIGNAL *sig = receive_w_tmo(50, any);
    CHECK(sig != NIL && sig->sig_no == NUMBER);
    free_buf(&sig);
    (void)request_tmo(5, NULL);
    sig = receive_w_tmo(50, any);
    CHECK(sig != NIL && sig->sig_no == OS_TMO_SIG);
    free_buf(&sig);
    sig = numbered(OTHER, 8);
    (void)request_tmo_sig(1, &sig);
    CHECK(sig == NIL);
    sig = receive_w_tmo(50, any);
    CHECK(sig != NIL && sig->number.value == 8);
    free_buf(&sig);
    sig = numbered(OTHER, 9);
    (void)request_tmo(0, &sig);
    CHECK(sig == NIL);
    sig = receive_w_tmo(50, any);
    CHECK(sig != NIL && sig->number.value == 9);
    free_buf(&sig);
}

static void cancel_tmo_takes_back(void)
{
    OSTMOREF ref = request_tmo(5, NUMBER);
    cancel_tmo(&ref);
    CHECK(ref == OSE_ILLEGAL_TMOREF);
    ref = request_tmo(2, NUMBER);
    delay(5);
    cancel_tmo(&ref); /* out of the queue */
    CHECK(receive_w_tmo(10, any) == NIL);
    cancel_tmo(&ref);
}

static void modify_tmo_changes_the_time(void)
{
    OSTMOREF ref = request_tmo(60000, NUMBER);
    modify_tmo(&ref, 5);
    union SIGNAL *sig = receive_w_tmo(50, any);
    CHECK(sig != NIL && sig->sig_no == NUMBER);
    free_buf(&sig);
    modify_tmo(&ref, 5);
    CHECK(receive_w_tmo(10, any) == NIL);
    ref = request_tmo(5, NUMBER);
    restart_tmo(&ref, 20);
    CHECK(receive_w_tmo(10, any) == NIL);
    CHECK(receive_w_tmo(0, any) == NIL);
    cancel_tmo(&ref);
}

static void timeouts_call_back(void)
{
    static const uint32_t one = 1;
    static const uint32_t hundred = 100;
    calls = 0;
    (void)request_tmo_callback(5, 0, call, (void *)(uintptr_t)&hundred);
    OSTMOREF ref = request_tmo_callback(2, 4, call, (void *)(uintptr_t)&one);
    while (calls < 103) {
        delay(1);
    }
    cancel_tmo(&ref);
    const uint32_t last = calls;
    delay(12);
    CHECK(calls == last);
}

static const struct ose_test tests[] = {
#define TEST(name)  \
    {               \
#name, name \
    }
    TEST(alloc_puts_the_number_in_front),
    TEST(alloc_nil_answers_nil_when_there_is_none),
    TEST(s_alloc_takes_from_its_pool),
    TEST(send_takes_the_pointer),
    TEST(send_w_s_names_another_sender),
    TEST(receive_selects),
    TEST(receive_w_tmo_ends),
    TEST(signals_keep_their_order),
    TEST(send_to_the_dead_frees),
    TEST(fast_semaphores_count),
    TEST(fast_semaphores_wake),
    TEST(semaphores_are_made_and_killed),
    TEST(processes_start_stopped),
    TEST(stop_and_start_count),
    TEST(priorities_change),
    TEST(kill_proc_ends_a_process),
    TEST(dead_identifiers_are_not_reused),
    TEST(wake_up_ends_a_delay),
    TEST(delay_lasts),
    TEST(interrupt_processes_run_when_signalled),
    TEST(interrupt_processes_are_created),
    TEST(timer_interrupt_processes_run_every_time_slice),
    TEST(background_processes_are_the_last),
    TEST(attach_arrives_from_the_victim),
    TEST(attach_brings_the_callers_signal),
    TEST(attach_to_the_dead_is_answered_at_once),
    TEST(detach_takes_back),
    TEST(hunt_finds_now),
    TEST(hunt_waits_for_the_name),
    TEST(request_tmo_sends_a_signal),
    TEST(cancel_tmo_takes_back),
    TEST(modify_tmo_changes_the_time),
    TEST(timeouts_call_back),
};

OS_PROCESS(ose_main)
{
    for (uint32_t i = 0; i < sizeof tests / sizeof *tests; i++) {
        failed_line = 0;
        tests[i].run();
        CHECK(poll(any) == 0); /* nothing is left over */
        CHECK(order_was(""));
        ose_say(tests[i].name, failed_line);
    }
    ose_end();
}
