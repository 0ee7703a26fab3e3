// SPDX-License-Identifier: Apache-2.0
//! Instructions as text, in the notation of objdump without aliases that hide what is executed, except the four that
//! everybody reads (`nop`, `li`, `mv`, `ret`) and the forms with x0 of jumps.

use crate::{Code, Op, FLOAT};

const ABI: [&str; 32] = [
    "zero", "ra", "sp", "gp", "tp", "t0", "t1", "t2", "s0", "s1", "a0", "a1", "a2", "a3", "a4", "a5", "a6", "a7", "s2",
    "s3", "s4", "s5", "s6", "s7", "s8", "s9", "s10", "s11", "t3", "t4", "t5", "t6",
];

const FLOAT_ABI: [&str; 32] = [
    "ft0", "ft1", "ft2", "ft3", "ft4", "ft5", "ft6", "ft7", "fs0", "fs1", "fa0", "fa1", "fa2", "fa3", "fa4", "fa5",
    "fa6", "fa7", "fs2", "fs3", "fs4", "fs5", "fs6", "fs7", "fs8", "fs9", "fs10", "fs11", "ft8", "ft9", "ft10", "ft11",
];

/// The ABI name of a register; from [`FLOAT`] on of a floating-point one.
pub fn register_name(r: u8) -> &'static str {
    if r & FLOAT != 0 {
        FLOAT_ABI[usize::from(r & 31)]
    } else {
        ABI[usize::from(r & 31)]
    }
}

const PMPADDR: [&str; 16] = [
    "pmpaddr0",
    "pmpaddr1",
    "pmpaddr2",
    "pmpaddr3",
    "pmpaddr4",
    "pmpaddr5",
    "pmpaddr6",
    "pmpaddr7",
    "pmpaddr8",
    "pmpaddr9",
    "pmpaddr10",
    "pmpaddr11",
    "pmpaddr12",
    "pmpaddr13",
    "pmpaddr14",
    "pmpaddr15",
];

/// The name of a control register, if it has one here.
pub fn csr_name(number: u16) -> Option<&'static str> {
    Some(match number {
        0x001 => "fflags",
        0x002 => "frm",
        0x003 => "fcsr",
        0x300 => "mstatus",
        0x301 => "misa",
        0x304 => "mie",
        0x305 => "mtvec",
        0x306 => "mcounteren",
        0x30a => "menvcfg",
        0x310 => "mstatush",
        0x31a => "menvcfgh",
        0x320 => "mcountinhibit",
        0x3a0..=0x3a3 => ["pmpcfg0", "pmpcfg1", "pmpcfg2", "pmpcfg3"][usize::from(number & 3)],
        0x3b0..=0x3bf => PMPADDR[usize::from(number & 15)],
        0x340 => "mscratch",
        0x341 => "mepc",
        0x342 => "mcause",
        0x343 => "mtval",
        0x344 => "mip",
        0xb00 => "mcycle",
        0xb02 => "minstret",
        0xb80 => "mcycleh",
        0xb82 => "minstreth",
        0xc00 => "cycle",
        0xc01 => "time",
        0xc02 => "instret",
        0xc80 => "cycleh",
        0xc81 => "timeh",
        0xc82 => "instreth",
        0xf11 => "mvendorid",
        0xf12 => "marchid",
        0xf13 => "mimpid",
        0xf14 => "mhartid",
        0xf15 => "mconfigptr",
        _ => return None,
    })
}

fn mnemonic(code: Code) -> &'static str {
    use Code::*;
    match code {
        Illegal => "illegal",
        Lui => "lui",
        Auipc => "auipc",
        Jal => "jal",
        Jalr => "jalr",
        Beq => "beq",
        Bne => "bne",
        Blt => "blt",
        Bge => "bge",
        Bltu => "bltu",
        Bgeu => "bgeu",
        Lb => "lb",
        Lh => "lh",
        Lw => "lw",
        Lbu => "lbu",
        Lhu => "lhu",
        Sb => "sb",
        Sh => "sh",
        Sw => "sw",
        Addi => "addi",
        Slti => "slti",
        Sltiu => "sltiu",
        Xori => "xori",
        Ori => "ori",
        Andi => "andi",
        Slli => "slli",
        Srli => "srli",
        Srai => "srai",
        Add => "add",
        Sub => "sub",
        Sll => "sll",
        Slt => "slt",
        Sltu => "sltu",
        Xor => "xor",
        Srl => "srl",
        Sra => "sra",
        Or => "or",
        And => "and",
        Mul => "mul",
        Mulh => "mulh",
        Mulhsu => "mulhsu",
        Mulhu => "mulhu",
        Div => "div",
        Divu => "divu",
        Rem => "rem",
        Remu => "remu",
        LrW => "lr.w",
        ScW => "sc.w",
        AmoSwap => "amoswap.w",
        AmoAdd => "amoadd.w",
        AmoXor => "amoxor.w",
        AmoAnd => "amoand.w",
        AmoOr => "amoor.w",
        AmoMin => "amomin.w",
        AmoMax => "amomax.w",
        AmoMinu => "amominu.w",
        AmoMaxu => "amomaxu.w",
        Csrrw => "csrrw",
        Csrrs => "csrrs",
        Csrrc => "csrrc",
        Csrrwi => "csrrwi",
        Csrrsi => "csrrsi",
        Csrrci => "csrrci",
        Fence => "fence",
        FenceI => "fence.i",
        Pause => "pause",
        Ecall => "ecall",
        Ebreak => "ebreak",
        Mret => "mret",
        Wfi => "wfi",
        CboInval => "cbo.inval",
        CboClean => "cbo.clean",
        CboFlush => "cbo.flush",
        Prefetch => "prefetch",
        FaddS => "fadd.s",
        FsubS => "fsub.s",
        FmulS => "fmul.s",
        FdivS => "fdiv.s",
        FsqrtS => "fsqrt.s",
        FmaddS => "fmadd.s",
        FmsubS => "fmsub.s",
        FnmsubS => "fnmsub.s",
        FnmaddS => "fnmadd.s",
        FsgnjS => "fsgnj.s",
        FsgnjnS => "fsgnjn.s",
        FsgnjxS => "fsgnjx.s",
        FminS => "fmin.s",
        FmaxS => "fmax.s",
        FeqS => "feq.s",
        FltS => "flt.s",
        FleS => "fle.s",
        FclassS => "fclass.s",
        FcvtWS => "fcvt.w.s",
        FcvtWuS => "fcvt.wu.s",
        FcvtSW => "fcvt.s.w",
        FcvtSWu => "fcvt.s.wu",
        FmvXW => "fmv.x.w",
        FmvWX => "fmv.w.x",
        Custom => "custom",
        Flw => "flw",
        Fsw => "fsw",
    }
}

fn csr_text(number: i32) -> String {
    let number = (number & 0xfff) as u16;
    csr_name(number).map_or_else(|| format!("{number:#x}"), str::to_string)
}

fn fence_set(bits: i32) -> String {
    let set: String = "iorw".chars().enumerate().filter(|(i, _)| bits & (8 >> i) != 0).map(|(_, c)| c).collect();
    if set.is_empty() {
        "0".to_string()
    } else {
        set
    }
}

/// The rounding mode, unless it is that of `frm`.
fn rounding(imm: i32) -> &'static str {
    [",rne", ",rtz", ",rdn", ",rup", ",rmm", "", "", ""][(imm & 7) as usize]
}

/// The instruction `op` at `pc`; targets of jumps are absolute.
pub fn text(op: &Op, pc: u32) -> String {
    use Code::*;
    let name = mnemonic(op.code);
    let (rd, rs1, rs2) = (register_name(op.rd), register_name(op.rs1), register_name(op.rs2));
    let imm = op.imm;
    let target = pc.wrapping_add(imm as u32);
    match op.code {
        Illegal if op.len == 2 => format!("illegal {:#06x}", imm as u32),
        Illegal => format!("illegal {:#010x}", imm as u32),
        Lui | Auipc => format!("{name} {rd},{:#x}", imm as u32 >> 12),
        Jal if op.rd == 0 => format!("j {target:x}"),
        Jal => format!("jal {rd},{target:x}"),
        Jalr if (op.rd, op.rs1, imm) == (0, 1, 0) => "ret".to_string(),
        Jalr if (op.rd, imm) == (0, 0) => format!("jr {rs1}"),
        Jalr => format!("jalr {rd},{imm}({rs1})"),
        Beq | Bne | Blt | Bge | Bltu | Bgeu => format!("{name} {rs1},{rs2},{target:x}"),
        Lb | Lh | Lw | Lbu | Lhu => format!("{name} {rd},{imm}({rs1})"),
        Sb | Sh | Sw => format!("{name} {rs2},{imm}({rs1})"),
        Addi if (op.rd, op.rs1, imm) == (0, 0, 0) => "nop".to_string(),
        Addi if op.rs1 == 0 => format!("li {rd},{imm}"),
        Addi if imm == 0 => format!("mv {rd},{rs1}"),
        Add if op.rs1 == 0 => format!("mv {rd},{rs2}"),
        Slli | Srli | Srai => format!("{name} {rd},{rs1},{imm:#x}"),
        Addi | Slti | Sltiu | Xori | Ori | Andi => format!("{name} {rd},{rs1},{imm}"),
        Add | Sub | Sll | Slt | Sltu | Xor | Srl | Sra | Or | And | Mul | Mulh | Mulhsu | Mulhu | Div | Divu | Rem
        | Remu => format!("{name} {rd},{rs1},{rs2}"),
        LrW => format!("{name} {rd},({rs1})"),
        ScW | AmoSwap | AmoAdd | AmoXor | AmoAnd | AmoOr | AmoMin | AmoMax | AmoMinu | AmoMaxu => {
            format!("{name} {rd},{rs2},({rs1})")
        }
        Csrrw | Csrrs | Csrrc => format!("{name} {rd},{},{rs1}", csr_text(imm)),
        Csrrwi | Csrrsi | Csrrci => format!("{name} {rd},{},{}", csr_text(imm), (imm >> 16) & 31),
        Fence => format!("fence {},{}", fence_set(imm >> 4), fence_set(imm & 15)),
        CboInval | CboClean | CboFlush => format!("{name} ({rs1})"),
        Prefetch => format!("prefetch.{} {}({rs1})", ["i", "r", "", "w"][(imm & 3) as usize], imm & !31),
        Custom => format!("{name}-{} {:#010x}", crate::custom::opcode(imm as u32).unwrap_or(0), imm as u32),
        Flw => format!("{name} {rd},{imm}({rs1})"),
        Fsw => format!("{name} {rs2},{imm}({rs1})"),
        FaddS | FsubS | FmulS | FdivS => format!("{name} {rd},{rs1},{rs2}{}", rounding(imm)),
        FsqrtS | FcvtWS | FcvtWuS | FcvtSW | FcvtSWu => format!("{name} {rd},{rs1}{}", rounding(imm)),
        FmaddS | FmsubS | FnmsubS | FnmaddS => {
            let rs3 = register_name((imm >> 8 & 31) as u8 | FLOAT);
            format!("{name} {rd},{rs1},{rs2},{rs3}{}", rounding(imm))
        }
        FsgnjS | FsgnjnS | FsgnjxS | FminS | FmaxS | FeqS | FltS | FleS => format!("{name} {rd},{rs1},{rs2}"),
        FclassS | FmvXW | FmvWX => format!("{name} {rd},{rs1}"),
        FenceI | Pause | Ecall | Ebreak | Mret | Wfi => name.to_string(),
    }
}
