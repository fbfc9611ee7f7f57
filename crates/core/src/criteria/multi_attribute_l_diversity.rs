//! Multi-attribute ℓ-diversity.

use super::entropy_l_diversity::{effective_number, effective_number_at_least};
use super::recursive_l_diversity::{below, first_and_tail};
use super::{Achieved, ClassCriterion, Needs, Suppression};
use crate::exact::Fraction;
use crate::grouping::{Class, Distribution};
use std::collections::BTreeMap;

/// Every sensitive column stays diverse when the *other* sensitive columns are known as well.
///
/// For each column `S_i` and each combination of the other columns' values within a class, the rows with that combination must be
/// ℓ-diverse in `S_i`. Each column alone being diverse is not enough: in `{(s1,v1), (s1,v2), (s2,v3), (s3,v3)}` whoever rules
/// out `s1` learns `v3`. Machanavajjhala et al., TKDD 1(1), 2007.
#[derive(Debug, Clone)]
pub struct MultiAttributeLDiversity {
    /// Position of the joint column, whose values are combinations of the sensitive columns' values.
    pub joint: usize,
    /// By joint code: the value of each sensitive column.
    pub combinations: Vec<Box<[u32]>>,
    /// What diverse means.
    pub diversity: Diversity,
}

/// The basic notions of diversity.
#[derive(Debug, Clone, Copy)]
pub enum Diversity {
    /// At least ℓ different values.
    Distinct {
        /// Fewest different values.
        l: u64,
    },
    /// Effective number of values at least ℓ.
    Entropy {
        /// Smallest effective number.
        l: Fraction,
    },
    /// Recursive (c, ℓ).
    Recursive {
        /// How much more frequent the first value may be.
        c: Fraction,
        /// Where the tail starts.
        l: u64,
    },
}

impl MultiAttributeLDiversity {
    /// The counts of each block: rows of the class that agree in all sensitive columns but one.
    fn blocks(&self, distribution: &Distribution<'_>) -> Vec<Vec<u64>> {
        let columns = self.combinations.first().map_or(0, |combination| combination.len());
        let mut blocks: BTreeMap<(usize, Vec<u32>), Vec<u64>> = BTreeMap::new();
        for column in 0..columns {
            for &joint in distribution.present {
                let mut others = self.combinations[joint as usize].to_vec();
                others.remove(column);
                // Combinations are distinct, so within a block each one is another value of the column left out.
                let count = u64::from(distribution.dense[joint as usize]);
                blocks.entry((column, others)).or_default().push(count);
            }
        }
        blocks.into_values().collect()
    }
}

impl ClassCriterion for MultiAttributeLDiversity {
    fn needs(&self) -> Needs {
        Needs { sensitive: Some(self.joint), ..Needs::default() }
    }

    // The blocks of a merged class are unions of blocks, so without suppression every base carries over; the
    // literature does not state it, and with suppression it fails for the entropy and recursive bases.
    fn is_monotone(&self, _: Suppression) -> bool {
        false
    }

    fn implied_class_size(&self) -> u64 {
        match self.diversity {
            Diversity::Distinct { l } | Diversity::Recursive { l, .. } => l,
            Diversity::Entropy { l } => l.ceil(),
        }
    }

    fn holds(&self, class: &Class<'_>) -> bool {
        self.blocks(&class.distributions[self.joint]).into_iter().all(|mut counts| match self.diversity {
            Diversity::Distinct { l } => counts.len() as u64 >= l,
            Diversity::Entropy { l } => effective_number_at_least(counts.iter().copied(), l),
            Diversity::Recursive { c, l } => {
                counts.sort_unstable_by(|a, b| b.cmp(a));
                let (first, tail) = first_and_tail(&counts, l);
                below(first, c, tail)
            }
        })
    }

    fn gauge(&self, class: &Class<'_>, achieved: &mut Achieved) {
        for mut counts in self.blocks(&class.distributions[self.joint]) {
            counts.sort_unstable_by(|a, b| b.cmp(a));
            match self.diversity {
                Diversity::Distinct { .. } => achieved.at_least("l", counts.len() as f64),
                Diversity::Entropy { .. } => achieved.at_least("l", effective_number(counts)),
                Diversity::Recursive { l, .. } => {
                    let (first, tail) = first_and_tail(&counts, l);
                    achieved.at_most("c", first as f64 / tail as f64);
                }
            }
        }
    }
}
