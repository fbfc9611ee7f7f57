//! Claims of single people.

use super::Adapted;
use crate::refusal::Refusal;
use paravent_policy::{Claim, Conflict, Extent, Policy};
use serde_json::json;
use std::collections::BTreeSet;

impl Adapted<'_> {
    /// Rows of people whose own claims are stricter than what the question uses. Decided by the policy, not by cells.
    pub(super) fn claims_of_people(&mut self, policy: &Policy) -> Result<(), Refusal> {
        let mut left_out = BTreeSet::new();
        for subject in policy.subjects.iter().filter(|subject| subject.conflict == Conflict::LeaveOut) {
            let against = subject
                .claims
                .iter()
                .any(|(columns, claim)| columns.iter().any(|column| self.goes_against(column, claim)));
            if !against {
                continue;
            }
            if self.parts.iter().any(|part| part.table.whose.person().len() != 1) {
                return Err(Refusal::new(
                    "claims of people with a composite key are not answered yet",
                    "Leave out the columns they are about",
                ));
            }
            left_out.insert(subject.person.clone());
        }
        if !left_out.is_empty() {
            self.adaptations.push(json!({ "kind": "left-out", "rule": "subjects" }));
        }
        // A joined row needs a row of every table, and all of them are of the same people.
        for part in &mut self.parts {
            part.left_out.clone_from(&left_out);
        }
        Ok(())
    }

    /// `column` is called as in its table, whichever it is.
    fn goes_against(&self, column: &str, claim: &Claim) -> bool {
        self.parts.iter().any(|part| self.uses_against(&self.spelled(part, column), claim))
    }

    fn uses_against(&self, column: &str, claim: &Claim) -> bool {
        let below = |level: Option<&u8>, wanted: Option<Extent>| match (level, wanted) {
            (Some(level), Some(Extent::From(least))) => *level < least,
            (Some(_), Some(Extent::Denied)) => true,
            _ => false,
        };
        let used = self.question.columns().contains(column);
        let claim = claim.of_person();
        (used && claim.deny)
            || below(self.groups.get(column), claim.group)
            || below(self.conditions.get(column), claim.filter)
    }
}
