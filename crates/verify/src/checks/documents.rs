//! Is the manifest written as it is always written, with nothing between the lines?
//!
//! Keys that nobody reads, a key written twice or blanks where none belong could hold anything, and two readers could read
//! two different promises.

use serde_json::Value;

use crate::Check;
use crate::manifest::Manifest;

/// What the objects of a manifest hold.
pub(crate) struct Shape {
    /// The keys that an object may have. `*` stands for the items of a list, and for the columns of [`SPELLINGS`].
    pub(crate) keys: &'static [(&'static str, &'static [&'static str])],
    /// Objects that have all their keys, always.
    pub(crate) whole: &'static [&'static str],
    /// Objects that have all their keys where this version wrote them; older ones may lack some.
    pub(crate) whole_now: &'static [&'static str],
    /// Keys that even those may lack.
    pub(crate) optional: &'static [(&'static str, &'static str)],
}

/// Its keys are columns.
const SPELLINGS: &str = "output.spellings";
/// What is said of how values are spelled.
pub(crate) const OF_A_SPELLING: (&str, &[&str]) =
    ("output.spellings.*", &["format", "decimal", "grouping", "true", "false"]);
/// What is said of a report.
pub(crate) const OF_A_REPORT: (&str, &[&str]) = ("reports.*", &["file", "sha256"]);
/// What a privacy model requires.
pub(crate) const OF_A_MODEL: &[&str] = &[
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
];

/// The manifest of a generalized table.
const GENERALIZED: Shape = Shape {
    keys: KEYS,
    whole: &["", "input", "suppression", "solution", "reports.*", "people"],
    whole_now: &[],
    // Only releases that count people speak of them, and of a rule about their rows where there is one.
    optional: &[
        ("", "people"),
        ("people", "rows"),
        ("solution", "recoding"),
        ("solution", "gs_factor"),
        ("solution", "most_known"),
        ("input", "sample"),
        ("suppression", "shown"),
    ],
};

const KEYS: &[(&str, &[&str])] = &[
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
    OF_A_SPELLING,
    ("suppression", &["limit", "limit_rows", "rows", "shown"]),
    ("attributes.*", &["name", "role", "type", "level", "levels", "treatment"]),
    ("attributes.*.treatment", &["round", "bottom", "top", "aggregate", "pseudonyms"]),
    ("privacy.*", &["model", "required", "achieved", "holds", "reference", "tree", "population"]),
    ("privacy.*.required", OF_A_MODEL),
    ("privacy.*.achieved", &["k", "l", "c", "c2", "t", "beta", "min", "max"]),
    ("privacy.*.reference.*", &["value", "missing", "count"]),
    ("privacy.*.population.*", &["class", "count", "suppressed"]),
    (
        "solution",
        &["metric", "loss", "optimal", "classes", "smallest_class", "recoding", "gs_factor", "most_known"],
    ),
    OF_A_REPORT,
    // Lists of texts and numbers.
    ("privacy.*.tree.*", &[]),
    ("dropped.*", &[]),
];

/// Looks at the bytes of a handed-out manifest. Those of format 1 were not held to it.
pub(crate) fn check(manifest: &Manifest<'_>, bytes: &[u8], document: &Value) -> Option<Check> {
    if !manifest.is_handed_out() {
        return None;
    }
    let mut problems = GENERALIZED.problems(bytes, document);
    if manifest.strange_spellings() > 0 {
        problems.push("output.spellings speaks of columns that are not released".to_owned());
    }
    Some(told(&problems))
}

fn told(problems: &[String]) -> Check {
    Check::new("manifest", None, problems, "nothing but the keys of a manifest, written as always")
}

/// Whether a manifest says that this version wrote it.
pub(crate) fn is_of_this_version(document: &Value) -> bool {
    document["paravent"] == env!("CARGO_PKG_VERSION")
}

impl Shape {
    /// Looks at the bytes of a manifest of this shape.
    pub(crate) fn check(&self, bytes: &[u8], document: &Value) -> Check {
        told(&self.problems(bytes, document))
    }

    fn problems(&self, bytes: &[u8], document: &Value) -> Vec<String> {
        let mut problems = Vec::new();
        self.strangers(document, "", is_of_this_version(document), &mut problems);
        let mut written = serde_json::to_vec_pretty(document).unwrap_or_default();
        written.push(b'\n');
        if written != bytes {
            problems.push("the bytes are not those that this document is written with".to_owned());
        }
        problems
    }

    fn strangers(&self, value: &Value, path: &str, is_ours: bool, problems: &mut Vec<String>) {
        let below = |key: &str| if path.is_empty() { key.to_owned() } else { format!("{path}.{key}") };
        match value {
            Value::Object(object) if path == SPELLINGS => {
                object.values().for_each(|value| self.strangers(value, &below("*"), is_ours, problems));
            }
            Value::Object(object) => {
                let known = self.keys.iter().find(|(place, _)| *place == path);
                let known = known.map_or(&[][..], |(_, keys)| keys);
                let place = if path.is_empty() { "the document" } else { path };
                let is_whole = self.whole.contains(&path) || (is_ours && self.whole_now.contains(&path));
                let always = |key: &&&str| is_whole && !self.optional.contains(&(path, **key));
                let missing = known.iter().filter(always).filter(|key| !object.contains_key(**key)).count();
                if missing > 0 {
                    problems.push(format!("{place} lacks {missing} keys of a manifest"));
                }
                let unknown = object.keys().filter(|key| !known.contains(&key.as_str())).count();
                if unknown > 0 {
                    problems.push(format!("{place} has {unknown} keys that no manifest has"));
                }
                for (key, value) in object.iter().filter(|(key, _)| known.contains(&key.as_str())) {
                    self.strangers(value, &below(key), is_ours, problems);
                }
            }
            Value::Array(items) => {
                items.iter().for_each(|item| self.strangers(item, &below("*"), is_ours, problems));
            }
            _ => {}
        }
    }
}
