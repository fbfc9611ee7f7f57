//! The order of rows tells where they came from.
//!
//! The attacker knows the order of the source (admission, invoice, address). Every released row gets the mean place that rows
//! with its content have in the source; the statistic is the correlation r of that score with the row's place in the release. Its
//! null distribution is that of random orders of the released rows: a permutation test. Rows that are sorted by their own content
//! say nothing beyond it, whatever r is. Rows that are sorted by some columns, with ties in the order of the source, have a small r
//! and give everybody away: so the same test is made inside the runs of rows that tie in the columns by which the release is sorted, and
//! inside their classes, with places and scores measured from the mean of their stratum and orders drawn within it.
//! An order that was cut and put together again (blocks in random order, from both ends in turn) has no correlation, but neighbours
//! in the source are still neighbours, or every other row is: their distances are tested as well. Where many rows look alike none of
//! this is sure, so places are also compared directly, which gives the share of rows that the order links: a promised k allows 1/k.
//! Sweeney, "k-Anonymity", IJUFKS 10(5), 2002, section 4.1.

use super::catalogue::{Card, Tried};
use super::classes::Classes;
use super::kept_order::kept_order;
use super::means::{Means, People};
use super::outcome::percent;
use super::permutation::{ORDERS, p_value};
use super::planted::{self, Plant};
use super::projection::Projection;
use super::sortedness::{is_sorted, sorted_runs};
use super::{Attack, Bound, Figure, Outcome, Released, Severity, Unit};
use crate::microdata::Microdata;
use rand::{Rng, SeedableRng};
use rand::rngs::ChaCha20Rng;
use rand::seq::SliceRandom;
use std::collections::HashMap;

pub(super) static CARD: Card = Card {
    name: "row-order",
    question: "Does the order of rows tell where they came from?",
    assumption: "The attacker knows the order of the source, such as the order of admission, and looks for it in the release.",
    source: "Sweeney, k-Anonymity, IJUFKS 2002",
    needs: "the original (--against TABLE)",
    tried: Tried::Always,
};

const FIGURE: &str = "correlation with the source's order";

/// A correlation below tells nothing useful, however sure it is.
const NOTICEABLE: f64 = 0.05;

/// A correlation must be this number of deviations (one is 1/√n) from 0: a shuffled table is in one of ten thousand.
const DEVIATIONS: f64 = 4.0;

/// Neighbours that are so much nearer than by chance are neighbours of the source. Several tests are made, and one of hundreds of random orders is as near
/// as it gets; an order that was kept in parts is much nearer.
const NEAR: f64 = 0.25;

/// Random orders tried at most inside strata. Several tests are made, so each must be surer.
const STRATIFIED_ORDERS: u32 = 299;

/// Where random orders come from.
const SEED: u64 = 0x6f_7264_6572;

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
    let everything = vec![0; released.table.rows()];
    let orders = if is_sorted(released) { None } else { Some(ORDERS) };
    correlation_within(&everything, &scores(released, source), orders, random)
}

/// The mean place in the source of rows with the content of each released row.
fn scores(released: &Released, source: &Projection) -> Vec<f64> {
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
    classes.of_row().iter().map(|&class| score(class as usize)).collect()
}

/// The correlation of places and scores inside strata, both measured from the mean of the stratum. `orders`: how many random orders,
/// each within the strata, are tried for the p-value; `None`: not asked.
fn correlation_within(
    strata: &[u32],
    scores: &[f64],
    orders: Option<u32>,
    random: &mut impl Rng,
) -> Correlation {
    let count = strata.iter().max().map_or(0, |&last| last as usize + 1);
    let mut rows_of: Vec<Vec<usize>> = vec![Vec::new(); count];
    strata.iter().enumerate().for_each(|(row, &stratum)| rows_of[stratum as usize].push(row));
    // Stratum by stratum, one after the other: places and scores from their means.
    let (mut places, mut values, mut ends) = (Vec::new(), Vec::new(), Vec::new());
    for rows in rows_of.iter().filter(|rows| rows.len() > 1) {
        let mean =
            |of: &dyn Fn(usize) -> f64| rows.iter().map(|&row| of(row)).sum::<f64>() / rows.len() as f64;
        let (place, value) = (mean(&|row| row as f64), mean(&|row| scores[row]));
        places.extend(rows.iter().map(|&row| row as f64 - place));
        values.extend(rows.iter().map(|&row| scores[row] - value));
        ends.push(places.len());
    }
    let square = |list: &[f64]| list.iter().map(|entry| entry * entry).sum::<f64>();
    let scale = (square(&values) * square(&places)).sqrt();
    if scale <= f64::EPSILON * places.len() as f64 {
        return Correlation { r: 0.0, p_value: Some(1.0) };
    }
    let product = |values: &[f64]| places.iter().zip(values).map(|(place, value)| place * value).sum::<f64>();
    let found = product(&values);
    // Equal up to rounding counts as equal.
    let as_far = |other: f64| other.abs() >= found.abs() * (1.0 - 1e-9);
    let p_value = orders.map(|orders| {
        p_value(orders, || {
            let mut start = 0;
            for &end in &ends {
                values[start..end].shuffle(random);
                start = end;
            }
            as_far(product(&values))
        })
    });
    Correlation { r: (found / scale).clamp(-1.0, 1.0), p_value }
}

/// How much nearer to each other neighbours are in the source than in a random order: 0 for no nearer, 1 for next to each other. Rows
/// `step` apart are compared, inside strata, in whose places random orders are drawn.
fn nearness(strata: &[u32], scores: &[f64], step: usize, random: &mut impl Rng) -> Correlation {
    let count = strata.iter().max().map_or(0, |&last| last as usize + 1);
    let mut values_of: Vec<Vec<f64>> = vec![Vec::new(); count];
    strata.iter().zip(scores).for_each(|(&stratum, &score)| values_of[stratum as usize].push(score));
    values_of.retain(|values| values.len() > step);
    let distance = |values_of: &[Vec<f64>]| -> f64 {
        let of =
            |values: &Vec<f64>| values.iter().zip(&values[step..]).map(|(a, b)| (a - b).abs()).sum::<f64>();
        values_of.iter().map(of).sum()
    };
    let found = distance(&values_of);
    let (mut sum, mut tried) = (0.0, 0.0);
    let p_value = p_value(STRATIFIED_ORDERS, || {
        values_of.iter_mut().for_each(|values| values.shuffle(random));
        let other = distance(&values_of);
        sum += other;
        tried += 1.0;
        other <= found * (1.0 + 1e-9)
    });
    let by_chance = if tried > 0.0 { sum / tried } else { 0.0 };
    let r = if by_chance > 0.0 { (1.0 - found / by_chance).max(0.0) } else { 0.0 };
    Correlation { r, p_value: Some(p_value) }
}

/// Numbers for rows that agree in two numberings.
fn both(one: &[u32], two: &[u32]) -> Vec<u32> {
    let mut numbers: HashMap<(u32, u32), u32> = HashMap::new();
    let pairs = one.iter().zip(two);
    pairs
        .map(|(&a, &b)| {
            let next = numbers.len() as u32;
            *numbers.entry((a, b)).or_insert(next)
        })
        .collect()
}

/// Runs the attack. `source` has the records of the original table in their order; `k` is the promised class size.
#[must_use]
pub fn row_order(
    released: &Released,
    source: &Projection,
    promise: OrderPromise,
    k: Option<u64>,
    random: &mut impl Rng,
) -> Outcome {
    let overall = correlation(released, source, random);
    let (runs, sorted) = sorted_runs(released);
    let scores = scores(released, source);
    let mut within = |strata: &[u32], step: Option<usize>| match (sorted, step) {
        (true, _) => Correlation { r: 0.0, p_value: None },
        (false, None) => correlation_within(strata, &scores, Some(STRATIFIED_ORDERS), random),
        (false, Some(step)) => nearness(strata, &scores, step, random),
    };
    // Where the release is sorted by a column, only rows that tie in it are in an order of their own.
    let in_classes = within(&both(released.classes.of_row(), &runs), None);
    let (in_runs, next, next_but_one) = (within(&runs, None), within(&runs, Some(1)), within(&runs, Some(2)));
    let unsorted = runs.last().is_none_or(|&last| last == 0);
    let least = DEVIATIONS / (released.table.rows().max(1) as f64).sqrt();
    let is_seen = |found: &Correlation, surely: f64, noticeable: f64| {
        let is_sure = found.p_value.is_some_and(|p| p <= surely) && found.r.abs() > least;
        !sorted && is_sure && found.r.abs() > noticeable
    };
    let surely = 1.0 / f64::from(1 + STRATIFIED_ORDERS);
    let tests = [
        ("", &overall, if unsorted { 0.01 } else { 0.0 }, NOTICEABLE),
        ("inside the classes, ", &in_classes, surely, NOTICEABLE),
        ("where rows tie, ", &in_runs, surely, NOTICEABLE),
        ("neighbours are neighbours, ", &next, surely, NEAR),
        ("every other row is a neighbour, ", &next_but_one, surely, NEAR),
    ];
    let found = tests.iter().filter(|(_, found, surely, noticeable)| is_seen(found, *surely, *noticeable));
    let found = found.max_by(|a, b| a.1.r.abs().total_cmp(&b.1.r.abs()));
    let kept = kept_order(released, source);
    let seen = found.is_some() || kept.is_some();
    let (place, &Correlation { r, p_value }) = found.map_or(("", &overall), |found| (found.0, found.1));
    let p_text = p_value.map_or_else(|| "not asked".to_owned(), |p| format!("{p:.3}"));
    // What a row's place says beyond its content.
    let linked = kept.map_or(0.0, |kept| kept.linked);
    let allowed = k.filter(|&k| k > 1).map(|k| 1.0 / k as f64);
    let links_too_many = allowed.is_some_and(|allowed| linked > allowed + 1e-9);
    let figure = match (sorted, kept) {
        (_, Some(_)) => Figure { what: "rows that their order links", value: linked, unit: Unit::Share },
        (true, None) => Figure { what: FIGURE, value: 0.0, unit: Unit::Factor },
        (false, None) => Figure { what: FIGURE, value: r.abs(), unit: Unit::Factor },
    };
    let bound = match (promise, allowed) {
        (OrderPromise::Hidden, _) => {
            let from = "the release says that its rows are sorted or shuffled".to_owned();
            Some(Bound { value: NOTICEABLE, from })
        }
        (OrderPromise::None, Some(allowed)) if kept.is_some() => {
            Some(Bound { value: allowed, from: format!("nobody is linked with more than {}", percent(allowed)) })
        }
        (OrderPromise::None, _) => None,
    };
    let severity = match Severity::of_finding(seen, promise == OrderPromise::Hidden) {
        _ if links_too_many => Severity::Broken,
        severity => severity,
    };
    let result = match (sorted, kept, found.is_some()) {
        (true, ..) => "The rows are sorted by what they show; their order says nothing more.".to_owned(),
        (false, Some(kept), _) => format!(
            "The order of the rows follows the source's: compared {}, it links {} of them beyond chance.",
            kept.how,
            percent(kept.linked)
        ),
        (false, None, true) => {
            format!("The order of the rows follows the source's ({place}r = {r:.2}, p = {p_text}).")
        }
        (false, None, false) => {
            format!("The order of the rows does not follow the source's (r = {r:.2}, p = {p_text}).")
        }
    };
    Outcome::new(Attack::RowOrder, severity, figure, result)
    .against(bound)
    .with("rows linked beyond chance", percent(linked))
    .with("sorted by content", if sorted { "yes" } else { "no" })
    .with("correlation of places", format!("{:.4}", overall.r))
    .with("correlation inside the classes", format!("{:.4}", in_classes.r))
    .with("correlation where rows tie", format!("{:.4}", in_runs.r))
    .with("nearness of neighbours", format!("{:.4}", next.r.max(next_but_one.r)))
    .with("p-value (permutation test)", &p_text)
    .with("random orders tried at most", ORDERS)
}

pub(super) fn run(means: &Means<'_>) -> Vec<Outcome> {
    let Some(target) = &means.target else { return Vec::new() };
    let of = |people: &People<'_>| {
        // The same for every seed: whether rows follow an order is a fact about the table.
        let mut random = ChaCha20Rng::seed_from_u64(SEED);
        row_order(target.released, people.projection, target.order, target.promises.size(), &mut random)
    };
    target.original.iter().map(of).collect()
}

pub(super) fn plant(plant: Plant, random: &mut ChaCha20Rng) -> Outcome {
    // A release in the order of its source, or shuffled.
    let mut places: Vec<u32> = (0..120).map(|row| row * 7 % 120).collect();
    let source: Vec<u32> = places.clone();
    if plant == Plant::Strong {
        places.shuffle(random);
    }
    let cells = places.iter().map(|place| format!("v{place:03}"));
    let released = Released::new(Microdata::new(vec![planted::column("q", cells)]), vec![0], Vec::new());
    let list = Projection::new(vec![0], vec![source.into_iter().map(Some).collect()]);
    row_order(&released, &list, OrderPromise::Hidden, None, random)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::attack::testing::table;
    use proptest::prelude::*;

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
        let outcome = row_order(&release, &source(&release), OrderPromise::Hidden, None, &mut random());
        assert_eq!(outcome.severity, Severity::Broken, "{}", outcome.result);
        assert!((outcome.figure.value - 1.0).abs() < 1e-9);
        assert_eq!(
            row_order(&release, &source(&release), OrderPromise::None, None, &mut random()).severity,
            Severity::Residual
        );
    }

    #[test]
    fn shuffled_and_sorted_orders_say_nothing() {
        let mut rows: Vec<usize> = (0..40).collect();
        rows.shuffle(&mut random());
        let release = released(&rows);
        let outcome =
            row_order(&release, &source(&release), OrderPromise::Hidden, None, &mut ChaCha20Rng::seed_from_u64(5));
        assert_eq!(outcome.severity, Severity::Covered, "{}", outcome.result);
        // A source that is sorted itself correlates with a sorted release, but only through the content.
        let sorted = Released::new(table("q\na\nb\nc\nd\ne\nf\ng\nh\ni\nj"), vec![0], Vec::new());
        let source = Projection::new(vec![0], vec![(0..10).map(Some).collect()]);
        let outcome = row_order(&sorted, &source, OrderPromise::Hidden, None, &mut random());
        assert_eq!(outcome.severity, Severity::Covered, "{}", outcome.result);
    }

    type Rows = Vec<(usize, usize)>;

    /// Age and illness of people in the order of admission.
    fn admitted(ages: usize, illnesses: usize) -> Rows {
        (0..120).map(|n| ((n * 37) % ages, (n * 7) % illnesses)).collect()
    }

    /// A release of these rows, and the source as it would write it.
    fn of_rows(rows: &Rows, source: &Rows) -> (Released, Projection) {
        let text: String = rows.iter().map(|(age, illness)| format!("\na{age:03} i{illness:03}")).collect();
        let released = Released::new(table(&format!("age illness{text}")), vec![0], vec![1]);
        let code = |place: usize, cell: String| {
            released.column(place).labels().iter().position(|label| *label == cell).map(|code| code as u32)
        };
        let codes = vec![
            source.iter().map(|row| code(0, format!("a{:03}", row.0))).collect(),
            source.iter().map(|row| code(1, format!("i{:03}", row.1))).collect(),
        ];
        (released, Projection::new(vec![0, 1], codes))
    }

    #[test]
    fn ties_in_the_order_of_admission_give_everybody_away() {
        // Sorted by age, and by illness: what is left as it came tells who is who.
        let (source, by_illness) = (admitted(8, 120), admitted(120, 5));
        let mut rows = source.clone();
        rows.sort_by_key(|row| row.0);
        let (release, source) = of_rows(&rows, &source);
        let outcome = row_order(&release, &source, OrderPromise::Hidden, None, &mut random());
        assert_eq!(outcome.severity, Severity::Broken, "{} {:?}", outcome.result, outcome.details);
        assert!(outcome.figure.value > 0.9, "{}", outcome.result);
        let mut rows = by_illness.clone();
        rows.sort_by_key(|row| row.1);
        let (release, source) = of_rows(&rows, &by_illness);
        let outcome = row_order(&release, &source, OrderPromise::Hidden, None, &mut random());
        assert_eq!(outcome.severity, Severity::Broken, "{} {:?}", outcome.result, outcome.details);
        assert!(outcome.result.contains("links"), "{}", outcome.result);
        // A promised k allows 1/k, whatever was said of the order.
        let outcome = row_order(&release, &source, OrderPromise::None, Some(5), &mut random());
        assert_eq!((outcome.severity, outcome.bound.map(|bound| bound.value)), (Severity::Broken, Some(0.2)));
    }

    #[test]
    fn ties_in_random_order_say_nothing() {
        for seed in 0..5 {
            let source = admitted(8, 120);
            let mut rows = source.clone();
            rows.shuffle(&mut ChaCha20Rng::seed_from_u64(seed));
            rows.sort_by_key(|row| row.0);
            let (release, source) = of_rows(&rows, &source);
            let outcome = row_order(&release, &source, OrderPromise::Hidden, None, &mut random());
            assert_eq!(
                outcome.severity,
                Severity::Covered,
                "{seed}: {} {:?}",
                outcome.result,
                outcome.details
            );
        }
    }

    #[test]
    fn an_order_that_was_cut_and_put_together_again_is_recognized() {
        let source: Rows = (0..120).map(|n| ((n * 37) % 120, n % 5)).collect();
        let mut blocks: Vec<&[(usize, usize)]> = source.chunks(10).collect();
        blocks.shuffle(&mut random());
        let mut ends = Vec::new();
        (0..60).for_each(|n| ends.extend([source[n], source[119 - n]]));
        let mut random_order = source.clone();
        random_order.shuffle(&mut random());
        for (rows, severity) in
            [(blocks.concat(), Severity::Broken), (ends, Severity::Broken), (random_order, Severity::Covered)]
        {
            let (release, source) = of_rows(&rows, &source);
            let outcome = row_order(&release, &source, OrderPromise::Hidden, None, &mut random());
            assert_eq!(outcome.severity, severity, "{} {:?}", outcome.result, outcome.details);
        }
    }

    #[test]
    fn a_table_that_is_sorted_otherwise_says_nothing() {
        // By number, downwards, and by age with ties in random order, from a source that is sorted by age itself.
        let by_number: String = (1..60).map(|n| format!("\n{n}")).collect();
        let down: String = (1..60).rev().map(|n| format!("\n{n}")).collect();
        for text in [&by_number, &down] {
            let release = Released::new(table(&format!("q{text}")), vec![0], Vec::new());
            let labels = release.column(0).labels().to_vec();
            let code =
                |n: u32| labels.iter().position(|label| *label == n.to_string()).map(|code| code as u32);
            let source = Projection::new(vec![0], vec![(1..60).map(code).collect()]);
            let outcome = row_order(&release, &source, OrderPromise::Hidden, None, &mut random());
            assert_eq!(outcome.severity, Severity::Covered, "{}", outcome.result);
        }
        let source: Rows = (0..120).map(|n| (n / 12, (n * 7) % 120)).collect();
        let mut rows = source.clone();
        rows.shuffle(&mut random());
        rows.sort_by_key(|row| row.0);
        let (release, source) = of_rows(&rows, &source);
        let outcome = row_order(&release, &source, OrderPromise::Hidden, None, &mut random());
        assert_eq!(outcome.severity, Severity::Covered, "{} {:?}", outcome.result, outcome.details);
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(48))]
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
