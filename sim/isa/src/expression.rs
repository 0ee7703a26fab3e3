// SPDX-License-Identifier: Apache-2.0
//! Expressions over the sources of a user's own instruction: what such an instruction computes.
//!
//! Values are 32 bits without a sign; what depends on a sign is a function. Operators bind as in C, all of a text is
//! evaluated (there is nothing with an effect), and nothing can fail: shifts take the low five bits of their amount, and
//! division by zero is what divu and remu make of it. A text is compiled once, into steps for a small stack.

use core::ops::Range;

/// Why a text is no expression.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct ExpressionError {
    /// Bytes of the text that it is about.
    pub at: Range<usize>,
    /// What is wrong.
    pub what: String,
    /// What to do.
    pub help: String,
}

/// Values that are on the stack at once.
const STACK: usize = 16;
/// Brackets and operators inside each other.
const DEEPEST: usize = 40;

#[derive(Clone, Copy, Debug)]
enum Step {
    Constant(u32),
    First,
    Second,
    Immediate,
    One(fn(u32) -> u32),
    Two(fn(u32, u32) -> u32),
    Select,
}

/// A compiled text.
#[derive(Clone, Debug)]
pub struct Expression {
    steps: Vec<Step>,
}

type Unary = (&'static str, fn(u32) -> u32);
type Binary = (&'static str, fn(u32, u32) -> u32);

const UNARY: [Unary; 10] = [
    ("abs", |a| (a as i32).unsigned_abs()),
    ("clz", u32::leading_zeros),
    ("ctz", u32::trailing_zeros),
    ("popcount", u32::count_ones),
    ("bswap", u32::swap_bytes),
    ("bitrev", u32::reverse_bits),
    ("sext8", |a| a as i8 as u32),
    ("sext16", |a| a as i16 as u32),
    ("zext8", |a| a & 0xff),
    ("zext16", |a| a & 0xffff),
];

const BINARY: [Binary; 18] = [
    ("asr", |a, b| ((a as i32) >> (b & 31)) as u32),
    ("rotl", |a, b| a.rotate_left(b & 31)),
    ("rotr", |a, b| a.rotate_right(b & 31)),
    ("min", Ord::min),
    ("max", Ord::max),
    ("mins", |a, b| (a as i32).min(b as i32) as u32),
    ("maxs", |a, b| (a as i32).max(b as i32) as u32),
    ("lts", |a, b| u32::from((a as i32) < b as i32)),
    ("divs", |a, b| if b == 0 { u32::MAX } else { (a as i32).wrapping_div(b as i32) as u32 }),
    ("rems", |a, b| if b == 0 { a } else { (a as i32).wrapping_rem(b as i32) as u32 }),
    ("mulh", |a, b| ((i64::from(a as i32) * i64::from(b as i32)) >> 32) as u32),
    ("mulhu", |a, b| ((u64::from(a) * u64::from(b)) >> 32) as u32),
    ("addsat", |a, b| (a as i32).saturating_add(b as i32) as u32),
    ("subsat", |a, b| (a as i32).saturating_sub(b as i32) as u32),
    ("addsatu", u32::saturating_add),
    ("subsatu", u32::saturating_sub),
    ("clmul", |a, b| carryless(a, b) as u32),
    ("clmulh", |a, b| (carryless(a, b) >> 32) as u32),
];

/// The product of polynomials over two elements.
fn carryless(a: u32, b: u32) -> u64 {
    (0..32).filter(|i| b >> i & 1 != 0).fold(0, |v, i| v ^ u64::from(a) << i)
}

/// Binary operators by how tightly they bind, loosest first.
const OPERATORS: [&[Binary]; 10] = [
    &[("||", |a, b| u32::from(a != 0 || b != 0))],
    &[("&&", |a, b| u32::from(a != 0 && b != 0))],
    &[("|", |a, b| a | b)],
    &[("^", |a, b| a ^ b)],
    &[("&", |a, b| a & b)],
    &[("==", |a, b| u32::from(a == b)), ("!=", |a, b| u32::from(a != b))],
    &[
        ("<=", |a, b| u32::from(a <= b)),
        (">=", |a, b| u32::from(a >= b)),
        ("<", |a, b| u32::from(a < b)),
        (">", |a, b| u32::from(a > b)),
    ],
    &[("<<", |a, b| a << (b & 31)), (">>", |a, b| a >> (b & 31))],
    &[("+", u32::wrapping_add), ("-", u32::wrapping_sub)],
    &[
        ("*", u32::wrapping_mul),
        ("/", |a, b| a.checked_div(b).unwrap_or(u32::MAX)),
        ("%", |a, b| a.checked_rem(b).unwrap_or(a)),
    ],
];

impl Expression {
    /// Compile a text.
    ///
    /// # Errors
    /// The first thing in it that is wrong.
    pub fn parse(text: &str) -> Result<Expression, ExpressionError> {
        let mut parser = Parser { text, at: 0, steps: Vec::new(), depth: 0 };
        parser.choice()?;
        parser.space();
        if parser.at < text.len() {
            return Err(parser.unexpected("the end, or an operator"));
        }
        let mut high = 0usize;
        let mut now = 0usize;
        for step in &parser.steps {
            now = match step {
                Step::One(_) => now,
                Step::Two(_) => now - 1,
                Step::Select => now - 2,
                _ => now + 1,
            };
            high = high.max(now);
        }
        if high > STACK {
            return Err(ExpressionError {
                at: 0..text.len(),
                what: format!("needs {high} intermediate values, and there is room for {STACK}"),
                help: "write the longer side of each operator first, or make it two instructions".to_string(),
            });
        }
        Ok(Expression { steps: parser.steps })
    }

    /// Whether it reads rs1.
    pub fn first(&self) -> bool {
        self.steps.iter().any(|s| matches!(s, Step::First))
    }

    /// Whether it reads rs2.
    pub fn second(&self) -> bool {
        self.steps.iter().any(|s| matches!(s, Step::Second))
    }

    /// Whether it reads the immediate.
    pub fn immediate(&self) -> bool {
        self.steps.iter().any(|s| matches!(s, Step::Immediate))
    }

    /// Its value.
    pub fn value(&self, first: u32, second: u32, immediate: u32) -> u32 {
        let mut stack = [0u32; STACK];
        let mut top = 0;
        for step in &self.steps {
            match *step {
                Step::One(f) => stack[top - 1] = f(stack[top - 1]),
                Step::Two(f) => {
                    top -= 1;
                    stack[top - 1] = f(stack[top - 1], stack[top]);
                }
                Step::Select => {
                    top -= 2;
                    stack[top - 1] = if stack[top - 1] != 0 { stack[top] } else { stack[top + 1] };
                }
                push => {
                    stack[top] = match push {
                        Step::Constant(v) => v,
                        Step::First => first,
                        Step::Second => second,
                        _ => immediate,
                    };
                    top += 1;
                }
            }
        }
        stack[0]
    }
}

struct Parser<'t> {
    text: &'t str,
    at: usize,
    steps: Vec<Step>,
    depth: usize,
}

type Parsed = Result<(), ExpressionError>;

impl Parser<'_> {
    fn rest(&self) -> &str {
        &self.text[self.at..]
    }

    fn space(&mut self) {
        self.at = self.text.len() - self.rest().trim_start().len();
    }

    fn error<T>(
        &self,
        at: Range<usize>,
        what: impl Into<String>,
        help: impl Into<String>,
    ) -> Result<T, ExpressionError> {
        Err(ExpressionError { at, what: what.into(), help: help.into() })
    }

    /// What stands here is not what must.
    fn unexpected(&self, wanted: &str) -> ExpressionError {
        let length = self.rest().chars().next().map_or(0, char::len_utf8);
        let what = match self.rest().chars().next() {
            Some(c) => format!("`{}` is not expected here", c.escape_debug()),
            None => "the expression ends here".to_string(),
        };
        ExpressionError { at: self.at..self.at + length, what, help: format!("write {wanted}") }
    }

    fn take(&mut self, token: &str) -> bool {
        self.space();
        let found = self.rest().starts_with(token);
        if found {
            self.at += token.len();
        }
        found
    }

    fn expect(&mut self, token: &str) -> Parsed {
        if self.take(token) {
            Ok(())
        } else {
            Err(self.unexpected(&format!("`{token}`")))
        }
    }

    fn deeper(&mut self) -> Parsed {
        self.depth += 1;
        if self.depth > DEEPEST {
            return self.error(self.at..self.at, "nested too deeply", "make it two instructions");
        }
        Ok(())
    }

    fn choice(&mut self) -> Parsed {
        self.deeper()?;
        self.level(0)?;
        if self.take("?") {
            self.choice()?;
            self.expect(":")?;
            self.choice()?;
            self.steps.push(Step::Select);
        }
        self.depth -= 1;
        Ok(())
    }

    fn level(&mut self, level: usize) -> Parsed {
        let Some(operators) = OPERATORS.get(level) else { return self.unary() };
        self.level(level + 1)?;
        loop {
            self.space();
            let rest = self.rest();
            // `|` is not the first half of `||`, nor `<` that of `<<`.
            let longer = |name: &str| {
                OPERATORS
                    .iter()
                    .flat_map(|o| o.iter())
                    .any(|o| o.0.len() > name.len() && o.0.starts_with(name) && rest.starts_with(o.0))
            };
            let Some(&(name, apply)) = operators.iter().find(|(name, _)| rest.starts_with(name) && !longer(name))
            else {
                return Ok(());
            };
            self.at += name.len();
            self.level(level + 1)?;
            self.steps.push(Step::Two(apply));
        }
    }

    fn unary(&mut self) -> Parsed {
        self.space();
        let apply: fn(u32) -> u32 = match self.rest().as_bytes().first() {
            Some(b'-') => u32::wrapping_neg,
            Some(b'~') => |a| !a,
            Some(b'!') => |a| u32::from(a == 0),
            _ => return self.primary(),
        };
        self.at += 1;
        self.deeper()?;
        self.unary()?;
        self.depth -= 1;
        self.steps.push(Step::One(apply));
        Ok(())
    }

    fn primary(&mut self) -> Parsed {
        if self.take("(") {
            self.choice()?;
            return self.expect(")");
        }
        let from = self.at;
        let length = self.rest().find(|c: char| !c.is_ascii_alphanumeric() && c != '_').unwrap_or(self.rest().len());
        let word = self.rest()[..length].to_string();
        let at = from..from + length;
        if word.is_empty() {
            return Err(self.unexpected("rs1, rs2, imm, a number, a function or `(`"));
        }
        self.at += length;
        if word.starts_with(|c: char| c.is_ascii_digit()) {
            return self.number(&word, at);
        }
        let step = match word.as_str() {
            "rs1" => Step::First,
            "rs2" => Step::Second,
            "imm" => Step::Immediate,
            _ => return self.function(&word, at),
        };
        self.steps.push(step);
        Ok(())
    }

    fn number(&mut self, word: &str, at: Range<usize>) -> Parsed {
        let digits = word.replace('_', "");
        let (radix, digits) = match digits.get(..2) {
            Some("0x" | "0X") => (16, &digits[2..]),
            Some("0b" | "0B") => (2, &digits[2..]),
            _ => (10, &digits[..]),
        };
        match u32::from_str_radix(digits, radix) {
            Ok(value) => self.steps.push(Step::Constant(value)),
            Err(_) => {
                let help = "write an integer below 2^32, such as 10, 0x1f or 0b101; a negative one as -1";
                return self.error(at, format!("`{word}` is no number of 32 bits"), help);
            }
        }
        Ok(())
    }

    fn function(&mut self, word: &str, at: Range<usize>) -> Parsed {
        let one = UNARY.iter().find(|f| f.0 == word);
        let two = BINARY.iter().find(|f| f.0 == word);
        if one.is_none() && two.is_none() {
            let functions: Vec<&str> = UNARY.iter().map(|f| f.0).chain(BINARY.iter().map(|f| f.0)).collect();
            let help = format!("there are rs1, rs2, imm and the functions {}", functions.join(", "));
            return self.error(at, format!("`{word}` means nothing here"), help);
        }
        self.expect("(")?;
        self.choice()?;
        if let Some((_, apply)) = two {
            self.expect(",")?;
            self.choice()?;
            self.steps.push(Step::Two(*apply));
        } else if let Some((_, apply)) = one {
            self.steps.push(Step::One(*apply));
        }
        self.expect(")")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn value(text: &str, a: u32, b: u32) -> u32 {
        Expression::parse(text).unwrap_or_else(|e| panic!("{text}: {e:?}")).value(a, b, 100)
    }

    #[test]
    fn operators_bind_as_in_c() {
        for (text, expected) in [
            ("1 + 2 * 3", 7),
            ("(1 + 2) * 3", 9),
            ("10 - 3 - 2", 5),
            ("1 << 2 + 1", 8),
            ("1 | 2 ^ 3 & 1", 3),
            ("1 == 1 && 2 < 3", 1),
            ("0 || 0", 0),
            ("2 > 1 == 1", 1),
            ("-1 >> 28", 15),
            ("~0 / 2", 0x7fff_ffff),
            ("!5 + 1", 1),
            ("- - 3", 3),
            ("0 ? 1 : 0 ? 2 : 3", 3),
            ("1 ? 0x10 : 1", 16),
            ("7 / 0", u32::MAX),
            ("7 % 0", 7),
            ("7 % 4", 3),
            ("1 << 33", 2),
            ("0b1_01 + 1_000", 1005),
            ("3 <= 3", 1),
            ("3 != 3", 0),
            ("imm", 100),
        ] {
            assert_eq!(value(text, 0, 0), expected, "{text}");
        }
    }

    #[test]
    fn functions() {
        let (a, b) = (0x8000_00f0, 3);
        for (text, expected) in [
            ("abs(rs1)", 0x7fff_ff10),
            ("clz(rs2)", 30),
            ("ctz(rs1)", 4),
            ("popcount(rs1)", 5),
            ("bswap(rs1)", 0xf000_0080),
            ("bitrev(rs2)", 0xc000_0000),
            ("sext8(rs1)", 0xffff_fff0),
            ("sext16(rs1)", 0xf0),
            ("zext8(rs1) + zext16(rs1)", 0x1e0),
            ("asr(rs1, rs2)", 0xf000_001e),
            ("rotl(rs1, rs2)", 0x784),
            ("rotr(rs1, 4)", 0x0800_000f),
            ("min(rs1, rs2)", 3),
            ("max(rs1, rs2)", a),
            ("mins(rs1, rs2)", a),
            ("maxs(rs1, rs2)", 3),
            ("lts(rs1, rs2)", 1),
            ("divs(rs1, 2)", 0xc000_0078),
            ("rems(-7, 4)", -3i32 as u32),
            ("divs(rs1, 0)", u32::MAX),
            ("mulh(rs1, 2)", u32::MAX),
            ("mulhu(rs1, 2)", 1),
            ("addsat(rs1, rs1)", 0x8000_0000),
            ("subsat(0x7fffffff, rs1)", 0x7fff_ffff),
            ("addsatu(rs1, rs1)", u32::MAX),
            ("subsatu(rs2, rs1)", 0),
            ("clmul(rs1, rs2)", 0x8000_0110),
            ("clmulh(rs1, rs2)", 1),
        ] {
            assert_eq!(value(text, a, b), expected, "{text}");
        }
    }

    #[test]
    fn what_it_reads_is_known() {
        let e = Expression::parse("rs1 + imm").unwrap();
        assert_eq!((e.first(), e.second(), e.immediate()), (true, false, true));
    }

    #[test]
    fn errors_say_where() {
        let error = |text: &str| {
            let e = Expression::parse(text).unwrap_err();
            (e.at, e.what)
        };
        assert_eq!(error(""), (0..0, "the expression ends here".into()));
        assert_eq!(error("rs1 +"), (5..5, "the expression ends here".into()));
        assert_eq!(error("rs1 rs2"), (4..5, "`r` is not expected here".into()));
        assert_eq!(error("rs3 + 1"), (0..3, "`rs3` means nothing here".into()));
        assert_eq!(error("min(rs1)"), (7..8, "`)` is not expected here".into()));
        assert_eq!(error("(rs1"), (4..4, "the expression ends here".into()));
        assert_eq!(error("1 + 0x1_0000_0000"), (4..17, "`0x1_0000_0000` is no number of 32 bits".into()));
        assert_eq!(error("1 + 5e"), (4..6, "`5e` is no number of 32 bits".into()));
        assert_eq!(error("rs1 ? 2"), (7..7, "the expression ends here".into()));
        assert_eq!(error("rs1 = 2"), (4..5, "`=` is not expected here".into()));
        assert_eq!(error("é"), (0..2, "`é` is not expected here".into()));
        assert_eq!(error(&"(".repeat(1000)).1, "nested too deeply");
        assert_eq!(error(&"-".repeat(1000)).1, "nested too deeply");
        let long = format!("{}1{}", "1 + (".repeat(20), ")".repeat(20));
        assert_eq!(error(&long).1, "needs 21 intermediate values, and there is room for 16");
    }

    #[test]
    fn any_text_is_an_expression_or_an_error() {
        let pieces = [
            "rs1", "rs2", "imm", "(", ")", "+", "-", "<<", "<", "?", ":", ",", "min", "clz", "1", "0x", "&", "&&", "é",
            " ",
        ];
        let mut seed = 1u64;
        let mut good = 0;
        for turn in 0..20_000 {
            let mut text = String::new();
            for _ in 0..turn % 8 {
                seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
                text.push_str(pieces[(seed >> 40) as usize % pieces.len()]);
            }
            if let Ok(e) = Expression::parse(&text) {
                e.value(1, 2, 3);
                good += 1;
            }
        }
        assert!(good > 100, "{good}");
    }
}
