//! The colour of a verdict on the pages of sliced and noisy tables, answers and joint releases.

use super::escape::escape;
use crate::{Light, VerdictFacts};
use serde_json::Value;

/// Why a release must not be handed out, where that is the verdict.
pub fn red(document: &Value) -> Option<String> {
    (document["verdict"]["light"] == "red").then(|| format!(" <strong>{}.</strong>", reasons(document)))
}

fn reasons(document: &Value) -> String {
    let reasons = document["verdict"]["reasons"].as_array().into_iter().flatten().filter_map(Value::as_str);
    reasons.map(escape).collect::<Vec<_>>().join("; ")
}

/// What a page adds where columns that leave as they are single people out, and nothing else is wrong.
pub fn yellow(document: &Value) -> Option<String> {
    (document["verdict"]["light"] == "yellow").then(|| singled_out(&reasons(document)))
}

/// [`yellow`] of a typed document.
pub fn yellow_of(verdict: &VerdictFacts) -> Option<String> {
    let reasons = || verdict.reasons.iter().map(|reason| escape(reason)).collect::<Vec<_>>().join("; ");
    (verdict.light == Light::Yellow).then(|| singled_out(&reasons()))
}

fn singled_out(reasons: &str) -> String {
    format!(
        " <strong>{reasons}.</strong> Whoever knows these values of a person finds them. Leave the columns out, or make them coarser."
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn only_a_yellow_verdict_is_told_and_names_are_escaped() {
        let told = json!({ "verdict": { "light": "yellow", "reasons": ["9 of 9 people: <i>lab"] } });
        assert!(yellow(&told).unwrap().contains("9 of 9 people: &lt;i&gt;lab."));
        for light in ["green", "red"] {
            assert!(yellow(&json!({ "verdict": { "light": light, "reasons": ["x"] } })).is_none());
        }
        assert!(yellow(&json!({})).is_none());
    }
}
