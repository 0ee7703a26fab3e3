// SPDX-License-Identifier: Apache-2.0
//! The network on chip alone: a traffic file replayed, a point of a load curve.

use crate::input_error;
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use serde::Deserialize;
use serde_json::json;
use soc::network::{
    measure, traffic, Direction, LoadSetup, Network, NetworkConfig, Packet, Pattern, Replay, Sink, Times,
    UnknownTopology,
};
use soc::Cycles;

/// The network that the command line asks for. What is wrong with it is the caller's, not a file's: `ValueError`.
#[derive(Deserialize)]
struct Asked {
    topology: String,
    width: u32,
    height: u32,
    flit_bits: u32,
    buffer_flits: u32,
    sinks: Option<(u64, u64)>,
}

fn refused(what: impl std::fmt::Display) -> PyErr {
    PyValueError::new_err(what.to_string())
}

impl Asked {
    fn parse(text: &str) -> PyResult<(NetworkConfig, Option<(u64, u64)>)> {
        let it: Asked = serde_json::from_str(text).map_err(refused)?;
        let config = NetworkConfig {
            topology: it.topology.parse().map_err(|e: UnknownTopology| refused(e))?,
            width: it.width,
            height: it.height,
            flit_bits: it.flit_bits,
            buffer_flits: it.buffer_flits,
        };
        Ok((config, it.sinks))
    }
}

/// Replay a traffic file: its rows with all cycles as CSV text (empty unless `rows`), and what it comes to as JSON.
#[pyfunction]
pub fn noc_replay(
    py: Python<'_>,
    data: &[u8],
    filename: &str,
    network_json: &str,
    rows: bool,
) -> PyResult<(String, String)> {
    let (config, sinks) = Asked::parse(network_json)?;
    let mut network = Network::new(&config).map_err(refused)?;
    if let Some((accept, period)) = sinks {
        for node in 0..network.nodes() as u32 {
            network.set_sink(node, Sink::staggered(network.place(node), accept, period));
        }
    }
    let packets = traffic::parse(data, &network).map_err(|e| input_error(format!("{filename}:{e}")))?;
    let mut replay = Replay::new(network, &packets).map_err(refused)?;
    // Ctrl-C is looked at every few milliseconds.
    while !py.detach(|| replay.run(Cycles(4096))).map_err(refused)? {
        py.check_signals()?;
    }
    let text = if rows { traffic::print(replay.network(), &packets, replay.times()) } else { String::new() };
    Ok((text, summary(&replay, &packets).to_string()))
}

fn spread(mut values: Vec<u64>) -> serde_json::Value {
    values.sort_unstable();
    let n = values.len();
    if n == 0 {
        return serde_json::Value::Null;
    }
    // Sums of latencies of a billion packets do not fit into 64 bits.
    let mean = values.iter().map(|&v| u128::from(v)).sum::<u128>() as f64 / n as f64;
    // The value below which the given share lies; the lower one where two would do.
    let at = |share: f64| values[((share * n as f64).ceil() as usize).clamp(1, n) - 1];
    json!({"mean": mean, "min": values[0], "median": at(0.5), "p99": at(0.99), "max": values[n - 1]})
}

fn summary(replay: &Replay, packets: &[Packet]) -> serde_json::Value {
    let of = |f: &dyn Fn(&Packet, &Times) -> u64| packets.iter().zip(replay.times()).map(|(p, t)| f(p, t)).collect();
    let network = replay.network();
    let last = replay.times().iter().map(|t| t.tail_out).max();
    json!({
        "packets": packets.len(),
        "flits": packets.iter().map(|p| u64::from(p.length)).sum::<u64>(),
        "last_cycle": last,
        "latency_cycles": spread(of(&|p, t| t.tail_out - p.inject)),
        "network_latency_cycles": spread(of(&|_, t| t.tail_out - t.header_accept)),
        "links": links(network),
    })
}

fn links(network: &Network) -> serde_json::Value {
    let mut out = Vec::new();
    for node in 0..network.nodes() as u32 {
        let (x, y) = network.place(node);
        for direction in Direction::ALL {
            if let Some(link) = network.link(node, direction) {
                out.push(json!({
                    "x": x, "y": y, "direction": direction.name(), "packets": link.packets, "flits": link.flits,
                    "blocked_cycles": link.blocked_cycles, "wait_cycles": link.wait_cycles, "wait_max": link.wait_max,
                    "waits": link.waits,
                }));
            }
        }
    }
    out.into()
}

/// A point of a load curve that is asked for.
#[derive(Deserialize)]
struct Point {
    pattern: String,
    hot: Option<(u32, u32)>,
    hot_share: f64,
    length: u32,
    load: f64,
    seed: u64,
    warmup: u64,
    window: u64,
    drain: u64,
}

/// One run under load, as JSON.
#[pyfunction]
pub fn noc_measure(py: Python<'_>, network_json: &str, point_json: &str) -> PyResult<String> {
    let (config, sinks) = Asked::parse(network_json)?;
    let p: Point = serde_json::from_str(point_json).map_err(refused)?;
    let pattern = match p.pattern.as_str() {
        "uniform" => Pattern::Uniform,
        "hotspot" => {
            let (x, y) = p.hot.unwrap_or((config.width / 2, config.height / 2));
            let node = if x < config.width && y < config.height { y * config.width + x } else { u32::MAX };
            Pattern::Hotspot { node, share: p.hot_share }
        }
        "transpose" => Pattern::Transpose,
        "bit-complement" => Pattern::BitComplement,
        "neighbour" => Pattern::Neighbour,
        other => return Err(refused(format!("no pattern {other}"))),
    };
    Network::new(&config).map_err(refused)?;
    pattern.check(&config).map_err(refused)?;
    let setup = LoadSetup {
        pattern,
        length: p.length,
        load: p.load,
        seed: p.seed,
        warmup: p.warmup,
        window: p.window,
        drain: p.drain,
        sinks,
    };
    let mut interrupted = Ok(());
    let point = py.detach(|| {
        measure(&config, &setup, || {
            interrupted = Python::attach(|py| py.check_signals());
            interrupted.is_err()
        })
    });
    interrupted?;
    let Some(point) = point.map_err(refused)? else { return Err(refused("interrupted")) };
    Ok(json!({
        "offered_measured": point.offered,
        "accepted_load": point.accepted,
        "mean_latency": point.latency,
        "mean_network_latency": point.network_latency,
        "max_latency": point.latency_max,
        "packets": point.packets,
        "cycles": point.cycles,
    })
    .to_string())
}
