//! Protocol C, every primary party: reads the counters of its share of the classes, and judges them.
//!
//! Learns  for every node asked: the true sizes of the classes of the share, without labels; with ℓ-diversity, counts of sensitive values per
//!         class, without saying which; against curious participants, how many rows of each class are of one party, without saying of whom.
//! Cost    a decryption per counter of the share.

use crate::crypto::{AdditiveCounters, ElGamal, ElGamalCounter, ElGamalSecret};
use crate::engine::{counted_case, views};
use crate::error::ProtocolError;
use crate::parties::PartyId;
use crate::protocols::{Context, fit};
use crate::wire::{Check, ShareSums};
use paravent_core::criteria::Criteria;
use paravent_core::grouping::{Class, Distribution};

/// What reads and judges counters.
pub(super) struct Counted {
    secret: ElGamalSecret,
    criteria: Criteria,
}

/// What became of the classes of a share.
pub(super) struct Judged {
    pub(super) sums: ShareSums,
    /// By class of the question.
    pub(super) kept: Vec<bool>,
}

impl Counted {
    pub(super) fn new(secret: ElGamalSecret, context: &Context<'_>) -> Result<Counted, ProtocolError> {
        Ok(Counted { secret, criteria: counted_case(context.plan)?.0 })
    }

    pub(super) fn criteria(&self) -> &Criteria {
        &self.criteria
    }

    /// Counts, none of them larger than `bound`.
    pub(super) fn decrypt(&self, counters: &[[u8; 64]], bound: u64) -> Result<Vec<u64>, ProtocolError> {
        Ok(ElGamal::decrypt(&self.secret, &ElGamalCounter::read_all(counters)?, bound)?)
    }

    /// Reads and judges the classes of a question.
    pub(super) fn judge(
        &self,
        from: PartyId,
        check: &Check,
        context: &Context<'_>,
    ) -> Result<Judged, ProtocolError> {
        fit::node(context, from, &check.node)?;
        let expected = views(context.plan).len().max(1);
        if usize::from(check.classes.views) != expected {
            return Err(ProtocolError::Unfit { from, why: "counters of other views than the plan's" });
        }
        let counts = self.decrypt(&check.classes.counters.0, u64::from(check.visible_rows))?;
        let mut counts = counts.into_iter();
        let mut lists = check.classes.lengths.iter().map(|&length| {
            counts.by_ref().take(length as usize).map(|count| count as u32).collect::<Vec<u32>>()
        });
        let mut judged = Judged { sums: ShareSums::default(), kept: Vec::new() };
        for _ in 0..check.classes.len() {
            let class: Vec<Vec<u32>> = lists.by_ref().take(expected).collect();
            self.judge_class(&class, &mut judged);
        }
        Ok(judged)
    }

    /// A class without a real row is made up: it is neither kept nor suppressed.
    fn judge_class(&self, class: &[Vec<u32>], judged: &mut Judged) {
        let rows: u64 = class.first().map_or(0, |counts| counts.iter().map(|&n| u64::from(n)).sum());
        let present: Vec<Vec<u32>> = (class.iter())
            .map(|counts| {
                (0..).zip(counts).filter(|&(_, &count)| count > 0).map(|(value, _)| value).collect()
            })
            .collect();
        let distributions: Vec<Distribution<'_>> = class
            .iter()
            .zip(&present)
            .map(|(dense, present)| Distribution::of_rows(dense, present, rows))
            .collect();
        let class = Class { rows, population: rows, distributions: &distributions };
        let kept = rows > 0 && self.criteria.hold(&class);
        judged.kept.push(kept);
        let sums = &mut judged.sums;
        let square = u128::from(rows) * u128::from(rows);
        sums.rows += rows;
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
