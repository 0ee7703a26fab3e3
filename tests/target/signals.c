/* SPDX-License-Identifier: Apache-2.0 */
#include <stddef.h>

#include "signalbox/pool.h"
#include "test.h"

static const uint32_t any[] = {0};

static void send_numbers(uint32_t first, uint32_t last)
{
    for (uint32_t i = first; i <= last; i++) {
        union sb_signal *sig = sb_alloc(sizeof(struct numbered), i);
        sig->numbered.value = 100 * i;
        EQUAL(sb_send(&sig, sb_self()), SB_OK);
        EQUAL(sig == NULL, true);
    }
}

/** Receive by polling and expect this number, 0: none. */
static void expect(const uint32_t *selection, uint32_t signo)
{
    union sb_signal *sig = sb_receive_timeout(selection, 0);
    EQUAL(sig != NULL ? sig->signo : 0, signo);
    if (sig != NULL) {
        EQUAL(sig->numbered.value, 100 * signo);
        sb_free(&sig);
        EQUAL(sig == NULL, true);
    }
}

static void selection_lists(void)
{
    static const uint32_t three[] = {1, 3};
    static const uint32_t five_or_two[] = {2, 5, 2};
    static const uint32_t not_one[] = {SB_SELECT_EXCEPT(1), 1};
    static const uint32_t not_one_four[] = {SB_SELECT_EXCEPT(2), 1, 4};
    send_numbers(1, 5);
    expect(three, 3);
    expect(three, 0);
    expect(five_or_two, 2);
    expect(five_or_two, 5);
    send_numbers(6, 6); /* behind what is left, though the last one was taken out */
    expect(not_one_four, 6);
    expect(not_one, 4);
    expect(not_one, 0);
    expect(any, 1);
    expect(any, 0);
}

static sb_addr waiter_got;

static void wait_for_seven(void)
{
    static const uint32_t seven[] = {1, 7};
    test_log('w');
    union sb_signal *sig = sb_receive(seven);
    test_log('7');
    waiter_got = sb_sender(sig);
    sb_free(&sig);
    sig = sb_receive(any);
    test_log((char)('0' + sig->signo));
    sb_free(&sig);
}

static void waiting_with_list(void)
{
    test_run_on("high", wait_for_seven);
    for (uint32_t signo = 6; signo <= 7; signo++) {
        union sb_signal *sig = sb_alloc(sizeof(struct numbered), signo);
        test_log('m');
        EQUAL(sb_send_from(&sig, sb_task_lookup("high"), sb_task_lookup("low")), SB_OK);
    }
    LOG_EXPECT("wmm76");
    EQUAL(waiter_got, sb_task_lookup("low"));
}

static void reply_plus_one(void)
{
    union sb_signal *sig = sb_receive(any);
    sig->numbered.value++;
    EQUAL(sb_send(&sig, sb_sender(sig)), SB_OK);
}

static void headers(void)
{
    union sb_signal *sig = sb_alloc(5, 9);
    EQUAL(sb_size(sig), 5);
    EQUAL(sb_sender(sig), sb_self());
    EQUAL(sb_addressee(sig), SB_ADDR_NONE);
    EQUAL(sb_send_from(&sig, sb_self(), sb_task_lookup("low")), SB_OK);
    sig = sb_receive(any);
    EQUAL(sb_size(sig), 5);
    EQUAL(sb_sender(sig), sb_task_lookup("low"));
    EQUAL(sb_addressee(sig), sb_self());
    sb_restore(sig);
    EQUAL(sb_sender(sig), sb_self());
    EQUAL(sb_addressee(sig), SB_ADDR_NONE);
    sb_free(&sig);

    /* The same block goes there and back. */
    test_run_on("low", reply_plus_one);
    sig = sb_alloc(sizeof(struct numbered), 9);
    sig->numbered.value = 41;
    const union sb_signal *block = sig;
    EQUAL(sb_send(&sig, sb_task_lookup("low")), SB_OK);
    sig = sb_receive(any);
    EQUAL(sig->numbered.value, 42);
    EQUAL(sig == block, true);
    EQUAL(sb_sender(sig), sb_task_lookup("low"));
    sb_free(&sig);
}

static void nobody_there(void)
{
    static const sb_addr nobodies[] = {
        SB_ADDR_NONE,
        (3u << 22) | 2u,               /* another generation */
        (3u << 22) | (13u << 10) | 1u, /* idle is nobody */
        (3u << 22) | (4095u << 10) | 1u,
        (4u << 22) | 1u, /* another node, no link */
    };
    for (uint32_t i = 0; i < sizeof nobodies / sizeof *nobodies; i++) {
        union sb_signal *sig = sb_alloc(8, 1);
        EQUAL(sb_send(&sig, nobodies[i]), SB_ERR_DEAD);
        EQUAL(sig == NULL, true);
        EQUAL(test_in_use(), 0);
    }
}

void test_signals(void)
{
    selection_lists();
    waiting_with_list();
    headers();
    nobody_there();
}

static uint32_t in_use(uint32_t pool, uint32_t class_index)
{
    struct sb_pool_status status;
    EQUAL(sb_pool_status(pool, class_index, &status), SB_OK);
    return status.in_use;
}

void test_pools(void)
{
    union sb_signal *sig[9];
    struct sb_pool_status status;

    /* The smallest class that fits, exactly at its limit and one above. */
    sig[0] = sb_alloc(16, 1);
    EQUAL(in_use(0, 0), 1);
    sig[1] = sb_alloc(17, 1);
    EQUAL(in_use(0, 1), 1);
    sig[2] = sb_alloc(65, 1);
    sig[3] = sb_alloc(1024, 1);
    EQUAL(in_use(0, 2), 2);
    EQUAL((uintptr_t)sig[0] % 8, 0);
    EQUAL((uintptr_t)sig[3] % 8, 0);

    /* An exhausted class takes from no other; too large is refused. */
    EQUAL(sb_alloc_nil(65, 1) == NULL, true);
    EQUAL(sb_alloc_nil(1025, 1) == NULL, true);
    EQUAL(sb_pool_status(0, 2, &status), SB_OK);
    EQUAL(status.block_bytes, 1024);
    EQUAL(status.blocks, 2);
    EQUAL(status.in_use_max, 2);
    EQUAL(status.refused, 1);

    /* What was freed last is taken first. */
    union sb_signal *last = sig[3];
    sb_free(&sig[2]);
    sb_free(&sig[3]);
    sig[3] = sb_alloc_nil(1000, 1);
    EQUAL(sig[3] == last, true);
    sb_free(&sig[3]);
    sb_free(&sig[0]);
    sb_free(&sig[1]);

    /* Another pool; its signals go back to it wherever they were. */
    EQUAL(sb_pool_classes(1), 1);
    EQUAL(sb_pool_classes(2), 0);
    for (uint32_t i = 0; i < 3; i++) {
        sig[i] = sb_alloc_from(1, 8, i + 1);
        EQUAL(sig[i] != NULL, true);
        EQUAL(sb_send(&sig[i], sb_self()), SB_OK);
    }
    EQUAL(sb_alloc_from(1, 8, 1) == NULL, true);
    EQUAL(in_use(1, 0), 3);
    for (uint32_t i = 0; i < 3; i++) {
        sig[0] = sb_receive(any);
        EQUAL(sig[0]->signo, i + 1);
        sb_free(&sig[0]);
    }
    EQUAL(in_use(1, 0), 0);
    EQUAL(sb_pool_status(1, 1, &status), SB_ERR_ARGUMENT);
}
