//! The JSON Schema of a job file, made from the lists that the parser reads with.

use serde_json::{Map, Value, json};

use crate::keys::{Key, Takes};
use crate::models::ModelName;
use crate::{group_walk, hierarchy_walk, sections};

/// The JSON Schema (draft 2020-12) of a job file. Editors that know TOML check a job against it while it is written.
///
/// What it accepts is a superset of what [`Job::parse`](crate::Job::parse) does: names that refer to each other and numbers that
/// depend on each other are for the parser to check.
pub fn schema() -> Value {
    schema_of("Job file of Paravent", sections::KEYS)
}

/// The same for another file that is read by lists of keys.
pub fn schema_of(title: &str, keys: &[Key]) -> Value {
    let mut schema = table(keys);
    schema.insert("$defs".into(), definitions());
    let mut document = Map::new();
    document.insert("$schema".into(), json!("https://json-schema.org/draft/2020-12/schema"));
    document.insert("title".into(), json!(title));
    document.extend(schema);
    Value::Object(document)
}

fn definitions() -> Value {
    let mut hierarchy = table(hierarchy_walk::KEYS);
    hierarchy.insert("minProperties".into(), json!(1));
    let models: Vec<Value> = ModelName::ALL.iter().map(|name| model(*name)).collect();
    json!({
        "hierarchy": { "anyOf": [{ "type": "string" }, hierarchy] },
        "groups": { "type": "array", "minItems": 1, "items": { "anyOf": [
            cell(),
            { "$ref": "#/$defs/groups" },
            table(group_walk::KEYS),
        ] } },
        "model": { "oneOf": models },
    })
}

/// An object with these keys and no others.
fn table(keys: &[Key]) -> Map<String, Value> {
    let mut properties = Map::new();
    for key in keys {
        let mut property = takes(&key.takes);
        property.insert("description".into(), json!(key.says));
        properties.insert(key.name.to_owned(), Value::Object(property));
    }
    let required: Vec<&str> = keys.iter().filter(|key| key.required).map(|key| key.name).collect();
    let mut table = Map::new();
    table.insert("type".into(), json!("object"));
    table.insert("properties".into(), Value::Object(properties));
    if !required.is_empty() {
        table.insert("required".into(), json!(required));
    }
    table.insert("additionalProperties".into(), json!(false));
    table
}

fn takes(takes: &Takes) -> Map<String, Value> {
    let value = match takes {
        Takes::Text => json!({ "type": "string" }),
        Takes::Truth => json!({ "type": "boolean" }),
        Takes::Whole(least, most) if *most == u64::MAX => json!({ "type": "integer", "minimum": least }),
        Takes::Whole(least, most) => json!({ "type": "integer", "minimum": least, "maximum": most }),
        Takes::Size => json!({ "type": "number", "minimum": 0 }),
        Takes::Decimal => json!({ "type": ["number", "string"] }),
        Takes::Cell => cell(),
        Takes::Choice(names) => json!({ "enum": names() }),
        Takes::List(of) => json!({ "type": "array", "items": self::takes(of) }),
        Takes::Either(all) => json!({ "anyOf": all.iter().map(self::takes).collect::<Vec<_>>() }),
        Takes::Table(keys) => Value::Object(table(keys)),
        Takes::Named(of) => json!({ "type": "object", "additionalProperties": self::takes(of) }),
        Takes::Hierarchy => json!({ "$ref": "#/$defs/hierarchy" }),
        Takes::Groups => json!({ "$ref": "#/$defs/groups" }),
        Takes::Models => json!({ "type": "array", "minItems": 1, "items": { "$ref": "#/$defs/model" } }),
    };
    match value {
        Value::Object(object) => object,
        _ => Map::new(),
    }
}

/// Dates of TOML are text in JSON.
fn cell() -> Value {
    json!({ "type": ["string", "number", "boolean"] })
}

/// A model by its card; what its keys take is what their examples are.
fn model(name: ModelName) -> Value {
    let card = name.card();
    let mut properties = Map::new();
    properties.insert("model".into(), json!({ "const": card.name, "description": card.statement }));
    for key in card.keys {
        let kind = match key.example.chars().next() {
            Some('"') => json!("string"),
            Some('[') => json!("array"),
            _ => json!(["number", "string"]),
        };
        properties.insert(key.name.into(), json!({ "type": kind, "description": key.says }));
    }
    json!({
        "type": "object",
        "properties": properties,
        "required": ["model"],
        "additionalProperties": false,
    })
}
