// SPDX-License-Identifier: Apache-2.0
//! How many million instructions per second a machine executes.
//!
//! `scale PLATFORM.toml CYCLES IMAGE[@FIRST-LAST]…`: each image starts on its cores, by default on core 0. Prints instructions, cycles,
//! the state's hash and the speed, so that two builds can be compared: the first three must be equal. SIGNALBOX_THREADS says how many host
//! threads run cores ahead; with more than one the time is that on the wall, and what the first thread has executed is printed, too: what it
//! would come to on a host with as many free cores, as the threads have equal shares.

use soc::{Cycle, Image, Machine};
use std::path::Path;
use std::time::Instant;

/// Time that this thread has executed where the system says so, else the time on the wall: the host may be shared.
fn seconds(begin: Instant) -> f64 {
    let spent = std::fs::read_to_string("/proc/thread-self/schedstat").ok();
    let nanoseconds = spent.and_then(|t| t.split_whitespace().next()?.parse::<f64>().ok());
    nanoseconds.map_or_else(|| begin.elapsed().as_secs_f64(), |n| n / 1e9)
}

fn image(argument: &str) -> (Image, Vec<usize>) {
    let (path, cores) = argument.split_once('@').unwrap_or((argument, "0-0"));
    let (first, last) = cores.split_once('-').unwrap_or((cores, cores));
    let number = |text: &str| text.parse::<usize>().expect("a core's number");
    let bytes = std::fs::read(path).expect("the image can be read");
    (Image::parse(path, bytes).expect("an image"), (number(first)..=number(last)).collect())
}

fn main() {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let [platform, cycles, images @ ..] = arguments.as_slice() else {
        eprintln!("usage: scale PLATFORM.toml CYCLES IMAGE[@FIRST-LAST]...");
        std::process::exit(2);
    };
    let text = std::fs::read_to_string(platform).expect("the platform can be read");
    let folder = Path::new(platform).parent().map_or_else(Default::default, Path::to_path_buf);
    let shipped = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../platforms");
    let platform = config::platform_resolve(&text, platform, &[folder, shipped]).expect("a platform");
    let mut machine =
        Machine::new(&platform, images.iter().map(|a| image(a)).collect(), 1, false).expect("images fit the platform");
    let threads = std::env::var("SIGNALBOX_THREADS").ok().and_then(|t| t.parse().ok()).unwrap_or(1);
    machine.set_threads(threads);
    let begin = Instant::now();
    let before = seconds(begin);
    let outcome = machine.run(Cycle(cycles.parse().expect("a number of cycles")));
    let own = seconds(begin) - before;
    let took = if threads > 1 { begin.elapsed().as_secs_f64() } else { own };
    let instructions: u64 = machine.stats().cores.iter().map(|c| c.instructions).sum();
    println!(
        "{:?} at {}: {instructions} instructions, hash {:016x}, {:.1} MIPS",
        outcome.stop,
        outcome.cycle,
        machine.state_hash(),
        instructions as f64 / took / 1e6
    );
    if threads > 1 {
        println!(
            "{own:.3} of {took:.3} s executed by the first thread: {:.1} MIPS if it never waits",
            instructions as f64 / own / 1e6
        );
    }
}
