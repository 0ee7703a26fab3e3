// SPDX-License-Identifier: Apache-2.0
//! Resolved systems: plain data, every default filled in, every name and number checked. As JSON a system looks like its file
//! (`node`, `node.task`, `node.pool`, `link`).

use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// What runs where.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct System {
    /// Version of the file format: 1.
    pub schema: u32,
    /// Name of the system.
    pub name: String,
    /// Platform that it is for: a name, or the path of a file.
    pub platform: String,
    /// Cores that the platform is to have; as its file says if left out.
    pub cores: Option<u32>,
    /// How it is compiled.
    pub build: Build,
    /// How its kernels are configured.
    pub kernel: Kernel,
    /// Values that the program reads as `sb_param_<name>`.
    pub params: BTreeMap<String, i64>,
    /// Nodes; the position is the node's index.
    #[serde(rename = "node")]
    pub nodes: Vec<Node>,
    /// Links; the position is the link's number.
    #[serde(rename = "link")]
    pub links: Vec<Link>,
}

/// Optimisation flags of the compiler, such as `-O2`.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Build {
    /// Of parts that say nothing else.
    pub optimise: String,
    /// Of the kernel.
    pub optimise_kernel: String,
    /// Of link layer and drivers.
    pub optimise_link: String,
    /// Of the application.
    pub optimise_app: String,
}

/// Configuration of the kernel, the same on all nodes.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Kernel {
    /// How much is checked at run time.
    pub level: Level,
    /// Frequency of the kernel's tick; 0 is off.
    pub tick_hz: u32,
    /// When the tick interrupts.
    pub clock: ClockKind,
    /// When a task gives up its core.
    pub scheduling: Scheduling,
    /// What orders periodic tasks.
    pub periodic: PeriodicOrder,
    /// First and last priority for periodic tasks that have none.
    pub periodic_priorities: [u32; 2],
    /// Bytes below each stack that nothing may write, at level checked on cores with PMP and user mode; 0 is off.
    pub stack_guard_bytes: u32,
}

/// When the kernel's tick interrupts.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ClockKind {
    /// Every time.
    Tick,
    /// Only when something is due.
    Tickless,
}

/// When a task gives up its core.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Scheduling {
    /// As soon as a more urgent one is ready.
    Preemptive,
    /// Only when it waits or yields.
    Cooperative,
}

/// What orders periodic tasks.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum PeriodicOrder {
    /// Their priorities; by default the shorter its period the more urgent a task.
    RateMonotonic,
    /// Their deadlines, inside one priority.
    EarliestDeadline,
}

/// How much a kernel checks at run time.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Level {
    /// Fatal invariants.
    Release,
    /// Also calls hooks.
    Hooks,
    /// Also checks preconditions, end marks, stacks.
    Checked,
}

/// What multiplications and divisions of an application are.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Multiply {
    /// Instructions where the core has them, else calls of the compiler's library.
    Native,
    /// Calls of the compiler's library.
    Library,
    /// Instructions that the core does not have: each traps and is emulated.
    Trap,
}

/// A kernel instance on a core.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Node {
    /// Unique in the system.
    pub name: String,
    /// Index of the core that it runs on.
    pub core: usize,
    /// C files, relative to the system file.
    pub sources: Vec<String>,
    /// Tasks; the position is the task's index.
    #[serde(rename = "task")]
    pub tasks: Vec<Task>,
    /// What the application's multiplications and divisions are.
    pub multiply: Multiply,
    /// Room for tasks that are created at run time.
    pub spare_tasks: u32,
    /// Pools; the first is the system pool.
    #[serde(rename = "pool")]
    pub pools: Vec<Pool>,
    /// Domains: tasks that run in user mode.
    #[serde(rename = "domain")]
    pub domains: Vec<Domain>,
}

/// Tasks that run in user mode and reach only what is theirs.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Domain {
    /// Unique on its node.
    pub name: String,
    /// Names of its tasks.
    pub tasks: Vec<String>,
    /// Its C files, relative to the system file.
    pub sources: Vec<String>,
    /// Its own memory: a power of two.
    pub memory_bytes: u32,
    /// Names of the pools that it reaches; the first is its own system pool.
    pub pools: Vec<String>,
    /// Names of the devices that it reaches.
    pub devices: Vec<String>,
    /// Semaphores, mutexes, ... that it may set up.
    pub objects: u32,
}

/// A task.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Task {
    /// Unique on its node.
    pub name: String,
    /// C function `void entry(void)`.
    pub entry: String,
    /// What schedules it.
    pub kind: TaskKind,
    /// 0 (the most urgent) to 31.
    pub priority: u32,
    /// Bytes of its stack; 0 for an interrupt task, which has none of its own.
    pub stack_bytes: u32,
    /// `mip` bit that activates an interrupt task.
    pub irq: Option<u32>,
    /// Whether it runs from the start.
    pub start: bool,
    /// Period of a periodic task.
    pub period_ticks: Option<u32>,
    /// Deadline of a periodic task after each release.
    pub deadline_ticks: Option<u32>,
    /// First release of a periodic task after its start.
    pub phase_ticks: Option<u32>,
    /// Turn of a best-effort task.
    pub slice_ticks: Option<u32>,
}

/// What schedules a task.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum TaskKind {
    /// Its priority among ready tasks.
    Priority,
    /// An interrupt.
    Interrupt,
    /// Its priority; its entry is called once a period.
    Periodic,
    /// Its priority; tasks of the same level take turns.
    BestEffort,
}

/// A pool of signal buffers: up to eight classes of blocks.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Pool {
    /// For lookups at run time.
    pub name: Option<String>,
    /// Size of each class, ascending.
    pub block_bytes: Vec<u32>,
    /// Blocks of each class.
    pub block_count: Vec<u32>,
}

/// A link between two nodes.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Link {
    /// Names of its ends.
    pub nodes: [String; 2],
    /// Connection manager.
    pub manager: String,
    /// Driver.
    pub driver: String,
    /// Whether the shared area and the receive buffers are accessed through the data cache.
    pub buffers: Buffers,
    /// Largest frame, headers included.
    pub mtu_bytes: u32,
    /// Receive buffers of each end.
    pub dm_buffers: u32,
}

/// How a link's buffers are accessed.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Buffers {
    /// Through the data cache, with maintenance.
    Cached,
    /// Past the data cache.
    Uncached,
}
