//! What a manifest promises, as limits for attacks.

use crate::ReleaseTable;
use paravent_evidence::attack::classes::Missing;
use paravent_evidence::attack::promises::{Promises, confidence_of_entropy, confidence_of_recursive};
use serde_json::Value;

/// The limits that the promised models imply, and what the manifest knows of the whole original table.
#[derive(Debug, Default)]
pub(super) struct Promised {
    /// The limits.
    pub(super) limits: Promises,
    /// By sensitive column: how often each value occurs in the original (`None`: a value that is not released).
    pub(super) references: Vec<Reference>,
    /// The largest ℓ promised for a sensitive column.
    pub(super) diversity: Vec<(String, f64)>,
    /// So many rows could have been suppressed.
    pub(super) suppressible_rows: u64,
}

/// The distribution of a sensitive column in the original table.
#[derive(Debug)]
pub(super) struct Reference {
    pub(super) column: String,
    pub(super) counts: Vec<(Option<Option<String>>, u64)>,
    /// One list per value: the group on each level, from 1 to the root.
    pub(super) tree: Option<Vec<Vec<u64>>>,
}

/// Reads the promises. What is not understood limits nothing.
pub(super) fn promised(manifest: Option<&[u8]>, release: &ReleaseTable) -> Promised {
    let mut promised = Promised::default();
    let limits = &mut promised.limits;
    limits.k = release.facts.k();
    let manifest: Value = manifest.and_then(|bytes| serde_json::from_slice(bytes).ok()).unwrap_or_default();
    promised.suppressible_rows = manifest["suppression"]["limit_rows"].as_u64().unwrap_or(0);
    let number = |value: &Value| value.as_f64().or_else(|| value.as_str().and_then(|text| text.parse().ok()));
    for promise in manifest["privacy"].as_array().into_iter().flatten() {
        let required = &promise["required"];
        let attribute = required["attribute"].as_str().unwrap_or_default();
        let values = release
            .table
            .data
            .place(attribute)
            .map_or(0, |place| release.table.data.columns()[place].labels().len());
        let l = number(&required["l"]).unwrap_or(1.0);
        if required["missing"] == "value" {
            limits.column(attribute).missing = Missing::Value;
        }
        let mut at_least = |l: f64, limits: &mut Promises| {
            let column = limits.column(attribute);
            // Entropy of ln ℓ needs at least ⌈ℓ⌉ values; the recursive forms need ℓ.
            column.distinct = column.distinct.max(Some(l.ceil() as u64));
            promised.diversity.push((attribute.to_owned(), l));
        };
        let confident = |share: f64, limits: &mut Promises| {
            let column = limits.column(attribute);
            column.confidence = Some(column.confidence.map_or(share, |known| known.min(share)));
        };
        match promise["model"].as_str().unwrap_or_default() {
            "distinct-l-diversity" => at_least(l, limits),
            "entropy-l-diversity" => {
                at_least(l, limits);
                confident(confidence_of_entropy(l, values), limits);
            }
            "recursive-l-diversity" => {
                at_least(l, limits);
                if let Some(c) = number(&required["c"]).filter(|_| l >= 2.0) {
                    confident(confidence_of_recursive(c), limits);
                }
            }
            "npd-recursive-l-diversity" => {
                let protected = required["protected"].as_array().into_iter().flatten();
                let protected = protected.filter_map(Value::as_str).map(str::to_owned).collect();
                let share = number(&required["c2"]).unwrap_or(0.0) / 100.0;
                limits.column(attribute).protected = Some((protected, share));
            }
            "t-closeness" => {
                let reference = reference(promise, attribute);
                if let Some(t) = number(&required["t"]) {
                    let variation =
                        variation(t, required["distance"].as_str().unwrap_or("equal"), &reference);
                    if variation < 1.0 {
                        let column = limits.column(attribute);
                        column.variation =
                            Some(column.variation.map_or(variation, |known| known.min(variation)));
                    }
                }
                promised.references.push(reference);
            }
            "delta-presence" => {
                let bound = |key: &str, otherwise: f64| number(&required[key]).unwrap_or(otherwise);
                limits.presence = Some((bound("min", 0.0), bound("max", 1.0)));
            }
            // Other models may compare with the original table, too.
            _ if promise["reference"].is_array() => {
                promised.references.push(reference(promise, attribute));
            }
            _ => {}
        }
    }
    promised
}

/// The total variation that a distance of at most t allows: the ground distance between two values is at least 1/(m − 1) in the
/// ordered form and 1/height in the hierarchical one; Kullback–Leibler goes by Pinsker's inequality.
fn variation(t: f64, distance: &str, reference: &Reference) -> f64 {
    match distance {
        "equal" | "variation" => t,
        "ordered" => t * reference.counts.len().saturating_sub(1).max(1) as f64,
        "hierarchical" => {
            t * reference
                .tree
                .as_ref()
                .and_then(|tree| tree.first())
                .map_or(f64::INFINITY, |path| path.len() as f64)
        }
        "kullback-leibler" => (t / 2.0).sqrt(),
        _ => f64::INFINITY,
    }
}

fn reference(promise: &Value, column: &str) -> Reference {
    let entries = promise["reference"].as_array().into_iter().flatten();
    let counts = entries.map(|entry| {
        let value = match (&entry["missing"], entry["value"].as_str()) {
            (Value::Bool(true), _) => Some(None),
            (_, Some(value)) => Some(Some(value.to_owned())),
            (_, None) => None,
        };
        (value, entry["count"].as_u64().unwrap_or(0))
    });
    let path = |path: &Value| path.as_array().into_iter().flatten().filter_map(Value::as_u64).collect();
    let tree = promise["tree"].as_array().map(|tree| tree.iter().map(path).collect());
    Reference { column: column.to_owned(), counts: counts.collect(), tree }
}
