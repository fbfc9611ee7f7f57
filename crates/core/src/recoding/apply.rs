//! Boxes applied to a table: those of a search, or those of an earlier release.

use super::RecodingError;
use super::judge::Judge;
use super::measure;
use super::population::others;
use super::space::{Class, Space};
use crate::criteria::Achieved;
use crate::grouping;
use crate::lattice::Node;
use crate::quality::Balance;
use crate::release::{Boxes, Fate, Fates, LabelBox, PeopleKept, Solution};
use crate::task::Task;
use hashbrown::HashMap;
use std::collections::BTreeMap;
use std::sync::Arc;

impl Task {
    /// Gives every tuple the finest of these boxes that covers it, the first one of several. Tuples that no box covers, and
    /// classes that do not keep the criteria, are suppressed; [`Solution::holds`] says whether that is within the limit.
    pub fn apply_boxes(&self, boxes: &[LabelBox]) -> Result<Solution, RecodingError> {
        let levels: Vec<Vec<u8>> =
            self.ladders().iter().map(|ladder| (0..=ladder.max_level()).collect()).collect();
        let space = Space::new(self, &levels)?;
        let cover = Cover::new(&space, boxes)?;
        let mut classes: HashMap<usize, Vec<u32>> = HashMap::new();
        for &tuple in &space.tuples {
            if let Some(number) = cover.finest(&space, tuple) {
                classes.entry(number).or_default().push(tuple);
            }
        }
        let class =
            |(number, tuples): (usize, Vec<u32>)| Class::boxed(&space, tuples, cover.labels[number].clone());
        let classes = united(&space, classes.into_iter().map(class).collect());
        let mut judge = Judge::new(&space);
        let others = others(&space, &labels_of(&classes));
        // A suppressed box covers no one, so the other boxes cover as many as before.
        let holding = classes
            .into_iter()
            .zip(others)
            .filter(|(class, others)| judge.holds_with(class.rows, *others, class.tuples.iter().copied()));
        let (applied, _) = solution(&space, holding.map(|(class, _)| class).collect());
        Ok(applied)
    }

    /// Calls `visit` with every released class of a recoding, in the order of its boxes.
    pub fn visit_boxes(
        &self,
        boxes: &Boxes,
        mut visit: impl FnMut(&grouping::Class<'_>),
    ) -> Result<(), RecodingError> {
        let levels: Vec<Vec<u8>> =
            self.ladders().iter().map(|ladder| (0..=ladder.max_level()).collect()).collect();
        let space = Space::new(self, &levels)?;
        let mut tuples: Vec<Vec<u32>> = vec![Vec::new(); boxes.boxes.len()];
        for (tuple, number) in (0u32..).zip(&boxes.box_of) {
            if let Some(number) = number {
                tuples[*number as usize].push(tuple);
            }
        }
        let cover = Cover::new(&space, &boxes.boxes)?;
        let labels: Vec<&[u32]> = cover.labels.iter().map(|labels| &labels[..]).collect();
        let mut judge = Judge::new(&space);
        for ((shown, tuples), others) in boxes.boxes.iter().zip(tuples).zip(others(&space, &labels)) {
            judge.with_others(shown.rows, others, tuples.into_iter(), &mut visit);
        }
        Ok(())
    }
}

/// Boxes by their levels and labels.
struct Cover {
    labels: Vec<Box<[u32]>>,
    cost: Vec<u64>,
    /// By levels: the boxes on them.
    by_levels: BTreeMap<Box<[u8]>, ByLabels>,
}

/// Boxes on the same levels, by their labels.
type ByLabels = HashMap<Box<[u32]>, usize>;

impl Cover {
    fn new(space: &Space<'_>, boxes: &[LabelBox]) -> Result<Cover, RecodingError> {
        let mut cover = Cover { labels: Vec::new(), cost: Vec::new(), by_levels: BTreeMap::new() };
        for (number, shown) in boxes.iter().enumerate() {
            let mut labels = Vec::with_capacity(space.width());
            for (column, labels_of) in space.columns.iter().enumerate() {
                let place = shown.levels.get(column).zip(shown.groups.get(column));
                let label = place.and_then(|(&level, &group)| labels_of.label(level, group));
                let name = || space.task.columns().names()[column].clone();
                labels.push(label.ok_or_else(|| RecodingError::Levels { column: name() })?);
            }
            let labels: Box<[u32]> = labels.into();
            cover.cost.push(space.row_cost(&labels).unwrap_or(u64::MAX));
            let same_levels = cover.by_levels.entry(shown.levels.clone()).or_default();
            same_levels.entry(labels.clone()).or_insert(number);
            cover.labels.push(labels);
        }
        Ok(cover)
    }

    /// The cheapest box that covers a tuple, the first of several.
    fn finest(&self, space: &Space<'_>, tuple: u32) -> Option<usize> {
        let finest = space.finest(tuple);
        let mut key = vec![0u32; finest.len()];
        let mut best: Option<(u64, usize)> = None;
        for (levels, boxes) in &self.by_levels {
            for ((key, (column, &label)), &level) in
                key.iter_mut().zip(space.columns.iter().zip(finest)).zip(levels)
            {
                *key = column.at_level(label, level)?;
            }
            if let Some(&number) = boxes.get(&key[..]) {
                let offer = (self.cost[number], number);
                best = Some(best.map_or(offer, |best| best.min(offer)));
            }
        }
        best.map(|(_, number)| number)
    }
}

/// Classes, no two of which read the same, as a solution; and the task's metric, lower is better.
pub(super) fn solution(space: &Space<'_>, classes: Vec<Class>) -> (Solution, f64) {
    let classes = united(space, classes);
    let measured = measure::measure(space, &classes, Balance::EVEN);
    let balanced = measure::measure(space, &classes, space.task.balance());
    let members = space.task.criteria().members();
    let mut achieved = vec![Achieved::default(); members.len()];
    let mut sizes: BTreeMap<u64, u64> = BTreeMap::new();
    let mut judge = Judge::new(space);
    let mut boxes = Boxes { boxes: Vec::new(), box_of: vec![None; space.table.tuple_count()] };
    let mut fates = vec![Fate::Suppressed; space.table.tuple_count()];
    let mut highest = vec![0u8; space.width()];
    let others = others(space, &labels_of(&classes));
    for ((number, class), others) in (0u32..).zip(&classes).zip(others) {
        for &tuple in &class.tuples {
            boxes.box_of[tuple as usize] = Some(number);
            fates[tuple as usize] = Fate::Kept;
        }
        judge.with_others(class.rows, others, class.tuples.iter().copied(), |seen| {
            *sizes.entry(seen.rows).or_insert(0) += 1;
            members.iter().zip(&mut achieved).for_each(|(member, achieved)| member.gauge(seen, achieved));
        });
        let places = space.columns.iter().zip(&class.labels).map(|(column, &label)| column.place(label));
        let (levels, groups): (Vec<u8>, Vec<u32>) = places.unzip();
        highest.iter_mut().zip(&levels).for_each(|(highest, &level)| *highest = level.max(*highest));
        boxes.boxes.push(LabelBox { levels: levels.into(), groups: groups.into(), rows: class.rows });
    }
    let suppressed_rows = space.table.row_count() - classes.iter().map(|class| class.rows).sum::<u64>();
    let people = space.task.people().map(|people| {
        let loses = |tuples: &&[u32]| tuples.iter().any(|&tuple| boxes.box_of[tuple as usize].is_none());
        PeopleKept { people: people.len() as u64, losing: people.each().filter(loses).count() as u64 }
    });
    let lost = people.map_or(suppressed_rows, |people| people.losing);
    let solution = Solution {
        node: Node::new(highest),
        fates: Fates::OfTuples(fates),
        suppressed_rows,
        people,
        classes: boxes.boxes.len() as u64,
        smallest_class: sizes.first_key_value().map_or(0, |(&size, _)| size),
        largest_class: sizes.last_key_value().map_or(0, |(&size, _)| size),
        class_sizes: sizes.into_iter().collect(),
        losses: measured.losses.iter().map(|&(metric, loss)| (metric, metric.as_defined(loss))).collect(),
        achieved,
        holds: lost <= space.task.suppression_limit() && !boxes.boxes.is_empty(),
        boxes: Some(Arc::new(boxes)),
    };
    (solution, balanced.value(space.task.metric()))
}

fn labels_of(classes: &[Class]) -> Vec<&[u32]> {
    classes.iter().map(|class| &class.labels[..]).collect()
}

/// Classes that read the same are one class. In the order of their first tuples.
pub(super) fn united(space: &Space<'_>, mut classes: Vec<Class>) -> Vec<Class> {
    classes.sort_unstable_by_key(|class| class.tuples[0]);
    let mut numbers: HashMap<Box<[u32]>, usize> = HashMap::new();
    let mut united: Vec<Class> = Vec::with_capacity(classes.len());
    for class in classes {
        match numbers.entry(space.text(&class.labels)) {
            hashbrown::hash_map::Entry::Occupied(known) => {
                let one = &mut united[*known.get()];
                // A label that reads the same on two levels is the one that covers all rows.
                let mut joint = one.labels.clone();
                space.widen(&mut joint, &class.labels);
                if space.row_cost(&joint).is_some() && space.text(&joint) == *known.key() {
                    one.labels = joint;
                }
                one.tuples.extend(class.tuples);
                one.rows += class.rows;
            }
            hashbrown::hash_map::Entry::Vacant(free) => {
                free.insert(united.len());
                united.push(class);
            }
        }
    }
    for class in &mut united {
        class.tuples.sort_unstable();
        class.cost = space.objective.class(class.rows, space.row_cost(&class.labels).unwrap_or(0));
    }
    united
}
