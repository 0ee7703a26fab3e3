// SPDX-License-Identifier: Apache-2.0
//! Each way to get a platform wrong: the report names the line, shows it, and says what to do.

mod common;

use common::{change, holds, line_of, platforms, text};
use config::{platform_resolve, InputError};

fn error(text: &str) -> InputError {
    platform_resolve(text, "p.toml", &[platforms()]).expect_err("this must not resolve")
}

/// Change one place of de2-dual; the report must stand at the changed line and hold `parts`.
#[track_caller]
fn wrong(from: &str, to: &str, parts: &[&str]) {
    let changed = change(&text("de2-dual"), from, to);
    let e = error(&changed);
    assert_eq!(e.problems().len(), 1, "{e}");
    holds(&e, &[&format!("p.toml:{}:", line_of(&changed, to))]);
    holds(&e, parts);
}

#[test]
fn unknown_key() {
    wrong(
        "cas = 3 ",
        "cas = 3\ncaslatency = 3 ",
        &[
            "a memory has no key `caslatency`",
            "caslatency = 3",
            "unknown key",
            "its keys: kind, name, base, size_bytes, per_core, l2, width_bits, cas,",
        ],
    );
    let e = error(&change(&text("de2-dual"), "clock_hz", "clock_zh"));
    holds(
        &e,
        &[
            "did you mean `clock_hz`?",
            "a platform needs the key `clock_hz`",
            "add `clock_hz = …`: frequency of the base clock",
        ],
    );
    wrong(
        "start_skew_cycles = 64 ",
        "start_skew_cycle = 64 ",
        &["the table `seeded` has no key `start_skew_cycle`", "did you mean `start_skew_cycles`?"],
    );
}

#[test]
fn key_of_another_kind() {
    wrong("access_cycles = 1 ", "access_cycles = 1\ncas = 3 ", &["`cas` belongs to kind = \"sdram\", not to \"sram\""]);
}

#[test]
fn wrong_type() {
    wrong(
        "refresh_interval = 781 ",
        "refresh_interval = \"781\" ",
        &["`refresh_interval` must be an integer", "this is a string", "without quotes"],
    );
    wrong("registers = true ", "registers = 1 ", &["`registers` must be true or false", "this is an integer"]);
    wrong("name = \"sram\"", "name = 5", &["`name` must be a string", "in double quotes"]);
    wrong("class = \"nios2f\"", "class = []", &["`class` must be a string", "this is a list"]);
    wrong("[interconnect]\n", "[[interconnect]]\n", &["`interconnect` must be a table", "this is a list"]);
    wrong("[[core]]\n", "[core]\n", &["`core` must be a list of tables", "[[core]], with two brackets"]);
    wrong("clock_hz = 50_000_000 ", "clock_hz = 50e6 ", &["`clock_hz` must be an integer", "a number with a fraction"]);
}

#[test]
fn missing_key() {
    let t = text("de2-dual");
    let without: String = t.lines().filter(|l| !l.starts_with("trp")).map(|l| format!("{l}\n")).collect();
    let e = error(&without);
    holds(
        &e,
        &[
            &format!("p.toml:{}:", line_of(&without, "[[memory]]")),
            "a memory needs the key `trp`",
            "PRECHARGE to ACTIVATE",
        ],
    );
    let e = error("schema = 1\nname = \"x\"\n");
    holds(&e, &["p.toml:1:1", "needs the key `clock_hz`", "needs the key `core`", "needs the key `memory`"]);
    let e = error(&change(&t, "kind = \"sram\"\n", ""));
    holds(&e, &["a memory needs the key `kind`", "add `kind = …`: what kind of memory"]);
    assert_eq!(e.problems().len(), 1, "{e}");
}

#[test]
fn unknown_word() {
    wrong(
        "kind = \"avalon_sdram\"",
        "kind = \"sdrma\"",
        &["`kind` cannot be \"sdrma\"", "did you mean `sdram`? it can be: sdram, avalon_sdram, sram, ideal"],
    );
    wrong(
        "model = \"finisher\" ",
        "model = \"dma\" ",
        &["`model` cannot be \"dma\"", "uart16550, clint, timer, pulse, irq_block, mutex, finisher"],
    );
    wrong(
        "misaligned = \"trap\" ",
        "misaligned = \"trip\" ",
        &["`misaligned` cannot be \"trip\"", "did you mean `trap`?"],
    );
}

#[test]
fn out_of_range() {
    wrong("cas = 3 ", "cas = -1 ", &["`cas` is out of range", "-1 is not allowed", "from 1 to 1000000"]);
    wrong(
        "base = 0x0048_0000 ",
        "base = 0x1_0000_0000 ",
        &["`base` is out of range", "0x100000000 is not allowed", "from 0 to 0xffffffff"],
    );
    wrong("clock_hz = 50_000_000 ", "clock_hz = 0 ", &["`clock_hz` is out of range"]);
    wrong("request_cycles = 1 ", "request_cycles = 0 ", &["`request_cycles` is out of range", "from 1 to"]);
    wrong("clock_hz = 50_000_000 ", "clock_hz = 99999999999999999999 ", &["`clock_hz` is out of range"]);
    wrong("schema = 1", "schema = 2", &["reads files of schema 1 only", "unknown version"]);
}

#[test]
fn syntax() {
    let e = error("schema = 1\nname = = 2\n");
    holds(&e, &["p.toml:2:", "not TOML", "https://toml.io"]);
    let e = error("schema = 1\nschema = 1\n");
    holds(&e, &["p.toml:2:1", "not TOML", "duplicate"]);
}

#[test]
fn overlapping_regions() {
    let changed = change(&text("de2-dual"), "base = 0x1000_1020", "base = 0x1000_1008");
    let e = error(&changed);
    holds(
        &e,
        &[
            "`timer0` and `timer1` overlap from 0x10001008 to 0x1000100f",
            "0x10001000 to 0x1000100f",
            "0x10001008 to 0x10001017",
            "base = 0x1000_1000",
            "base = 0x1000_1008",
            "move one of them, or make it smaller",
        ],
    );
    assert_eq!(e.problems().len(), 1);
    assert_eq!(e.problems()[0].spans().map(|s| &changed[s]).collect::<Vec<_>>(), ["0x1000_1008", "0x1000_1000"]);
    let e = error(&change(&text("de2-dual"), "base = 0x0048_0000 ", "base = 0x00ff_0000 "));
    holds(&e, &["`sdram` and `sram` overlap from 0xff0000 to 0xffffff"]);
    // A large region over several: each of them is reported, though the one before it ends earlier.
    let wide = change(&text("de2-dual"), "size_bytes = 0x1000 ", "size_bytes = 0x1000_0000 ");
    let e = error(&wide);
    assert_eq!(e.problems().len(), 10, "finisher over both memories and all other devices: {e}");
}

#[test]
fn outside_32_bits() {
    let e = error(&change(&text("virt"), "base = 0x8000_0000 ", "base = 0xfc00_0000 "));
    holds(
        &e,
        &["`ram` reaches beyond 32 bits", "0xfc000000 + 0x8000000 = 0x104000000", "the last address is 0xffffffff"],
    );
}

#[test]
fn bypass_window() {
    wrong(
        "base = 0x0010_0000",
        "base = 0x8010_0000",
        &["`finisher` lies in the bypass window", "0x80100000 to 0x80100fff meets bit 0x80000000", "below 0x80000000"],
    );
    wrong("bypass_mask = 0x8000_0000", "bypass_mask = 0xc000_0000", &["must be a single bit", "this has 2 bits"]);
    // A region that only reaches the bit.
    let e = error(&change(&text("de2-dual"), "bypass_mask = 0x8000_0000", "bypass_mask = 0x0080_0000"));
    holds(&e, &["`sdram` lies in the bypass window", "0x800000 to 0xffffff"]);
}

#[test]
fn caches() {
    wrong(
        "icache = { size_bytes = 8192,",
        "icache = { size_bytes = 6000,",
        &[
            "the icache cannot be divided into sets of 1 line",
            "6000 is not 1 * 32 times a power of two",
            "4096 or 8192",
        ],
    );
    wrong(
        "4096, line_bytes = 32",
        "4096, line_bytes = 128",
        &["`line_bytes` must be a power of two from 8 to 64", "this is 128"],
    );
    wrong("4096, line_bytes = 32", "4096, line_bytes = 24", &["such as 16 or 32"]);
    let small = change(&text("de2-dual"), "size_bytes = 4096, line_bytes = 32", "size_bytes = 32, line_bytes = 32");
    holds(&error(&small), &["the dcache must hold two lines at least", "2 * 32 > 32"]);
}

#[test]
fn ways() {
    let dcache = |with: &str| format!("4096, line_bytes = 32, {with}");
    for (with, parts) in [
        ("ways = 17", &["`ways` must be an integer from 1 to 16, or \"full\""][..]),
        ("ways = 0", &["`ways` must be an integer from 1 to 16, or \"full\""]),
        ("ways = \"all\"", &["`ways` must be an integer from 1 to 16, or \"full\""]),
        ("ways = 3", &["the dcache cannot be divided into sets of 3 lines", "4096 is not 3 * 32", "3072 or 6144"]),
        (
            "ways = 2, replacement = \"plru\"",
            &["`replacement` cannot be \"plru\"", "it can be: lru, round_robin, random"],
        ),
        ("burst_bytes = 64", &["a transfer of the dcache cannot be longer than its line", "64 > 32"]),
        (
            "burst_bytes = 8, victim = \"buffered\"",
            &["the dcache moves its lines in several transfers", "needs a line"],
        ),
        ("burst_bytes = 4, refill = \"critical_word\"", &["the dcache moves its lines in several transfers"]),
        ("write = \"through\", victim = \"after\"", &["the dcache has no victims to write", "never dirty"]),
        ("write = \"trough\"", &["`write` cannot be \"trough\"", "did you mean `through`?"]),
    ] {
        wrong("4096, line_bytes = 32, ways = 1", &dcache(with), parts);
    }
    // What concerns stores is no business of an instruction cache.
    wrong(
        "8192, line_bytes = 32, ways = 1",
        "8192, line_bytes = 32, write = \"back\"",
        &[
            "an instruction cache has no key `write`",
            "its keys: size_bytes, line_bytes, ways, replacement, burst_bytes",
        ],
    );
    for (with, lines) in [("ways = \"full\"", 128), ("ways = 16", 16), ("ways = 2, write = \"through\"", 2)] {
        let text = change(&text("de2-dual"), "4096, line_bytes = 32, ways = 1", &dcache(with));
        let p = platform_resolve(&text, "p.toml", &[platforms()]).unwrap_or_else(|e| panic!("{e}"));
        assert_eq!(p.cores[0].dcache.map(|c| c.ways), Some(lines));
    }
    let three = change(
        &text("de2-dual"),
        "size_bytes = 4096, line_bytes = 32, ways = 1",
        "size_bytes = 3072, line_bytes = 32, ways = 3",
    );
    assert!(platform_resolve(&three, "p.toml", &[platforms()]).is_ok());
}

#[test]
fn second_level() {
    let l2 =
        |with: &str| format!("kind = \"sram\"\nl2 = {{ size_bytes = 4096, line_bytes = 32, width_bits = 64, {with} }}");
    for (with, parts) in [
        ("ways = 1", &["a second-level cache needs the key `hit_cycles`", "cycles of a lookup"][..]),
        ("hit_cycles = 0", &["`hit_cycles` is out of range", "from 1 to"]),
        ("hit_cycles = 4, ways = 3", &["the second-level cache of `sram` cannot be divided into sets of 3 lines"]),
        ("hit_cycles = 4, victim = \"first\"", &["a second-level cache has no key `victim`"]),
    ] {
        let text = change(&text("de2-dual"), "kind = \"sram\"", &l2(with));
        let e = error(&text);
        assert_eq!(e.problems().len(), 1, "{e}");
        holds(&e, &[&format!("p.toml:{}:", line_of(&text, "l2 = {"))]);
        holds(&e, parts);
    }
    let ideal = change(&text("virt"), "kind = \"ideal\"", &l2("hit_cycles = 4").replace("sram", "ideal"));
    holds(&error(&ideal), &["as fast as a cache could be", "leave `l2` out"]);
    let full = change(&text("de2-dual"), "kind = \"sram\"", &l2("hit_cycles = 4, ways = \"full\""));
    let p = platform_resolve(&full, "p.toml", &[platforms()]).unwrap_or_else(|e| panic!("{e}"));
    assert_eq!(p.memories[0].l2.map(|l2| l2.ways), Some(128));
}

#[test]
fn core_class() {
    wrong(
        "class = \"nios2f\"",
        "class = \"nios2ff\"",
        &["the core class `nios2ff` does not exist", "did you mean `nios2f`? known: ", "ibex, ideal, ", "nios2f"],
    );
    wrong("class = \"nios2f\"", "class = \"../de2\"", &["`class` cannot be \"../de2\"", "a name has 1 to 31 letters"]);
    let e = platform_resolve(&text("virt"), "virt.toml", &[]).unwrap_err();
    holds(&e, &["virt.toml:", "the core class `ideal` does not exist", "there is none; looked in no folder"]);
}

#[test]
fn names() {
    wrong(
        "name = \"uart1\"",
        "name = \"sram\"",
        &["two regions are called `sram`", "first here", "again here", "give each its own name"],
    );
    wrong("name = \"cpu{}\"", "name = \"cpu\"", &["2 cores cannot all be called `cpu`", "as in \"cpu{}\""]);
    let two = text("virt") + "\n[[core]]\nname = \"hart0\"\nclass = \"ideal\"\n";
    holds(&error(&two), &["two cores are called `hart0`"]);
    wrong("name = \"mutex1\"", "name = \"mutex 1\"", &["`name` cannot be \"mutex 1\""]);
    wrong(
        "default_memory = \"sdram\"",
        "default_memory = \"sdrum\"",
        &["there is no memory `sdrum`", "did you mean `sdram`?"],
    );
}

#[test]
fn interrupt_lines() {
    let timer1 = "core = 1\noutputs = [{ bit = 7 }]";
    wrong(
        timer1,
        "core = 1\noutputs = [{ core = 2, bit = 7 }]",
        &["there is no core 2", "the platform has 2 cores, 0 to 1"],
    );
    wrong(
        timer1,
        "core = 1\noutputs = [{ bit = 5 }]",
        &["a device cannot drive bit 5 of mip", "16 to 31 (direct lines)"],
    );
    wrong(timer1, "core = 1\noutputs = [{ output = 1, bit = 7 }]", &["a timer has no output 1", "one, number 0"]);
    wrong(timer1, "core = 1\noutputs = [{ bit = 32 }]", &["`bit` is out of range"]);
    wrong(timer1, "outputs = [{ bit = 7 }] # nowhere", &["does not say to which core it goes", "add core = …"]);
    wrong("base = 0x1000_3000", "base = 0x1000_3000\ncore = 7", &["there is no core 7"]);
    wrong(
        "base = 0x1000_3000",
        "base = 0x1000_3000\noutputs = [{ core = 0, bit = 20 }]",
        &["a mutex has no output 0", "none"],
    );
    let changed = change(&text("de2-dual"), timer1, "core = 1\noutputs = [{ core = 0, bit = 7 }]");
    let e = error(&changed);
    holds(
        &e,
        &["bit 7 of core 0 is driven by `timer0` and by `timer1`", "first here", "again here", "give each its own bit"],
    );
}

#[test]
fn clint() {
    let virt = text("virt");
    holds(
        &error(&change(&virt, "hz = 10_000_000 ", "hz = 30_000_000 ")),
        &["mtime cannot count at 30000000 Hz", "divides clock_hz"],
    );
    let e = error(&change(&virt, "hz = 10_000_000 ", "outputs = [{ core = 0, bit = 7 }]\nhz = 10_000_000 "));
    holds(&e, &["the outputs of a clint are fixed", "remove the key"]);
    let e = error(&change(&virt, "size_bytes = 0x1_0000", "size_bytes = 0x8000"));
    holds(&e, &["the registers of a clint take 49152 bytes", "this is 32768"]);
}

#[test]
fn memories() {
    wrong(
        "size_bytes = 0x0008_0000 ",
        "size_bytes = 0x0007_0001 ",
        &["must be a multiple of 64", "this is 458753", "write 458752 or 458816"],
    );
    wrong(
        "base = 0x0048_0000 ",
        "base = 0x0048_0020 ",
        &["`sram` must begin at a multiple of 64", "write 0x480000 or 0x480040"],
    );
    wrong(
        "refresh_interval = 781 ",
        "refresh_interval = 14 ",
        &["would do nothing but refresh", "a refresh takes 14 cycles", "larger than 14"],
    );
    let plain = change(&text("de2-dual"), "kind = \"avalon_sdram\"", "kind = \"sdram\"  ")
        .replace("row_bytes = 512 ", "banks = 4\nread_overhead = 2\nwrite_overhead = 1\nrow_bytes = 512 ");
    let e = error(&change(&plain, "refresh_interval = 781 ", "refresh_interval = 4 "));
    holds(&e, &["would do nothing but refresh", "a refresh takes 4 cycles"]);
    let e = error(&change(&plain, "banks = 4", "banks = 64").replace("row_bytes = 512 ", "row_bytes = 262144 "));
    holds(&e, &["64 banks with rows of 262144 bytes are more than all of `sdram`"]);
}

#[test]
fn all_problems_at_once_in_the_order_of_lines() {
    let t = text("de2-dual");
    let t = change(&t, "cas = 3 ", "cas = \"3\" ");
    let t = change(&t, "schema = 1", "schema = 9");
    let t = change(&t, "name = \"finisher\"", "nam = \"finisher\"");
    let e = error(&t);
    let whats: Vec<&str> = e.problems().iter().map(|p| p.what()).collect();
    assert_eq!(whats[0], "this version reads files of schema 1 only");
    assert_eq!(whats[1], "`cas` must be an integer");
    assert_eq!(whats.len(), 4, "{whats:?}");
}

#[test]
fn errors_in_a_class_show_its_own_file() {
    let dir = std::env::temp_dir().join(format!("signalbox-config-{}", std::process::id()));
    std::fs::create_dir_all(dir.join("cores")).unwrap();
    let class = std::fs::read_to_string(platforms().join("cores/nios2f.toml")).unwrap();
    let with = |from: &str, to: &str| {
        std::fs::write(dir.join("cores/nios2f.toml"), change(&class, from, to)).unwrap();
        platform_resolve(&text("de2-dual"), "p.toml", &[dir.clone(), platforms()]).unwrap_err()
    };
    let e = with("jump = 2 ", "jump = 0 ");
    holds(&e, &["cores/nios2f.toml:", "`jump` is out of range", "jump = 0"]);
    assert_eq!(e.problems().len(), 1);
    let e = with("predictor_entries = 256 ", "predictor_entries = 100 ");
    holds(&e, &["a two_bit predictor cannot have 100 entries", "not a power of two"]);
    let e = with("predictor = \"two_bit\"", "predictor = \"static\"");
    holds(&e, &["only a two_bit predictor has entries", "remove the key"]);
    let e = with("jump = 2 ", "privilege = [\"user\"]\njump = 2 ");
    holds(&e, &["a core has machine mode, and perhaps user mode", "privilege = [\"machine\", \"user\"]"]);
    let e = with("jump = 2 ", "privilege = [\"machine\", \"supervisor\"]\njump = 2 ");
    holds(&e, &["`privilege[1]` cannot be \"supervisor\"", "machine, user"]);
    let e = with("jump = 2 ", "pmp_entries = 64\njump = 2 ");
    holds(&e, &["`pmp_entries` is out of range", "from 0 to 16"]);
    let e = with("jump = 2 ", "pmp_granularity_bytes = 64\njump = 2 ");
    holds(&e, &["only a core with entries of memory protection has a granularity", "pmp_entries = 16"]);
    let e = with("jump = 2 ", "pmp_entries = 4\npmp_granularity_bytes = 24\njump = 2 ");
    holds(&e, &["`pmp_granularity_bytes` must be a power of two"]);
    let e = with("jump = 2 ", "store_buffer = 65\njump = 2 ");
    holds(&e, &["`store_buffer` is out of range", "from 0 to 64"]);
    let e = with("jump = 2 ", "store_buffer_load = \"forward\"\njump = 2 ");
    holds(&e, &["only a core with a store buffer has loads that meet it", "store_buffer = 4"]);
    let e = with("jump = 2 ", "store_buffer_posted = true\njump = 2 ");
    holds(&e, &["only a core with a store buffer has stores that nobody waits for", "store_buffer = 4"]);
    let e = with("jump = 2 ", "load_stored = 5\njump = 2 ");
    holds(&e, &["`load_stored` says nothing without `load_stored_within`", "add load_stored_within"]);
    let e = with("jump = 2 ", "load_stored_within = 2\njump = 2 ");
    holds(&e, &["`load_stored_within` says nothing without `load_stored`"]);
    let e = with("jump = 2 ", "store_buffer = 4\nstore_buffer_load = \"overtake\"\njump = 2 ");
    holds(&e, &["cannot be \"overtake\"", "wait, forward"]);
    let own = |name: &str, rest: &str| {
        format!("[[instruction]]\nname = \"{name}\"\nopcode = \"custom-0\"\nfunct3 = 1\n{rest}\n")
    };
    let e = with("cache_op = 2 ", &format!("cache_op = 2\n{}#", own("rot", "value = \"rs1 + rotl(rs3, 1)\"")));
    holds(
        &e,
        &[
            "`value` is no expression: `rs3` means nothing here",
            ":43:",
            "there are rs1, rs2, imm and the functions abs",
        ],
    );
    let span = e.problems()[0].spans().next().unwrap();
    assert_eq!(span.len(), 3, "the place in the expression");
    let e = with("cache_op = 2 ", &format!("cache_op = 2\n{}#", own("a", "value = \"rs1 + rs2\"")));
    holds(&e, &["`a` has no rs2", "give it a funct7, or use imm"]);
    let e = with("cache_op = 2 ", &format!("cache_op = 2\n{}#", own("a", "funct7 = 3\nvalue = \"imm\"")));
    holds(&e, &["`a` has no imm", "leave out funct7, or use rs2"]);
    let two = |a: &str, b: &str| own(a, "funct7 = 3\nvalue = \"rs1\"") + &own(b, "value = \"rs1\"");
    let e = with("cache_op = 2 ", &format!("cache_op = 2\n{}#", two("a", "b")));
    holds(&e, &["`a` and `b` have the same encoding", "first here"]);
    let e = with("cache_op = 2 ", &format!("cache_op = 2\n{}#", two("a", "a")));
    holds(&e, &["two instructions are called `a`"]);
    let e = with("cache_op = 2 ", &format!("cache_op = 2\n{}#", own("a", "cycles = 0\nvalue = \"rs1\"")));
    holds(&e, &["`cycles` is out of range"]);
    let e = with("name = \"nios2f\"", "name = \"other\"");
    holds(&e, &["the class in the file `nios2f.toml` is called `other`", "rename the file"]);
    let e = with("label = \"documented\"", "label = \"measured\"");
    holds(&e, &["`label` cannot be \"measured\"", "rtl, documented, assumed"]);
    let e = with("isa = \"rv32imac", "isa = \"rv32imafdc");
    holds(&e, &["`isa` cannot be", "any of m, a, f, c"]);
    let e = with("isa = \"rv32imac", "isa = \"rv32imafc");
    holds(&e, &["costs of floating-point instructions are missing", "add a section [float]"]);
    let costs = "cache_op = 2 \n[float]\nadd = 1\nmul = 1\nfused = 1\ndiv = 1\nsqrt = 1\ncompare = 1\nconvert = 1\n";
    let e = with("cache_op = 2 ", &format!("{costs}transfer = 1\n#"));
    holds(&e, &["do not exist without the extension f", "write f in isa"]);
    let e = with("cache_op = 2 ", &format!("{costs}#"));
    holds(&e, &["the table `float` needs the key `transfer`", "moves between the register files"]);
    std::fs::remove_dir_all(dir).unwrap();
}

#[test]
fn a_file_cannot_command_the_terminal() {
    let e = error(&change(&text("virt"), "kind = \"ideal\"", "kind = \"\\e[2Jx\\n\""));
    holds(&e, &["`kind` cannot be \"\\u{1b}[2Jx\\n\""]);
    let e = error("schema = 1\nname = \u{1b}[2J\n");
    holds(&e, &["name = ␛[2J"]);
    assert!(!e.to_string().contains('\u{1b}'));
}

/// Change one place of virt; the report must stand at the changed line and hold `parts`.
#[track_caller]
fn wrong_on_virt(from: &str, to: &str, parts: &[&str]) {
    let changed = change(&text("virt"), from, to);
    let e = error(&changed);
    assert_eq!(e.problems().len(), 1, "{e}");
    holds(&e, &[&format!("p.toml:{}:", line_of(&changed, to))]);
    holds(&e, parts);
}

#[test]
fn interrupt_controller() {
    let uart = "{ source = 10, device = \"uart0\" }";
    wrong_on_virt(uart, "{ source = 96, device = \"uart0\" }", &["`plic` has no source 96", "its sources are 1 to 95"]);
    wrong_on_virt(
        uart,
        "{ source = 11, device = \"uart0\" }",
        &["source 11 of `plic` has two wires", "first here", "give each its own source"],
    );
    wrong_on_virt(
        uart,
        "{ source = 10, device = \"uart1\" }",
        &["there is no device `uart1`", "did you mean `uart0`?"],
    );
    wrong_on_virt(
        uart,
        "{ source = 10, device = \"uart0\", output = 1 }",
        &["`uart0` has no interrupt output 1", "its interrupt is output 0"],
    );
    wrong_on_virt(
        uart,
        "{ source = 10, device = \"finisher\" }",
        &["`finisher` has no interrupt output 0", "uart16550, timer, pulse, goldfish_rtc and virtio_mmio"],
    );
    let block = |wire: &str| {
        let uart = "[[device]]\nname = \"block\"\nmodel = \"irq_block\"\nbase = 0x3000_0000\ninputs = ";
        format!("{uart}[{wire}]\n\n[[device]]\nname = \"finisher\"")
    };
    let finisher = "[[device]]\nname = \"finisher\"";
    let wire = "{ source = 32, device = \"uart0\" }";
    let changed = change(&text("virt"), finisher, &block(wire));
    holds(&error(&changed), &["`block` has no source 32", "its sources are 0 to 31"]);
    let changed = change(&text("virt"), finisher, &block("{ source = 0, device = \"uart0\" }"));
    assert!(platform_resolve(&changed, "p.toml", &[platforms()]).is_ok(), "an output may go to both");
    wrong_on_virt(
        "model = \"plic\"",
        "model = \"plic\"\noutputs = [{ output = 0, core = 0, bit = 11 }]",
        &["the outputs of a plic are fixed", "a plic drives bit 11 of every core"],
    );
    wrong_on_virt(
        "size_bytes = 0x60_0000 ",
        "size_bytes = 0x20_1000 ",
        &["the registers of a plic take 2105344 bytes"],
    );
    wrong_on_virt("modes = \"ms\" ", "modes = \"s\" ", &["`modes` cannot be \"s\"", "m, ms"]);
}
