//! Who of the population is counted in which box.
//!
//! Rows of the population that are alike with rows of the table in everything are counted where these are. The others are counted in
//! the one box that covers them. Where several boxes do, their box is unknown, and they are counted in none.
//! So counts are never too large, and where all boxes are of one node they are those of a full-domain release.

use super::RecodingError;
use super::apply::united;
use super::judge::Judge;
use super::node::best_node;
use super::space::{Class, Space};
use hashbrown::HashMap;
use rayon::prelude::*;

/// Boxes of the same levels, and their numbers.
type BoxNumbers<'a> = HashMap<&'a [u32], usize>;

/// By box: rows of the population that are like no row of the table, and that no other box covers.
pub(super) fn others(space: &Space<'_>, boxes: &[&[u32]]) -> Vec<u64> {
    let mut counts = vec![0; boxes.len()];
    let Some(population) = space.population() else { return counts };
    let mut by_levels: HashMap<Box<[u8]>, BoxNumbers<'_>> = HashMap::new();
    for (number, &labels) in boxes.iter().enumerate() {
        let levels = space.columns.iter().zip(labels).map(|(column, &label)| column.place(label).0);
        by_levels.entry(levels.collect()).or_default().insert(labels, number);
    }
    let by_levels: Vec<(Box<[u8]>, BoxNumbers<'_>)> = by_levels.into_iter().collect();
    let only_cover = |tuple: u32| -> Option<usize> {
        let mut found = None;
        let covers = by_levels.iter().filter_map(|(levels, boxes)| boxes.get(&*at(space, tuple, levels)?));
        for &number in covers {
            if found.replace(number).is_some() {
                return None;
            }
        }
        found
    };
    let counted: Vec<(usize, u64)> = absent(space, population)
        .into_par_iter()
        .filter_map(|tuple| Some((only_cover(tuple)?, u64::from(population[tuple as usize]))))
        .collect();
    counted.into_iter().for_each(|(number, rows)| counts[number] += rows);
    counts
}

/// Tuples that only the population has.
fn absent(space: &Space<'_>, population: &[u32]) -> Vec<u32> {
    let rows = space.table.rows().iter().zip(population);
    (0u32..)
        .zip(rows)
        .filter(|&(_, (&here, &there))| here == 0 && there > 0)
        .map(|(tuple, _)| tuple)
        .collect()
}

/// The labels of a tuple on some levels; `None` where a column may not show its level.
fn at(space: &Space<'_>, tuple: u32, levels: &[u8]) -> Option<Box<[u32]>> {
    let finest = space.columns.iter().zip(space.finest(tuple)).zip(levels);
    finest.map(|((column, &label), &level)| column.at_level(label, level)).collect()
}

/// Whether all classes hold, no two of which read the same, with everybody of the population who is counted in them.
pub(super) fn all_hold(space: &Space<'_>, classes: &[Class]) -> bool {
    let boxes: Vec<&[u32]> = classes.iter().map(|class| &class.labels[..]).collect();
    let mut judge = Judge::new(space);
    classes
        .iter()
        .zip(others(space, &boxes))
        .all(|(class, others)| judge.holds_with(class.rows, others, class.tuples.iter().copied()))
}

/// The classes of the best full-domain release, each split by finer labels as long as all parts hold; `None` where there is none.
///
/// These boxes do not overlap, so that everybody of the population is in one of them or in none.
pub(super) fn split_node(space: &Space<'_>) -> Result<Option<Vec<Class>>, RecodingError> {
    let Some(population) = space.population() else { return Ok(None) };
    let Some((levels, classes)) = best_node(space)? else { return Ok(None) };
    let numbers: HashMap<&[u32], usize> =
        classes.iter().enumerate().map(|(number, class)| (&class.labels[..], number)).collect();
    let mut absent_in: Vec<Vec<u32>> = vec![Vec::new(); classes.len()];
    for tuple in absent(space, population) {
        let labels = at(space, tuple, &levels);
        if let Some(&number) = labels.and_then(|labels| numbers.get(&labels[..])) {
            absent_in[number].push(tuple);
        }
    }
    drop(numbers);
    let mut parts: Vec<Part> =
        classes.iter().cloned().zip(absent_in).map(|(class, absent)| Part { class, absent }).collect();
    let (mut judge, mut done) = (Judge::new(space), Vec::new());
    while let Some(part) = parts.pop() {
        match part.split(space, &mut judge, population) {
            Some(finer) => parts.extend(finer),
            None => done.push(part.class),
        }
    }
    let split = united(space, done);
    Ok(Some(if all_hold(space, &split) { split } else { classes }))
}

/// A class, and the tuples under its box that only the population has.
struct Part {
    class: Class,
    absent: Vec<u32>,
}

impl Part {
    /// The parts by finer labels of a column, of all columns that whose parts cost least; `None` where no column has parts that hold.
    fn split(&self, space: &Space<'_>, judge: &mut Judge<'_>, population: &[u32]) -> Option<Vec<Part>> {
        let mut splits: Vec<(i64, Vec<Part>)> = (0..space.width())
            .filter_map(|column| self.by_column(space, column))
            .map(|parts| (parts.iter().map(|part| part.class.cost).fold(0, i64::saturating_add), parts))
            .filter(|&(cost, _)| cost <= self.class.cost)
            .collect();
        splits.sort_by_key(|&(cost, _)| cost);
        let mut holds = |part: &Part| {
            let others = part.absent.iter().map(|&tuple| u64::from(population[tuple as usize])).sum();
            judge.holds_with(part.class.rows, others, part.class.tuples.iter().copied())
        };
        splits.into_iter().map(|(_, parts)| parts).find(|parts| parts.iter().all(&mut holds))
    }

    fn by_column(&self, space: &Space<'_>, column: usize) -> Option<Vec<Part>> {
        let finer = space.columns[column].finer(self.class.labels[column])?;
        let label = |tuple: u32| finer[space.finest(tuple)[column] as usize];
        let sorted = |tuples: &[u32]| {
            let mut tuples = tuples.to_vec();
            tuples.sort_unstable_by_key(|&tuple| (label(tuple), tuple));
            tuples
        };
        let absent = sorted(&self.absent);
        let part = |tuples: &[u32]| {
            let of_part = label(tuples[0]);
            let from = absent.partition_point(|&tuple| label(tuple) < of_part);
            let to = absent.partition_point(|&tuple| label(tuple) <= of_part);
            let mut labels = self.class.labels.clone();
            labels[column] = of_part;
            Part { class: Class::boxed(space, tuples.to_vec(), labels), absent: absent[from..to].to_vec() }
        };
        Some(sorted(&self.class.tuples).chunk_by(|&a, &b| label(a) == label(b)).map(part).collect())
    }
}
