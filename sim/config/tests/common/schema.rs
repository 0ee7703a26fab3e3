// SPDX-License-Identifier: Apache-2.0
//! As much of a JSON Schema validator as the schemas of this crate use; anything else in a schema is a failure.

use serde_json::Value;

/// The first reason why `value` does not fit `schema`.
pub fn fit(schema: &Value, value: &Value) -> Result<(), String> {
    for (word, arg) in schema.as_object().expect("a schema is an object") {
        let ok = match word.as_str() {
            "$schema" | "title" | "description" | "default" => true,
            "type" => match arg.as_str().unwrap() {
                "object" => value.is_object(),
                "array" => value.is_array(),
                "string" => value.is_string(),
                "integer" => value.is_i64() || value.is_u64(),
                "boolean" => value.is_boolean(),
                other => panic!("type {other}"),
            },
            "const" => value == arg,
            "enum" => arg.as_array().unwrap().contains(value),
            "minimum" => value.as_i64().is_none_or(|v| v >= arg.as_i64().unwrap()),
            "maximum" => value.as_i64().is_none_or(|v| v <= arg.as_i64().unwrap()),
            "minItems" => value.as_array().is_none_or(|v| v.len() >= arg.as_u64().unwrap() as usize),
            "maxItems" => value.as_array().is_none_or(|v| v.len() <= arg.as_u64().unwrap() as usize),
            "pattern" => {
                value.as_str().is_none_or(|v| regex_lite::Regex::new(arg.as_str().unwrap()).unwrap().is_match(v))
            }
            "required" => {
                let keys = arg.as_array().unwrap().iter().map(|k| k.as_str().unwrap());
                value.as_object().is_none_or(|v| keys.into_iter().all(|k| v.contains_key(k)))
            }
            "oneOf" => arg.as_array().unwrap().iter().filter(|s| fit(s, value).is_ok()).count() == 1,
            "items" => {
                for v in value.as_array().into_iter().flatten() {
                    fit(arg, v)?;
                }
                true
            }
            "properties" => {
                for (key, inner) in arg.as_object().unwrap() {
                    if let Some(v) = value.get(key) {
                        fit(inner, v).map_err(|e| format!("{key}: {e}"))?;
                    }
                }
                true
            }
            "propertyNames" => {
                for key in value.as_object().into_iter().flatten().map(|(k, _)| k) {
                    fit(arg, &Value::from(key.as_str()))?;
                }
                true
            }
            "additionalProperties" => {
                let known = |k: &str| schema.get("properties").is_some_and(|p| p.get(k).is_some());
                for (_, v) in value.as_object().into_iter().flatten().filter(|(k, _)| !known(k)) {
                    match arg {
                        Value::Bool(false) => return Err("additional key".into()),
                        inner => fit(inner, v)?,
                    }
                }
                true
            }
            other => panic!("a schema uses `{other}`"),
        };
        if !ok {
            return Err(format!("{word} {arg}, but {value}"));
        }
    }
    Ok(())
}
