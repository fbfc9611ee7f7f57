//! The engine's search where a check takes a round trip.
//!
//! The search calls its checker and waits; a protocol step must not wait. So the search runs in a thread of its own that stands still
//! whenever it asks, and goes on when the answer is handed in. Nothing runs at the same time as anything else. Dropping the search
//! ends the thread: its next question fails.

use crate::error::ProtocolError;
use crate::wire::Answer;
use paravent_core::lattice::{Lattice, Node, NodeOrder};
use paravent_core::quality::{Metric, QualityModel};
use paravent_core::search::{
    self, Algorithm, Case, CheckError, Checker, Problem, SearchError, SearchReport, Unobserved, Verdict,
};
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
}

struct RemoteChecker {
    questions: SyncSender<Question>,
    answers: Mutex<Receiver<Answer>>,
    bounds: Option<(Metric, QualityModel)>,
}

/// Nobody answers any more: the run was given up.
#[derive(Debug, thiserror::Error)]
#[error("the run was given up")]
struct GivenUp;

impl Checker for RemoteChecker {
    fn check(&self, node: &Node) -> Result<Verdict, CheckError> {
        let given_up = || CheckError(Box::new(GivenUp));
        self.questions.send(Question::About(node.clone())).map_err(|_| given_up())?;
        let answers = self.answers.lock().unwrap_or_else(PoisonError::into_inner);
        let answer = answers.recv().map_err(|_| given_up())?;
        Ok(Verdict {
            monotone_part_holds: answer.monotone_part_holds,
            refuted: (!answer.monotone_part_holds).then(|| node.clone()),
            // By how much is not told.
            pressure: if answer.monotone_part_holds { 0.5 } else { 2.0 },
            holds: answer.loss.is_some(),
            loss: answer.loss.unwrap_or(f64::INFINITY),
            // Told when the release is made, not before.
            suppressed_rows: 0,
            bound_above: f64::NEG_INFINITY,
        })
    }

    fn bounds_grow(&self) -> bool {
        self.bounds.as_ref().is_none_or(|&(metric, _)| metric != Metric::Entropy)
    }

    fn loss_bound(&self, node: &Node) -> f64 {
        self.bounds
            .as_ref()
            .map_or(f64::NEG_INFINITY, |(metric, model)| metric.bound_before_check(model, node))
    }
}

impl RemoteSearch {
    /// Starts; gives the first question.
    pub(crate) fn start(problem: RemoteProblem) -> Result<(RemoteSearch, Asked), ProtocolError> {
        let (ask, questions) = sync_channel(1);
        let (answers, hear) = sync_channel(1);
        let checker =
            RemoteChecker { questions: ask.clone(), answers: Mutex::new(hear), bounds: problem.bounds };
        std::thread::spawn(move || {
            let report = search::run(
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
