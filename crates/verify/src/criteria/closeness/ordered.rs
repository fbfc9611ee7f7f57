//! Earth mover's distance of ordered values, `d_ij = |i−j|/(m−1)`:
//! `(1/(m−1)) Σ_i |Σ_{j≤i} (p_j − q_j)|`; 0 when there is one value only.

use super::Distribution;
use super::reference::Reference;
use crate::fraction::Fraction;

/// Between two values of the class the cumulated difference only falls, so each stretch is summed up in one step.
pub(super) struct Ordered {
    /// `cumulated[i] = Σ_{j≤i} count_j`.
    cumulated: Vec<u128>,
    /// `twice[i] = Σ_{j<i} cumulated[j]`, one entry more than values.
    twice: Vec<u128>,
}

impl Ordered {
    pub(super) fn new(counts: &[u64]) -> Ordered {
        let mut cumulated = Vec::with_capacity(counts.len());
        let mut twice = vec![0];
        let (mut sum, mut sum_of_sums) = (0u128, 0u128);
        for &count in counts {
            sum += u128::from(count);
            sum_of_sums = sum_of_sums.saturating_add(sum);
            cumulated.push(sum);
            twice.push(sum_of_sums);
        }
        Ordered { cumulated, twice }
    }

    pub(super) fn distance(&self, class: &Distribution<'_>, reference: &Reference) -> Fraction {
        let (n, total) = (u128::from(class.rows), reference.rows);
        let values = self.cumulated.len();
        if values < 2 {
            return Fraction::new(0, 1);
        }
        let (mut work, mut before, mut seen) = (0u128, 0, 0u128);
        let ends = class.counts.iter().map(|&(at, count)| (at, u128::from(count))).chain([(values, 0)]);
        for (at, count) in ends {
            work += self.stretch(before, at, seen * total, n);
            seen += count;
            before = at;
        }
        Fraction::new(work, n * total * (values as u128 - 1))
    }

    /// `Σ_{from≤i<to} |level − n · cumulated[i]|`, the cumulated counts being ascending.
    fn stretch(&self, from: usize, to: usize, level: u128, n: u128) -> u128 {
        let part = &self.cumulated[from..to];
        let turn = from + part.partition_point(|&sum| sum * n <= level);
        let below = level * (turn - from) as u128 - n * (self.twice[turn] - self.twice[from]);
        let above = n * (self.twice[to] - self.twice[turn]) - level * (to - turn) as u128;
        below + above
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::super::testing::{distribution, reference, sparse};
    use super::*;

    fn ordered(class: &[u64], table: &[u64]) -> Fraction {
        Ordered::new(table).distance(&distribution(&sparse(class)), &reference(table))
    }

    /// The formula, word for word.
    fn plain(class: &[u64], table: &[u64]) -> Fraction {
        let (n, total): (i128, i128) =
            (class.iter().map(|&c| i128::from(c)).sum(), table.iter().map(|&c| i128::from(c)).sum());
        let (mut sum, mut work) = (0, 0);
        for (&p, &q) in class.iter().zip(table) {
            sum += i128::from(p) * total - i128::from(q) * n;
            work += sum.unsigned_abs();
        }
        Fraction::new(work, (n * total).unsigned_abs() * (table.len() as u128 - 1))
    }

    #[test]
    fn salaries_of_the_literature() {
        assert_eq!(ordered(&[1, 1, 1, 0, 0, 0, 0, 0, 0], &[1; 9]), Fraction::new(3, 8));
        assert_eq!(ordered(&[0, 0, 0, 1, 0, 1, 0, 0, 1], &[1; 9]), Fraction::new(1, 6));
        assert_eq!(ordered(&[1, 1, 0, 0], &[1; 4]), Fraction::new(1, 3));
        assert_eq!(ordered(&[1, 0, 1, 0], &[1; 4]), Fraction::new(1, 6));
        assert_eq!(ordered(&[1, 0, 0, 0], &[1; 4]), Fraction::new(1, 2));
        assert_eq!(ordered(&[5], &[9]), Fraction::new(0, 1));
    }

    proptest! {
        #[test]
        fn stretches_sum_up_to_the_formula(
            pairs in prop::collection::vec((0u64..4, 1u64..50), 2..20)
                .prop_filter("a class has rows", |pairs| pairs.iter().any(|pair| pair.0 > 0))
        ) {
            let (class, table): (Vec<u64>, Vec<u64>) = pairs.into_iter().unzip();
            prop_assert_eq!(ordered(&class, &table), plain(&class, &table));
        }
    }
}
