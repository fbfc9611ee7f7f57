//! How far an attack got, and what that is held against.

use super::Attack;

/// What becomes of a threat.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Severity {
    /// The attack learns no more than the bound allows; without a bound, nothing worth telling.
    Covered,
    /// The attack learns something that nobody promised to hide.
    Residual,
    /// The attack learns more than was promised.
    Broken,
}

impl Severity {
    /// In one word.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Severity::Covered => "covered",
            Severity::Residual => "residual",
            Severity::Broken => "broken",
        }
    }

    /// The severity of a figure where more is worse: broken above a promised bound; without one, residual above `harmless`.
    ///
    /// Both come from divisions of counts; what differs by rounding only is equal.
    #[must_use]
    pub fn of(figure: f64, promised: Option<f64>, harmless: f64) -> Severity {
        let above = |limit: f64| figure > limit + 1e-9 * limit.abs().max(1.0);
        match promised {
            Some(bound) if above(bound) => Severity::Broken,
            Some(_) => Severity::Covered,
            None if above(harmless) => Severity::Residual,
            None => Severity::Covered,
        }
    }
}

/// What a figure counts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Unit {
    /// From 0 to 1, shown in percent.
    Share,
    /// Rows, classes, values.
    Count,
    /// So many times.
    Factor,
}

/// The one number that tells how far an attack got.
#[derive(Clone, Debug, PartialEq)]
pub struct Figure {
    /// What is measured.
    pub what: &'static str,
    /// How much.
    pub value: f64,
    /// Of what.
    pub unit: Unit,
}

/// What the figure is held against.
#[derive(Clone, Debug, PartialEq)]
pub struct Bound {
    /// The figure may go up to here (or down to here, where more is better).
    pub value: f64,
    /// Where it comes from, in words.
    pub from: String,
}

/// A class (or a pair of classes, or a value) that the attack works on, by released labels.
#[derive(Clone, Debug, PartialEq)]
pub struct Finding {
    /// `column = label`, as released.
    pub class: Vec<String>,
    /// Its own figure.
    pub value: f64,
    /// What is learnt there.
    pub text: String,
}

/// What became of one attack.
#[derive(Clone, Debug, PartialEq)]
pub struct Outcome {
    /// Which attack.
    pub attack: Attack,
    /// The sensitive column, or the other table, that it was about.
    pub subject: Option<String>,
    /// The judgement.
    pub severity: Severity,
    /// How far it got.
    pub figure: Figure,
    /// What that is held against; `None` if nothing was promised.
    pub bound: Option<Bound>,
    /// The result in one sentence.
    pub result: String,
    /// What the attacker is taken to know and to do, in words.
    pub assumption: &'static str,
    /// More figures, for those who want them: name and value.
    pub details: Vec<(String, String)>,
    /// The worst places, worst first; at most [`MOST_FINDINGS`].
    pub findings: Vec<Finding>,
}

/// How many places an outcome names.
pub const MOST_FINDINGS: usize = 10;

impl Outcome {
    /// An outcome without subject, bound, details and findings.
    #[must_use]
    pub fn new(attack: Attack, severity: Severity, figure: Figure, result: impl Into<String>) -> Outcome {
        Outcome {
            attack,
            subject: None,
            severity,
            figure,
            bound: None,
            result: result.into(),
            assumption: attack.assumption(),
            details: Vec::new(),
            findings: Vec::new(),
        }
    }

    /// About this column or table.
    #[must_use]
    pub fn about(mut self, subject: &str) -> Outcome {
        self.subject = Some(subject.to_owned());
        self
    }

    /// Held against this, if anything.
    #[must_use]
    pub fn against(mut self, bound: Option<Bound>) -> Outcome {
        self.bound = bound;
        self
    }

    /// With one more figure.
    #[must_use]
    pub fn with(mut self, name: &str, value: impl ToString) -> Outcome {
        self.details.push((name.to_owned(), value.to_string()));
        self
    }

    /// With the worst of these places.
    #[must_use]
    pub fn at(mut self, findings: impl IntoIterator<Item = Finding>) -> Outcome {
        self.findings.extend(findings.into_iter().take(MOST_FINDINGS));
        self
    }

    /// Whether the attacker gained anything at all.
    #[must_use]
    pub fn succeeded(&self) -> bool {
        self.severity != Severity::Covered
    }
}

/// `3 rows`, `1 row`, `2 classes`.
pub(super) fn counted(number: u64, noun: &str) -> String {
    match (number, noun.ends_with("ss")) {
        (1, _) => format!("1 {noun}"),
        (_, true) => format!("{number} {noun}es"),
        (_, false) => format!("{number} {noun}s"),
    }
}

/// A share in percent, with two decimals at most.
pub(super) fn percent(share: f64) -> String {
    let text = format!("{:.2}", share * 100.0);
    format!("{} %", text.trim_end_matches('0').trim_end_matches('.'))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_promise_decides_between_covered_and_broken() {
        assert_eq!(Severity::of(0.2, Some(0.2), 0.0), Severity::Covered);
        assert_eq!(Severity::of(0.1 + 0.2, Some(0.3), 0.0), Severity::Covered);
        assert_eq!(Severity::of(0.25, Some(0.2), 0.0), Severity::Broken);
        assert_eq!(Severity::of(0.25, None, 0.0), Severity::Residual);
        assert_eq!(Severity::of(0.0, None, 0.0), Severity::Covered);
    }

    #[test]
    fn numbers_read_well() {
        assert_eq!([percent(0.5), percent(0.12345), percent(1.0)], ["50 %", "12.35 %", "100 %"]);
        assert_eq!(
            [counted(1, "class"), counted(2, "class"), counted(0, "row")],
            ["1 class", "2 classes", "0 rows"]
        );
    }
}
