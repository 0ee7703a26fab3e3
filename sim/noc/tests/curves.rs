// SPDX-License-Identifier: Apache-2.0
//! Load curves against `curves.csv`, which the RTL gave with other random numbers: means agree within their own scatter.

mod common;

use common::golden_text;
use noc::{measure, LoadPoint, LoadSetup, NetworkConfig, Pattern};

const RUNS: u64 = 5;

fn runs(config: &NetworkConfig, length: u32, load: f64) -> Vec<LoadPoint> {
    (0..RUNS)
        .map(|run| {
            let setup = LoadSetup {
                pattern: Pattern::Uniform,
                length,
                load,
                seed: 1 + run,
                warmup: 5_000,
                window: 20_000,
                drain: if load < 0.5 { 1_000_000 } else { 0 },
                sinks: None,
            };
            measure(config, &setup, || false).expect("a network").expect("not interrupted")
        })
        .collect()
}

/// Mean and standard deviation.
fn spread(values: impl Iterator<Item = f64> + Clone) -> (f64, f64) {
    let mean = values.clone().sum::<f64>() / RUNS as f64;
    (mean, (values.map(|v| (v - mean).powi(2)).sum::<f64>() / (RUNS - 1) as f64).sqrt())
}

#[test]
fn curves_agree_with_the_rtl() {
    let text = golden_text("curves.csv");
    let mut worst = 0.0f64;
    for line in text.lines().skip(1) {
        let f: Vec<&str> = line.split(',').collect();
        let number = |i: usize| f[i].parse::<f64>().ok();
        let side = f[0].split('x').next().and_then(|s| s.parse().ok()).expect("a side");
        let length = f[1].parse().expect("a length");
        let load = number(2).expect("a load");
        let ours = runs(&NetworkConfig::mesh(side, side), length, load);

        // Two means of five runs each differ by less than four of their standard errors.
        let near = |what: &str, (mean, deviation): (f64, f64), golden: f64, golden_deviation: f64, least: f64| {
            let error = ((deviation.powi(2) + golden_deviation.powi(2)) / RUNS as f64).sqrt().max(least);
            println!("{line}: {what} {mean:.5}, golden {golden}, {:.1} standard errors", (mean - golden).abs() / error);
            (mean - golden).abs() / error
        };
        let accepted = spread(ours.iter().map(|p| p.accepted));
        let off = near("accepted", accepted, number(4).expect("a load"), number(5).expect("a deviation"), 2e-5);
        worst = worst.max(off);
        let Some(golden) = number(6) else { continue };
        let latency = spread(ours.iter().map(|p| p.latency.expect("all arrive")));
        let off = near("latency", latency, golden, number(7).expect("a deviation"), 0.01);
        worst = worst.max(off);
    }
    println!("worst: {worst:.2} standard errors");
    // 91 comparisons; with four degrees of freedom each, a tail beyond 5 is expected in about one of them per hundred suites.
    assert!(worst < 5.0, "{worst}");
}

#[test]
fn a_wrong_buffer_is_seen_in_the_curve() {
    // The check above can fail: with buffers of 4 the saturated 4x4 mesh, 16 flits, accepts 0.30 where the RTL accepts 0.32.
    let ours = runs(&NetworkConfig { buffer_flits: 4, ..NetworkConfig::mesh(4, 4) }, 16, 1.0);
    let (mean, deviation) = spread(ours.iter().map(|p| p.accepted));
    let error = ((deviation.powi(2) + 0.00243f64.powi(2)) / RUNS as f64).sqrt();
    assert!((mean - 0.32062).abs() / error > 5.0, "{mean}");
}

#[test]
fn a_seed_is_a_run() {
    let config = NetworkConfig::mesh(4, 4);
    let setup = |seed| LoadSetup {
        pattern: Pattern::Uniform,
        length: 4,
        load: 0.05,
        seed,
        warmup: 100,
        window: 2_000,
        drain: 10_000,
        sinks: Some((1, 2)),
    };
    let run = |seed| measure(&config, &setup(seed), || false).expect("a network");
    assert_eq!(run(3), run(3));
    assert_ne!(run(3), run(4));
    assert_eq!(measure(&config, &setup(3), || true).expect("a network"), None);
}
