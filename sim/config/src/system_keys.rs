// SPDX-License-Identifier: Apache-2.0
//! The keys of system files.

use crate::keys::{Key, Need, Table, Text, Value};

const U32: i64 = u32::MAX as i64;
/// The longest time that the kernel counts.
const TICKS: i64 = i32::MAX as i64;

/// Connection managers.
const MANAGERS: &[(&str, &str)] = &[("cm/ptp", "layered as LINX's: RLNH task, receive task, headers, copies")];

/// Drivers.
const DRIVERS: &[(&str, &str)] = &[("shm_ack", "shared memory, acknowledged by a pulse interrupt")];

/// A system file.
pub static SYSTEM: Table = Table {
    what: "a system",
    keys: &[
        Key::required("schema", "version of this format: 1", Value::Version(1)),
        Key::required("name", "name of the system", Value::Text(Text::Name)),
        Key::required("platform", "platform: its name, or the path of its file", Value::Text(Text::Any)),
        Key::optional("cores", "so many cores, of a platform that has one kind of core", Value::Int(1, 1024)),
        Key::default("build", "optimisation of each part", Value::Table(&BUILD), Need::Empty),
        Key::default("kernel", "configuration of the kernels", Value::Table(&KERNEL), Need::Empty),
        Key::default(
            "params",
            "values that the program reads as sb_param_<name>",
            Value::Map(Text::Identifier, &Value::Int(0, U32)),
            Need::Empty,
        ),
        Key::required("node", "kernel instances, each on a core", Value::Tables(&NODE, 1)),
        Key::default("link", "links between nodes", Value::Tables(&LINK, 0), Need::Empty),
    ],
    choice: None,
};

static BUILD: Table = Table {
    what: "the table `build`",
    keys: &[
        Key::default("optimise", "of parts that say nothing else", Value::Text(Text::Optimise), Need::Text("-O2")),
        Key::default("optimise_kernel", "of the kernel", Value::Text(Text::Optimise), Need::Text("-O2")),
        Key::optional(
            "optimise_link",
            "of link layer and drivers; as `optimise` if left out",
            Value::Text(Text::Optimise),
        ),
        Key::optional("optimise_app", "of the application; as `optimise` if left out", Value::Text(Text::Optimise)),
    ],
    choice: None,
};

static KERNEL: Table = Table {
    what: "the table `kernel`",
    keys: &[
        Key::default(
            "level",
            "how much is checked at run time",
            Value::Word(&[
                ("release", "fatal invariants"),
                ("hooks", "also calls hooks"),
                ("checked", "also checks preconditions, end marks, stacks"),
            ]),
            Need::Text("checked"),
        ),
        Key::default("tick_hz", "frequency of the kernel's tick; 0 for none", Value::Int(0, 1_000_000), Need::Int(0)),
        Key::default(
            "clock",
            "when the tick interrupts",
            Value::Word(&[("tick", "every time"), ("tickless", "only when something is due")]),
            Need::Text("tick"),
        ),
        Key::default(
            "scheduling",
            "when a task gives up its core",
            Value::Word(&[
                ("preemptive", "as soon as a more urgent one is ready"),
                ("cooperative", "only when it waits or yields"),
            ]),
            Need::Text("preemptive"),
        ),
        Key::default(
            "periodic",
            "what orders periodic tasks",
            Value::Word(&[
                ("rate_monotonic", "their priorities; where a task has none, the shorter its period the more urgent"),
                ("earliest_deadline", "their deadlines, inside one priority"),
            ]),
            Need::Text("rate_monotonic"),
        ),
        Key::optional(
            "periodic_priorities",
            "first and last priority for periodic tasks that have none; [11, 30] if left out",
            Value::List(&Value::Int(0, 31), 2, 2),
        ),
        Key::default(
            "stack_guard_bytes",
            "below each stack, where a write is caught at once: at level checked, on cores with PMP and user mode; 0 for none",
            Value::Int(0, 4096),
            Need::Int(64),
        ),
    ],
    choice: None,
};

static NODE: Table = Table {
    what: "a node",
    keys: &[
        Key::required("name", "name, unique in the system", Value::Text(Text::Name)),
        Key::required("core", "index of the core that it runs on", Value::Int(0, 1023)),
        Key::required("sources", "C files, relative to this file", Value::List(&Value::Text(Text::Source), 0, 4096)),
        Key::default("task", "tasks", Value::Tables(&TASK, 0), Need::Empty),
        Key::default(
            "multiply",
            "what the application's multiplications and divisions are",
            Value::Word(&[
                ("native", "instructions, or calls of the compiler's library on a core without them"),
                ("library", "calls of the compiler's library"),
                ("trap", "instructions that the core does not have: each traps and is emulated"),
            ]),
            Need::Text("native"),
        ),
        Key::default("spare_tasks", "room for tasks that are created at run time", Value::Int(0, 4094), Need::Int(0)),
        Key::required("pool", "pools; the first is the system pool", Value::Tables(&POOL, 1)),
        Key::default(
            "domain",
            "tasks that run in user mode, apart from all others",
            Value::Tables(&DOMAIN, 0),
            Need::Empty,
        ),
    ],
    choice: None,
};

static DOMAIN: Table = Table {
    what: "a domain",
    keys: &[
        Key::required("name", "name, unique on its node", Value::Text(Text::Identifier)),
        Key::required("tasks", "names of its tasks", Value::List(&Value::Text(Text::Name), 1, 4096)),
        Key::required(
            "sources",
            "its C files, relative to this file",
            Value::List(&Value::Text(Text::Source), 1, 4096),
        ),
        Key::required(
            "memory_bytes",
            "its own memory, a power of two: data, stacks, pools that no other domain has",
            Value::Int(256, 1 << 24),
        ),
        Key::required(
            "pools",
            "names of the pools that it reaches; sb_alloc and signals of others use the first",
            Value::List(&Value::Text(Text::Name), 1, 31),
        ),
        Key::default(
            "devices",
            "names of the devices that it reaches",
            Value::List(&Value::Text(Text::Name), 0, 12),
            Need::Empty,
        ),
        Key::default("objects", "semaphores, mutexes, ... that it may set up", Value::Int(0, 4096), Need::Int(8)),
    ],
    choice: None,
};

static TASK: Table = Table {
    what: "a task",
    keys: &[
        Key::required("name", "name, unique on its node", Value::Text(Text::Name)),
        Key::required("entry", "C function void f(void)", Value::Text(Text::Identifier)),
        Key::default(
            "kind",
            "what schedules it",
            Value::Word(&[
                ("priority", "its priority among ready tasks"),
                ("interrupt", "an interrupt"),
                ("periodic", "its priority; its entry is called once a period"),
                ("best_effort", "its priority; tasks of the same level take turns"),
            ]),
            Need::Text("priority"),
        ),
        Key::optional(
            "priority",
            "0 (the most urgent) to 31; a periodic task has one by its period if left out",
            Value::Int(0, 31),
        ),
        Key::optional(
            "stack_bytes",
            "bytes of its stack; interrupt tasks have none of their own",
            Value::Int(0, 1 << 24),
        ),
        Key::optional("irq", "bit in mip that activates an interrupt task", Value::Int(0, 31)),
        Key::default("start", "whether it runs from the start; false: sb_task_start", Value::Bool, Need::Bool(true)),
        Key::optional("period_ticks", "period of a periodic task", Value::Int(1, TICKS)),
        Key::optional(
            "deadline_ticks",
            "its deadline after each release; the period if left out",
            Value::Int(1, TICKS),
        ),
        Key::optional("phase_ticks", "its first release after the start; 0 if left out", Value::Int(0, TICKS)),
        Key::optional("slice_ticks", "a best-effort task's turn; 1 if left out", Value::Int(1, 65_535)),
    ],
    choice: None,
};

static POOL: Table = Table {
    what: "a pool",
    keys: &[
        Key::optional("name", "for sb_pool_lookup", Value::Text(Text::Name)),
        Key::required(
            "block_bytes",
            "size of each class of blocks, ascending",
            Value::List(&Value::Int(1, 1 << 24), 1, 8),
        ),
        Key::required("block_count", "blocks of each class", Value::List(&Value::Int(1, 1 << 20), 1, 8)),
    ],
    choice: None,
};

static LINK: Table = Table {
    what: "a link",
    keys: &[
        Key::required("nodes", "names of its two ends", Value::List(&Value::Text(Text::Name), 2, 2)),
        Key::default("manager", "connection manager", Value::Word(MANAGERS), Need::Text("cm/ptp")),
        Key::default("driver", "driver", Value::Word(DRIVERS), Need::Text("shm_ack")),
        Key::default(
            "buffers",
            "whether buffers are accessed through the data cache",
            Value::Word(&[("cached", "through it, with maintenance"), ("uncached", "past it")]),
            Need::Text("uncached"),
        ),
        Key::default("mtu_bytes", "largest frame, headers included", Value::Int(64, 65536), Need::Int(2048)),
        Key::default(
            "dm_buffers",
            "receive buffers of each end; cm/ptp has room for 16",
            Value::Int(1, 16),
            Need::Int(10),
        ),
    ],
    choice: None,
};
