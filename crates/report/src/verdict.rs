//! The verdict on a release, in one word: the page, the terminal and the document say the same.

use super::document::Document;
use super::html::promises_something;
use super::unchanged::{Light, VerdictFacts, singled_out};

impl VerdictFacts {
    /// The verdict on what a document tells.
    pub fn of(document: &Document) -> VerdictFacts {
        let mut verdict = VerdictFacts { light: Light::Green, reasons: Vec::new() };
        let mut found = |light: Light, reason: String| {
            if light == Light::Red || verdict.light == Light::Green {
                verdict.light = light;
            }
            verdict.reasons.push(reason);
        };
        if document.privacy.iter().any(|promise| !promise.holds) {
            found(Light::Red, "a promise is not kept".to_owned());
        } else if !promises_something(document) {
            found(Light::Red, "nothing is promised that not every table keeps".to_owned());
        }
        if document.output.as_ref().is_some_and(|output| !output.verified) {
            found(Light::Red, "the finished files were not verified".to_owned());
        }
        if document.register.as_ref().is_some_and(|register| !register.broken_with().is_empty()) {
            found(Light::Red, "a promise is broken together with an earlier release".to_owned());
        }
        if let Some(unchanged) = document.unchanged.as_ref().filter(|unchanged| unchanged.too_many()) {
            found(Light::Yellow, singled_out(unchanged));
        }
        verdict
    }
}
