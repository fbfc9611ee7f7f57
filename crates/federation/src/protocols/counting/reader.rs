//! Protocol C, the first party: reads counters, answers the helper's questions, receives the release.
//!
//! Learns  for every node asked: how many classes there are and their true sizes, without labels; with a metric of cells, how often the
//!         values of each column occur, without saying which; with ℓ-diversity, counts of sensitive values per class, without
//!         saying which; against curious participants, how many rows of each class are of one party, without saying of whom.
//! Cost    a decryption per counter.

use crate::crypto::{AdditiveCounters, ElGamal, ElGamalCounter, ElGamalSecret, permute};
use crate::engine::{Margin, class_criteria, holder_model, views};
use crate::error::ProtocolError;
use crate::parties::PartyId;
use crate::protocols::helper::primary;
use crate::protocols::recount::{self, Brought};
use crate::protocols::sealing::Keys;
use crate::protocols::{Context, Phase, State, Stepped, fit, next, unexpected};
use crate::wire::{Answer, Check, CounterList, Message, ProfileColumn, SealedColumn, SealedRelease};
use paravent_core::criteria::{Criteria, Suppression};
use paravent_core::grouping::{Class, Distribution};
use paravent_core::lattice::Node;
use paravent_core::quality::{Outcome as NodeOutcome, QualityModel};
use paravent_core::task::SuppressionLimit;

/// Answers until the release comes.
pub(in crate::protocols) struct Reading {
    keys: Keys,
    secret: ElGamalSecret,
    profile: Option<Vec<ProfileColumn>>,
    judge: Option<Judge>,
}

/// What is known once the first counters were read.
struct Judge {
    /// Real rows.
    rows: u64,
    visible_rows: u32,
    limit: u64,
    criteria: Criteria,
    quality: QualityModel,
}

/// What became of the classes of a node.
struct Judged {
    outcome: NodeOutcome,
    rows_failing_part: u64,
    kept: Vec<bool>,
}

impl Reading {
    pub(in crate::protocols) fn new(keys: Keys, secret: ElGamalSecret) -> Reading {
        Reading { keys, secret, profile: None, judge: None }
    }

    /// The counts of each class, by view.
    fn read(
        &self,
        from: PartyId,
        check: &Check,
        context: &Context<'_>,
    ) -> Result<Vec<Vec<Vec<u32>>>, ProtocolError> {
        fit::node(context, from, &check.node)?;
        let expected = views(context.plan).len().max(1);
        if usize::from(check.classes.views) != expected {
            return Err(ProtocolError::Unfit { from, why: "counters of other views than the plan's" });
        }
        let counters = ElGamalCounter::read_all(&check.classes.counters.0)?;
        let counts = ElGamal::decrypt(&self.secret, &counters, u64::from(check.visible_rows))?;
        let mut counts = counts.into_iter();
        let mut lists = check.classes.lengths.iter().map(|&length| {
            counts.by_ref().take(length as usize).map(|count| count as u32).collect::<Vec<u32>>()
        });
        Ok((0..check.classes.len()).map(|_| lists.by_ref().take(expected).collect()).collect())
    }

    /// Real rows, and the rules for judging them; the same for every question.
    fn judge(
        &mut self,
        from: PartyId,
        check: &Check,
        classes: &[Vec<Vec<u32>>],
        context: &Context<'_>,
    ) -> Result<(), ProtocolError> {
        let size = |class: &Vec<Vec<u32>>| {
            class.first().map_or(0, |counts| counts.iter().map(|&n| u64::from(n)).sum())
        };
        let rows: u64 = classes.iter().map(size).sum();
        if let Some(judge) = &self.judge {
            let same = judge.rows == rows && judge.visible_rows == check.visible_rows;
            return if same {
                Ok(())
            } else {
                Err(ProtocolError::Unfit { from, why: "another number of rows than before" })
            };
        }
        if rows == 0 {
            return Err(ProtocolError::Unfit { from, why: "no real row" });
        }
        let limit = SuppressionLimit::Share(context.plan.suppression_limit).of(rows);
        let members = class_criteria(context.plan, &views(context.plan), None)?;
        let criteria = Criteria::new(members, Suppression::up_to(limit));
        let profile =
            self.profile.take().map(|columns| self.margins(from, &columns, rows, context)).transpose()?;
        if profile.is_none() && context.plan.metric_reads_values() {
            return Err(ProtocolError::Unfit { from, why: "no value counts, which the metric needs" });
        }
        let quality = holder_model(context.plan, profile.as_deref(), rows, criteria.least_class_size())?;
        self.judge = Some(Judge { rows, visible_rows: check.visible_rows, limit, criteria, quality });
        Ok(())
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
            let counters = ElGamalCounter::read_all(&column.counters.0)?;
            let counts = ElGamal::decrypt(&self.secret, &counters, rows)?;
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
    /// Classes without a real row are made up: they are neither kept nor suppressed.
    fn judged(&self, node: &[u8], classes: &[Vec<Vec<u32>>]) -> Judged {
        let mut judged = Judged {
            outcome: NodeOutcome {
                node: Node::new(node),
                suppressed_rows: 0,
                kept_classes: 0,
                kept_squares: 0,
                all_squares: 0,
                suppressed_values: Vec::new(),
            },
            rows_failing_part: 0,
            kept: Vec::with_capacity(classes.len()),
        };
        for class in classes {
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
            let outcome = &mut judged.outcome;
            let square = u128::from(rows) * u128::from(rows);
            outcome.all_squares += square;
            if kept {
                outcome.kept_classes += 1;
                outcome.kept_squares += square;
            } else if rows > 0 {
                outcome.suppressed_rows += rows;
                if !self.criteria.monotone_part_holds(&class) {
                    judged.rows_failing_part += rows;
                }
            }
        }
        judged
    }

    fn answer(&self, judged: &Judged, context: &Context<'_>) -> Answer {
        let holds = judged.outcome.suppressed_rows <= self.limit;
        let loss = holds.then(|| context.plan.metric.loss(&self.quality, &judged.outcome));
        Answer { monotone_part_holds: judged.rows_failing_part <= self.limit, loss }
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
            Some((from, Message::Check(check))) => {
                let classes = self.read(from, &check, context)?;
                self.judge(from, &check, &classes, context)?;
                let answer = self
                    .judge
                    .as_ref()
                    .map(|judge| judge.answer(&judge.judged(&check.node, &classes), context));
                let answer = answer.ok_or(ProtocolError::Stopped)?;
                next(*self, vec![(from, Message::Answer(answer))])
            }
            Some((from, Message::Finish(check))) if self.judge.is_some() => {
                let classes = self.read(from, &check, context)?;
                self.judge(from, &check, &classes, context)?;
                let judged = self.judge.as_ref().map(|judge| judge.judged(&check.node, &classes));
                let kept = judged.ok_or(ProtocolError::Stopped)?.kept;
                next(*self, vec![(from, Message::Fates(kept))])
            }
            Some((from, Message::Release(release))) => {
                next(Receiving { reading: *self, from, release }, Vec::new())
            }
            other => Err(unexpected(other, context.me)),
        }
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
                let release = reading.without_made_up_rows(from, release, context)?;
                let rows = reading.judge.as_ref().map_or(0, |judge| judge.rows);
                recount::on_tokens(context, from, &release, Brought::Known(rows))?;
                Some(release)
            }
            None => None,
        };
        primary::open(&reading.keys, release, context)
    }
}

impl Reading {
    /// As many copies of each row as its counter says: none of one that is made up.
    fn without_made_up_rows(
        &self,
        from: PartyId,
        release: SealedRelease,
        context: &Context<'_>,
    ) -> Result<SealedRelease, ProtocolError> {
        fit::release(context, from, &release, true)?;
        let judge =
            self.judge.as_ref().ok_or(ProtocolError::Unfit { from, why: "a release before any question" })?;
        let counters = ElGamalCounter::read_all(&release.counters.0)?;
        let counts = ElGamal::decrypt(&self.secret, &counters, judge.rows)?;
        let released: u64 = counts.iter().sum();
        if released == 0 || judge.rows.saturating_sub(released) > judge.limit || released > judge.rows {
            return Err(ProtocolError::Unfit { from, why: "a release with too few or too many rows" });
        }
        let copies = |(row, &count): (u32, &u64)| std::iter::repeat_n(row, count as usize);
        let real: Vec<u32> = (0..).zip(&counts).flat_map(copies).collect();
        let columns = release.columns.iter().map(|column| {
            let cells = permute(&column.cells, &real);
            SealedColumn { cells, ..column.clone() }
        });
        let mut facts = release.facts.clone();
        facts.suppressed_rows = judge.rows - released;
        Ok(SealedRelease {
            facts,
            rows: real.len() as u32,
            columns: columns.collect(),
            counters: CounterList::default(),
            population: None,
        })
    }
}
