//! Protocol C, the first party: adds up what all primary parties counted, answers the helper's questions, receives the release.
//!
//! Learns  for every node asked: sums over the shares of the others; with a metric of cells, how often the values of each column occur,
//!         without saying which. Of its own share what every primary party learns.
//! Cost    a decryption per counter of its share, and per row of the release.

use super::arrived;
use super::share::{Counted, Judged};
use crate::engine::{Margin, holder_model};
use crate::error::ProtocolError;
use crate::parties::PartyId;
use crate::protocols::helper::primary;
use crate::protocols::recount::{self, Brought};
use crate::protocols::sealing::Keys;
use crate::protocols::{Context, Phase, State, Stepped, next, unexpected};
use crate::wire::{Answer, Message, ProfileColumn, SealedRelease, ShareSums};
use paravent_core::criteria::Criteria;
use paravent_core::lattice::Node;
use paravent_core::quality::{Outcome as NodeOutcome, QualityModel};
use paravent_core::task::SuppressionLimit;
use std::collections::{BTreeMap, BTreeSet};

/// Answers until the release comes.
pub(in crate::protocols) struct Reading {
    keys: Keys,
    counted: Counted,
    profile: Option<Vec<ProfileColumn>>,
    judge: Option<Judge>,
}

/// What is known once the first question was counted.
pub(super) struct Judge {
    /// Rows of the table to release.
    pub(super) rows: u64,
    /// Rows of everybody.
    pub(super) population: u64,
    visible_rows: u32,
    /// Rows that may be left out.
    pub(super) limit: u64,
    quality: QualityModel,
    /// Where a population is counted, by node that keeps the promise: classes that only the population has.
    pub(super) absent_classes: BTreeMap<Vec<u8>, u64>,
}

impl Reading {
    pub(super) fn new(keys: Keys, counted: Counted) -> Reading {
        Reading { keys, counted, profile: None, judge: None }
    }

    /// Real rows, and the rules for judging them; the same for every question.
    fn judge(
        &mut self,
        from: PartyId,
        (sums, visible_rows): (&ShareSums, u32),
        context: &Context<'_>,
    ) -> Result<&mut Judge, ProtocolError> {
        let unfit = |why| ProtocolError::Unfit { from, why };
        let (rows, population) = (sums.rows, sums.population);
        let judge = match self.judge.take() {
            Some(judge)
                if (judge.rows, judge.population, judge.visible_rows) == (rows, population, visible_rows) =>
            {
                judge
            }
            Some(_) => return Err(unfit("another number of rows than before")),
            None if rows == 0 => return Err(unfit("no real row")),
            None => {
                let limit = SuppressionLimit::Share(context.plan.suppression_limit).of(rows);
                let profile = self.profile.take();
                let profile = profile.map(|columns| self.margins(from, &columns, rows, context));
                let profile = profile.transpose()?;
                if profile.is_none() && context.plan.metric_reads_values() {
                    return Err(unfit("no value counts, which the metric needs"));
                }
                let totals = self.counted.whole().first().map(|column| column.totals.iter().sum::<u64>());
                if totals.is_some_and(|totals| totals != rows) {
                    return Err(unfit("a distribution of another number of rows"));
                }
                let least = self.counted.criteria().least_class_size();
                let quality = holder_model(context.plan, profile.as_deref(), rows, least)?;
                Judge { rows, population, visible_rows, limit, quality, absent_classes: BTreeMap::new() }
            }
        };
        Ok(self.judge.insert(judge))
    }

    fn margins(
        &self,
        from: PartyId,
        columns: &[ProfileColumn],
        rows: u64,
        context: &Context<'_>,
    ) -> Result<Vec<Margin>, ProtocolError> {
        let quasi = context.plan.quasi_identifiers();
        let heights =
            quasi.iter().map(|&position| usize::from(context.plan.columns[usize::from(position)].height()));
        let fits = columns.len() == quasi.len()
            && columns
                .iter()
                .zip(heights)
                .all(|(column, height)| column.levels.len() == height && !column.counters.0.is_empty());
        if !fits {
            return Err(ProtocolError::Unfit { from, why: "value counts of other columns than the plan's" });
        }
        let margin = |column: &ProfileColumn| {
            let counts = self.counted.decrypt(&column.counters.0, rows)?;
            if counts.iter().sum::<u64>() != rows {
                return Err(ProtocolError::Unfit {
                    from,
                    why: "value counts that do not sum up to the rows",
                });
            }
            Ok(Margin { levels: column.levels.clone(), shares: column.shares.clone(), counts })
        };
        columns.iter().map(margin).collect()
    }
}

impl Judge {
    fn answer(
        &mut self,
        node: &[u8],
        sums: &ShareSums,
        criteria: &Criteria,
        context: &Context<'_>,
    ) -> Answer {
        let outcome = NodeOutcome {
            node: Node::new(node),
            suppressed_rows: sums.left_out,
            kept_classes: sums.kept_classes,
            kept_squares: sums.kept_squares,
            all_squares: sums.all_squares,
            suppressed_values: Vec::new(),
        };
        // Merging never leaves a class emptier, so the test of absent classes is monotone whatever is suppressed.
        let absent_fail = sums.absent_classes > 0 && criteria.judge_absent_classes();
        let holds = sums.left_out <= self.limit && !absent_fail;
        if holds && context.plan.marks_rows() {
            self.absent_classes.insert(node.to_vec(), sums.absent_classes);
        }
        let loss = holds.then(|| context.plan.metric.loss(&self.quality, &outcome));
        Answer { monotone_part_holds: sums.failing <= self.limit && !absent_fail, loss }
    }
}

impl State for Reading {
    fn phase(&self) -> Phase {
        Phase::Search
    }

    fn wants(&self, context: &Context<'_>) -> Vec<PartyId> {
        context.plan.helper().into_iter().collect()
    }

    fn step(mut self: Box<Self>, message: Option<(PartyId, Message)>, context: &mut Context<'_>) -> Stepped {
        match message {
            Some((_, Message::Profile(columns)))
                if self.judge.is_none() && self.profile.is_none() && context.plan.metric_reads_values() =>
            {
                self.profile = Some(columns);
                next(*self, Vec::new())
            }
            Some((from, Message::Totals(totals)))
                if self.judge.is_none() && self.counted.lacks_totals(context) =>
            {
                self.counted.learn_totals(from, totals, context)?;
                next(*self, Vec::new())
            }
            Some((from, Message::Check(check))) => {
                let Judged { sums, .. } = self.counted.judge(from, &check, context)?;
                let missing = context.plan.others(context.me).into_iter().collect();
                let (node, visible_rows) = (check.node, check.visible_rows);
                next(AddingUp { reading: *self, from, node, visible_rows, sums, missing }, Vec::new())
            }
            Some((from, Message::Finish(check))) if self.judge.is_some() => {
                let Judged { kept, .. } = self.counted.judge(from, &check, context)?;
                next(*self, vec![(from, Message::Fates(kept))])
            }
            Some((from, Message::Release(release))) => {
                next(Receiving { reading: *self, from, release }, Vec::new())
            }
            other => Err(unexpected(other, context.me)),
        }
    }
}

/// Waits for what the others counted of a question.
struct AddingUp {
    reading: Reading,
    /// Who asked.
    from: PartyId,
    node: Vec<u8>,
    visible_rows: u32,
    sums: ShareSums,
    missing: BTreeSet<PartyId>,
}

impl State for AddingUp {
    fn phase(&self) -> Phase {
        Phase::Search
    }

    fn wants(&self, _: &Context<'_>) -> Vec<PartyId> {
        self.missing.iter().copied().collect()
    }

    fn step(mut self: Box<Self>, message: Option<(PartyId, Message)>, context: &mut Context<'_>) -> Stepped {
        let Some((from, Message::Sums(sums))) = message else {
            return Err(unexpected(message, context.me));
        };
        let unfit = |why| ProtocolError::Unfit { from, why };
        if !sums.is_possible(u64::from(self.visible_rows)) {
            return Err(unfit("sums over classes that cannot be"));
        }
        self.missing.remove(&from);
        self.sums = self.sums.plus(&sums).ok_or_else(|| unfit("sums over classes that cannot be"))?;
        if !self.missing.is_empty() {
            return next(*self, Vec::new());
        }
        let AddingUp { mut reading, from, node, visible_rows, sums, .. } = *self;
        let criteria = reading.counted.criteria().clone();
        let judge = reading.judge(from, (&sums, visible_rows), context)?;
        let answer = judge.answer(&node, &sums, &criteria, context);
        next(reading, vec![(from, Message::Answer(answer))])
    }
}

/// The release has come.
struct Receiving {
    reading: Reading,
    from: PartyId,
    release: Option<SealedRelease>,
}

impl State for Receiving {
    fn phase(&self) -> Phase {
        Phase::Release
    }

    fn wants(&self, _: &Context<'_>) -> Vec<PartyId> {
        Vec::new()
    }

    fn step(self: Box<Self>, _: Option<(PartyId, Message)>, context: &mut Context<'_>) -> Stepped {
        let Receiving { reading, from, release } = *self;
        let release = match release {
            Some(release) => {
                let why = "a release before any question";
                let judge = reading.judge.as_ref().ok_or(ProtocolError::Unfit { from, why })?;
                let release = arrived::real_rows(&release, from, (&reading.counted, judge), context)?;
                recount::on_tokens(context, from, &release, Brought::Known(judge.population))?;
                Some(release)
            }
            None => None,
        };
        primary::open(&reading.keys, release, context)
    }
}
