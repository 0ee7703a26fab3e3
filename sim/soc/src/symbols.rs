// SPDX-License-Identifier: Apache-2.0
//! Source lines and stack frames, from an image's DWARF.
//!
//! Frames come from `.debug_frame` or `.eh_frame` where the compiler wrote them, and else from the return address
//! alone; a walk ends at the first address outside the image's code, at a frame that does not move, or after 32.

use crate::image::Image;
use gimli::{BaseAddresses, CfaRule, EndianReader, LittleEndian, RegisterRule, UnwindContext};
use object::{Object as _, ObjectSection as _};
use serde::Serialize;
use std::rc::Rc;

type Slice = EndianReader<LittleEndian, Rc<[u8]>>;

/// A program counter with what the image says of it.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
pub struct Frame {
    /// Address.
    pub pc: u32,
    /// Function, with `+offset`.
    pub symbol: Option<String>,
    /// Source file.
    pub file: Option<String>,
    /// Source line, from 1.
    pub line: Option<u32>,
}

const FRAMES_MAX: usize = 32;
const RA: u16 = 1;
const SP: u16 = 2;

/// Describe one address.
pub fn describe(image: &Image, pc: u32) -> Frame {
    let symbol =
        image.symbolize(pc).map(|(name, off)| if off == 0 { name.to_string() } else { format!("{name}+{off:#x}") });
    let (file, line) = source_line(image, pc).map_or((None, None), |(f, l)| (Some(f), l));
    Frame { pc, symbol, file, line }
}

fn section(image: &Image, name: &str) -> Slice {
    let bytes = object::File::parse(&*image.file)
        .ok()
        .and_then(|f| f.section_by_name(name).and_then(|s| s.uncompressed_data().ok().map(|d| d.into_owned())))
        .unwrap_or_default();
    EndianReader::new(Rc::from(bytes), LittleEndian)
}

fn source_line(image: &Image, pc: u32) -> Option<(String, Option<u32>)> {
    let dwarf = gimli::Dwarf::load(|id| Ok::<_, gimli::Error>(section(image, id.name()))).ok()?;
    let context = addr2line::Context::from_dwarf(dwarf).ok()?;
    let location = context.find_location(u64::from(pc)).ok()??;
    Some((location.file?.to_string(), location.line))
}

/// Walk the stack from `pc` with these registers; `read` loads a word as the core sees it.
pub fn backtrace(image: &Image, pc: u32, regs: &[u32; 32], read: &mut dyn FnMut(u32) -> Option<u32>) -> Vec<Frame> {
    let mut frames = vec![describe(image, pc)];
    let mut regs = *regs;
    let mut at = pc;
    let mut debug_frame = gimli::DebugFrame::from(section(image, ".debug_frame"));
    let mut eh_frame = gimli::EhFrame::from(section(image, ".eh_frame"));
    // The sections do not say it themselves, and without it addresses would be taken for 64-bit ones.
    debug_frame.set_address_size(4);
    eh_frame.set_address_size(4);
    let eh_base = object::File::parse(&*image.file)
        .ok()
        .and_then(|f| f.section_by_name(".eh_frame").map(|s| s.address()))
        .unwrap_or(0);
    while frames.len() < FRAMES_MAX {
        let next = step(&debug_frame, BaseAddresses::default(), at, &mut regs, read)
            .or_else(|| step(&eh_frame, BaseAddresses::default().set_eh_frame(eh_base), at, &mut regs, read))
            .or_else(|| (frames.len() == 1).then_some(regs[RA as usize]));
        let Some(return_to) = next else { break };
        if return_to == 0 || image.symbolize(return_to).is_none() || return_to == at {
            break;
        }
        // The call is the instruction before the one that is returned to.
        frames.push(describe(image, return_to.wrapping_sub(2)));
        at = return_to.wrapping_sub(2);
    }
    frames
}

fn step<S>(
    frames: &S,
    bases: BaseAddresses,
    pc: u32,
    regs: &mut [u32; 32],
    read: &mut dyn FnMut(u32) -> Option<u32>,
) -> Option<u32>
where
    S: gimli::UnwindSection<Slice>,
    S::Offset: gimli::UnwindOffset<usize>,
{
    let fde = frames.fde_for_address(&bases, u64::from(pc), S::cie_from_offset).ok()?;
    let mut context = UnwindContext::new();
    let row = fde.unwind_info_for_address(frames, &bases, &mut context, u64::from(pc)).ok()?;
    let CfaRule::RegisterAndOffset { register, offset } = *row.cfa() else { return None };
    let cfa = regs.get(usize::from(register.0))?.wrapping_add(offset as u32);
    let mut caller = *regs;
    for (register, rule) in row.registers() {
        let Some(slot) = caller.get_mut(usize::from(register.0)) else { continue };
        match rule {
            RegisterRule::Offset(o) => *slot = read(cfa.wrapping_add(*o as u32))?,
            RegisterRule::Register(r) => *slot = *regs.get(usize::from(r.0))?,
            _ => {}
        }
    }
    let moved = cfa != regs[SP as usize];
    let return_to = caller[RA as usize];
    if !moved && return_to == regs[RA as usize] && describe_same(pc, return_to) {
        return None;
    }
    caller[SP as usize] = cfa;
    *regs = caller;
    Some(return_to)
}

fn describe_same(pc: u32, return_to: u32) -> bool {
    return_to == pc || return_to == pc.wrapping_add(2)
}
