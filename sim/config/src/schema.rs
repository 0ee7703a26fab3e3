// SPDX-License-Identifier: Apache-2.0
//! JSON Schemas of the file formats, for editors: made from the key tables that check the files.

use crate::keys::{Case, Key, Need, Table, Text, Value};
use crate::platform_keys::PLATFORM;
use crate::system_keys::SYSTEM;
use crate::system_types::System;
use crate::types::Platform;
use schemars::{generate::SchemaSettings, JsonSchema, Schema, SchemaGenerator};
use serde_json::{json, Map, Value as Json};
use std::borrow::Cow;

impl JsonSchema for Platform {
    fn schema_name() -> Cow<'static, str> {
        "Signalbox platform".into()
    }
    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        Schema::from(table(&PLATFORM))
    }
}

impl JsonSchema for System {
    fn schema_name() -> Cow<'static, str> {
        "Signalbox system".into()
    }
    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        Schema::from(table(&SYSTEM))
    }
}

/// The JSON Schema of platform files.
pub fn platform_schema() -> String {
    text_of::<Platform>()
}

/// The JSON Schema of system files.
pub fn system_schema() -> String {
    text_of::<System>()
}

fn text_of<T: JsonSchema>() -> String {
    // Draft 7: what editors' TOML plug-ins read.
    let schema = SchemaSettings::draft07().into_generator().into_root_schema_for::<T>();
    format!("{:#}", schema.to_value())
}

fn table(t: &'static Table) -> Map<String, Json> {
    let mut out = match &t.choice {
        None => object(t.keys.iter(), &[]),
        Some(choice) => {
            let words: Vec<&str> = choice.cases.iter().map(|c| c.word).collect();
            // Each case repeats the common keys, as draft 7 cannot close a schema over several parts.
            let case = |c: &'static Case| {
                let mut one = object(t.keys.iter().chain(c.keys), &[choice.key]);
                one["properties"][choice.key] = json!({"const": c.word, "description": c.doc});
                Json::Object(one)
            };
            let mut out = Map::new();
            out.insert("type".into(), json!("object"));
            out.insert("required".into(), json!([choice.key]));
            out.insert("properties".into(), json!({choice.key: {"enum": words, "description": choice.doc}}));
            out.insert("oneOf".into(), choice.cases.iter().map(case).collect());
            out
        }
    };
    out.insert("description".into(), json!(t.what));
    out
}

fn object(keys: impl Iterator<Item = &'static Key>, also_required: &[&str]) -> Map<String, Json> {
    let mut properties = Map::new();
    let mut required: Vec<&str> = also_required.to_vec();
    for key in keys {
        let mut schema = value(&key.value);
        schema["description"] = json!(key.doc);
        let default = match key.need {
            Need::Required | Need::Optional | Need::Empty => None,
            Need::Int(i) => Some(json!(i)),
            Need::Bool(b) => Some(json!(b)),
            Need::Text(s) => Some(json!(s)),
        };
        if let Some(default) = default {
            schema["default"] = default;
        }
        if matches!(key.need, Need::Required) {
            required.push(key.name);
        }
        properties.insert(key.name.into(), schema);
    }
    let mut out = Map::new();
    out.insert("type".into(), json!("object"));
    out.insert("properties".into(), Json::Object(properties));
    out.insert("additionalProperties".into(), json!(false));
    if !required.is_empty() {
        out.insert("required".into(), json!(required));
    }
    out
}

fn value(v: &'static Value) -> Json {
    match v {
        Value::Bool => json!({"type": "boolean"}),
        Value::Int(low, high) => json!({"type": "integer", "minimum": low, "maximum": high}),
        Value::IntOr(low, high, word) => {
            json!({"oneOf": [{"type": "integer", "minimum": low, "maximum": high}, {"const": word}]})
        }
        Value::Power(low, high) => {
            let powers: Vec<i64> = (0..63).map(|bit| 1i64 << bit).filter(|p| (low..=high).contains(&p)).collect();
            json!({"type": "integer", "enum": powers})
        }
        Value::Version(known) => json!({"const": known}),
        Value::Text(form) => string(*form),
        Value::Word(words) => {
            let each = words.iter().map(|(word, doc)| json!({"const": word, "description": doc}));
            json!({"type": "string", "oneOf": each.collect::<Vec<_>>()})
        }
        Value::List(of, low, high) => json!({"type": "array", "items": value(of), "minItems": low, "maxItems": high}),
        Value::Table(t) => Json::Object(table(t)),
        Value::Tables(t, low) => json!({"type": "array", "items": table(t), "minItems": low}),
        Value::Map(form, of) => {
            json!({"type": "object", "propertyNames": string(*form), "additionalProperties": value(of)})
        }
    }
}

fn string(form: Text) -> Json {
    match form.pattern() {
        Some(pattern) => json!({"type": "string", "pattern": pattern}),
        None => json!({"type": "string"}),
    }
}
