// SPDX-License-Identifier: Apache-2.0
//! Resolved platforms: plain data, every default filled in, every name and number checked.
//!
//! As JSON a platform has its cores written out one by one, each with its class, under `cores`, `memories` and `devices`.

use crate::class_types::CoreClass;
use crate::tiles::Noc;
use serde::{Deserialize, Serialize};

/// A machine.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Platform {
    /// Version of the file format: 1.
    pub schema: u32,
    /// Name by which systems ask for it.
    pub name: String,
    /// One line for people.
    pub description: String,
    /// Frequency of the base clock, in which all cycles count.
    pub clock_hz: u64,
    /// What the seed decides.
    pub seeded: Seeded,
    /// A data address with this bit bypasses the data cache; the bit is not part of the physical address. 0: none.
    pub bypass_mask: u32,
    /// Costs of the way to a slave.
    pub interconnect: Interconnect,
    /// How data caches are kept coherent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub coherence: Option<Coherence>,
    /// In order of hart number.
    pub cores: Vec<Core>,
    /// Sorted by base.
    pub memories: Vec<Memory>,
    /// In the order of the file.
    pub devices: Vec<Device>,
    /// Name of the memory into which programs are linked.
    pub default_memory: String,
    /// State at reset.
    pub boot: Boot,
    /// What a misaligned load or store does.
    pub misaligned: Misaligned,
    /// The network on chip that joins network interfaces.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub noc: Option<Noc>,
}

/// What the seed decides on a platform.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Seeded {
    /// Registers hold random values at reset (else zero).
    pub registers: bool,
    /// Memory that no image fills holds random values (else zero).
    pub memory: bool,
    /// Each core starts at a random cycle below this; 0 or 1 starts all at once.
    pub start_skew_cycles: u32,
    /// The phase of refresh is random.
    pub refresh_phase: bool,
    /// The shift registers of pseudo-random replacement start anywhere (else at 1).
    pub replacement: bool,
}

/// Fixed costs of the way between a master and a slave.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Interconnect {
    /// From a master's request to its arrival at the slave's arbiter, in cycles, at least 1.
    pub request_cycles: u32,
    /// From the end of service to the master's next instruction, in cycles.
    pub response_cycles: u32,
}

/// How the data caches of a platform are kept coherent.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Coherence {
    /// What they do.
    pub protocol: Protocol,
    /// From the grant of a transaction until all data caches have answered.
    pub snoop_cycles: u32,
    /// Where a modified line goes when another cache asks for it.
    pub intervention: Intervention,
    /// From the caches' answer until the one that has the line modified begins to send it.
    pub intervention_cycles: u32,
    /// Width of the wires from cache to cache.
    pub width_bits: u32,
}

/// A protocol between data caches.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Protocol {
    /// Software maintains caches.
    None,
    /// Modified, shared, invalid.
    Msi,
    /// Modified, exclusive, shared, invalid.
    Mesi,
}

/// Where a modified line goes when another cache asks for it.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Intervention {
    /// To that cache.
    Cache,
    /// To memory, from which it is read then.
    Memory,
}

impl Platform {
    /// The snooping of data caches, if they snoop.
    pub fn snooping(&self) -> Option<&Coherence> {
        self.coherence.as_ref().filter(|c| c.protocol != Protocol::None)
    }
}

/// What a core finds at reset, besides its program counter.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Boot {
    /// Register a0 holds the hart number.
    pub hartid_in_a0: bool,
    /// Cores whose image has an instruction at this address begin there, the others at their image's entry.
    pub start: Option<u32>,
    /// `compatible` of the device tree's root. Memory holds the tree and a1 its address; no tree and 0 if left out.
    pub device_tree: Option<String>,
}

/// What a misaligned load or store does.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Misaligned {
    /// The core splits it into aligned accesses.
    Split,
    /// It traps.
    Trap,
}

/// A core.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Core {
    /// Unique on the platform.
    pub name: String,
    /// `mhartid`; equal to the position in [`Platform::cores`].
    pub hartid: u32,
    /// Instruction set and costs.
    pub class: CoreClass,
    /// Instruction cache.
    pub icache: Option<Cache>,
    /// Data cache.
    pub dcache: Option<Cache>,
}

/// A cache. An instruction cache has the defaults of what concerns stores.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Cache {
    /// Bytes of data: ways times lines times a power of two.
    pub size_bytes: u32,
    /// Bytes in a line: a power of two, 8 to 64.
    pub line_bytes: u32,
    /// Lines of a set: 1 is direct mapped; all lines if fully associative.
    pub ways: u32,
    /// Which line of a full set makes room.
    pub replacement: Replacement,
    /// Bytes of one transfer.
    pub burst_bytes: u32,
    /// Where a store goes.
    pub write: Write,
    /// A store that misses reads the line.
    pub allocate: bool,
    /// When a dirty line that makes room is written.
    pub victim: Victim,
    /// When the core goes on after a miss.
    pub refill: Refill,
}

/// Which line of a full set makes room.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Replacement {
    /// The least recently used.
    #[default]
    Lru,
    /// Each way in turn.
    RoundRobin,
    /// As a shift register says.
    Random,
}

/// Where a store to cached memory goes.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Write {
    /// Into the line.
    #[default]
    Back,
    /// Into the line, if it is held, and to memory.
    Through,
}

/// When a dirty line that makes room is written.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Victim {
    /// Before the new line is read.
    #[default]
    First,
    /// After it, and the core waits.
    After,
    /// After it, while the core goes on.
    Buffered,
}

/// When the core goes on after a miss.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Refill {
    /// When the line is complete.
    #[default]
    Line,
    /// When the wanted word is there.
    CriticalWord,
}

/// A memory: a slave that caches may hold lines of.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Memory {
    /// Unique among memories and devices.
    pub name: String,
    /// Physical address of its first byte.
    pub base: u32,
    /// Bytes.
    pub size_bytes: u32,
    /// Second-level cache before it.
    pub l2: Option<L2>,
    /// What an access costs.
    #[serde(flatten)]
    pub kind: MemoryKind,
    /// One of several, one for each core at the same address, each seen by its core alone.
    #[serde(default)]
    pub per_core: bool,
    /// The core that alone sees it: of one of several, and of a tightly coupled one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub core: Option<usize>,
}

/// A second-level cache: everybody who uses the memory behind it goes through it.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct L2 {
    /// Bytes of data: ways times lines times a power of two.
    pub size_bytes: u32,
    /// Bytes in a line: a power of two, 8 to 64.
    pub line_bytes: u32,
    /// Lines of a set.
    #[serde(deserialize_with = "crate::caches::ways")]
    pub ways: u32,
    /// Which line of a full set makes room.
    pub replacement: Replacement,
    /// Cycles of a lookup.
    pub hit_cycles: u32,
    /// Width of its port.
    pub width_bits: u32,
    /// Where a write goes.
    pub write: Write,
    /// A write that misses brings the line in.
    pub allocate: bool,
}

/// What kind of memory, and its timing in cycles of the base clock.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "snake_case")]
pub enum MemoryKind {
    /// Single-data-rate SDRAM behind its controller.
    Sdram {
        /// Width of the data bus.
        width_bits: u32,
        /// READ command to first data.
        cas: u32,
        /// ACTIVATE to READ or WRITE.
        trcd: u32,
        /// PRECHARGE to ACTIVATE.
        trp: u32,
        /// Length of a refresh.
        trfc: u32,
        /// From one refresh to the next; 0 means never.
        refresh_interval: u32,
        /// Number of banks; consecutive rows lie in consecutive banks.
        banks: u32,
        /// Bytes of a row of one bank.
        row_bytes: u32,
        /// What controller and fabric add to a read.
        read_overhead: u32,
        /// What controller and fabric add to a write.
        write_overhead: u32,
    },
    /// Single-data-rate SDRAM behind the controller that Altera's system builder generates, with one open row.
    AvalonSdram {
        /// Width of the data bus.
        width_bits: u32,
        /// READ command to first data.
        cas: u32,
        /// ACTIVATE to READ or WRITE.
        trcd: u32,
        /// PRECHARGE to ACTIVATE.
        trp: u32,
        /// Length of a refresh.
        trfc: u32,
        /// From one refresh to the next; 0 means never.
        refresh_interval: u32,
        /// Bytes of a row of one bank.
        row_bytes: u32,
    },
    /// Static memory: each beat of its bus costs the same.
    Sram {
        /// Width of the data bus.
        width_bits: u32,
        /// Cycles of one beat.
        access_cycles: u32,
    },
    /// Every access is served in one cycle.
    Ideal,
    /// Memory of one core beside its caches, never cached and seen by nobody else.
    TightlyCoupled {
        /// What reaches it.
        port: TightPort,
    },
}

/// What reaches a tightly coupled memory.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum TightPort {
    /// Fetches, loads and stores.
    Both,
    /// Fetches alone.
    Instruction,
    /// Loads and stores alone.
    Data,
}

/// A memory-mapped device, never cached.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Device {
    /// Unique among memories and devices.
    pub name: String,
    /// Physical address of its first register.
    pub base: u32,
    /// Bytes of its region.
    pub size_bytes: u32,
    /// Which device.
    #[serde(flatten)]
    pub model: DeviceModel,
    /// Interrupt outputs, connected to cores.
    pub outputs: Vec<Output>,
    /// Cycles that an access holds the device.
    pub access_cycles: u32,
    /// The core whose instance this is, where a platform has one for each core.
    pub core: Option<usize>,
    /// One of several, one for each core at the same address, each seen by its core alone.
    #[serde(default)]
    pub per_core: bool,
}

/// Which device. The output numbers are those of the device's model in `dev`.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(tag = "model", rename_all = "snake_case")]
pub enum DeviceModel {
    /// Serial port with byte registers; output 0 is its interrupt.
    Uart16550,
    /// RISC-V core-local interruptor; output 2 × hart is its software interrupt, 2 × hart + 1 its timer interrupt.
    Clint {
        /// Frequency of `mtime`; divides the base clock.
        hz: u64,
    },
    /// RISC-V platform-level interrupt controller; its outputs are its contexts. Machine-mode contexts drive bit 11.
    Plic {
        /// Sources 1 to this.
        sources: u32,
        /// Bits of a priority.
        priority_bits: u32,
        /// Contexts of a hart.
        modes: PlicModes,
        /// What drives its sources.
        inputs: Vec<PlicInput>,
    },
    /// 64-bit COUNT of the base clock and COMPARE; output 0 is high while COUNT ≥ COMPARE.
    Timer,
    /// Interrupt block of a core: 32 sources, from 0, with levels and handler addresses; output 0 is high while one is requested.
    IrqBlock {
        /// What drives its sources.
        inputs: Vec<PlicInput>,
        /// Its core jumps to the requested source's handler by itself.
        #[serde(default)]
        vectored: bool,
    },
    /// Pulse interrupt block; output 0 is high while `ipending` is not 0.
    Pulse,
    /// Hardware mutex.
    Mutex,
    /// SiFive test finisher.
    Finisher,
    /// Real-time clock; output 0 is its alarm.
    GoldfishRtc {
        /// What it shows at reset, in seconds since 1970.
        epoch_seconds: u32,
    },
    /// A virtio transport without a device; output 0 never changes.
    VirtioMmio,
    /// The bytes of QEMU's reset vector.
    ResetRom,
    /// Network interface of the network on chip; output 0: a packet has come, 1: room to send.
    Ni {
        /// Flits that its send queue holds.
        tx_flits: u32,
        /// Flits that its receive queue holds.
        rx_flits: u32,
        /// Number of its router.
        router: u32,
    },
}

impl DeviceModel {
    /// Of an interrupt controller: the wires to its sources, and which sources there are.
    pub fn sources(&self) -> Option<(&[PlicInput], std::ops::RangeInclusive<u32>)> {
        match self {
            DeviceModel::Plic { sources, inputs, .. } => Some((inputs, 1..=*sources)),
            DeviceModel::IrqBlock { inputs, .. } => Some((inputs, 0..=31)),
            _ => None,
        }
    }
}

/// The contexts that a [`DeviceModel::Plic`] has for every hart, in the order of harts.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum PlicModes {
    /// One: machine mode.
    M,
    /// Two: machine mode, then supervisor mode.
    Ms,
}

impl PlicModes {
    /// Contexts of a hart.
    pub fn contexts(self) -> usize {
        match self {
            PlicModes::M => 1,
            PlicModes::Ms => 2,
        }
    }
}

/// A wire from an interrupt output of a device to a source of an interrupt controller.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct PlicInput {
    /// Number of the source.
    pub source: u32,
    /// Name of the device.
    pub device: String,
    /// Number of the device's output.
    pub output: u32,
}

/// A wire from an interrupt output of a device to a core.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Output {
    /// Number of the device's output.
    pub output: u32,
    /// Index of the core.
    pub core: usize,
    /// Bit in that core's `mip`: 3, 7, 11, 16–31.
    pub bit: u32,
}
