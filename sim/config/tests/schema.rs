// SPDX-License-Identifier: Apache-2.0
//! The JSON Schemas say what the checker says.

mod common;
#[path = "common/schema.rs"]
mod validator;

use common::{change, text};
use config::{platform_schema, system_schema};
use serde_json::Value;
use validator::fit;

fn schema(text: &str) -> Value {
    serde_json::from_str(text).unwrap()
}

fn parsed(toml: &str) -> Value {
    serde_json::to_value(toml::from_str::<toml::Table>(toml).unwrap()).unwrap()
}

const SYSTEM: &str = "schema = 1\nname = \"t\"\nplatform = \"virt\"\nbuild.optimise = \"-O2\"\nkernel.level = \"hooks\"\nparams.x = 1\n[[node]]\nname = \"n\"\ncore = 0\nsources = [\"a.c\"]\n[[node.task]]\nname = \"a\"\nentry = \"a\"\npriority = 1\nstack_bytes = 512\n[[node.pool]]\nblock_bytes = [4]\nblock_count = [1]\n[[link]]\nnodes = [\"n\", \"m\"]\n";

#[test]
fn what_is_shipped_fits() {
    let platform = schema(&platform_schema());
    for name in ["de2-dual", "virt"] {
        fit(&platform, &parsed(&text(name))).unwrap_or_else(|e| panic!("{name}: {e}"));
    }
    fit(&schema(&system_schema()), &parsed(SYSTEM)).unwrap();
}

#[test]
fn what_is_wrong_in_form_does_not_fit() {
    let platform = schema(&platform_schema());
    for (from, to) in [
        ("clock_hz = 50", "clock_zh = 50"),
        ("cas = 3 ", "cas = -3 "),
        ("row_bytes = 512 ", "row_bytes = 513 "),
        ("trp = 1 ", "trp = 0 "),
        ("kind = \"sram\"", "kind = \"avalon_sdram\""),
        ("kind = \"sram\"", "kind = \"dram\""),
        ("access_cycles = 1 ", "access_cycles = 1\ncas = 3 "),
        ("model = \"finisher\"", "model = \"clint\""),
        ("registers = true", "registers = 1"),
        ("schema = 1", "schema = 2"),
        ("class = \"nios2f\"", "klass = \"nios2f\""),
        ("misaligned = \"trap\"", "misaligned = \"trip\""),
        ("name = \"uart0\"", "name = \"uart/0\""),
        ("base = 0x1000_3000", "outputs = [{ core = 0 }]\nbase = 0x1000_3000"),
    ] {
        assert!(fit(&platform, &parsed(&change(&text("de2-dual"), from, to))).is_err(), "{to}");
    }
    let system = schema(&system_schema());
    for (from, to) in [
        ("\"-O2\"", "\"-O9\""),
        ("\"hooks\"", "\"hook\""),
        ("params.x = 1", "params.x = -1"),
        ("params.x = 1", "params.1x = 1"),
        ("\"a.c\"", "\"/a.c\""),
        ("priority = 1", "priority = 32"),
        ("[4]", "[1, 2, 3, 4, 5, 6, 7, 8, 9]"),
        ("\"n\", \"m\"", "\"n\""),
        ("entry = \"a\"", "entry = \"a-b\""),
    ] {
        assert!(fit(&system, &parsed(&change(SYSTEM, from, to))).is_err(), "{to}");
    }
}

#[test]
fn editors_find_documentation_and_defaults() {
    let s = schema(&platform_schema());
    assert_eq!(s["$schema"], "http://json-schema.org/draft-07/schema#");
    assert_eq!(s["title"], "Signalbox platform");
    assert_eq!(s["properties"]["seeded"]["properties"]["start_skew_cycles"]["default"], 64);
    let sdram = &s["properties"]["memory"]["items"]["oneOf"][0];
    assert_eq!(sdram["properties"]["kind"]["const"], "sdram");
    assert_eq!(sdram["properties"]["trcd"]["description"], "ACTIVATE to READ or WRITE");
    assert_eq!(schema(&system_schema())["title"], "Signalbox system");
}
