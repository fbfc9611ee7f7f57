//! Earth mover's distance with equal ground distance, which is the variation distance: `½ Σ |p_i − q_i|`.

use super::Distribution;
use super::reference::Reference;
use crate::fraction::Fraction;

/// Computed as `Σ max(p_i − q_i, 0)`: only values of the class can contribute.
pub(super) fn equal(class: &Distribution<'_>, reference: &Reference) -> Fraction {
    let (n, total) = (u128::from(class.rows), reference.rows);
    let surplus = |&(at, count): &(usize, u64)| {
        (u128::from(count) * total).saturating_sub(u128::from(reference.counts[at]) * n)
    };
    Fraction::new(class.counts.iter().map(surplus).sum(), n * total)
}

#[cfg(test)]
mod tests {
    use super::super::testing::{distribution, reference, sparse};
    use super::*;

    #[test]
    fn half_of_the_absolute_differences() {
        for (class, table, expected) in [
            (&[2, 1][..], &[3, 12][..], (7, 15)),
            (&[1, 1], &[3, 12], (3, 10)),
            (&[0, 10], &[3, 12], (1, 5)),
            (&[3, 2], &[3, 12], (2, 5)),
            (&[3, 0, 0], &[5, 1, 3], (4, 9)),
            (&[1, 1, 1], &[5, 1, 3], (2, 9)),
            (&[1, 0, 2], &[5, 1, 3], (1, 3)),
            (&[1, 1, 1, 0, 0, 0, 0, 0, 0], &[1; 9], (2, 3)),
            (&[1, 0, 0, 0], &[1; 4], (3, 4)),
            // Example relation, node (1,1,4): 5/8 pneumonia, 3/8 gastritis.
            (&[2, 2], &[5, 3], (1, 8)),
        ] {
            let distance = equal(&distribution(&sparse(class)), &reference(table));
            assert_eq!(distance, Fraction::new(expected.0, expected.1));
        }
    }
}
