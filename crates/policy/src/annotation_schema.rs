//! The JSON Schema of what an answer says about itself.

use serde_json::{Value, json};

/// The schema of the annotation of an answer, as `ask --json` prints it below `annotation`.
pub fn annotation_schema() -> Value {
    let text = json!({ "type": "string" });
    let texts = json!({ "type": "array", "items": { "type": "string" } });
    let digest = json!({
        "type": "object",
        "required": ["sha256"],
        "properties": { "sha256": { "type": "string", "description": "Digest of part.json" } }
    });
    let (differences, part_of_several) = (differences(), part_of_several());
    let objects = json!({ "type": "array", "items": { "type": "object" } });
    json!({
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": "Annotation of an answer under a policy",
        "type": "object",
        "additionalProperties": false,
        "required": [
            "format", "paravent", "recipient", "query", "policy", "data", "adaptations", "operators", "criteria",
            "analysis", "truthful", "noisy_columns", "warnings", "cached", "result"
        ],
        "properties": {
            "format": { "const": 1 },
            "paravent": { "type": "string", "description": "Version of the program" },
            "recipient": {
                "type": "object",
                "required": ["role", "group", "purpose"],
                "properties": { "role": text, "group": text, "purpose": text }
            },
            "query": {
                "type": "object",
                "required": ["sha256"],
                "properties": { "sha256": { "type": "string", "description": "Digest of the statement" } }
            },
            "policy": {
                "type": "object",
                "required": ["name", "version", "rules_used"],
                "properties": { "name": text, "version": text, "rules_used": texts }
            },
            "data": {
                "type": "object",
                "required": ["tables"],
                "properties": { "tables": { "type": "array", "items": {
                    "type": "object",
                    "required": ["name", "version"],
                    "properties": { "name": text, "version": { "type": "string", "description": "A keyed digest" } }
                } } }
            },
            "adaptations": { "type": "array", "items": {
                "type": "object",
                "required": ["kind"],
                "properties": { "kind": text }
            } },
            "operators": objects,
            "criteria": { "type": "array", "items": {
                "type": "object",
                "required": ["model", "required", "counted", "contribution", "satisfied", "without_change"],
                "properties": {
                    "model": text,
                    "required": { "type": "object" },
                    "counted": { "const": "people" },
                    "contribution": { "type": "integer", "minimum": 1 },
                    "satisfied": { "const": true },
                    "without_change": { "type": "boolean" }
                }
            } },
            "differences": differences,
            "analysis": { "type": "object", "required": ["done"], "properties": { "done": { "enum": ["partial", "complete"] } } },
            "executed_plan": { "type": "object", "description": "Of a part: what was done where the rows are" },
            "remaining_plan": { "type": "object", "description": "Of a part: what is left to do, for `paravent continue`" },
            "part": digest,
            "parts": { "type": "array", "description": "Of an answer that was finished from parts", "items": part_of_several },
            "node": { "type": "object", "description": "Where it was worked out", "required": ["name", "zone"], "properties": { "name": text, "zone": text } },
            "truthful": { "type": "boolean", "description": "Every row is true: no noise is in it, and no column groups were mixed" },
            "noisy_columns": texts,
            "warnings": texts,
            "cached": { "type": "boolean", "description": "An earlier answer, at no cost" },
            "result": {
                "type": "object",
                "required": ["rows"],
                "properties": { "rows": { "type": "integer", "minimum": 0 } }
            }
        }
    })
}

/// What exact figures were compared with.
fn differences() -> Value {
    json!({
        "type": "object",
        "description": "Of exact figures only",
        "required": ["compared_with", "verdict"],
        "properties": {
            "compared_with": { "type": "integer", "minimum": 0 },
            "verdict": { "const": "covered" }
        }
    })
}

/// A part of an answer that was finished from several.
fn part_of_several() -> Value {
    let text = json!({ "type": "string" });
    json!({
        "type": "object",
        "required": ["sha256"],
        "properties": {
            "sha256": { "type": "string", "description": "Digest of part.json" },
            "role": text,
            "policy": { "type": "object", "properties": { "name": text, "version": text } },
            "differences": differences(),
            "node": { "type": "object", "properties": { "name": text, "zone": text } }
        }
    })
}
