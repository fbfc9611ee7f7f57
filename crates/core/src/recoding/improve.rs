//! Large-neighbourhood search: a few classes near each other are dissolved and clustered anew, and what is better stays.
//!
//! Shaw, "Using constraint programming and local search methods to solve vehicle routing problems", CP 1998.

use super::cluster::{Clustering, Taste};
use super::judge::Judge;
use super::labels::FORBIDDEN;
use super::probe::Probe;
use super::random::Random;
use super::space::{Class, Space};

/// Largest number of parts that are clustered at a time.
const MOST_PARTS: usize = 32;

/// Tries `moves` times to lower the loss of these classes; all classes hold before and after.
pub(super) fn improve(space: &Space<'_>, classes: Vec<Class>, moves: u64, random: &mut Random) -> Vec<Class> {
    if classes.is_empty() {
        return classes;
    }
    let mut block = Block::new(space, classes);
    for number in 0..moves {
        if number % 64 == 0 && space.stopping.asked() {
            break;
        }
        block.try_move(space, random);
    }
    block.classes
}

struct Block<'a> {
    classes: Vec<Class>,
    /// By class: its box.
    labels: Vec<u32>,
    judge: Judge<'a>,
    clustering: Clustering,
    /// The classes that a move dissolves.
    chosen: Vec<(i64, usize)>,
    rest: Vec<u32>,
}

impl<'a> Block<'a> {
    fn new(space: &'a Space<'a>, classes: Vec<Class>) -> Block<'a> {
        let labels = classes.iter().flat_map(|class| class.labels.iter().copied()).collect();
        let (judge, clustering) = (Judge::new(space), Clustering::default());
        Block { classes, labels, judge, clustering, chosen: Vec::new(), rest: Vec::new() }
    }

    fn try_move(&mut self, space: &Space<'_>, random: &mut Random) {
        let first = self.pick(random);
        if self.classes[first].cost <= 0 && space.objective.ignores_class_sizes() {
            return;
        }
        let neighbours = 1 + random.below(5);
        self.choose(space, first, neighbours, random);
        let before =
            self.chosen.iter().map(|&(_, class)| self.classes[class].cost).fold(0, i64::saturating_add);
        self.dissolve(space, random);
        let taste = Taste { noise: [0.0, 0.2, 0.5, 1.0][random.below(4)], per_row: random.below(2) == 0 };
        let after = self.clustering.run(space, &mut self.judge, taste, random);
        if after.is_some_and(|after| after <= before) {
            let classes = self.clustering.classes(space);
            if space.merging_is_safe || self.all_differ(space, &classes) {
                self.replace(space, classes);
            }
        }
    }

    /// The costlier of two classes.
    fn pick(&self, random: &mut Random) -> usize {
        let (a, b) = (random.below(self.classes.len()), random.below(self.classes.len()));
        if self.classes[a].cost >= self.classes[b].cost { a } else { b }
    }

    /// A class and its nearest neighbours, by what it costs to join them to the class or to one of its tuples.
    fn choose(&mut self, space: &Space<'_>, first: usize, neighbours: usize, random: &mut Random) {
        let width = space.width();
        let class = &self.classes[first];
        let tuple = class.tuples[random.below(class.tuples.len())];
        let (labels, rows, own) = match random.below(3) {
            0 => (&class.labels[..], class.rows, class.cost),
            _ => (space.finest(tuple), space.rows(tuple), 0),
        };
        let probe = Probe::new(space, labels);
        self.chosen.clear();
        for (number, (other, labels)) in self.classes.iter().zip(self.labels.chunks_exact(width)).enumerate()
        {
            let row_cost = probe.joint_cost(labels);
            if number == first || row_cost >= u64::from(FORBIDDEN) {
                continue;
            }
            let joint = space.objective.class(rows + other.rows, row_cost);
            let increase = joint.saturating_sub(own).saturating_sub(other.cost);
            let candidate = (increase, number);
            if self.chosen.len() < neighbours {
                self.chosen.push(candidate);
                self.chosen.sort_unstable();
            } else if self.chosen.last().is_some_and(|last| candidate < *last) {
                self.chosen.pop();
                let at = self.chosen.partition_point(|earlier| *earlier < candidate);
                self.chosen.insert(at, candidate);
            }
        }
        self.chosen.insert(0, (i64::MIN, first));
    }

    /// Parts for the clustering: the tuples of the chosen classes, one by one as far as there is room. A larger class comes apart by the
    /// finer labels of a column, or some of its tuples are taken out of it.
    fn dissolve(&mut self, space: &Space<'_>, random: &mut Random) {
        self.clustering.clear();
        let share = MOST_PARTS / self.chosen.len();
        for at in 0..self.chosen.len() {
            let number = self.chosen[at].1;
            let tuples = &self.classes[number].tuples;
            if tuples.len() <= share {
                tuples.iter().for_each(|&tuple| self.clustering.add(&[tuple]));
            } else if random.below(2) == 0 || !self.part_by_label(space, number, share, random) {
                self.take_out(number, share, random);
            }
        }
    }

    /// Some tuples of a class one by one, and the rest together.
    fn take_out(&mut self, number: usize, share: usize, random: &mut Random) {
        self.rest.clear();
        self.rest.extend_from_slice(&self.classes[number].tuples);
        for _ in 1..share {
            let at = random.below(self.rest.len());
            let tuple = self.rest.swap_remove(at);
            self.clustering.add(&[tuple]);
        }
        self.clustering.add(&self.rest);
    }

    /// The tuples of a class by the next finer label of a column; those of the smallest parts one by one, as far as there is room. Answers
    /// whether there is a column that could be finer.
    fn part_by_label(&mut self, space: &Space<'_>, number: usize, share: usize, random: &mut Random) -> bool {
        let class = &self.classes[number];
        let first = random.below(space.width());
        let columns = (0..space.width()).map(|column| (first + column) % space.width());
        let mut costly = columns.filter(|&column| space.columns[column].cost(class.labels[column]) > 0);
        let finer = |column: usize| Some((column, space.columns[column].finer(class.labels[column])?));
        let Some((column, finer)) = costly.find_map(finer) else { return false };
        let label = |tuple: u32| finer[space.finest(tuple)[column] as usize];
        self.rest.clear();
        self.rest.extend_from_slice(&class.tuples);
        self.rest.sort_unstable_by_key(|&tuple| (label(tuple), tuple));
        let mut parts: Vec<&[u32]> = self.rest.chunk_by(|&a, &b| label(a) == label(b)).collect();
        parts.sort_by_key(|part| part.len());
        let mut room = share.saturating_sub(parts.len());
        // With more labels than there is room for, those of the smallest parts stay together.
        let together: Vec<u32> =
            parts.drain(..(parts.len() + 1).saturating_sub(share.max(1))).flatten().copied().collect();
        if !together.is_empty() {
            self.clustering.add(&together);
        }
        for part in parts {
            if part.len() <= room + 1 {
                room -= part.len() - 1;
                part.iter().for_each(|&tuple| self.clustering.add(&[tuple]));
            } else {
                self.clustering.add(part);
            }
        }
        true
    }

    /// Whether no two classes would read the same; classes that do are one class.
    fn all_differ(&self, space: &Space<'_>, new: &[Class]) -> bool {
        let texts: Vec<Box<[u32]>> = new.iter().map(|class| space.text(&class.labels)).collect();
        let twice = texts.iter().enumerate().any(|(at, text)| texts[..at].contains(text));
        let known = self.classes.iter().enumerate().any(|(number, class)| {
            self.chosen.iter().all(|&(_, chosen)| chosen != number)
                && texts.contains(&space.text(&class.labels))
        });
        !twice && !known
    }

    fn replace(&mut self, space: &Space<'_>, new: Vec<Class>) {
        let width = space.width();
        let mut gone: Vec<usize> = self.chosen.iter().map(|&(_, number)| number).collect();
        gone.sort_unstable();
        for number in gone.into_iter().rev() {
            self.classes.swap_remove(number);
            let last = self.labels.len() - width;
            self.labels.copy_within(last.., number * width);
            self.labels.truncate(last);
        }
        for class in new {
            self.labels.extend_from_slice(&class.labels);
            self.classes.push(class);
        }
    }
}
