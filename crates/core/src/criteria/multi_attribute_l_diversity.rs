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
/// out `s1` learns `v3`. Where people are counted, `S_i` must be diverse in the way that it would be in a class of its own: in every
/// block ℓ people show ℓ different values, one each, or the counts are pairs of a person and a value. Machanavajjhala et al., TKDD 1(1), 2007.
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
    /// The joint codes of each block: rows of the class that agree in all sensitive columns but one.
    ///
    /// Combinations are distinct, so within a block each one is another value of the column left out.
    fn blocks(&self, distribution: &Distribution<'_>) -> Vec<Vec<u32>> {
        let columns = self.combinations.first().map_or(0, |combination| combination.len());
        let mut blocks: BTreeMap<(usize, Vec<u32>), Vec<u32>> = BTreeMap::new();
        for column in 0..columns {
            for &joint in distribution.present {
                let mut others = self.combinations[joint as usize].to_vec();
                others.remove(column);
                blocks.entry((column, others)).or_default().push(joint);
            }
        }
        blocks.into_values().collect()
    }
}

/// The counts of some values, largest first.
fn descending(distribution: &Distribution<'_>, values: &[u32]) -> Vec<u64> {
    let mut counts: Vec<u64> =
        values.iter().map(|&value| u64::from(distribution.dense[value as usize])).collect();
    counts.sort_unstable_by(|a, b| b.cmp(a));
    counts
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

    // In a block, ℓ people stand for ℓ values; pairs may all be of one person.
    fn implied_people(&self) -> u64 {
        match self.diversity {
            Diversity::Distinct { l } => l,
            Diversity::Entropy { .. } | Diversity::Recursive { .. } => 1,
        }
    }

    fn holds(&self, class: &Class<'_>) -> bool {
        let distribution = &class.distributions[self.joint];
        self.blocks(distribution).iter().all(|values| match self.diversity {
            Diversity::Distinct { l } => distribution.represented(values, l) >= l,
            Diversity::Entropy { l } => {
                effective_number_at_least(descending(distribution, values).into_iter(), l)
            }
            Diversity::Recursive { c, l } => {
                let (first, tail) = first_and_tail(&descending(distribution, values), l);
                below(first, c, tail)
            }
        })
    }

    fn gauge(&self, class: &Class<'_>, achieved: &mut Achieved) {
        let distribution = &class.distributions[self.joint];
        for values in self.blocks(distribution) {
            match self.diversity {
                Diversity::Distinct { .. } => {
                    achieved.at_least("l", distribution.represented(&values, u64::MAX) as f64);
                }
                Diversity::Entropy { .. } => {
                    achieved.at_least("l", effective_number(descending(distribution, &values)));
                }
                Diversity::Recursive { l, .. } => {
                    let (first, tail) = first_and_tail(&descending(distribution, &values), l);
                    achieved.at_most("c", first as f64 / tail as f64);
                }
            }
        }
    }
}
