// SPDX-License-Identifier: Apache-2.0
//! The only place where this crate reads files: platforms and core classes, found by name.

use crate::nearest::advice;
use std::path::{Path, PathBuf};

/// What is looked up by name.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Library {
    /// `<dir>/<name>.toml`
    Platforms,
    /// `<dir>/cores/<name>.toml`
    CoreClasses,
}

impl Library {
    fn folder(self, dir: &Path) -> PathBuf {
        match self {
            Library::Platforms => dir.to_owned(),
            Library::CoreClasses => dir.join("cores"),
        }
    }

    fn noun(self) -> &'static str {
        match self {
            Library::Platforms => "platform",
            Library::CoreClasses => "core class",
        }
    }
}

/// A file that was found.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Found {
    /// Where.
    pub path: PathBuf,
    /// What it says.
    pub text: String,
}

/// Why nothing was found.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct NotFound {
    /// What is wrong.
    pub what: String,
    /// What to do: the nearest name, and all that are known.
    pub help: String,
}

/// Read the file of this name from the first of the folders that has it.
pub fn load(library: Library, name: &str, search_dirs: &[PathBuf]) -> Result<Found, NotFound> {
    for dir in search_dirs {
        let path = library.folder(dir).join(format!("{name}.toml"));
        if !path.is_file() {
            continue;
        }
        return match std::fs::read_to_string(&path) {
            Ok(text) => Ok(Found { path, text }),
            Err(e) => Err(NotFound {
                what: format!("the {} `{name}` cannot be read", library.noun()),
                help: format!("{}: {e}", path.display()),
            }),
        };
    }
    let known = names(library, search_dirs);
    let known: Vec<&str> = known.iter().map(String::as_str).collect();
    let folders: Vec<String> = search_dirs.iter().map(|d| library.folder(d).display().to_string()).collect();
    let help = match known.is_empty() {
        true => format!(
            "there is none; looked in {}",
            if folders.is_empty() { "no folder".into() } else { folders.join(", ") }
        ),
        false => advice(name, "known", &known),
    };
    Err(NotFound { what: format!("the {} `{name}` does not exist", library.noun()), help })
}

/// Names in the folders, sorted. A folder that cannot be read has none.
fn names(library: Library, search_dirs: &[PathBuf]) -> Vec<String> {
    let files = search_dirs.iter().filter_map(|d| std::fs::read_dir(library.folder(d)).ok()).flatten().flatten();
    let mut names: Vec<String> = files
        .map(|f| f.path())
        .filter(|p| p.extension().is_some_and(|e| e == "toml"))
        .filter_map(|p| p.file_stem().map(|s| s.to_string_lossy().into_owned()))
        .collect();
    names.sort();
    names.dedup();
    names
}
