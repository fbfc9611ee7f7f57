//! Recodings against an attacker who knows any few of the quasi-identifiers, not all of them.
//!
//! The criteria hold for every set of rows that show the same labels in some `known` columns, whichever these are. Rows that agree in
//! fewer columns are unions of such sets, so whoever knows less learns no more, if unions keep the criteria; others are refused.
//! A recoding that holds for all columns holds for any of them: that is one start. The other one raises labels of the
//! finest boxes, one choice of columns after the other, until every set holds (`raise`). Both are then lowered cell by cell as far as
//! every set still holds (`lower`), and the cheaper one stays. `bound` has the lower bound, with its proof.
//!
//! Mohammed, Fung, Hung & Lee, "Anonymizing healthcare data: a case study on the blood transfusion service", KDD 2009 (LKC-privacy);
//! Templ, Kowarik & Meindl, "Statistical disclosure control for micro-data using the R package sdcMicro", JSS 67(4), 2015 (cell
//! suppression for all subsets of key variables).

pub(super) mod bound;
mod lower;
mod raise;
mod shown;

use super::apply::solution;
use super::judge::Judge;
use super::run::{Progress, first_classes, improved, require_levels};
use super::space::{Class, Space};
use super::stopping::Stopping;
use super::{Effort, Recoding, RecodingError};
use crate::criteria::Achieved;
use crate::quality::{Balance, Sizes};
use crate::release::Solution;
use crate::search::Flow;
use crate::task::Task;
use shown::Shown;

/// Choices of columns, at most.
pub const MOST_CHOICES: usize = 5000;

impl Task {
    /// A recoding in which the criteria hold for all rows that agree in any `known` of the columns; `None` where there is none within
    /// the suppression limit. Each column shows labels of the given levels only, ascending.
    ///
    /// The moves of the effort are spent on classes of all columns first. As many cells are then tried to be lowered; as many as it
    /// takes where the moves are not given.
    pub fn recode_known(
        &self,
        levels: &[Vec<u8>],
        known: usize,
        effort: &Effort<'_>,
    ) -> Result<Option<Recoding>, RecodingError> {
        require_levels(self, levels)?;
        let stop = || effort.observer.stop();
        let space = Space::new(self, levels)?.stopped_by(Stopping(&stop));
        require(&space)?;
        let choices = choices(space.width(), known.clamp(1, space.width()))
            .ok_or(RecodingError::Choices { most: MOST_CHOICES })?;
        let Some(classes) = first_classes(&space, effort)? else { return Ok(None) };
        let lower_bound = space.objective.bound(self, bound::row_costs(&space, &choices, known));
        let (classes, tried, mut complete) = improved(&space, effort, classes, lower_bound);
        if effort.observer.stop() {
            return Ok(None);
        }
        let of = effort.moves.unwrap_or(u64::MAX);
        let mut left = of;
        let mut best = Shown::of_classes(&space, &classes);
        let releases_all = best.released.len() == space.tuples.len();
        lower::lower(&space, &choices, &mut best, &mut left);
        for first in 0..STARTS.min(choices.len()) {
            let stop = effort.observer.after_round(&Progress {
                moves: of - left,
                of: (of - left).max(1),
                loss: self.loss_of(&space, &best),
                lower_bound,
            });
            if stop == Flow::Stop {
                complete = false;
                break;
            }
            // Where rows must be left out, only the first start knows which.
            if !releases_all {
                break;
            }
            let mut other = Shown::finest(&space);
            if raise::raise(&space, &choices, first * choices.len() / STARTS, &mut other) {
                lower::lower(&space, &choices, &mut other, &mut left);
                let is_better = match space.objective.is_the_metric() {
                    true => other.cost(&space) < best.cost(&space),
                    false => self.loss_of(&space, &other) < self.loss_of(&space, &best),
                };
                if is_better {
                    best = other;
                }
            }
        }
        if effort.observer.stop() {
            return Ok(None);
        }
        let (mut solution, loss) = solution(&space, best.classes(&space));
        gauge(&space, &choices, &best, &mut solution);
        Ok(Some(Recoding { solution, loss, lower_bound, moves: tried + (of - left), complete }))
    }

    fn loss_of(&self, space: &Space<'_>, shown: &Shown) -> f64 {
        super::measure::measure(space, &shown.classes(space), self.balance()).value(self.metric())
    }
}

/// Number of attempts to raise labels from the finest boxes, each with another order of the choices.
const STARTS: usize = 3;

/// Refuses tasks that overlapping sets of rows do not support.
fn require(space: &Space<'_>) -> Result<(), RecodingError> {
    let metric = space.task.metric();
    let of_cells = metric.on_boxes().is_some_and(|boxes| boxes.sizes == Sizes::Free);
    if !of_cells || space.task.balance() != Balance::EVEN {
        return Err(RecodingError::KnownMetric(metric));
    }
    if space.presences.is_some() || space.task.criteria().needs().1 || !space.merging_is_safe {
        return Err(RecodingError::KnownCriteria);
    }
    Ok(())
}

/// All sets of `size` of the columns, each ascending, in ascending order; `None` where they are too many.
fn choices(columns: usize, size: usize) -> Option<Vec<Vec<usize>>> {
    let mut found: Vec<Vec<usize>> = vec![Vec::new()];
    for _ in 0..size {
        let mut longer = Vec::new();
        for choice in found {
            let next = choice.last().map_or(0, |last| last + 1);
            longer.extend((next..columns).map(|column| choice.iter().copied().chain([column]).collect()));
            if longer.len() > MOST_CHOICES.saturating_mul(columns.max(1)) {
                return None;
            }
        }
        found = longer;
    }
    (found.len() <= MOST_CHOICES).then_some(found)
}

/// Says what the sets of all choices achieve, and whether all of them hold.
fn gauge(space: &Space<'_>, choices: &[Vec<usize>], shown: &Shown, solution: &mut Solution) {
    let members = space.task.criteria().members();
    let mut achieved = vec![Achieved::default(); members.len()];
    let mut judge = Judge::new(space);
    let mut all_hold = true;
    for choice in choices {
        for Class { tuples, rows, .. } in shown.sets(space, choice) {
            judge.with_class(rows, tuples.iter().copied(), |set| {
                all_hold &= space.task.criteria().hold(set);
                members.iter().zip(&mut achieved).for_each(|(member, achieved)| member.gauge(set, achieved));
            });
        }
    }
    solution.achieved = achieved;
    solution.holds &= all_hold;
}

#[cfg(test)]
mod tests {
    use super::choices;

    #[test]
    fn choices_are_all_subsets_of_a_size() {
        assert_eq!(choices(3, 2).unwrap(), [vec![0, 1], vec![0, 2], vec![1, 2]]);
        assert_eq!(choices(4, 4).unwrap(), [vec![0, 1, 2, 3]]);
        assert_eq!(choices(8, 3).unwrap().len(), 56);
        assert_eq!(choices(40, 20), None);
    }
}
