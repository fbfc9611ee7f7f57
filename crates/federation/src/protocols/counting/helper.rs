//! Protocol C, the helper: searches a table in which it can count nothing.
//!
//! Learns  sizes with made-up rows, equality of cells per column, the answers; where rows may be suppressed, which classes of
//!         the chosen node are not kept.
//! Trust   semi-honest, does not collude with a primary party.
//! Cost    a round trip per check: a counter per class out, dealt to the primary parties, an answer of the first back.

use super::table::CountedTable;
use crate::crypto::ElGamalPublic;
use crate::engine::{
    Asked, LossBounds, RemoteProblem, RemoteSearch, VisibleRows, counted_case, holder_model,
    quasi_identifiers,
};
use crate::error::ProtocolError;
use crate::outcome::{Facts, Outcome};
use crate::parties::PartyId;
use crate::plan::Plan;
use crate::protocols::fit::{self, Carries};
use crate::protocols::helper::searching::{integrate, missing};
use crate::protocols::{Context, Outbox, Phase, State, Stepped, done, next, unexpected};
use crate::wire::{Check, EncryptedPart, Message};
use paravent_core::exact::Fraction;
use paravent_core::lattice::Node;
use paravent_core::quality::Reads;
use paravent_core::search::SearchReport;
use paravent_core::task::QuasiIdentifiers;
use std::collections::BTreeMap;

pub(in crate::protocols) fn start() -> Stepped {
    next(Collecting { key: None, parts: BTreeMap::new() }, Vec::new())
}

/// Waits for the key of the counters and the parts.
struct Collecting {
    key: Option<ElGamalPublic>,
    parts: BTreeMap<PartyId, EncryptedPart>,
}

impl State for Collecting {
    fn phase(&self) -> Phase {
        Phase::Integrate
    }

    fn wants(&self, context: &Context<'_>) -> Vec<PartyId> {
        missing(context.plan, &self.parts)
    }

    fn step(mut self: Box<Self>, message: Option<(PartyId, Message)>, context: &mut Context<'_>) -> Stepped {
        match message {
            Some((PartyId(0), Message::CounterKey(key))) if self.key.is_none() => {
                self.key = Some(ElGamalPublic::from_bytes(&key)?);
                return next(*self, Vec::new());
            }
            Some((from, Message::Part(part))) if from.0 > 0 || self.key.is_some() => {
                fit::part(context, from, &part, &context.plan.columns_of(from), Carries::Counters)?;
                self.parts.insert(from, part);
            }
            other => return Err(unexpected(other, context.me)),
        }
        if !missing(context.plan, &self.parts).is_empty() {
            return next(*self, Vec::new());
        }
        let key = self.key.ok_or(ProtocolError::Unfit { from: PartyId(0), why: "no key of the counters" })?;
        next(Starting { key, parts: self.parts }, Vec::new())
    }
}

/// Has everything.
struct Starting {
    key: ElGamalPublic,
    parts: BTreeMap<PartyId, EncryptedPart>,
}

impl State for Starting {
    fn phase(&self) -> Phase {
        Phase::Integrate
    }

    fn wants(&self, _: &Context<'_>) -> Vec<PartyId> {
        Vec::new()
    }

    fn step(self: Box<Self>, _: Option<(PartyId, Message)>, context: &mut Context<'_>) -> Stepped {
        let (part, origins) = integrate(context.plan, self.parts)?;
        let (table, coded) = CountedTable::new(part, origins, self.key, context)?;
        let mut outbox = Vec::new();
        if let Some(totals) = table.totals(&coded, context) {
            let primaries = (0..context.plan.primaries()).map(PartyId);
            outbox.extend(primaries.map(|party| (party, Message::Totals(totals.clone()))));
        }
        if context.plan.metric_reads_values() {
            outbox.push((PartyId(0), Message::Profile(table.profile(&coded, context))));
        }
        let columns = quasi_identifiers(context.plan, &coded)?;
        let visible = table.visible(context.plan);
        let (search, asked) = RemoteSearch::start(problem(context.plan, columns, visible)?)?;
        let (next, more) = go_on(table, search, asked, context)?;
        outbox.extend(more);
        Ok((next, outbox))
    }
}

fn problem(
    plan: &Plan,
    columns: QuasiIdentifiers,
    visible: VisibleRows,
) -> Result<RemoteProblem, ProtocolError> {
    let (criteria, case) = counted_case(plan)?;
    let bounds = match plan.metric.reads() {
        Reads::Levels => {
            let model = holder_model(plan, None, 1, criteria.least_class_size())?;
            LossBounds::OfLevels(plan.metric, Box::new(model))
        }
        _ if plan.asks_about_columns() => LossBounds::OfColumns,
        _ => LossBounds::Unknown,
    };
    Ok(RemoteProblem { columns, case, algorithm: plan.algorithm, bounds, visible })
}

/// The next question of the search, or what follows its end.
fn go_on(mut table: CountedTable, search: RemoteSearch, asked: Asked, context: &mut Context<'_>) -> Stepped {
    match asked {
        Asked::About(node) => {
            let shares = table.question(&node, context);
            let outbox = dealt(shares, Message::Check);
            next(Asking { table, search }, outbox)
        }
        Asked::Done(report) => {
            let Some(facts) = facts(&report) else {
                let mut outbox = searched(context);
                outbox.push((PartyId(0), Message::Release(None)));
                return done(Outcome::Infeasible, outbox);
            };
            next(Found { table, facts }, Vec::new())
        }
    }
}

/// The search is over.
struct Found {
    table: CountedTable,
    facts: Facts,
}

impl State for Found {
    fn phase(&self) -> Phase {
        Phase::Release
    }

    fn wants(&self, _: &Context<'_>) -> Vec<PartyId> {
        Vec::new()
    }

    fn step(self: Box<Self>, _: Option<(PartyId, Message)>, context: &mut Context<'_>) -> Stepped {
        let Found { table, facts } = *self;
        if context.plan.suppression_limit == Fraction::ZERO && !context.plan.marks_rows() {
            return release(table, facts, None, context);
        }
        let (shares, order) = table.last_question(&Node::new(facts.node.clone()), context);
        let outbox = dealt(shares, Message::Finish);
        next(Finishing { table, facts, order, fates: BTreeMap::new() }, outbox)
    }
}

fn release(table: CountedTable, facts: Facts, kept: Option<&[bool]>, context: &mut Context<'_>) -> Stepped {
    let release = Some(table.release(facts, kept, context)?);
    let release = context.conduct.hands_out(release, &EncryptedPart::default(), context.plan);
    let mut outbox = searched(context);
    outbox.push((PartyId(0), Message::Release(release)));
    done(Outcome::Contributed, outbox)
}

/// A share of the classes for each primary party, in order.
fn dealt(shares: Vec<Check>, as_message: impl Fn(Check) -> Message) -> Outbox {
    (0..).map(PartyId).zip(shares.into_iter().map(as_message)).collect()
}

/// The others hear that there is nothing more to count.
fn searched(context: &Context<'_>) -> Outbox {
    context.plan.others(PartyId(0)).into_iter().map(|party| (party, Message::Searched)).collect()
}

fn facts(report: &SearchReport) -> Option<Facts> {
    let best = report.best.as_ref()?;
    Some(Facts {
        node: best.node.levels().to_vec(),
        loss: best.loss,
        suppressed_rows: 0,
        checks: report.checks,
        subset_tests: report.subset_tests,
        optimal: report.optimal,
    })
}

/// Waits for an answer.
struct Asking {
    table: CountedTable,
    search: RemoteSearch,
}

impl State for Asking {
    fn phase(&self) -> Phase {
        Phase::Search
    }

    fn wants(&self, _: &Context<'_>) -> Vec<PartyId> {
        vec![PartyId(0)]
    }

    fn step(self: Box<Self>, message: Option<(PartyId, Message)>, context: &mut Context<'_>) -> Stepped {
        let Some((_, Message::Answer(answer))) = message else { return Err(unexpected(message, context.me)) };
        let asked = self.search.answer(answer)?;
        go_on(self.table, self.search, asked, context)
    }
}

/// Waits to hear which classes are kept.
struct Finishing {
    table: CountedTable,
    facts: Facts,
    /// By party: the classes of its share, in the order of the question.
    order: Vec<Vec<u32>>,
    /// By party: what becomes of them.
    fates: BTreeMap<PartyId, Vec<bool>>,
}

impl State for Finishing {
    fn phase(&self) -> Phase {
        Phase::Release
    }

    fn wants(&self, context: &Context<'_>) -> Vec<PartyId> {
        let primaries = (0..context.plan.primaries()).map(PartyId);
        primaries.filter(|party| !self.fates.contains_key(party)).collect()
    }

    fn step(mut self: Box<Self>, message: Option<(PartyId, Message)>, context: &mut Context<'_>) -> Stepped {
        let Some((from, Message::Fates(fates))) = message else {
            return Err(unexpected(message, context.me));
        };
        if self.order.get(usize::from(from.0)).map(Vec::len) != Some(fates.len()) {
            return Err(ProtocolError::Unfit { from, why: "fates of another number of classes" });
        }
        self.fates.insert(from, fates);
        if self.fates.len() < self.order.len() {
            return next(*self, Vec::new());
        }
        let mut kept = vec![false; self.order.iter().map(Vec::len).sum()];
        for (&class, &fate) in self.order.iter().flatten().zip(self.fates.values().flatten()) {
            kept[class as usize] = fate;
        }
        release(self.table, self.facts, Some(&kept), context)
    }
}
