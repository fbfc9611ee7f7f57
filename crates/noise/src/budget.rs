//! What has been spent, exactly, and the permission to spend more.
//!
//! One query after another on the same people adds up (sequential composition: both ε and δ); queries on disjoint groups of people cost
//! the dearest of them (parallel composition). Dwork & Roth, "The Algorithmic Foundations of Differential Privacy", 2014, §3.5.
//! A mechanism draws only for a [`Grant`], and only a [`Ledger`] within its limit makes one.

use std::fmt;

use crate::exact::{Delta, Epsilon, NotExact, Ratio};

/// An (ε, δ) that was or may be spent; δ = 0 is pure differential privacy.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Cost {
    epsilon: Ratio,
    delta: Ratio,
}

impl Cost {
    /// Nothing.
    pub fn nothing() -> Cost {
        Cost { epsilon: Ratio::zero(), delta: Ratio::zero() }
    }

    /// (ε, 0).
    pub fn pure(epsilon: Epsilon) -> Cost {
        Cost { epsilon: epsilon.ratio().clone(), delta: Ratio::zero() }
    }

    /// (ε, δ).
    pub fn approximate(epsilon: Epsilon, delta: Delta) -> Cost {
        Cost { epsilon: epsilon.ratio().clone(), delta: delta.ratio().clone() }
    }

    /// Reads ε and, where given, δ.
    pub fn parse(epsilon: &str, delta: Option<&str>) -> Result<Cost, NotExact> {
        let epsilon = Epsilon::parse(epsilon)?;
        Ok(match delta {
            Some(delta) => Cost::approximate(epsilon, Delta::parse(delta)?),
            None => Cost::pure(epsilon),
        })
    }

    /// ε.
    pub fn epsilon(&self) -> &Ratio {
        &self.epsilon
    }

    /// δ.
    pub fn delta(&self) -> &Ratio {
        &self.delta
    }

    /// Whether δ = 0.
    pub fn is_pure(&self) -> bool {
        self.delta.is_zero()
    }

    /// The cost of all of these on the same people: sums.
    pub fn sequential<'a>(costs: impl IntoIterator<Item = &'a Cost>) -> Cost {
        costs.into_iter().fold(Cost::nothing(), |sum, cost| Cost {
            epsilon: &sum.epsilon + &cost.epsilon,
            delta: &sum.delta + &cost.delta,
        })
    }

    /// The cost of this number of copies on the same people.
    #[must_use]
    pub fn times(&self, copies: u64) -> Cost {
        let copies = Ratio::whole(u128::from(copies));
        Cost { epsilon: &self.epsilon * &copies, delta: &self.delta * &copies }
    }

    /// Reads back what was written of a cost that had been checked: ε and δ, either of which may be 0.
    pub fn read_back(epsilon: &str, delta: &str) -> Result<Cost, NotExact> {
        Ok(Cost { epsilon: Ratio::read_back(epsilon)?, delta: Ratio::read_back(delta)? })
    }

    /// (ε, 0) for an ε that may be 0: randomised response that forgets everything costs nothing.
    pub fn of_response(epsilon: Ratio) -> Cost {
        Cost { epsilon, delta: Ratio::zero() }
    }

    /// This ε with the δ of another cost.
    #[must_use]
    pub fn with_delta_of(&self, other: &Cost) -> Cost {
        Cost { epsilon: self.epsilon.clone(), delta: other.delta.clone() }
    }

    /// Whether both ε and δ are 0.
    pub fn is_nothing(&self) -> bool {
        self.epsilon.is_zero() && self.delta.is_zero()
    }

    /// The cost of these on groups of people of which nobody is in two: maxima.
    pub fn parallel<'a>(costs: impl IntoIterator<Item = &'a Cost>) -> Cost {
        costs.into_iter().fold(Cost::nothing(), |most, cost| Cost {
            epsilon: most.epsilon.max(cost.epsilon.clone()),
            delta: most.delta.max(cost.delta.clone()),
        })
    }

    /// What the promise to one person means for a group that acts together: `c·ε`, and `c·e^((c−1)ε)·δ`, at most 1.
    ///
    /// The same holds for one person with `c` rows where each row was counted as a person.
    pub fn for_group(&self, people: u32) -> (Ratio, f64) {
        let epsilon = &self.epsilon * &Ratio::whole(u128::from(people));
        if self.is_pure() {
            return (epsilon, 0.0);
        }
        let growth = (f64::from(people.saturating_sub(1)) * self.epsilon.to_f64()).exp();
        (epsilon, (f64::from(people) * growth * self.delta.to_f64()).min(1.0))
    }

    /// Whether neither ε nor δ is above that of the limit.
    pub fn within(&self, limit: &Cost) -> bool {
        self.epsilon <= limit.epsilon && self.delta <= limit.delta
    }

    /// What is left of `self` after `spent`, at least 0.
    fn less(&self, spent: &Cost) -> Cost {
        let left = |limit: &Ratio, spent: &Ratio| (limit - spent).max(Ratio::zero());
        Cost { epsilon: left(&self.epsilon, &spent.epsilon), delta: left(&self.delta, &spent.delta) }
    }

    fn shared_by(&self, parts: u128) -> Cost {
        let parts = Ratio::whole(parts);
        Cost { epsilon: &self.epsilon / &parts, delta: &self.delta / &parts }
    }
}

impl fmt::Display for Cost {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "ε = {}", self.epsilon)?;
        if self.is_pure() { Ok(()) } else { write!(f, ", δ = {}", self.delta) }
    }
}

/// One thing that was paid for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Entry {
    /// What it was, in words that may be read by everybody: no cell.
    pub label: String,
    /// What it cost.
    pub cost: Cost,
}

/// The account of one data set towards one recipient. Cannot be copied: two copies would spend the limit twice.
#[derive(Debug, PartialEq, Eq)]
pub struct Ledger {
    limit: Cost,
    entries: Vec<Entry>,
}

/// Why a ledger gives no permission.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum BudgetError {
    /// More than is left.
    #[error(transparent)]
    Overspent(Box<Overspent>),
    /// ε = 0 cannot be drawn for.
    #[error("ask for an ε greater than 0")]
    NothingAsked,
    /// A budget that is no number, or below 0.
    #[error("the budget: {0}")]
    NotANumber(NotExact),
}

/// More was asked for than is left.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("the budget does not allow it: asked for {asked}, left {left} of {limit}")]
pub struct Overspent {
    /// What was asked for.
    pub asked: Cost,
    /// What is left.
    pub left: Cost,
    /// The limit.
    pub limit: Cost,
}

impl Ledger {
    /// An empty account with this limit.
    pub fn new(limit: Cost) -> Ledger {
        Ledger { limit, entries: Vec::new() }
    }

    /// An account that goes on from entries kept elsewhere. Where they are beyond the limit, nothing more is granted.
    pub fn resume(limit: Cost, entries: Vec<Entry>) -> Ledger {
        Ledger { limit, entries }
    }

    /// Pays `cost` for `label`, or refuses and changes nothing. What is paid is paid, also where the draw then fails.
    pub fn grant(&mut self, label: impl Into<String>, cost: Cost) -> Result<Grant, BudgetError> {
        if cost.epsilon.is_zero() {
            return Err(BudgetError::NothingAsked);
        }
        if !Cost::sequential([&self.spent(), &cost]).within(&self.limit) {
            let refused = Overspent { asked: cost, left: self.left(), limit: self.limit.clone() };
            return Err(BudgetError::Overspent(Box::new(refused)));
        }
        self.entries.push(Entry { label: label.into(), cost: cost.clone() });
        Ok(Grant { cost })
    }

    /// The limit.
    pub fn limit(&self) -> &Cost {
        &self.limit
    }

    /// Everything paid so far.
    pub fn entries(&self) -> &[Entry] {
        &self.entries
    }

    /// The sum of all entries.
    pub fn spent(&self) -> Cost {
        Cost::sequential(self.entries.iter().map(|entry| &entry.cost))
    }

    /// The limit less what was spent.
    pub fn left(&self) -> Cost {
        self.limit.less(&self.spent())
    }
}

/// A permission to draw, used up by the mechanism that draws. Cannot be copied.
#[derive(Debug, PartialEq, Eq)]
pub struct Grant {
    cost: Cost,
}

impl Grant {
    /// What was paid for it.
    pub fn cost(&self) -> &Cost {
        &self.cost
    }

    /// For `parts` queries on the same people: each gets an equal share.
    pub fn split(self, parts: u32) -> Vec<Grant> {
        let share = || Grant { cost: self.cost.shared_by(u128::from(parts)) };
        (0..parts).map(|_| share()).collect()
    }

    /// For two queries on the same people.
    pub fn halves(self) -> (Grant, Grant) {
        let half = self.cost.shared_by(2);
        (Grant { cost: half.clone() }, Grant { cost: half })
    }

    /// For queries on `parts` groups of people of which nobody is in two: each gets the whole. That nobody is, the caller promises.
    pub fn disjoint(self, parts: u32) -> Vec<Grant> {
        (0..parts).map(|_| Grant { cost: self.cost.clone() }).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn cost(epsilon: &str, delta: Option<&str>) -> Cost {
        Cost::parse(epsilon, delta).unwrap()
    }

    #[test]
    fn ten_tenths_are_one_and_the_eleventh_is_refused() {
        let mut ledger = Ledger::new(cost("1", None));
        for query in 0..10 {
            assert!(ledger.grant(format!("query {query}"), cost("0.1", None)).is_ok());
        }
        assert_eq!(ledger.left(), Cost::nothing());
        let before = ledger.entries().to_vec();
        let error = ledger.grant("one more", cost("1e-18", None)).unwrap_err();
        assert_eq!(ledger.entries(), before, "a refusal costs nothing");
        assert_eq!(
            error.to_string(),
            "the budget does not allow it: asked for ε = 0.000000000000000001, left ε = 0 of ε = 1"
        );
    }

    #[test]
    fn delta_is_counted_too() {
        let mut ledger = Ledger::new(cost("10", Some("1e-6")));
        ledger.grant("first", cost("1", Some("0.6e-6"))).unwrap();
        assert!(matches!(ledger.grant("second", cost("1", Some("0.6e-6"))), Err(BudgetError::Overspent(_))));
        ledger.grant("third", cost("1", None)).unwrap();
        assert_eq!(ledger.spent().to_string(), "ε = 2, δ = 0.0000006");
        assert_eq!(ledger.left().to_string(), "ε = 8, δ = 0.0000004");
        assert_eq!(ledger.entries().iter().map(|e| e.label.as_str()).collect::<Vec<_>>(), ["first", "third"]);
        let mut pure = Ledger::new(cost("1", None));
        assert!(pure.grant("approximate", cost("0.1", Some("1e-9"))).is_err(), "no δ was allowed");
    }

    #[test]
    fn what_was_written_is_read_back_exactly() {
        for (epsilon, delta) in
            [("0.1", Some("1e-6")), ("1/3", None), ("1.123456789012345678e-18", Some("7/1461"))]
        {
            let cost = cost(epsilon, delta);
            let again = Cost::read_back(&cost.epsilon().to_string(), &cost.delta().to_string()).unwrap();
            assert_eq!(again, cost);
        }
        assert_eq!(Cost::read_back("0", "0"), Ok(Cost::nothing()));
        for wrong in ["", "-1", "1.", "1e3", "1/0", "∞", "0x1", "1 ", "١"] {
            assert!(Cost::read_back(wrong, "0").is_err(), "{wrong:?}");
        }
        assert_eq!(cost("0.7", None).times(60), cost("42", None));
    }

    #[test]
    fn disjoint_groups_cost_the_dearest() {
        let costs = [cost("0.5", None), cost("0.3", Some("1e-6")), cost("0.2", None)];
        assert_eq!(Cost::parallel(&costs), cost("0.5", Some("1e-6")));
        assert_eq!(Cost::sequential(&costs), cost("1", Some("1e-6")));
    }

    #[test]
    fn a_grant_is_divided_without_loss() {
        let mut ledger = Ledger::new(cost("1", Some("1e-6")));
        let parts = ledger.grant("three", cost("1", Some("1e-6"))).unwrap().split(3);
        assert_eq!(parts[0].cost().to_string(), "ε = 1/3, δ = 1/3000000");
        assert_eq!(Cost::sequential(parts.iter().map(Grant::cost)), cost("1", Some("1e-6")));
        let mut ledger = Ledger::new(cost("1", None));
        let parts = ledger.grant("disjoint", cost("0.7", None)).unwrap().disjoint(4);
        assert_eq!(Cost::parallel(parts.iter().map(Grant::cost)), cost("0.7", None));
    }

    #[test]
    fn nothing_is_granted_for_nothing_or_beyond_an_old_overdraft() {
        let mut ledger = Ledger::new(cost("1", None));
        assert_eq!(ledger.grant("free", Cost::nothing()), Err(BudgetError::NothingAsked));
        let entries = vec![Entry { label: "before".into(), cost: cost("2", None) }];
        let mut overdrawn = Ledger::resume(cost("1", None), entries);
        assert_eq!(overdrawn.left(), Cost::nothing());
        assert!(overdrawn.grant("more", cost("0.1", None)).is_err());
    }

    #[test]
    fn a_group_of_c_people_multiplies_epsilon() {
        assert_eq!(cost("0.5", None).for_group(4), (Ratio::whole(2), 0.0));
        let (epsilon, delta) = cost("0.5", Some("1e-6")).for_group(3);
        assert_eq!(epsilon.to_string(), "1.5");
        assert!((delta - 3e-6 * 1f64.exp()).abs() < 1e-15);
    }

    proptest! {
        #[test]
        fn a_ledger_never_exceeds_its_limit(asked in proptest::collection::vec((1i64..50, 0i64..3), 1..20)) {
            let limit = cost("1", Some("0.01"));
            let mut ledger = Ledger::new(limit.clone());
            for (hundredths, thousandths) in asked {
                let cost = Cost { epsilon: Ratio::new(hundredths, 100).unwrap(), delta: Ratio::new(thousandths, 1000).unwrap() };
                let fits = Cost::sequential([&ledger.spent(), &cost]).within(&limit);
                prop_assert_eq!(ledger.grant("q", cost).is_ok(), fits);
                prop_assert!(ledger.spent().within(&limit));
                prop_assert_eq!(Cost::sequential([&ledger.spent(), &ledger.left()]), limit.clone());
            }
        }
    }
}
