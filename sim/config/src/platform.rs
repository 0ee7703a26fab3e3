// SPDX-License-Identifier: Apache-2.0
//! From the text of a platform file to a [`Platform`].

use crate::caches;
use crate::check::{check, Places};
use crate::class::class_resolve;
use crate::class_types::CoreClass;
use crate::coherence;
use crate::loader::{load, Library};
use crate::platform_keys::PLATFORM;
use crate::problem::{InputError, Problem};
use crate::tiles;
use crate::types::*;
use serde::Deserialize;
use serde_json::{json, Map, Value as Json};
use std::collections::BTreeMap;
use std::ops::Range;
use std::path::PathBuf;

/// Cores of the largest platform.
const CORES: usize = 1024;

/// The core of a wire that names none, which has been reported.
pub(crate) const NOWHERE: usize = u32::MAX as usize;

/// Resolve the text of a platform file. Core classes are `cores/<class>.toml` in the first of `search_dirs` that has it.
///
/// # Errors
/// All that is wrong with the file, or with a class that it names.
pub fn platform_resolve(text: &str, filename: &str, search_dirs: &[PathBuf]) -> Result<Platform, InputError> {
    let (mut values, places) = check(filename, text, &PLATFORM)?;
    let mut problems = Vec::new();
    let core_tables = take_list(&mut values, "core");
    let memory_tables = take_list(&mut values, "memory");
    let device_tables = take_list(&mut values, "device");
    let cores = cores(&core_tables, &places, search_dirs, &mut problems);
    let resolved = if problems.is_empty() { Some(cores) } else { None };
    let count = resolved.as_ref().map(Vec::len);

    let default_memory = values.get("default_memory").or_else(|| memory_tables[0].get("name")).cloned();
    values.insert("default_memory".into(), default_memory.unwrap_or_default());
    values.insert("cores".into(), json!([]));
    values.insert("memories".into(), Json::Array(memory_tables));
    let clock_hz = values["clock_hz"].as_u64().unwrap_or_default();
    let devices =
        device_tables.into_iter().enumerate().map(|(i, d)| device(i, d, count, clock_hz, &places, &mut problems));
    values.insert("devices".into(), Json::Array(devices.collect()));

    let routers = tiles::take_routers(&mut values);
    let mut platform: Platform = from_json(filename, Json::Object(values))?;
    platform.cores = resolved.unwrap_or_default();
    problems.extend(tiles::check(&platform, count, &routers, &places));
    problems.extend(regions(&platform, &places));
    problems.extend(lines(&platform, count, &places));
    problems.extend(inputs(&platform, &places));
    problems.extend(tiles::vectored(&platform, &places));
    problems.extend(names(&platform, &places));
    problems.extend(memories(&platform, &places));
    problems.extend(tiles::tightly_coupled(&platform, count, &places));
    problems.extend(second_levels(&mut platform, &places));
    problems.extend(coherence::check(&platform, &core_tables, &places));
    places.error(problems)?;
    tiles::expand(&mut platform, &routers);
    platform.memories.sort_by_key(|m| m.base);
    Ok(platform)
}

fn take_list(values: &mut Map<String, Json>, key: &str) -> Vec<Json> {
    match values.remove(key) {
        Some(Json::Array(list)) => list,
        _ => Vec::new(),
    }
}

/// The key tables and the types describe the same thing; where they did not, this would be the message.
fn from_json<T: for<'d> Deserialize<'d>>(filename: &str, value: Json) -> Result<T, InputError> {
    serde_json::from_value(value).map_err(|e| InputError::without_place(format!("{filename}: {e}"), ""))
}

/// A `[[core]]` table.
#[derive(Deserialize)]
struct Cores {
    count: usize,
    name: String,
    class: String,
    icache: Option<caches::Given>,
    dcache: Option<caches::Given>,
}

fn cores(tables: &[Json], places: &Places, dirs: &[PathBuf], problems: &mut Vec<Problem>) -> Vec<Core> {
    let mut cores: Vec<Core> = Vec::new();
    let mut classes: BTreeMap<String, Option<CoreClass>> = BTreeMap::new();
    let mut first_of: BTreeMap<String, usize> = BTreeMap::new();
    for (i, table) in tables.iter().enumerate() {
        let at = |key: &str| places.of(&format!("core.{i}.{key}"));
        let Ok(given) = Cores::deserialize(table) else { continue };
        if cores.len() + given.count > CORES {
            problems.push(Problem::at(
                at("count"),
                format!("a platform has at most {CORES} cores"),
                format!("this makes {}", cores.len() + given.count),
                "use fewer cores",
            ));
            return cores;
        }
        if given.count > 1 && !given.name.contains("{}") {
            problems.push(Problem::at(
                at("name"),
                format!("{} cores cannot all be called `{}`", given.count, given.name),
                "one name for all",
                format!("write {{}} where the number goes, as in \"{}{{}}\"", given.name),
            ));
        }
        let mut cache = |key: &str, given: &Option<caches::Given>| {
            given.as_ref().map(|c| c.resolve(key, &|k| at(&format!("{key}.{k}")), problems))
        };
        let (icache, dcache) = (cache("icache", &given.icache), cache("dcache", &given.dcache));
        let class = classes
            .entry(given.class.clone())
            .or_insert_with(|| class(&given.class, at("class"), dirs, problems))
            .clone();
        let Some(class) = class else { continue };
        for _ in 0..given.count {
            let hartid = cores.len();
            let name = given.name.replace("{}", &hartid.to_string());
            if let Some(first) = first_of.insert(name.clone(), i) {
                if given.name.contains("{}") || given.count == 1 {
                    problems.push(duplicate("core", &name, at("name"), places.of(&format!("core.{first}.name"))));
                }
            }
            cores.push(Core { name, hartid: hartid as u32, class: class.clone(), icache, dcache });
        }
    }
    cores
}

fn class(name: &str, span: Range<usize>, dirs: &[PathBuf], problems: &mut Vec<Problem>) -> Option<CoreClass> {
    match load(Library::CoreClasses, name, dirs) {
        Ok(found) => match class_resolve(&found.text, &found.path.display().to_string(), name) {
            Ok(class) => return Some(class),
            Err(e) => problems.extend(e.into_problems()),
        },
        Err(e) => problems.push(Problem::at(span, e.what, "not found", e.help)),
    }
    None
}

pub(crate) fn duplicate(what: &str, name: &str, second: Range<usize>, first: Range<usize>) -> Problem {
    Problem::at(second, format!("two {what}s are called `{name}`"), "again here", "give each its own name")
        .and(first, "first here")
}

/// What a device's model says about itself.
struct Model {
    registers_bytes: u64,
    outputs: usize,
}

fn model(word: &str, cores: Option<usize>, contexts: usize) -> Model {
    let most = cores.unwrap_or(CORES);
    let (registers_bytes, outputs) = match word {
        "uart16550" => (8, 1),
        "clint" => (0xc000, 2 * most),
        "timer" => (16, 1),
        "pulse" => (8, 1),
        "irq_block" => (0x180, 1),
        "mutex" => (8, 0),
        "plic" => (0x20_0000 + 0x1000 * (contexts * cores.unwrap_or(1)) as u64, contexts * most),
        "goldfish_rtc" => (0x24, 1),
        "virtio_mmio" => (0x200, 1),
        "reset_rom" => (0x40, 0),
        "ni" => (0x34, 2),
        _ => (4, 0),
    };
    Model { registers_bytes, outputs }
}

/// A device with its size, and its outputs with their cores. `cores` is unknown when the cores are wrong.
fn device(
    i: usize,
    mut d: Json,
    cores: Option<usize>,
    clock_hz: u64,
    places: &Places,
    problems: &mut Vec<Problem>,
) -> Json {
    let at = |key: &str| places.of(&format!("device.{i}.{key}"));
    let word = d["model"].as_str().unwrap_or_default().to_owned();
    let contexts = if d["modes"] == "ms" { 2 } else { 1 };
    let model = model(&word, cores, contexts);
    let own = d["core"].as_u64();
    let per_core = d["per_core"] == true;
    let size = d["size_bytes"].as_u64().unwrap_or(model.registers_bytes);
    if size < model.registers_bytes {
        problems.push(Problem::at(
            at("size_bytes"),
            format!("the registers of a {word} take {} bytes", model.registers_bytes),
            format!("this is {size}"),
            "make the region larger, or leave the key out",
        ));
    }
    d["size_bytes"] = json!(size);
    if word == "clint" {
        problems.extend(clint(&d, clock_hz, &at));
        let wire = |hart: usize, n: usize, bit: u32| json!({"output": 2 * hart + n, "core": hart, "bit": bit});
        d["outputs"] = (0..cores.unwrap_or(0)).flat_map(|hart| [wire(hart, 0, 3), wire(hart, 1, 7)]).collect();
    }
    if word == "plic" {
        problems.extend(fixed_outputs(&d, "plic", "bit 11", &at));
        d["outputs"] =
            (0..cores.unwrap_or(0)).map(|hart| json!({"output": contexts * hart, "core": hart, "bit": 11})).collect();
    }
    if let (Some(core), Some(cores)) = (own, cores) {
        if core as usize >= cores {
            problems.push(no_core(at("core"), core as usize, cores));
        }
    }
    for (k, wire) in d["outputs"].as_array_mut().into_iter().flatten().enumerate() {
        let at = |key: &str| places.of(&format!("device.{i}.outputs.{k}.{key}"));
        if wire["core"].is_null() {
            wire["core"] = json!(own.filter(|_| !per_core).unwrap_or(NOWHERE as u64));
            if own.is_none() && !per_core {
                problems.push(Problem::at(
                    at(""),
                    "this output does not say to which core it goes",
                    "no core",
                    "add core = … to the output or to the device",
                ));
            }
        }
        let number = wire["output"].as_u64().unwrap_or_default() as usize;
        if number >= model.outputs {
            let has = match model.outputs {
                0 => "none".into(),
                1 => "one, number 0".into(),
                n => format!("{n}, from 0 to {}", n - 1),
            };
            problems.push(Problem::at(
                at("output"),
                format!("a {word} has no output {number}"),
                "no such output",
                format!("interrupt outputs of a {word}: {has}"),
            ));
        }
    }
    d
}

fn clint(d: &Json, clock_hz: u64, at: &dyn Fn(&str) -> Range<usize>) -> Vec<Problem> {
    let mut problems = Vec::new();
    let hz = d["hz"].as_u64().unwrap_or(1);
    if clock_hz % hz != 0 {
        problems.push(Problem::at(
            at("hz"),
            format!("mtime cannot count at {hz} Hz from a clock of {clock_hz} Hz"),
            "does not divide clock_hz",
            "choose a frequency that divides clock_hz without remainder",
        ));
    }
    problems.extend(fixed_outputs(d, "clint", "bits 3 and 7", at));
    problems
}

fn fixed_outputs(d: &Json, word: &str, bits: &str, at: &dyn Fn(&str) -> Range<usize>) -> Option<Problem> {
    d["outputs"].as_array().is_some_and(|o| !o.is_empty()).then(|| {
        Problem::at(
            at("outputs"),
            format!("the outputs of a {word} are fixed"),
            "not allowed here",
            format!("remove the key: a {word} drives {bits} of every core"),
        )
    })
}

pub(crate) fn no_core(span: Range<usize>, core: usize, cores: usize) -> Problem {
    let help = match cores {
        1 => "the platform has one core, number 0".into(),
        n => format!("the platform has {n} cores, 0 to {}", n - 1),
    };
    Problem::at(span, format!("there is no core {core}"), "no such core", help)
}

/// All regions: within 32 bits, clear of the bypass window, apart from one another.
fn regions(platform: &Platform, places: &Places) -> Vec<Problem> {
    let mut problems = Vec::new();
    let mask = platform.bypass_mask;
    if mask != 0 && !mask.is_power_of_two() {
        problems.push(Problem::at(
            places.of("bypass_mask"),
            "bypass_mask must be a single bit, or 0",
            format!("this has {} bits", mask.count_ones()),
            "write the bit that marks uncached addresses, such as 0x80000000",
        ));
    }
    let memories = platform.memories.iter().enumerate().map(|(i, m)| ("memory", i, &m.name, m.base, m.size_bytes));
    let devices = platform.devices.iter().enumerate().map(|(i, d)| ("device", i, &d.name, d.base, d.size_bytes));
    let mut all: Vec<(u64, u64, &String, Range<usize>)> = Vec::new();
    for (list, i, name, base, size) in memories.chain(devices) {
        let span = places.of(&format!("{list}.{i}.base"));
        let (base, end) = (u64::from(base), u64::from(base) + u64::from(size));
        if end > 1 << 32 {
            problems.push(Problem::at(
                span.clone(),
                format!("`{name}` reaches beyond 32 bits"),
                format!("{base:#x} + {size:#x} = {end:#x}"),
                "move it down, or make it smaller; the last address is 0xffffffff",
            ));
        } else if mask.is_power_of_two() && (base | (end - 1)) & u64::from(mask) != 0 {
            problems.push(Problem::at(
                span.clone(),
                format!("`{name}` lies in the bypass window"),
                format!("{base:#x} to {:#x} meets bit {mask:#x}", end - 1),
                format!("bit {mask:#x} is not part of an address here: move the region below {mask:#x}, or change bypass_mask"),
            ));
        }
        let unit = if list == "memory" { 64 } else { 4 };
        if base % unit != 0 {
            problems.push(Problem::at(
                span.clone(),
                format!("`{name}` must begin at a multiple of {unit}"),
                format!("{base:#x} is not"),
                format!("write {:#x} or {:#x}", base / unit * unit, (base / unit + 1) * unit),
            ));
        }
        all.push((base, end, name, span));
    }
    all.sort_by_key(|r| (r.0, r.1));
    // A region may reach over several that follow it: compare with the one that reaches furthest so far.
    let mut furthest: Option<&(u64, u64, &String, Range<usize>)> = None;
    for r in &all {
        if let Some(f) = furthest.filter(|f| r.0 < f.1) {
            let what = format!("`{}` and `{}` overlap from {:#x} to {:#x}", f.2, r.2, r.0, f.1.min(r.1) - 1);
            let (range, other) = (format!("{:#x} to {:#x}", r.0, r.1 - 1), format!("{:#x} to {:#x}", f.0, f.1 - 1));
            problems.push(
                Problem::at(r.3.clone(), what, range, "move one of them, or make it smaller").and(f.3.clone(), other),
            );
        }
        if furthest.is_none_or(|f| r.1 > f.1) {
            furthest = Some(r);
        }
    }
    problems
}

/// The `mip` bits that a wire can drive.
pub(crate) fn is_line(bit: u32) -> bool {
    matches!(bit, 3 | 7 | 11 | 16..=31)
}

fn lines(platform: &Platform, cores: Option<usize>, places: &Places) -> Vec<Problem> {
    let mut problems = Vec::new();
    let mut used: BTreeMap<(usize, u32), (&str, Range<usize>)> = BTreeMap::new();
    for (i, d) in platform.devices.iter().enumerate() {
        for (k, wire) in d.outputs.iter().enumerate().filter(|(_, w)| w.core != NOWHERE) {
            let at = |key: &str| places.of(&format!("device.{i}.outputs.{k}.{key}"));
            if let Some(cores) = cores.filter(|c| wire.core >= *c) {
                problems.push(no_core(at("core"), wire.core, cores));
            }
            if !is_line(wire.bit) {
                problems.push(Problem::at(
                    at("bit"),
                    format!("a device cannot drive bit {} of mip", wire.bit),
                    "not an interrupt input",
                    "use 3 (software), 7 (timer), 11 (external), or 16 to 31 (direct lines)",
                ));
            }
            if let Some((other, first)) = used.insert((wire.core, wire.bit), (&d.name, at("bit"))) {
                let what = format!("bit {} of core {} is driven by `{other}` and by `{}`", wire.bit, wire.core, d.name);
                let p = Problem::at(at("bit"), what, "again here", "give each its own bit: there is no shared line");
                problems.push(p.and(first, "first here"));
            }
        }
    }
    problems
}

/// Wires from devices to the sources of an interrupt controller.
fn inputs(platform: &Platform, places: &Places) -> Vec<Problem> {
    let mut problems = Vec::new();
    for (i, d) in platform.devices.iter().enumerate() {
        let Some((inputs, sources)) = d.model.sources() else { continue };
        let mut used: BTreeMap<u32, Range<usize>> = BTreeMap::new();
        for (k, wire) in inputs.iter().enumerate() {
            let at = |key: &str| places.of(&format!("device.{i}.inputs.{k}.{key}"));
            if !sources.contains(&wire.source) {
                let help = format!("its sources are {} to {}", sources.start(), sources.end());
                problems.push(Problem::at(
                    at("source"),
                    format!("`{}` has no source {}", d.name, wire.source),
                    "no such source",
                    help,
                ));
            }
            if let Some(first) = used.insert(wire.source, at("source")) {
                let what = format!("source {} of `{}` has two wires", wire.source, d.name);
                let p = Problem::at(at("source"), what, "again here", "give each its own source");
                problems.push(p.and(first, "first here"));
            }
            let Some(from) = platform.devices.iter().find(|o| o.name == wire.device) else {
                let known: Vec<&str> = platform.devices.iter().map(|d| d.name.as_str()).collect();
                problems.push(Problem::at(
                    at("device"),
                    format!("there is no device `{}`", wire.device),
                    "not found",
                    crate::nearest::advice(&wire.device, "devices", &known),
                ));
                continue;
            };
            let one = matches!(
                from.model,
                DeviceModel::Uart16550
                    | DeviceModel::Timer
                    | DeviceModel::Pulse
                    | DeviceModel::GoldfishRtc { .. }
                    | DeviceModel::VirtioMmio
            );
            if !one || wire.output != 0 {
                let (span, help) = match one {
                    true => (at("output"), "its interrupt is output 0"),
                    false => (at("device"), "uart16550, timer, pulse, goldfish_rtc and virtio_mmio have an interrupt"),
                };
                let what = format!("`{}` has no interrupt output {} for a source", wire.device, wire.output);
                problems.push(Problem::at(span, what, "no such output", help));
            }
        }
    }
    problems
}

fn names(platform: &Platform, places: &Places) -> Vec<Problem> {
    let memories = platform.memories.iter().enumerate().map(|(i, m)| (&m.name, format!("memory.{i}.name")));
    let devices = platform.devices.iter().enumerate().map(|(i, d)| (&d.name, format!("device.{i}.name")));
    let mut first_of: BTreeMap<&String, String> = BTreeMap::new();
    let mut problems = Vec::new();
    for (name, path) in memories.chain(devices) {
        if let Some(first) = first_of.get(name) {
            problems.push(duplicate("region", name, places.of(&path), places.of(first)));
        } else {
            first_of.insert(name, path);
        }
    }
    problems
}

fn second_levels(platform: &mut Platform, places: &Places) -> Vec<Problem> {
    let mut problems = Vec::new();
    for (i, m) in platform.memories.iter_mut().enumerate() {
        let at = |key: &str| places.of(&format!("memory.{i}.l2.{key}"));
        let Some(l2) = &mut m.l2 else { continue };
        problems.extend(caches::second_level(l2, &m.name, &at));
        if m.kind == MemoryKind::Ideal {
            problems.push(Problem::at(
                places.of(&format!("memory.{i}.l2")),
                format!("`{}` is as fast as a cache could be", m.name),
                "of no use before an ideal memory",
                "leave `l2` out, or choose another kind of memory",
            ));
        }
    }
    problems
}

fn memories(platform: &Platform, places: &Places) -> Vec<Problem> {
    let mut problems = Vec::new();
    let known: Vec<&str> = platform.memories.iter().map(|m| m.name.as_str()).collect();
    if !known.contains(&platform.default_memory.as_str()) {
        problems.push(Problem::at(
            places.of("default_memory"),
            format!("there is no memory `{}`", platform.default_memory),
            "not found",
            crate::nearest::advice(&platform.default_memory, "memories", &known),
        ));
    }
    for (i, m) in platform.memories.iter().enumerate() {
        let at = |key: &str| places.of(&format!("memory.{i}.{key}"));
        if m.size_bytes % 64 != 0 {
            let below = m.size_bytes / 64 * 64;
            problems.push(Problem::at(
                at("size_bytes"),
                format!("the size of `{}` must be a multiple of 64, the largest cache line", m.name),
                format!("this is {}", m.size_bytes),
                format!("write {} or {}", below.max(64), below.saturating_add(64)),
            ));
        }
        if let MemoryKind::Sdram { banks, row_bytes, .. } = m.kind {
            if u64::from(banks) * u64::from(row_bytes) > u64::from(m.size_bytes) {
                problems.push(Problem::at(
                    at("row_bytes"),
                    format!("{banks} banks with rows of {row_bytes} bytes are more than all of `{}`", m.name),
                    "too large",
                    "correct banks, row_bytes or size_bytes",
                ));
            }
        }
        let (interval, refresh) = match m.kind {
            MemoryKind::Sdram { refresh_interval, trfc, .. } => (refresh_interval, trfc),
            // From a spinning state machine to the next command: see `mem::AvalonSdram`.
            MemoryKind::AvalonSdram { refresh_interval, trp, trcd, trfc, .. } => {
                (refresh_interval, trp + trcd + trfc + 8)
            }
            _ => (0, 0),
        };
        if interval != 0 && interval <= refresh {
            problems.push(Problem::at(
                at("refresh_interval"),
                format!("`{}` would do nothing but refresh", m.name),
                format!("a refresh takes {refresh} cycles"),
                format!("make refresh_interval larger than {refresh}, or 0 for none"),
            ));
        }
    }
    problems
}
