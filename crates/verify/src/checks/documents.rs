//! Is the manifest written as it is always written, with nothing between the lines?
//!
//! Keys that nobody reads, a key written twice or blanks where none belong could hold anything, and two readers could read
//! two different promises.

use serde_json::Value;

use crate::Check;
use crate::manifest::Manifest;

/// What each object of a handed-out manifest may hold. `*` stands for the items of a list.
const KEYS: [(&str, &[&str]); 18] = [
    (
        "",
        &[
            "format",
            "paravent",
            "input",
            "output",
            "suppression",
            "attributes",
            "dropped",
            "privacy",
            "solution",
            "reports",
            "people",
        ],
    ),
    ("people", &["read", "losing", "limit", "rows"]),
    ("input", &["rows", "population_rows", "sample"]),
    ("input.sample", &["share", "of"]),
    (
        "output",
        &[
            "file",
            "table",
            "format",
            "sha256",
            "rows",
            "order",
            "delimiter",
            "null",
            "spreadsheet_safe",
            "encoding",
            "bom",
            "spellings",
        ],
    ),
    ("output.spellings.*", &["format", "decimal", "grouping", "true", "false"]),
    ("suppression", &["limit", "limit_rows", "rows", "shown"]),
    ("attributes.*", &["name", "role", "type", "level", "levels", "treatment"]),
    ("attributes.*.treatment", &["round", "bottom", "top", "aggregate", "pseudonyms"]),
    ("privacy.*", &["model", "required", "achieved", "holds", "reference", "tree", "population"]),
    (
        "privacy.*.required",
        &[
            "k",
            "l",
            "c",
            "c2",
            "t",
            "beta",
            "form",
            "min",
            "max",
            "attribute",
            "attributes",
            "base",
            "distance",
            "allowed",
            "protected",
            "missing",
        ],
    ),
    ("privacy.*.achieved", &["k", "l", "c", "c2", "t", "beta", "min", "max"]),
    ("privacy.*.reference.*", &["value", "missing", "count"]),
    ("privacy.*.population.*", &["class", "count", "suppressed"]),
    (
        "solution",
        &["metric", "loss", "optimal", "classes", "smallest_class", "recoding", "gs_factor", "most_known"],
    ),
    ("reports.*", &["file", "sha256"]),
    // Lists of texts and numbers.
    ("privacy.*.tree.*", &[]),
    ("dropped.*", &[]),
];

/// Looks at the bytes of a handed-out manifest. Those of format 1 were not held to it.
pub(crate) fn check(manifest: &Manifest<'_>, bytes: &[u8], document: &Value) -> Option<Check> {
    if !manifest.is_handed_out() {
        return None;
    }
    let mut problems = Vec::new();
    strangers(document, "", &mut problems);
    if manifest.strange_spellings() > 0 {
        problems.push("output.spellings speaks of columns that are not released".to_owned());
    }
    let mut written = serde_json::to_vec_pretty(document).unwrap_or_default();
    written.push(b'\n');
    if written != bytes {
        problems.push("the bytes are not those that this document is written with".to_owned());
    }
    Some(Check::new("manifest", None, &problems, "nothing but the keys of a manifest, written as always"))
}

fn strangers(value: &Value, path: &str, problems: &mut Vec<String>) {
    let below = |key: &str| if path.is_empty() { key.to_owned() } else { format!("{path}.{key}") };
    match value {
        // Its keys are columns.
        Value::Object(object) if path == "output.spellings" => {
            object.values().for_each(|value| strangers(value, &below("*"), problems));
        }
        Value::Object(object) => {
            let known = KEYS.iter().find(|(place, _)| *place == path).map_or(&[][..], |(_, keys)| keys);
            let unknown = object.keys().filter(|key| !known.contains(&key.as_str())).count();
            // These have all their keys, always.
            let fixed = ["", "input", "suppression", "solution", "reports.*", "people"].contains(&path);
            // Only releases that count people speak of them, and of a rule about their rows where there is one.
            let optional = [
                ("", "people"),
                ("people", "rows"),
                ("solution", "recoding"),
                ("solution", "gs_factor"),
                ("solution", "most_known"),
                ("input", "sample"),
                ("suppression", "shown"),
            ];
            let always = |key: &&&str| fixed && !optional.contains(&(path, **key));
            let missing = known.iter().filter(always).filter(|key| !object.contains_key(**key)).count();
            if missing > 0 {
                problems.push(format!(
                    "{} lacks {missing} keys of a manifest",
                    if path.is_empty() { "the document" } else { path }
                ));
            }
            if unknown > 0 {
                let place = if path.is_empty() { "the document" } else { path };
                problems.push(format!("{place} has {unknown} keys that no manifest has"));
            }
            for (key, value) in object.iter().filter(|(key, _)| known.contains(&key.as_str())) {
                strangers(value, &below(key), problems);
            }
        }
        Value::Array(items) => items.iter().for_each(|item| strangers(item, &below("*"), problems)),
        _ => {}
    }
}
