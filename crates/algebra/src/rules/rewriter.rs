//! Applies rules to a plan and keeps a log of it.
//!
//! [`Rewriter::improve`] looks for a cheaper plan; [`Rewriter::exactly`] and [`Rewriter::in_turn`] apply chosen rules wherever they fit.
//! They come to rest:
//!
//! * `improve` takes only steps that lower the [`Cost`] of the whole plan. A cost is four natural numbers compared one after the
//!   other, and such numbers have no infinite descent. The first of them is about raw rows that leave the place where they live.
//! * the others take each chosen rule once, in the catalogue's order or the one given, through the plan: down from the root, and up
//!   again where something below has changed. They use a rule at most once at a node, do not enter a stack of operators that the rule
//!   itself has just made, leave alone what is below a removal of duplicates that the rule has refused, and never use a rule more often
//!   than the plan had nodes when the walk began.
//!
//! The order is fixed: equivalent rewrites before partially equivalent ones, of these the one that makes the plan cheapest, and of
//! several such the first: nodes from the root down and from the first input on, rules in the catalogue's order, left to right
//! before right to left. The same plan and facts give the same result. Equations are put into the joins they belong to, and renamings
//! and selections above joins are moved out of the way first; places in the log are those of the plan after that.

use super::cost::Cost;
use super::equations::equations_into_joins;
use super::names::{names_below_joined, names_up};
use super::place::Place;
use super::reach::{Above, obstacle, rank_matters};
use super::selections::selections_down;
use super::site;
use super::trace::{Event, Refusal, Step, Trace};
use super::{Attempt, Choice, Facts, Kind, Rewrite, Rule, Safe, Switch, Switches, Way};
use crate::operator::Operator;
use datafusion::common::tree_node::{Transformed, TreeNode};
use datafusion::common::{DFSchema, DataFusionError, Result};
use datafusion::logical_expr::{Distinct, LogicalPlan};
use std::str::FromStr;

/// Whether rewrites may change which labels or which mixture the result shows.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Consent {
    /// Only rewrites after which the result is the same.
    #[default]
    EquivalentOnly,
    /// Also those that keep the number of rows and everything that is not anonymized, but may choose other levels or mix other rows.
    Partial,
}

/// `equivalent-only` or `partial`.
impl FromStr for Consent {
    type Err = String;

    fn from_str(text: &str) -> std::result::Result<Consent, String> {
        match text {
            "equivalent-only" => Ok(Consent::EquivalentOnly),
            "partial" => Ok(Consent::Partial),
            _ => Err(format!("{text:?} is no consent; write equivalent-only or partial")),
        }
    }
}

/// A plan after rewriting, and how it came about.
#[derive(Debug, Clone, PartialEq)]
pub struct Rewritten {
    /// The plan.
    pub plan: LogicalPlan,
    /// The log.
    pub trace: Trace,
}

/// Rules at work on plans.
#[derive(Clone)]
pub struct Rewriter<'a> {
    facts: &'a dyn Facts,
    switches: Switches,
    consent: Consent,
}

impl<'a> Rewriter<'a> {
    /// The default pipeline on what is known about the data, without consent to partial rewrites.
    pub fn new(facts: &'a dyn Facts) -> Rewriter<'a> {
        Rewriter { facts, switches: Switches::default(), consent: Consent::default() }
    }

    /// With these rules.
    #[must_use]
    pub fn with_switches(mut self, switches: Switches) -> Rewriter<'a> {
        self.switches = switches;
        self
    }

    /// With or without consent to partial rewrites.
    #[must_use]
    pub fn with_consent(mut self, consent: Consent) -> Rewriter<'a> {
        self.consent = consent;
        self
    }

    /// Uses the rules that are on as long as one of them makes the plan cheaper.
    pub fn improve(&self, given: LogicalPlan) -> Result<Rewritten> {
        let mut plan = self.prepared(given.clone())?;
        let rules = self.switches.rules();
        let mut trace = Trace::default();
        loop {
            let cost = Cost::of(&plan, self.facts);
            let mut search = Improvement {
                rewriter: self,
                plan: &plan,
                cost,
                trace: &trace,
                equivalent: None,
                partial: None,
                refused: Vec::new(),
            };
            search.look(&rules)?;
            let refused = search.refused;
            let Some(found) = search.equivalent.or(search.partial) else {
                return Ok(finished(given, plan, trace, refused));
            };
            let before = found.place.of(&plan).unwrap_or(&plan);
            let step = Step { rule: found.rule, way: found.way, place: &found.place, before };
            trace.note(step, &found.rewrite, Some((cost, found.cost)));
            plan = found.whole;
        }
    }

    /// Applies each rule that is on wherever it fits, without asking what it costs: in the catalogue's order, one way, left to right
    /// unless the switch or the card says otherwise.
    pub fn exactly(&self, given: LogicalPlan) -> Result<Rewritten> {
        let chosen = |rule: &'static dyn Rule| {
            let way = match self.switches.of(rule) {
                Switch::Chosen(way) => way,
                Switch::Default | Switch::Off => None,
            };
            Choice { rule, way, within: None }
        };
        let steps: Vec<Choice> = self.switches.rules().into_iter().map(chosen).collect();
        self.walk(given, &steps)
    }

    /// Applies these rules, one after the other in the order given, each wherever it fits. The switches do not matter.
    pub fn in_turn(&self, given: LogicalPlan, steps: &[Choice]) -> Result<Rewritten> {
        let asked_for =
            |switches: Switches, step: &Choice| switches.with(step.rule, Switch::Chosen(step.way));
        let switches = steps.iter().fold(Switches::none(), asked_for);
        self.clone().with_switches(switches).walk(given, steps)
    }

    fn walk(&self, given: LogicalPlan, steps: &[Choice]) -> Result<Rewritten> {
        let mut plan = self.prepared(given.clone())?;
        let mut trace = Trace::default();
        let mut refused = Vec::new();
        for Choice { rule, way, within } in steps {
            let ways = match (way, rule.card().direction.ways()) {
                (Some(way), _) => std::slice::from_ref(way),
                // A rule that does not hold: whichever side it finds, it says why.
                (None, []) => &[Way::LeftToRight, Way::RightToLeft],
                (None, ways) => &ways[..1],
            };
            for &way in ways {
                let before = trace.events.len() + refused.len();
                let left = usize::try_from(Cost::of(&plan, self.facts).nodes).unwrap_or(usize::MAX);
                let mut walk = Walk {
                    rewriter: self,
                    rule: *rule,
                    way,
                    within: within.as_ref(),
                    left,
                    above: Vec::new(),
                    trace: &mut trace,
                    refused: &mut refused,
                };
                plan = walk.through(plan, &Place::root(), Here::Try)?.0;
                if trace.events.len() + refused.len() > before {
                    break;
                }
            }
        }
        Ok(finished(given, plan, trace, refused))
    }

    /// The same relation with equations in the joins they belong to, and with renamings, and selections above joins, out of the
    /// operators' way, unless that costs something.
    fn prepared(&self, given: LogicalPlan) -> Result<LogicalPlan> {
        let plan = names_up(equations_into_joins(given)?)?;
        let moved = names_up(selections_down(plan.clone())?)?;
        let pays = Cost::of(&moved, self.facts) <= Cost { nodes: u64::MAX, ..Cost::of(&plan, self.facts) };
        names_below_joined(if pays { moved } else { plan })
    }

    /// Tries a rule at a node. The outer error is a plan that cannot be built, the inner one a refusal.
    fn attempt(&self, step: Step<'_>) -> Result<Option<std::result::Result<Rewrite, String>>> {
        let rewrite = match step.rule.attempt(step.before, step.way, self.facts)? {
            Attempt::NoMatch => return Ok(None),
            Attempt::Refused(because) => return Ok(Some(Err(because))),
            Attempt::Rewritten(rewrite) => rewrite,
        };
        same_schema(step.rule, step.before.schema(), rewrite.plan.schema())?;
        Ok(Some(Ok(rewrite)))
    }

    /// Why a rewrite that the rule allows is not wanted, below these nodes.
    fn objection(&self, step: Step<'_>, rewrite: &Rewrite, above: &[Above]) -> Option<String> {
        let id = step.rule.card().id;
        if rewrite.safe == Safe::No {
            return Some("the guarantee would not hold afterwards".to_owned());
        }
        if let Some(because) = site::objection(step.before, &rewrite.plan, self.facts) {
            return Some(because);
        }
        if !step.rule.keeps_rank() && rank_matters(above) {
            return Some(
                "a slicing above cuts the rows into windows of their rank, and after the rewrite they have another one"
                    .to_owned(),
            );
        }
        if rewrite.kind != Kind::Equivalent && self.consent == Consent::EquivalentOnly {
            return Some(
                "only partially equivalent: the rows and everything that is not anonymized stay, but other labels or another mixture may come out; \
                 consent with --allow-partial (in SQL: SET paravent.partial = true)"
                    .to_owned(),
            );
        }
        if rewrite.safe == Safe::AfterCheck && !matches!(self.switches.of(step.rule), Switch::Chosen(_)) {
            return Some(format!("the result would have to be checked again; ask for {id} by name to do so"));
        }
        match rewrite.kind {
            Kind::Equivalent => None,
            _ => obstacle(above, step.before),
        }
    }
}

/// A step that makes the plan cheaper.
struct Found {
    rule: &'static dyn Rule,
    way: Way,
    place: Place,
    rewrite: Rewrite,
    whole: LogicalPlan,
    cost: Cost,
}

/// One look at a whole plan.
struct Improvement<'r, 'a> {
    rewriter: &'r Rewriter<'a>,
    plan: &'r LogicalPlan,
    cost: Cost,
    trace: &'r Trace,
    /// The best equivalent step.
    equivalent: Option<Found>,
    /// The best partially equivalent step; taken if there is no equivalent one.
    partial: Option<Found>,
    refused: Vec<Refusal>,
}

impl Improvement<'_, '_> {
    /// Finds the steps that pay best.
    fn look(&mut self, rules: &[&'static dyn Rule]) -> Result<()> {
        for place in places(self.plan) {
            if self.trace.rechecks.iter().any(|recheck| place.covers(&recheck.place)) {
                continue;
            }
            for &rule in rules {
                let ways = match self.rewriter.switches.of(rule) {
                    Switch::Chosen(Some(Way::LeftToRight)) => &[Way::LeftToRight],
                    Switch::Chosen(Some(Way::RightToLeft)) => &[Way::RightToLeft],
                    Switch::Chosen(None) if rule.card().direction.ways().is_empty() => {
                        &[Way::LeftToRight, Way::RightToLeft][..]
                    }
                    _ => rule.card().direction.ways(),
                };
                for &way in ways {
                    let Some(found) = self.try_at(rule, way, &place)? else { continue };
                    let best = match found.rewrite.kind {
                        Kind::Equivalent => &mut self.equivalent,
                        _ => &mut self.partial,
                    };
                    if best.as_ref().is_none_or(|best| found.cost < best.cost) {
                        *best = Some(found);
                    }
                }
            }
        }
        Ok(())
    }

    fn try_at(&mut self, rule: &'static dyn Rule, way: Way, place: &Place) -> Result<Option<Found>> {
        let Some(before) = place.of(self.plan) else { return Ok(None) };
        let step = Step { rule, way, place, before };
        let rewriter = self.rewriter;
        let rewrite = match rewriter.attempt(step)? {
            None => return Ok(None),
            Some(Err(because)) => {
                self.refused.push(step.refusal(because));
                return Ok(None);
            }
            Some(Ok(rewrite)) => rewrite,
        };
        let whole = replaced(self.plan, place.steps(), &rewrite.plan)?;
        let cost = Cost::of(&whole, rewriter.facts);
        if cost >= self.cost {
            return Ok(None);
        }
        if let Some(because) = rewriter.objection(step, &rewrite, &above(self.plan, place)) {
            self.refused.push(step.refusal(because));
            return Ok(None);
        }
        Ok(Some(Found { rule, way, place: place.clone(), rewrite, whole, cost }))
    }
}

/// Whether the rule is tried at the node that a walk has come to.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Here {
    Try,
    /// The rule has just made this node itself.
    Pass,
}

/// One rule on its way through a plan.
struct Walk<'r, 'a> {
    rewriter: &'r Rewriter<'a>,
    rule: &'static dyn Rule,
    way: Way,
    /// The part of the plan that it is meant for.
    within: Option<&'r Place>,
    /// How often it may still be used.
    left: usize,
    /// The nodes above the one it has come to.
    above: Vec<Above>,
    trace: &'r mut Trace,
    refused: &'r mut Vec<Refusal>,
}

impl Walk<'_, '_> {
    /// The plan with the rule applied in it, and whether it is another one.
    fn through(&mut self, plan: LogicalPlan, place: &Place, here: Here) -> Result<(LogicalPlan, bool)> {
        let (mut plan, mut refusal, mut used) = (plan, None, false);
        if here == Here::Try {
            match self.try_at(&plan, place)? {
                Some(Ok(rewritten)) => (plan, used) = (rewritten, true),
                Some(Err(refused)) => refusal = Some(refused),
                None => {}
            }
        }
        let own_stack =
            used && Operator::of(&plan).is_some_and(|outer| Operator::of(outer.input()).is_some());
        // A rule that refused it as a whole does not fit a part of it.
        let passed = own_stack || (refusal.is_some() && drops_duplicates(&plan));
        let mut changed = false;
        let mut inputs = Vec::new();
        for (position, input) in plan.inputs().into_iter().enumerate() {
            let below = if passed { Here::Pass } else { Here::Try };
            self.above.push((plan.clone(), position));
            let (input, other) = self.through(input.clone(), &place.input(position), below)?;
            self.above.pop();
            changed |= other;
            inputs.push(input);
        }
        if changed {
            plan = with_inputs(plan, inputs)?;
            if here == Here::Try && !used {
                refusal = None;
                match self.try_at(&plan, place)? {
                    Some(Ok(rewritten)) => plan = rewritten,
                    Some(Err(refused)) => refusal = Some(refused),
                    None => {}
                }
            }
        }
        self.refused.extend(refusal);
        Ok((plan, used || changed))
    }

    fn try_at(
        &mut self,
        plan: &LogicalPlan,
        place: &Place,
    ) -> Result<Option<std::result::Result<LogicalPlan, Refusal>>> {
        if self.within.is_some_and(|within| !within.covers(place)) {
            return Ok(None);
        }
        let step = Step { rule: self.rule, way: self.way, place, before: plan };
        let rewrite = match self.rewriter.attempt(step)? {
            None => return Ok(None),
            Some(Err(because)) => return Ok(Some(Err(step.refusal(because)))),
            Some(Ok(rewrite)) => rewrite,
        };
        if let Some(because) = self.rewriter.objection(step, &rewrite, &self.above) {
            return Ok(Some(Err(step.refusal(because))));
        }
        if self.trace.rechecks.iter().any(|recheck| place.covers(&recheck.place)) {
            let because = "a node here or below must be checked again and has to stay where it is".to_owned();
            return Ok(Some(Err(step.refusal(because))));
        }
        if self.left == 0 {
            let because = "the rule has been used as often as the plan had nodes".to_owned();
            return Ok(Some(Err(step.refusal(because))));
        }
        self.left -= 1;
        self.trace.note(step, &rewrite, None);
        Ok(Some(Ok(rewrite.plan)))
    }
}

/// Whether a node and its input are one: a projection or union that drops duplicates, which is what documents and most rules call it.
fn drops_duplicates(plan: &LogicalPlan) -> bool {
    match plan {
        LogicalPlan::Distinct(Distinct::All(input)) => {
            matches!(**input, LogicalPlan::Projection(_) | LogicalPlan::Union(_))
        }
        _ => false,
    }
}

/// The end of a rewriting: the plan as it was given, where no rule was applied to it.
fn finished(given: LogicalPlan, plan: LogicalPlan, mut trace: Trace, refused: Vec<Refusal>) -> Rewritten {
    let plan = if trace.events.is_empty() { given } else { plan };
    trace.events.extend(refused.into_iter().map(Event::Refused));
    Rewritten { plan, trace }
}

/// All nodes, each before those below it, inputs in their order.
fn places(plan: &LogicalPlan) -> Vec<Place> {
    fn below(plan: &LogicalPlan, place: Place, places: &mut Vec<Place>) {
        let inputs = plan.inputs();
        let next: Vec<Place> = (0..inputs.len()).map(|position| place.input(position)).collect();
        places.push(place);
        inputs.into_iter().zip(next).for_each(|(input, place)| below(input, place, places));
    }
    let mut places = Vec::new();
    below(plan, Place::root(), &mut places);
    places
}

/// The nodes above a place, from the root down.
fn above(plan: &LogicalPlan, place: &Place) -> Vec<Above> {
    let mut node = plan;
    let mut above = Vec::new();
    for &position in place.steps() {
        above.push((node.clone(), position));
        let Some(&input) = node.inputs().get(position) else { break };
        node = input;
    }
    above
}

/// The plan with another node at a place.
fn replaced(plan: &LogicalPlan, steps: &[usize], node: &LogicalPlan) -> Result<LogicalPlan> {
    let Some((&position, rest)) = steps.split_first() else { return Ok(node.clone()) };
    let mut inputs: Vec<LogicalPlan> = plan.inputs().into_iter().cloned().collect();
    if let Some(input) = inputs.get_mut(position) {
        *input = replaced(input, rest, node)?;
    }
    with_inputs(plan.clone(), inputs)
}

fn with_inputs(plan: LogicalPlan, inputs: Vec<LogicalPlan>) -> Result<LogicalPlan> {
    let mut inputs = inputs.into_iter();
    let plan = plan.map_children(|old| Ok(Transformed::yes(inputs.next().unwrap_or(old))))?.data;
    plan.recompute_schema()
}

/// A rule may not change what the columns are called or which type they have; that is an error of the rule.
fn same_schema(rule: &dyn Rule, before: &DFSchema, after: &DFSchema) -> Result<()> {
    let columns = |schema: &DFSchema| -> Vec<_> {
        schema
            .iter()
            .map(|(qualifier, field)| (qualifier.cloned(), field.name().clone(), field.data_type().clone()))
            .collect()
    };
    match columns(before) == columns(after) {
        true => Ok(()),
        false => {
            Err(DataFusionError::Internal(format!("rule {} changes the columns of a plan", rule.card().id)))
        }
    }
}
