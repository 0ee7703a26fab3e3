// SPDX-License-Identifier: Apache-2.0
//! From a resolved platform, images and a seed to a machine at reset.
//!
//! The seed decides what hardware leaves open: uninitialised memory and registers, when each core starts, and where in
//! its interval the refresh is. Each of them draws from its own stream, so adding a core does not move another's.

use crate::agenda::Agenda;
use crate::coherence::{Checker, Watch};
use crate::device_tree;
use crate::fabric::{Fabric, MemoryTiming, Region, Slave, Target, Wires};
use crate::image::{Image, ImageError};
use crate::machine::{Core, Machine, Port, State, WayBack};
use crate::onchip::OnChip;
use crate::slave_stats::SlaveStats;
use crate::snoop::{Coherence, Costs};
use crate::tight::{self, Tight};
use config::{DeviceModel, MemoryKind, Platform};
use dev::{
    Clint, Finisher, GoldfishRtc, HwMutex, IrqBlock, NetworkInterface, NiConfig, Plic, PulseIrq, ResetRom, Timer,
    Uart16550, VirtioMmio,
};
use engine::{Cycle, Cycles, Line, Mmio};
use hart::{FloatTiming, Hart, HartConfig, Late, Privilege, Timing};
use mem::{
    AvalonSdram, AvalonSdramTiming, Backing, CacheGeometry, CachedPort, CachedPortConfig, IdealPort, Init, L2Config,
    Masters, Policy, Protocol, Replacement, Reservations, RoundRobin, Sdram, SdramTiming, Sram, SramTiming,
    StoreBufferConfig, TightConfig, Victim, L2,
};

use std::collections::{BTreeSet, VecDeque};
use std::sync::Arc;

/// A value of the stream `stream` of `seed`: the finaliser of splitmix64.
fn draw(seed: u64, stream: u64) -> u64 {
    let mut z = seed.wrapping_mul(0x9e37_79b9_7f4a_7c15).wrapping_add(stream.wrapping_mul(0xd1b5_4a32_d192_ed03));
    z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    z ^ (z >> 31)
}

const STREAM_MEMORY: u64 = 1 << 32;
const STREAM_REFRESH: u64 = 2 << 32;
const STREAM_SKEW: u64 = 3 << 32;
const STREAM_REGISTERS: u64 = 4 << 32;
const STREAM_REPLACEMENT: u64 = 5 << 32;
const STREAM_TIGHT: u64 = 6 << 32;

fn timing(class: &config::CoreClass) -> Timing {
    Timing {
        alu: class.alu,
        alu_result: class.alu_result,
        load: class.load,
        load_result: class.load_result,
        store: class.store,
        branch_not_taken: class.branch_not_taken,
        branch_taken: class.branch_taken,
        branch_mispredicted: class.branch_mispredicted,
        predictor: match class.predictor {
            config::Predictor::None => hart::Predictor::None,
            config::Predictor::Static => hart::Predictor::Static,
            config::Predictor::TwoBit => hart::Predictor::TwoBit,
        },
        predictor_entries: class.predictor_entries,
        jump: class.jump,
        jump_indirect: class.jump_indirect,
        shift: class.shift,
        shift_result: class.shift_result,
        shift_per_step: class.shift_per_step,
        shift_step_bits: class.shift_step_bits,
        shift_free_steps: class.shift_free_steps,
        mul: class.mul,
        mul_high: class.mul_high.unwrap_or(class.mul),
        mul_result: class.mul_result,
        div_base: class.div_base,
        div_per_bit: class.div_per_bit,
        div_by_zero: class.div_by_zero,
        div_result: class.div_result,
        csr: class.csr,
        csr_result: class.csr_result,
        csr_enable: class.csr_enable.unwrap_or(class.csr),
        csr_drain: class.csr_drain,
        trap: class.trap,
        interrupt: class.interrupt.unwrap_or(class.trap),
        interrupt_overlap: class.interrupt_overlap,
        wfi: class.wfi.unwrap_or(class.alu),
        wake: class.wake,
        trap_return: class.trap_return,
        fence: class.fence,
        fence_i: class.fence_i,
        cache_op: class.cache_op,
        access_interval: class.access_interval,
        access_misaligned: class.access_misaligned,
        fetch_misaligned: class.fetch_misaligned,
        target_misaligned: class.target_misaligned,
        branch_misaligned: class.branch_misaligned,
        jump_stalled: class.jump_stalled,
        load_stored: class.load_stored,
        load_stored_within: class.load_stored_within,
        float: class.float.as_ref().map_or(FloatTiming::IDEAL, float_timing),
    }
}

/// The instructions that a class defines; the platform file has been checked, but a resolved one may come from elsewhere.
fn customs(class: &config::CoreClass) -> Result<Vec<isa::Custom>, ImageError> {
    class
        .instructions
        .iter()
        .map(|i| i.resolve())
        .collect::<Result<_, _>>()
        .map_err(|what| ImageError { name: format!("core class {}", class.name), what })
}

fn float_timing(f: &config::FloatCosts) -> FloatTiming {
    let late = |cost, result| Late { cost, result };
    FloatTiming {
        add: late(f.add, f.add_result),
        mul: late(f.mul, f.mul_result),
        fused: late(f.fused, f.fused_result),
        div: late(f.div, f.div_result),
        sqrt: late(f.sqrt, f.sqrt_result),
        compare: late(f.compare, f.compare_result),
        convert: late(f.convert, f.convert_result),
        transfer: late(f.transfer, f.transfer_result),
    }
}

fn memory_slave(memory: &config::Memory, index: usize, seed: u64, platform: &Platform) -> Target {
    let timing = match memory.kind {
        MemoryKind::Sdram {
            width_bits,
            cas,
            trcd,
            trp,
            trfc,
            refresh_interval,
            banks,
            row_bytes,
            read_overhead,
            write_overhead,
        } => {
            let phase = if platform.seeded.refresh_phase { draw(seed, STREAM_REFRESH + index as u64) } else { 0 };
            let timing = SdramTiming {
                width_bits,
                cas,
                trcd,
                trp,
                trfc,
                refresh_interval,
                banks,
                row_bytes,
                read_overhead,
                write_overhead,
            };
            MemoryTiming::Sdram(Sdram::new(timing, phase))
        }
        MemoryKind::AvalonSdram { width_bits, cas, trcd, trp, trfc, refresh_interval, row_bytes } => {
            let phase = if platform.seeded.refresh_phase { draw(seed, STREAM_REFRESH + index as u64) } else { 0 };
            let timing = AvalonSdramTiming { width_bits, cas, trcd, trp, trfc, refresh_interval, row_bytes };
            MemoryTiming::AvalonSdram(AvalonSdram::new(timing, phase))
        }
        MemoryKind::Sram { width_bits, access_cycles } => {
            MemoryTiming::Sram(Sram::new(SramTiming { width_bits, access_cycles }))
        }
        // Tightly coupled ones are in their cores: see `tight`.
        MemoryKind::Ideal | MemoryKind::TightlyCoupled { .. } => MemoryTiming::Ideal,
    };
    Target::Memory { index, timing }
}

fn clint_divider(platform: &Platform, hz: u64) -> u32 {
    (platform.clock_hz / hz.max(1)).max(1) as u32
}

fn device_slave(device: &config::Device, platform: &Platform, receives: &Arc<Vec<bool>>) -> Target {
    let model: Box<dyn Mmio + Send + Sync> = match device.model {
        DeviceModel::Uart16550 => Box::new(Uart16550::new()),
        DeviceModel::Clint { hz } => Box::new(Clint::new(platform.cores.len(), clint_divider(platform, hz), 0)),
        DeviceModel::Timer => Box::new(Timer::new()),
        DeviceModel::Pulse => Box::new(PulseIrq::new()),
        DeviceModel::IrqBlock { vectored: false, .. } => Box::new(IrqBlock::new()),
        DeviceModel::IrqBlock { vectored: true, .. } => Box::new(IrqBlock::vectored()),
        DeviceModel::Mutex => Box::new(HwMutex::new()),
        DeviceModel::Finisher => Box::new(Finisher::new()),
        DeviceModel::Plic { sources, priority_bits, modes, .. } => {
            Box::new(Plic::new(sources, platform.cores.len() * modes.contexts(), (1 << priority_bits) - 1))
        }
        DeviceModel::GoldfishRtc { epoch_seconds } => Box::new(GoldfishRtc::new(platform.clock_hz, epoch_seconds)),
        DeviceModel::VirtioMmio => Box::new(VirtioMmio::new()),
        // The tree's address is known later; see [`place_device_tree`].
        DeviceModel::ResetRom => Box::new(ResetRom::new(reset_target(platform), 0)),
        DeviceModel::Ni { tx_flits, rx_flits, router } => {
            let (flit_bits, size) = platform.noc.as_ref().map_or((32, (1, 1)), |n| (n.flit_bits, (n.width, n.height)));
            let receives = receives.clone();
            Box::new(NetworkInterface::new(NiConfig { tx_flits, rx_flits, flit_bits, size, router, receives }))
        }
    };
    let count = device.outputs.iter().map(|o| o.output as usize + 1).max().unwrap_or(0);
    let mut outputs = vec![Wires::default(); count];
    for o in &device.outputs {
        outputs[o.output as usize].lines.push(Line { core: o.core as u16, bit: o.bit as u8 });
    }
    Target::Device {
        device: model,
        access: Cycles(u64::from(device.access_cycles)),
        outputs,
        console: matches!(device.model, DeviceModel::Uart16550).then(Vec::new),
        ticks: matches!(device.model, DeviceModel::Timer | DeviceModel::Clint { .. }),
    }
}

fn fabric(platform: &Platform, seed: u64) -> Result<Fabric, ImageError> {
    let masters = platform.cores.len() * 2;
    let slave = |name: &str, base: u32, size: u32, own: Option<usize>, target: Target| Slave {
        base,
        size,
        own,
        target,
        arbiter: RoundRobin::new(masters),
        coming: VecDeque::new(),
        waiting: Masters::new(masters),
        free_at: Cycle::ZERO,
        stats: SlaveStats { name: name.to_string(), ..SlaveStats::default() },
    };
    let mut slaves = Vec::new();
    let mut memories = Vec::new();
    for (index, m) in platform.memories.iter().enumerate() {
        let init = init(platform, draw(seed, STREAM_MEMORY + index as u64));
        memories.push(Backing::new(m.base, m.size_bytes, init));
        slaves.push(slave(&m.name, m.base, m.size_bytes, m.core, memory_slave(m, index, seed, platform)));
    }
    let l2s =
        platform.memories.iter().enumerate().map(|(i, m)| m.l2.as_ref().map(|l2| second_level(platform, l2, i, seed)));
    let l2s = l2s.collect();
    let receives = receives(platform);
    for d in &platform.devices {
        let own = d.core.filter(|_| d.per_core);
        slaves.push(slave(&d.name, d.base, d.size_bytes, own, device_slave(d, platform, &receives)));
    }
    wire_devices(platform, &mut slaves);
    let mut regions = Vec::new();
    let mut own = vec![Vec::new(); if slaves.iter().any(|s| s.own.is_some()) { platform.cores.len() } else { 0 }];
    for (i, s) in slaves.iter().enumerate() {
        let region = Region { base: s.base, size: s.size, slave: i as u32 };
        s.own.map_or(&mut regions, |core| &mut own[core]).push(region);
    }
    own.iter_mut().chain([&mut regions]).for_each(|list| list.sort_unstable());
    let network = network(platform, slaves.len())?;
    Ok(Fabric {
        own,
        owners: platform.memories.iter().map(|m| m.core).collect(),
        network,
        grants: Agenda::new(slaves.len()),
        wakes: Agenda::new(slaves.len()),
        requests: vec![None; masters],
        regions,
        last: Region::default(),
        slaves,
        memories,
        l2s,
        reservations: Reservations::new(platform.cores.len()),
        coherence: coherence(platform).map(Box::new),
        request: Cycles(u64::from(platform.interconnect.request_cycles.max(1))),
        response: Cycles(u64::from(platform.interconnect.response_cycles)),
    })
}

fn protocol(platform: &Platform) -> Option<Protocol> {
    match platform.snooping()?.protocol {
        config::Protocol::None => None,
        config::Protocol::Msi => Some(Protocol::Msi),
        config::Protocol::Mesi => Some(Protocol::Mesi),
    }
}

fn coherence(platform: &Platform) -> Option<Coherence> {
    let (protocol, c) = (protocol(platform)?, platform.snooping()?);
    let line_bytes = platform.cores.iter().find_map(|core| core.dcache)?.line_bytes;
    let costs = Costs {
        snoop_cycles: c.snoop_cycles,
        intervention_cycles: c.intervention_cycles,
        width_bits: c.width_bits,
        from_cache: c.intervention == config::Intervention::Cache,
    };
    let memories = platform.memories.iter().map(|m| (m.base, m.size_bytes));
    Some(Coherence::new(protocol, line_bytes, &costs, memories, platform.cores.len()))
}

/// Of each router, whether an interface is there.
fn receives(platform: &Platform) -> Arc<Vec<bool>> {
    let mut receives = vec![false; platform.noc.as_ref().map_or(0, |n| (n.width * n.height) as usize)];
    for d in &platform.devices {
        if let DeviceModel::Ni { router, .. } = d.model {
            receives[router as usize] = true;
        }
    }
    Arc::new(receives)
}

/// The network on chip with the interfaces at its routers.
fn network(platform: &Platform, slaves: usize) -> Result<Option<Box<OnChip>>, ImageError> {
    let Some(noc) = &platform.noc else { return Ok(None) };
    let network = noc::Network::new(&noc::NetworkConfig {
        topology: match noc.topology {
            config::Topology::Mesh => noc::Topology::Mesh,
            config::Topology::Torus => noc::Topology::Torus,
            config::Topology::Ring => noc::Topology::Ring,
        },
        width: noc.width,
        height: noc.height,
        flit_bits: noc.flit_bits,
        buffer_flits: noc.buffer_flits,
    })
    .map_err(|e| ImageError { name: format!("platform {}", platform.name), what: e.to_string() })?;
    let first = platform.memories.len();
    let interfaces: Vec<(usize, u32, u32)> = platform
        .devices
        .iter()
        .enumerate()
        .filter_map(|(i, d)| match d.model {
            DeviceModel::Ni { router, rx_flits, .. } => Some((first + i, router, rx_flits)),
            _ => None,
        })
        .collect();
    Ok(Some(Box::new(OnChip::new(network, slaves, &interfaces))))
}

/// Connect outputs of devices to the inputs of interrupt controllers.
fn wire_devices(platform: &Platform, slaves: &mut [Slave]) {
    let first = platform.memories.len();
    for (controller, d) in platform.devices.iter().enumerate() {
        let Some((inputs, _)) = d.model.sources() else { continue };
        for wire in inputs {
            let Some(from) = platform.devices.iter().position(|o| o.name == wire.device) else { continue };
            if let Target::Device { outputs, .. } = &mut slaves[first + from].target {
                let output = wire.output as usize;
                outputs.resize(outputs.len().max(output + 1), Wires::default());
                outputs[output].inputs.push((first + controller, wire.source));
            }
        }
    }
}

/// Which image each core starts in.
fn placement(platform: &Platform, images: &[(Image, Vec<usize>)]) -> Result<Vec<Option<usize>>, ImageError> {
    let mut of_core: Vec<Option<usize>> = vec![None; platform.cores.len()];
    for (i, (image, cores)) in images.iter().enumerate() {
        let fail = |what: String| ImageError { name: image.name.clone(), what };
        for &core in cores {
            let cores = platform.cores.len();
            let slot = of_core.get_mut(core).ok_or_else(|| {
                fail(format!("core {core} does not exist: platform {} has cores 0 to {}", platform.name, cores - 1))
            })?;
            if let Some(other) = slot.replace(i) {
                return Err(fail(format!("core {core} already starts in {}", images[other].0.name)));
            }
        }
    }
    Ok(of_core)
}

/// What a memory holds that nothing has been written to.
fn init(platform: &Platform, random: u64) -> Init {
    match platform.seeded.memory {
        true => Init::Random(random),
        false => Init::Zero,
    }
}

/// A memory that a segment goes to.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Place {
    Fabric(usize),
    Tight(usize),
}

/// Load an image for the cores that start in it; what each core has of its own is filled for each.
fn load(
    platform: &Platform,
    fabric: &mut Fabric,
    tight: &mut [Tight],
    image: &Image,
    cores: &[usize],
) -> Result<(), ImageError> {
    let cores = if cores.is_empty() { &[0][..] } else { cores };
    for segment in &image.segments {
        let found = cores.iter().map(|&core| {
            let own = |t: &Tight| t.core == core && t.backing.contains(segment.addr, segment.size);
            let shared = || fabric.memory_at(core, segment.addr, segment.size).map(Place::Fabric);
            tight.iter().position(own).map(Place::Tight).or_else(shared)
        });
        let Some(places) = found.collect::<Option<BTreeSet<Place>>>() else {
            let map: Vec<String> = platform
                .memories
                .iter()
                .filter(|m| m.core.is_none_or(|core| core == 0))
                .map(|m| format!("{} {:#010x}..{:#010x}", m.name, m.base, u64::from(m.base) + u64::from(m.size_bytes)))
                .collect();
            return Err(ImageError {
                name: image.name.clone(),
                what: format!(
                    "segment {:#010x}..{:#010x} lies outside the memories of {} ({}); link it for this platform",
                    segment.addr,
                    u64::from(segment.addr) + u64::from(segment.size),
                    platform.name,
                    map.join(", ")
                ),
            });
        };
        for place in places {
            let memory = match place {
                Place::Fabric(place) => &mut fabric.memories[place],
                Place::Tight(place) => &mut tight[place].backing,
            };
            memory.write(segment.addr, &segment.data);
            let mut at = segment.addr + segment.data.len() as u32;
            let end = segment.addr + segment.size;
            while at < end {
                let n = (end - at).min(4096);
                memory.write(at, &[0u8; 4096][..n as usize]);
                at += n;
            }
        }
    }
    Ok(())
}

/// Where the code of a reset ROM jumps.
fn reset_target(platform: &Platform) -> u32 {
    platform.boot.start.unwrap_or_default()
}

/// Put the device tree into memory and tell the reset ROM. Answers its address; 0 without a tree, which is also so when
/// an image wants its place for itself.
fn place_device_tree(platform: &Platform, fabric: &mut Fabric, images: &[Image]) -> Result<u32, ImageError> {
    let Some(compatible) = &platform.boot.device_tree else { return Ok(0) };
    let fail = |what: String| ImageError { name: format!("device tree of {}", platform.name), what };
    let tree = device_tree::flattened(platform, compatible).map_err(|e| fail(e.to_string()))?;
    let at = device_tree::place(platform, tree.len()).ok_or_else(|| {
        fail(format!(
            "its {} bytes find no room at a multiple of 2 MiB in `{}`; make that larger, or remove boot.device_tree",
            tree.len(),
            platform.default_memory
        ))
    })?;
    let size = tree.len() as u32;
    let memory = fabric.memories.iter_mut().find(|m| m.contains(at, size));
    let (Some(memory), false) = (memory, images.iter().any(|i| i.overlaps(at, size))) else { return Ok(0) };
    memory.write(at, &tree);
    for (slave, d) in fabric.slaves.iter_mut().skip(platform.memories.len()).zip(&platform.devices) {
        if let (DeviceModel::ResetRom, Target::Device { device, .. }) = (&d.model, &mut slave.target) {
            *device = Box::new(ResetRom::new(reset_target(platform), at));
        }
    }
    Ok(at)
}

fn replacement(of: config::Replacement) -> Replacement {
    match of {
        config::Replacement::Lru => Replacement::Lru,
        config::Replacement::RoundRobin => Replacement::RoundRobin,
        config::Replacement::Random => Replacement::Random,
    }
}

fn geometry(c: &config::Cache) -> CacheGeometry {
    let config::Cache { size_bytes, line_bytes, ways, .. } = *c;
    CacheGeometry { size_bytes, line_bytes, ways, replacement: replacement(c.replacement) }
}

/// Where the shift register of a cache starts.
fn register(platform: &Platform, seed: u64, cache: u64) -> u16 {
    match platform.seeded.replacement {
        true => draw(seed, STREAM_REPLACEMENT + cache) as u16,
        false => 1,
    }
}

fn second_level(platform: &Platform, l2: &config::L2, memory: usize, seed: u64) -> L2 {
    let config::L2 { size_bytes, line_bytes, ways, hit_cycles, width_bits, .. } = *l2;
    L2::new(L2Config {
        geometry: CacheGeometry { size_bytes, line_bytes, ways, replacement: replacement(l2.replacement) },
        hit_cycles,
        width_bits,
        write_through: l2.write == config::Write::Through,
        no_write_allocate: !l2.allocate,
        seed: register(platform, seed, 1 << 16 | memory as u64),
    })
}

fn policy(platform: &Platform, core: &config::Core, seed: u64) -> Policy {
    let register = |cache: u64| register(platform, seed, u64::from(core.hartid) * 2 + cache);
    let dcache = core.dcache.as_ref();
    Policy {
        write_through: dcache.is_some_and(|c| c.write == config::Write::Through),
        no_write_allocate: dcache.is_some_and(|c| !c.allocate),
        victim: match dcache.map(|c| c.victim).unwrap_or_default() {
            config::Victim::First => Victim::First,
            config::Victim::After => Victim::After,
            config::Victim::Buffered => Victim::Buffered,
        },
        critical_word: dcache.is_some_and(|c| c.refill == config::Refill::CriticalWord),
        store_buffer: StoreBufferConfig {
            depth: core.class.store_buffer,
            posted: core.class.store_buffer_posted,
            forwards: core.class.store_buffer_load == Some(config::BufferedLoad::Forward),
        },
        restart: [core.class.line_fetch, core.class.line_load],
        data_burst: dcache.map_or(0, |c| c.burst_bytes),
        instruction_burst: core.icache.as_ref().map_or(0, |c| c.burst_bytes),
        seeds: [register(0), register(1)],
    }
}

fn port(platform: &Platform, core: &config::Core, tightly_coupled: Vec<TightConfig>, seed: u64) -> Port {
    // An ideal port sees all memories; of what each core has it would see the others', too.
    let ideal = platform.memories.iter().all(|m| m.kind == MemoryKind::Ideal && m.core.is_none());
    if ideal
        && platform.snooping().is_none()
        && core.icache.is_none()
        && core.dcache.is_none()
        && tightly_coupled.is_empty()
    {
        return Port::Ideal(Box::new(IdealPort::new()));
    }
    let seen = platform.memories.iter().filter(|m| m.core.is_none_or(|own| own == core.hartid as usize));
    let port = CachedPort::new(CachedPortConfig {
        icache: core.icache.as_ref().map(geometry),
        dcache: core.dcache.as_ref().map(geometry),
        policy: policy(platform, core, seed),
        cacheable: seen.map(|m| (m.base, m.size_bytes)).collect(),
        bypass_mask: platform.bypass_mask,
        tightly_coupled,
    });
    let shared = || platform.memories.iter().filter(|m| m.core.is_none()).map(|m| (m.base, m.size_bytes)).collect();
    Port::Cached(Box::new(match protocol(platform) {
        Some(protocol) => port.on_coherent_bus(protocol, shared()),
        None => port,
    }))
}

pub(crate) fn machine(
    platform: &Platform,
    images: Vec<(Image, Vec<usize>)>,
    seed: u64,
    observe: bool,
    check: bool,
) -> Result<Machine, ImageError> {
    let of_core = placement(platform, &images)?;
    let whole = platform;
    let (platform, mut tight) = tight::split(platform, |n| init(whole, draw(seed, STREAM_TIGHT + n as u64)));
    let platform = &platform;
    let mut fabric = fabric(platform, seed)?;
    for (image, cores) in &images {
        load(whole, &mut fabric, &mut tight, image, cores)?;
    }
    let images: Vec<Image> = images.into_iter().map(|(image, _)| image).collect();
    let device_tree = place_device_tree(platform, &mut fabric, &images)?;
    let time_divider = platform
        .devices
        .iter()
        .find_map(|d| match d.model {
            DeviceModel::Clint { hz } => Some(clint_divider(platform, hz)),
            _ => None,
        })
        .unwrap_or(1);
    let mut cores = Vec::new();
    for (index, c) in platform.cores.iter().enumerate() {
        let image = of_core[index].map(|i| &images[i]);
        let isa: isa::IsaSet = c.class.isa.parse().map_err(|e: isa::IsaError| ImageError {
            name: format!("core class {}", c.class.name),
            what: e.to_string(),
        })?;
        let mut hart = Hart::new(HartConfig {
            core: index as u16,
            hartid: c.hartid,
            isa,
            custom: customs(&c.class)?,
            privilege: Privilege {
                user: c.class.privilege.contains(&config::Mode::User),
                pmp_entries: c.class.pmp_entries as u8,
                pmp_granularity_bytes: c.class.pmp_granularity_bytes,
            },
            timing: timing(&c.class),
            misaligned: match platform.misaligned {
                config::Misaligned::Split => hart::Misaligned::Split,
                config::Misaligned::Trap => hart::Misaligned::Trap,
            },
            time_divider,
            reset_pc: image.map_or(0, |i| platform.boot.start.filter(|at| i.starts_at(*at)).unwrap_or(i.entry)),
            observe,
            probes: image.map_or_else(Vec::new, |i| i.probes.clone()),
        });
        if platform.seeded.registers {
            for r in 1..32u8 {
                hart.set_reg(r, draw(seed, STREAM_REGISTERS + index as u64 * 32 + u64::from(r)) as u32);
            }
        }
        if platform.boot.hartid_in_a0 {
            hart.set_reg(10, c.hartid);
            hart.set_reg(11, device_tree);
        }
        if let Some(rom) = platform.devices.iter().find(|d| d.model == DeviceModel::ResetRom) {
            hart.set_reg(5, reset_target(platform));
            hart.set_reg(12, rom.base + ResetRom::INFO);
        }
        for d in platform.devices.iter().filter(|d| matches!(d.model, DeviceModel::IrqBlock { vectored: true, .. })) {
            d.outputs.iter().filter(|o| o.core == index).for_each(|o| hart.set_vectored(o.bit as u8));
        }
        let skew = u64::from(platform.seeded.start_skew_cycles.max(1));
        let start = draw(seed, STREAM_SKEW + index as u64) % skew;
        hart.resume_at(Cycle(start), &[(trace::Account::Idle, Cycles(start))]);
        hart.checkpoint();
        cores.push(Core {
            name: c.name.clone(),
            hart,
            port: port(platform, c, tight.iter().filter(|t| t.core == index).map(Tight::config).collect(), seed),
            not_before: Cycle::ZERO,
            posted_pc: 0,
            watch: check.then(|| Box::new(Watch::new(index))),
            state: if image.is_some() { State::Ready } else { State::Off },
            image: of_core[index],
            has_icache: c.icache.is_some(),
            has_dcache: c.dcache.is_some(),
            way_back: WayBack::Gone,
            marks: Vec::new(),
        });
    }
    let agenda = Agenda::new(cores.len());
    let checker = check.then(|| {
        let memories: Vec<(u32, u32)> =
            platform.memories.iter().filter(|m| m.core.is_none()).map(|m| (m.base, m.size_bytes)).collect();
        Box::new(Checker::new(&memories, cores.len()))
    });
    Ok(Machine {
        cores,
        agenda,
        threads: 1,
        helpers: None,
        in_batches: 0,
        fabric,
        images,
        ended: None,
        faulted: None,
        now: Cycle::ZERO,
        idle_ticks: 0,
        idle_runs: 0,
        checker,
    })
}
