//! Equivalence classes under one node.

use super::layout::Layout;
use super::{Class, Distribution};
use crate::lattice::Node;
use crate::table::Histograms;
use std::ops::ControlFlow;
use std::sync::Arc;

/// The classes of a table under a node, with everything criteria and metrics may ask for.
#[derive(Debug)]
pub struct Classes {
    pub(super) node: Node,
    pub(super) layout: Arc<Layout>,
    /// The group codes of each class, laid out as words.
    pub(super) words: Vec<u64>,
    pub(super) rows: Vec<u32>,
    pub(super) population: Option<Vec<u32>>,
    pub(super) sensitive: Vec<Histograms>,
    pub(super) cardinalities: Vec<usize>,
}

impl Classes {
    /// Number of classes, those without a row of the table included.
    pub fn len(&self) -> usize {
        self.rows.len()
    }

    /// Whether there is no class.
    pub fn is_empty(&self) -> bool {
        self.rows.is_empty()
    }

    /// The node these are the classes of.
    pub fn node(&self) -> &Node {
        &self.node
    }

    /// Rows of a class.
    pub fn rows(&self, class: usize) -> u64 {
        u64::from(self.rows[class])
    }

    /// Rows in classes of fewer than `least` rows.
    pub fn rows_below(&self, least: u64) -> u64 {
        self.rows.iter().map(|&rows| u64::from(rows)).filter(|&rows| rows < least).sum()
    }

    /// Rows of the population in a class.
    pub fn population(&self, class: usize) -> u64 {
        self.population.as_ref().map_or_else(|| self.rows(class), |population| u64::from(population[class]))
    }

    /// The group codes of a class, as words.
    pub(crate) fn words_of(&self, class: usize) -> &[u64] {
        let width = self.layout.words;
        &self.words[class * width..(class + 1) * width]
    }

    /// The group code of a class in one quasi-identifier.
    pub fn code(&self, quasi_identifier: usize, class: usize) -> u32 {
        self.layout.code(self.words_of(class), quasi_identifier)
    }

    /// Calls `visit` with every class, in order. Classes of fewer than `least` rows come without their distributions: whoever
    /// rejects them by their size alone need not pay for more.
    pub fn visit(&self, least: u64, mut visit: impl FnMut(usize, &Class<'_>)) {
        self.visit_while(least, |number, class| {
            visit(number, class);
            ControlFlow::Continue(())
        });
    }

    /// The same until `visit` has seen enough.
    pub(crate) fn visit_while(
        &self,
        least: u64,
        mut visit: impl FnMut(usize, &Class<'_>) -> ControlFlow<()>,
    ) {
        let mut dense: Vec<Vec<u32>> = self.cardinalities.iter().map(|&values| vec![0; values]).collect();
        for class in 0..self.len() {
            if self.sensitive.is_empty() || self.rows(class) < least {
                let (rows, population) = (self.rows(class), self.population(class));
                if visit(class, &Class { rows, population, distributions: &[] }).is_break() {
                    return;
                }
                continue;
            }
            for (histograms, dense) in self.sensitive.iter().zip(&mut dense) {
                let (values, counts) = histograms.entry(class);
                for (&value, &count) in values.iter().zip(counts) {
                    dense[value as usize] = count;
                }
            }
            let rows = self.rows(class);
            let population = self.population(class);
            let flow = match (&self.sensitive[..], &dense[..]) {
                // The common case without an allocation per class.
                ([histograms], [dense]) => {
                    let distributions = [Distribution::of_rows(dense, histograms.entry(class).0, rows)];
                    visit(class, &Class { rows, population, distributions: &distributions })
                }
                (all, dense) => {
                    let distributions: Vec<Distribution<'_>> = all
                        .iter()
                        .zip(dense)
                        .map(|(histograms, dense)| {
                            Distribution::of_rows(dense, histograms.entry(class).0, rows)
                        })
                        .collect();
                    visit(class, &Class { rows, population, distributions: &distributions })
                }
            };
            if flow.is_break() {
                return;
            }
            for (histograms, dense) in self.sensitive.iter().zip(&mut dense) {
                for &value in histograms.entry(class).0 {
                    dense[value as usize] = 0;
                }
            }
        }
    }

    /// Memory held, in bytes.
    pub fn bytes(&self) -> usize {
        let counts = self.rows.capacity() * 4 + self.population.as_ref().map_or(0, |p| p.capacity() * 4);
        self.words.capacity() * 8 + counts + self.sensitive.iter().map(Histograms::bytes).sum::<usize>()
    }
}
