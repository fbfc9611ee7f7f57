//! Flash_PAR: Flash on several threads, each with a path of its own.
//!
//! The threads share what is known and the plan of what to do next, under one lock that no thread holds while it checks a node.
//! A path avoids nodes on the paths of others: whoever has them will decide them. In the cases that need a second phase, its
//! nodes are handed out one by one. The best node is chosen by loss and node order, not by who was
//! first, so the result is that of one thread; only the number of checks may vary. Kohlmayer 2015, chapter 3.

use crate::search::algorithm::{Card, SearchAlgorithm};
use crate::search::{Depth, Problem, SearchError, SearchReport, Verdict};
use super::paths::{TAGGED, find_path};
use super::survey::{Halt, Look, Proof, Survey};
use super::tags::fact;
use crate::criteria::Monotonicity;
use crate::lattice::OrderKey;
use std::cmp::Reverse;
use std::collections::{BTreeSet, BinaryHeap, VecDeque};
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};

pub(super) struct FlashParallel;

impl SearchAlgorithm for FlashParallel {
    fn card(&self) -> Card {
        Card {
            name: "flash-parallel",
            how: "binary search along paths from fine to coarse, ruling out what each check implies",
            source: "Kohlmayer, TU München 2015, chapter 3.",
        }
    }

    fn search(&self, problem: &Problem<'_>) -> Result<SearchReport, SearchError> {
        search(problem)
    }
}

fn search(problem: &Problem<'_>) -> Result<SearchReport, SearchError> {
    let crew = Crew { problem, plan: Mutex::new(Plan::new(Survey::new(problem)?)), changed: Condvar::new() };
    std::thread::scope(|scope| {
        for _ in 1..problem.threads {
            // A thread that cannot be had is a thread less; the others do its work.
            let _ = std::thread::Builder::new().spawn_scoped(scope, || crew.work());
        }
        crew.work();
    });
    let Plan { survey, halt, .. } = crew.plan.into_inner().unwrap_or_else(PoisonError::into_inner);
    survey.conclude(halt.map_or(Ok(()), Err), Proof::Found)
}

/// One thing to do.
enum Task {
    /// Bisect a path for its lowest node that passes the monotone part.
    Bisect(Vec<u64>),
    /// Check a node of the second phase.
    Check(u64),
}

/// What is known and what is left to do.
struct Plan<'a> {
    survey: Survey<'a>,
    /// Nodes of the second phase, the next one last.
    above: Vec<u64>,
    /// Successors of a node that failed: where paths may start.
    starts: VecDeque<u64>,
    /// Nodes that fail the monotone part and whose successors are to be looked at.
    queue: BinaryHeap<Reverse<(OrderKey, u64)>>,
    /// Open nodes of the level below `next_level`.
    level: VecDeque<u64>,
    next_level: u32,
    on_paths: BTreeSet<u64>,
    being_checked: BTreeSet<u64>,
    busy: usize,
    halt: Option<Halt>,
}

impl<'a> Plan<'a> {
    fn new(survey: Survey<'a>) -> Plan<'a> {
        // Without a monotone part there are no paths, only the second phase from the bottom.
        let (above, next_level) = match survey.problem.case.criterion {
            Monotonicity::Full | Monotonicity::Partly => (Vec::new(), 0),
            Monotonicity::None => (vec![0], survey.problem.lattice.level_count()),
        };
        Plan {
            survey,
            above,
            starts: VecDeque::new(),
            queue: BinaryHeap::new(),
            level: VecDeque::new(),
            next_level,
            on_paths: BTreeSet::new(),
            being_checked: BTreeSet::new(),
            busy: 0,
            halt: None,
        }
    }

    /// What can be done now; `None` as long as it depends on the tasks of others.
    fn next_task(&mut self) -> Option<Task> {
        let lattice = self.survey.problem.lattice;
        loop {
            if let Some(node) = self.above.pop() {
                if self.enter(node) {
                    self.being_checked.insert(node);
                    return Some(Task::Check(node));
                }
            } else if let Some(start) = self.starts.pop_front() {
                if self.is_open(start) {
                    return Some(self.path_from(start));
                }
            } else if let Some(Reverse((_, failed))) = self.queue.pop() {
                self.starts = self.open_in_order(lattice.successors(failed).collect());
            } else if let Some(start) = self.level.pop_front() {
                if self.is_open(start) {
                    return Some(self.path_from(start));
                }
            } else if self.next_level < lattice.level_count() {
                self.level = self.open_in_order(lattice.level(self.next_level));
                self.next_level += 1;
            } else {
                return None;
            }
        }
    }

    /// The second phase comes to a node: whether it has to be checked. If not, its successors are next.
    fn enter(&mut self, node: u64) -> bool {
        if self.survey.tags.has(node, fact::EXPANDED | fact::EXCLUDED) {
            return false;
        }
        self.survey.tags.add(node, fact::EXPANDED);
        if !self.survey.tags.has(node, fact::CHECKED) && !self.being_checked.contains(&node) {
            return true;
        }
        self.go_above(node);
        false
    }

    fn go_above(&mut self, node: u64) {
        let successors = self.survey.problem.lattice.successors(node).collect();
        let above = self.survey.without(fact::EXPANDED | fact::EXCLUDED, successors);
        self.above.extend(above.into_iter().rev());
    }

    fn path_from(&mut self, start: u64) -> Task {
        let path = find_path(&self.survey, start, |node| self.is_open(node));
        self.on_paths.extend(&path);
        Task::Bisect(path)
    }

    /// The node is unknown and no thread is checking it.
    fn is_open(&self, node: u64) -> bool {
        !self.survey.tags.has(node, TAGGED) && !self.on_paths.contains(&node)
    }

    fn open_in_order(&self, mut nodes: Vec<u64>) -> VecDeque<u64> {
        nodes.retain(|&node| self.is_open(node));
        self.survey.problem.order.sort(self.survey.problem.lattice, &mut nodes);
        nodes.into()
    }

    fn record(&mut self, node: u64, verdict: &Verdict) -> Result<(), Halt> {
        self.being_checked.remove(&node);
        let recorded = self.survey.record(node, verdict, Look::Check);
        self.survey.exclude_above(node, verdict);
        recorded
    }

    fn part_fails(&mut self, node: u64) {
        self.survey.tags.add_below(node, fact::PART_FAILS);
        let key = self.survey.problem.order.key(&self.survey.problem.lattice.node(node));
        self.queue.push(Reverse((key, node)));
    }

    /// Keeps the reason to end; an error is not forgotten for a wish to stop.
    fn end_for(&mut self, halt: Halt) {
        if !matches!(self.halt, Some(Halt::Failed(_))) {
            self.halt = Some(halt);
        }
    }
}

/// The threads' common ground.
struct Crew<'a> {
    problem: &'a Problem<'a>,
    plan: Mutex<Plan<'a>>,
    changed: Condvar,
}

/// A thread with a task. Whatever becomes of it, the others are told when it is over.
struct Busy<'c, 'a>(&'c Crew<'a>);

impl Drop for Busy<'_, '_> {
    fn drop(&mut self) {
        let mut plan = self.0.plan();
        plan.busy -= 1;
        if std::thread::panicking() {
            plan.end_for(Halt::Stopped);
        }
        self.0.changed.notify_all();
    }
}

impl<'a> Crew<'a> {
    fn plan(&self) -> MutexGuard<'_, Plan<'a>> {
        self.plan.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Takes tasks until none is left and none can be added.
    fn work(&self) {
        while let Some((task, busy)) = self.take() {
            let end = match task {
                Task::Bisect(path) => self.bisect(&path),
                Task::Check(node) => self.check(node),
            };
            if let Err(halt) = end {
                self.plan().end_for(halt);
            }
            drop(busy);
        }
    }

    fn take(&self) -> Option<(Task, Busy<'_, 'a>)> {
        let mut plan = self.plan();
        loop {
            if plan.halt.is_some() {
                return None;
            }
            if let Some(task) = plan.next_task() {
                plan.busy += 1;
                return Some((task, Busy(self)));
            }
            if plan.busy == 0 {
                return None;
            }
            plan = self.changed.wait(plan).unwrap_or_else(PoisonError::into_inner);
        }
    }

    fn look(&self, node: u64) -> Result<Verdict, Halt> {
        Ok(self.problem.checker.check(&self.problem.lattice.node(node), Depth::Full)?)
    }

    fn check(&self, node: u64) -> Result<(), Halt> {
        let verdict = self.look(node)?;
        let mut plan = self.plan();
        plan.record(node, &verdict)?;
        if !plan.survey.tags.has(node, fact::EXCLUDED) {
            plan.go_above(node);
        }
        Ok(())
    }

    fn bisect(&self, path: &[u64]) -> Result<(), Halt> {
        let (mut low, mut high) = (0, path.len());
        while low < high {
            let middle = (low + high - 1) / 2;
            match self.part_holds(path[middle])? {
                None => return Ok(()),
                Some(true) => high = middle,
                Some(false) => low = middle + 1,
            }
        }
        let mut plan = self.plan();
        for node in path {
            plan.on_paths.remove(node);
        }
        if self.problem.case.number() != 1 {
            plan.above.extend(path.get(high));
        }
        Ok(())
    }

    /// Whether a node passes the monotone part, by what others have found meanwhile or by a check; `None` when the search ends.
    fn part_holds(&self, node: u64) -> Result<Option<bool>, Halt> {
        let mut plan = self.plan();
        if plan.halt.is_some() {
            return Ok(None);
        }
        if !plan.survey.tags.has(node, TAGGED) {
            plan.being_checked.insert(node);
            drop(plan);
            let verdict = self.look(node)?;
            plan = self.plan();
            plan.record(node, &verdict)?;
            if verdict.monotone_part_holds {
                plan.survey.tags.add_above(node, fact::PART_HOLDS);
            } else {
                plan.part_fails(node);
            }
            self.changed.notify_all();
        }
        Ok(Some(plan.survey.tags.has(node, fact::PART_HOLDS)))
    }
}
