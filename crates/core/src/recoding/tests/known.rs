//! Recodings against somebody who knows any few columns, against the definition.

use super::*;
use crate::testing::tiniest_table;

/// The metrics of cells: the others know classes, and sets that overlap are none.
const OF_CELLS: [Metric; 7] = [
    Metric::Loss,
    Metric::GeometricLoss,
    Metric::Precision,
    Metric::NonUniformEntropy,
    Metric::WorstLoss,
    Metric::Distortion,
    Metric::NonMonotoneNonUniformEntropy,
];

/// All sets of `size` numbers below `n`.
fn choices(n: usize, size: usize) -> Vec<Vec<usize>> {
    (0..1usize << n)
        .map(|set| (0..n).filter(|&column| set >> column & 1 == 1).collect::<Vec<usize>>())
        .filter(|choice| choice.len() == size)
        .collect()
}

/// Whether the rows that read the same in any `known` columns have k rows and ℓ values.
fn holds(task: &Task, released: &Released, known: usize, k: usize, l: usize) -> bool {
    let table = task.tuples().held().unwrap();
    let mut number: BTreeMap<usize, usize> = BTreeMap::new();
    let values: Vec<u32> = released
        .iter()
        .map(|(tuple, _)| {
            let (values, counts) = table.sensitive()[0].histograms.entry(*tuple);
            let all: Vec<u32> =
                values.iter().zip(counts).flat_map(|(&value, &n)| vec![value; n as usize]).collect();
            let next = number.entry(*tuple).or_insert(0);
            *next += 1;
            all[*next - 1]
        })
        .collect();
    choices(task.ladders().len(), known).iter().all(|choice| {
        let mut sets: BTreeMap<Vec<Option<String>>, Vec<u32>> = BTreeMap::new();
        for ((tuple, levels), &value) in released.iter().zip(&values) {
            if let Some(levels) = levels {
                let texts = choice.iter().map(|&column| text(task, column, *tuple, levels[column]));
                sets.entry(texts.collect()).or_default().push(value);
            }
        }
        sets.values().all(|set| set.len() >= k && set.iter().collect::<BTreeSet<_>>().len() >= l)
    })
}

/// The least loss over all levels of all rows.
fn least(task: &Task, levels: &[Vec<u8>], known: usize, k: usize, l: usize) -> Option<f64> {
    let rows = rows_of(task.tuples().held().unwrap());
    let mut boxes: Vec<Vec<u8>> = vec![Vec::new()];
    for levels in levels {
        boxes = boxes
            .iter()
            .flat_map(|shown| levels.iter().map(move |&level| shown.iter().copied().chain([level]).collect()))
            .collect();
    }
    let (mut best, mut at) = (None::<f64>, vec![0usize; rows.len()]);
    loop {
        let released: Released =
            rows.iter().zip(&at).map(|(&tuple, &number)| (tuple, Some(boxes[number].clone()))).collect();
        if holds(task, &released, known, k, l) {
            let loss = loss(task, &released, &[], 0);
            best = Some(best.map_or(loss, |best| best.min(loss)));
        }
        let Some(next) = (0..at.len()).find(|&row| at[row] + 1 < boxes.len()) else { return best };
        at[next] += 1;
        at[..next].fill(0);
    }
}

/// The finest and the coarsest level of each column.
fn ends(task: &Task) -> Vec<Vec<u8>> {
    task.ladders()
        .iter()
        .map(|ladder| if ladder.max_level() == 0 { vec![0] } else { vec![0, ladder.max_level()] })
        .collect()
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(1000))]

    #[test]
    fn rows_that_agree_in_any_known_columns_hold(
        fixture in small_table(), known in 1usize..4, k in 1u64..4, l in 1u64..3, cells: bool,
        metric in prop::sample::select(OF_CELLS.to_vec()),
    ) {
        let task = task(&fixture, &[Wish::K(k), Wish::Distinct(l)], metric, 0);
        let levels = if cells { ends(&task) } else { all_levels(&task) };
        let known = known.min(fixture.ladders.len());
        let Some(found) = task.recode_known(&levels, known, &Effort::default()).unwrap() else { return Ok(()) };
        prop_assert!(found.solution.holds && covers(&task, boxes(&found)));
        let shown = released(&task, &found);
        prop_assert!(shown.iter().all(|(_, levels)| levels.is_some()));
        prop_assert!(holds(&task, &shown, known, k as usize, l as usize));
        for fewer in 1..known {
            prop_assert!(holds(&task, &shown, fewer, k as usize, l as usize), "whoever knows less learns no more");
        }
        prop_assert!(found.lower_bound <= found.loss + 1e-9 * (1.0 + found.loss));
        prop_assert!(close(found.loss, loss(&task, &shown, &[], 0)));
        // What holds for all columns loses no less.
        if known < fixture.ladders.len()
            && let Some(all) = task.recode_known(&levels, fixture.ladders.len(), &Effort::default()).unwrap()
        {
            prop_assert!(all.lower_bound + 1e-7 * (1.0 + all.lower_bound) >= found.lower_bound);
        }
        let achieved = &found.solution.achieved[0];
        prop_assert!(achieved.figures().iter().any(|&(name, value)| name == "k" && value >= k as f64));
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(random_tables(400)))]

    #[test]
    fn bound_optimum_and_search_are_in_this_order_for_known_columns(
        fixture in tiniest_table(), known in 1usize..3, k in 2u64..4, l in 1u64..3,
        metric in prop::sample::select(OF_CELLS.to_vec()),
    ) {
        let task = task(&fixture, &[Wish::K(k), Wish::Distinct(l)], metric, 0);
        let (levels, known) = (ends(&task), known.min(fixture.ladders.len()));
        let best = least(&task, &levels, known, k as usize, l as usize);
        let found = task.recode_known(&levels, known, &Effort::default()).unwrap();
        prop_assert!(found.is_some() || best.is_none());
        if let (Some(found), Some(best)) = (found, best) {
            let tolerance = 1e-7 * (1.0 + best);
            prop_assert!(found.lower_bound <= best + tolerance, "bound {} optimum {best}", found.lower_bound);
            prop_assert!(best <= found.loss + tolerance, "optimum {best} found {}", found.loss);
        }
    }
}

#[test]
fn fewer_known_columns_lose_less() {
    // Every value is there four times, every pair twice, every row once.
    let rows: Vec<(Vec<u32>, u32, bool)> =
        (0..8u32).map(|row| (vec![row & 1, row >> 1 & 1, row >> 2], 0, true)).collect();
    let ladders = (0..3).map(|_| ladder(&["a *", "b *"])).collect();
    let fixture = Fixture::new(ladders, &rows, 1);
    let loss = |known: usize, k: u64| {
        let task = task(&fixture, &[Wish::K(k)], Metric::Loss, 0);
        task.recode_known(&ends(&task), known, &Effort::default()).unwrap().unwrap().loss
    };
    assert_eq!([loss(1, 4), loss(2, 2)], [0.0, 0.0], "each value, each pair often enough");
    assert!(loss(2, 3) > 0.0 && loss(3, 2) > 0.0, "{} {}", loss(2, 3), loss(3, 2));
    assert!(loss(1, 2) <= loss(2, 2) && loss(2, 2) < loss(3, 2));
}

#[test]
fn what_sets_that_overlap_do_not_have_is_refused() {
    let refused = |wishes: &[Wish], metric: Metric| {
        let task = task(&patients(), wishes, metric, 0);
        task.recode_known(&ends(&task), 2, &Effort::default()).unwrap_err()
    };
    for metric in [Metric::Discernibility, Metric::AverageClassSize] {
        assert!(matches!(refused(&[Wish::K(2)], metric), RecodingError::KnownMetric(_)));
    }
    assert!(matches!(refused(&[Wish::Presence(1, 9)], Metric::Loss), RecodingError::Population));
}
