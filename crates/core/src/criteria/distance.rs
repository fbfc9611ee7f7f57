//! Distances between the distribution of a class and that of the whole table.

mod kept;

use crate::exact::Fraction;
use crate::grouping::Distribution;
use std::cmp::Ordering;

/// How far apart two values of a sensitive column are.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Distance {
    /// All values are equally far apart: ½ Σ |p − q|, the variation distance.
    Equal,
    /// Values lie on a line: `(1/(m−1)) Σ_i |Σ_{j≤i} (p_j − q_j)|`. `order` lists the value codes from first to last.
    Ordered {
        /// All value codes, in order.
        order: Vec<u32>,
    },
    /// Values are leaves of a tree: `Σ_N height(N)/H · min(pos(N), neg(N))` over the inner nodes, which is the mean over the levels below the
    /// root of the variation distance between groups.
    Hierarchical(ValueTree),
    /// Kullback–Leibler divergence `Σ p ln(p/q)` of the class from the table, in nats; not bounded by 1.
    KullbackLeibler,
}

/// The hierarchy of a sensitive column, for the hierarchical distance.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ValueTree {
    /// `parents[0]`: value → group on level 1; `parents[h]`: group on level h → group on level h + 1.
    parents: Vec<Vec<u32>>,
    sizes: Vec<usize>,
}

impl ValueTree {
    /// A tree from its steps: value → group on level 1, then group → group, up to the root.
    pub fn new(parents: Vec<Vec<u32>>) -> ValueTree {
        let sizes =
            parents.iter().map(|step| step.iter().max().map_or(0, |&largest| largest as usize + 1)).collect();
        ValueTree { parents, sizes }
    }

    /// The group of a value on each level, from 1 up to the root.
    pub fn path(&self, value: u32) -> Vec<u32> {
        let mut at = value;
        let step = |groups: &Vec<u32>| {
            at = groups[at as usize];
            at
        };
        self.parents.iter().map(step).collect()
    }
}

/// A distance as the fraction `numerator / denominator`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Exact {
    pub(super) numerator: u128,
    pub(super) denominator: u128,
}

impl Distance {
    /// Whether the distance of a class of `rows` rows from the table with the given `reference` counts is at most `t`.
    pub(super) fn at_most(
        &self,
        t: Fraction,
        class: &Distribution<'_>,
        rows: u64,
        reference: &Reference,
    ) -> bool {
        match self.exactly(class, rows, reference) {
            Some(exact) => t.compare_with(exact.numerator, exact.denominator) != Ordering::Greater,
            None => divergence_at_most(t, class, rows, reference),
        }
    }

    /// No subset of a class has more rows than this and a distance of at most `t`.
    pub(super) fn most_kept(
        &self,
        t: Fraction,
        class: &Distribution<'_>,
        rows: u64,
        reference: &Reference,
    ) -> u64 {
        match self {
            Distance::Equal => {
                let parts = class.present.iter().map(|&value| {
                    let value = value as usize;
                    (u64::from(class.dense[value]), reference.counts[value])
                });
                kept::by_variation(t.to_f64(), parts.collect(), 1, rows, reference.total)
            }
            Distance::Ordered { order } => {
                let mut parts = Vec::with_capacity(2 * order.len());
                let mut seen = 0;
                let cuts = order.len().saturating_sub(1);
                for (&value, &reached) in order[..cuts].iter().zip(&reference.cumulated) {
                    seen += u64::from(class.dense[value as usize]);
                    parts.extend([(seen, reached), (rows - seen, reference.total - reached)]);
                }
                kept::by_variation(t.to_f64(), parts, cuts.max(1), rows, reference.total)
            }
            Distance::Hierarchical(tree) => {
                let mut parts = Vec::new();
                each_group(tree, class, reference, |count, expected| parts.push((count, expected)));
                kept::by_variation(t.to_f64(), parts, tree.parents.len().max(1), rows, reference.total)
            }
            Distance::KullbackLeibler => {
                let distance = self.value(class, rows, reference);
                kept::by_convexity(t.to_f64(), distance, class, rows, &reference.alone)
            }
        }
    }

    /// The distance as a double, for reports.
    pub(super) fn value(&self, class: &Distribution<'_>, rows: u64, reference: &Reference) -> f64 {
        match self.exactly(class, rows, reference) {
            Some(exact) => exact.numerator as f64 / exact.denominator as f64,
            None => divergence(class, rows, reference).0,
        }
    }

    /// The earth mover's distances as exact fractions; `None` for the divergence, which is not rational. Only values that the
    /// class shows are visited: what it lacks is known from the reference.
    pub(super) fn exactly(
        &self,
        class: &Distribution<'_>,
        rows: u64,
        reference: &Reference,
    ) -> Option<Exact> {
        let unit = u128::from(rows) * u128::from(reference.total);
        Some(match self {
            Distance::Equal => Exact { numerator: equal(class, rows, reference), denominator: 2 * unit },
            Distance::Ordered { order } => {
                let steps = order.len().saturating_sub(1).max(1) as u128;
                Exact { numerator: ordered(class, rows, reference), denominator: steps * unit }
            }
            Distance::Hierarchical(tree) => Exact {
                numerator: hierarchical(tree, class, rows, reference),
                denominator: tree.parents.len().max(1) as u128 * unit,
            },
            Distance::KullbackLeibler => return None,
        })
    }
}

/// By how much a class exceeds the reference at a value, times all rows: `count · total − reference · rows`.
fn excess(count: u64, reference: u64, rows: u64, total: u64) -> i128 {
    i128::from(count) * i128::from(total) - i128::from(reference) * i128::from(rows)
}

/// `Σ |excess|`: values that the class lacks add their reference share.
fn equal(class: &Distribution<'_>, rows: u64, reference: &Reference) -> u128 {
    let mut sum: u128 = 0;
    let mut absent = reference.total;
    for &value in class.present {
        let count = u64::from(class.dense[value as usize]);
        let expected = reference.counts[value as usize];
        sum += excess(count, expected, rows, reference.total).unsigned_abs();
        absent -= expected;
    }
    sum + u128::from(absent) * u128::from(rows)
}

/// `Σ_i |Σ_{j≤i} excess_j|`. Between two values that the class shows, the inner sum only falls, by known amounts: the terms before
/// and after its change of sign are summed up at once.
fn ordered(class: &Distribution<'_>, rows: u64, reference: &Reference) -> u128 {
    let mut places: Vec<(u32, u32)> = class
        .present
        .iter()
        .map(|&value| (reference.place[value as usize], class.dense[value as usize]))
        .collect();
    places.sort_unstable();
    let (cumulated, sums) = (&reference.cumulated, &reference.cumulated_sums);
    let mut sum: u128 = 0;
    let mut seen: u128 = 0;
    let mut start = 0;
    let ends = places.iter().map(|&(place, _)| place as usize).chain([cumulated.len()]);
    for (end, count) in ends.zip(places.iter().map(|&(_, count)| u128::from(count)).chain([0])) {
        // On places start..end the class has `seen` rows so far: |seen · total − cumulated · rows|.
        let level = seen * u128::from(reference.total);
        let turn = start
            + cumulated[start..end]
                .partition_point(|&reached| u128::from(reached) * u128::from(rows) <= level);
        let above = level * (turn - start) as u128 - (sums[turn] - sums[start]) * u128::from(rows);
        let below = (sums[end] - sums[turn]) * u128::from(rows) - level * (end - turn) as u128;
        sum += above + below;
        seen += count;
        start = end;
    }
    sum
}

/// `Σ_levels Σ_groups max(0, excess)`, the root left out: moving a share between two values costs one step for each level on which they are in
/// different groups, so the distance is the mean over the levels of the variation between groups, which equals
/// `Σ_N height(N)/H · min(pos(N), neg(N))`. Groups that the class does not show have no surplus.
fn hierarchical(tree: &ValueTree, class: &Distribution<'_>, rows: u64, reference: &Reference) -> u128 {
    let mut sum: i128 = 0;
    each_group(tree, class, reference, |count, expected| {
        sum += excess(count, expected, rows, reference.total).max(0);
    });
    sum.unsigned_abs()
}

/// Calls `visit` with the class's rows and the table's rows in every group that the class shows, on every level below the root.
fn each_group(
    tree: &ValueTree,
    class: &Distribution<'_>,
    reference: &Reference,
    mut visit: impl FnMut(u64, u64),
) {
    // In the order of the tree's leaves the members of a group are neighbours on every level.
    let mut groups: Vec<(u32, u32, u64)> = class
        .present
        .iter()
        .map(|&value| (reference.place[value as usize], value, u64::from(class.dense[value as usize])))
        .collect();
    groups.sort_unstable();
    for (level, parents) in tree.parents.iter().enumerate() {
        for &(_, group, count) in &groups {
            visit(count, reference.levels[level][group as usize]);
        }
        let mut merged = 0;
        for at in 0..groups.len() {
            let (place, group, count) = groups[at];
            let parent = parents[group as usize];
            if merged > 0 && groups[merged - 1].1 == parent {
                groups[merged - 1].2 += count;
            } else {
                groups[merged] = (place, parent, count);
                merged += 1;
            }
        }
        groups.truncate(merged);
    }
}

/// The distribution of a sensitive column in the whole original table, with what the distances need of it.
#[derive(Debug, Clone)]
pub(super) struct Reference {
    pub(super) counts: Vec<u64>,
    pub(super) total: u64,
    /// Hierarchical: counts by node on each level, the values themselves first.
    levels: Vec<Vec<u64>>,
    /// Ordered and hierarchical: place of each value, on the line or among the leaves of the tree.
    place: Vec<u32>,
    /// Ordered: rows up to each place, that place included; and sums of those before each place.
    cumulated: Vec<u64>,
    cumulated_sums: Vec<u128>,
    /// Divergence: that of a class which shows one value alone.
    alone: Vec<f64>,
}

impl Reference {
    pub(super) fn new(counts: Vec<u64>, distance: &Distance) -> Reference {
        let total = counts.iter().sum();
        let mut reference = Reference {
            counts,
            total,
            levels: Vec::new(),
            place: Vec::new(),
            cumulated: Vec::new(),
            cumulated_sums: Vec::new(),
            alone: Vec::new(),
        };
        match distance {
            Distance::Equal | Distance::KullbackLeibler => {}
            Distance::Ordered { order } => reference.line_up(order),
            Distance::Hierarchical(tree) => reference.climb(tree),
        }
        if *distance == Distance::KullbackLeibler {
            let total = reference.total as f64;
            reference.alone = reference.counts.iter().map(|&count| (total / count as f64).ln()).collect();
        }
        reference
    }

    fn line_up(&mut self, order: &[u32]) {
        self.place = vec![0; self.counts.len()];
        self.cumulated_sums.push(0);
        let (mut reached, mut sum) = (0u64, 0u128);
        for (place, &value) in order.iter().enumerate() {
            self.place[value as usize] = place as u32;
            reached += self.counts[value as usize];
            sum += u128::from(reached);
            self.cumulated.push(reached);
            self.cumulated_sums.push(sum);
        }
    }

    fn climb(&mut self, tree: &ValueTree) {
        self.levels.push(self.counts.clone());
        for (parents, &size) in tree.parents.iter().zip(&tree.sizes) {
            let mut level = vec![0u64; size];
            if let Some(below) = self.levels.last() {
                for (&parent, &count) in parents.iter().zip(below) {
                    level[parent as usize] += count;
                }
            }
            self.levels.push(level);
        }
        let mut leaves: Vec<u32> = (0..self.counts.len() as u32).collect();
        leaves.sort_by_cached_key(|&value| (tree.path(value).into_iter().rev().collect::<Vec<_>>(), value));
        self.place = vec![0; leaves.len()];
        for (place, value) in (0..).zip(leaves) {
            self.place[value as usize] = place;
        }
    }
}

/// `Σ p ln(p/q)` and a bound on the error of the double.
fn divergence(class: &Distribution<'_>, rows: u64, reference: &Reference) -> (f64, f64) {
    let (n, total) = (rows as f64, reference.total as f64);
    let mut present: Vec<u32> = class.present.to_vec();
    present.sort_unstable();
    let mut sum = 0.0;
    let mut size = 1.0;
    for value in present {
        let p = f64::from(class.dense[value as usize]) / n;
        let q = reference.counts[value as usize] as f64 / total;
        let term = p * (p / q).ln();
        sum += term;
        size += term.abs() + p;
    }
    (sum.max(0.0), size * (class.present.len() as f64 + 16.0) * f64::EPSILON * 4.0)
}

/// `KL ≤ t`. A divergence of exactly a rational t > 0 does not exist (its exponential is algebraic), so a double that is
/// closer to t than its error is refused; t = 0 asks for equal distributions, which whole numbers decide.
fn divergence_at_most(t: Fraction, class: &Distribution<'_>, rows: u64, reference: &Reference) -> bool {
    let same_share = |&value: &u32| {
        u128::from(class.dense[value as usize]) * u128::from(reference.total)
            == u128::from(reference.counts[value as usize]) * u128::from(rows)
    };
    let covered: u64 = class.present.iter().map(|&value| reference.counts[value as usize]).sum();
    if covered == reference.total && class.present.iter().all(same_share) {
        return true;
    }
    let (value, error) = divergence(class, rows, reference);
    value + error <= t.to_f64() * (1.0 - f64::EPSILON)
}

/// The "normalised KL divergence" of one older source, for comparison with its figures only: it drops terms, takes absolute
/// values and is not a divergence. `Σ |p ln(p/q)| / Σ p |ln p|` with `p` the table and `q` the class, where both are above 0.
pub fn nkld(table: &[f64], class: &[f64]) -> f64 {
    let terms = table.iter().zip(class).filter(|&(&p, &q)| p > 0.0 && q > 0.0);
    let sum: f64 = terms.map(|(&p, &q)| (p * (p / q).ln()).abs()).sum();
    let norm: f64 = table.iter().filter(|&&p| p > 0.0).map(|&p| p * p.ln().abs()).sum();
    sum / norm
}
