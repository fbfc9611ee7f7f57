//! The colour of a verdict on the pages of sliced and noisy tables, answers and joint releases.

use super::escape::escape;
use crate::{Light, VerdictFacts, tells_of_singled_out};
use serde_json::Value;

/// Why a release must not be handed out, where that is the verdict.
pub fn red(document: &Value) -> Option<String> {
    (document["verdict"]["light"] == "red").then(|| format!(" <strong>{}.</strong>", reasons(document)))
}

fn reasons(document: &Value) -> String {
    let reasons = document["verdict"]["reasons"].as_array().into_iter().flatten().filter_map(Value::as_str);
    reasons.map(escape).collect::<Vec<_>>().join("; ")
}

/// What a page adds where a release keeps its promises and is not green.
pub struct Yellow {
    /// The end of the headline.
    pub but: &'static str,
    /// The reasons, as sentences.
    pub words: String,
}

/// The reasons of a yellow verdict.
pub fn yellow(document: &Value) -> Option<Yellow> {
    let reasons = document["verdict"]["reasons"].as_array().into_iter().flatten().filter_map(Value::as_str);
    (document["verdict"]["light"] == "yellow").then(|| told(reasons))
}

/// [`yellow`] of a typed document.
pub fn yellow_of(verdict: &VerdictFacts) -> Option<Yellow> {
    (verdict.light == Light::Yellow).then(|| told(verdict.reasons.iter().map(String::as_str)))
}

fn told<'a>(reasons: impl Iterator<Item = &'a str>) -> Yellow {
    let reasons: Vec<&str> = reasons.collect();
    let shown = reasons.iter().map(|reason| escape(reason)).collect::<Vec<_>>().join("; ");
    let (but, advice) = match reasons.iter().any(|reason| tells_of_singled_out(reason)) {
        true => (
            "and yet singles people out",
            " Whoever knows these values of a person finds them. Leave the columns out, or make them coarser.",
        ),
        false => ("with reservations", ""),
    };
    Yellow { but, words: format!(" <strong>{shown}.</strong>{advice}") }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn only_a_yellow_verdict_is_told_and_names_are_escaped() {
        let told = |reason: &str| json!({ "verdict": { "light": "yellow", "reasons": [reason] } });
        let few = yellow(&told("9 of 9 people: <i>lab")).unwrap();
        assert!(
            few.words.contains("9 of 9 people: &lt;i&gt;lab.")
                && !few.words.contains("Leave the columns out")
        );
        let alone = yellow(&told("9 of 9 people are singled out by what is released as it is: lab")).unwrap();
        assert!(alone.but.contains("singles people out") && alone.words.contains("Leave the columns out"));
        for light in ["green", "red"] {
            assert!(yellow(&json!({ "verdict": { "light": light, "reasons": ["x"] } })).is_none());
        }
        assert!(yellow(&json!({})).is_none());
    }
}
