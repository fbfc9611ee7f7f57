//! Claims of single people.

use super::Adapted;
use crate::refusal::Refusal;
use paravent_policy::{Claim, Conflict, Extent, Policy, Whose};
use serde_json::json;

impl Adapted<'_> {
    /// Rows of people whose own claims are stricter than what the question uses. Decided by the policy, not by cells.
    pub(super) fn claims_of_people(&mut self, policy: &Policy) -> Result<(), Refusal> {
        for subject in policy.subjects.iter().filter(|subject| subject.conflict == Conflict::LeaveOut) {
            let against = subject
                .claims
                .iter()
                .any(|(columns, claim)| columns.iter().any(|column| self.goes_against(column, claim)));
            if !against {
                continue;
            }
            let person = match &self.table.whose {
                Whose::Person(columns) => columns.len(),
                Whose::Links(links) => links.len(),
                Whose::Nobody => 0,
            };
            if person != 1 {
                return Err(Refusal::new(
                    "claims of people with a composite key are not answered yet",
                    "Leave out the columns they are about",
                ));
            }
            self.left_out.insert(subject.person.clone());
        }
        if !self.left_out.is_empty() {
            self.adaptations.push(json!({ "kind": "left-out", "rule": "subjects" }));
        }
        Ok(())
    }

    fn goes_against(&self, column: &str, claim: &Claim) -> bool {
        let below = |level: Option<&u8>, wanted: Option<Extent>| match (level, wanted) {
            (Some(level), Some(Extent::From(least))) => *level < least,
            (Some(_), Some(Extent::Denied)) => true,
            _ => false,
        };
        let used = self.question.columns().contains(column);
        // Groups are shown, so a claim on what is shown holds for them as well.
        (used && claim.deny)
            || below(self.groups.get(column), claim.group)
            || below(self.groups.get(column), claim.show)
            || below(self.conditions.get(column), claim.filter)
    }
}
