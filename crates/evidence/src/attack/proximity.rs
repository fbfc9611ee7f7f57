//! Different numbers that are nearly the same.
//!
//! The attacker is content with an interval: a class of salaries from 3,000 to 3,009 shows ten values and tells everybody's salary.
//! The numbers of the class are laid on the line, and the largest share of its rows is sought that a narrow interval covers: one
//! twentieth of the span from the 5th to the 95th percentile of the whole column. Figure: share of rows in classes where that share
//! reaches the threshold. Li, Tao and Xiao, "Preservation of proximity privacy in publishing numerical sensitive data", SIGMOD 2008.

use super::catalogue::{Card, Tried};
use super::means::{Means, Secret};
use super::outcome::percent;
use paravent_core::words::counted;
use super::planted::{self, Plant};
use super::{Attack, Figure, Finding, Outcome, Released, Severity, Unit};
use rand::rngs::ChaCha20Rng;

pub(super) static CARD: Card = Card {
    name: "proximity",
    question: "Are different numbers nearly the same?",
    assumption: "The attacker finds the person's class and is content with a narrow interval for the number.",
    source: "Li, Tao and Xiao, Proximity Privacy, SIGMOD 2008",
    needs: "a sensitive column of numbers or dates",
    tried: Tried::OnRequest,
};

/// What is narrow, as a share of the column's span.
const NARROW: f64 = 0.05;

/// A column with fewer different numbers is a list of codes.
const FEWEST_NUMBERS: usize = 10;

/// The narrowest look at one class.
struct Crowd {
    class: usize,
    /// Share of the rows with a number.
    share: f64,
    /// Ends of the interval.
    from: f64,
    to: f64,
    /// Different numbers in it.
    numbers: usize,
}

/// Runs the attack on the sensitive column at `place`; `numbers` has the number of each code, `None` where it has none. `None` where
/// the column has too few different numbers to speak of an interval.
#[must_use]
pub fn proximity(
    released: &Released,
    place: usize,
    numbers: &[Option<f64>],
    threshold: f64,
) -> Option<Outcome> {
    let (column, classes) = (released.column(place), &released.classes);
    let mut all: Vec<f64> = column.codes().iter().filter_map(|&code| numbers[code as usize]).collect();
    all.sort_by(f64::total_cmp);
    let mut distinct = all.clone();
    distinct.dedup();
    let at = |share: f64| all.get((share * all.len().saturating_sub(1) as f64).round() as usize).copied();
    let span = at(0.95)? - at(0.05)?;
    if distinct.len() < FEWEST_NUMBERS || span <= 0.0 {
        return None;
    }
    let mut by_class: Vec<Vec<f64>> = vec![Vec::new(); classes.len()];
    for (&class, &code) in classes.of_row().iter().zip(column.codes()) {
        by_class[class as usize].extend(numbers[code as usize]);
    }
    let crowds =
        by_class.iter_mut().enumerate().filter_map(|(class, numbers)| crowd(class, numbers, NARROW * span));
    let mut close: Vec<Crowd> = crowds.filter(|crowd| crowd.share >= threshold).collect();
    let rows: u64 = close.iter().map(|crowd| classes.sizes()[crowd.class]).sum();
    let share = rows as f64 / released.members().max(1) as f64;
    // Classes that look diverse but whose numbers are close.
    let new = close.iter().filter(|crowd| crowd.numbers > 1).count();
    close.sort_by_key(|crowd| (std::cmp::Reverse(classes.sizes()[crowd.class]), crowd.class));
    let findings = close.iter().map(|crowd| Finding {
        class: classes.describe(&released.table, crowd.class),
        value: crowd.share,
        text: format!(
            "{} of the rows have {} between {} and {} ({})",
            percent(crowd.share),
            column.name(),
            crowd.from,
            crowd.to,
            counted(crowd.numbers as u64, "value")
        ),
    });
    let result = match close.len() as u64 {
        0 => format!("In no class are {} of the numbers within a narrow interval.", percent(threshold)),
        n => format!(
            "In {} ({} of the rows) at least {} of the numbers lie within an interval of {} of the column's span.",
            counted(n, "class"),
            percent(share),
            percent(threshold),
            percent(NARROW)
        ),
    };
    let figure =
        Figure { what: "rows in classes with nearly equal numbers", value: share, unit: Unit::Share };
    let outcome =
        Outcome::new(Attack::Proximity, Severity::of(share, Unit::Share, None, 0.0), figure, result)
            .about(column.name())
            .with("span of the column, 5th to 95th percentile", span)
            .with("narrow interval", NARROW * span)
            .with("classes with nearly equal numbers", close.len())
            .with("of these with several values", new);
    Some(outcome.at(findings))
}

/// The narrow interval that covers most rows of a class; `None` for fewer than two numbers.
fn crowd(class: usize, numbers: &mut [f64], narrow: f64) -> Option<Crowd> {
    numbers.sort_by(f64::total_cmp);
    if numbers.len() < 2 {
        return None;
    }
    let (mut start, mut best) = (0, (0, 0));
    for end in 0..numbers.len() {
        while numbers[end] - numbers[start] > narrow {
            start += 1;
        }
        if end - start > best.1 - best.0 {
            best = (start, end);
        }
    }
    let inside = &numbers[best.0..=best.1];
    let different = 1 + inside.windows(2).filter(|pair| pair[0] != pair[1]).count();
    Some(Crowd {
        class,
        share: inside.len() as f64 / numbers.len() as f64,
        from: inside[0],
        to: inside[inside.len() - 1],
        numbers: different,
    })
}

pub(super) fn run(means: &Means<'_>) -> Vec<Outcome> {
    let Some(target) = &means.target else { return Vec::new() };
    let of =
        |secret: &Secret| proximity(target.released, secret.place, secret.numbers.as_ref()?, means.threshold);
    target.secrets.iter().filter_map(of).collect()
}

pub(super) fn plant(plant: Plant, _: &mut ChaCha20Rng) -> Outcome {
    // Salaries that are nearly equal in each class, or spread.
    let released = planted::salaries(plant);
    let labels = released.column(1).labels();
    let numbers: Vec<Option<f64>> = labels.iter().map(|label| label.parse().ok()).collect();
    proximity(&released, 1, &numbers, 0.8).expect("the planted releases have many numbers")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::attack::testing::table;
    use proptest::prelude::*;

    fn salaries(of: impl Fn(usize, usize) -> usize) -> (Released, Vec<Option<f64>>) {
        let rows: String = (0..60).map(|row| format!("\nq{} {}", row / 10, of(row / 10, row % 10))).collect();
        let released = Released::new(table(&format!("q salary{rows}")), vec![0], vec![1]);
        let numbers = released.column(1).labels().iter().map(|label| label.parse().ok()).collect();
        (released, numbers)
    }

    #[test]
    fn ten_different_salaries_within_ten_are_one_secret() {
        let (released, numbers) = salaries(|class, row| 1_000 * (1 + class) + row);
        let outcome = proximity(&released, 1, &numbers, 0.8).unwrap();
        assert_eq!((outcome.severity, outcome.figure.value), (Severity::Residual, 1.0));
        assert_eq!(
            outcome.findings[0].text,
            "100 % of the rows have salary between 1000 and 1009 (10 values)"
        );
        // The same salaries, spread over the classes.
        let (released, numbers) = salaries(|class, row| 1_000 * (1 + row % 6) + class * 10 + row);
        let outcome = proximity(&released, 1, &numbers, 0.8).unwrap();
        assert_eq!(outcome.severity, Severity::NothingFound, "{}", outcome.result);
    }

    #[test]
    fn one_outlier_hides_nobody_and_codes_are_no_numbers() {
        let (released, numbers) =
            salaries(|class, row| if row == 9 { 90_000 + class } else { 1_000 * (1 + class) + row });
        assert_eq!(proximity(&released, 1, &numbers, 0.8).unwrap().figure.value, 1.0);
        let (released, numbers) = salaries(|class, _| class % 3);
        assert_eq!(proximity(&released, 1, &numbers, 0.8), None);
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(64))]
        /// Trying the interval above every number.
        #[test]
        fn the_crowd_is_the_largest_of_all_intervals(numbers in prop::collection::vec(0u32..40, 2..15)) {
            let mut list: Vec<f64> = numbers.iter().map(|&number| f64::from(number)).collect();
            let most = list.iter().map(|low| list.iter().filter(|&x| x >= low && *x <= low + 5.0).count()).max().unwrap();
            let found = crowd(0, &mut list, 5.0).unwrap();
            prop_assert!((found.share - most as f64 / numbers.len() as f64).abs() < 1e-12);
        }
    }
}
