// SPDX-License-Identifier: Apache-2.0
//! The platforms that are shipped resolve to what is written about them.

mod common;

use common::{platform, platforms, text};
use config::*;

#[test]
fn de2_dual() {
    let p = platform("de2-dual");
    assert_eq!((p.name.as_str(), p.clock_hz, p.bypass_mask), ("de2-dual", 50_000_000, 0x8000_0000));
    assert_eq!((p.default_memory.as_str(), p.misaligned, p.boot.hartid_in_a0), ("sdram", Misaligned::Trap, false));
    let seeded =
        Seeded { registers: true, memory: true, start_skew_cycles: 64, refresh_phase: true, replacement: true };
    assert_eq!(p.seeded, seeded);
    let cache = |size_bytes| Cache {
        size_bytes,
        line_bytes: 32,
        ways: 1,
        replacement: Replacement::Lru,
        burst_bytes: 32,
        write: Write::Back,
        allocate: true,
        victim: Victim::First,
        refill: Refill::Line,
    };
    assert_eq!(p.cores.len(), 2);
    for (i, core) in p.cores.iter().enumerate() {
        assert_eq!((core.name.as_str(), core.hartid), (["cpu0", "cpu1"][i], i as u32));
        assert_eq!(core.icache, Some(cache(8192)));
        assert_eq!(core.dcache, Some(cache(4096)));
        assert_eq!(core.class.name, "nios2f");
    }
    // Sorted by address.
    let memories: Vec<_> = p.memories.iter().map(|m| (m.name.as_str(), m.base, m.size_bytes)).collect();
    assert_eq!(memories, [("sram", 0x48_0000, 0x8_0000), ("sdram", 0x80_0000, 0x80_0000)]);
    let MemoryKind::AvalonSdram { width_bits, cas, trcd, trp, trfc, refresh_interval, row_bytes } = p.memories[1].kind
    else {
        panic!("sdram is an SDRAM")
    };
    assert_eq!((width_bits, cas, trcd, trp, trfc, refresh_interval, row_bytes), (16, 3, 1, 1, 4, 781, 512));
    let wires: Vec<_> =
        p.devices.iter().map(|d| (d.name.as_str(), d.base, d.size_bytes, d.core, d.outputs.as_slice())).collect();
    let wire = |core, bit| [Output { output: 0, core, bit }];
    assert_eq!(
        wires,
        [
            ("uart0", 0x1000_0000, 0x100, Some(0), &wire(0, 17)[..]),
            ("uart1", 0x1000_0100, 0x100, Some(1), &wire(1, 17)),
            ("timer0", 0x1000_1000, 16, Some(0), &wire(0, 7)),
            ("timer1", 0x1000_1020, 16, Some(1), &wire(1, 7)),
            ("pulse0", 0x1000_2000, 8, Some(0), &wire(0, 16)),
            ("pulse1", 0x1000_2010, 8, Some(1), &wire(1, 16)),
            ("mutex0", 0x1000_3000, 8, None, &[]),
            ("mutex1", 0x1000_3008, 8, None, &[]),
            ("finisher", 0x0010_0000, 0x1000, None, &[]),
        ]
    );
}

#[test]
fn nios2f_costs() {
    let c = platform("de2-dual").cores[0].class.clone();
    assert_eq!((c.label, c.isa.as_str()), (ClassLabel::Documented, "rv32imac_zicsr_zifencei_zicbom"));
    assert_eq!((c.alu, c.load, c.load_result, c.store), (1, 1, 2, 1));
    assert_eq!((c.branch_not_taken, c.branch_taken, c.branch_mispredicted), (1, 2, 4));
    assert_eq!((c.predictor, c.predictor_entries), (Predictor::TwoBit, 256));
    assert_eq!((c.jump, c.jump_indirect, c.shift, c.shift_result), (2, 3, 1, 2));
    assert_eq!((c.mul, c.mul_result, c.div_base, c.div_per_bit, c.div_result), (5, 2, 4, 2, 2));
    assert_eq!(c.div_base + 31 * c.div_per_bit, 66);
    assert_eq!((c.csr, c.trap, c.trap_return, c.fence, c.fence_i, c.cache_op), (4, 5, 5, 1, 4, 2));
}

/// Every shipped class, put into virt.
fn classes() -> Vec<CoreClass> {
    let folder = platforms().join("cores");
    let mut names: Vec<String> = std::fs::read_dir(folder)
        .unwrap()
        .filter_map(|e| Some(e.unwrap().file_name().to_str()?.strip_suffix(".toml")?.to_string()))
        .collect();
    names.sort();
    let class = |name: &String| {
        let text = apply_overrides(&text("virt"), "virt.toml", &[("core.0.class", name)]).unwrap();
        platform_resolve(&text, "virt.toml", &[platforms()]).unwrap().cores[0].class.clone()
    };
    names.iter().map(class).collect()
}

#[test]
fn classes_and_their_labels() {
    let found: Vec<_> = classes().into_iter().map(|c| (c.name, c.label, c.isa)).collect();
    let of = |label| found.iter().filter(|c| c.1 == label).map(|c| c.0.as_str()).collect::<Vec<_>>();
    assert_eq!(of(ClassLabel::Rtl), ["ibex", "picorv32", "vexriscv-full", "vexriscv-min"]);
    assert_eq!(of(ClassLabel::Documented), ["hf-risc", "nios2e", "nios2f", "nios2s"]);
    assert_eq!(of(ClassLabel::Assumed), ["a9-like", "ideal", "ideal-f", "p54c-like"]);
}

#[test]
fn published_costs_of_small_cores() {
    let all = classes();
    let class = |name: &str| all.iter().find(|c| c.name == name).unwrap();
    // experiments/reference/core-timing.md, by column.
    let row =
        |c: &CoreClass| [c.alu, c.load, c.store, c.branch_not_taken, c.branch_taken, c.jump, c.jump_indirect, c.shift];
    assert_eq!(row(class("nios2e")), [6, 6, 6, 6, 6, 6, 6, 7]);
    let shift = class("nios2e");
    assert_eq!(shift.shift + 31 * shift.shift_per_step, 38);
    assert_eq!(row(class("nios2s")), [1, 1, 1, 1, 2, 4, 4, 3]);
    assert_eq!((class("nios2s").branch_mispredicted, class("nios2s").predictor), (4, Predictor::Static));
    assert_eq!(row(class("hf-risc")), [1, 3, 3, 1, 3, 3, 3, 1]);
    assert_eq!(row(class("picorv32")), [3, 5, 5, 3, 5, 3, 6, 4]);
    let p = class("picorv32");
    assert_eq!((p.mul, p.mul_high, p.div_base, p.div_per_bit), (40, Some(72), 40, 0));
    assert_eq!(p.shift + p.shift_per_step * (31 / p.shift_step_bits + 31 % p.shift_step_bits), 14);
    assert_eq!(row(class("ibex")), [1, 2, 2, 1, 3, 2, 2, 1]);
    let i = class("ibex");
    assert_eq!((i.mul, i.mul_high, i.div_base, i.div_by_zero), (3, Some(4), 37, Some(2)));
}

#[test]
fn the_guide_names_every_key_of_a_class() {
    let guide = std::fs::read_to_string(platforms().join("../docs/cores.md")).unwrap();
    let json = serde_json::to_value(&classes()[0]).unwrap();
    let missing: Vec<_> = json.as_object().unwrap().keys().filter(|k| !guide.contains(&format!("`{k}`"))).collect();
    assert!(missing.is_empty(), "docs/cores.md does not name {missing:?}");
    for class in classes() {
        assert!(guide.contains(&format!("`{}`", class.name)), "docs/cores.md does not name {}", class.name);
    }
}

#[test]
fn virt() {
    let p = platform("virt");
    assert_eq!((p.clock_hz, p.bypass_mask, p.cores.len()), (100_000_000, 0, 1));
    assert_eq!((p.misaligned, p.boot.hartid_in_a0, p.default_memory.as_str()), (Misaligned::Split, true, "ram"));
    assert_eq!((p.cores[0].icache, p.cores[0].dcache), (None, None));
    assert_eq!(p.memories[0].kind, MemoryKind::Ideal);
    assert_eq!((p.memories[0].base, p.memories[0].size_bytes), (0x8000_0000, 128 << 20));
    let clint = &p.devices[1];
    assert_eq!(
        (clint.base, clint.size_bytes, &clint.model),
        (0x200_0000, 0x1_0000, &DeviceModel::Clint { hz: 10_000_000 })
    );
    assert_eq!(clint.outputs, [Output { output: 0, core: 0, bit: 3 }, Output { output: 1, core: 0, bit: 7 }]);
    let ideal = &p.cores[0].class;
    assert_eq!(
        (ideal.label, ideal.alu, ideal.load, ideal.mul, ideal.div_base, ideal.trap),
        (ClassLabel::Assumed, 1, 1, 1, 1, 1)
    );
}

#[test]
fn a_clint_drives_every_core() {
    let eight = apply_overrides(&text("virt"), "virt.toml", &[("core.0.count", "8")]).unwrap();
    let p = platform_resolve(&eight, "virt.toml", &[platforms()]).unwrap();
    assert_eq!(p.cores[7].name, "hart7");
    assert_eq!(p.devices[1].outputs.len(), 16);
    assert_eq!(p.devices[1].outputs[15], Output { output: 15, core: 7, bit: 7 });
}

#[test]
fn each_tile_of_the_mesh_has_its_own() {
    let p = platform("mesh-4x4");
    let noc = p.noc.as_ref().expect("a network");
    assert_eq!((noc.topology, noc.width, noc.height, noc.flit_bits, noc.buffer_flits), (Topology::Mesh, 4, 4, 32, 8));
    assert_eq!((p.cores.len(), p.memories.len(), p.devices.len()), (16, 16, 3 * 16 + 1));
    assert_eq!(p.default_memory, "local0");
    for (i, m) in p.memories.iter().enumerate() {
        assert_eq!((m.name.clone(), m.core, m.base), (format!("local{i}"), Some(i), 0x80_0000));
    }
    let ni = &p.devices[5];
    assert_eq!((ni.name.as_str(), ni.core, ni.per_core), ("ni5", Some(5), true));
    assert_eq!(ni.model, DeviceModel::Ni { tx_flits: 64, rx_flits: 128, router: 5 });
    assert_eq!(ni.outputs, [Output { output: 0, core: 5, bit: 16 }, Output { output: 1, core: 5, bit: 18 }]);
    // One core's view has no two regions at one address.
    assert_eq!(AddressMap::new(&p).regions().len(), 5);
}

#[test]
fn every_platform_is_called_as_its_file_and_survives_json() {
    for name in ["de2-dual", "mesh-4x4", "virt", "rtl-ibex", "rtl-ibex-two", "rtl-picorv32", "rtl-vexriscv-min"] {
        let p = platform(name);
        assert_eq!(p.name, name);
        let json = serde_json::to_string(&p).unwrap();
        assert_eq!(serde_json::from_str::<Platform>(&json).unwrap(), p);
    }
}

#[test]
fn json_looks_as_python_reads_it() {
    let v = serde_json::to_value(platform("de2-dual")).unwrap();
    assert_eq!(v["memories"][1]["kind"], "avalon_sdram");
    assert_eq!(v["memories"][1]["row_bytes"], 512);
    assert_eq!(v["devices"][0]["model"], "uart16550");
    assert_eq!(v["devices"][0]["outputs"][0]["bit"], 17);
    assert_eq!(v["cores"][1]["dcache"]["line_bytes"], 32);
    assert_eq!(v["cores"][1]["class"]["label"], "documented");
    assert_eq!(v["devices"][6]["core"], serde_json::Value::Null);
}

#[test]
fn an_address_finds_its_region() {
    let p = platform("de2-dual");
    let map = AddressMap::new(&p);
    let bases: Vec<u32> = map.regions().iter().map(|r| r.base).collect();
    assert!(bases.windows(2).all(|w| w[0] < w[1]), "{bases:x?}");
    assert_eq!(map.regions().len(), 11);
    let owner = |a| map.find(a).map(|r| r.owner);
    assert_eq!(owner(0x80_0000), Some(Owner::Memory(1)));
    assert_eq!(owner(0xff_ffff), Some(Owner::Memory(1)));
    assert_eq!(owner(0x100_0000), None);
    assert_eq!(owner(0x7f_ffff), None);
    assert_eq!(owner(0x1000_1020), Some(Owner::Device(3)));
    assert_eq!(owner(0x1000_1030), None);
    assert_eq!((owner(0), owner(u32::MAX)), (None, None));
    let top = apply_overrides(&text("virt"), "virt.toml", &[("memory.ram.base", "0xf800_0000")]).unwrap();
    let p = platform_resolve(&top, "virt.toml", &[platforms()]).unwrap();
    assert_eq!(AddressMap::new(&p).find(u32::MAX).map(|r| r.owner), Some(Owner::Memory(0)));
}
