//! The engine's search where a check takes a round trip.
//!
//! The search calls its checker and waits; a protocol step must not wait. So the search runs in a thread of its own that stands still
//! whenever it asks, and goes on when the answer is handed in. Nothing runs at the same time as anything else. Dropping the search
//! ends the thread: its next question fails.

use super::column_losses::ColumnLosses;
use super::{HISTORY_BYTES, run_to_the_end};
use crate::error::ProtocolError;
use crate::wire::Answer;
use paravent_core::grouping::Grouper;
use paravent_core::lattice::{Lattice, Node};
use paravent_core::quality::{Metric, QualityModel};
use paravent_core::search::{
    Algorithm, CheckError, Checker, Depth, Prior, Problem, SearchError, SearchReport, Unobserved, Verdict,
};
use paravent_core::table::FrequencyTable;
use paravent_core::task::{Case, QuasiIdentifiers};
use std::collections::BTreeMap;
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
    pub(crate) columns: QuasiIdentifiers,
    pub(crate) case: Case,
    pub(crate) algorithm: Algorithm,
    pub(crate) bounds: LossBounds,
    pub(crate) visible: VisibleRows,
}

/// What can be known of losses before a check.
pub(crate) enum LossBounds {
    /// Nothing.
    Unknown,
    /// They depend on the levels only.
    OfLevels(Metric, Box<QualityModel>),
    /// They are sums over the columns: asking about one column at a time tells them.
    OfColumns,
}

/// What can be known without asking.
pub(crate) struct VisibleRows {
    /// By tuple: different rows, and as the population of these all rows, real and made-up ones together.
    pub(crate) table: FrequencyTable,
    /// Rows that a class must have.
    pub(crate) least: u64,
    /// Rows that may be left out, or more.
    pub(crate) most_left_out: u64,
}

struct RemoteChecker<'a> {
    questions: SyncSender<Question>,
    answers: Mutex<Receiver<Answer>>,
    bounds: Known,
    visible: &'a VisibleRows,
    grouper: Grouper<'a>,
    details: QualityModel,
    asked: AtomicU64,
    /// Answers of nodes that were asked about before the search began.
    heard: BTreeMap<Node, Answer>,
}

/// What is known of losses once the search begins.
enum Known {
    Nothing,
    OfLevels(Metric, Box<QualityModel>),
    OfColumns(ColumnLosses),
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

    fn ask(&self, node: &Node) -> Result<Answer, CheckError> {
        self.asked.fetch_add(1, Ordering::Relaxed);
        let given_up = || CheckError(Box::new(GivenUp));
        self.questions.send(Question::About(node.clone())).map_err(|_| given_up())?;
        let answers = self.answers.lock().unwrap_or_else(PoisonError::into_inner);
        answers.recv().map_err(|_| given_up())
    }

    /// Asks about one column at a time where that tells the losses of all nodes.
    fn learn_losses(&mut self, bounds: LossBounds, lattice: &Lattice) -> Result<(), CheckError> {
        self.bounds = match bounds {
            LossBounds::Unknown => Known::Nothing,
            LossBounds::OfLevels(metric, model) => Known::OfLevels(metric, model),
            LossBounds::OfColumns => {
                let mut heard = BTreeMap::new();
                let losses = ColumnLosses::ask(lattice, |node| {
                    if self.is_refuted_by_sight(node) {
                        return Ok(None);
                    }
                    let answer = self.ask(node)?;
                    heard.insert(node.clone(), answer);
                    Ok::<_, CheckError>(answer.loss)
                })?;
                self.heard = heard;
                losses.map_or(Known::Nothing, Known::OfColumns)
            }
        };
        Ok(())
    }
}

impl Checker for RemoteChecker<'_> {
    fn check(&self, node: &Node, _: Depth) -> Result<Verdict, CheckError> {
        let answer = match self.heard.get(node) {
            Some(&answer) => answer,
            None if self.is_refuted_by_sight(node) => Answer { monotone_part_holds: false, loss: None },
            None => self.ask(node)?,
        };
        Ok(verdict(node, &answer))
    }

    fn prior(&self) -> &dyn Prior {
        self
    }
}

impl Prior for RemoteChecker<'_> {
    fn bounds_grow(&self) -> bool {
        !matches!(self.bounds, Known::OfLevels(metric, _) if !metric.bounds_grow())
    }

    fn lower_bound(&self, node: &Node) -> f64 {
        match &self.bounds {
            Known::Nothing => f64::NEG_INFINITY,
            Known::OfLevels(metric, model) => metric.bound_before_check(model, node),
            Known::OfColumns(losses) => losses.bound(node),
        }
    }

    // Of all rows that can be seen: a guess is enough.
    fn information(&self, column: usize, level: u8) -> f64 {
        -self.details.hidden_bits(column, level) / self.visible.table.row_count() as f64
    }
}

fn verdict(node: &Node, answer: &Answer) -> Verdict {
    Verdict {
        monotone_part_holds: answer.monotone_part_holds,
        sizes_pass: answer.monotone_part_holds,
        refuted: (!answer.monotone_part_holds).then(|| node.clone()),
        // By how much is not told. A guess from the rows that can be seen, real and made-up ones, takes more questions than none.
        suppression_ratio: if answer.monotone_part_holds { 0.5 } else { 2.0 },
        holds: answer.loss.is_some(),
        loss: answer.loss.unwrap_or(f64::INFINITY),
        // Told when the release is made, not before.
        suppressed_rows: 0,
        lower_bound_above: f64::NEG_INFINITY,
        lower_bound_below: f64::NEG_INFINITY,
        unrefuted_above: None,
    }
}

impl RemoteSearch {
    /// Starts; gives the first question.
    pub(crate) fn start(problem: RemoteProblem) -> Result<(RemoteSearch, Asked), ProtocolError> {
        let (ask, questions) = sync_channel(1);
        let (answers, hear) = sync_channel(1);
        let search = move || {
            let (visible, columns) = (&problem.visible, &problem.columns);
            let mut checker = RemoteChecker {
                questions: ask.clone(),
                answers: Mutex::new(hear),
                bounds: Known::Nothing,
                visible,
                grouper: Grouper::new(&visible.table, columns.ladders(), HISTORY_BYTES),
                details: QualityModel::new(&visible.table, columns.ladders(), columns.weights(), 1),
                asked: AtomicU64::new(0),
                heard: BTreeMap::new(),
            };
            let learnt = checker.learn_losses(problem.bounds, columns.lattice());
            let search = |()| {
                let problem_here = Problem {
                    lattice: columns.lattice(),
                    order: columns.order(),
                    case: problem.case,
                    case_is_assumed: false,
                    checker: &checker,
                    observer: &Unobserved,
                    threads: 1,
                };
                run_to_the_end(&problem_here, problem.algorithm)
            };
            let mut report = learnt.map_err(SearchError::from).and_then(search);
            if let Ok(report) = &mut report {
                // What counts is what was asked, of all columns or of some.
                (report.checks, report.subset_tests) = (checker.asked.load(Ordering::Relaxed), 0);
            }
            // Nobody listens when the run was given up.
            let _ = ask.send(Question::Done(report));
        };
        std::thread::Builder::new().spawn(search).map_err(|_| ProtocolError::SearchLost)?;
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
mod tests;
