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

/** Every sequence of seven steps of three tasks on one level or two: come, go, and the front goes behind. */
static void ready_exhaustive(void)
{
    static const uint8_t levels[2][3] = {{31, 31, 31}, {0, 31, 0}};
    for (uint32_t code = 0; code < 2 * 78125 && check_failed() == 0; code++) {
        struct sb_ready_queue queue = {0};
        uint32_t rest = code / 2;
        memset(tasks, 0, sizeof tasks);
        arrived = 0;
        for (uint32_t i = 0; i < 3; i++) {
            tasks[i].priority = levels[code % 2][i];
        }
        for (uint32_t step = 0; step < 7; step++, rest /= 5) {
            const uint32_t op = rest % 5;
            if (op >= 3) {
                /* The front of level 0 or 31: behind the last of its level, which in one list is the end. */
                struct sb_task *front = queue.first[op == 3 ? 0 : 31];
                const bool alone = front == NULL || front->next == front;
                EQUAL(front != NULL && sb_ready_rotate(&queue, front), !alone);
                if (!alone) {
                    const uint32_t place = place_of((uint32_t)(front - tasks));
                    memmove(&order[place], &order[place + 1], (arrived - place - 1) * sizeof *order);
                    order[arrived - 1] = (uint32_t)(front - tasks);
                    EQUAL(sb_ready_rotate(&queue, front), false); /* no longer the front */
                }
            } else if (place_of(op) == arrived) {
                sb_ready_append(&queue, &tasks[op]);
                order[arrived++] = op;
            } else {
                const uint32_t place = place_of(op);
                sb_ready_remove(&queue, &tasks[op]);
                arrived--;
                memmove(&order[place], &order[place + 1], (arrived - place) * sizeof *order);
            }
            EQUAL(sb_ready_first(&queue) == model_first(), true);
        }
    }
}

/* ---- timer queue: the model is the list of armed entries with the ticks that remain */

static struct sb_timer_entry entries[TASKS];
static bool armed[TASKS];
static uint64_t remaining[TASKS];
static uint64_t armed_at[TASKS];

/** Everything that is due until `now`, in the order of instants, then of arming. */
static void expect_due(struct sb_timer_queue *queue, uint32_t tick, uint64_t now)
{
    for (;;) {
        uint32_t due = TASKS;
        for (uint32_t i = 0; i < TASKS; i++) {
            if (armed[i] && remaining[i] <= now &&
                (due == TASKS || remaining[i] < remaining[due] ||
                 (remaining[i] == remaining[due] && armed_at[i] < armed_at[due]))) {
                due = i;
            }
        }
        struct sb_timer_entry *got = sb_timer_queue_due(queue, tick);
        EQUAL(got == (due == TASKS ? NULL : &entries[due]), true);
        if (got == NULL || due == TASKS) {
            break;
        }
        EQUAL(queue->now_tick, entries[due].due_tick);
        armed[due] = false;
    }
    EQUAL(queue->now_tick, tick);
}

static void timer_queue(void)
{
    struct sb_timer_queue queue = {.first = NULL, .now_tick = 0xffffff00u}; /* wraps on the way */
    uint64_t now = 0;
    memset(armed, 0, sizeof armed);
    for (uint32_t step = 0; step < check_rounds(200000) && check_failed() == 0; step++) {
        const uint32_t i = check_random(TASKS);
        if (check_random(3) == 0) {
            const uint32_t passed =
                check_random(4) ? 1 : check_random(7); /* tickless: several at once, or none */
            now += passed;
            expect_due(&queue, queue.now_tick + passed, now);
        } else if (!armed[i]) {
            const uint32_t ticks = 1 + check_random(check_random(8) ? 20 : 0x7ffffffe);
            const uint32_t ahead =
                check_random(4) ? 0 : check_random(5); /* the clock is ahead of what has expired */
            sb_timer_queue_arm(&queue, &entries[i], queue.now_tick + ahead, ticks);
            armed[i] = true;
            remaining[i] = now + ahead + ticks;
            armed_at[i] = step;
        } else {
            sb_timer_queue_remove(&queue, &entries[i]);
            armed[i] = false;
        }
    }
}

/** Every sequence of arming three entries at 1..3 ticks and taking one of them out, around the wrap. */
static void timer_exhaustive(void)
{
    for (uint32_t start = 0xfffffffcu; start != 2; start++) {
        for (uint32_t code = 0; code < 27 * 4; code++) {
            struct sb_timer_queue queue = {.first = NULL, .now_tick = start};
            const uint32_t ticks[3] = {1 + code % 3, 1 + code / 3 % 3, 1 + code / 9 % 3};
            const uint32_t removed = code / 27;
            memset(armed, 0, sizeof armed);
            for (uint32_t i = 0; i < 3; i++) {
                sb_timer_queue_arm(&queue, &entries[i], start, ticks[i]);
                armed[i] = true;
                remaining[i] = ticks[i];
                armed_at[i] = i;
            }
            if (removed < 3) {
                sb_timer_queue_remove(&queue, &entries[removed]);
                armed[removed] = false;
            }
            for (uint32_t now = 1; now <= 3; now++) {
                expect_due(&queue, start + now, now);
            }
            EQUAL(queue.first == NULL, true);
        }
    }
}

static void timer_limits(void)
{
    struct sb_timer_queue queue = {.first = NULL, .now_tick = 5};
    sb_timer_queue_arm(&queue, &entries[0], 5, SB_TIMEOUT_TICKS_MAX);
    sb_timer_queue_arm(&queue, &entries[1], 0x80000003u, SB_TIMEOUT_TICKS_MAX); /* as far as it goes */
    sb_timer_queue_arm(&queue, &entries[2], 5, 1);
    EQUAL(entries[0].due_tick, 0x80000004u);
    EQUAL(queue.first == &entries[2], true);
    EQUAL(entries[2].next == &entries[0], true);
    EQUAL(entries[0].next == &entries[1], true);
    EQUAL(sb_timer_queue_due(&queue, 5) == NULL, true);
    EQUAL(sb_timer_queue_due(&queue, 6) == &entries[2], true);
    EQUAL(sb_timer_queue_due(&queue, 6) == NULL, true);
    EQUAL(sb_timer_queue_due(&queue, 0x80000003u) == NULL, true);
    EQUAL(sb_timer_queue_due(&queue, 0x80000004u) == &entries[0], true);
    EQUAL(sb_timer_queue_due(&queue, 1) == NULL, true);
    EQUAL(sb_timer_queue_due(&queue, 2) == &entries[1], true);
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
    check_run("ready queue: three tasks, seven steps, exhaustively", ready_exhaustive);
    check_run("timer queue against a model, over the wrap", timer_queue);
    check_run("timer queue: three entries, exhaustively, around the wrap", timer_exhaustive);
    check_run("timer queue limits", timer_limits);
    check_run("signal queue against a model", signal_queue);
    check_run("selection lists", selection);
}
