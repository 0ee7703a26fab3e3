// SPDX-License-Identifier: Apache-2.0
//! The shipped platforms, and the lines of a rendered error.
#![allow(dead_code)] // each test binary uses its part

use config::{platform_resolve, InputError, Platform};
use std::path::{Path, PathBuf};

/// The folder of shipped platforms.
pub fn platforms() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../platforms")
}

/// The text of a shipped platform.
pub fn text(name: &str) -> String {
    std::fs::read_to_string(platforms().join(format!("{name}.toml"))).unwrap()
}

/// A shipped platform, resolved.
pub fn platform(name: &str) -> Platform {
    platform_resolve(&text(name), &format!("{name}.toml"), &[platforms()]).unwrap_or_else(|e| panic!("{e}"))
}

/// Replace `from`, which must occur once, by `to`.
pub fn change(text: &str, from: &str, to: &str) -> String {
    assert_eq!(text.matches(from).count(), 1, "`{from}` must occur once");
    text.replace(from, to)
}

/// The number of the line on which the first `part` ends.
pub fn line_of(text: &str, part: &str) -> usize {
    let at = text.find(part).unwrap_or_else(|| panic!("`{part}` is not in the text"));
    text[..at + part.trim_end().len()].matches('\n').count() + 1
}

/// The report must hold each of these.
pub fn holds(error: &InputError, parts: &[&str]) {
    let report = error.to_string();
    for part in parts {
        assert!(report.contains(part), "`{part}` is missing in:\n{report}");
    }
}
