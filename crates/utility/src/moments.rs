//! A column of numbers in a few figures.

use schemars::JsonSchema;
use serde::Serialize;

/// Mean, deviation and quantiles.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, JsonSchema)]
pub struct Moments {
    /// Cells with a number.
    pub count: u64,
    /// Share of the rows that have none: missing, or hidden altogether.
    pub unknown: f64,
    /// Mean.
    pub mean: f64,
    /// Standard deviation (of the sample).
    pub deviation: f64,
    /// Tenth, twenty-fifth, fiftieth, seventy-fifth and ninetieth percentile: the smallest number that at least such a share does not exceed.
    pub quantiles: [f64; 5],
}

/// The shares behind [`Moments::quantiles`].
const SHARES: [f64; 5] = [0.1, 0.25, 0.5, 0.75, 0.9];

impl Moments {
    /// Of the numbers of a column with so many rows; `None` if there is no number.
    pub(crate) fn of(numbers: &[f64], rows: usize) -> Option<Moments> {
        let count = numbers.len();
        if count == 0 {
            return None;
        }
        let mut sorted = numbers.to_vec();
        sorted.sort_by(f64::total_cmp);
        // Summed from small to large, so that the order of the rows does not matter.
        let mean = sorted.iter().sum::<f64>() / count as f64;
        let mut squares: Vec<f64> = sorted.iter().map(|number| (number - mean).powi(2)).collect();
        squares.sort_by(f64::total_cmp);
        let deviation = (squares.iter().sum::<f64>() / (count.max(2) - 1) as f64).sqrt();
        let quantile = |share: f64| sorted[((share * count as f64).ceil() as usize).clamp(1, count) - 1];
        let unknown = 1.0 - count as f64 / rows.max(1) as f64;
        Some(Moments { count: count as u64, unknown, mean, deviation, quantiles: SHARES.map(quantile) })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn a_few_numbers() {
        let moments = Moments::of(&[4.0, 1.0, 3.0, 2.0], 5).unwrap();
        assert_eq!((moments.mean, moments.quantiles), (2.5, [1.0, 1.0, 2.0, 3.0, 4.0]));
        assert!((moments.deviation - (5.0f64 / 3.0).sqrt()).abs() < 1e-12);
        assert!((moments.unknown - 0.2).abs() < 1e-12);
        assert_eq!(Moments::of(&[], 5), None);
    }

    proptest! {
        #[test]
        fn the_order_of_rows_changes_nothing(mut numbers in prop::collection::vec(-1e6f64..1e6, 1..40)) {
            let moments = Moments::of(&numbers, 40);
            numbers.reverse();
            prop_assert_eq!(moments, Moments::of(&numbers, 40));
        }
    }
}
