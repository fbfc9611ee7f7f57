//! A small checker of JSON Schemas: the keywords that ours use, and a panic for any other.

use serde_json::Value;

/// Where and why a document does not conform; empty is good.
pub fn problems(schema: &Value, document: &Value) -> Vec<String> {
    let mut problems = Vec::new();
    check(schema, schema, document, "$", &mut problems);
    problems
}

fn check(root: &Value, schema: &Value, value: &Value, at: &str, problems: &mut Vec<String>) {
    let keywords = match schema {
        Value::Bool(true) => return,
        Value::Object(keywords) => keywords,
        other => panic!("{at}: no schema: {other}"),
    };
    let mut wrong = |what: String| problems.push(format!("{at}: {what}"));
    for (keyword, says) in keywords {
        match keyword.as_str() {
            "$schema" | "$defs" | "title" | "description" | "default" | "format" => {}
            "type" => {
                let fits = |all: &Vec<Value>| all.iter().any(|one| is(one, value));
                if !says.as_array().map_or_else(|| is(says, value), fits) {
                    wrong(format!("is not {says}"));
                }
            }
            "enum" if !says.as_array().unwrap().contains(value) => wrong(format!("is none of {says}")),
            "const" if says != value => wrong(format!("is not {says}")),
            "minimum" if value.as_f64().is_some_and(|it| it < says.as_f64().unwrap()) => {
                wrong("too small".into())
            }
            "maximum" if value.as_f64().is_some_and(|it| it > says.as_f64().unwrap()) => {
                wrong("too large".into())
            }
            "minItems" if value.as_array().is_some_and(|it| (it.len() as u64) < says.as_u64().unwrap()) => {
                wrong("too few".into());
            }
            "minProperties"
                if value.as_object().is_some_and(|it| (it.len() as u64) < says.as_u64().unwrap()) =>
            {
                wrong("too few keys".into());
            }
            "required" if value.is_object() => {
                for key in says.as_array().unwrap() {
                    if value.get(key.as_str().unwrap()).is_none() {
                        wrong(format!("lacks {key}"));
                    }
                }
            }
            "enum" | "const" | "minimum" | "maximum" | "minItems" | "minProperties" | "required" => {}
            "properties"
            | "additionalProperties"
            | "items"
            | "prefixItems"
            | "maxItems"
            | "$ref"
            | "anyOf"
            | "oneOf" => {}
            unknown => panic!("{at}: the keyword {unknown} is not checked here"),
        }
    }
    parts(root, schema, value, at, problems);
}

fn parts(root: &Value, schema: &Value, value: &Value, at: &str, problems: &mut Vec<String>) {
    if let Some(reference) = schema["$ref"].as_str() {
        let target = root.pointer(reference.trim_start_matches('#')).unwrap();
        check(root, target, value, at, problems);
    }
    for keyword in ["anyOf", "oneOf"] {
        let Some(all) = schema[keyword].as_array() else { continue };
        let fits = all.iter().filter(|one| {
            let mut inner = Vec::new();
            check(root, one, value, at, &mut inner);
            inner.is_empty()
        });
        let fits = fits.count();
        if fits == 0 || (keyword == "oneOf" && fits > 1) {
            problems.push(format!("{at}: {fits} of {keyword} fit"));
        }
    }
    if let Some(object) = value.as_object() {
        for (key, value) in object {
            match (schema["properties"].get(key), schema.get("additionalProperties")) {
                (Some(property), _) => check(root, property, value, &format!("{at}.{key}"), problems),
                (None, Some(Value::Bool(false))) => problems.push(format!("{at}: {key} is not allowed")),
                (None, Some(other)) => check(root, other, value, &format!("{at}.{key}"), problems),
                (None, None) => {}
            }
        }
    }
    if let (Some(entries), Some(items)) = (value.as_array(), schema.get("items")) {
        entries
            .iter()
            .enumerate()
            .for_each(|(i, it)| check(root, items, it, &format!("{at}[{i}]"), problems));
    }
}

fn is(name: &Value, value: &Value) -> bool {
    match name.as_str().unwrap() {
        "object" => value.is_object(),
        "array" => value.is_array(),
        "string" => value.is_string(),
        "boolean" => value.is_boolean(),
        "number" => value.is_number(),
        "integer" => value.is_u64() || value.is_i64(),
        "null" => value.is_null(),
        other => panic!("{other} is no type"),
    }
}
