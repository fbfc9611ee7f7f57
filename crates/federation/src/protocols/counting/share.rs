//! Protocol C, every primary party: reads the counters of its share of the classes, and judges them.
//!
//! Learns  for every node asked: the true sizes of the classes of the share, without labels; with ℓ-diversity, counts of sensitive values per
//!         class, without saying which; with t-closeness, which of them are of the same value, and how often that occurs in the whole table; in a
//!         population, how many rows of everybody; against curious participants, how many rows of each class are of one party, without saying of whom.
//! Cost    a decryption per counter of the share.

use crate::crypto::{AdditiveCounters, ElGamal, ElGamalCounter, ElGamalSecret};
use crate::engine::{View, WholeColumn, counted_case, counted_criteria, views};
use crate::error::ProtocolError;
use crate::parties::PartyId;
use crate::protocols::{Context, fit};
use crate::wire::{Check, ShareSums, Totals};
use paravent_core::criteria::Criteria;
use paravent_core::grouping::{Class, Distribution};

/// What reads and judges counters.
pub(super) struct Counted {
    secret: ElGamalSecret,
    criteria: Criteria,
    /// By column with t-closeness, once it was told.
    whole: Vec<WholeColumn>,
}

/// What became of the classes of a share.
pub(super) struct Judged {
    pub(super) sums: ShareSums,
    /// By class of the question.
    pub(super) kept: Vec<bool>,
}

/// The counts of one class, by view.
struct Counts {
    views: Vec<Vec<u32>>,
    population: Option<u64>,
}

impl Counted {
    pub(super) fn new(secret: ElGamalSecret, context: &Context<'_>) -> Result<Counted, ProtocolError> {
        Ok(Counted { secret, criteria: counted_case(context.plan)?.0, whole: Vec::new() })
    }

    pub(super) fn criteria(&self) -> &Criteria {
        &self.criteria
    }

    /// By column with t-closeness: how often its values occur in the whole table.
    pub(super) fn whole(&self) -> &[WholeColumn] {
        &self.whole
    }

    /// Counts, none of them larger than `bound`.
    pub(super) fn decrypt(&self, counters: &[[u8; 64]], bound: u64) -> Result<Vec<u64>, ProtocolError> {
        Ok(ElGamal::decrypt(&self.secret, &ElGamalCounter::read_all(counters)?, bound)?)
    }

    /// Whether classes are still to be told what they are compared with.
    pub(super) fn lacks_totals(&self, context: &Context<'_>) -> bool {
        self.whole.len() < context.plan.close_columns().len()
    }

    /// What classes are compared with from now on.
    pub(super) fn learn_totals(
        &mut self,
        from: PartyId,
        totals: Totals,
        context: &Context<'_>,
    ) -> Result<(), ProtocolError> {
        let unfit = |why| ProtocolError::Unfit { from, why };
        let positions = context.plan.close_columns();
        if totals.columns.len() != positions.len() {
            return Err(unfit("distributions of other columns than the plan's"));
        }
        let mut whole: Vec<WholeColumn> = Vec::new();
        for (column, told) in positions.into_iter().zip(totals.columns) {
            let height = context.plan.reference_height(column).unwrap_or(0);
            if told.levels.len() != usize::from(height) || !told.shares.is_empty() {
                return Err(unfit("a distribution over another hierarchy than the plan's"));
            }
            let found = self.decrypt(&told.counters.0, u64::from(totals.visible_rows))?;
            whole.push(WholeColumn { column, totals: found, levels: told.levels });
        }
        let rows = |column: &WholeColumn| column.totals.iter().sum::<u64>();
        if whole.windows(2).any(|pair| rows(&pair[0]) != rows(&pair[1])) {
            return Err(unfit("distributions of different numbers of rows"));
        }
        self.criteria = counted_criteria(context.plan, &whole)?;
        self.whole = whole;
        Ok(())
    }

    /// Reads and judges the classes of a question.
    pub(super) fn judge(
        &self,
        from: PartyId,
        check: &Check,
        context: &Context<'_>,
    ) -> Result<Judged, ProtocolError> {
        fit::node(context, from, &check.node)?;
        if self.lacks_totals(context) {
            return Err(ProtocolError::Unfit { from, why: "no distribution to compare classes with" });
        }
        let mut judged = Judged { sums: ShareSums::default(), kept: Vec::new() };
        for class in self.counts(from, check, context)? {
            self.judge_class(&class, &mut judged);
        }
        Ok(judged)
    }

    /// The counts of each class of a question.
    fn counts(
        &self,
        from: PartyId,
        check: &Check,
        context: &Context<'_>,
    ) -> Result<Vec<Counts>, ProtocolError> {
        let unfit = |why| ProtocolError::Unfit { from, why };
        let plan = context.plan;
        let views = views(plan);
        let values: Vec<Option<usize>> = views.iter().map(|view| self.numbers_of(view, context)).collect();
        let values = if values.is_empty() { vec![None] } else { values };
        let lists = values.len() + usize::from(plan.marks_rows());
        let classes = &check.classes;
        if usize::from(classes.views) != lists {
            return Err(unfit("counters of other views than the plan's"));
        }
        let counts = self.decrypt(&classes.counters.0, u64::from(check.visible_rows))?;
        let (mut counts, mut numbers) = (counts.into_iter(), classes.numbers.iter());
        let mut found = Vec::with_capacity(classes.len());
        for lengths in classes.lengths.chunks_exact(lists) {
            let mut class = Counts { views: Vec::with_capacity(values.len()), population: None };
            for (values, &length) in values.iter().zip(lengths) {
                let listed = counts.by_ref().take(length as usize).map(|count| count as u32);
                class.views.push(match values {
                    None => listed.collect(),
                    Some(values) => by_number(listed, &mut numbers, *values).map_err(unfit)?,
                });
            }
            if plan.marks_rows() {
                let everybody = counts.by_ref().take(*lengths.last().unwrap_or(&0) as usize).sum();
                class.population = Some(everybody);
            }
            found.push(class);
        }
        if numbers.next().is_some() {
            return Err(unfit("more numbers of values than counters"));
        }
        Ok(found)
    }

    /// How many values a view has, where they have numbers.
    fn numbers_of(&self, view: &View, context: &Context<'_>) -> Option<usize> {
        let known = |column: &&WholeColumn| view.column() == Some(column.column);
        let column = self.whole.iter().find(known).filter(|_| view.is_numbered(context.plan))?;
        Some(column.totals.len())
    }

    /// A class without a row of the table is made up, or of the population only: it is neither kept nor suppressed.
    fn judge_class(&self, counts: &Counts, judged: &mut Judged) {
        let rows: u64 = counts.views.first().map_or(0, |counts| counts.iter().map(|&n| u64::from(n)).sum());
        let present: Vec<Vec<u32>> = (counts.views.iter())
            .map(|counts| {
                (0..).zip(counts).filter(|&(_, &count)| count > 0).map(|(value, _)| value).collect()
            })
            .collect();
        let distributions: Vec<Distribution<'_>> = (counts.views.iter())
            .zip(&present)
            .map(|(dense, present)| Distribution::of_rows(dense, present, rows))
            .collect();
        let population = counts.population.unwrap_or(rows);
        let class = Class { rows, population, distributions: &distributions };
        let kept = rows > 0 && self.criteria.hold(&class);
        judged.kept.push(kept);
        let sums = &mut judged.sums;
        let square = u128::from(rows) * u128::from(rows);
        sums.rows += rows;
        sums.population += population;
        sums.absent_classes += u64::from(rows == 0 && population > 0);
        sums.all_squares += square;
        if kept {
            sums.kept_classes += 1;
            sums.kept_squares += square;
        } else if rows > 0 {
            sums.left_out += rows;
            if !self.criteria.monotone_part_holds(&class) {
                sums.failing += rows;
            }
        }
    }
}

/// Counts in the places of their numbers.
fn by_number<'n>(
    counts: impl Iterator<Item = u32>,
    numbers: &mut impl Iterator<Item = &'n u32>,
    values: usize,
) -> Result<Vec<u32>, &'static str> {
    let (mut dense, mut taken) = (vec![0; values], vec![false; values]);
    for count in counts {
        let number = *numbers.next().ok_or("fewer numbers of values than counters")? as usize;
        if taken.get(number).copied().unwrap_or(true) {
            return Err("a value without a number of its own");
        }
        (dense[number], taken[number]) = (count, true);
    }
    Ok(dense)
}
