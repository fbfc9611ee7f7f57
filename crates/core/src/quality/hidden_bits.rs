//! How many bits does a label hide? What the three entropy metrics are made of.
//!
//! `X(i, j)` is the frequency of row j's original value in column i over the frequency of its label, both in the whole table.
//! De Waal & Willenborg, "Information loss through global recoding and local suppression", 1999;
//! Gionis & Tassa, "k-Anonymization with minimal loss of information", TKDE 21(2), 2009.

use super::boxes::has_domain;
use super::{OnBoxes, Outcome, QualityModel, Sizes};
use crate::exact::log2;
use crate::lattice::{Lattice, Node};

/// What boxes make of suppressed rows.
pub(super) const LEFT_OUT_OF_BOXES: &str = "a row left out has no label, so each of its cells counts as fully generalized in the whole table, log₂ of all rows over \
                                            those with its value";

pub(super) const SOURCE: &str = "De Waal & Willenborg, \"Information loss through global recoding and local suppression\", 1999; \
                                 Gionis & Tassa, \"k-Anonymization with minimal loss of information\", TKDE 21(2), 2009.";

/// `NUEM = −Σ_i w_i Σ_j log2 X`, known from the node alone.
pub(super) fn of_node(model: &QualityModel, node: &Node) -> f64 {
    let columns = model.columns.iter().zip(node.levels());
    let g = model.balance.generalization();
    columns.map(|(column, &level)| column.weight * (g * column.non_uniform_entropy[usize::from(level)])).sum()
}

/// NUEM of all nodes by index: the columns are added one by one, each to all prefixes, in the order of [`of_node`].
pub(super) fn of_all_nodes(model: &QualityModel, lattice: &Lattice) -> Vec<f64> {
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

/// `Σ_i w_i Σ_{j∈S} cost(Y)`, with `Y` the share of row j's label among the suppressed rows `S`: suppression is charged as
/// generalizing the suppressed part to the top.
pub(super) fn charge(model: &QualityModel, outcome: &Outcome, cost: impl Fn(f64) -> f64) -> f64 {
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

/// Bits hidden by boxes: `Σ_i w_i Σ_j log2(rows under the label / rows with the value)`, both counted in the whole table.
///
/// A suppressed row shows no label. Both metrics charge its cells as if they showed the top of the whole table, `log2(m / rows with the
/// value)`. A node charges less: its suppressed rows keep the label of its levels (NUEM), to which NMNUEM adds `log2 Y` among the suppressed
/// rows alone. Boxes have no levels that all rows share, so there is nothing to which `log2 Y` could be added; and alone it is 0
/// where the suppressed rows are alike, so that suppressing would cost nothing. Charged so, a suppressed row never costs less than a box,
/// which the lower bound rests on.
pub(super) fn on_boxes() -> OnBoxes {
    OnBoxes {
        cell: |label| label.weight * log2(label.rows) / label.bits,
        sizes: Sizes::Free,
        is_the_sum: true,
        loses: has_domain,
        has_balance: false,
        // Undoes the scaling of the cells, and takes off what the values themselves stand for.
        bound: |bound| {
            let rows = bound.rows as f64;
            let hidden = bound.mean * rows * bound.total_weight * log2(bound.rows).max(1.0);
            (hidden - (bound.exact_bits)()).max(0.0)
        },
        value: |sums| sums.bits,
    }
}
