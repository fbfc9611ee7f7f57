//! The verdict on a release, in one word: the page, the terminal and the document say the same.

use super::document::{Document, RegisterFacts};
use super::html::{promises_something, says_something};
use super::unchanged::{Light, UnchangedFacts, VerdictFacts, singled_out};
use serde_json::Value;

impl VerdictFacts {
    /// The verdict on what a document tells.
    pub fn of(document: &Document) -> VerdictFacts {
        let mut faults = Vec::new();
        if document.privacy.iter().any(|promise| !promise.holds) {
            faults.push("a promise is not kept");
        } else if !promises_something(document) {
            faults.push("nothing is promised that not every table keeps");
        }
        if document.output.as_ref().is_some_and(|output| !output.verified) {
            faults.push("the finished files were not verified");
        }
        if document.register.as_ref().is_some_and(|register| !register.broken_with().is_empty()) {
            faults.push("a promise is broken together with an earlier release");
        }
        VerdictFacts::over(&faults, document.unchanged.as_ref()).doubting(document.register.as_ref())
    }

    /// Not green while nobody knows what it tells together with an earlier release.
    fn doubting(mut self, register: Option<&RegisterFacts>) -> VerdictFacts {
        let mut untried = register.map(RegisterFacts::untried).unwrap_or_default();
        if let Some(newest) = untried.iter().copied().max() {
            untried.retain(|&other| other != newest);
            let more = match untried.len() {
                0 => String::new(),
                others => format!(" and {others} more"),
            };
            self.reasons.push(format!(
                "what it tells together with release {newest}{more} of the register could not be tried"
            ));
            if self.light == Light::Green {
                self.light = Light::Yellow;
            }
        }
        self
    }

    /// The verdict on a joint release. `privacy` has its promises as its document tells them.
    pub fn of_joint(
        privacy: &Value,
        register: Option<&RegisterFacts>,
        unchanged: Option<&UnchangedFacts>,
    ) -> VerdictFacts {
        let promises = privacy.as_array().map(Vec::as_slice).unwrap_or_default();
        let mut faults = Vec::new();
        if promises.iter().any(|promise| promise["holds"] != true) {
            faults.push("a promise is not kept");
        } else if !says_something(promises) {
            faults.push("nothing is promised that not every table keeps");
        }
        if register.is_some_and(|register| !register.broken_with().is_empty()) {
            faults.push("a promise is broken together with an earlier release");
        }
        VerdictFacts::over(&faults, unchanged)
    }

    /// The verdict on a release of any kind: red with a fault, yellow where the columns that leave as they are single out too many, else green.
    pub fn over(faults: &[&str], unchanged: Option<&UnchangedFacts>) -> VerdictFacts {
        let mut reasons: Vec<String> = faults.iter().map(|&fault| fault.to_owned()).collect();
        let telling = unchanged.filter(|unchanged| unchanged.too_many());
        reasons.extend(telling.map(singled_out));
        let light = match (faults.is_empty(), telling) {
            (false, _) => Light::Red,
            (true, Some(_)) => Light::Yellow,
            (true, None) => Light::Green,
        };
        VerdictFacts { light, reasons }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::UnchangedColumn;

    #[test]
    fn a_fault_is_red_and_too_many_singled_out_are_yellow() {
        let facts = |singled_out| UnchangedFacts {
            people: 100,
            singled_out,
            columns: vec![UnchangedColumn { column: "lab".into(), singled_out, looks: None }],
        };
        let over = |faults: &[&str], singled_out| VerdictFacts::over(faults, Some(&facts(singled_out)));
        assert_eq!(VerdictFacts::over(&[], None).light, Light::Green);
        assert_eq!(over(&[], 10).light, Light::Green);
        assert!(over(&[], 10).reasons.is_empty());
        assert_eq!(over(&[], 11).light, Light::Yellow);
        assert_eq!(over(&["a promise is not kept"], 10).light, Light::Red);
        let both = over(&["a promise is not kept"], 11);
        assert_eq!((both.light, both.reasons.len()), (Light::Red, 2));
    }
}
