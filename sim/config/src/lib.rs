// SPDX-License-Identifier: Apache-2.0
//! Platform, core-class and system files: parsed, checked and resolved, with errors that point at the line.
//!
//! Deliberately lacks: any file access but [`load`], which finds platforms and core classes by name; any knowledge of what a
//! value does to a simulation or a build. A file format is data (`keys`): one description checks the file, says which keys
//! an override may name, and becomes the JSON Schema for editors.

mod caches;
mod check;
mod class;
mod class_types;
mod coherence;
mod domains;
mod keys;
mod loader;
mod map;
mod nearest;
mod overrides;
mod periodic;
mod platform;
mod platform_keys;
mod problem;
mod schema;
mod system;
mod system_keys;
mod system_types;
mod tiles;
mod types;

pub use class::class_resolve;
pub use class_types::*;
pub use loader::{load, Found, Library, NotFound};
pub use map::{AddressMap, Owner, Region};
pub use overrides::apply_overrides;
pub use platform::platform_resolve;
pub use problem::{InputError, Problem};
pub use schema::{platform_schema, system_schema};
pub use system::system_resolve;
pub use system_types::*;
pub use tiles::{Noc, Topology};
pub use types::*;
