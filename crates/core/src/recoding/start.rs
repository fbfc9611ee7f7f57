//! The first classes: what does not hold joins its nearest neighbour.

use super::judge::Judge;
use super::labels::FORBIDDEN;
use super::probe::Probe;
use super::space::{Class, Space};
use std::cmp::Reverse;
use std::collections::BinaryHeap;

/// Groups of tuples that hold, and those that do not yet.
#[derive(Debug, Default)]
pub(super) struct Groups {
    pub(super) holding: Vec<Class>,
    pub(super) failing: Vec<Class>,
}

/// Joins each group that does not hold to the group with the least increase of the loss, the cheapest join first, until all
/// hold or none is left to join. Groups that hold may be joined, too.
pub(super) fn agglomerate(space: &Space<'_>, judge: &mut Judge<'_>, groups: Vec<Class>) -> Groups {
    let mut pool = Pool::new(space, judge, groups);
    let mut queue: BinaryHeap<Reverse<Join>> = BinaryHeap::new();
    for group in 0..pool.classes.len() {
        if space.stopping.asked() {
            break;
        }
        if !pool.holds[group] {
            queue.extend(pool.nearest(space, group).map(Reverse));
        }
    }
    while let Some(Reverse(join)) = queue.pop() {
        let Join { group, other, .. } = join;
        if pool.holds[group] || pool.version[group] != join.version {
            continue;
        }
        if space.stopping.asked() {
            break;
        }
        if pool.version[other] == join.other_version {
            pool.join(space, judge, group, other);
        }
        if !pool.holds[group] {
            queue.extend(pool.nearest(space, group).map(Reverse));
        }
    }
    pool.into_groups()
}

/// A proposed join, with the versions of both groups at the time of the proposal.
#[derive(Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Join {
    increase: i64,
    group: usize,
    other: usize,
    version: u32,
    other_version: u32,
}

struct Pool {
    classes: Vec<Option<Class>>,
    holds: Vec<bool>,
    /// Counts the changes of a group; a dead one never has an older version again.
    version: Vec<u32>,
    labels: Vec<u32>,
    alive: Vec<usize>,
    place: Vec<usize>,
}

impl Pool {
    fn new(space: &Space<'_>, judge: &mut Judge<'_>, groups: Vec<Class>) -> Pool {
        let holds =
            groups.iter().map(|group| judge.holds(group.rows, group.tuples.iter().copied())).collect();
        let width = space.width();
        let mut labels = Vec::with_capacity(groups.len() * width);
        groups.iter().for_each(|group| labels.extend_from_slice(&group.labels));
        Pool {
            holds,
            version: vec![0; groups.len()],
            labels,
            alive: (0..groups.len()).collect(),
            place: (0..groups.len()).collect(),
            classes: groups.into_iter().map(Some).collect(),
        }
    }

    fn nearest(&self, space: &Space<'_>, group: usize) -> Option<Join> {
        let width = space.width();
        let own = self.classes[group].as_ref()?;
        let probe = Probe::new(space, &own.labels);
        let mut best: Option<(i64, usize)> = None;
        for &other in &self.alive {
            let row_cost = probe.joint_cost(&self.labels[other * width..][..width]);
            let Some(class) = self.classes[other].as_ref().filter(|_| other != group) else { continue };
            if row_cost >= u64::from(FORBIDDEN) {
                continue;
            }
            let joint = space.objective.class(own.rows + class.rows, row_cost);
            let increase = joint.saturating_sub(own.cost).saturating_sub(class.cost);
            if best.is_none_or(|best| (increase, other) < best) {
                best = Some((increase, other));
            }
        }
        let (increase, other) = best?;
        let (version, other_version) = (self.version[group], self.version[other]);
        Some(Join { increase, group, other, version, other_version })
    }

    fn join(&mut self, space: &Space<'_>, judge: &mut Judge<'_>, group: usize, other: usize) {
        let (Some(own), Some(joined)) = (self.classes[group].take(), self.classes[other].take()) else {
            return;
        };
        let Class { mut tuples, mut labels, rows, .. } = own;
        tuples.extend(joined.tuples);
        space.widen(&mut labels, &joined.labels);
        let rows = rows + joined.rows;
        let cost = space.objective.class(rows, space.row_cost(&labels).unwrap_or(u64::from(FORBIDDEN)));
        self.holds[group] = judge.holds(rows, tuples.iter().copied());
        self.labels[group * labels.len()..][..labels.len()].copy_from_slice(&labels);
        self.classes[group] = Some(Class { tuples, labels, rows, cost });
        self.version[group] += 1;
        self.version[other] = u32::MAX;
        let place = self.place[other];
        self.alive.swap_remove(place);
        if let Some(&moved) = self.alive.get(place) {
            self.place[moved] = place;
        }
    }

    fn into_groups(self) -> Groups {
        let mut groups = Groups::default();
        for (class, holds) in self.classes.into_iter().zip(self.holds) {
            if let Some(mut class) = class {
                class.tuples.sort_unstable();
                if holds { groups.holding.push(class) } else { groups.failing.push(class) }
            }
        }
        groups
    }
}
