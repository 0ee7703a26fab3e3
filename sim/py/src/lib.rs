// SPDX-License-Identifier: Apache-2.0
//! The door to Python: resolved configuration, images and machines, as JSON and bytes.
//!
//! Deliberately lacks: policy. What to build, run, print or compare is decided in Python.

// The attribute macros of pyo3 expand to unsafe glue; the crate's own code has none.
#![allow(unsafe_code)]
#![allow(missing_docs)]

mod traffic;

use pyo3::create_exception;
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::types::PyBytes;
use serde_json::json;
use soc::{Cycle, Image};
use std::path::PathBuf;

create_exception!(
    _sim,
    InputError,
    PyValueError,
    "A platform, system or image file is wrong; the text says where and what to do."
);

fn input_error(e: impl std::fmt::Display) -> PyErr {
    InputError::new_err(e.to_string())
}

fn to_json<T: serde::Serialize>(value: &T) -> PyResult<String> {
    serde_json::to_string(value).map_err(|e| PyValueError::new_err(e.to_string()))
}

fn read(path: &str) -> PyResult<Vec<u8>> {
    std::fs::read(path).map_err(|e| input_error(format!("{path}: cannot be read: {e}")))
}

fn load_image(path: &str) -> PyResult<Image> {
    Image::parse(path, read(path)?).map_err(input_error)
}

/// Resolve a platform's TOML text to JSON.
#[pyfunction]
fn platform_resolve(text: &str, filename: &str, search_dirs: Vec<PathBuf>) -> PyResult<String> {
    let platform = config::platform_resolve(text, filename, &search_dirs).map_err(input_error)?;
    to_json(&platform)
}

/// Resolve a system's TOML text to JSON, checked against its platform.
#[pyfunction]
fn system_resolve(text: &str, filename: &str, platform_json: &str) -> PyResult<String> {
    let platform = parse_platform(platform_json)?;
    let system = config::system_resolve(text, filename, &platform).map_err(input_error)?;
    to_json(&system)
}

/// Replace values at dotted keys in a TOML text, before it is resolved.
#[pyfunction]
fn apply_overrides(text: &str, filename: &str, overrides: Vec<(String, String)>) -> PyResult<String> {
    let pairs: Vec<(&str, &str)> = overrides.iter().map(|(k, v)| (k.as_str(), v.as_str())).collect();
    config::apply_overrides(text, filename, &pairs).map_err(input_error)
}

/// JSON Schema of platform files.
#[pyfunction]
fn platform_schema() -> String {
    config::platform_schema()
}

/// JSON Schema of system files.
#[pyfunction]
fn system_schema() -> String {
    config::system_schema()
}

/// The records of a trace: version, and for each its number, name and arguments.
#[pyfunction]
fn trace_schema() -> String {
    let schema = trace::schema();
    let ty = |t: trace::ArgType| match t {
        trace::ArgType::U32 => "u32",
        trace::ArgType::Ptr => "ptr",
        trace::ArgType::Str => "str",
    };
    let records: Vec<_> = schema
        .records
        .iter()
        .map(|r| json!({"kind": r.kind, "name": r.name, "args": r.args.iter().map(|(n, t)| json!([n, ty(*t)])).collect::<Vec<_>>()}))
        .collect();
    json!({"version": schema.version, "accounts": trace::ACCOUNT_NAMES, "record_bytes": trace::RECORD_BYTES, "records": records}).to_string()
}

/// Execute so many steps of a fixed loop on this host, a xorshift generator in registers: what speeds measured on different hosts, or at
/// different times on a busy one, are related to.
#[pyfunction]
fn host_loop(py: Python<'_>, steps: u32) -> u32 {
    py.detach(|| {
        let mut x = std::hint::black_box(0x9e37_79b9_u32);
        for _ in 0..steps {
            x ^= x << 13;
            x ^= x >> 17;
            x ^= x << 5;
        }
        std::hint::black_box(x)
    })
}

/// Entry, segments, symbols and probes of an ELF file.
#[pyfunction]
fn image_info(path: &str) -> PyResult<String> {
    let image = load_image(path)?;
    let operand = |o: &trace::Operand| match o {
        trace::Operand::Imm(v) => json!({"imm": v}),
        trace::Operand::Reg(r) => json!({"reg": r}),
        trace::Operand::Mem { base, offset } => json!({"base": base, "offset": offset}),
    };
    Ok(json!({
        "entry": image.entry,
        "machine": "riscv32",
        "segments": image.segments.iter().map(|s| json!({"addr": s.addr, "size": s.size})).collect::<Vec<_>>(),
        "symbols_count": image.symbols.len(),
        "probes": image.probes.iter().map(|p| json!({
            "addr": p.addr, "kind": p.kind, "operands": p.operands.iter().map(operand).collect::<Vec<_>>(),
        })).collect::<Vec<_>>(),
    })
    .to_string())
}

fn parse_platform(platform_json: &str) -> PyResult<config::Platform> {
    serde_json::from_str(platform_json).map_err(|e| input_error(format!("resolved platform: {e}")))
}

/// A machine made of a resolved platform and the images of its cores.
#[pyclass]
struct Machine {
    machine: soc::Machine,
}

#[pymethods]
impl Machine {
    #[new]
    #[pyo3(signature = (platform_json, images, seed = 1, observe = false, raw_at = None, check_coherence = false))]
    fn new(
        platform_json: &str,
        images: Vec<(String, Vec<usize>)>,
        seed: u64,
        observe: bool,
        raw_at: Option<u32>,
        check_coherence: bool,
    ) -> PyResult<Machine> {
        let platform = parse_platform(platform_json)?;
        let load = |path: String| match raw_at {
            None => load_image(&path),
            Some(at) => Image::raw(&path, read(&path)?, at).map_err(input_error),
        };
        let images = images.into_iter().map(|(path, cores)| Ok((load(path)?, cores))).collect::<PyResult<Vec<_>>>()?;
        let make = if check_coherence { soc::Machine::checked } else { soc::Machine::new };
        let machine = make(&platform, images, seed, observe).map_err(input_error)?;
        Ok(Machine { machine })
    }

    /// Host threads that run cores ahead; they change no result.
    fn set_threads(&mut self, threads: usize) {
        self.machine.set_threads(threads);
    }

    /// Run until the absolute cycle `max_cycles` or until the program ends.
    fn run(&mut self, py: Python<'_>, max_cycles: u64) -> PyResult<String> {
        let machine = &mut self.machine;
        let outcome = py.detach(|| machine.run(Cycle(max_cycles)));
        to_json(&outcome)
    }

    /// Console output since the last call, per UART.
    fn console<'py>(&mut self, py: Python<'py>) -> Vec<(String, Bound<'py, PyBytes>)> {
        self.machine.take_console().into_iter().map(|(name, bytes)| (name, PyBytes::new(py, &bytes))).collect()
    }

    /// Bytes typed at a UART.
    fn input(&mut self, uart: &str, data: &[u8]) -> PyResult<()> {
        if self.machine.input(uart, data) {
            Ok(())
        } else {
            Err(PyValueError::new_err(format!("no UART named {uart}")))
        }
    }

    /// Hash of the whole state, 16 hexadecimal digits.
    fn state_hash(&self) -> String {
        format!("{:016x}", self.machine.state_hash())
    }

    /// Counters, as JSON.
    fn stats(&self) -> PyResult<String> {
        to_json(&self.machine.stats())
    }

    /// Instructions that translated blocks executed; says something about the simulator alone.
    fn retired_in_blocks(&self) -> u64 {
        self.machine.retired_in_blocks()
    }

    /// Instructions that host threads executed side by side; says something about the simulator alone.
    fn retired_in_batches(&self) -> u64 {
        self.machine.retired_in_batches()
    }

    /// The guest fault that ended the run, as JSON.
    fn fault(&mut self) -> PyResult<Option<String>> {
        self.machine.fault().map(|f| to_json(&f)).transpose()
    }

    /// What the coherence checker has found, as JSON.
    fn coherence(&self) -> PyResult<String> {
        to_json(&self.machine.coherence())
    }

    /// Encoded records and their string table.
    fn trace<'py>(&self, py: Python<'py>) -> (Bound<'py, PyBytes>, Vec<String>) {
        let (bytes, strings) = self.machine.trace();
        (PyBytes::new(py, &bytes), strings)
    }

    /// Memory as a core sees it, through its caches.
    #[pyo3(signature = (addr, n, core = 0))]
    fn read<'py>(&self, py: Python<'py>, addr: u32, n: usize, core: usize) -> PyResult<Bound<'py, PyBytes>> {
        self.machine
            .read(core, addr, n)
            .map(|b| PyBytes::new(py, &b))
            .ok_or_else(|| PyValueError::new_err(format!("core {core} has no memory at {addr:#010x}+{n}")))
    }

    /// Come back with `call` before calls to the host; false if a core has caches.
    fn serve_host_calls(&mut self) -> bool {
        self.machine.serve_host_calls()
    }

    /// Number and parameter of the call that a core waits before.
    fn host_call(&self, core: usize) -> Option<(u32, u32)> {
        self.machine.host_call(core)
    }

    /// Write for a core that waits before a call; false if that is not memory.
    fn write_for_host_call(&mut self, core: usize, addr: u32, data: &[u8]) -> bool {
        self.machine.write_for_host_call(core, addr, data)
    }

    /// Let a core go on behind its call with this result; false if it waits before none.
    fn answer_host_call(&mut self, core: usize, result: u32) -> bool {
        self.machine.answer_host_call(core, result)
    }

    /// Address of a symbol in a core's image.
    #[pyo3(signature = (name, core = 0))]
    fn symbol(&self, name: &str, core: usize) -> Option<u32> {
        self.machine.symbol(core, name)
    }

    /// Describe an address of a core's image: {pc, symbol, file, line} as JSON.
    #[pyo3(signature = (pc, core = 0))]
    fn describe(&self, pc: u32, core: usize) -> PyResult<Option<String>> {
        self.machine.describe(core, pc).map(|f| to_json(&f)).transpose()
    }
}

#[pymodule]
fn _sim(m: &Bound<'_, PyModule>) -> PyResult<()> {
    m.add("InputError", m.py().get_type::<InputError>())?;
    m.add_class::<Machine>()?;
    m.add_function(wrap_pyfunction!(platform_resolve, m)?)?;
    m.add_function(wrap_pyfunction!(system_resolve, m)?)?;
    m.add_function(wrap_pyfunction!(apply_overrides, m)?)?;
    m.add_function(wrap_pyfunction!(platform_schema, m)?)?;
    m.add_function(wrap_pyfunction!(system_schema, m)?)?;
    m.add_function(wrap_pyfunction!(trace_schema, m)?)?;
    m.add_function(wrap_pyfunction!(host_loop, m)?)?;
    m.add_function(wrap_pyfunction!(image_info, m)?)?;
    m.add_function(wrap_pyfunction!(traffic::noc_replay, m)?)?;
    m.add_function(wrap_pyfunction!(traffic::noc_measure, m)?)?;
    Ok(())
}
