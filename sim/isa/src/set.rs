// SPDX-License-Identifier: Apache-2.0
//! Sets of extensions, written as compilers write them: `rv32imac_zicsr_zifencei_zicbom`.

use core::fmt;
use core::str::FromStr;

/// The extensions that a core has besides the base RV32I.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct IsaSet(u16);

/// Why a text does not name a set.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct IsaError {
    text: String,
    what: String,
}

impl fmt::Display for IsaError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "isa `{}`: {}", self.text, self.what)
    }
}

impl std::error::Error for IsaError {}

/// Multi-letter names in the order in which they are printed, with what each includes.
const LONG: [(&str, IsaSet); 6] = [
    ("zicsr", IsaSet::ZICSR),
    ("zifencei", IsaSet::ZIFENCEI),
    ("zicbom", IsaSet::ZICBOM),
    ("zicbop", IsaSet::ZICBOP),
    ("zicntr", IsaSet(IsaSet::ZICNTR.0 | IsaSet::ZICSR.0)),
    ("zihintpause", IsaSet::ZIHINTPAUSE),
];

impl IsaSet {
    /// RV32I alone.
    pub const BASE: IsaSet = IsaSet(0);
    /// Multiply and divide.
    pub const M: IsaSet = IsaSet(1);
    /// Atomics.
    pub const A: IsaSet = IsaSet(2);
    /// Compressed instructions.
    pub const C: IsaSet = IsaSet(4);
    /// Control registers.
    pub const ZICSR: IsaSet = IsaSet(8);
    /// fence.i.
    pub const ZIFENCEI: IsaSet = IsaSet(16);
    /// cbo.clean, cbo.flush, cbo.inval.
    pub const ZICBOM: IsaSet = IsaSet(32);
    /// Prefetch hints.
    pub const ZICBOP: IsaSet = IsaSet(64);
    /// The user counters; every core that has control registers has them.
    pub const ZICNTR: IsaSet = IsaSet(128);
    /// pause; without it the encoding is an ordinary fence.
    pub const ZIHINTPAUSE: IsaSet = IsaSet(256);

    /// Single-precision floating point; it needs control registers.
    pub const F: IsaSet = IsaSet(512);
    /// The custom opcodes hold instructions that a user defines. It has no name: a core has it when it has such instructions.
    pub const CUSTOM: IsaSet = IsaSet(1024);

    /// Whether all of `part` is in this set.
    #[inline]
    pub const fn has(self, part: IsaSet) -> bool {
        self.0 & part.0 == part.0
    }

    /// Both sets together.
    pub const fn with(self, part: IsaSet) -> IsaSet {
        IsaSet(self.0 | part.0)
    }

    /// The set without `part`.
    pub const fn without(self, part: IsaSet) -> IsaSet {
        IsaSet(self.0 & !part.0)
    }

    /// The value of the `misa` register.
    pub const fn misa(self) -> u32 {
        let mut v = (1 << 30) | (1 << 8);
        if self.has(Self::A) {
            v |= 1;
        }
        if self.has(Self::C) {
            v |= 1 << 2;
        }
        if self.has(Self::F) {
            v |= 1 << 5;
        }
        if self.has(Self::M) {
            v |= 1 << 12;
        }
        v
    }
}

impl fmt::Display for IsaSet {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("rv32i")?;
        for (letter, part) in [("m", Self::M), ("a", Self::A), ("f", Self::F), ("c", Self::C)] {
            if self.has(part) {
                f.write_str(letter)?;
            }
        }
        for (name, part) in LONG {
            if self.has(part) {
                write!(f, "_{name}")?;
            }
        }
        Ok(())
    }
}

impl FromStr for IsaSet {
    type Err = IsaError;

    fn from_str(text: &str) -> Result<IsaSet, IsaError> {
        let fail = |what: String| IsaError { text: text.to_string(), what };
        let lower = text.to_ascii_lowercase();
        let rest = lower.strip_prefix("rv32").ok_or_else(|| fail("must begin with rv32".to_string()))?;
        let mut parts = rest.split('_');
        let letters = parts.next().unwrap_or_default();
        let mut set = IsaSet::BASE;
        for (i, letter) in letters.chars().enumerate() {
            let part = match (i, letter) {
                (0, 'i') => IsaSet::BASE,
                (0, _) => return Err(fail("the base must be i".to_string())),
                (_, 'm') => IsaSet::M,
                (_, 'a') => IsaSet::A,
                (_, 'f') => IsaSet::F.with(IsaSet::ZICSR),
                (_, 'c') => IsaSet::C,
                _ => return Err(fail(format!("extension `{letter}` is not modelled; known are m, a, f, c"))),
            };
            set = set.with(part);
        }
        if letters.is_empty() {
            return Err(fail("the base must be i".to_string()));
        }
        for name in parts {
            let Some((_, part)) = LONG.iter().find(|(n, _)| *n == name) else {
                let known = LONG.map(|(n, _)| n).join(", ");
                return Err(fail(format!("extension `{name}` is not modelled; known are {known}")));
            };
            set = set.with(*part);
        }
        Ok(set)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reads_what_it_prints() {
        let s: IsaSet = "rv32imac_zicsr_zifencei_zicbom".parse().unwrap();
        assert_eq!(s.to_string(), "rv32imac_zicsr_zifencei_zicbom");
        assert!(s.has(IsaSet::ZICBOM) && !s.has(IsaSet::ZICBOP));
        assert_eq!("rv32i".parse::<IsaSet>().unwrap(), IsaSet::BASE);
        assert_eq!("RV32IC_zicntr".parse::<IsaSet>().unwrap().to_string(), "rv32ic_zicsr_zicntr");
    }

    #[test]
    fn says_what_is_wrong() {
        let e = |t: &str| t.parse::<IsaSet>().unwrap_err().to_string();
        assert_eq!(e("rv64i"), "isa `rv64i`: must begin with rv32");
        assert_eq!(e("rv32"), "isa `rv32`: the base must be i");
        assert_eq!(e("rv32e"), "isa `rv32e`: the base must be i");
        assert!(e("rv32imafd").contains("`d` is not modelled; known are m, a, f, c"));
        assert!(e("rv32i_zfoo").contains("`zfoo` is not modelled; known are zicsr"));
    }

    #[test]
    fn misa_names_the_letters() {
        assert_eq!("rv32imac".parse::<IsaSet>().unwrap().misa(), 0x4000_1105);
        assert_eq!("rv32imafc".parse::<IsaSet>().unwrap().misa(), 0x4000_1125);
        assert_eq!("rv32if".parse::<IsaSet>().unwrap().to_string(), "rv32if_zicsr");
        assert_eq!(IsaSet::BASE.misa(), 0x4000_0100);
    }
}
