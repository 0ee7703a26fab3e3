/* SPDX-License-Identifier: Apache-2.0 */
/** @file
 *  Ready queue, timer queue, signal queue and selection lists against models that are obviously right. */
#include "check.h"
#include "ready.h"
#include "select.h"
#include "timer_queue.h"

#define TASKS 40u

static struct sb_task tasks[TASKS];

/* ---- bits */

static void lowest_bit(void)
{
    for (uint32_t bit = 0; bit < 32; bit++) {
        EQUAL(sb_lowest_bit(1u << bit), bit);
        EQUAL(sb_lowest_bit(0xffffffffu << bit), bit);
    }
}

/* ---- ready queue: the model is one list of tasks in the order of their arrival */

static uint32_t order[TASKS];
static uint32_t arrived;

static uint32_t place_of(uint32_t task)
{
    uint32_t i = 0;
    while (i < arrived && order[i] != task) {
        i++;
    }
    return i;
}

static struct sb_task *model_first(void)
{
    struct sb_task *best = NULL;
    for (uint32_t i = 0; i < arrived; i++) {
        struct sb_task *task = &tasks[order[i]];
        if (best == NULL || task->priority < best->priority) {
            best = task;
        }
    }
    return best;
}

static void ready_queue(void)
{
    struct sb_ready_queue queue = {0};
    memset(tasks, 0, sizeof tasks);
    arrived = 0;
    for (uint32_t step = 0; step < check_rounds(200000) && check_failed() == 0; step++) {
        const uint32_t task = check_random(TASKS);
        const uint32_t place = place_of(task);
        if (place == arrived) {
            tasks[task].priority = (uint8_t)check_random(check_random(2) ? 32 : 3);
            sb_ready_append(&queue, &tasks[task]);
            order[arrived++] = task;
        } else {
            sb_ready_remove(&queue, &tasks[task]);
            arrived--;
            memmove(&order[place], &order[place + 1], (arrived - place) * sizeof *order);
        }
        EQUAL(sb_ready_first(&queue) == model_first(), true);
    }
    while (arrived > 0 && check_failed() == 0) {
        struct sb_task *first = sb_ready_first(&queue);
        EQUAL(first == model_first(), true);
        sb_ready_remove(&queue, first);
        const uint32_t place = place_of((uint32_t)(first - tasks));
        arrived--;
        memmove(&order[place], &order[place + 1], (arrived - place) * sizeof *order);
    }
    EQUAL(queue.levels, 0);
}

/* ---- timer queue: the model is the list of armed tasks with the ticks that remain */

static uint64_t remaining[TASKS];
static uint64_t armed_at[TASKS];

static void timer_queue(void)
{
    struct sb_timer_queue queue = {.first = NULL, .now_tick = 0xffffff00u}; /* wraps on the way */
    uint64_t now = 0;
    memset(tasks, 0, sizeof tasks);
    for (uint32_t step = 0; step < check_rounds(200000) && check_failed() == 0; step++) {
        const uint32_t task = check_random(TASKS);
        if (check_random(3) == 0) {
            now++;
            queue.now_tick++;
            for (;;) {
                uint32_t due = TASKS; /* of those due now: armed first */
                for (uint32_t i = 0; i < TASKS; i++) {
                    if (tasks[i].timing && remaining[i] == now &&
                        (due == TASKS || armed_at[i] < armed_at[due])) {
                        due = i;
                    }
                }
                struct sb_task *got = sb_timer_queue_due(&queue);
                EQUAL(got == (due == TASKS ? NULL : &tasks[due]), true);
                if (got == NULL || due == TASKS) {
                    break;
                }
                EQUAL(got->timing, false);
            }
        } else if (!tasks[task].timing) {
            const uint32_t ticks = 1 + check_random(check_random(8) ? 20 : 0x7ffffffe);
            sb_timer_queue_arm(&queue, &tasks[task], ticks);
            remaining[task] = now + ticks;
            armed_at[task] = step;
        } else {
            sb_timer_queue_remove(&queue, &tasks[task]);
        }
    }
}

static void timer_limits(void)
{
    struct sb_timer_queue queue = {.first = NULL, .now_tick = 5};
    memset(tasks, 0, sizeof tasks);
    sb_timer_queue_arm(&queue, &tasks[0], 0xfffffffeu); /* cut to the longest */
    sb_timer_queue_arm(&queue, &tasks[1], SB_TIMEOUT_TICKS_MAX);
    sb_timer_queue_arm(&queue, &tasks[2], 1);
    EQUAL(tasks[0].due_tick, 0x80000004u);
    EQUAL(queue.first == &tasks[2], true);
    EQUAL(tasks[2].timer_next == &tasks[0], true);
    EQUAL(tasks[0].timer_next == &tasks[1], true);
    EQUAL(sb_timer_queue_due(&queue) == NULL, true);
    queue.now_tick++;
    EQUAL(sb_timer_queue_due(&queue) == &tasks[2], true);
    EQUAL(sb_timer_queue_due(&queue) == NULL, true);
}

/* ---- signals */

struct block {
    struct sb_signal_header header;
    uint32_t signo;
};

static void signal_queue(void)
{
    static struct block blocks[16];
    struct block *model[16];
    uint32_t length = 0;
    struct sb_signal_queue queue = {0};
    bool queued[16] = {false};
    for (uint32_t step = 0; step < check_rounds(100000) && check_failed() == 0; step++) {
        const uint32_t i = check_random(16);
        if (!queued[i]) {
            queued[i] = true;
            blocks[i].signo = step;
            sb_queue_append(&queue, &blocks[i].header);
            model[length++] = &blocks[i];
        } else if (length > 0) {
            const uint32_t place = check_random(length);
            struct block *victim = model[place];
            if (place == 0 && check_random(2)) {
                EQUAL(sb_queue_take(&queue) == &victim->header, true);
            } else {
                sb_queue_remove(&queue, place > 0 ? &model[place - 1]->header : NULL, &victim->header);
            }
            queued[victim - blocks] = false;
            length--;
            memmove(&model[place], &model[place + 1], (length - place) * sizeof *model);
        }
        const struct sb_signal_header *header = queue.first;
        for (uint32_t k = 0; k < length; k++) {
            EQUAL(header == &model[k]->header, true);
            EQUAL(*sb_signal_number(&model[k]->header), model[k]->signo);
            header = header->next;
        }
        EQUAL(header == NULL, true);
    }
}

static void selection(void)
{
    static const uint32_t all[] = {0};
    static const uint32_t some[] = {3, 7, 9, 0xffffffffu};
    static const uint32_t not_some[] = {SB_SELECT_EXCEPT(3), 7, 9, 0xffffffffu};
    static const uint32_t numbers[] = {0, 1, 7, 8, 9, 0x7fffffffu, 0xffffffffu};
    static const bool listed[] = {false, false, true, false, true, false, true};
    for (uint32_t i = 0; i < sizeof numbers / sizeof *numbers; i++) {
        EQUAL(sb_selected(all, numbers[i]), true);
        EQUAL(sb_selected(some, numbers[i]), listed[i]);
        EQUAL(sb_selected(not_some, numbers[i]), !listed[i]);
    }
}

static void addresses(void)
{
    EQUAL(sb_addr_make(0, 0, 0), SB_ADDR_NONE);
    EQUAL(sb_addr_make(1023, 4095, 1023), 0xffffffffu);
    EQUAL(sb_addr_make(1, 2, 3), (1u << 22) | (2u << 10) | 3u);
    EQUAL(sb_addr_node(0xffc00000u), 1023);
    EQUAL(sb_addr_index(0x003ffc00u), 4095);
    EQUAL(sb_addr_generation(0x000003ffu), 1023);
}

void suite_queues(void)
{
    check_run("lowest bit", lowest_bit);
    check_run("addresses", addresses);
    check_run("ready queue against a model", ready_queue);
    check_run("timer queue against a model, over the wrap", timer_queue);
    check_run("timer queue limits", timer_limits);
    check_run("signal queue against a model", signal_queue);
    check_run("selection lists", selection);
}
