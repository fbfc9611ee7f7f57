//! EM, NUEM and NMNUEM: how many bits does a label hide?
//!
//! `X(i, j)` is the frequency of row j's original value in column i over the frequency of its label, both in the whole table.
//! De Waal & Willenborg, "Information loss through global recoding and local suppression", 1999;
//! Gionis & Tassa, "k-Anonymization with minimal loss of information", TKDE 21(2), 2009.

use super::{Outcome, QualityModel};
use crate::lattice::{Lattice, Node};

/// `NUEM = −Σ_i w_i Σ_j log2 X`, suppression not counted: known from the node alone.
pub(super) fn non_uniform(model: &QualityModel, node: &Node) -> f64 {
    let columns = model.columns.iter().zip(node.levels());
    let g = model.balance.generalization();
    columns.map(|(column, &level)| column.weight * (g * column.non_uniform_entropy[usize::from(level)])).sum()
}

/// NUEM of all nodes by index: the columns are added one by one, each to all prefixes, in the order of [`non_uniform`].
pub(super) fn non_uniform_of_all(model: &QualityModel, lattice: &Lattice) -> Vec<f64> {
    let g = model.balance.generalization();
    let mut sums = vec![0.0];
    for ((column, &low), &high) in model.columns.iter().zip(lattice.lowest()).zip(lattice.highest()) {
        let terms: Vec<f64> = (low..=high)
            .map(|level| column.weight * (g * column.non_uniform_entropy[usize::from(level)]))
            .collect();
        sums = sums.iter().flat_map(|sum| terms.iter().map(move |term| sum + term)).collect();
    }
    sums
}

/// `NMNUEM = NUEM − Σ_i w_i Σ_{j∈S} log2 Y`, with `Y` the share of row j's label among the suppressed rows `S`:
/// suppression is charged as generalizing the suppressed part to the top.
pub(super) fn non_uniform_with_suppression(model: &QualityModel, outcome: &Outcome) -> f64 {
    non_uniform(model, &outcome.node) + model.balance.suppression() * charge(model, outcome, |y| -y.log2())
}

/// `EM = −Σ_i w_i Σ_j X log2 X − Σ_i w_i Σ_{j∈S} Y log2 Y`. Not monotone: `−x log2 x` peaks at 1/e.
///
/// The literature leaves open how suppressed rows count; they are charged here as in NMNUEM.
pub(super) fn uniform(model: &QualityModel, outcome: &Outcome) -> f64 {
    let columns = model.columns.iter().zip(outcome.node.levels());
    let kept: f64 = columns.map(|(column, &level)| column.weight * column.entropy[usize::from(level)]).sum();
    kept + charge(model, outcome, |y| -y * y.log2())
}

fn charge(model: &QualityModel, outcome: &Outcome, cost: impl Fn(f64) -> f64) -> f64 {
    let suppressed = outcome.suppressed_rows as f64;
    let columns = model.columns.iter().zip(&outcome.suppressed_values);
    columns
        .map(|(column, values)| {
            let present = values.iter().filter(|&&rows| rows > 0);
            let sum: f64 = present.map(|&rows| rows as f64 * cost(rows as f64 / suppressed)).sum();
            column.weight * sum.max(0.0)
        })
        .sum()
}
