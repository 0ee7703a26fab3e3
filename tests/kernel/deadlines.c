/* SPDX-License-Identifier: Apache-2.0 */
/** @file
 *  Periodic tasks by earliest deadline, tick by tick against a model that looks at all jobs anew at each tick; and a set that
 *  uses the whole processor, which fixed priorities cannot schedule. */
#include "check.h"
#include "signalbox/sem.h"
#include "world.h"

#define TASKS 6u
#define TICKS 200u

static struct sb_period periods[TASKS];
static uint32_t work[TASKS]; /* ticks that a job of the task takes */
static uint32_t count;

static bool tick_here;
static uint32_t ticks_left;
static char log_text[TICKS + 1u];
static uint32_t logged;

/** The tick comes at the end of a critical section of a task, where it is due. */
static bool at_unlock(void)
{
    const bool now = tick_here && (port_node()->held & SB_HELD_INTERRUPT) == 0;
    tick_here = tick_here && !now;
    return now;
}

static void tick(void)
{
    if (ticks_left > 0) {
        ticks_left--;
        sb_tick();
    }
}

/** Works for so many ticks. The last one comes when the job has just ended, while the next task begins. */
static void job(void)
{
    const char name = *sb_task_name(sb_self());
    for (uint32_t left = work[name - 'a']; left > 0; left--) {
        while (
            tick_here) { /* the last job ended with the tick, and this one goes on where it was interrupted */
            port_unlock(port_lock());
        }
        if (logged == TICKS) {
            sb_fsem_wait(); /* the run is over */
        }
        log_text[logged++] = name;
        tick_here = true;
        if (left > 1) {
            port_unlock(port_lock());
        }
    }
}

static void run(struct world *world)
{
    ticks_left = TICKS;
    logged = 0;
    tick_here = false;
    host_at_unlock = at_unlock;
    host_inject_handler = tick;
    world_boot(world);
    host_run();
    while (logged < TICKS) {
        if (!tick_here) {
            log_text[logged++] = '.';
        }
        tick_here = false;
        host_interrupt(tick);
    }
    log_text[logged] = '\0';
    host_at_unlock = NULL;
}

static struct world *make(const struct sb_task_class *task_class)
{
    static const char *const names[TASKS] = {"a", "b", "c", "d", "e", "f"};
    struct world *world = world_make(0);
    for (uint32_t i = 0; i < count; i++) {
        const uint32_t task =
            world_task(world, names[i], (uint8_t)(task_class == &sb_periodic ? 11u + i : 11u), job);
        world->tasks[task].kind = SB_TASK_PERIODIC;
        world->tasks[task].task_class = task_class;
        world->tasks[task].class_state = &periods[i];
    }
    return world;
}

static void set(uint32_t i, uint32_t work_ticks, uint32_t period, uint32_t deadline, uint32_t phase)
{
    periods[i] = (struct sb_period){.period_ticks = period, .deadline_ticks = deadline, .phase_ticks = phase};
    work[i] = work_ticks;
}

/* ---- the model */

struct model_task {
    uint32_t releases;
    uint32_t done;       /* jobs */
    uint32_t left;       /* of the job that has begun */
    uint32_t turn;       /* when its next job became the next: the order among equal deadlines */
    uint32_t event_tick; /* deadline or release, whichever is next */
    uint32_t event_turn; /* events of one tick happen in the order in which they were armed */
    bool at_deadline;
    uint32_t misses;
};

static struct model_task model_tasks[TASKS];
static uint32_t turns;

static uint32_t deadline_of(uint32_t i)
{
    return periods[i].phase_ticks + model_tasks[i].done * periods[i].period_ticks + periods[i].deadline_ticks;
}

static void event(uint32_t i, uint32_t now)
{
    struct model_task *t = &model_tasks[i];
    const struct sb_period *p = &periods[i];
    const bool late = t->releases > t->done;
    t->event_turn = turns++;
    if (t->at_deadline) {
        t->misses += late;
        t->at_deadline = false;
        t->event_tick = now + p->period_ticks - p->deadline_ticks;
        return;
    }
    t->misses += late && p->deadline_ticks == p->period_ticks;
    t->at_deadline = p->deadline_ticks < p->period_ticks;
    t->event_tick = now + (t->at_deadline ? p->deadline_ticks : p->period_ticks);
    t->releases++;
    if (!late) {
        t->turn = turns++;
    }
}

static void events(uint32_t now)
{
    for (;;) {
        uint32_t best = TASKS;
        for (uint32_t i = 0; i < count; i++) {
            if (model_tasks[i].event_tick == now &&
                (best == TASKS || model_tasks[i].event_turn < model_tasks[best].event_turn)) {
                best = i;
            }
        }
        if (best == TASKS) {
            return;
        }
        event(best, now);
    }
}

static uint32_t chosen(void)
{
    uint32_t best = TASKS;
    for (uint32_t i = 0; i < count; i++) {
        const struct model_task *t = &model_tasks[i];
        if (t->releases > t->done &&
            (best == TASKS || deadline_of(i) < deadline_of(best) ||
             (deadline_of(i) == deadline_of(best) && t->turn < model_tasks[best].turn))) {
            best = i;
        }
    }
    return best;
}

static void model(char *text)
{
    turns = 0;
    for (uint32_t i = 0; i < count; i++) {
        model_tasks[i] =
            (struct model_task){.left = work[i], .event_tick = periods[i].phase_ticks, .event_turn = turns++};
    }
    for (uint32_t now = 0; now < TICKS; now++) {
        events(now);
        const uint32_t running = chosen();
        text[now] = running == TASKS ? '.' : (char)('a' + running);
        if (running != TASKS && --model_tasks[running].left == 0) {
            model_tasks[running].left = work[running];
            model_tasks[running].done++;
            model_tasks[running].turn = turns++;
        }
    }
    text[TICKS] = '\0';
    events(TICKS);
}

static void property(void)
{
    for (uint32_t round = 0; round < check_rounds(300) && check_failed() == 0; round++) {
        count = 2 + check_random(TASKS - 1);
        for (uint32_t i = 0; i < count; i++) {
            const uint32_t period = 3 + check_random(20);
            const uint32_t work_ticks = 1 + check_random(round % 4u == 0 ? 4 : 1 + period / count);
            set(i, work_ticks, period, 1 + check_random(period), 1 + check_random(8));
        }
        char want[TICKS + 1u];
        model(want);
        struct world *world = make(&sb_earliest_deadline);
        run(world);
        TEXT(log_text, want);
        for (uint32_t i = 0; i < count; i++) {
            EQUAL(periods[i].misses, model_tasks[i].misses);
        }
        world_free(world);
    }
}

static uint32_t misses_of(const struct sb_task_class *task_class)
{
    count = 2;
    set(0, 3, 6, 6, 0);
    set(1, 4, 8, 8, 0);
    struct world *world = make(task_class);
    run(world);
    const uint32_t misses = periods[0].misses + periods[1].misses;
    world_free(world);
    return misses;
}

/** 3/6 + 4/8: the whole processor. By period the longer one is interrupted at its end and late; by deadline nobody is. */
static void whole_processor(void)
{
    EQUAL(misses_of(&sb_periodic) > TICKS / 24u - 1u, true);
    EQUAL(misses_of(&sb_earliest_deadline), 0);
    for (uint32_t i = 0; i < TICKS; i++) {
        EQUAL(log_text[i] == '.', false);
    }
}

/** Too much: deadlines are missed and counted, overruns too, and every release is a job in the end. */
static void overload(void)
{
    count = 2;
    set(0, 4, 6, 6, 0);
    set(1, 4, 8, 8, 0);
    struct world *world = make(&sb_earliest_deadline);
    run(world);
    EQUAL(periods[0].misses > 0 && periods[1].misses > 0, true);
    EQUAL(periods[0].jobs * 4u + periods[1].jobs * 4u >= TICKS - 8u, true);
    world_free(world);
}

void suite_deadlines(void)
{
    check_run("earliest deadline first against a model", property);
    check_run("the whole processor: by deadline, not by period", whole_processor);
    check_run("more than the processor", overload);
}
