//! Optimal lattice anonymization: halves intervals of the lattice until every node is decided.
//!
//! El Emam et al., "A globally optimal k-anonymity method for the de-identification of health data", JAMIA 16(5), 2009. Two
//! corrections: the middle of an interval is `⌊(low + high) / 2⌋`, and in an interval of two levels the upper node is tested,
//! too, if the lower one does not decide it. Nodes of the middle level are taken by ascending level of the last
//! column, then of the one before: so the number of checks, not the result, depends on the order of the columns.

use crate::search::algorithm::{Card, SearchAlgorithm, in_case_1_only};
use crate::search::{LossBy, NoGuarantee, Problem, SearchError, SearchReport};
use crate::task::Case;
use super::survey::{Halt, Survey};
use super::tags::fact;
use crate::lattice::{Lattice, Node};
use hashbrown::HashSet;

pub(super) struct Ola;

impl SearchAlgorithm for Ola {
    fn card(&self) -> Card {
        Card {
            name: "ola",
            how: "divides the lattice in halves, ruling out what each check implies",
            source: "El Emam et al., \"A globally optimal k-anonymity method for the de-identification of health data\", JAMIA 16(5), 2009.",
        }
    }

    fn search(&self, problem: &Problem<'_>) -> Result<SearchReport, SearchError> {
        Survey::walk(problem, self, walk)
    }

    fn guarantees(&self, case: Case, _: LossBy) -> Result<(), NoGuarantee> {
        in_case_1_only(case)
    }
}

fn walk(survey: &mut Survey<'_>) -> Result<(), Halt> {
    let (bottom, top) = (survey.problem.lattice.bottom(), survey.problem.lattice.top());
    Halving { survey, halved: HashSet::new() }.halve(&bottom, &top)
}

struct Halving<'s, 'a> {
    survey: &'s mut Survey<'a>,
    /// Intervals that were looked at.
    halved: HashSet<(u64, u64)>,
}

impl Halving<'_, '_> {
    /// Decides every node between two; as deep as the number of levels can be halved.
    fn halve(&mut self, low: &Node, high: &Node) -> Result<(), Halt> {
        let lattice = self.survey.problem.lattice;
        if !self.halved.insert((lattice.index(low), lattice.index(high))) {
            return Ok(());
        }
        let between = Lattice::new(low.levels().to_vec(), high.levels().to_vec())?;
        let last = between.level_count() - 1;
        if last <= 1 {
            self.is_anonymous(low)?;
            return self.is_anonymous(high).map(|_| ());
        }
        let mut middle: Vec<Node> = between.level(last / 2).into_iter().map(|at| between.node(at)).collect();
        middle.sort_by(|a, b| a.levels().iter().rev().cmp(b.levels().iter().rev()));
        for node in middle {
            if self.is_anonymous(&node)? {
                self.halve(low, &node)?;
            } else {
                self.halve(&node, high)?;
            }
        }
        Ok(())
    }

    /// By tag, or else by a check.
    fn is_anonymous(&mut self, node: &Node) -> Result<bool, Halt> {
        let index = self.survey.problem.lattice.index(node);
        if !self.survey.tags.has(index, fact::PART_HOLDS | fact::PART_FAILS | fact::PASSED_OVER) {
            let verdict = self.survey.check(index)?;
            self.survey.tag_as_if_monotone(index, &verdict);
        }
        Ok(self.survey.tags.has(index, fact::PART_HOLDS))
    }
}
