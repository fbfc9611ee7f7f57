//! Randomised response follows its matrix, and the test sees when it does not.

use super::*;
use crate::distribution::{Distribution, Ends, Rest};
use crate::estimate::Estimator;
use crate::exact::{Probability, Ratio};
use crate::response::Response;
use crate::testing::{ALPHA, binomial, chi_square, chi_square_tail, pearson};

const ROWS: u64 = 120_000;
const HERE: Stream = Stream { operator: 3, attribute: 1 };
const THERE: Stream = Stream { operator: 3, attribute: 2 };

fn p(text: &str) -> Probability {
    Probability::parse(text).unwrap()
}

fn blood(p_text: &str) -> Response {
    let weights = "0.41 0.358 0.078 0.102 0.045 0.007".split(' ').map(|w| Ratio::parse(w).unwrap());
    Response::new(p(p_text), Distribution::given(weights.collect()).unwrap())
}

fn days() -> Vec<Vec<Ratio>> {
    let weight = |text| Ratio::parse(text).unwrap();
    let steps = [(-1, weight("0.2")), (1, weight("0.3")), (2, weight("0.15"))];
    let noise = Distribution::steps(7, &steps, Ends::Cyclic, Rest::Spread).unwrap();
    (0..7).map(|from| (0..7).map(|to| noise.probability(from, to)).collect()).collect()
}

fn stepping(kernel: Vec<Vec<Ratio>>) -> Response {
    Response::new(p("0.4"), Distribution::kernel(kernel).unwrap())
}

/// Row r has the value r mod domain.
fn drawn(secret: &Secret, stream: Stream, response: &Response, rows: u64) -> Vec<u32> {
    let mut codes: Vec<u32> = (0..rows).map(|row| (row % u64::from(response.domain())) as u32).collect();
    Drawer::new(secret, stream, Arc::new(Plan::new(response).unwrap())).apply(0, &mut codes).unwrap();
    codes
}

/// The p-value of drawn rows under `nominal`: χ² of every row of the matrix, added up.
fn follows(nominal: &Response, drawn: &[u32]) -> f64 {
    let values = nominal.domain() as usize;
    let mut table = vec![vec![0u64; values]; values];
    drawn.iter().enumerate().for_each(|(row, to)| table[row % values][*to as usize] += 1);
    let (mut statistic, mut degrees) = (0.0, 0);
    for (from, observed) in (0..).zip(&table) {
        let rows: u64 = observed.iter().sum();
        let expected = (0..nominal.domain()).map(|to| nominal.probability(from, to).to_f64() * rows as f64);
        let (part, pools) = pearson(observed.iter().copied().zip(expected));
        statistic += part;
        degrees += pools - 1;
    }
    chi_square_tail(statistic, degrees)
}

#[test]
fn static_noise_follows_its_matrix() {
    let drawn = drawn(&Secret::from_seed(1), HERE, &blood("0.3"), ROWS);
    assert!(follows(&blood("0.3"), &drawn) > ALPHA);
}

#[test]
fn a_probability_that_is_off_by_two_percent_is_seen() {
    for wrong in ["0.28", "0.32"] {
        let drawn = drawn(&Secret::from_seed(1), HERE, &blood(wrong), ROWS);
        assert!(follows(&blood("0.3"), &drawn) < ALPHA, "{wrong}");
    }
}

#[test]
fn the_share_of_unchanged_rows_is_binomial() {
    let share = blood("0.3").unchanged(0).to_f64();
    let unchanged = |response: &Response| {
        let drawn = drawn(&Secret::from_seed(9), HERE, response, ROWS);
        drawn.iter().step_by(6).filter(|to| **to == 0).count() as u64
    };
    assert!(binomial(unchanged(&blood("0.3")), ROWS / 6, share) > ALPHA);
    assert!(binomial(unchanged(&blood("0.27")), ROWS / 6, share) < ALPHA);
}

#[test]
fn dynamic_noise_follows_its_matrix() {
    let drawn = drawn(&Secret::from_seed(2), HERE, &stepping(days()), ROWS);
    assert!(follows(&stepping(days()), &drawn) > ALPHA);
}

#[test]
fn exchanged_rows_of_a_kernel_are_seen() {
    let mut wrong = days();
    wrong.swap(2, 3);
    let drawn = drawn(&Secret::from_seed(2), HERE, &stepping(wrong), ROWS);
    assert!(follows(&stepping(days()), &drawn) < ALPHA);
}

#[test]
fn two_steps_follow_the_product_and_not_the_combined_probability() {
    let half = Ratio::new(1, 2).unwrap();
    let cycle =
        Distribution::steps(3, &[(1, half.clone()), (-1, half)], Ends::Cyclic, Rest::Refused).unwrap();
    let once = Response::new(p("0.16"), cycle.clone());
    let secret = Secret::from_seed(5);
    let mut twice = drawn(&secret, HERE, &once, ROWS);
    Drawer::new(&secret, THERE, Arc::new(Plan::new(&once).unwrap())).apply(0, &mut twice).unwrap();
    assert!(follows(&once.then(&once).unwrap(), &twice) > ALPHA);
    assert!(follows(&Response::new(p("0.2944"), cycle), &twice) < ALPHA);
}

/// The p-value of "a row is changed here" and "a row is changed there" being independent.
fn independent(here: &[bool], there: &[bool]) -> f64 {
    let mut table = [[0u64; 2]; 2];
    here.iter().zip(there).for_each(|(a, b)| table[usize::from(*a)][usize::from(*b)] += 1);
    let total = here.len().min(there.len()) as f64;
    let cells = (0..4).map(|cell| {
        let (a, b) = (cell / 2, cell % 2);
        let (row, column) = (table[a][0] + table[a][1], table[0][b] + table[1][b]);
        (table[a][b], row as f64 * column as f64 / total)
    });
    let (statistic, _) = pearson(cells);
    chi_square_tail(statistic, 1)
}

/// Which rows are changed where all have the value 0.
fn changed(secret: &Secret, stream: Stream, response: &Response) -> Vec<bool> {
    let mut codes = vec![0; 60_000];
    Drawer::new(secret, stream, Arc::new(Plan::new(response).unwrap())).apply(0, &mut codes).unwrap();
    codes.iter().map(|code| *code != 0).collect()
}

#[test]
fn streams_and_rows_are_independent_and_a_reused_stream_is_seen() {
    let secret = Secret::from_seed(4);
    let (a, b) = (blood("0.5"), Response::new(p("0.3"), Distribution::uniform(6).unwrap()));
    let here = changed(&secret, HERE, &a);
    assert!(independent(&here, &changed(&secret, THERE, &b)) > ALPHA, "two attributes");
    assert!(independent(&here, &here[1..]) > ALPHA, "neighbouring rows");
    assert!(independent(&here, &changed(&Secret::from_seed(40), HERE, &a)) > ALPHA, "two keys");

    assert!(independent(&here, &changed(&secret, HERE, &b)) < ALPHA, "one stream for two attributes");
    // One row number for all rows: all coins fall alike.
    let mut drawer = Drawer::new(&secret, HERE, Arc::new(Plan::new(&a).unwrap()));
    let same_row: Vec<u32> = (0..1_000).map(|row| drawer.draw(7, row % 6).unwrap()).collect();
    assert!(follows(&a, &same_row) < ALPHA);
}

#[test]
fn keys_of_the_operating_system_draw_uniformly() {
    let uniform = Response::new(p("1"), Distribution::uniform(10).unwrap());
    let drawn = drawn(&Secret::random().unwrap(), HERE, &uniform, 50_000);
    let mut cells = [0u64; 10];
    drawn.iter().for_each(|to| cells[*to as usize] += 1);
    assert!(chi_square(cells.map(|count| (count, 5_000.0))) > ALPHA);
}

/// Estimates over many seeds: no bias, and the standard error is the spread that is really there.
#[test]
fn estimates_are_unbiased_and_their_errors_are_right() {
    for response in [blood("0.3"), stepping(days())] {
        let (seeds, rows) = (300u32, 420);
        let values = response.domain();
        let estimator = Estimator::new(&response).unwrap();
        let truth = rows as f64 / f64::from(values);
        let (mut bias, mut squares) = (0.0, 0.0);
        for seed in 0..seeds {
            let mut observed = vec![0u64; values as usize];
            drawn(&Secret::from_seed(u64::from(seed)), HERE, &response, rows)
                .iter()
                .for_each(|to| observed[*to as usize] += 1);
            let estimate = estimator.counts(&observed).unwrap()[1];
            let z = (estimate.value - truth) / estimate.standard_error;
            bias += z;
            squares += z * z;
        }
        let bias_p = chi_square_tail(bias * bias / f64::from(seeds), 1);
        assert!(bias_p > ALPHA, "bias {}", bias / f64::from(seeds));
        let spread_p = chi_square_tail(squares, seeds);
        assert!(spread_p > ALPHA && 1.0 - spread_p > ALPHA, "spread {}", squares / f64::from(seeds));
    }
}

/// The estimator for another probability is biased, and that is seen.
#[test]
fn an_estimator_for_the_wrong_probability_is_seen() {
    let mut observed = vec![0u64; 6];
    drawn(&Secret::from_seed(3), HERE, &blood("0.3"), ROWS).iter().for_each(|to| observed[*to as usize] += 1);
    let p_value = |assumed: &str| {
        let estimate = Estimator::new(&blood(assumed)).unwrap().counts(&observed).unwrap()[0];
        chi_square_tail(((estimate.value - ROWS as f64 / 6.0) / estimate.standard_error).powi(2), 1)
    };
    assert!(p_value("0.3") > ALPHA);
    assert!(p_value("0.28") < ALPHA);
}
