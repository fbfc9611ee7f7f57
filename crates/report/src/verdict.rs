//! The verdict on a release, in one word: the page, the terminal and the document say the same.

use super::PromiseFacts;
use super::document::{Document, RegisterFacts};
use super::earlier::in_words;
use super::html::promises_something;
use super::unchanged::{Light, UnchangedFacts, VerdictFacts, singled_out};

/// Why a release that has no line in a register is not green.
pub const UNREGISTERED: &str = "no register has a line of it: later releases are not held against it";
/// The same as a warning.
pub const UNREGISTERED_WARNING: &str = "no register has a line of this release: later releases are not held against it, so nobody will notice what they tell together";

/// What the verdict on a joint release is made of.
#[derive(Debug)]
pub struct JointFacts<'a> {
    /// Its promises, with what they are worth on the rows that arrived.
    pub promises: &'a [PromiseFacts],
    /// Its place in the register of the party where it arrives.
    pub register: Option<&'a RegisterFacts>,
    /// Whether it leaves without a line in a register.
    pub is_unregistered: bool,
    /// The columns that leave as they are.
    pub unchanged: Option<&'a UnchangedFacts>,
}

impl VerdictFacts {
    /// The verdict on what a document tells.
    pub fn of(document: &Document) -> VerdictFacts {
        let mut faults = promise_faults(&document.privacy);
        if document.output.as_ref().is_some_and(|output| !output.verified) {
            faults.push("the finished files were not verified");
        }
        if document.broken_together().is_some() {
            faults.push(BROKEN_TOGETHER);
        }
        let mut doubts: Vec<String> = document.privacy.iter().filter_map(PromiseFacts::looseness).collect();
        doubts.extend(document.untried().as_deref().map(could_not_be_tried));
        doubts.extend(document.unregistered.then(|| UNREGISTERED.to_owned()));
        VerdictFacts::over(&faults, document.unchanged.as_ref()).doubted(doubts)
    }

    /// Not green for these reasons.
    pub fn doubted(mut self, reasons: impl IntoIterator<Item = String>) -> VerdictFacts {
        let known = self.reasons.len();
        self.reasons.extend(reasons);
        if self.light == Light::Green && self.reasons.len() > known {
            self.light = Light::Yellow;
        }
        self
    }

    /// The verdict on a joint release.
    pub fn of_joint(facts: &JointFacts<'_>) -> VerdictFacts {
        let mut faults = promise_faults(facts.promises);
        if facts.register.is_some_and(|register| !register.broken_with().is_empty()) {
            faults.push(BROKEN_TOGETHER);
        }
        let mut doubts: Vec<String> = facts.promises.iter().filter_map(PromiseFacts::looseness).collect();
        let untried = facts.register.and_then(|register| in_words(&register.untried(), ""));
        doubts.extend(untried.as_deref().map(could_not_be_tried));
        doubts.extend(facts.is_unregistered.then(|| UNREGISTERED.to_owned()));
        VerdictFacts::over(&faults, facts.unchanged).doubted(doubts)
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

const BROKEN_TOGETHER: &str = "a promise is broken together with an earlier release";

/// What is wrong with the promises alone.
fn promise_faults(promises: &[PromiseFacts]) -> Vec<&'static str> {
    if promises.iter().any(|promise| !promise.holds) {
        return vec!["a promise is not kept"];
    }
    if !promises_something(promises) {
        return vec!["nothing is promised that not every table keeps"];
    }
    Vec::new()
}

/// Why a release is not green that could not be held against `earlier`, which is in words.
pub fn could_not_be_tried(earlier: &str) -> String {
    format!("what it tells together with {earlier} could not be tried")
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
