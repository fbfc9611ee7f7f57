//! What was rewritten, what was refused, and what must still be checked.

use super::cost::Cost;
use super::notation::{names, one_line};
use super::place::Place;
use super::{Kind, Rewrite, Rule, Safe, Way};
use crate::operator::{Generalization, Operator, Slicing};
use datafusion::logical_expr::LogicalPlan;
use serde::ser::SerializeStruct;
use serde::{Serialize, Serializer};
use std::fmt;

/// One application or refusal of a rule.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(tag = "event", rename_all = "kebab-case")]
pub enum Event {
    /// A rule was applied.
    Applied(Application),
    /// A rule would have fitted, but was not applied.
    Refused(Refusal),
}

/// A rule that was applied.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Application {
    /// `G9`
    pub rule: &'static str,
    /// Which side was found.
    pub way: Way,
    /// Where, in the plan as it was then.
    pub place: Place,
    /// The node and all below it, in one line.
    pub before: String,
    /// What replaced it.
    pub after: String,
    /// What is the same.
    pub kind: Kind,
    /// Whether the guarantee holds again.
    pub safe: Safe,
    /// Why it was allowed.
    pub because: String,
    /// The price of the whole plan before and after, where it was asked for.
    pub cost: Option<(Cost, Cost)>,
}

/// A rule that fitted and was not applied.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Refusal {
    /// `G14`
    pub rule: &'static str,
    /// Which side was found.
    pub way: Way,
    /// Where, in the plan as it was then.
    pub place: Place,
    /// The node and all below it, in one line.
    pub before: String,
    /// Why not, and what can be done about it.
    pub because: String,
}

/// What a node must keep again.
#[derive(Debug, Clone, PartialEq)]
pub enum Demand {
    /// The promise of a generalization, over its quasi-identifiers.
    Generalization(Generalization),
    /// The least rows per bucket of a slicing.
    Slicing(Slicing),
}

/// A node of the finished plan whose result must be verified after execution, before it is released.
#[derive(Debug, Clone, PartialEq)]
pub struct Recheck {
    /// The rule that owes the check.
    pub rule: &'static str,
    /// The node, in the finished plan: no later rewrite moves it.
    pub place: Place,
    /// What its rows must keep.
    pub demand: Demand,
}

impl Recheck {
    /// What is owed where the node `before` was replaced by one that may break its guarantee: that of its uppermost operator.
    pub(super) fn owed(rule: &dyn Rule, place: &Place, before: &LogicalPlan) -> Option<Recheck> {
        let demand = match Operator::of(before) {
            Some(Operator::Generalize(node)) => Demand::Generalization(node.what().clone()),
            Some(Operator::Slice(node)) => Demand::Slicing(node.what().clone()),
            Some(Operator::Randomize(_) | Operator::Private(_)) => return None,
            None => {
                return before.inputs().into_iter().find_map(|input| Recheck::owed(rule, place, input));
            }
        };
        Some(Recheck { rule: rule.card().id, place: place.clone(), demand })
    }

    /// The node to verify.
    pub fn node<'a>(&self, plan: &'a LogicalPlan) -> Option<&'a LogicalPlan> {
        self.place.of(plan)
    }
}

/// `[day], k = 3`
impl fmt::Display for Demand {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Demand::Generalization(what) => write!(f, "[{}], {}", names(&what.quasi), what.promise),
            Demand::Slicing(what) => write!(f, "buckets of at least {} rows", what.least_rows),
        }
    }
}

impl Serialize for Recheck {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut fields = serializer.serialize_struct("Recheck", 3)?;
        fields.serialize_field("rule", self.rule)?;
        fields.serialize_field("place", &self.place)?;
        fields.serialize_field("demand", &self.demand.to_string())?;
        fields.end()
    }
}

/// The log of a rewriting. It holds column names, promises and reasons, no literal of the query and no cell.
#[derive(Debug, Clone, Default, PartialEq, Serialize)]
pub struct Trace {
    /// Applications in their order; then the refusals that stand in the finished plan.
    pub events: Vec<Event>,
    /// What must be verified before the result is released.
    pub rechecks: Vec<Recheck>,
}

impl Trace {
    /// The applications, in their order.
    pub fn applied(&self) -> impl Iterator<Item = &Application> {
        self.events.iter().filter_map(|event| match event {
            Event::Applied(application) => Some(application),
            Event::Refused(_) => None,
        })
    }

    /// The refusals.
    pub fn refused(&self) -> impl Iterator<Item = &Refusal> {
        self.events.iter().filter_map(|event| match event {
            Event::Refused(refusal) => Some(refusal),
            Event::Applied(_) => None,
        })
    }

    pub(super) fn note(&mut self, step: Step<'_>, rewrite: &Rewrite, cost: Option<(Cost, Cost)>) {
        if rewrite.safe == Safe::AfterCheck {
            self.rechecks.extend(Recheck::owed(step.rule, step.place, step.before));
        }
        self.events.push(Event::Applied(Application {
            rule: step.rule.card().id,
            way: step.way,
            place: step.place.clone(),
            before: one_line(step.before),
            after: one_line(&rewrite.plan),
            kind: rewrite.kind,
            safe: rewrite.safe,
            because: rewrite.because.clone(),
            cost,
        }));
    }
}

/// A rule tried one way at one node.
#[derive(Debug, Clone, Copy)]
pub(super) struct Step<'a> {
    pub(super) rule: &'static dyn Rule,
    pub(super) way: Way,
    pub(super) place: &'a Place,
    pub(super) before: &'a LogicalPlan,
}

impl Step<'_> {
    pub(super) fn refusal(&self, because: String) -> Refusal {
        Refusal {
            rule: self.rule.card().id,
            way: self.way,
            place: self.place.clone(),
            before: one_line(self.before),
            because,
        }
    }
}

impl fmt::Display for Application {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let kind = match self.kind {
            Kind::Equivalent => "equivalent",
            _ => "partially equivalent",
        };
        let safe = match self.safe {
            Safe::Yes => "safe",
            Safe::AfterCheck => "to be checked again",
            Safe::No => "not safe",
        };
        writeln!(f, "{}, {}, at {}: {kind}, {safe}", self.rule, self.way, self.place)?;
        writeln!(f, "    from {}", self.before)?;
        writeln!(f, "    to   {}", self.after)?;
        write!(f, "    {}", self.because)?;
        match self.cost {
            Some((before, after)) => write!(f, "\n    {before} before, {after} after"),
            None => Ok(()),
        }
    }
}

impl fmt::Display for Refusal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "{}, {}, at {}: refused", self.rule, self.way, self.place)?;
        writeln!(f, "    for  {}", self.before)?;
        write!(f, "    {}", self.because)
    }
}

impl fmt::Display for Recheck {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: the rows of {} must keep {}", self.rule, self.place, self.demand)
    }
}

/// A paragraph per event, then what is still owed.
impl fmt::Display for Trace {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.events.is_empty() {
            return writeln!(f, "no rule applies");
        }
        for event in &self.events {
            match event {
                Event::Applied(application) => writeln!(f, "{application}")?,
                Event::Refused(refusal) => writeln!(f, "{refusal}")?,
            }
        }
        if !self.rechecks.is_empty() {
            writeln!(f, "to be verified after execution, before anything is released:")?;
        }
        self.rechecks.iter().try_for_each(|recheck| writeln!(f, "    {recheck}"))
    }
}
