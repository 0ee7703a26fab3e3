// SPDX-License-Identifier: Apache-2.0
//! An ELF file as the simulator needs it: what to load where, where to start, and the probes it carries.
//!
//! Deliberately lacks: relocation and dynamic linking; an image is linked for its platform.

use object::read::elf::{ElfFile32, FileHeader as _, ProgramHeader as _};
use object::{elf, Endianness, Object as _, ObjectSection as _, ObjectSymbol as _};
use std::fmt;
use trace::Probe;

/// One loadable segment, zero-filled up to its size in memory.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Segment {
    /// Physical load address.
    pub addr: u32,
    /// Bytes in the file.
    pub data: Vec<u8>,
    /// Size in memory, at least `data.len()`.
    pub size: u32,
}

/// A function or object.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Symbol {
    /// Name.
    pub name: String,
    /// Address.
    pub addr: u32,
    /// Size in bytes; 0 when the file does not say.
    pub size: u32,
    /// Whether it is code (a function or a label in a text section).
    pub code: bool,
}

/// A parsed image.
#[derive(Clone, Debug)]
pub struct Image {
    /// File name, for messages.
    pub name: String,
    /// First instruction.
    pub entry: u32,
    /// What to load.
    pub segments: Vec<Segment>,
    /// Named symbols, sorted by address.
    pub symbols: Vec<Symbol>,
    /// Probes, in the order of the section.
    pub probes: Vec<Probe>,
    /// The whole file, for debug information.
    pub file: Vec<u8>,
}

/// Why a file is not an image.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct ImageError {
    /// File name.
    pub name: String,
    /// What is wrong and what to do.
    pub what: String,
}

impl fmt::Display for ImageError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.name, self.what)
    }
}

impl std::error::Error for ImageError {}

fn machine_name(machine: u16) -> String {
    match machine {
        elf::EM_RISCV => "RISC-V".into(),
        elf::EM_X86_64 => "x86-64".into(),
        elf::EM_386 => "x86".into(),
        elf::EM_ARM => "Arm".into(),
        elf::EM_AARCH64 => "AArch64".into(),
        elf::EM_MIPS => "MIPS".into(),
        other => format!("machine {other}"),
    }
}

impl Image {
    /// Parse a 32-bit little-endian RISC-V executable.
    ///
    /// # Errors
    /// Not an ELF file, another machine or word size, not an executable, a truncated segment, or unreadable probes.
    pub fn parse(name: &str, file: Vec<u8>) -> Result<Image, ImageError> {
        let fail = |what: String| ImageError { name: name.to_string(), what };
        if file.len() < 20 || file[..4] != *b"\x7fELF" {
            return Err(fail("not an ELF file; give an executable linked for rv32".into()));
        }
        let machine = u16::from_le_bytes([file[18], file[19]]);
        if file[5] != 1 {
            return Err(fail("a big-endian ELF file; the cores are little-endian RISC-V".into()));
        }
        if machine != elf::EM_RISCV {
            return Err(fail(format!(
                "built for {}, the cores are RISC-V; compile with riscv64-unknown-elf-gcc -march=rv32imac -mabi=ilp32",
                machine_name(machine)
            )));
        }
        if file[4] != 1 {
            return Err(fail(
                "a 64-bit RISC-V ELF file; the cores are rv32, link with -march=rv32imac -mabi=ilp32".into(),
            ));
        }
        let (entry, segments, symbols, probes) = {
            let parsed = ElfFile32::<Endianness>::parse(&*file).map_err(|e| fail(format!("damaged ELF file: {e}")))?;
            let endian = parsed.endian();
            let header = parsed.elf_header();
            if header.e_type(endian) != elf::ET_EXEC {
                return Err(fail(
                    "not an executable (a relocatable or shared object); link it statically first".into(),
                ));
            }
            let mut segments = Vec::new();
            for ph in parsed.elf_program_headers() {
                if ph.p_type(endian) != elf::PT_LOAD || ph.p_memsz(endian) == 0 {
                    continue;
                }
                let data =
                    ph.data(endian, &*file).map_err(|()| fail("a segment lies outside the file: truncated?".into()))?;
                let (addr, size) = (ph.p_paddr(endian), ph.p_memsz(endian));
                if data.len() as u64 > u64::from(size) || addr.checked_add(size - 1).is_none() {
                    return Err(fail(format!("segment at {addr:#010x} has an impossible size {size:#x}")));
                }
                segments.push(Segment { addr, data: data.to_vec(), size });
            }
            if segments.is_empty() {
                return Err(fail("nothing to load: no PT_LOAD segment".into()));
            }
            let mut symbols: Vec<Symbol> = parsed
                .symbols()
                .filter(|s| {
                    !s.is_undefined() && !matches!(s.kind(), object::SymbolKind::Section | object::SymbolKind::File)
                })
                .filter_map(|s| {
                    let name =
                        s.name().ok().filter(|n| !n.is_empty() && !n.starts_with('$') && !n.starts_with(".L"))?;
                    let code = s
                        .section_index()
                        .and_then(|i| parsed.section_by_index(i).ok())
                        .is_some_and(|sec| sec.kind() == object::SectionKind::Text)
                        && matches!(
                            s.kind(),
                            object::SymbolKind::Text | object::SymbolKind::Unknown | object::SymbolKind::Label
                        );
                    Some(Symbol { name: name.to_string(), addr: s.address() as u32, size: s.size() as u32, code })
                })
                .collect();
            symbols.sort_by(|a, b| {
                a.addr.cmp(&b.addr).then_with(|| a.size.cmp(&b.size)).then_with(|| a.name.cmp(&b.name))
            });
            let probes = match parsed.section_by_name(".sb_probes") {
                None => Vec::new(),
                Some(section) => {
                    let bytes = section.data().map_err(|e| fail(format!("unreadable .sb_probes: {e}")))?;
                    trace::parse_section(bytes).map_err(|e| fail(e.to_string()))?
                }
            };
            (header.e_entry(endian), segments, symbols, probes)
        };
        Ok(Image { name: name.to_string(), entry, segments, symbols, probes, file })
    }

    /// Bytes without a header, to be loaded at `addr` and started there.
    ///
    /// # Errors
    /// No bytes at all, or more than 32-bit addresses reach.
    pub fn raw(name: &str, bytes: Vec<u8>, addr: u32) -> Result<Image, ImageError> {
        let fail = |what: &str| ImageError { name: name.to_string(), what: what.to_string() };
        if bytes.is_empty() {
            return Err(fail("an empty file; give the bytes of a program"));
        }
        let size = u32::try_from(bytes.len()).ok().filter(|size| addr.checked_add(size - 1).is_some());
        let size = size.ok_or_else(|| fail("larger than what 32-bit addresses reach"))?;
        Ok(Image {
            name: name.to_string(),
            entry: addr,
            segments: vec![Segment { addr, data: bytes, size }],
            symbols: Vec::new(),
            probes: Vec::new(),
            file: Vec::new(),
        })
    }

    /// Whether there may be an instruction of this image at `addr`: sixteen zeros are none.
    pub fn starts_at(&self, addr: u32) -> bool {
        let Some(segment) = self.segments.iter().find(|s| addr.wrapping_sub(s.addr) < s.size) else { return false };
        let at = (addr - segment.addr) as usize;
        segment.data.iter().skip(at).take(2).any(|byte| *byte != 0)
    }

    /// Whether any of `size` bytes at `addr` are this image's.
    pub fn overlaps(&self, addr: u32, size: u32) -> bool {
        let (first, end) = (u64::from(addr), u64::from(addr) + u64::from(size));
        self.segments.iter().any(|s| u64::from(s.addr) < end && first < u64::from(s.addr) + u64::from(s.size))
    }

    /// The address of a symbol.
    pub fn symbol(&self, name: &str) -> Option<u32> {
        self.symbols.iter().find(|s| s.name == name).map(|s| s.addr)
    }

    /// The symbol, of code or data, that contains `addr`, and the offset in it. A symbol without a size reaches to the next.
    pub fn object(&self, addr: u32) -> Option<(&str, u32)> {
        let after = self.symbols.partition_point(|s| s.addr <= addr);
        let inside = self.segments.iter().any(|s| addr.wrapping_sub(s.addr) < s.size);
        self.symbols[..after]
            .iter()
            .rev()
            .take(8)
            .find(|s| (s.size == 0 && inside) || addr - s.addr < s.size)
            .map(|s| (s.name.as_str(), addr - s.addr))
    }

    /// The code symbol that contains `addr`, and the offset in it.
    pub fn symbolize(&self, addr: u32) -> Option<(&str, u32)> {
        let after = self.symbols.partition_point(|s| s.addr <= addr);
        self.symbols[..after]
            .iter()
            .rev()
            .filter(|s| s.code)
            .take(8)
            .find(|s| s.size == 0 || addr - s.addr < s.size)
            .map(|s| (s.name.as_str(), addr - s.addr))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn header(class: u8, data: u8, machine: u16) -> Vec<u8> {
        let mut f = vec![0u8; 64];
        f[..4].copy_from_slice(b"\x7fELF");
        f[4] = class;
        f[5] = data;
        f[18..20].copy_from_slice(&machine.to_le_bytes());
        f
    }

    #[test]
    fn foreign_files_are_named() {
        let what = |f: Vec<u8>| Image::parse("x.elf", f).unwrap_err().to_string();
        assert!(what(b"MZ".to_vec()).contains("x.elf: not an ELF file"));
        assert!(what(header(2, 1, elf::EM_X86_64)).contains("built for x86-64"));
        assert!(what(header(1, 2, elf::EM_RISCV)).contains("big-endian"));
        assert!(what(header(2, 1, elf::EM_RISCV)).contains("64-bit RISC-V"));
        assert!(what(header(1, 1, elf::EM_RISCV)).contains("x.elf: "));
    }

    #[test]
    fn damaged_headers_never_panic() {
        let mut state = 0x9e37_79b9_7f4a_7c15u64;
        for _ in 0..2000 {
            let mut f = header(1, 1, elf::EM_RISCV);
            f[16] = 2;
            f[20] = 1;
            f[28] = 52;
            f[40] = 52;
            f[42] = 32;
            f[44] = 1;
            f.resize(200, 0);
            for _ in 0..4 {
                state = state.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
                let at = 24 + (state >> 33) as usize % (f.len() - 24);
                f[at] = (state >> 24) as u8;
            }
            let _ = Image::parse("x.elf", f);
        }
    }
}
