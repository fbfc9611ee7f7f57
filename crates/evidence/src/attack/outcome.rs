//! How far an attack got, and what that is held against.

use super::Attack;

/// What becomes of a threat.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Severity {
    /// The attack learns no more than the bound allows.
    Covered,
    /// The attack learns nothing worth telling, though nothing was promised.
    NothingFound,
    /// The attack learns something that nobody promised to hide, or that a promise allows which allows nearly anything.
    Residual,
    /// The tables could not be compared: nothing in them fits. What the attack would learn is unknown.
    NotCompared,
    /// The attack learns more than was promised.
    Broken,
}

impl Severity {
    /// In one word.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Severity::Covered => "covered",
            Severity::NothingFound => "nothing found",
            Severity::Residual => "residual",
            Severity::NotCompared => "not compared",
            Severity::Broken => "broken",
        }
    }

    /// The severity of a figure where more is worse: broken above a promised bound. Without one, or with one that is
    /// [loose](Unit::is_loose) and so did not keep the figure down, residual above `harmless`.
    ///
    /// Both come from divisions of counts; what differs by rounding only is equal.
    #[must_use]
    pub fn of(figure: f64, unit: Unit, promised: Option<f64>, harmless: f64) -> Severity {
        let above = |limit: f64| figure > limit + 1e-9 * limit.abs().max(1.0);
        match promised {
            Some(bound) if above(bound) => Severity::Broken,
            Some(bound) if above(harmless) && unit.is_loose(figure, bound) => Severity::Residual,
            Some(bound) if !unit.is_vacuous(bound) => Severity::Covered,
            None if above(harmless) => Severity::Residual,
            _ => Severity::NothingFound,
        }
    }

    /// The severity of something that was found, or not, where a promise rules it out, or none does.
    #[must_use]
    pub fn of_finding(found: bool, promised: bool) -> Severity {
        match (promised, found) {
            (true, true) => Severity::Broken,
            (true, false) => Severity::Covered,
            (false, true) => Severity::Residual,
            (false, false) => Severity::NothingFound,
        }
    }

    /// Whether a person must look at it before the table is handed out: a broken promise, or a comparison that could not be made.
    #[must_use]
    pub fn is_alarm(self) -> bool {
        matches!(self, Severity::Broken | Severity::NotCompared)
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

/// A bound of more than this multiple of the figure did not cause it.
const LOOSE: f64 = 4.0;

impl Unit {
    /// Whether a bound of a figure where more is worse allows anything.
    #[must_use]
    pub fn is_vacuous(self, bound: f64) -> bool {
        bound == f64::INFINITY || (self == Unit::Share && bound >= 1.0)
    }

    /// Whether a bound of a figure where more is worse lies far above it. Shares are compared by their odds p/(1 − p): 99.9 % is
    /// far above 95 %.
    #[must_use]
    pub fn is_loose(self, figure: f64, bound: f64) -> bool {
        let size = |value: f64| if self == Unit::Share { value / (1.0 - value).max(0.0) } else { value };
        self.is_vacuous(bound) || size(bound) > LOOSE * size(figure)
    }
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

    /// Held against this, if anything. Nothing is covered where nothing was promised.
    #[must_use]
    pub fn against(mut self, bound: Option<Bound>) -> Outcome {
        if bound.is_none() && self.severity == Severity::Covered {
            self.severity = Severity::NothingFound;
        }
        self.bound = bound;
        self
    }

    /// Says that a promise was made that allows nearly anything, where that is why something remains. For figures where more is worse.
    #[must_use]
    pub fn told_if_loose(mut self) -> Outcome {
        if let Some(bound) = &self.bound
            && self.severity == Severity::Residual
            && self.figure.unit.is_loose(self.figure.value, bound.value)
        {
            let allowed = match self.figure.unit {
                Unit::Share => percent(bound.value),
                Unit::Count | Unit::Factor => format!("{:.1}", bound.value),
            };
            self.result
                .push_str(&format!(" The promise allows up to {allowed}, so it holds nothing back here."));
        }
        self
    }

    /// The tables could not be compared.
    #[must_use]
    pub fn not_compared(attack: Attack, what: &'static str, why: impl Into<String>) -> Outcome {
        let figure = Figure { what, value: 0.0, unit: Unit::Count };
        Outcome::new(attack, Severity::NotCompared, figure, why)
    }

    /// An attack that lays rows beside each other by the quasi-identifiers of two releases, where they share none: composition tries
    /// other cells.
    #[must_use]
    pub(super) fn without_quasi_identifiers(attack: Attack) -> Outcome {
        let figure = Figure { what: "quasi-identifiers of both releases", value: 0.0, unit: Unit::Count };
        let result = "The releases share no quasi-identifier by which rows could be laid beside each other.";
        Outcome::new(attack, Severity::NothingFound, figure, result)
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
        !matches!(self.severity, Severity::Covered | Severity::NothingFound)
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
        let of = |figure, bound| Severity::of(figure, Unit::Share, bound, 0.0);
        assert_eq!(of(0.2, Some(0.2)), Severity::Covered);
        assert_eq!(of(0.1 + 0.2, Some(0.3)), Severity::Covered);
        assert_eq!(of(0.25, Some(0.2)), Severity::Broken);
        assert_eq!(of(0.25, None), Severity::Residual);
        assert_eq!(of(0.0, None), Severity::NothingFound);
    }

    #[test]
    fn a_promise_that_allows_anything_covers_nothing() {
        let of = |figure, unit, bound| Severity::of(figure, unit, Some(bound), 0.2);
        assert_eq!(of(0.5, Unit::Share, 1.0), Severity::Residual, "k = 1");
        assert_eq!(of(0.1, Unit::Share, 1.0), Severity::NothingFound, "k = 1, and nobody is exposed");
        assert_eq!(of(0.5, Unit::Share, 0.5), Severity::Covered);
        assert_eq!(of(0.95, Unit::Share, 0.999), Severity::Residual, "odds of 19 and 999");
        assert_eq!(of(0.85, Unit::Share, 0.9), Severity::Covered, "odds of 5.7 and 9");
        assert_eq!(of(70.0, Unit::Factor, 1_342.0), Severity::Residual);
        assert_eq!(of(70.0, Unit::Factor, 71.0), Severity::Covered);
        let figure = Figure { what: "largest factor", value: 70.0, unit: Unit::Factor };
        let bound = Bound { value: 1_342.0, from: "a small t".to_owned() };
        let outcome = Outcome::new(Attack::Skewness, Severity::Residual, figure, "70 times.");
        let told = outcome.against(Some(bound)).told_if_loose().result;
        assert_eq!(told, "70 times. The promise allows up to 1342.0, so it holds nothing back here.");
    }

    #[test]
    fn numbers_read_well() {
        assert_eq!([percent(0.5), percent(0.12345), percent(1.0)], ["50 %", "12.35 %", "100 %"]);
    }
}
