//! The engine's search where a check takes a round trip.
//!
//! The search calls its checker and waits; a protocol step must not wait. So the search runs in a thread of its own that stands still
//! whenever it asks, and goes on when the answer is handed in. Nothing runs at the same time as anything else. Dropping the search
//! ends the thread: its next question fails.

use super::HISTORY_BYTES;
use crate::error::ProtocolError;
use crate::wire::Answer;
use paravent_core::grouping::Grouper;
use paravent_core::hierarchy::Ladder;
use paravent_core::lattice::{Lattice, Node, NodeOrder};
use paravent_core::quality::{Metric, QualityModel};
use paravent_core::search::{
    self, Algorithm, Case, CheckError, Checker, Problem, SearchError, SearchReport, Unobserved, Verdict,
};
use paravent_core::table::FrequencyTable;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::mpsc::{Receiver, SyncSender, sync_channel};
use std::sync::{Mutex, PoisonError};

/// What the search wants.
pub(crate) enum Asked {
    /// A verdict on this node.
    About(Node),
    /// Nothing more.
    Done(Box<SearchReport>),
}

/// A search that stands still while it waits for answers.
pub(crate) struct RemoteSearch {
    answers: SyncSender<Answer>,
    questions: Receiver<Question>,
}

enum Question {
    About(Node),
    Done(Result<SearchReport, SearchError>),
}

/// What the search needs to know, its own copy.
pub(crate) struct RemoteProblem {
    pub(crate) lattice: Lattice,
    pub(crate) order: NodeOrder,
    pub(crate) case: Case,
    pub(crate) algorithm: Algorithm,
    /// Losses that depend on the levels only are known before a check.
    pub(crate) bounds: Option<(Metric, QualityModel)>,
    pub(crate) visible: VisibleRows,
}

/// What can be known without asking.
pub(crate) struct VisibleRows {
    /// By tuple: different rows, and as the population of these all rows, real and made-up ones together.
    pub(crate) table: FrequencyTable,
    pub(crate) ladders: Vec<Ladder>,
    pub(crate) weights: Vec<f64>,
    /// Rows that a class must have.
    pub(crate) least: u64,
    /// Rows that may be left out, or more.
    pub(crate) most_left_out: u64,
}

struct RemoteChecker<'a> {
    questions: SyncSender<Question>,
    answers: Mutex<Receiver<Answer>>,
    bounds: Option<(Metric, QualityModel)>,
    visible: &'a VisibleRows,
    grouper: Grouper<'a>,
    details: QualityModel,
    asked: AtomicU64,
}

/// Nobody answers any more: the run was given up.
#[derive(Debug, thiserror::Error)]
#[error("the run was given up")]
struct GivenUp;

impl RemoteChecker<'_> {
    /// A class that looks too small is too small. No made-up combination is in it, for these come in blocks that look large enough: so it has real
    /// rows and copies of real rows of the same party, hence at least as many real rows as different ones. Where that is more than may be
    /// left out, the reader could only say no.
    fn is_refuted_by_sight(&self, node: &Node) -> bool {
        let Some(classes) = self.grouper.group(node) else { return false };
        let small = (0..classes.len()).filter(|&class| classes.population(class) < self.visible.least);
        small.map(|class| classes.rows(class)).sum::<u64>() > self.visible.most_left_out
    }
}

impl Checker for RemoteChecker<'_> {
    fn check(&self, node: &Node) -> Result<Verdict, CheckError> {
        if self.is_refuted_by_sight(node) {
            return Ok(verdict(node, &Answer { monotone_part_holds: false, loss: None }));
        }
        self.asked.fetch_add(1, Ordering::Relaxed);
        let given_up = || CheckError(Box::new(GivenUp));
        self.questions.send(Question::About(node.clone())).map_err(|_| given_up())?;
        let answers = self.answers.lock().unwrap_or_else(PoisonError::into_inner);
        let answer = answers.recv().map_err(|_| given_up())?;
        Ok(verdict(node, &answer))
    }

    fn bounds_grow(&self) -> bool {
        self.bounds.as_ref().is_none_or(|&(metric, _)| metric != Metric::Entropy)
    }

    fn loss_bound(&self, node: &Node) -> f64 {
        self.bounds
            .as_ref()
            .map_or(f64::NEG_INFINITY, |(metric, model)| metric.bound_before_check(model, node))
    }

    // Of all rows that can be seen: a guess is enough.
    fn detail(&self, column: usize, level: u8) -> f64 {
        -self.details.hidden_bits(column, level) / self.visible.table.row_count() as f64
    }
}

fn verdict(node: &Node, answer: &Answer) -> Verdict {
    Verdict {
        monotone_part_holds: answer.monotone_part_holds,
        refuted: (!answer.monotone_part_holds).then(|| node.clone()),
        // By how much is not told.
        pressure: if answer.monotone_part_holds { 0.5 } else { 2.0 },
        holds: answer.loss.is_some(),
        loss: answer.loss.unwrap_or(f64::INFINITY),
        // Told when the release is made, not before.
        suppressed_rows: 0,
        bound_above: f64::NEG_INFINITY,
    }
}

impl RemoteSearch {
    /// Starts; gives the first question.
    pub(crate) fn start(problem: RemoteProblem) -> Result<(RemoteSearch, Asked), ProtocolError> {
        let (ask, questions) = sync_channel(1);
        let (answers, hear) = sync_channel(1);
        std::thread::spawn(move || {
            let visible = &problem.visible;
            let checker = RemoteChecker {
                questions: ask.clone(),
                answers: Mutex::new(hear),
                bounds: problem.bounds,
                visible,
                grouper: Grouper::new(&visible.table, &visible.ladders, HISTORY_BYTES),
                details: QualityModel::new(&visible.table, &visible.ladders, &visible.weights, 1),
                asked: AtomicU64::new(0),
            };
            let mut report = search::run(
                &Problem {
                    lattice: &problem.lattice,
                    order: &problem.order,
                    case: problem.case,
                    case_is_assumed: false,
                    checker: &checker,
                    observer: &Unobserved,
                    threads: 1,
                },
                problem.algorithm,
            );
            if let Ok(report) = &mut report {
                // What counts is what was asked, of all columns or of some.
                (report.checks, report.subset_tests) = (checker.asked.load(Ordering::Relaxed), 0);
            }
            // Nobody listens when the run was given up.
            let _ = ask.send(Question::Done(report));
        });
        let search = RemoteSearch { answers, questions };
        let asked = search.next()?;
        Ok((search, asked))
    }

    /// Hands in the answer to the last question; gives the next.
    pub(crate) fn answer(&self, answer: Answer) -> Result<Asked, ProtocolError> {
        self.answers.send(answer).map_err(|_| ProtocolError::SearchLost)?;
        self.next()
    }

    fn next(&self) -> Result<Asked, ProtocolError> {
        match self.questions.recv().map_err(|_| ProtocolError::SearchLost)? {
            Question::About(node) => Ok(Asked::About(node)),
            Question::Done(report) => Ok(Asked::Done(Box::new(report?))),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::ladder_of;
    use super::*;
    use paravent_core::criteria::{Criteria, KAnonymity, Suppression};
    use paravent_core::search::{LocalChecker, SearchInput};
    use proptest::prelude::*;

    /// Real rows and copies of them, by tuple.
    type Tuples = std::collections::BTreeMap<(u32, u32), (u32, u32)>;

    fn tuples() -> impl Strategy<Value = Tuples> {
        prop::collection::btree_map((0u32..4, 0u32..4), (1u32..5, 0u32..4), 1..12)
    }

    fn table(
        tuples: &Tuples,
        rows: impl Fn(&(u32, u32)) -> u32,
        population: Option<Vec<u32>>,
    ) -> FrequencyTable {
        let columns =
            vec![tuples.keys().map(|tuple| tuple.0).collect(), tuples.keys().map(|tuple| tuple.1).collect()];
        FrequencyTable::new(columns, tuples.values().map(rows).collect(), population, Vec::new()).unwrap()
    }

    fn best_node(tuples: &Tuples, k: u64, limit: u64, sight: bool) -> (Option<(Node, f64)>, u64, u64) {
        let ladders = vec![ladder_of(4, &[vec![0, 0, 1, 1], vec![0; 4]], &[]).unwrap(); 2];
        let (weights, real) = ([1.0, 1.0], table(tuples, |rows| rows.0, None));
        let suppression = if limit == 0 { Suppression::Forbidden } else { Suppression::Allowed };
        let criteria = Criteria::new(vec![Box::new(KAnonymity { k })], suppression);
        let reader = LocalChecker::new(SearchInput {
            table: &real,
            ladders: &ladders,
            weights: &weights,
            criteria: &criteria,
            metric: Metric::NonUniformEntropy,
            suppression_limit: limit,
            history_bytes: 0,
        });
        let visible = VisibleRows {
            table: table(tuples, |_| 1, Some(tuples.values().map(|rows| rows.0 + rows.1).collect())),
            ladders: ladders.clone(),
            weights: weights.to_vec(),
            least: if sight { k } else { 0 },
            most_left_out: limit,
        };
        let problem = RemoteProblem {
            lattice: Lattice::new(vec![0, 0], vec![2, 2]).unwrap(),
            order: NodeOrder::new(["a", "b"].into_iter().zip(&ladders)),
            case: reader.case(),
            algorithm: Algorithm::Flash,
            bounds: None,
            visible,
        };
        let (search, mut asked) = RemoteSearch::start(problem).unwrap();
        let mut questions = 0;
        loop {
            match asked {
                Asked::About(node) => {
                    questions += 1;
                    let verdict = reader.check(&node).unwrap();
                    let loss = verdict.holds.then_some(verdict.loss);
                    let answer = Answer { monotone_part_holds: verdict.monotone_part_holds, loss };
                    asked = search.answer(answer).unwrap();
                }
                Asked::Done(report) => {
                    return (report.best.map(|best| (best.node, best.loss)), questions, report.checks);
                }
            }
        }
    }

    proptest! {
        #[test]
        fn what_can_be_seen_need_not_be_asked(tuples in tuples(), k in 2u64..7, limit in 0u64..4) {
            let (slow, all, _) = best_node(&tuples, k, limit, false);
            let (fast, fewer, checks) = best_node(&tuples, k, limit, true);
            prop_assert_eq!(slow, fast);
            prop_assert!(fewer <= all);
            prop_assert_eq!(fewer, checks);
        }
    }
}
