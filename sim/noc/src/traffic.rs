// SPDX-License-Identifier: Apache-2.0
//! Traffic files: one packet a line, comma separated, a header line with the names of the columns.
//!
//! Seven columns are needed, in any order and among any others: `packet_id`, `src_x`, `src_y`, `dst_x`, `dst_y`, `length_flits`,
//! `inject_cycle`. Windows line ends, a byte order mark, blanks around a field, quotes, empty lines and lines that
//! begin with `#` are no error.

use crate::network::Network;
use crate::replay::{Packet, Times};
use std::fmt;
use std::fmt::Write as _;

/// The columns of a file, as they are printed; the first [`NEEDED`] are read.
pub const COLUMNS: [&str; 11] = [
    "packet_id",
    "src_x",
    "src_y",
    "dst_x",
    "dst_y",
    "length_flits",
    "inject_cycle",
    "header_accept_cycle",
    "tail_accept_cycle",
    "header_out_cycle",
    "tail_out_cycle",
];
/// How many of [`COLUMNS`] a file must have.
pub const NEEDED: usize = 7;
/// The largest `inject_cycle`.
pub const INJECT_MAX: u64 = 1_000_000_000_000_000_000;
/// The largest `length_flits`.
pub const LENGTH_MAX: u64 = 1_000_000_000;

/// Where a traffic file is wrong, and what is wrong.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct TrafficError {
    /// From 1.
    pub line: usize,
    /// Character in the line, from 1.
    pub column: usize,
    /// What, and what is expected.
    pub what: String,
}

impl fmt::Display for TrafficError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}: {}", self.line, self.column, self.what)
    }
}

fn expected() -> String {
    format!("the first line names the columns: {}", COLUMNS[..NEEDED].join(","))
}

/// A field and the character at which it begins, from 1.
type Field<'a> = (usize, &'a str);

fn fields(line: &str) -> impl Iterator<Item = Field<'_>> {
    let mut column = 1;
    line.split(',').map(move |raw| {
        let blank = raw.chars().take_while(|c| c.is_whitespace()).count();
        let at = column + blank;
        column += raw.chars().count() + 1;
        let text = raw.trim();
        let bare = text.strip_prefix('"').and_then(|t| t.strip_suffix('"'));
        (at, bare.map_or(text, str::trim))
    })
}

/// Read a traffic file for `network`.
///
/// # Errors
/// The first thing that is wrong, with its line and column: text that is not UTF-8, missing columns or fields, what is no whole
/// number, a router that does not exist, a packet without flits.
pub fn parse(bytes: &[u8], network: &Network) -> Result<Vec<Packet>, TrafficError> {
    let fail = |line, column, what: String| TrafficError { line, column, what };
    if bytes.starts_with(&[0xff, 0xfe]) || bytes.starts_with(&[0xfe, 0xff]) {
        return Err(fail(1, 1, "this is UTF-16; save the file as UTF-8".into()));
    }
    let bytes = bytes.strip_prefix(&[0xef, 0xbb, 0xbf]).unwrap_or(bytes);
    let text = std::str::from_utf8(bytes).map_err(|e| {
        let before = &bytes[..e.valid_up_to()];
        let line = before.iter().filter(|&&b| b == b'\n').count() + 1;
        let start = before.iter().rposition(|&b| b == b'\n').map_or(0, |p| p + 1);
        let column = String::from_utf8_lossy(&before[start..]).chars().count() + 1;
        fail(line, column, format!("byte {:#04x} is not UTF-8 text", bytes[e.valid_up_to()]))
    })?;
    let mut lines = text
        .lines()
        .enumerate()
        .map(|(i, line)| (i + 1, line))
        .filter(|(_, line)| !line.trim().is_empty() && !line.trim_start().starts_with('#'));
    let Some((number, line)) = lines.next() else {
        return Err(fail(1, 1, format!("the file is empty; {}", expected())));
    };
    let places = header(line).map_err(|(column, what)| fail(number, column, what))?;
    let width = places.iter().max().map_or(0, |m| m + 1);
    let mut packets = Vec::new();
    let mut row: Vec<Field> = Vec::new();
    for (number, line) in lines {
        row.clear();
        row.extend(fields(line));
        if row.len() < width {
            let missing = (0..NEEDED).find(|&i| places[i] >= row.len()).map_or("", |i| COLUMNS[i]);
            let what = format!("{missing} is missing: the line has {} fields, the header needs {width}", row.len());
            return Err(fail(number, line.chars().count() + 1, what));
        }
        let mut values = [0u64; NEEDED];
        for (i, value) in values.iter_mut().enumerate() {
            let (column, text) = row[places[i]];
            *value = whole(text).map_err(|what| fail(number, column, format!("{}: {what}", COLUMNS[i])))?;
        }
        let [id, src_x, src_y, dst_x, dst_y, length, inject] = values;
        let config = network.config();
        let router = |i: usize, x: u64, y: u64| {
            let bad = if x >= u64::from(config.width) { Some((i, x, "x", config.width)) } else { None };
            let bad = bad.or((y >= u64::from(config.height)).then_some((i + 1, y, "y", config.height)));
            match bad {
                None => Ok(network.node(x as u32, y as u32).unwrap_or(0)),
                Some((i, value, axis, size)) => {
                    let what = format!(
                        "{}: {value} is outside the {} of {}x{} routers; {axis} is 0 to {}",
                        COLUMNS[i],
                        format!("{:?}", config.topology).to_lowercase(),
                        config.width,
                        config.height,
                        size - 1
                    );
                    Err(fail(number, row[places[i]].0, what))
                }
            }
        };
        let (from, to) = (router(1, src_x, src_y)?, router(3, dst_x, dst_y)?);
        for (i, value, low, high) in [(5, length, 1, LENGTH_MAX), (6, inject, 0, INJECT_MAX)] {
            if !(low..=high).contains(&value) {
                let what = format!("{}: {value} is not between {low} and {high}", COLUMNS[i]);
                return Err(fail(number, row[places[i]].0, what));
            }
        }
        packets.push(Packet { id, from, to, length: length as u32, inject });
    }
    Ok(packets)
}

/// Where the needed columns are.
fn header(line: &str) -> Result<[usize; NEEDED], (usize, String)> {
    let names: Vec<Field> = fields(line).collect();
    if names.iter().all(|(_, name)| name.parse::<f64>().is_ok()) {
        return Err((1, format!("there is no header line; {}", expected())));
    }
    let mut places = [0; NEEDED];
    for (place, needed) in places.iter_mut().zip(COLUMNS) {
        let mut found = names.iter().enumerate().filter(|(_, (_, name))| name.eq_ignore_ascii_case(needed));
        *place = found.next().ok_or_else(|| (1, format!("column {needed} is missing; {}", expected())))?.0;
        if let Some((_, (column, _))) = found.next() {
            return Err((*column, format!("column {needed} is there twice")));
        }
    }
    Ok(places)
}

fn whole(text: &str) -> Result<u64, String> {
    if text.is_empty() {
        return Err("is empty; a whole number is needed".into());
    }
    if text.bytes().all(|b| b.is_ascii_digit()) {
        return text.parse().map_err(|_| format!("{text} is too large"));
    }
    match text.strip_prefix('-') {
        Some(rest) if !rest.is_empty() && rest.bytes().all(|b| b.is_ascii_digit()) => {
            Err(format!("{text} is negative; a whole number from 0 is needed"))
        }
        _ => Err(format!("`{}` is not a whole number", text.escape_debug())),
    }
}

/// The file with all its cycles, in the order of `packets`.
pub fn print(network: &Network, packets: &[Packet], times: &[Times]) -> String {
    let mut out = COLUMNS.join(",");
    out.push('\n');
    for (p, t) in packets.iter().zip(times) {
        let ((sx, sy), (dx, dy)) = (network.place(p.from), network.place(p.to));
        // Writing to a String cannot fail.
        let _ = writeln!(
            out,
            "{},{sx},{sy},{dx},{dy},{},{},{},{},{},{}",
            p.id, p.length, p.inject, t.header_accept, t.tail_accept, t.header_out, t.tail_out
        );
    }
    out
}
