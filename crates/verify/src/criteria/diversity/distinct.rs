//! Every class shows at least ℓ different values: `|{ s(r) : r ∈ E }| ≥ ℓ`; where people are counted, ℓ people show ℓ different values, one each.

use super::super::{ClassCriterion, Failures, Finding, Measure};
use crate::classes::Group;

pub(super) struct Distinct {
    l: u64,
    least: Option<u64>,
    failures: Failures,
}

impl Distinct {
    pub(super) fn new(l: u64) -> Distinct {
        Distinct { l, least: None, failures: Failures::default() }
    }
}

impl ClassCriterion for Distinct {
    fn take(&mut self, group: &Group<'_>) {
        let distinct = group.represented;
        self.least = Some(self.least.map_or(distinct, |least| least.min(distinct)));
        if distinct < self.l {
            self.failures.add(group.first_row);
        }
    }

    fn finding(&self) -> Finding {
        Finding {
            problems: self
                .failures
                .problem(&format!("with fewer than {} values", self.l))
                .into_iter()
                .collect(),
            fine: format!(
                "every class shows {} values or more, {} required",
                self.least.unwrap_or(0),
                self.l
            ),
            achieved: vec![("l", self.least.map_or(Measure::Nothing, Measure::Count))],
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::testing::holds;
    use super::*;

    #[test]
    fn counts_values_not_rows() {
        assert!(holds(Distinct::new(2), &[99, 1]));
        assert!(!holds(Distinct::new(2), &[100]));
        assert!(holds(Distinct::new(1), &[1]));
    }
}
