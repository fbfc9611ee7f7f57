//! Losses that are sums over the columns, told by questions about one column at a time.
//!
//! With all other columns at the top classes are few and large, so these questions are the cheapest there are, and nearly all hold. What a
//! column saves against the top level is the same in every other node, so that afterwards the loss of every node is known before
//! it is asked about. A level that does not keep the promise even alone keeps it in no specialization either, where promises are monotone; elsewhere
//! its losses stay unknown, and nothing is concluded from them.

use paravent_core::lattice::{Lattice, Node};

/// What each column loses at each level.
#[derive(Debug)]
pub(crate) struct ColumnLosses {
    /// Of the top node.
    top: f64,
    lowest: Vec<u8>,
    /// By column and level from the lowest: how much less than at its top level is lost.
    saved: Vec<Vec<Option<f64>>>,
}

/// Sums of doubles in another order differ by less than this, relative to the loss of the top node: what is meant as a bound must not be above
/// the loss, or a tie would be decided by it.
const ROUNDING: f64 = 1e-10;

impl ColumnLosses {
    /// Asks for the losses of single columns, `None` being the answer for a node that does not hold. Without a loss of the top node
    /// nothing can be known.
    pub(crate) fn ask<E>(
        lattice: &Lattice,
        mut loss: impl FnMut(&Node) -> Result<Option<f64>, E>,
    ) -> Result<Option<ColumnLosses>, E> {
        let (lowest, highest) = (lattice.lowest(), lattice.highest());
        let Some(top) = loss(&Node::new(highest))? else { return Ok(None) };
        let mut saved = Vec::with_capacity(lowest.len());
        for (column, (&low, &high)) in lowest.iter().zip(highest).enumerate() {
            let mut levels = vec![None; usize::from(high - low) + 1];
            levels[usize::from(high - low)] = Some(0.0);
            for level in (low..high).rev() {
                let mut alone = highest.to_vec();
                alone[column] = level;
                let Some(lost) = loss(&Node::new(alone))? else { break };
                levels[usize::from(level - low)] = Some(top - lost);
            }
            saved.push(levels);
        }
        Ok(Some(ColumnLosses { top, lowest: lowest.to_vec(), saved }))
    }

    /// The loss of a node, or a little less; 0 where it is not known.
    pub(crate) fn bound(&self, node: &Node) -> f64 {
        let levels = node.levels().iter().zip(&self.lowest).map(|(level, low)| usize::from(level - low));
        let saved: Option<f64> = self.saved.iter().zip(levels).map(|(column, level)| column[level]).sum();
        saved.map_or(0.0, |saved| (self.top - saved - ROUNDING * self.top.abs()).max(0.0))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use std::convert::Infallible;

    proptest! {
        #[test]
        fn a_bound_is_never_above_the_loss_and_close_to_it(
            steps in prop::collection::vec(prop::collection::vec(0.0f64..1e6, 1..4), 1..4),
            fails_below in prop::collection::vec(0u8..3, 4),
        ) {
            let highest: Vec<u8> = steps.iter().map(|steps| steps.len() as u8).collect();
            let lattice = Lattice::new(vec![0; highest.len()], highest).unwrap();
            let loss = |node: &Node| -> f64 {
                let columns = steps.iter().zip(node.levels());
                columns.map(|(steps, &level)| steps[..usize::from(level)].iter().sum::<f64>()).sum()
            };
            let holds = |node: &Node| node.levels().iter().zip(&fails_below).all(|(level, least)| level >= least);
            let mut asked = 0;
            let losses = ColumnLosses::ask(&lattice, |node| {
                asked += 1;
                Ok::<_, Infallible>(holds(node).then(|| loss(node)))
            }).unwrap();
            let top = Node::new(lattice.highest());
            prop_assert_eq!(losses.is_some(), holds(&top));
            let Some(losses) = losses else { return Ok(()) };
            prop_assert!(asked <= 1 + steps.iter().map(Vec::len).sum::<usize>());
            for index in 0..lattice.node_count() as u64 {
                let node = lattice.node(index);
                prop_assert!(losses.bound(&node) <= loss(&node));
                if holds(&node) {
                    prop_assert!(losses.bound(&node) >= loss(&node) - 1e-9 * loss(&top));
                }
            }
        }
    }
}
