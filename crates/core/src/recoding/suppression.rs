//! Where joining alone does not keep the promise: some rows must be left out, and as few as can be seen.

use super::judge::Judge;
use super::labels::FORBIDDEN;
use super::probe::Probe;
use super::space::{Class, Space};
use super::start::agglomerate;
use std::collections::BTreeSet;

/// Tuples that are compared with all classes, at most.
const MOST_COMPARED: usize = 4096;

/// Releases suppressed tuples after all: as classes of their own, or in a class that holds with them.
pub(super) fn release_more(space: &Space<'_>, classes: &mut Vec<Class>) {
    let mut released = vec![false; space.table.tuple_count()];
    let tuples = classes.iter().flat_map(|class| &class.tuples);
    tuples.for_each(|&tuple| released[tuple as usize] = true);
    let suppressed: Vec<u32> =
        space.tuples.iter().copied().filter(|&tuple| !released[tuple as usize]).take(MOST_COMPARED).collect();
    if suppressed.is_empty() {
        return;
    }
    let mut judge = Judge::new(space);
    let singles = suppressed.iter().filter_map(|&tuple| space.class(vec![tuple])).collect();
    let own = agglomerate(space, &mut judge, singles);
    for class in own.holding {
        add(space, &mut judge, classes, class);
    }
    let left: Vec<u32> = own.failing.into_iter().flat_map(|group| group.tuples).collect();
    for tuple in left {
        admit(space, &mut judge, classes, tuple);
    }
}

/// Where suppressing a row may cost less than its box: suppresses the costliest classes, as far as the limit goes.
pub(super) fn leave_out_costly(space: &Space<'_>, classes: &mut Vec<Class>) {
    let Some(suppressed) = space.objective.suppressed_row() else { return };
    let mut released = vec![false; space.table.tuple_count()];
    classes.iter().flat_map(|class| &class.tuples).for_each(|&tuple| released[tuple as usize] = true);
    let mut losing = Losing::default();
    space
        .tuples
        .iter()
        .filter(|&&tuple| !released[tuple as usize])
        .for_each(|&tuple| losing.add(space, &[tuple]));
    let cost = |class: &Class| space.row_cost(&class.labels).unwrap_or(u64::MAX);
    let mut order: Vec<usize> =
        (0..classes.len()).filter(|&class| cost(&classes[class]) > suppressed).collect();
    order.sort_by_key(|&class| (std::cmp::Reverse(cost(&classes[class])), classes[class].tuples[0]));
    let mut gone = vec![false; classes.len()];
    let mut left = classes.len();
    for class in order {
        let mut with = losing.clone();
        with.add(space, &classes[class].tuples);
        if with.count(space) <= space.task.suppression_limit() && left > 1 {
            (losing, gone[class]) = (with, true);
            left -= 1;
        }
    }
    let mut gone = gone.into_iter();
    classes.retain(|_| gone.next() == Some(false));
}

/// Rows that are suppressed, and people who lose one where they are counted.
#[derive(Debug, Clone, Default)]
struct Losing {
    rows: u64,
    people: BTreeSet<u32>,
}

impl Losing {
    fn add(&mut self, space: &Space<'_>, tuples: &[u32]) {
        for &tuple in tuples {
            self.rows += space.rows(tuple);
            if let Some(presences) = &space.presences {
                let owners =
                    presences.of(tuple).iter().map(|&presence| presences.person_of[presence as usize]);
                self.people.extend(owners);
            }
        }
    }

    fn count(&self, space: &Space<'_>) -> u64 {
        if space.presences.is_some() { self.people.len() as u64 } else { self.rows }
    }
}

/// Adds a class, if none that reads the same fails with it.
fn add(space: &Space<'_>, judge: &mut Judge<'_>, classes: &mut Vec<Class>, class: Class) {
    let text = space.text(&class.labels);
    let same: Vec<&Class> = classes.iter().filter(|other| space.text(&other.labels) == text).collect();
    let rows = class.rows + same.iter().map(|other| other.rows).sum::<u64>();
    let tuples = same.iter().flat_map(|other| &other.tuples).chain(&class.tuples).copied();
    if judge.holds(rows, tuples) {
        classes.push(class);
    }
}

/// Adds a tuple to the class that it costs least to join, among those that already cover it or hold with it.
fn admit(space: &Space<'_>, judge: &mut Judge<'_>, classes: &mut [Class], tuple: u32) {
    let probe = Probe::new(space, space.finest(tuple));
    let rows = space.rows(tuple);
    let mut offers: Vec<(i64, usize)> = Vec::new();
    for (number, class) in classes.iter().enumerate() {
        let row_cost = probe.joint_cost(&class.labels);
        if row_cost < u64::from(FORBIDDEN) {
            let joint = space.objective.class(class.rows + rows, row_cost);
            offers.push((joint.saturating_sub(class.cost), number));
        }
    }
    offers.sort_unstable();
    let suppressed = space.objective.class(rows, u64::from(FORBIDDEN) / 2);
    for (increase, number) in offers.into_iter().take_while(|&(increase, _)| increase <= suppressed) {
        let mut labels = classes[number].labels.clone();
        space.widen(&mut labels, space.finest(tuple));
        let reads_alike = || {
            let text = space.text(&labels);
            (0..classes.len()).any(|other| other != number && space.text(&classes[other].labels) == text)
        };
        if !space.merging_is_safe && reads_alike() {
            continue;
        }
        let class = &mut classes[number];
        if judge.holds(class.rows + rows, class.tuples.iter().copied().chain([tuple])) {
            class.tuples.push(tuple);
            class.tuples.sort_unstable();
            class.rows += rows;
            class.labels = labels;
            class.cost = class.cost.saturating_add(increase);
            return;
        }
    }
}
