//! Lowers single cells as far as the rows that agree in any choice of columns still hold.

use super::super::judge::{Judge, Tally};
use super::super::space::{Class, Space};
use super::shown::Shown;
use hashbrown::HashMap;

/// Passes over all cells, at most.
const MOST_PASSES: usize = 6;

/// Tries the costliest boxes first, each column of them for all their tuples with one finer label at a time, then for single tuples.
/// Every try takes a move from `left`.
pub(super) fn lower(space: &Space<'_>, choices: &[Vec<usize>], shown: &mut Shown, left: &mut u64) {
    let mut lowering = Lowering::new(space, choices, shown);
    for _ in 0..MOST_PASSES {
        let mut boxes = shown.classes(space);
        boxes.sort_by_key(|class| (std::cmp::Reverse(space.row_cost(&class.labels)), class.tuples[0]));
        let mut lowered = false;
        for class in &boxes {
            if space.stopping.asked() {
                return;
            }
            lowered |= lowering.lower_box(shown, class, left);
        }
        if !lowered || *left == 0 {
            break;
        }
    }
}

/// The rows of every set, by choice and how they read.
struct Lowering<'a> {
    space: &'a Space<'a>,
    choices: &'a [Vec<usize>],
    /// By column: the choices that have it.
    with: Vec<Vec<usize>>,
    sets: Vec<HashMap<Box<[u32]>, Tally>>,
    judge: Judge<'a>,
}

/// A set before and after a change.
struct Change {
    choice: usize,
    text: Box<[u32]>,
    tally: Tally,
}

impl<'a> Lowering<'a> {
    fn new(space: &'a Space<'a>, choices: &'a [Vec<usize>], shown: &Shown) -> Lowering<'a> {
        let judge = Judge::new(space);
        let mut sets: Vec<HashMap<Box<[u32]>, Tally>> = Vec::with_capacity(choices.len());
        for choice in choices {
            let mut of_choice: HashMap<Box<[u32]>, Tally> = HashMap::new();
            for &tuple in &shown.released {
                let tally = of_choice.entry(shown.text(space, tuple, choice)).or_default();
                judge.add(tally, tuple);
            }
            sets.push(of_choice);
        }
        let with = (0..space.width())
            .map(|column| (0..choices.len()).filter(|&choice| choices[choice].contains(&column)).collect())
            .collect();
        Lowering { space, choices, with, sets, judge }
    }

    /// Tries every column of a box, the costliest first.
    fn lower_box(&mut self, shown: &mut Shown, class: &Class, left: &mut u64) -> bool {
        let mut columns: Vec<usize> = (0..class.labels.len())
            .filter(|&column| self.space.columns[column].cost(class.labels[column]) > 0)
            .collect();
        columns.sort_by_key(|&column| {
            (std::cmp::Reverse(self.space.columns[column].cost(class.labels[column])), column)
        });
        let mut any = false;
        for column in columns {
            let height = self.space.columns[column].height();
            // The finest labels first; then coarser ones that are still finer than the box.
            for position in 0..height {
                let finer =
                    |tuple: u32| self.space.columns[column].on(position, self.space.finest(tuple)[column]);
                let current = |shown: &Shown, tuple: u32| shown.of(tuple)[column];
                let mut units: Vec<(u32, u32)> = class
                    .tuples
                    .iter()
                    .filter(|&&tuple| finer(tuple) < current(shown, tuple))
                    .map(|&tuple| (finer(tuple), tuple))
                    .collect();
                units.sort_unstable();
                for unit in units.chunk_by(|a, b| a.0 == b.0) {
                    let tuples: Vec<u32> = unit.iter().map(|&(_, tuple)| tuple).collect();
                    // Tuples of a box may have been lowered one by one in another column.
                    let alike = tuples.iter().all(|&tuple| shown.of(tuple) == shown.of(tuples[0]));
                    if alike && self.attempt(shown, &tuples, column, unit[0].0, left) {
                        any = true;
                        continue;
                    }
                    if tuples.len() > 1 || !alike {
                        for &tuple in &tuples {
                            any |= self.attempt(shown, &[tuple], column, unit[0].0, left);
                        }
                    }
                }
            }
        }
        any
    }

    /// Gives tuples with equal labels a finer one in a column, if all sets that change still hold.
    fn attempt(
        &mut self,
        shown: &mut Shown,
        tuples: &[u32],
        column: usize,
        label: u32,
        left: &mut u64,
    ) -> bool {
        if *left == 0 {
            return false;
        }
        *left -= 1;
        let text = self.space.columns[column].text(label);
        let mut moved = Tally::default();
        tuples.iter().for_each(|&tuple| self.judge.add(&mut moved, tuple));
        let mut changes = Vec::new();
        for &choice in &self.with[column] {
            let columns = &self.choices[choice];
            let old = shown.text(self.space, tuples[0], columns);
            let mut new = old.clone();
            if let Some(place) = columns.iter().position(|&of| of == column) {
                new[place] = text;
            }
            if new == old {
                continue;
            }
            let mut joined = self.sets[choice].get(&new).cloned().unwrap_or_default();
            joined.add(&moved);
            if !self.judge.holds_tally(&joined) {
                return false;
            }
            let mut rest = self.sets[choice].get(&old).cloned().unwrap_or_default();
            rest.remove(&moved);
            if rest.rows > 0 && !self.judge.holds_tally(&rest) {
                return false;
            }
            changes.push(Change { choice, text: old, tally: rest });
            changes.push(Change { choice, text: new, tally: joined });
        }
        for Change { choice, text, tally } in changes {
            match tally.rows {
                0 => self.sets[choice].remove(&text),
                _ => self.sets[choice].insert(text, tally),
            };
        }
        tuples.iter().for_each(|&tuple| shown.of_mut(tuple)[column] = label);
        true
    }
}
