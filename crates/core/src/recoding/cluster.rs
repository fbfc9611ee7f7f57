//! A few parts, joined until every class holds.

use super::judge::Judge;
use super::labels::FORBIDDEN;
use super::probe::Probe;
use super::random::Random;
use super::space::{Class, Space};

/// Joins parts to classes, in memory of its own.
#[derive(Debug, Default)]
pub(super) struct Clustering {
    /// Part `p` has the tuples `tuples[starts[p]..starts[p + 1]]`.
    tuples: Vec<u32>,
    starts: Vec<usize>,
    /// By part: the group it belongs to, a part's number.
    group_of: Vec<usize>,
    /// By group: box, rows, cost, whether it holds; groups that were joined to another one are dead.
    labels: Vec<u32>,
    rows: Vec<u64>,
    cost: Vec<i64>,
    state: Vec<State>,
    /// By group that does not hold yet: the group to join, and what that costs.
    nearest: Vec<(usize, f64)>,
    /// By two groups, one of which does not hold: what a row costs in the box of both. Looked at many times, computed once.
    joint: Vec<u64>,
    /// The box of a join.
    widened: Vec<u32>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum State {
    Holds,
    Fails,
    Dead,
}

/// How joins are chosen.
#[derive(Debug, Clone, Copy)]
pub(super) struct Taste {
    /// Costs are taken for up to so much larger than they are.
    pub(super) noise: f64,
    /// Whether the cost of a join is seen in relation to the rows that it serves.
    pub(super) per_row: bool,
}

impl Clustering {
    /// No parts.
    pub(super) fn clear(&mut self) {
        self.tuples.clear();
        self.starts.clear();
        self.starts.push(0);
    }

    /// One more part.
    pub(super) fn add(&mut self, tuples: &[u32]) {
        self.tuples.extend_from_slice(tuples);
        self.starts.push(self.tuples.len());
    }

    /// Number of parts.
    pub(super) fn len(&self) -> usize {
        self.starts.len() - 1
    }

    fn part(&self, part: usize) -> &[u32] {
        &self.tuples[self.starts[part]..self.starts[part + 1]]
    }

    fn label(&self, width: usize, group: usize) -> &[u32] {
        &self.labels[group * width..][..width]
    }

    /// Joins parts until every group holds. Answers with the sum of their costs, or `None` where that does not work out.
    pub(super) fn run(
        &mut self,
        space: &Space<'_>,
        judge: &mut Judge<'_>,
        taste: Taste,
        random: &mut Random,
    ) -> Option<i64> {
        self.prepare(space, judge)?;
        for group in 0..self.len() {
            if self.state[group] == State::Fails {
                self.look(space, group, taste, random);
            }
        }
        loop {
            let failing = (0..self.len()).filter(|&group| self.state[group] == State::Fails);
            let next =
                failing.min_by(|&a, &b| self.nearest[a].1.total_cmp(&self.nearest[b].1).then(a.cmp(&b)));
            let Some(group) = next else { break };
            let (other, increase) = self.nearest[group];
            if increase == f64::INFINITY {
                return None;
            }
            self.join(space, judge, group, other);
            self.look_again(space, group, other, taste, random);
        }
        let alive = (0..self.len()).filter(|&group| self.state[group] != State::Dead);
        Some(alive.map(|group| self.cost[group]).fold(0, i64::saturating_add))
    }

    fn prepare(&mut self, space: &Space<'_>, judge: &mut Judge<'_>) -> Option<()> {
        let parts = self.len();
        self.group_of.clear();
        self.group_of.extend(0..parts);
        self.labels.clear();
        self.rows.clear();
        self.cost.clear();
        self.state.clear();
        self.nearest.clear();
        self.nearest.resize(parts, (usize::MAX, f64::INFINITY));
        for part in 0..parts {
            let (start, end) = (self.starts[part], self.starts[part + 1]);
            let at = self.labels.len();
            self.labels.extend_from_slice(space.finest(self.tuples[start]));
            for &tuple in &self.tuples[start + 1..end] {
                space.widen(&mut self.labels[at..], space.finest(tuple));
            }
            let rows = self.tuples[start..end].iter().map(|&tuple| space.rows(tuple)).sum();
            let row_cost = space.row_cost(&self.labels[at..])?;
            self.rows.push(rows);
            self.cost.push(space.objective.class(rows, row_cost));
            let holds = judge.holds(rows, self.tuples[start..end].iter().copied());
            self.state.push(if holds { State::Holds } else { State::Fails });
        }
        self.joint.clear();
        self.joint.resize(parts * parts, 0);
        for group in 0..parts {
            if self.state[group] != State::Fails {
                continue;
            }
            let probe = Probe::new(space, self.label(space.width(), group));
            for other in 0..parts {
                // Those before it that fail have looked at it already.
                if other > group || (other < group && self.state[other] == State::Holds) {
                    self.compare(&probe, group, other);
                }
            }
        }
        Some(())
    }

    fn compare(&mut self, probe: &Probe<'_>, group: usize, other: usize) {
        let (width, parts) = (probe.width(), self.len());
        let cost = probe.joint_cost(self.label(width, other));
        self.joint[group * parts + other] = cost;
        self.joint[other * parts + group] = cost;
    }

    /// What joining two groups costs.
    fn increase(&self, space: &Space<'_>, a: usize, b: usize, taste: Taste, random: &mut Random) -> f64 {
        let row_cost = self.joint[a * self.len() + b];
        if row_cost >= u64::from(FORBIDDEN) {
            return f64::INFINITY;
        }
        let rows = self.rows[a] + self.rows[b];
        let more = space.objective.class(rows, row_cost) - self.cost[a] - self.cost[b];
        let more = match taste.noise > 0.0 {
            true => more as f64 * (1.0 + taste.noise * random.share()),
            false => more as f64,
        };
        if taste.per_row { more / rows as f64 } else { more }
    }

    fn look(&mut self, space: &Space<'_>, group: usize, taste: Taste, random: &mut Random) {
        let mut best = (usize::MAX, f64::INFINITY);
        for other in (0..self.len()).filter(|&other| other != group) {
            if self.state[other] != State::Dead {
                let increase = self.increase(space, group, other, taste, random);
                if increase < best.1 {
                    best = (other, increase);
                }
            }
        }
        self.nearest[group] = best;
    }

    fn join(&mut self, space: &Space<'_>, judge: &mut Judge<'_>, group: usize, other: usize) {
        let width = space.width();
        let mut labels = std::mem::take(&mut self.widened);
        labels.clear();
        labels.extend_from_slice(self.label(width, other));
        space.widen(&mut labels, self.label(width, group));
        self.labels[group * width..][..width].copy_from_slice(&labels);
        self.rows[group] += self.rows[other];
        let row_cost = space.row_cost(&labels).unwrap_or(u64::from(FORBIDDEN));
        self.cost[group] = space.objective.class(self.rows[group], row_cost);
        self.group_of.iter_mut().filter(|of| **of == other).for_each(|of| *of = group);
        let members = (0..self.len()).filter(|&part| self.group_of[part] == group);
        let holds = judge.holds(self.rows[group], members.flat_map(|part| self.part(part).iter().copied()));
        self.state[group] = if holds { State::Holds } else { State::Fails };
        self.state[other] = State::Dead;
        let probe = Probe::new(space, &labels);
        self.widened = labels;
        for third in (0..self.len()).filter(|&third| third != group) {
            let is_asked = match self.state[third] {
                State::Fails => true,
                State::Holds => !holds,
                State::Dead => false,
            };
            if is_asked {
                self.compare(&probe, group, third);
            }
        }
    }

    fn look_again(
        &mut self,
        space: &Space<'_>,
        joined: usize,
        gone: usize,
        taste: Taste,
        random: &mut Random,
    ) {
        for group in 0..self.len() {
            if self.state[group] != State::Fails {
                continue;
            }
            let nearest = self.nearest[group].0;
            if group == joined || nearest == joined || nearest == gone {
                self.look(space, group, taste, random);
            } else {
                let increase = self.increase(space, group, joined, taste, random);
                if increase < self.nearest[group].1 {
                    self.nearest[group] = (joined, increase);
                }
            }
        }
    }

    /// The classes of the last run.
    pub(super) fn classes(&self, space: &Space<'_>) -> Vec<Class> {
        let width = space.width();
        let alive = (0..self.len()).filter(|&group| self.state[group] != State::Dead);
        alive
            .map(|group| {
                let members = (0..self.len()).filter(|&part| self.group_of[part] == group);
                let mut tuples: Vec<u32> = members.flat_map(|part| self.part(part).iter().copied()).collect();
                tuples.sort_unstable();
                let labels = self.label(width, group).into();
                Class { tuples, labels, rows: self.rows[group], cost: self.cost[group] }
            })
            .collect()
    }
}
