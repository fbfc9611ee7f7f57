//! The order of rows tells where they came from.
//!
//! The attacker knows the order of the source (admission, invoice, address). Every released row gets the mean place that rows
//! with its content have in the source; the statistic is the correlation r of that score with the row's place in the release. Its
//! null distribution is that of random orders of the released rows: a permutation test. Rows that are sorted by their own content
//! say nothing beyond it, whatever r is. Sweeney, "k-Anonymity", IJUFKS 10(5), 2002, section 4.1.

use super::classes::Classes;
use super::permutation::{ORDERS, p_value};
use super::projection::Projection;
use super::{Attack, Bound, Figure, Outcome, Released, Severity, Unit};
use rand::Rng;
use rand::seq::SliceRandom;

/// A correlation below tells nothing useful, however sure it is.
const NOTICEABLE: f64 = 0.05;

/// Whether the rows are sorted by some order of their columns: then a row's place follows from its content.
///
/// Any column that never falls within runs of equal cells so far can come next; taking one never spoils another.
#[must_use]
pub fn is_sorted(released: &Released) -> bool {
    let columns = released.table.columns();
    let rows = released.table.rows();
    let mut left: Vec<usize> = (0..columns.len()).collect();
    // tied[i]: rows i and i + 1 agree in all columns taken so far.
    let mut tied = vec![true; rows.saturating_sub(1)];
    while !left.is_empty() {
        let rises = |&place: &usize| {
            let codes = columns[place].codes();
            tied.iter().enumerate().all(|(row, &tied)| !tied || codes[row] <= codes[row + 1])
        };
        let Some(position) = left.iter().position(rises) else { return false };
        let codes = columns[left.remove(position)].codes();
        tied.iter_mut().enumerate().for_each(|(row, tied)| *tied &= codes[row] == codes[row + 1]);
    }
    true
}

/// Whether the release said how its rows are ordered.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum OrderPromise {
    /// Sorted or shuffled: the source's order must not show.
    Hidden,
    /// The source's order was kept on purpose, or nothing is known.
    None,
}

/// The correlation of the release's order with the source's.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Correlation {
    /// From −1 to 1; 0 if either side is constant.
    pub r: f64,
    /// Share of random orders with an |r| at least as large; not asked for rows that are sorted by their content.
    pub p_value: Option<f64>,
}

/// Measures the correlation. `source` has the records of the original table in their order.
#[must_use]
pub fn correlation(released: &Released, source: &Projection, random: &mut impl Rng) -> Correlation {
    let sorted = is_sorted(released);
    let classes = Classes::by(&released.table, &source.columns);
    let places = source.classes(&classes);
    let (mut sums, mut counts) = (vec![0.0f64; classes.len()], vec![0u64; classes.len()]);
    for (place, class) in places.iter().enumerate() {
        if let Some(class) = class {
            sums[*class as usize] += place as f64;
            counts[*class as usize] += 1;
        }
    }
    let middle = (source.records.max(1) - 1) as f64 / 2.0;
    let score = |class: usize| if counts[class] == 0 { middle } else { sums[class] / counts[class] as f64 };
    let mut scores: Vec<f64> = classes.of_row().iter().map(|&class| score(class as usize)).collect();
    let rows = scores.len() as f64;
    let mean = scores.iter().sum::<f64>() / rows.max(1.0);
    scores.iter_mut().for_each(|score| *score -= mean);
    let spread = scores.iter().map(|score| score * score).sum::<f64>();
    let places = (rows * rows * rows - rows) / 12.0;
    let scale = (spread * places).sqrt();
    if scale <= f64::EPSILON * rows {
        return Correlation { r: 0.0, p_value: Some(1.0) };
    }
    let product =
        |scores: &[f64]| scores.iter().enumerate().map(|(place, score)| place as f64 * score).sum::<f64>();
    let found = product(&scores);
    // Equal up to rounding counts as equal.
    let as_far = |other: f64| other.abs() >= found.abs() * (1.0 - 1e-9);
    let p_value = match sorted {
        true => None,
        false => Some(p_value(ORDERS, || {
            scores.shuffle(random);
            as_far(product(&scores))
        })),
    };
    Correlation { r: (found / scale).clamp(-1.0, 1.0), p_value }
}

/// Runs the attack. `source` has the records of the original table in their order.
#[must_use]
pub fn row_order(
    released: &Released,
    source: &Projection,
    promise: OrderPromise,
    random: &mut impl Rng,
) -> Outcome {
    let Correlation { r, p_value } = correlation(released, source, random);
    let sorted = is_sorted(released);
    let p_text = p_value.map_or_else(|| "not asked".to_owned(), |p| format!("{p:.3}"));
    let seen = !sorted && p_value.is_some_and(|p| p <= 0.01) && r.abs() > NOTICEABLE;
    let bound = (promise == OrderPromise::Hidden).then(|| Bound {
        value: NOTICEABLE,
        from: "the release says that its rows are sorted or shuffled".to_owned(),
    });
    let severity = Severity::of_finding(seen, bound.is_some());
    let result = match (sorted, seen) {
        (true, _) => "The rows are sorted by what they show; their order says nothing more.".to_owned(),
        (false, true) => {
            format!("The order of the rows follows the source's (r = {r:.2}, p = {p_text}).")
        }
        (false, false) => {
            format!("The order of the rows does not follow the source's (r = {r:.2}, p = {p_text}).")
        }
    };
    // What a row's place says beyond its content.
    let figure = if sorted { 0.0 } else { r.abs() };
    Outcome::new(
        Attack::RowOrder,
        severity,
        Figure { what: "correlation with the source's order", value: figure, unit: Unit::Factor },
        result,
    )
    .against(bound)
    .with("sorted by content", if sorted { "yes" } else { "no" })
    .with("correlation of places", format!("{r:.4}"))
    .with("p-value (permutation test)", &p_text)
    .with("random orders tried at most", ORDERS)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::attack::testing::table;
    use proptest::prelude::*;
    use rand::SeedableRng;
    use rand::rngs::ChaCha20Rng;

    fn random() -> ChaCha20Rng {
        ChaCha20Rng::seed_from_u64(11)
    }

    fn released(order: &[usize]) -> Released {
        let rows: String = order.iter().map(|n| format!("\nv{}", (n * 7) % 40)).collect();
        Released::new(table(&format!("q{rows}")), vec![0], Vec::new())
    }

    /// The source in its own order, as the release would write it.
    fn source(released: &Released) -> Projection {
        let labels = released.column(0).labels();
        let code = |n: usize| {
            labels.iter().position(|label| *label == format!("v{}", (n * 7) % 40)).map(|code| code as u32)
        };
        Projection::new(vec![0], vec![(0..40).map(code).collect()])
    }

    #[test]
    fn the_order_of_the_source_is_recognized() {
        let kept: Vec<usize> = (0..40).collect();
        let release = released(&kept);
        let outcome = row_order(&release, &source(&release), OrderPromise::Hidden, &mut random());
        assert_eq!(outcome.severity, Severity::Broken, "{}", outcome.result);
        assert!((outcome.figure.value - 1.0).abs() < 1e-9);
        assert_eq!(
            row_order(&release, &source(&release), OrderPromise::None, &mut random()).severity,
            Severity::Residual
        );
    }

    #[test]
    fn shuffled_and_sorted_orders_say_nothing() {
        let mut rows: Vec<usize> = (0..40).collect();
        rows.shuffle(&mut random());
        let release = released(&rows);
        let outcome =
            row_order(&release, &source(&release), OrderPromise::Hidden, &mut ChaCha20Rng::seed_from_u64(5));
        assert_eq!(outcome.severity, Severity::Covered, "{}", outcome.result);
        // A source that is sorted itself correlates with a sorted release, but only through the content.
        let sorted = Released::new(table("q\na\nb\nc\nd\ne\nf\ng\nh\ni\nj"), vec![0], Vec::new());
        let source = Projection::new(vec![0], vec![(0..10).map(Some).collect()]);
        let outcome = row_order(&sorted, &source, OrderPromise::Hidden, &mut random());
        assert_eq!(outcome.severity, Severity::Covered, "{}", outcome.result);
    }

    #[test]
    fn sortedness_is_found_for_any_order_of_columns() {
        let by = |text: &str| is_sorted(&Released::new(table(text), vec![0], vec![]));
        assert!(by("a b\n1 1\n1 2\n2 1") && by("a b\n1 1\n2 1\n1 2") && by("a b\n1 1") && by("a"));
        assert!(!by("a b\n1 2\n2 1\n1 1"));
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(48))]
        /// Sorting by every order of the columns and looking whether one of them leaves the rows in place.
        #[test]
        fn sorted_is_what_trying_all_orders_of_columns_says(rows in prop::collection::vec((0u8..2, 0u8..2, 0u8..2), 1..7)) {
            let text: String = rows.iter().map(|(a, b, c)| format!("\n{a} {b} {c}")).collect();
            let found = is_sorted(&Released::new(table(&format!("a b c{text}")), vec![0], vec![]));
            let cell = |row: &(u8, u8, u8), place: usize| [row.0, row.1, row.2][place];
            let orders = [[0, 1, 2], [0, 2, 1], [1, 0, 2], [1, 2, 0], [2, 0, 1], [2, 1, 0]];
            let expected = orders.iter().any(|order| rows.is_sorted_by_key(|row| order.map(|place| cell(row, place))));
            prop_assert_eq!(found, expected);
        }

        /// Pearson's formula on pairs, straight from the textbook.
        #[test]
        fn the_correlation_is_pearsons(cells in prop::collection::vec(0u8..5, 2..25), source in prop::collection::vec(0u32..5, 1..25)) {
            let text: String = cells.iter().map(|cell| format!("\nv{cell}")).collect();
            let released = Released::new(table(&format!("q{text}")), vec![0], vec![]);
            let labels = released.column(0).labels();
            let codes: Vec<Option<u32>> = source.iter()
                .map(|cell| labels.iter().position(|label| *label == format!("v{cell}")).map(|code| code as u32)).collect();
            let found = correlation(&released, &Projection::new(vec![0], vec![codes]), &mut random());
            let score = |cell: u8| {
                let places: Vec<f64> = (0..source.len()).filter(|&at| source[at] == u32::from(cell)).map(|at| at as f64).collect();
                if places.is_empty() { (source.len() - 1) as f64 / 2.0 } else { places.iter().sum::<f64>() / places.len() as f64 }
            };
            let (x, y): (Vec<f64>, Vec<f64>) = cells.iter().enumerate().map(|(at, &cell)| (at as f64, score(cell))).unzip();
            let mean = |values: &[f64]| values.iter().sum::<f64>() / values.len() as f64;
            let (mx, my) = (mean(&x), mean(&y));
            let cross: f64 = x.iter().zip(&y).map(|(x, y)| (x - mx) * (y - my)).sum();
            let square = |values: &[f64], mean: f64| values.iter().map(|value| (value - mean).powi(2)).sum::<f64>();
            let scale = (square(&x, mx) * square(&y, my)).sqrt();
            let expected = if scale < 1e-9 { 0.0 } else { cross / scale };
            prop_assert!((found.r - expected).abs() < 1e-6, "{} {}", found.r, expected);
        }
    }
}
