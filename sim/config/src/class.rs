// SPDX-License-Identifier: Apache-2.0
//! Core classes: what follows from several keys together.

use crate::check::{check, Places};
use crate::class_types::{CoreClass, Mode, Predictor};
use crate::platform::duplicate;
use crate::platform_keys::CLASS;
use crate::problem::{InputError, Problem};
use serde_json::Value as Json;

/// Check the text of a core class. `name` is the name by which it was found.
///
/// # Errors
/// All that is wrong with it.
pub fn class_resolve(text: &str, filename: &str, name: &str) -> Result<CoreClass, InputError> {
    let (values, places) = check(filename, text, &CLASS)?;
    let mut class: CoreClass = serde_json::from_value(Json::Object(values))
        .map_err(|e| InputError::without_place(format!("{filename}: {e}"), ""))?;
    let mut problems = Vec::new();
    if class.name != name {
        problems.push(Problem::at(
            places.of("name"),
            format!("the class in the file `{name}.toml` is called `{}`", class.name),
            "not the file's name",
            format!("write name = \"{name}\", or rename the file"),
        ));
    }
    if class.privilege.is_empty() {
        class.privilege.push(Mode::Machine);
    }
    if !matches!(class.privilege[..], [Mode::Machine] | [Mode::Machine, Mode::User]) {
        problems.push(Problem::at(
            places.of("privilege"),
            "a core has machine mode, and perhaps user mode",
            "neither of the two choices",
            "write privilege = [\"machine\"], or privilege = [\"machine\", \"user\"]",
        ));
    }
    if class.pmp_entries == 0 && class.pmp_granularity_bytes != 4 {
        problems.push(Problem::at(
            places.of("pmp_granularity_bytes"),
            "only a core with entries of memory protection has a granularity",
            "not used",
            "remove the key, or write pmp_entries = 16",
        ));
    }
    let float = class.isa.split('_').next().is_some_and(|letters| letters.contains('f'));
    if float && class.float.is_none() {
        problems.push(Problem::at(
            places.of("isa"),
            "the costs of floating-point instructions are missing",
            "has the extension f",
            "add a section [float] with add, mul, fused, div, sqrt, compare, convert, transfer; or take f out of isa",
        ));
    }
    if !float && class.float.is_some() {
        problems.push(Problem::at(
            places.of("float"),
            "these instructions do not exist without the extension f",
            "not used",
            "remove the section, or write f in isa, as in \"rv32imafc_zicsr\"",
        ));
    }
    problems.extend(instructions(&class, &places, text));
    let entries = class.predictor_entries;
    match class.predictor {
        Predictor::TwoBit if !entries.is_power_of_two() => problems.push(Problem::at(
            places.of("predictor_entries"),
            format!("a two_bit predictor cannot have {entries} entries"),
            "not a power of two",
            "write a power of two, such as predictor_entries = 256",
        )),
        Predictor::None | Predictor::Static if entries != 0 => problems.push(Problem::at(
            places.of("predictor_entries"),
            "only a two_bit predictor has entries",
            "not used",
            "remove the key, or write predictor = \"two_bit\"",
        )),
        _ => {}
    }
    if class.store_buffer == 0 && class.store_buffer_load.is_some() {
        problems.push(Problem::at(
            places.of("store_buffer_load"),
            "only a core with a store buffer has loads that meet it",
            "not used",
            "remove the key, or write store_buffer = 4",
        ));
    }
    if class.store_buffer == 0 && class.store_buffer_posted {
        problems.push(Problem::at(
            places.of("store_buffer_posted"),
            "only a core with a store buffer has stores that nobody waits for",
            "not used",
            "remove the key, or write store_buffer = 4",
        ));
    }
    if (class.load_stored == 0) != (class.load_stored_within == 0) {
        let (there, absent) = match class.load_stored {
            0 => ("load_stored_within", "load_stored"),
            _ => ("load_stored", "load_stored_within"),
        };
        problems.push(Problem::at(
            places.of(there),
            format!("`{there}` says nothing without `{absent}`"),
            "one of two",
            format!("add {absent} = …, or remove the key"),
        ));
    }
    if class.source.trim().is_empty() {
        problems.push(Problem::at(
            places.of("source"),
            "the source of the costs is not named",
            "empty",
            "name the document; every report repeats it",
        ));
    }
    places.error(problems)?;
    Ok(class)
}

/// Expressions that are none, or read what is not there; encodings and names that are used twice.
fn instructions(class: &CoreClass, places: &Places, text: &str) -> Vec<Problem> {
    let mut problems = Vec::new();
    let mut known: Vec<(usize, isa::Custom)> = Vec::new();
    for (i, given) in class.instructions.iter().enumerate() {
        let at = |key: &str| places.of(&format!("instruction.{i}.{key}"));
        if let Err(e) = isa::Expression::parse(&given.value) {
            let place = at("value");
            // Where the file has the very text between quotes, the place in it can be shown.
            let inside = text.get(place.clone()).is_some_and(|t| t.get(1..t.len() - 1) == Some(given.value.as_str()));
            let place = if inside { place.start + 1 + e.at.start..place.start + 1 + e.at.end } else { place };
            problems.push(Problem::at(place, format!("`value` is no expression: {}", e.what), "here", e.help));
            continue;
        }
        let Ok(custom) = given.resolve() else { continue };
        let absent = match (given.funct7, custom.value.second(), custom.value.immediate()) {
            (None, true, _) => Some(("rs2", "give it a funct7, or use imm")),
            (Some(_), _, true) => Some(("imm", "leave out funct7, or use rs2")),
            _ => None,
        };
        if let Some((name, help)) = absent {
            let what = format!("`{}` has no {name}: its place in the encoding is used otherwise", given.name);
            problems.push(Problem::at(at("value"), what, format!("reads {name}"), help));
        }
        for (j, other) in &known {
            let first = |key: &str| places.of(&format!("instruction.{j}.{key}"));
            if other.name == custom.name {
                problems.push(duplicate("instruction", &custom.name, at("name"), first("name")));
            } else if other.meets(&custom) {
                problems.push(
                    Problem::at(
                        at("funct3"),
                        format!("`{}` and `{}` have the same encoding", other.name, custom.name),
                        "again here",
                        "give each its own opcode, funct3 or funct7",
                    )
                    .and(first("funct3"), "first here"),
                );
            }
        }
        known.push((i, custom));
    }
    problems
}
