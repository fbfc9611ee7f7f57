//! Distances between the distribution of a class and that of the whole table.

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
    /// Values are leaves of a tree: `Σ_N height(N)/H · min(pos(N), neg(N))` over the inner nodes.
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

    /// The distance as a double, for reports.
    pub(super) fn value(&self, class: &Distribution<'_>, rows: u64, reference: &Reference) -> f64 {
        match self.exactly(class, rows, reference) {
            Some(exact) => exact.numerator as f64 / exact.denominator as f64,
            None => divergence(class, rows, reference).0,
        }
    }

    /// The earth mover's distances as exact fractions; `None` for the divergence, which is not rational.
    pub(super) fn exactly(
        &self,
        class: &Distribution<'_>,
        rows: u64,
        reference: &Reference,
    ) -> Option<Exact> {
        let (n, total) = (i128::from(rows), i128::from(reference.total));
        let excess = |value: u32| {
            i128::from(class.dense[value as usize]) * total - i128::from(reference.counts[value as usize]) * n
        };
        let unit = (n * total) as u128;
        Some(match self {
            Distance::Equal => {
                // Values that the class lacks add their reference share, so only those present are visited.
                let mut sum: u128 = 0;
                let mut absent = total;
                for &value in class.present {
                    sum += excess(value).unsigned_abs();
                    absent -= i128::from(reference.counts[value as usize]);
                }
                Exact { numerator: sum + (absent * n) as u128, denominator: 2 * unit }
            }
            Distance::Ordered { order } => {
                let mut carried: i128 = 0;
                let mut sum: u128 = 0;
                for &value in order {
                    carried += excess(value);
                    sum += carried.unsigned_abs();
                }
                let steps = order.len().saturating_sub(1).max(1) as u128;
                Exact { numerator: sum, denominator: steps * unit }
            }
            Distance::Hierarchical(tree) => {
                let mut below: Vec<i128> = (0..reference.counts.len() as u32).map(excess).collect();
                let mut sum: u128 = 0;
                for (height, (parents, &size)) in tree.parents.iter().zip(&tree.sizes).enumerate() {
                    let mut surplus = vec![0i128; size];
                    let mut lack = vec![0i128; size];
                    for (&parent, &extra) in parents.iter().zip(&below) {
                        let side = if extra > 0 { &mut surplus } else { &mut lack };
                        side[parent as usize] += extra;
                    }
                    for (surplus, lack) in surplus.iter().zip(&lack) {
                        sum += (height as u128 + 1) * surplus.min(&-lack).unsigned_abs();
                    }
                    below = surplus.iter().zip(&lack).map(|(surplus, lack)| surplus + lack).collect();
                }
                Exact { numerator: sum, denominator: tree.parents.len().max(1) as u128 * unit }
            }
            Distance::KullbackLeibler => return None,
        })
    }
}

/// The distribution of a sensitive column in the whole original table.
#[derive(Debug, Clone)]
pub(super) struct Reference {
    pub(super) counts: Vec<u64>,
    pub(super) total: u64,
}

impl Reference {
    pub(super) fn new(counts: Vec<u64>) -> Reference {
        let total = counts.iter().sum();
        Reference { counts, total }
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
