/* SPDX-License-Identifier: Apache-2.0 */
/** @file
 *  The port and the configuration of the two nodes. See host.h. */
#include "host.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <ucontext.h>

#include <sanitizer/asan_interface.h>

#include "signalbox/doorbell.h"
#include "signalbox/port.h"

#define STACK_BYTES (96u * 1024u)
#define TASKS 5u
#define BLOCKS_SMALL 96u
#define BLOCKS_MIDDLE 48u
#define BLOCKS_LARGE 24u

struct machine {
    struct sb_node node;
    struct sb_link_node link;
    struct sb_node_config config;
    struct sb_link_config link_config;
    struct sb_task_config task_config[TASKS];
    struct sb_pool_config pool_config;
    struct sb_task tasks[TASKS];
    struct sb_pool pool;
    bool running;
    bool masked;
    uint32_t bells;
    bool tick_due;
    bool again; /* the sender shall run once more */
    struct sb_task *bell_task;
    uint32_t hold_back; /* turns before it first runs */
    ucontext_t resume;
    _Alignas(64) uint8_t stacks[TASKS + 1u][STACK_BYTES];
    _Alignas(64) uint8_t dm[16u * SB_DM_BUFFER_BYTES(4096)];
    _Alignas(64) uint8_t pool_memory[SB_POOL_BYTES(64, BLOCKS_SMALL) + SB_POOL_BYTES(512, BLOCKS_MIDDLE) +
                                     SB_POOL_BYTES(8192, BLOCKS_LARGE)];
};

_Thread_local struct sb_node *port_node_here;
_Alignas(64) uint8_t world_area[AREA_BYTES];
uint32_t world_frames;
uint32_t world_damaged;

static struct machine machines[NODES];
static struct world_config world;
static ucontext_t outside;
static uint32_t current;
static bool inside;
static uint64_t random_state;
static const char *fatal_label;
static uint32_t last_states[NODES];
static const char *const node_names[NODES] = {"node0", "node1"};

uint32_t world_random(uint32_t n)
{
    random_state ^= random_state << 13;
    random_state ^= random_state >> 7;
    random_state ^= random_state << 17;
    return (uint32_t)((random_state >> 16) % n);
}

static struct machine *here(void)
{
    return &machines[current];
}

uint32_t world_node(void)
{
    return current;
}

static void leave(void)
{
    struct machine *machine = here();
    swapcontext(&machine->resume, &outside);
}

/** The other node is another core: it runs whether or not this one has masked its interrupts. */
static void overlap(void)
{
    if (inside && world_random(8) == 0) {
        leave();
    }
}

/* ---- the port */

static void take_line(void)
{
    struct machine *machine = here();
    if (machine->bells != 0 && machine->bell_task != NULL) {
        sb_interrupt_activate(machine->bell_task);
    }
    if (machine->tick_due) {
        machine->tick_due = false;
        sb_tick();
    }
    if (machine->again) {
        machine->again = false;
        (void)(sb_fsem_signal(machine->tasks[0].addr) == SB_OK);
    }
}

static bool line_pending(void)
{
    return (here()->bells != 0 && here()->bell_task != NULL) || here()->tick_due || here()->again;
}

static void interrupt(void)
{
    here()->masked = true;
    if (sb_interrupt(take_line)) {
        sb_interrupt_switch();
    }
    here()->masked = false;
}

/** Interrupts are on: what may happen between two instructions of a task. */
static void chance(void)
{
    while (line_pending() && world_random(2) == 0) {
        interrupt();
    }
    if (world_random(8) == 0) {
        leave();
    }
}

uint32_t port_lock(void)
{
    if (!inside) {
        return 0;
    }
    overlap();
    bool was = here()->masked;
    if (!was && world_random(4) == 0) {
        chance();
    }
    here()->masked = true;
    return was ? 0 : 8;
}

void port_unlock(uint32_t state)
{
    if (!inside || state == 0) {
        return;
    }
    here()->masked = false;
    chance();
}

void port_unmask(void)
{
    port_unlock(8);
}

void port_switch(struct sb_task *from, struct sb_task *to)
{
    swapcontext(from->sp, to->sp);
}

static void context_main(void)
{
    sb_task_main();
}

void port_context_init(struct sb_task *task)
{
    size_t room = (sizeof(ucontext_t) + 63u) & ~(size_t)63u;
    ucontext_t *context = (ucontext_t *)(void *)(task->stack + task->stack_bytes - room);
    getcontext(context);
    context->uc_stack.ss_sp = task->stack;
    context->uc_stack.ss_size = task->stack_bytes - room;
    context->uc_link = NULL;
    makecontext(context, context_main, 0);
    task->sp = context;
}

/** Nodes begin in boot(), not in sb_start. */
_Noreturn void port_start(struct sb_task *to)
{
    (void)to;
    abort();
}

void port_call_interrupt(void (*body)(void))
{
    body();
}

_Noreturn void port_idle(void)
{
    for (;;) {
        leave();
        while (line_pending()) {
            interrupt();
        }
    }
}

void *port_idle_stack(uint32_t *stack_bytes)
{
    *stack_bytes = STACK_BYTES;
    return here()->stacks[TASKS];
}

void port_irq_connect_task(uint32_t bit, struct sb_task *task)
{
    (void)bit;
    here()->bell_task = task;
}

void port_call_nesting(void (*body)(void), uint32_t priority)
{
    (void)priority;
    body();
}

void port_irq_enable(uint32_t bit)
{
    (void)bit;
}

void port_irq_disable(uint32_t bit)
{
    (void)bit;
}

void port_tick_start(uint32_t tick_hz)
{
    (void)tick_hz;
}

/* The nodes of these tests have a tick. */

void port_alarm_start(uint32_t tick_hz)
{
    (void)tick_hz;
    abort();
}

uint32_t port_alarm_now(void)
{
    abort();
}

void port_alarm_set(uint32_t tick)
{
    (void)tick;
    abort();
}

uint64_t port_cycles(void)
{
    return 0;
}

_Noreturn void port_fatal(const char *label)
{
    fatal_label = label;
    here()->running = false;
    for (;;) {
        leave();
    }
}

_Noreturn void port_finish(uint32_t code)
{
    (void)code;
    port_fatal("finish");
}

uint32_t port_core(void)
{
    return current;
}

void port_cache_clean(const void *start, uint32_t size_bytes)
{
    overlap();
    (void)start;
    (void)size_bytes;
}

void port_cache_flush(const void *start, uint32_t size_bytes)
{
    overlap();
    (void)start;
    (void)size_bytes;
}

void port_cache_invalidate(const void *start, uint32_t size_bytes)
{
    overlap();
    (void)start;
    (void)size_bytes;
}

void *port_uncached(const void *cached)
{
    return (void *)(uintptr_t)cached;
}

/** Every ring follows a write. A ring for data, not for an acknowledge, is where a frame may be damaged. */
static void damage(void)
{
    uint32_t half = (world.mtu_bytes + 63u) & ~63u;
    const uint32_t *block = (const uint32_t *)(const void *)(world_area + 64u * current);
    uint32_t *last_state = last_states;
    if (block[4] == last_state[current] || (block[4] & 0xffu) != 2u) {
        return;
    }
    last_state[current] = block[4];
    world_frames++;
    if (world.damage_each != 0 && world_frames % world.damage_each == 0) {
        uint8_t *frame = world_area + 128u + half * current;
        frame[world_random(12)] ^= (uint8_t)(1u + world_random(255));
        world_damaged++;
    }
}

void port_doorbell_ring(uint32_t core, uint32_t bit)
{
    overlap();
    damage();
    machines[core].bells |= 1u << bit;
    overlap();
}

uint32_t port_doorbell_take(void)
{
    overlap();
    uint32_t bells = here()->bells;
    here()->bells = 0;
    overlap();
    return bells;
}

struct sb_link_node *sb_link_node_memory(void)
{
    return &here()->link;
}

/* ---- the nodes */

static void sender_entry(void)
{
    for (;;) {
        if (world.sender[current] != NULL) {
            world.sender[current]();
        }
        sb_fsem_wait();
    }
}

static void sink_entry(void)
{
    for (;;) {
        if (world.sink[current] != NULL) {
            world.sink[current]();
        }
        sb_fsem_wait();
    }
}

static void configure(uint32_t index)
{
    struct machine *machine = &machines[index];
    static const struct sb_task_config tasks[TASKS] = {
        {.name = "sender",
         .entry = sender_entry,
         .kind = SB_TASK_PRIORITY,
         .priority = 13,
         .irq = -1,
         .stack_bytes = STACK_BYTES},
        {.name = "sink",
         .entry = sink_entry,
         .kind = SB_TASK_PRIORITY,
         .priority = 12,
         .irq = -1,
         .stack_bytes = STACK_BYTES},
        {.name = "rlnh",
         .entry = sb_rlnh_task,
         .kind = SB_TASK_PRIORITY,
         .priority = 9,
         .irq = -1,
         .stack_bytes = STACK_BYTES},
        {.name = "cm_rx",
         .entry = sb_cm_rx_task,
         .kind = SB_TASK_PRIORITY,
         .priority = 10,
         .irq = -1,
         .stack_bytes = STACK_BYTES},
        {.name = "drv", .entry = sb_link_driver_task, .kind = SB_TASK_INTERRUPT, .priority = 0, .irq = 16},
    };
    for (uint32_t i = 0; i < TASKS; i++) {
        machine->task_config[i] = tasks[i];
        if (tasks[i].kind == SB_TASK_PRIORITY) {
            machine->task_config[i].stack = machine->stacks[i];
        }
    }
    machine->pool_config = (struct sb_pool_config){
        .memory = machine->pool_memory,
        .memory_bytes = sizeof machine->pool_memory,
        .classes = 3,
        .block_bytes = {64, 512, 8192},
        .block_count = {BLOCKS_SMALL, BLOCKS_MIDDLE, BLOCKS_LARGE},
    };
    machine->link_config = (struct sb_link_config){
        .name = "node0-node1",
        .peer_node = (uint16_t)(1u - index),
        .peer_core = (uint8_t)(1u - index),
        .side = (uint8_t)index,
        .doorbell_bit = 3,
        .cached = world.cached,
        .mtu_bytes = world.mtu_bytes,
        .dm_buffers = world.dm_buffers,
        .dm_memory = machine->dm,
        .dm_memory_bytes = sizeof machine->dm,
        .area = world_area,
        .area_bytes = AREA_BYTES,
        .manager = &sb_manager_cm_ptp,
        .driver = &sb_driver_shm_ack,
    };
    machine->config = (struct sb_node_config){
        .node = (uint16_t)index,
        .node_count = NODES,
        .node_names = node_names,
        .tick_hz = world.tick_hz,
        .task_count = TASKS,
        .tasks = machine->task_config,
        .task_state = machine->tasks,
        .pool_count = 1,
        .pools = &machine->pool_config,
        .pool_state = &machine->pool,
        .link_count = 1,
        .links = &machine->link_config,
    };
}

void world_look(uint32_t node)
{
    current = node;
    port_node_here = &machines[node].node;
}

static void boot(uint32_t index)
{
    struct machine *machine = &machines[index];
    world_look(index);
    machine->bells = 0;
    machine->tick_due = false;
    machine->again = false;
    machine->bell_task = NULL;
    /* The sanitizer still knows the frames of the stacks' last life. */
    ASAN_UNPOISON_MEMORY_REGION(machine->stacks, sizeof machine->stacks);
    memset(&machine->link, 0, sizeof machine->link);
    memset(machine->tasks, 0, sizeof machine->tasks);
    memset(&machine->pool, 0, sizeof machine->pool);
    sb_node_init(&machine->config);
    machine->node.current = machine->node.next;
    machine->node.self = machine->node.next;
    machine->masked = true;
    machine->resume = *(ucontext_t *)machine->node.next->sp;
    machine->running = true;
}

void world_start(const struct world_config *config)
{
    world = *config;
    random_state = 0x9e3779b97f4a7c15ull ^ ((uint64_t)config->seed * 0x2545f4914f6cdd1dull);
    world_frames = 0;
    world_damaged = 0;
    fatal_label = NULL;
    if (!config->keep_area) {
        for (uint32_t i = 0; i < AREA_BYTES; i++) {
            world_area[i] = (uint8_t)world_random(256);
        }
    }
    int32_t skew = (int32_t)config->start_skew;
    for (uint32_t i = 0; i < NODES; i++) {
        configure(i);
        boot(i);
    }
    machines[0].hold_back = skew < 0 ? (uint32_t)-skew : 0;
    machines[1].hold_back = skew > 0 ? (uint32_t)skew : 0;
}

void world_restart(uint32_t node)
{
    machines[node].hold_back = 0;
    boot(node);
}

void world_kill(uint32_t node)
{
    machines[node].running = false;
}

void world_wake(uint32_t node)
{
    machines[node].running = true;
}

/** As an interrupt of the node, which rests in idle, or runs at its next turn. */
void world_again(uint32_t node)
{
    machines[node].again = true;
}

void world_set_mtu(uint32_t node, uint32_t mtu_bytes)
{
    machines[node].link_config.mtu_bytes = mtu_bytes;
}

void world_set_damage(uint32_t each)
{
    world.damage_each = each;
}

void world_scribble(uint32_t offset, uint32_t bytes)
{
    for (uint32_t i = 0; i < bytes; i++) {
        world_area[offset + i] = (uint8_t)world_random(256);
    }
    machines[0].bells |= 1u << 3;
    machines[1].bells |= 1u << 3;
}

bool world_run(bool (*done)(void), uint32_t turns)
{
    for (uint32_t turn = 0; turn < turns; turn++) {
        if (done()) {
            return true;
        }
        uint32_t index = world_random(NODES);
        struct machine *machine = &machines[index];
        if (machine->hold_back > 0) {
            machine->hold_back--;
            continue;
        }
        if (!machine->running) {
            continue;
        }
        if (world.tick_hz != 0 && world_random(16) == 0) {
            machine->tick_due = true;
        }
        world_look(index);
        inside = true;
        swapcontext(&outside, &machine->resume);
        inside = false;
        if (fatal_label != NULL) {
            return done();
        }
    }
    return done();
}

void world_yield(void)
{
    while (line_pending()) {
        interrupt();
    }
    leave();
}

const char *world_fatal(void)
{
    return fatal_label;
}

uint32_t world_blocks_in_use(uint32_t node)
{
    world_look(node);
    uint32_t sum = 0;
    for (uint32_t i = 0; i < sb_pool_classes(0); i++) {
        struct sb_pool_status status;
        if (sb_pool_status(0, i, &status) == SB_OK) {
            sum += status.in_use;
        }
    }
    return sum;
}

const struct sb_link_counters *world_counters(uint32_t node)
{
    return &machines[node].link.ends[0].counters;
}
