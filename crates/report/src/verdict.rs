//! The verdict on a release, in one word: the page, the terminal and the document say the same.

use super::PromiseFacts;
use super::document::{Document, RegisterFacts};
use super::html::promises_something;
use super::unchanged::{Light, UnchangedFacts, VerdictFacts, singled_out};

impl VerdictFacts {
    /// The verdict on what a document tells.
    pub fn of(document: &Document) -> VerdictFacts {
        let mut faults = Vec::new();
        if document.privacy.iter().any(|promise| !promise.holds) {
            faults.push("a promise is not kept");
        } else if !promises_something(&document.privacy) {
            faults.push("nothing is promised that not every table keeps");
        }
        let loose: Vec<String> = document.privacy.iter().filter_map(PromiseFacts::looseness).collect();
        if document.output.as_ref().is_some_and(|output| !output.verified) {
            faults.push("the finished files were not verified");
        }
        if document.broken_together().is_some() {
            faults.push("a promise is broken together with an earlier release");
        }
        let mut doubts: Vec<String> = loose;
        doubts.extend(
            document
                .untried()
                .map(|untried| format!("what it tells together with {untried} could not be tried")),
        );
        if document.unregistered {
            doubts.push("no register has a line of it: later releases are not held against it".to_owned());
        }
        VerdictFacts::over(&faults, document.unchanged.as_ref()).not_green(doubts)
    }

    /// Not green for these reasons.
    fn not_green(mut self, reasons: Vec<String>) -> VerdictFacts {
        if self.light == Light::Green && !reasons.is_empty() {
            self.light = Light::Yellow;
        }
        self.reasons.extend(reasons);
        self
    }

    /// The verdict on a joint release.
    pub fn of_joint(
        privacy: &[PromiseFacts],
        register: Option<&RegisterFacts>,
        unchanged: Option<&UnchangedFacts>,
    ) -> VerdictFacts {
        let mut faults = Vec::new();
        if privacy.iter().any(|promise| !promise.holds) {
            faults.push("a promise is not kept");
        } else if !promises_something(privacy) {
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
