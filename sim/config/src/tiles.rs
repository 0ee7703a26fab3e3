// SPDX-License-Identifier: Apache-2.0
//! Tiles: memories and devices of which each core has its own at the same address, and the network on chip that joins them.

use crate::check::Places;
use crate::platform::{no_core, NOWHERE};
use crate::problem::Problem;
use crate::types::*;
use serde::{Deserialize, Serialize};
use serde_json::{json, Map, Value as Json};
use std::collections::BTreeMap;
use std::ops::Range;

/// What is wrong with tightly coupled memories. `cores` is unknown when the cores are wrong.
pub(crate) fn tightly_coupled(platform: &Platform, cores: Option<usize>, places: &Places) -> Vec<Problem> {
    let mut problems = Vec::new();
    for (i, m) in platform.memories.iter().enumerate() {
        let MemoryKind::TightlyCoupled { port } = m.kind else { continue };
        let at = |key: &str| places.of(&format!("memory.{i}.{key}"));
        match (m.core, cores) {
            (None, _) if !m.per_core => problems.push(Problem::at(
                at("kind"),
                format!("`{}` belongs to no core", m.name),
                "whose memory is it?",
                "add per_core = true, or core = …",
            )),
            (Some(_), _) if m.per_core => problems.push(Problem::at(
                at("core"),
                "a memory of each core does not belong to one of them",
                "not together with per_core",
                "remove core, or per_core",
            )),
            (Some(core), Some(cores)) if core >= cores => problems.push(no_core(at("core"), core, cores)),
            _ => {}
        }
        if m.l2.is_some() {
            problems.push(Problem::at(
                at("l2"),
                format!("`{}` is as fast as a cache could be", m.name),
                "of no use before a tightly coupled memory",
                "leave `l2` out, or choose another kind of memory",
            ));
        }
        if m.name == platform.default_memory && port != TightPort::Both {
            problems.push(Problem::at(
                at("port"),
                format!("programs cannot be linked into `{}`", m.name),
                "the default memory needs fetches, loads and stores",
                "name another memory with default_memory, or write port = \"both\"",
            ));
        }
        if m.size_bytes > TIGHTLY_COUPLED_BYTES {
            problems.push(Problem::at(
                at("size_bytes"),
                format!("`{}` is too large to be tightly coupled", m.name),
                format!("{} bytes", m.size_bytes),
                format!("make it {TIGHTLY_COUPLED_BYTES:#x} bytes at most, or choose another kind of memory"),
            ));
        }
    }
    problems
}

/// A core has one line that interrupts begin at their own addresses for.
pub(crate) fn vectored(platform: &Platform, places: &Places) -> Vec<Problem> {
    let mut problems = Vec::new();
    let mut first: BTreeMap<usize, (&str, Range<usize>)> = BTreeMap::new();
    for (i, d) in platform.devices.iter().enumerate() {
        if !matches!(d.model, DeviceModel::IrqBlock { vectored: true, .. }) {
            continue;
        }
        let span = places.of(&format!("device.{i}.vectored"));
        for core in d.outputs.iter().map(|o| o.core).filter(|c| *c != NOWHERE) {
            let Some((other, at)) = first.insert(core, (&d.name, span.clone())) else { continue };
            let what = format!("core {core} has two vectored lines: of `{other}` and of `{}`", d.name);
            let help = "leave `vectored` out at one of them, and let mtvec lead to it";
            problems.push(Problem::at(span.clone(), what, "again here", help).and(at, "first here"));
        }
    }
    problems
}

/// The largest tightly coupled memory: those of Cortex-M7 reach so far.
const TIGHTLY_COUPLED_BYTES: u32 = 16 << 20;

/// A network on chip.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Noc {
    /// How its routers are joined.
    pub topology: Topology,
    /// Routers in x.
    pub width: u32,
    /// Routers in y.
    pub height: u32,
    /// Bits of a flit: 8 to 32, a multiple of 4.
    pub flit_bits: u32,
    /// Flits that each input buffer of a router holds.
    pub buffer_flits: u32,
}

/// How the routers of a network are joined.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Topology {
    /// Rows and columns with open ends.
    Mesh,
    /// Rows and columns closed to rings.
    Torus,
    /// One ring.
    Ring,
}

/// Take the lists `routers` from the devices, in the order of the file: the resolved platform says one number for each instance.
pub(crate) fn take_routers(values: &mut Map<String, Json>) -> Vec<Option<Vec<u32>>> {
    let devices = values.get_mut("devices").and_then(Json::as_array_mut);
    let take = |d: &mut Json| {
        let list = d.as_object_mut().and_then(|d| d.remove("routers"));
        if d["model"] == "ni" {
            d["router"] = json!(0);
        }
        list.and_then(|l| serde_json::from_value(l).ok())
    };
    devices.into_iter().flatten().map(take).collect()
}

/// The cores that have an instance of a device.
fn instances(device: &Device, cores: usize) -> Vec<usize> {
    match device.core {
        _ if device.per_core => (0..cores).collect(),
        Some(core) => vec![core],
        None => Vec::new(),
    }
}

/// Routers of a network interface's instances, in the order of `instances`.
fn routers_of(device: &Device, cores: usize, given: Option<&Vec<u32>>) -> Vec<u32> {
    given.cloned().unwrap_or_else(|| instances(device, cores).into_iter().map(|core| core as u32).collect())
}

/// What is wrong with tiles and their network. `cores` is unknown when the cores are wrong.
pub(crate) fn check(
    platform: &Platform,
    cores: Option<usize>,
    routers: &[Option<Vec<u32>>],
    places: &Places,
) -> Vec<Problem> {
    let Some(cores) = cores else { return Vec::new() };
    let mut problems = Vec::new();
    for (i, d) in platform.devices.iter().enumerate().filter(|(_, d)| d.per_core) {
        let at = |key: &str| places.of(&format!("device.{i}.{key}"));
        if d.core.is_some() {
            problems.push(Problem::at(
                at("core"),
                "a device of each core does not belong to one of them",
                "not together with per_core",
                "remove core, or per_core",
            ));
        }
        if matches!(d.model, DeviceModel::Clint { .. }) || d.model.sources().is_some() {
            problems.push(Problem::at(
                at("per_core"),
                "an interrupt controller cannot be one for each core",
                "not for this model",
                "remove per_core",
            ));
        }
    }
    for (i, d) in platform.devices.iter().enumerate() {
        let Some((inputs, _)) = d.model.sources() else { continue };
        for (k, wire) in inputs.iter().enumerate() {
            if platform.devices.iter().any(|o| o.per_core && o.name == wire.device) {
                problems.push(Problem::at(
                    places.of(&format!("device.{i}.inputs.{k}.device")),
                    format!("each core has its own `{}`", wire.device),
                    "which of them?",
                    "wire it to its core with outputs, or make it one device",
                ));
            }
        }
    }
    problems.extend(instance_lines(platform, cores, places));
    problems.extend(instance_names(platform, cores, places));
    if let Some(noc) = &platform.noc {
        problems.extend(network(noc, places));
    }
    let mut taken: BTreeMap<u32, (String, Range<usize>)> = BTreeMap::new();
    for (i, d) in platform.devices.iter().enumerate() {
        if !matches!(d.model, DeviceModel::Ni { .. }) {
            continue;
        }
        let at = |key: &str| places.of(&format!("device.{i}.{key}"));
        let Some(noc) = &platform.noc else {
            let what = "a network interface needs a network";
            problems.push(Problem::at(at("model"), what, "there is none", "add a section [noc] with width and height"));
            continue;
        };
        let owners = instances(d, cores);
        if owners.is_empty() {
            problems.push(Problem::at(
                at("model"),
                format!("`{}` belongs to no core", d.name),
                "whose interface is it?",
                "add per_core = true, or core = …",
            ));
            continue;
        }
        let numbers = routers_of(d, cores, routers[i].as_ref());
        if numbers.len() != owners.len() {
            problems.push(Problem::at(
                at("routers"),
                format!("`{}` has {} instances and {} routers", d.name, owners.len(), numbers.len()),
                "wrong length",
                "write one router number for each core that has it",
            ));
            continue;
        }
        let count = noc.width * noc.height;
        for (&core, router) in owners.iter().zip(numbers) {
            let name = format!("`{}` of core {core}", d.name);
            if router >= count {
                problems.push(Problem::at(
                    at("routers"),
                    format!("{name} is at router {router}, which does not exist"),
                    "no such router",
                    format!("the network has {}x{} routers, 0 to {}", noc.width, noc.height, count - 1),
                ));
                break;
            }
            if let Some((other, first)) = taken.insert(router, (name.clone(), at("routers"))) {
                let what = format!("{other} and {name} are both at router {router}");
                let help = "a router has one local port: give each its own router";
                problems.push(Problem::at(at("routers"), what, "again here", help).and(first, "first here"));
                break;
            }
        }
    }
    problems
}

fn network(noc: &Noc, places: &Places) -> Vec<Problem> {
    let mut problems = Vec::new();
    if noc.flit_bits % 4 != 0 {
        problems.push(Problem::at(
            places.of("noc.flit_bits"),
            "the bits of a flit must be a multiple of 4",
            format!("this is {}", noc.flit_bits),
            format!("write {} or {}", noc.flit_bits / 4 * 4, (noc.flit_bits / 4 + 1) * 4),
        ));
    }
    let side = 1u32 << (noc.flit_bits / 4);
    for (key, size) in [("width", noc.width), ("height", noc.height)] {
        if size > side {
            problems.push(Problem::at(
                places.of(&format!("noc.{key}")),
                format!("a header of {} bits cannot name {size} routers", noc.flit_bits),
                format!("at most {side}"),
                "a quarter of a flit holds a coordinate: make flit_bits larger, or the network smaller",
            ));
        }
    }
    problems
}

/// Two drivers of one interrupt input, where one of them has an instance for each core.
fn instance_lines(platform: &Platform, cores: usize, places: &Places) -> Vec<Problem> {
    let mut problems = Vec::new();
    let mut used: BTreeMap<(usize, u32), (&str, Range<usize>)> = BTreeMap::new();
    for (i, d) in platform.devices.iter().enumerate() {
        let of_all = matches!(d.model, DeviceModel::Clint { .. }) || d.model.sources().is_some();
        for (k, wire) in d.outputs.iter().enumerate().filter(|_| !(of_all && d.per_core)) {
            let span = places.of(&format!("device.{i}.outputs.{k}.bit"));
            let own = d.per_core && wire.core == NOWHERE;
            if d.per_core && wire.core != NOWHERE {
                let problem = if wire.core >= cores {
                    no_core(span.clone(), wire.core, cores)
                } else {
                    Problem::at(
                        span.clone(),
                        "an output of a device of each core goes to its own core",
                        "this names a core",
                        "remove core from the output",
                    )
                };
                problems.push(problem);
                continue;
            }
            let to = if own { 0..cores } else { wire.core..wire.core.saturating_add(1) };
            for core in to.filter(|&core| core < cores) {
                let Some((other, first)) = used.insert((core, wire.bit), (&d.name, span.clone())) else { continue };
                // Two single devices have been compared already.
                if own || platform.devices.iter().any(|o| o.name == other && o.per_core) {
                    let what = format!("bit {} of core {core} is driven by `{other}` and by `{}`", wire.bit, d.name);
                    let help = "give each its own bit: there is no shared line";
                    problems.push(Problem::at(span.clone(), what, "again here", help).and(first, "first here"));
                    break;
                }
            }
        }
    }
    problems
}

/// An instance that would be called like something else.
fn instance_names(platform: &Platform, cores: usize, places: &Places) -> Vec<Problem> {
    let memories = platform.memories.iter().enumerate().map(|(i, m)| (&m.name, m.per_core, format!("memory.{i}.name")));
    let devices = platform.devices.iter().enumerate().map(|(i, d)| (&d.name, d.per_core, format!("device.{i}.name")));
    let all: Vec<(&String, bool, String)> = memories.chain(devices).collect();
    let mut problems = Vec::new();
    for (name, _, path) in all.iter().filter(|(_, per_core, _)| *per_core) {
        let clash = all.iter().find(|(other, several, _)| {
            let number = other.strip_prefix(name.as_str()).and_then(|n| n.parse::<usize>().ok());
            !several && number.is_some_and(|n| n < cores && **other == format!("{name}{n}"))
        });
        if let Some((other, _, at)) = clash {
            let what = format!("`{other}` is also the name of an instance of `{name}`");
            let problem = Problem::at(places.of(at), what, "this name", "give it another name");
            problems.push(problem.and(places.of(path), "one for each core"));
        }
    }
    problems
}

/// Write out the instances of what each core has.
pub(crate) fn expand(platform: &mut Platform, routers: &[Option<Vec<u32>>]) {
    let cores = platform.cores.len();
    if platform.memories.iter().any(|m| m.per_core && m.name == platform.default_memory) {
        platform.default_memory.push('0');
    }
    let several = |m: &Memory| {
        let own = |core| Memory { name: format!("{}{core}", m.name), core: Some(core), ..m.clone() };
        (0..cores).map(own).collect::<Vec<_>>()
    };
    platform.memories =
        platform.memories.iter().flat_map(|m| if m.per_core { several(m) } else { vec![m.clone()] }).collect();
    let mut devices = Vec::new();
    for (d, given) in platform.devices.iter().zip(routers) {
        let at = routers_of(d, cores, given.as_ref());
        let one = |core: Option<usize>, k: usize| {
            let mut one = Device { core, ..d.clone() };
            if let (true, Some(core)) = (d.per_core, core) {
                one.name = format!("{}{core}", d.name);
                one.outputs.iter_mut().for_each(|o| o.core = core);
            }
            if let DeviceModel::Ni { router, .. } = &mut one.model {
                *router = at[k];
            }
            one
        };
        if d.per_core {
            devices.extend((0..cores).map(|core| one(Some(core), core)));
        } else {
            devices.push(one(d.core, 0));
        }
    }
    platform.devices = devices;
}
