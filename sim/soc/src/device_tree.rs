// SPDX-License-Identifier: Apache-2.0
//! The device tree of a machine: what software reads to find out on what it runs.
//!
//! Nodes, names and properties are those of QEMU 7.2 (`hw/riscv/virt.c`) for the devices that exist; a device without a
//! binding has no node. What the tree has not: a random seed, which would make runs differ, and QEMU's buses for PCI
//! and for its own extensions.

use config::{Device, DeviceModel, Platform, PlicModes};
use vm_fdt::{Error, FdtWriter};

/// Interrupt inputs of a hart, as its interrupt controller numbers them.
const SOFTWARE: u32 = 3;
const TIMER: u32 = 7;
const SUPERVISOR_EXTERNAL: u32 = 9;
const EXTERNAL: u32 = 11;
/// The crystal of a PC's serial port, sixteen bits at 115200 baud twice over, as QEMU says.
const UART_HZ: u32 = 3_686_400;
/// Where QEMU puts trees at the latest, so that a 32-bit system can reach them.
const HIGHEST: u64 = 3 << 30;
const ALIGNMENT: u64 = 2 << 20;

/// Handles: one for each hart's interrupt controller, then one for each hart, then one for each device.
struct Handles {
    harts: u32,
}

impl Handles {
    fn interrupts_of(&self, hart: usize) -> u32 {
        1 + hart as u32
    }
    fn hart(&self, hart: usize) -> u32 {
        1 + self.harts + hart as u32
    }
    fn device(&self, index: usize) -> u32 {
        1 + 2 * self.harts + index as u32
    }
}

/// The tree of a platform as a flattened device tree, version 17. `compatible` names the machine.
///
/// # Errors
/// None for a resolved platform: names and numbers are what the format allows.
pub(crate) fn flattened(platform: &Platform, compatible: &str) -> Result<Vec<u8>, Error> {
    let handles = Handles { harts: platform.cores.len() as u32 };
    let mut tree = FdtWriter::new()?;
    let root = tree.begin_node("")?;
    tree.property_u32("#address-cells", 2)?;
    tree.property_u32("#size-cells", 2)?;
    tree.property_string("compatible", compatible)?;
    tree.property_string("model", &format!("{compatible},signalbox"))?;
    chosen(&mut tree, platform)?;
    for m in &platform.memories {
        let node = tree.begin_node(&format!("memory@{:x}", m.base))?;
        tree.property_string("device_type", "memory")?;
        region(&mut tree, m.base, m.size_bytes)?;
        tree.end_node(node)?;
    }
    harts(&mut tree, platform, &handles)?;
    let soc = tree.begin_node("soc")?;
    tree.property_u32("#address-cells", 2)?;
    tree.property_u32("#size-cells", 2)?;
    tree.property_string("compatible", "simple-bus")?;
    tree.property_null("ranges")?;
    for (index, d) in platform.devices.iter().enumerate() {
        device(&mut tree, platform, &handles, index, d)?;
    }
    tree.end_node(soc)?;
    endings(&mut tree, platform, &handles)?;
    tree.end_node(root)?;
    tree.finish()
}

/// Where a tree of `size` bytes goes in the memory that programs are linked for; `None` when there is no room. As
/// QEMU's `riscv_compute_fdt_addr`.
pub(crate) fn place(platform: &Platform, size: usize) -> Option<u32> {
    let memory = platform.memories.iter().find(|m| m.name == platform.default_memory)?;
    let (base, end) = (u64::from(memory.base), u64::from(memory.base) + u64::from(memory.size_bytes));
    let end = if base < HIGHEST { end.min(HIGHEST) } else { end };
    let at = end.checked_sub(size as u64)? / ALIGNMENT * ALIGNMENT;
    u32::try_from(at).ok().filter(|_| at >= base)
}

fn region(tree: &mut FdtWriter, base: u32, size: u32) -> Result<(), Error> {
    tree.property_array_u32("reg", &[0, base, 0, size])
}

fn chosen(tree: &mut FdtWriter, platform: &Platform) -> Result<(), Error> {
    let node = tree.begin_node("chosen")?;
    if let Some(uart) = platform.devices.iter().find(|d| d.model == DeviceModel::Uart16550) {
        tree.property_string("stdout-path", &format!("/soc/serial@{:x}", uart.base))?;
    }
    tree.end_node(node)
}

fn harts(tree: &mut FdtWriter, platform: &Platform, handles: &Handles) -> Result<(), Error> {
    let cpus = tree.begin_node("cpus")?;
    tree.property_u32("#address-cells", 1)?;
    tree.property_u32("#size-cells", 0)?;
    let mtime = platform.devices.iter().find_map(|d| match d.model {
        DeviceModel::Clint { hz } => Some(hz as u32),
        _ => None,
    });
    if let Some(hz) = mtime {
        tree.property_u32("timebase-frequency", hz)?;
    }
    for (index, core) in platform.cores.iter().enumerate() {
        let cpu = tree.begin_node(&format!("cpu@{:x}", core.hartid))?;
        tree.property_phandle(handles.hart(index))?;
        tree.property_string("device_type", "cpu")?;
        tree.property_u32("reg", core.hartid)?;
        tree.property_string("status", "okay")?;
        tree.property_string("compatible", "riscv")?;
        tree.property_string("riscv,isa", &core.class.isa)?;
        tree.property_string("mmu-type", "riscv,none")?;
        let controller = tree.begin_node("interrupt-controller")?;
        tree.property_u32("#interrupt-cells", 1)?;
        tree.property_null("interrupt-controller")?;
        tree.property_string("compatible", "riscv,cpu-intc")?;
        tree.property_phandle(handles.interrupts_of(index))?;
        tree.end_node(controller)?;
        tree.end_node(cpu)?;
    }
    let map = tree.begin_node("cpu-map")?;
    let cluster = tree.begin_node("cluster0")?;
    for index in 0..platform.cores.len() {
        let core = tree.begin_node(&format!("core{index}"))?;
        tree.property_u32("cpu", handles.hart(index))?;
        tree.end_node(core)?;
    }
    tree.end_node(cluster)?;
    tree.end_node(map)?;
    tree.end_node(cpus)
}

fn strings(list: &[&str]) -> Vec<String> {
    list.iter().map(|s| (*s).to_string()).collect()
}

fn device(tree: &mut FdtWriter, platform: &Platform, handles: &Handles, index: usize, d: &Device) -> Result<(), Error> {
    let (name, compatible): (&str, &[&str]) = match d.model {
        DeviceModel::Uart16550 => ("serial", &["ns16550a"]),
        DeviceModel::Clint { .. } => ("clint", &["sifive,clint0", "riscv,clint0"]),
        DeviceModel::Plic { .. } => ("plic", &["sifive,plic-1.0.0", "riscv,plic0"]),
        DeviceModel::Finisher => ("test", &["sifive,test1", "sifive,test0", "syscon"]),
        DeviceModel::GoldfishRtc { .. } => ("rtc", &["google,goldfish-rtc"]),
        DeviceModel::VirtioMmio => ("virtio_mmio", &["virtio,mmio"]),
        _ => return Ok(()),
    };
    let node = tree.begin_node(&format!("{name}@{:x}", d.base))?;
    tree.property_string_list("compatible", strings(compatible))?;
    region(tree, d.base, d.size_bytes)?;
    let of_harts = |numbers: &[u32]| -> Vec<u32> {
        let of = |hart| numbers.iter().flat_map(move |n| [handles.interrupts_of(hart), *n]);
        (0..platform.cores.len()).flat_map(of).collect()
    };
    match &d.model {
        DeviceModel::Uart16550 => tree.property_u32("clock-frequency", UART_HZ)?,
        DeviceModel::Clint { .. } => tree.property_array_u32("interrupts-extended", &of_harts(&[SOFTWARE, TIMER]))?,
        DeviceModel::Finisher => tree.property_phandle(handles.device(index))?,
        DeviceModel::Plic { sources, modes, .. } => {
            tree.property_phandle(handles.device(index))?;
            tree.property_u32("#address-cells", 0)?;
            tree.property_u32("#interrupt-cells", 1)?;
            tree.property_null("interrupt-controller")?;
            tree.property_u32("riscv,ndev", *sources)?;
            let numbers: &[u32] = match modes {
                PlicModes::M => &[EXTERNAL],
                PlicModes::Ms => &[EXTERNAL, SUPERVISOR_EXTERNAL],
            };
            tree.property_array_u32("interrupts-extended", &of_harts(numbers))?;
        }
        _ => {}
    }
    for (controller, c) in platform.devices.iter().enumerate() {
        let DeviceModel::Plic { inputs, .. } = &c.model else { continue };
        if let Some(wire) = inputs.iter().find(|w| w.device == d.name) {
            tree.property_u32("interrupts", wire.source)?;
            tree.property_u32("interrupt-parent", handles.device(controller))?;
        }
    }
    tree.end_node(node)
}

/// How software ends itself: what to write to the test finisher.
fn endings(tree: &mut FdtWriter, platform: &Platform, handles: &Handles) -> Result<(), Error> {
    let Some(finisher) = platform.devices.iter().position(|d| d.model == DeviceModel::Finisher) else {
        return Ok(());
    };
    for (name, value) in [("poweroff", 0x5555), ("reboot", 0x7777)] {
        let node = tree.begin_node(name)?;
        tree.property_string("compatible", &format!("syscon-{name}"))?;
        tree.property_u32("regmap", handles.device(finisher))?;
        tree.property_u32("offset", 0)?;
        tree.property_u32("value", value)?;
        tree.end_node(node)?;
    }
    Ok(())
}
