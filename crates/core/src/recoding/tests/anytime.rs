//! What is shown while a search runs: every figure is true, and the last one is the widest that the result may be.

use super::*;
use crate::quality::Balance;
use crate::search::Flow;
use std::sync::Mutex;

/// Keeps what it hears.
#[derive(Default)]
struct Listener(Mutex<Vec<Progress>>);

impl Observer for Listener {
    fn after_round(&self, progress: &Progress) -> Flow {
        self.0.lock().unwrap().push(*progress);
        Flow::Continue
    }
}

/// How a task is recoded.
#[derive(Debug, Clone, Copy)]
enum Way {
    Free,
    Uniform,
    Known(usize),
}

fn ways() -> impl Strategy<Value = Way> {
    prop_oneof![Just(Way::Free), Just(Way::Uniform), (1usize..4).prop_map(Way::Known)]
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(random_tables(1000)))]

    #[test]
    fn gaps_never_grow_and_the_last_one_is_no_smaller_than_that_of_the_result(
        fixture in small_table(), wishes in wishes(), metric in prop::sample::select(METRICS.to_vec()),
        limit in 0u64..4, quarters in 0u8..=4, way in ways(), moves in 0u64..200, seed: u64,
    ) {
        let mut task = task(&fixture, &without_population(wishes), metric, limit);
        if metric.has_balance_on_boxes() && !matches!(way, Way::Known(_)) {
            task = task.balanced(Balance::of_gs_factor(f64::from(quarters) / 4.0).unwrap());
        }
        let listener = Listener::default();
        let effort = Effort { moves: Some(moves), seed, observer: &listener };
        let width = task.ladders().len();
        let found = match way {
            Way::Free => task.recode(&effort),
            Way::Uniform => task.recode_limited(&vec![Some(1); width], &effort),
            Way::Known(known) => task.recode_known(&all_levels(&task), known.min(width), &effort),
        };
        // What sets that overlap do not have is refused.
        let Ok(Some(found)) = found else { return Ok(()) };
        let shown = listener.0.into_inner().unwrap();
        prop_assert!(!shown.is_empty());
        let tolerance = |loss: f64| 1e-9 * (1.0 + loss);
        for progress in &shown {
            // The levels of uniform columns are chosen by looks, for which nobody asks for a bound.
            let bound = progress.lower_bound;
            prop_assert_eq!(bound, found.lower_bound);
            prop_assert!(bound <= progress.loss + tolerance(bound));
            prop_assert!(progress.moves <= progress.of);
        }
        for pair in shown.windows(2) {
            let (before, after) = (pair[0].loss, pair[1].loss);
            prop_assert!(after <= before + tolerance(before), "{} {way:?} {before} {after}", metric.name());
        }
        let last = shown[shown.len() - 1].loss;
        prop_assert!(found.loss <= last + tolerance(last), "{} {way:?} {last} {}", metric.name(), found.loss);
    }
}

#[test]
fn moves_that_are_not_given_grow_with_the_tuples_ever_more_slowly() {
    let moves = run::usual_moves;
    // 64 for each tuple of a small table, six for each of a larger one, a quarter for each that a very large one has more.
    assert_eq!([moves(200), moves(12_458), moves(1_000_000)], [12_800, 74_748, 600_000]);
    // Where each begins: up to 8,000 moves 160 for each, then 64 up to 32,000, from then on more only where six for each tuple are more;
    // up to 350,000 and a quarter.
    assert_eq!([moves(49), moves(50), moves(125), moves(126)], [7_840, 8_000, 8_000, 8_064]);
    assert_eq!([moves(499), moves(500), moves(501)], [31_936, 32_000, 32_000]);
    assert_eq!([moves(5_333), moves(5_334)], [32_000, 32_004]);
    assert_eq!([moves(60_869), moves(60_870)], [365_214, 365_217]);
    assert_eq!([moves(0), moves(1)], [0, 160]);
    assert!(moves(u64::MAX) < u64::MAX, "no number is too large");
}
