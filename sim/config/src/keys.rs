// SPDX-License-Identifier: Apache-2.0
//! How a file format is described: tables of keys, as data. One description checks files ([`crate::check`]), finds the
//! keys that `--set` may name ([`crate::overrides`]) and becomes the JSON Schema ([`crate::schema`]).

/// A table: its keys, and for a tagged one the keys that each choice adds.
pub struct Table {
    /// What it is called in messages: "a cache".
    pub what: &'static str,
    /// Keys that are always allowed.
    pub keys: &'static [Key],
    /// The key whose value decides which other keys there are.
    pub choice: Option<Choice>,
}

/// A key with fixed words as values, each of which brings further keys.
pub struct Choice {
    /// The key, always required.
    pub key: &'static str,
    /// What it decides.
    pub doc: &'static str,
    /// The values.
    pub cases: &'static [Case],
}

/// One value of a [`Choice`].
pub struct Case {
    /// The word.
    pub word: &'static str,
    /// What it means.
    pub doc: &'static str,
    /// Keys that it adds.
    pub keys: &'static [Key],
}

/// A key.
pub struct Key {
    /// As written in the file.
    pub name: &'static str,
    /// What it means.
    pub doc: &'static str,
    /// What it may hold.
    pub value: Value,
    /// What holds when it is missing.
    pub need: Need,
}

/// What a key may hold.
pub enum Value {
    /// `true` or `false`.
    Bool,
    /// An integer from the first to the second.
    Int(i64, i64),
    /// An integer from the first to the second, or this word.
    IntOr(i64, i64, &'static str),
    /// A power of two from the first to the second.
    Power(i64, i64),
    /// The version of the format.
    Version(i64),
    /// A string.
    Text(Text),
    /// One of these words.
    Word(&'static [(&'static str, &'static str)]),
    /// A list of at least and at most so many values.
    List(&'static Value, usize, usize),
    /// A table.
    Table(&'static Table),
    /// `[[name]]` tables, at least so many.
    Tables(&'static Table, usize),
    /// A table whose keys are free (of this form) and whose values are all of one kind.
    Map(Text, &'static Value),
}

/// What holds when a key is missing.
pub enum Need {
    /// It must be there.
    Required,
    /// It stays absent.
    Optional,
    /// This integer.
    Int(i64),
    /// This truth value.
    Bool(bool),
    /// This string.
    Text(&'static str),
    /// An empty table (whose keys then have their own defaults) or list.
    Empty,
}

/// Forms of strings.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Text {
    /// Anything.
    Any,
    /// A name: 1 to 31 letters, digits, `_`, `-` or `.`, beginning with a letter or digit.
    Name,
    /// A pattern for names of several: a name in which `{}` stands for the number.
    Names,
    /// A C identifier that is not a keyword.
    Identifier,
    /// The name of a file below the folder of the file that says so.
    Source,
    /// An optimisation flag of the compiler.
    Optimise,
    /// An instruction set.
    Isa,
}

const C_KEYWORDS: &[&str] = &[
    "auto", "break", "case", "char", "const", "continue", "default", "do", "double", "else", "enum", "extern", "float",
    "for", "goto", "if", "inline", "int", "long", "register", "restrict", "return", "short", "signed", "sizeof",
    "static", "struct", "switch", "typedef", "union", "unsigned", "void", "volatile", "while",
];

const OPTIMISE: &[&str] = &["-O0", "-O1", "-O2", "-O3", "-Og", "-Os", "-Oz"];

/// Extensions after the single letters.
const ISA_EXTENSIONS: &[&str] = &["zicsr", "zifencei", "zicbom", "zicbop"];

impl Text {
    /// Why a string is not of this form, and what to write instead; `None` when it is.
    pub fn refuse(self, s: &str) -> Option<String> {
        match self {
            Text::Any => None,
            Text::Name => (!is_name(s)).then(|| {
                "a name has 1 to 31 letters, digits, `_`, `-` or `.`, and begins with a letter or a digit".into()
            }),
            Text::Names => (!is_name(&s.replacen("{}", "0", 1)))
                .then(|| "write a name of at most 29 letters, digits, `_`, `-` or `.`, with {} where the number goes, as in \"cpu{}\"".into()),
            Text::Identifier => (!is_identifier(s) || C_KEYWORDS.contains(&s))
                .then(|| "write a C identifier: letters, digits and `_`, not beginning with a digit, and no keyword of C".into()),
            Text::Source => refuse_source(s),
            Text::Optimise => (!OPTIMISE.contains(&s)).then(|| format!("write one of {}", OPTIMISE.join(", "))),
            Text::Isa => (!is_isa(s)).then(|| {
                format!(
                    "write rv32i, then any of m, a, f, c in this order, then any of {}, each after `_`, as in \"rv32imac_zicsr\"",
                    ISA_EXTENSIONS.join(", ")
                )
            }),
        }
    }

    /// The same as a regular expression, as far as one can say it.
    pub fn pattern(self) -> Option<String> {
        Some(match self {
            Text::Any => return None,
            Text::Name => "^[A-Za-z0-9][A-Za-z0-9_.-]{0,30}$".into(),
            Text::Names => "^([A-Za-z0-9]|\\{\\})([A-Za-z0-9_.-]|\\{\\}){0,30}$".into(),
            Text::Identifier => "^[A-Za-z_][A-Za-z0-9_]*$".into(),
            Text::Source => "^[^/\\\\].*\\.[cS]$".into(),
            Text::Optimise => "^-O[0123gsz]$".into(),
            Text::Isa => format!("^rv32im?a?f?c?(_({}))*$", ISA_EXTENSIONS.join("|")),
        })
    }
}

fn is_name(s: &str) -> bool {
    s.len() <= 31
        && s.starts_with(|c: char| c.is_ascii_alphanumeric())
        && s.chars().all(|c| c.is_ascii_alphanumeric() || "_-.".contains(c))
}

fn is_identifier(s: &str) -> bool {
    s.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_')
        && s.chars().all(|c| c.is_ascii_alphanumeric() || c == '_')
}

fn is_isa(s: &str) -> bool {
    let mut parts = s.split('_');
    let letters = parts.next().unwrap_or_default();
    let Some(mut rest) = letters.strip_prefix("rv32i") else { return false };
    for letter in ["m", "a", "f", "c"] {
        rest = rest.strip_prefix(letter).unwrap_or(rest);
    }
    rest.is_empty() && parts.all(|e| ISA_EXTENSIONS.contains(&e))
}

fn refuse_source(s: &str) -> Option<String> {
    if s.starts_with('/') || s.contains('\\') || s.contains(':') {
        return Some("write a path relative to this file, with `/` between folders".into());
    }
    let mut depth = 0i32;
    for part in s.split('/') {
        depth += match part {
            "" | "." => 0,
            ".." => -1,
            _ => 1,
        };
        if depth < 0 {
            return Some("sources lie in the folder of this file or below it; move or copy the file there".into());
        }
    }
    let file = s.rsplit('/').next().unwrap_or_default();
    let stem = file.strip_suffix(".c").or_else(|| file.strip_suffix(".S")).unwrap_or_default();
    (stem.is_empty()).then(|| "name a C file (.c) or an assembler file (.S)".into())
}

impl Key {
    /// A key that must be there.
    pub const fn required(name: &'static str, doc: &'static str, value: Value) -> Key {
        Key { name, doc, value, need: Need::Required }
    }

    /// A key that may be absent.
    pub const fn optional(name: &'static str, doc: &'static str, value: Value) -> Key {
        Key { name, doc, value, need: Need::Optional }
    }

    /// A key with a default.
    pub const fn default(name: &'static str, doc: &'static str, value: Value, need: Need) -> Key {
        Key { name, doc, value, need }
    }
}

impl Table {
    /// The keys that are allowed when the choice is `word` (`None`: all keys of all choices).
    pub fn keys_of(&'static self, word: Option<&str>) -> impl Iterator<Item = &'static Key> {
        let cases = self.choice.as_ref().map_or(&[][..], |c| c.cases);
        let word = word.map(str::to_owned);
        self.keys
            .iter()
            .chain(cases.iter().filter(move |c| word.as_deref().is_none_or(|w| w == c.word)).flat_map(|c| c.keys))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn forms_of_text() {
        for (form, good, bad) in [
            (
                Text::Name,
                &["a", "de2-dual", "0", "a.b_c"][..],
                &["", "-a", "a/b", "ü", "a b", "x234567890123456789012345678901x"][..],
            ),
            (Text::Names, &["cpu{}", "a", "{}"], &["cpu{}{}", "", "c pu{}", "{"]),
            (Text::Identifier, &["_a", "f1"], &["", "1f", "f-1", "int", "f()"]),
            (
                Text::Source,
                &["a.c", "src/../a.c", "./x/y.S"],
                &["../a.c", "/a.c", "a/../../b.c", "a.h", ".c", "", "C:\\a.c", "src/"],
            ),
            (Text::Optimise, &["-O0", "-Os"], &["O2", "-O4", "", "-O2 -g"]),
            (
                Text::Isa,
                &["rv32i", "rv32imac_zicsr_zifencei_zicbom", "rv32imafc_zicsr"],
                &["rv64i", "rv32", "rv32mi", "rv32i_zfoo", "rv32imacd", "rv32icf", "rv32i_"],
            ),
        ] {
            for s in good {
                assert_eq!(form.refuse(s), None, "{s}");
            }
            for s in bad {
                assert!(form.refuse(s).is_some(), "{s}");
            }
        }
    }
}
