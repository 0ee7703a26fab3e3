// SPDX-License-Identifier: Apache-2.0
//! The keys of platform files and of core classes.

use crate::coherence::COHERENCE;
use crate::keys::{Case, Choice, Key, Need, Table, Text, Value};

const U32: i64 = u32::MAX as i64;
/// The largest cost or delay that a file may ask for.
pub(crate) const CYCLES: i64 = 1_000_000;

const fn cycles(name: &'static str, doc: &'static str) -> Key {
    Key::required(name, doc, Value::Int(0, CYCLES))
}

/// Of a controller whose state machine needs at least one cycle for it.
const fn command(name: &'static str, doc: &'static str) -> Key {
    Key::required(name, doc, Value::Int(1, CYCLES))
}

const WIDTH_BITS: Key = Key::required("width_bits", "width of the data bus", Value::Power(8, 128));

/// A platform file.
pub static PLATFORM: Table = Table {
    what: "a platform",
    keys: &[
        Key::required("schema", "version of this format: 1", Value::Version(1)),
        Key::required(
            "name",
            "name by which systems ask for it; the file's name without .toml",
            Value::Text(Text::Name),
        ),
        Key::default("description", "one line for people", Value::Text(Text::Any), Need::Text("")),
        Key::required(
            "clock_hz",
            "frequency of the base clock, in which all cycles count",
            Value::Int(1, 1_000_000_000_000),
        ),
        Key::default(
            "bypass_mask",
            "data addresses with this bit bypass the data cache; 0 for none",
            Value::Int(0, U32),
            Need::Int(0),
        ),
        Key::optional(
            "default_memory",
            "memory into which programs are linked; the first one if left out",
            Value::Text(Text::Name),
        ),
        Key::default(
            "misaligned",
            "what a misaligned load or store does",
            Value::Word(&[("split", "the core splits it into aligned accesses"), ("trap", "it traps")]),
            Need::Text("trap"),
        ),
        Key::default("seeded", "what the seed of a run decides", Value::Table(&SEEDED), Need::Empty),
        Key::default(
            "interconnect",
            "costs of the way between a master and a slave",
            Value::Table(&INTERCONNECT),
            Need::Empty,
        ),
        Key::optional(
            "coherence",
            "how data caches are kept coherent; they are not if left out",
            Value::Table(&COHERENCE),
        ),
        Key::default("boot", "what a core finds at reset", Value::Table(&BOOT), Need::Empty),
        Key::optional("noc", "the network on chip that joins network interfaces", Value::Table(&NOC)),
        Key::required("core", "cores, in order of hart number", Value::Tables(&CORE, 1)),
        Key::required("memory", "memories", Value::Tables(&MEMORY, 1)),
        Key::default("device", "memory-mapped devices", Value::Tables(&DEVICE, 0), Need::Empty),
    ],
    choice: None,
};

static SEEDED: Table = Table {
    what: "the table `seeded`",
    keys: &[
        Key::default("registers", "registers hold random values at reset, else zero", Value::Bool, Need::Bool(true)),
        Key::default(
            "memory",
            "memory that no image fills holds random values, else zero",
            Value::Bool,
            Need::Bool(true),
        ),
        Key::default(
            "start_skew_cycles",
            "each core starts at a random cycle below this; 0 starts all at once",
            Value::Int(0, CYCLES),
            Need::Int(64),
        ),
        Key::default(
            "refresh_phase",
            "where in its interval the refresh of SDRAM begins is random",
            Value::Bool,
            Need::Bool(true),
        ),
        Key::default(
            "replacement",
            "where the shift registers of pseudo-random replacement start is random",
            Value::Bool,
            Need::Bool(true),
        ),
    ],
    choice: None,
};

static INTERCONNECT: Table = Table {
    what: "the table `interconnect`",
    keys: &[
        Key::default(
            "request_cycles",
            "from a master's request to the slave's arbiter",
            Value::Int(1, CYCLES),
            Need::Int(1),
        ),
        Key::default(
            "response_cycles",
            "from the end of service to the master's next instruction",
            Value::Int(0, CYCLES),
            Need::Int(1),
        ),
    ],
    choice: None,
};

/// Instances of a memory or a device.
const PER_CORE: Key = Key::default(
    "per_core",
    "one for each core, all at this address, each seen by its core alone; they are called name0, name1 …",
    Value::Bool,
    Need::Bool(false),
);

static NOC: Table = Table {
    what: "the table `noc`",
    keys: &[
        Key::default(
            "topology",
            "how its routers are joined",
            Value::Word(&[
                ("mesh", "rows and columns with open ends"),
                ("torus", "rows and columns closed to rings"),
                ("ring", "all in one ring, in the order of their numbers"),
            ]),
            Need::Text("mesh"),
        ),
        Key::required("width", "routers in x", Value::Int(1, 256)),
        Key::required("height", "routers in y", Value::Int(1, 256)),
        Key::default(
            "flit_bits",
            "bits of a flit: 8 to 32, a multiple of 4; a quarter of them holds a coordinate",
            Value::Int(8, 32),
            Need::Int(32),
        ),
        Key::default("buffer_flits", "flits that each input of a router holds", Value::Int(1, 1024), Need::Int(8)),
    ],
    choice: None,
};

static BOOT: Table = Table {
    what: "the table `boot`",
    keys: &[
        Key::default("hartid_in_a0", "register a0 holds the hart number at reset", Value::Bool, Need::Bool(false)),
        Key::optional(
            "start",
            "where cores begin whose image has an instruction there; others, and all if left out, at the image's entry",
            Value::Int(0, U32),
        ),
        Key::optional(
            "device_tree",
            "`compatible` of the root of a device tree, whose address is in register a1; none if left out",
            Value::Text(Text::Any),
        ),
    ],
    choice: None,
};

static CORE: Table = Table {
    what: "a core",
    keys: &[
        Key::default("count", "so many cores like this", Value::Int(1, 1024), Need::Int(1)),
        Key::default("name", "name; {} stands for the hart number", Value::Text(Text::Names), Need::Text("cpu{}")),
        Key::required("class", "core class: a file in the folder cores", Value::Text(Text::Name)),
        Key::optional("icache", "instruction cache; none if left out", Value::Table(&ICACHE)),
        Key::optional("dcache", "data cache; none if left out", Value::Table(&DCACHE)),
    ],
    choice: None,
};

const CACHE_SIZE: Key =
    Key::required("size_bytes", "bytes of data: ways times line_bytes times a power of two", Value::Int(16, 1 << 24));
const CACHE_LINE: Key = Key::required("line_bytes", "bytes in a line", Value::Power(8, 64));
const CACHE_WAYS: Key = Key::default(
    "ways",
    "lines of a set: 1 is direct mapped, \"full\" fully associative",
    Value::IntOr(1, 16, "full"),
    Need::Int(1),
);
const CACHE_REPLACEMENT: Key = Key::default(
    "replacement",
    "which line of a full set makes room",
    Value::Word(&[
        ("lru", "the least recently used"),
        ("round_robin", "each way in turn, counted for each set"),
        ("random", "as a 16-bit shift register says that steps with each choice"),
    ]),
    Need::Text("lru"),
);
const CACHE_BURST: Key = Key::optional(
    "burst_bytes",
    "bytes of one transfer, each arbitrated on its own: a power of two from 4 to line_bytes; a line if left out",
    Value::Power(4, 64),
);

static ICACHE: Table = Table {
    what: "an instruction cache",
    keys: &[CACHE_SIZE, CACHE_LINE, CACHE_WAYS, CACHE_REPLACEMENT, CACHE_BURST],
    choice: None,
};

static DCACHE: Table = Table {
    what: "a data cache",
    keys: &[
        CACHE_SIZE,
        CACHE_LINE,
        CACHE_WAYS,
        CACHE_REPLACEMENT,
        CACHE_BURST,
        Key::default(
            "write",
            "where a store goes",
            Value::Word(&[
                ("back", "into the line; memory has it when the line is written back"),
                ("through", "into the line, if it is held, and to memory; the core waits for memory"),
            ]),
            Need::Text("back"),
        ),
        Key::default(
            "allocate",
            "a store that misses reads the line first, else its word goes to memory",
            Value::Bool,
            Need::Bool(true),
        ),
        Key::default(
            "victim",
            "when a dirty line that makes room is written",
            Value::Word(&[
                ("first", "before the new line is read; the core waits for both"),
                ("after", "after the new line is read; the core waits for both"),
                ("buffered", "after the new line is read, while the core goes on"),
            ]),
            Need::Text("first"),
        ),
        Key::default(
            "refill",
            "when the core goes on after a miss",
            Value::Word(&[
                ("line", "when the line is complete"),
                ("critical_word", "when the wanted word is there, which comes first; the rest follows"),
            ]),
            Need::Text("line"),
        ),
    ],
    choice: None,
};

static L2: Table = Table {
    what: "a second-level cache",
    keys: &[
        CACHE_SIZE,
        CACHE_LINE,
        CACHE_WAYS,
        CACHE_REPLACEMENT,
        Key::required("hit_cycles", "cycles of a lookup", Value::Int(1, CYCLES)),
        Key::required(
            "width_bits",
            "width of its port to the interconnect: a beat of it takes a cycle",
            Value::Power(8, 512),
        ),
        Key::default(
            "write",
            "where a write goes",
            Value::Word(&[
                ("back", "into the line; memory has it when the line makes room"),
                ("through", "into the line, if it is held, and to memory"),
            ]),
            Need::Text("back"),
        ),
        Key::default(
            "allocate",
            "a write that misses brings the line in, else it goes to memory alone",
            Value::Bool,
            Need::Bool(true),
        ),
    ],
    choice: None,
};

static MEMORY: Table = Table {
    what: "a memory",
    keys: &[
        Key::required("name", "name, unique among memories and devices", Value::Text(Text::Name)),
        Key::required("base", "address of its first byte", Value::Int(0, U32)),
        Key::required("size_bytes", "bytes", Value::Int(1, U32)),
        PER_CORE,
        Key::optional("l2", "second-level cache through which everybody uses it; none if left out", Value::Table(&L2)),
    ],
    choice: Some(Choice {
        key: "kind",
        doc: "what kind of memory",
        cases: &[
            Case {
                word: "sdram",
                doc: "single-data-rate SDRAM behind its controller; times in cycles of the base clock",
                keys: &[
                    WIDTH_BITS,
                    cycles("cas", "READ command to first data"),
                    cycles("trcd", "ACTIVATE to READ or WRITE"),
                    cycles("trp", "PRECHARGE to ACTIVATE"),
                    cycles("trfc", "length of a refresh"),
                    cycles("refresh_interval", "from one refresh to the next; 0 for never"),
                    Key::required(
                        "banks",
                        "number of banks; consecutive rows lie in consecutive banks",
                        Value::Power(1, 64),
                    ),
                    Key::required("row_bytes", "bytes of a row of one bank", Value::Power(64, 1 << 20)),
                    cycles("read_overhead", "what controller and fabric add to a read"),
                    cycles("write_overhead", "what controller and fabric add to a write"),
                ],
            },
            Case {
                word: "avalon_sdram",
                doc: "single-data-rate SDRAM behind the controller that Altera's system builder generates: one open row, \
                      posted writes; times in cycles of the base clock",
                keys: &[
                    WIDTH_BITS,
                    command("cas", "READ command to first data"),
                    command("trcd", "ACTIVATE to READ or WRITE"),
                    command("trp", "PRECHARGE to ACTIVATE"),
                    command("trfc", "length of a refresh"),
                    cycles("refresh_interval", "from one refresh to the next; 0 for never"),
                    Key::required("row_bytes", "bytes of a row of one bank", Value::Power(64, 1 << 20)),
                ],
            },
            Case {
                word: "sram",
                doc: "static memory: each beat of its bus costs the same",
                keys: &[WIDTH_BITS, Key::required("access_cycles", "cycles of one beat", Value::Int(1, CYCLES))],
            },
            Case { word: "ideal", doc: "every access is served in one cycle", keys: &[] },
            Case {
                word: "tightly_coupled",
                doc: "memory of one core beside its caches: an access takes the core's own cycle, and no other core has a way to it",
                keys: &[
                    Key::default(
                        "port",
                        "what reaches it",
                        Value::Word(&[
                            ("both", "fetches, loads and stores"),
                            ("instruction", "fetches alone: it holds what the image puts there"),
                            ("data", "loads and stores alone"),
                        ]),
                        Need::Text("both"),
                    ),
                    Key::optional("core", "index of the core that has it, where not each has one", Value::Int(0, 1023)),
                ],
            },
        ],
    }),
};

static DEVICE: Table = Table {
    what: "a device",
    keys: &[
        Key::required("name", "name, unique among memories and devices", Value::Text(Text::Name)),
        Key::required("base", "address of its first register", Value::Int(0, U32)),
        Key::optional(
            "size_bytes",
            "bytes of its region; as many as its registers take if left out",
            Value::Int(4, U32),
        ),
        Key::optional("core", "index of the core whose instance this is", Value::Int(0, 1023)),
        Key::default(
            "outputs",
            "wires from its interrupt outputs to cores",
            Value::List(&Value::Table(&OUTPUT), 0, 1024),
            Need::Empty,
        ),
        Key::default("access_cycles", "cycles that an access holds the device", Value::Int(1, CYCLES), Need::Int(1)),
        PER_CORE,
    ],
    choice: Some(Choice {
        key: "model",
        doc: "which device",
        cases: &[
            Case { word: "uart16550", doc: "serial port with byte registers", keys: &[] },
            Case {
                word: "clint",
                doc: "RISC-V core-local interruptor; drives bits 3 and 7 of every core",
                keys: &[Key::required("hz", "frequency of mtime; divides clock_hz", Value::Int(1, 1_000_000_000_000))],
            },
            Case { word: "timer", doc: "64-bit COUNT of the base clock and COMPARE", keys: &[] },
            Case { word: "pulse", doc: "pulse interrupts from other cores", keys: &[] },
            Case {
                word: "irq_block",
                doc: "interrupt block of a core: 32 sources with enable bits, levels and handler addresses",
                keys: &[
                    Key::default(
                        "inputs",
                        "wires from interrupt outputs of devices to sources",
                        Value::List(&Value::Table(&INPUT), 0, 32),
                        Need::Empty,
                    ),
                    Key::default(
                        "vectored",
                        "its core jumps to the handler of the requested source by itself, else as mtvec says",
                        Value::Bool,
                        Need::Bool(false),
                    ),
                ],
            },
            Case { word: "mutex", doc: "hardware mutex", keys: &[] },
            Case { word: "finisher", doc: "ends the run: pass, fail, reset", keys: &[] },
            Case {
                word: "plic",
                doc: "RISC-V platform-level interrupt controller; drives bit 11 of every core",
                keys: &[
                    Key::required("sources", "number of sources, which count from 1", Value::Int(1, 1023)),
                    Key::default("priority_bits", "bits of a priority", Value::Int(1, 16), Need::Int(3)),
                    Key::default(
                        "modes",
                        "which contexts every hart has, one after the other",
                        Value::Word(&[
                            ("m", "one, for machine mode"),
                            ("ms", "one for machine mode, which drives bit 11, and one for supervisor mode, which drives nothing"),
                        ]),
                        Need::Text("m"),
                    ),
                    Key::default(
                        "inputs",
                        "wires from interrupt outputs of devices to sources",
                        Value::List(&Value::Table(&INPUT), 0, 1023),
                        Need::Empty,
                    ),
                ],
            },
            Case {
                word: "goldfish_rtc",
                doc: "nanoseconds and an alarm, as Android's emulator has them",
                keys: &[Key::default(
                    "epoch_seconds",
                    "what the clock shows at reset, in seconds since 1970",
                    Value::Int(0, U32),
                    Need::Int(0),
                )],
            },
            Case { word: "virtio_mmio", doc: "a virtio transport without a device behind it", keys: &[] },
            Case {
                word: "ni",
                doc: "network interface of the network on chip, with packet queues",
                keys: &[
                    Key::default(
                        "tx_flits",
                        "flits that its send queue holds",
                        Value::Int(2, 65_536),
                        Need::Int(64),
                    ),
                    Key::default(
                        "rx_flits",
                        "flits that its receive queue holds",
                        Value::Int(1, 65_536),
                        Need::Int(128),
                    ),
                    Key::optional(
                        "routers",
                        "numbers of the routers that its instances are at, y * width + x; the numbers of their cores if left out",
                        Value::List(&Value::Int(0, 65_535), 1, 1024),
                    ),
                ],
            },
            Case { word: "reset_rom", doc: "what QEMU's reset code leaves at its address, to be read", keys: &[] },
        ],
    }),
};

static INPUT: Table = Table {
    what: "an input",
    keys: &[
        Key::required("source", "number of the source; a plic counts from 1", Value::Int(0, 1023)),
        Key::required("device", "name of the device that drives it", Value::Text(Text::Name)),
        Key::default("output", "number of the device's output", Value::Int(0, 1023), Need::Int(0)),
    ],
    choice: None,
};

static OUTPUT: Table = Table {
    what: "an output",
    keys: &[
        Key::default("output", "number of the device's output", Value::Int(0, 1023), Need::Int(0)),
        Key::optional("core", "index of the core; the device's own core if left out", Value::Int(0, 1023)),
        Key::required("bit", "bit in the core's mip: 3, 7, 11, 16 to 31", Value::Int(0, 31)),
    ],
    choice: None,
};

/// A core class.
pub static CLASS: Table = Table {
    what: "a core class",
    keys: &[
        Key::required("name", "name; the file's name without .toml", Value::Text(Text::Name)),
        Key::required(
            "label",
            "how far to trust the costs",
            Value::Word(&[
                ("rtl", "confirmed against the core's RTL"),
                ("documented", "from the named document"),
                ("assumed", "chosen; no document says so"),
            ]),
        ),
        Key::required("source", "where the costs come from", Value::Text(Text::Any)),
        Key::required("isa", "instruction set; anything else traps", Value::Text(Text::Isa)),
        Key::default(
            "privilege",
            "privilege modes; machine alone if left out",
            Value::List(&Value::Word(&[("machine", "machine mode, always there"), ("user", "user mode")]), 1, 2),
            Need::Empty,
        ),
        Key::default("pmp_entries", "entries of physical memory protection", Value::Int(0, 16), Need::Int(0)),
        Key::default(
            "pmp_granularity_bytes",
            "smallest region that memory protection knows",
            Value::Power(4, 1 << 20),
            Need::Int(4),
        ),
        issue("alu", "arithmetic and logic"),
        extra("alu_result", "lateness of a plain result, of an address that a jump leaves too"),
        issue("load", "loads"),
        cycles("load_result", "lateness of a loaded value"),
        issue("store", "stores"),
        issue("branch_not_taken", "branch, not taken and foreseen"),
        issue("branch_taken", "branch, taken and foreseen"),
        issue("branch_mispredicted", "branch that was not foreseen"),
        Key::required(
            "predictor",
            "how branches are foreseen",
            Value::Word(&[
                ("none", "not at all: a branch costs branch_taken or branch_not_taken"),
                ("static", "backward is taken, forward is not"),
                ("two_bit", "table of two-bit counters"),
            ]),
        ),
        Key::default("predictor_entries", "counters of two_bit: a power of two", Value::Int(0, 1 << 16), Need::Int(0)),
        issue("jump", "jal"),
        issue("jump_indirect", "jalr"),
        issue("shift", "shifts"),
        cycles("shift_result", "lateness of a shifted value"),
        extra("shift_per_step", "each step of an iterative shifter after shift_free_steps"),
        Key::default(
            "shift_step_bits",
            "bits of a large step: an amount takes amount / bits steps, then amount % bits of one bit",
            Value::Power(1, 16),
            Need::Int(1),
        ),
        Key::default("shift_free_steps", "steps that `shift` pays for", Value::Int(0, 31), Need::Int(0)),
        issue("mul", "multiplications"),
        Key::optional("mul_high", "mulh, mulhsu, mulhu; as mul if left out", Value::Int(1, CYCLES)),
        cycles("mul_result", "lateness of a product"),
        issue("div_base", "division whose quotient has one significant bit or none"),
        cycles("div_per_bit", "each further significant bit of the quotient"),
        Key::optional("div_by_zero", "division by zero; as a quotient of 32 bits if left out", Value::Int(1, CYCLES)),
        cycles("div_result", "lateness of a quotient"),
        issue("csr", "control register accesses"),
        extra("csr_result", "lateness of what is read from a control register"),
        Key::optional("csr_enable", "writes and sets of mstatus and mie; as csr if left out", Value::Int(1, CYCLES)),
        extra(
            "csr_drain",
            "from the end of the instruction before to a control register instruction or mret, at least",
        ),
        issue("trap", "entry into a trap"),
        Key::optional("interrupt", "entry into an interrupt; as trap if left out", Value::Int(1, CYCLES)),
        extra(
            "interrupt_overlap",
            "of that, what is hidden behind a jump, a return, csr_enable, a wake: fetched anew anyway",
        ),
        Key::optional("wfi", "wfi, until the core sleeps; as alu if left out", Value::Int(1, CYCLES)),
        extra("wake", "from the line that ends the sleep to the next instruction"),
        issue("trap_return", "mret"),
        issue("fence", "fence"),
        issue("fence_i", "fence.i, without what it makes miss"),
        issue("cache_op", "cbo.*, without the transfer that it causes"),
        extra("access_interval", "from one load or store to the next, at least"),
        extra("access_misaligned", "in addition, where a load or store crosses a word boundary"),
        extra("fetch_misaligned", "in addition, for a 32-bit instruction that lies across two words"),
        extra("target_misaligned", "the same, where such an instruction is the target of a jump or trap"),
        extra("branch_misaligned", "in addition, for a taken branch, where such an instruction lies behind it"),
        extra(
            "jump_stalled",
            "in addition, for a taken branch or jump, while an instruction behind it stalls in decode",
        ),
        extra("load_stored", "in addition, for a load of bytes that were stored at most load_stored_within cycles before"),
        Key::default(
            "load_stored_within",
            "from the store's issue to the load's, at most; only the last two stores count",
            Value::Int(0, 16),
            Need::Int(0),
        ),
        Key::default(
            "store_buffer",
            "stores that it holds on their way to memory, while the core goes on; 0: the core waits for each",
            Value::Int(0, 64),
            Need::Int(0),
        ),
        Key::optional(
            "store_buffer_load",
            "what a load does that needs the bus while the buffer holds stores; as \"wait\" if left out",
            Value::Word(&[
                ("wait", "it waits until the buffer is empty"),
                ("forward", "it takes bytes that it finds there; one of other lines goes before stores that have not been issued"),
            ]),
        ),
        Key::default(
            "store_buffer_posted",
            "its stores are done when the memory is granted; else when it answers",
            Value::Bool,
            Need::Bool(false),
        ),
        extra("line_fetch", "in addition, for each line of instructions that the core waits for"),
        extra("line_load", "in addition, for each line of data that the core waits for"),
        Key::optional("float", "floating-point instructions; needed when isa has f", Value::Table(&FLOAT)),
        Key::default("instruction", "instructions of its own", Value::Tables(&INSTRUCTION, 0), Need::Empty),
    ],
    choice: None,
};

/// Cycles that most cores do not have.
const fn extra(name: &'static str, doc: &'static str) -> Key {
    Key::default(name, doc, Value::Int(0, CYCLES), Need::Int(0))
}

static INSTRUCTION: Table = Table {
    what: "an instruction",
    keys: &[
        Key::required("name", "name, as a disassembly shows it", Value::Text(Text::Name)),
        Key::required(
            "opcode",
            "one of the four opcodes that are left to users",
            Value::Word(&[("custom-0", "0x0b"), ("custom-1", "0x2b"), ("custom-2", "0x5b"), ("custom-3", "0x7b")]),
        ),
        Key::required("funct3", "bits 12 to 14", Value::Int(0, 7)),
        Key::optional(
            "funct7",
            "bits 25 to 31; if left out the upper 12 bits are a signed immediate, and there is no rs2",
            Value::Int(0, 127),
        ),
        Key::required("value", "what goes to rd: an expression over rs1, rs2 or imm", Value::Text(Text::Any)),
        Key::default("cycles", "cycles until the next instruction", Value::Int(1, CYCLES), Need::Int(1)),
        Key::default("result_cycles", "how much later the result can be used", Value::Int(0, CYCLES), Need::Int(0)),
    ],
    choice: None,
};

static FLOAT: Table = Table {
    what: "the table `float`",
    keys: &[
        issue("add", "additions and subtractions"),
        late("add_result"),
        issue("mul", "multiplications"),
        late("mul_result"),
        issue("fused", "multiply and add with one rounding"),
        late("fused_result"),
        issue("div", "divisions"),
        late("div_result"),
        issue("sqrt", "square roots"),
        late("sqrt_result"),
        issue("compare", "comparisons, minimum, maximum"),
        late("compare_result"),
        issue("convert", "conversions from and to integers"),
        late("convert_result"),
        issue("transfer", "moves between the register files, signs, fclass"),
        late("transfer_result"),
    ],
    choice: None,
};

/// How much later than its slot's end a result can be used.
const fn late(name: &'static str) -> Key {
    Key::default(name, "lateness of their results", Value::Int(0, CYCLES), Need::Int(0))
}

/// The cost of an instruction: at least one cycle, or time would stand still.
const fn issue(name: &'static str, doc: &'static str) -> Key {
    Key::required(name, doc, Value::Int(1, CYCLES))
}
