//! Protocol C, the helper: searches a table in which it can count nothing.
//!
//! Learns  sizes with made-up rows, equality of cells per column, the answers; where rows may be suppressed, which classes of
//!         the chosen node are not kept.
//! Trust   semi-honest, does not collude with a primary party.
//! Cost    a round trip per check: a counter per class out, an answer back.

use super::fit::{self, Carries};
use super::helper::{integrate, missing};
use super::sealing::seal_release;
use super::{Context, Phase, State, Stepped, done, next, unexpected};
use crate::crypto::{
    AdditiveCounters, ElGamal, ElGamalCounter, ElGamalPublic, permutation, permute, shuffle,
};
use crate::engine::{
    Asked, CodedTable, RemoteProblem, RemoteSearch, Space, View, class_criteria, holder_model, views,
};
use crate::error::ProtocolError;
use crate::outcome::{Facts, Outcome};
use crate::parties::PartyId;
use crate::plan::Plan;
use crate::wire::{Check, ClassCounters, CounterList, EncryptedPart, Message, ProfileColumn};
use paravent_core::criteria::{Criteria, Suppression};
use paravent_core::exact::Fraction;
use paravent_core::grouping::Grouper;
use paravent_core::hierarchy::Ladder;
use paravent_core::lattice::Node;
use paravent_core::quality::Metric;
use paravent_core::search::{Case, SearchReport};
use paravent_core::table::FrequencyTable;
use std::collections::BTreeMap;

pub(super) fn start() -> Stepped {
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

/// The encrypted table with its counters, ready for questions.
struct CountedTable {
    key: ElGamalPublic,
    part: EncryptedPart,
    tuple_of_row: Vec<u32>,
    frequencies: FrequencyTable,
    ladders: Vec<Ladder>,
    /// By view: tuple, code and the sum of their counters.
    sums: Vec<Vec<(u32, u32, ElGamalCounter)>>,
    counters: Vec<ElGamalCounter>,
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
        let rows: Vec<u32> = (0..part.rows).collect();
        let part = part.rows_at(&rows);
        let coded = CodedTable::of_tokens(context.plan, &part, origins)?;
        let (frequencies, tuple_of_row, _) = coded.frequencies(context.plan, &[])?;
        let space = Space::new(context.plan, &coded)?;
        let counters = ElGamalCounter::read_all(&part.counters.0)?;
        let sums = sums_by_view(context.plan, &coded, &tuple_of_row, &counters);
        let table = CountedTable {
            key: self.key,
            part,
            tuple_of_row,
            frequencies,
            ladders: space.ladders.clone(),
            sums,
            counters,
        };
        let mut outbox = Vec::new();
        if context.plan.metric_reads_values() {
            outbox.push((PartyId(0), Message::Profile(table.profile(&coded, context))));
        }
        let (search, asked) = RemoteSearch::start(problem(context.plan, space)?)?;
        let (next, more) = go_on(table, search, asked, context)?;
        outbox.extend(more);
        Ok((next, outbox))
    }
}

fn problem(plan: &Plan, space: Space) -> Result<RemoteProblem, ProtocolError> {
    // Without the number of real rows "may suppress" is the safe assumption: it only makes the search conclude less.
    let suppression =
        if plan.suppression_limit == Fraction::ZERO { Suppression::Forbidden } else { Suppression::Allowed };
    let criteria = Criteria::new(class_criteria(plan, &views(plan), None)?, suppression);
    let case =
        Case { criterion: criteria.monotonicity(), monotone_metric: plan.metric.is_monotone(suppression) };
    let bounds = match plan.metric {
        Metric::Height | Metric::Precision | Metric::MonotonePrecision => {
            Some((plan.metric, holder_model(plan, None, 1, criteria.least_class_size())?))
        }
        _ => None,
    };
    Ok(RemoteProblem { lattice: space.lattice, order: space.order, case, algorithm: plan.algorithm, bounds })
}

/// Counters summed up by tuple and code of each view. Without views, all codes are 0.
fn sums_by_view(
    plan: &Plan,
    coded: &CodedTable,
    tuple_of_row: &[u32],
    counters: &[ElGamalCounter],
) -> Vec<Vec<(u32, u32, ElGamalCounter)>> {
    let codes: Vec<Vec<u32>> = match views(plan) {
        views if views.is_empty() => vec![vec![0; coded.rows]],
        views => views.iter().map(|view: &View| coded.codes_of(view).0).collect(),
    };
    let sum = |codes: &Vec<u32>| {
        let keys = tuple_of_row.iter().copied().zip(codes.iter().copied());
        let sums = sum_up(keys.zip(counters.iter().copied()));
        sums.into_iter().map(|((tuple, code), counter)| (tuple, code, counter)).collect()
    };
    codes.iter().map(sum).collect()
}

fn sum_up<K: Ord>(counters: impl Iterator<Item = (K, ElGamalCounter)>) -> BTreeMap<K, ElGamalCounter> {
    let mut sums = BTreeMap::new();
    for (key, counter) in counters {
        sums.entry(key).and_modify(|sum| *sum = ElGamal::add(sum, &counter)).or_insert(counter);
    }
    sums
}

impl CountedTable {
    /// How often each value occurs, in random order, without labels.
    fn profile(&self, coded: &CodedTable, context: &mut Context<'_>) -> Vec<ProfileColumn> {
        let mut columns = Vec::new();
        for position in context.plan.quasi_identifiers() {
            let position = usize::from(position);
            let (column, encrypted) = (&coded.columns[position], &self.part.columns[position]);
            let sums = sum_up(column.cells.iter().copied().zip(self.counters.iter().copied()));
            let order = permutation(sums.len(), context.rng);
            let counters: Vec<ElGamalCounter> = sums.into_values().collect();
            let counters = ElGamal::rerandomise(&self.key, &permute(&counters, &order), context.rng);
            let groups = column.ladder.iter().flat_map(|ladder| &ladder.rungs()[1..]);
            columns.push(ProfileColumn {
                levels: groups.map(|rung| permute(&rung.group_of, &order)).collect(),
                shares: encrypted.shares.iter().map(|level| permute(level, &order)).collect(),
                counters: CounterList(ElGamalCounter::write_all(&counters)),
            });
        }
        columns
    }

    fn class_of_tuples(&self, node: &Node) -> Vec<u32> {
        Grouper::new(&self.frequencies, &self.ladders, 0).class_of_tuples(node)
    }

    /// The counters of the classes under a node, and the order in which they are asked about.
    fn question(&self, node: &Node, context: &mut Context<'_>) -> (Check, Vec<u32>) {
        let class_of = self.class_of_tuples(node);
        let classes = class_of.iter().max().map_or(0, |&largest| largest as usize + 1);
        let mut by_class: Vec<Vec<Vec<ElGamalCounter>>> = vec![vec![Vec::new(); self.sums.len()]; classes];
        for (view, sums) in self.sums.iter().enumerate() {
            let keyed =
                sums.iter().map(|&(tuple, code, counter)| ((class_of[tuple as usize], code), counter));
            for ((class, _), counter) in sum_up(keyed) {
                by_class[class as usize][view].push(counter);
            }
        }
        let order = permutation(classes, context.rng);
        let (mut lengths, mut counters) = (Vec::new(), Vec::new());
        for &class in &order {
            for list in &mut by_class[class as usize] {
                shuffle(list, context.rng);
                lengths.push(list.len() as u32);
                counters.append(list);
            }
        }
        // A sum of known counters could be recognised.
        let counters = ElGamal::rerandomise(&self.key, &counters, context.rng);
        let counters = CounterList(ElGamalCounter::write_all(&counters));
        let classes = ClassCounters { views: self.sums.len() as u8, lengths, counters };
        (Check { node: node.levels().to_vec(), visible_rows: self.part.rows, classes }, order)
    }

    /// The release: rows of the kept classes with fresh counters.
    fn release(self, facts: Facts, kept: Option<&[bool]>, context: &mut Context<'_>) -> Stepped {
        let class_of = self.class_of_tuples(&Node::new(facts.node.clone()));
        let kept: Vec<bool> = (self.tuple_of_row.iter())
            .map(|&tuple| kept.is_none_or(|kept| kept[class_of[tuple as usize] as usize]))
            .collect();
        let counters = ElGamal::rerandomise(&self.key, &self.counters, context.rng);
        let part = EncryptedPart { counters: CounterList(ElGamalCounter::write_all(&counters)), ..self.part };
        let release = seal_release(context.plan, &part, facts, &kept, context.rng);
        done(Outcome::Contributed, vec![(PartyId(0), Message::Release(Some(release)))])
    }
}

/// The next question of the search, or what follows its end.
fn go_on(table: CountedTable, search: RemoteSearch, asked: Asked, context: &mut Context<'_>) -> Stepped {
    match asked {
        Asked::About(node) => {
            let (check, _) = table.question(&node, context);
            next(Asking { table, search }, vec![(PartyId(0), Message::Check(check))])
        }
        Asked::Done(report) => {
            let Some(facts) = facts(&report) else {
                return done(Outcome::Infeasible, vec![(PartyId(0), Message::Release(None))]);
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
        if context.plan.suppression_limit == Fraction::ZERO {
            return table.release(facts, None, context);
        }
        let (check, order) = table.question(&Node::new(facts.node.clone()), context);
        next(Finishing { table, facts, order }, vec![(PartyId(0), Message::Finish(check))])
    }
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
    order: Vec<u32>,
}

impl State for Finishing {
    fn phase(&self) -> Phase {
        Phase::Release
    }

    fn wants(&self, _: &Context<'_>) -> Vec<PartyId> {
        vec![PartyId(0)]
    }

    fn step(self: Box<Self>, message: Option<(PartyId, Message)>, context: &mut Context<'_>) -> Stepped {
        let Some((from, Message::Fates(fates))) = message else {
            return Err(unexpected(message, context.me));
        };
        if fates.len() != self.order.len() {
            return Err(ProtocolError::Unfit { from, why: "fates of another number of classes" });
        }
        let mut kept = vec![false; fates.len()];
        for (&class, fate) in self.order.iter().zip(fates) {
            kept[class as usize] = fate;
        }
        self.table.release(self.facts, Some(&kept), context)
    }
}
