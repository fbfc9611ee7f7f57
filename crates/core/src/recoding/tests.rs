//! Local recodings against the definition: all partitions of tiny tables, and released tuples counted one by one.

mod anytime;
mod balance;
mod baselines;
mod feasible;
mod known;
mod population;
mod stopping;

use super::*;
use crate::grouping::{Class, Distribution, PeopleInClasses};
use crate::release::{Boxes, Fate};
use crate::search::Algorithm;
use crate::table::{FrequencyTable, People};
use crate::task::{QuasiIdentifier, QuasiIdentifiers, SuppressionLimit, Task};
use crate::testing::{Fixture, Wish, ladder, patients, random_tables, small_table, tiny_table, wishes};
use proptest::prelude::*;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

/// All metrics that boxes have.
const METRICS: [Metric; 10] = [
    Metric::Loss,
    Metric::GeometricLoss,
    Metric::Precision,
    Metric::NonUniformEntropy,
    Metric::Discernibility,
    Metric::AverageClassSize,
    Metric::WorstLoss,
    Metric::Distortion,
    Metric::NonMonotoneNonUniformEntropy,
    Metric::MonotoneDiscernibility,
];

fn task(fixture: &Fixture, wishes: &[Wish], metric: Metric, limit: u64) -> Task {
    let columns = fixture.names.iter().zip(&fixture.ladders).zip(&fixture.weights);
    let columns = columns.map(|((name, ladder), &weight)| QuasiIdentifier {
        weight,
        ..QuasiIdentifier::new(name, ladder.clone())
    });
    let criteria = wishes.iter().map(|wish| wish.criterion(&fixture.table)).collect();
    let table = Arc::new(fixture.table.clone());
    let columns = QuasiIdentifiers::new(columns).unwrap();
    Task::new(table, columns, criteria, metric, SuppressionLimit::Count(limit)).unwrap()
}

fn without_population(wishes: Vec<Wish>) -> Vec<Wish> {
    let mut wishes: Vec<Wish> =
        wishes.into_iter().filter(|wish| !matches!(wish, Wish::Presence(..))).collect();
    wishes.push(Wish::K(2));
    wishes
}

/// A released row: tuple, level of each column; `None` where it is suppressed.
type Released = Vec<(usize, Option<Vec<u8>>)>;

/// The label of a tuple in a column.
fn text(task: &Task, column: usize, tuple: usize, level: u8) -> Option<String> {
    let table = task.tuples().held().unwrap();
    let rung = task.ladders()[column].rung(level);
    rung.labels[rung.group_of[table.column(column).get(tuple) as usize] as usize].clone()
}

/// What is wrong with a release, by its released tuples alone; the loss where nothing is.
fn judge(task: &Task, released: &Released) -> Result<f64, &'static str> {
    let table = task.tuples().held().unwrap();
    let mut classes: BTreeMap<Vec<Option<String>>, Vec<usize>> = BTreeMap::new();
    for (tuple, levels) in released {
        if let Some(levels) = levels {
            let texts = levels.iter().enumerate().map(|(column, &level)| text(task, column, *tuple, level));
            classes.entry(texts.collect()).or_default().push(*tuple);
        }
    }
    let suppressed = released.iter().filter(|row| row.1.is_none()).count() as u64;
    if suppressed > task.suppression_limit() {
        return Err("too many rows are suppressed");
    }
    for rows in classes.values() {
        // The rows of a tuple carry its values in the order of its histogram.
        let mut dense = vec![0u32; table.sensitive()[0].cardinality];
        let mut taken: BTreeMap<usize, usize> = BTreeMap::new();
        for &tuple in rows {
            let (values, counts) = table.sensitive()[0].histograms.entry(tuple);
            let all: Vec<u32> =
                values.iter().zip(counts).flat_map(|(&value, &n)| vec![value; n as usize]).collect();
            let next = taken.entry(tuple).or_insert(0);
            dense[all[*next] as usize] += 1;
            *next += 1;
        }
        let present: Vec<u32> = (0..dense.len() as u32).filter(|&value| dense[value as usize] > 0).collect();
        let size = rows.len() as u64;
        let distributions = [Distribution::of_rows(&dense, &present, size)];
        if !task.criteria().hold(&Class { rows: size, population: size, distributions: &distributions }) {
            return Err("a class does not keep the criteria");
        }
    }
    let sizes: Vec<usize> = classes.values().map(Vec::len).collect();
    Ok(loss(task, released, &sizes, suppressed))
}

/// The metric by its definition, row by row.
fn loss(task: &Task, released: &Released, sizes: &[usize], suppressed: u64) -> f64 {
    let n = released.len() as f64;
    let least = task.criteria().least_class_size().max(1) as f64;
    let groups = sizes.len() as u64 + u64::from(suppressed > 0);
    let squares: usize = sizes.iter().map(|size| size * size).sum();
    match task.metric() {
        Metric::AverageClassSize => return n / (groups as f64 * least),
        Metric::Discernibility => return squares as f64 + suppressed as f64 * n,
        Metric::MonotoneDiscernibility => return squares as f64 + (suppressed * suppressed) as f64,
        _ => {}
    }
    let weights = task.columns().weights();
    // A mean where nothing counts is 0.
    let or_one = |total: f64| if total > 0.0 { total } else { 1.0 };
    let total = or_one(weights.iter().sum());
    let heaviest = or_one(weights.iter().copied().fold(0.0, f64::max));
    let table = task.tuples().held().unwrap();
    let (mut sum, mut product, mut worst) = (0.0, 1.0, 0.0f64);
    for (column, (ladder, &weight)) in task.ladders().iter().zip(weights).enumerate() {
        let counts = table.value_counts(column, ladder.cardinality(0));
        let cell = |(tuple, levels): &(usize, Option<Vec<u8>>)| {
            let code = table.column(column).get(*tuple) as usize;
            let Some(levels) = levels else {
                let exists = ladder.max_level() > 0;
                return match task.metric() {
                    Metric::NonUniformEntropy | Metric::NonMonotoneNonUniformEntropy => {
                        (n / counts[code] as f64).log2()
                    }
                    Metric::Precision | Metric::Distortion => f64::from(u8::from(exists)),
                    _ => f64::from(u8::from(ladder.values() > 1)),
                };
            };
            let rung = ladder.rung(levels[column]);
            match task.metric() {
                Metric::Precision => f64::from(levels[column]) / f64::from(ladder.max_level().max(1)),
                Metric::Distortion => f64::from(u8::from(levels[column] > 0)),
                Metric::NonUniformEntropy | Metric::NonMonotoneNonUniformEntropy => {
                    let alike = (0..counts.len()).filter(|&v| rung.group_of[v] == rung.group_of[code]);
                    (alike.map(|v| counts[v]).sum::<u64>() as f64 / counts[code] as f64).log2()
                }
                _ => rung.loss[rung.group_of[code] as usize],
            }
        };
        let cells: f64 = released.iter().map(cell).sum();
        sum += weight * cells;
        product *= (1.0 + cells / n).powf(weight / total);
        worst = worst.max(weight / heaviest * cells / n);
    }
    match task.metric() {
        Metric::NonUniformEntropy | Metric::NonMonotoneNonUniformEntropy => sum,
        Metric::WorstLoss => worst,
        Metric::GeometricLoss => product - 1.0,
        _ => sum / n / total,
    }
}

/// The rows of a table as tuples, one entry per row.
fn rows_of(table: &FrequencyTable) -> Vec<usize> {
    let rows = table.rows().iter().enumerate();
    rows.flat_map(|(tuple, &rows)| std::iter::repeat_n(tuple, rows as usize)).collect()
}

/// The lowest level of each column on which some tuples share a label.
fn finest_box(task: &Task, tuples: &[usize]) -> Vec<u8> {
    let table = task.tuples().held().unwrap();
    let of_column = |column: usize| {
        let ladder = &task.ladders()[column];
        let group =
            |level: u8, tuple: usize| ladder.rung(level).group_of[table.column(column).get(tuple) as usize];
        let alike = |&level: &u8| tuples.iter().all(|&tuple| group(level, tuple) == group(level, tuples[0]));
        (0..=ladder.max_level()).find(alike).unwrap()
    };
    (0..task.ladders().len()).map(of_column).collect()
}

/// The least loss over all partitions of the rows and all choices of suppressed parts.
fn optimum(task: &Task) -> Option<f64> {
    let rows = rows_of(task.tuples().held().unwrap());
    let mut best: Option<f64> = None;
    partitions(rows.len(), &mut Vec::new(), 0, &mut |part_of, parts| {
        let members = |part: usize| -> Vec<usize> {
            (0..rows.len()).filter(|&row| part_of[row] == part).map(|row| rows[row]).collect()
        };
        let boxes: Vec<Vec<u8>> = (0..parts).map(|part| finest_box(task, &members(part))).collect();
        // Nothing is suppressed, or one part is: several suppressed parts are one part of another partition.
        for suppressed in std::iter::once(None).chain((0..parts).map(Some)) {
            let level_of =
                |row: usize| (Some(part_of[row]) != suppressed).then(|| boxes[part_of[row]].clone());
            let released: Released = (0..rows.len()).map(|row| (rows[row], level_of(row))).collect();
            if let Ok(loss) = judge(task, &released) {
                best = Some(best.map_or(loss, |best| best.min(loss)));
            }
            if task.suppression_limit() == 0 {
                break;
            }
        }
    });
    best
}

/// Calls `visit` with every partition of `n` things, as a restricted growth string.
fn partitions(n: usize, part_of: &mut Vec<usize>, parts: usize, visit: &mut dyn FnMut(&[usize], usize)) {
    if part_of.len() == n {
        return visit(part_of, parts);
    }
    for part in 0..=parts {
        part_of.push(part);
        partitions(n, part_of, parts.max(part + 1), visit);
        part_of.pop();
    }
}

fn boxes(recoding: &Recoding) -> &Boxes {
    recoding.solution.boxes.as_deref().unwrap()
}

fn released(task: &Task, recoding: &Recoding) -> Released {
    let rows = rows_of(task.tuples().held().unwrap()).into_iter();
    rows.map(|tuple| (tuple, boxes(recoding).of(tuple).map(|shown| shown.levels.to_vec()))).collect()
}

/// Every label covers the rows that show it.
fn covers(task: &Task, boxes: &Boxes) -> bool {
    let table = task.tuples().held().unwrap();
    (0..boxes.box_of.len()).all(|tuple| {
        let Some(shown) = boxes.of(tuple) else { return true };
        task.ladders().iter().enumerate().all(|(column, ladder)| {
            let code = table.column(column).get(tuple) as usize;
            ladder.rung(shown.levels[column]).group_of[code] == shown.groups[column]
        })
    })
}

fn close(a: f64, b: f64) -> bool {
    (a - b).abs() <= 1e-7 * (1.0 + a.abs())
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(random_tables(2000)))]

    #[test]
    fn bound_optimum_and_search_are_in_this_order(
        fixture in tiny_table(), wishes in wishes(), metric in 0..METRICS.len(), limit in 0u64..3,
    ) {
        let wishes = without_population(wishes);
        let task = task(&fixture, &wishes, METRICS[metric], limit);
        let best = optimum(&task);
        let found = task.recode(&Effort { moves: Some(60), ..Effort::default() }).unwrap();
        let whole = task.solve(Algorithm::BestFirst, &crate::solve::Effort::default()).unwrap();
        prop_assert!(found.is_some() || whole.is_none(), "a full-domain release is a local recoding");
        let Some(found) = found else { return Ok(()) };
        // Released tuples, counted one by one, say the same.
        prop_assert!(covers(&task, boxes(&found)));
        let value = judge(&task, &released(&task, &found));
        prop_assert!(value.is_ok(), "{value:?}");
        prop_assert!(close(found.loss, value.unwrap()), "{} {}", found.loss, value.unwrap());
        let space = space::Space::new(&task, &all_levels(&task)).unwrap();
        if let Some(best) = best {
            prop_assert!(found.lower_bound <= best + 1e-7 * (1.0 + best), "bound {} optimum {best}", found.lower_bound);
            if space.merging_is_safe {
                prop_assert!(best <= found.loss + 1e-7 * (1.0 + best), "optimum {best} found {}", found.loss);
            }
        }
        prop_assert!(found.lower_bound <= found.loss + 1e-7 * (1.0 + found.loss));
        match found.gap() {
            Some(gap) => prop_assert!(close((1.0 + gap) * found.lower_bound, found.loss.max(found.lower_bound))),
            None => prop_assert_eq!(found.lower_bound, 0.0),
        }
        // A bound that runs out of its budget is smaller, never larger.
        let known = vec![u64::from(u32::MAX); task.tuples().tuple_count()];
        let full = bound::row_costs(&space, &known, u64::MAX >> 1);
        for budget in [0, 3, 17] {
            prop_assert!(bound::row_costs(&space, &known, budget) <= full);
        }
    }

    #[test]
    fn the_bound_is_the_cheapest_box_that_is_not_refuted(fixture in tiny_table(), k in 1u64..5, l in 1u64..3) {
        let task = task(&fixture, &[Wish::K(k), Wish::Distinct(l)], Metric::Loss, 0);
        let space = space::Space::new(&task, &all_levels(&task)).unwrap();
        let known = vec![u64::from(u32::MAX); task.tuples().tuple_count()];
        let all = task.checker(1 << 20);
        let mut least: BTreeMap<usize, u64> = BTreeMap::new();
        for index in 0..task.lattice().node_count() as u64 {
            let node = task.lattice().node(index);
            let solution = all.solution(&node).unwrap();
            for &tuple in &space.tuples {
                if solution.fates.by_tuple()[tuple as usize] == Fate::Kept {
                    let labels: Vec<u32> = space.columns.iter().zip(space.finest(tuple)).zip(node.levels())
                        .map(|((column, &label), &level)| column.at_level(label, level).unwrap()).collect();
                    let cost = space.row_cost(&labels).unwrap();
                    let slot = least.entry(tuple as usize).or_insert(cost);
                    *slot = cost.min(*slot);
                }
            }
        }
        let expected: u128 = space.tuples.iter().map(|&tuple| {
            let cost = least.get(&(tuple as usize)).copied().unwrap_or(u64::from(u32::MAX));
            u128::from(space.rows(tuple)) * u128::from(cost)
        }).sum();
        prop_assert_eq!(bound::row_costs(&space, &known, u64::MAX >> 1), expected);
    }
}

fn all_levels(task: &Task) -> Vec<Vec<u8>> {
    task.ladders().iter().map(|ladder| (0..=ladder.max_level()).collect()).collect()
}

proptest! {
    #[test]
    fn threads_change_nothing(fixture in small_table(), wishes in wishes(), moves in 0u64..200) {
        let task = task(&fixture, &without_population(wishes), Metric::Loss, 1);
        let effort = Effort { moves: Some(moves), ..Effort::default() };
        let run = |threads: usize| {
            let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
            pool.install(|| task.recode(&effort).unwrap().map(|found| (found.solution.boxes, found.lower_bound)))
        };
        prop_assert_eq!(run(1), run(3));
    }

    #[test]
    fn people_are_counted_by_released_tuples(
        fixture in small_table(), owners in prop::collection::vec((0u32..9, 0u32..4), 24), k in 1u64..4, l in 1u64..3,
    ) {
        let tuples: Vec<u32> = rows_of(&fixture.table).into_iter().map(|tuple| tuple as u32).collect();
        let persons: Vec<u32> = tuples.iter().zip(&owners).map(|(_, owner)| owner.0).collect();
        let values: Vec<u32> = tuples.iter().zip(&owners).map(|(_, owner)| owner.1).collect();
        let people = Arc::new(People::new(&fixture.table, &persons, &tuples, &[values], &[4]).unwrap());
        let columns = fixture.names.iter().zip(&fixture.ladders);
        let columns = columns.map(|(name, ladder)| QuasiIdentifier::new(name, ladder.clone()));
        let criteria = [Wish::K(k), Wish::Distinct(l)].map(|wish| wish.criterion(&fixture.table)).into();
        let columns = QuasiIdentifiers::new(columns).unwrap();
        let table = Arc::new(fixture.table.clone());
        let limit = SuppressionLimit::NONE;
        let task = Task::of_people(table, Arc::clone(&people), columns, criteria, Metric::Loss, limit).unwrap();
        let Some(found) = task.recode(&Effort::default()).unwrap() else { return Ok(()) };
        prop_assert_eq!(found.solution.suppressed_rows, 0);
        let found = boxes(&found);
        let mut numbers: BTreeMap<Vec<Option<String>>, u32> = BTreeMap::new();
        let class_of: Vec<u32> = (0..fixture.table.tuple_count()).map(|tuple| {
            let Some(shown) = found.of(tuple) else { return 0 };
            let levels = &shown.levels;
            let texts = levels.iter().enumerate().map(|(column, &level)| text(&task, column, tuple, level)).collect();
            let next = numbers.len() as u32;
            *numbers.entry(texts).or_insert(next)
        }).collect();
        prop_assert_eq!(numbers.len(), found.boxes.len());
        let mut all_hold = true;
        PeopleInClasses::new(&people, &class_of, numbers.len())
            .visit(0, |_, class| all_hold &= task.criteria().hold(class));
        prop_assert!(all_hold);
    }
}

#[test]
fn planted_violations_are_seen_by_the_tests_own_judge() {
    let fixture = patients();
    let task = task(&fixture, &[Wish::K(2), Wish::Distinct(2)], Metric::Loss, 0);
    let found = task.recode(&Effort::default()).unwrap().unwrap();
    let good = released(&task, &found);
    assert!(judge(&task, &good).is_ok());
    let mut too_small = good.clone();
    too_small[0].1 = Some(vec![0, 0, 0]);
    assert_eq!(judge(&task, &too_small), Err("a class does not keep the criteria"));
    let mut left_out = good.clone();
    left_out[0].1 = None;
    assert_eq!(judge(&task, &left_out), Err("too many rows are suppressed"));
    let mut wrong = boxes(&found).clone();
    wrong.boxes[0].groups[2] += 1;
    assert!(!covers(&task, &wrong));
}

#[test]
fn a_local_recoding_loses_less_than_the_best_node() {
    let task = task(&patients(), &[Wish::K(2)], Metric::Loss, 0);
    let whole = task.solve(Algorithm::BestFirst, &crate::solve::Effort::default()).unwrap().unwrap();
    let found = task.recode(&Effort::default()).unwrap().unwrap();
    let of_node = whole.losses.iter().find(|(metric, _)| *metric == Metric::Loss).unwrap().1;
    assert!(found.loss < of_node, "{} {of_node}", found.loss);
    assert!(close(found.loss, optimum(&task).unwrap()));
}

#[test]
fn labels_that_read_the_same_on_two_levels_are_one_class() {
    // "x" covers two values on level 1 and all of them on level 2.
    let ladders = vec![ladder(&["a x x", "b x x", "c y x"])];
    let rows = [(vec![0], 0, true), (vec![1], 0, true), (vec![2], 1, true)];
    let fixture = Fixture::new(ladders, &rows, 2);
    let task = task(&fixture, &[Wish::K(2)], Metric::Loss, 0);
    let found = task.recode(&Effort::default()).unwrap().unwrap();
    assert_eq!(boxes(&found).boxes.len(), 1);
    assert_eq!(found.solution.class_sizes, [(3, 1)]);
}

#[test]
fn a_label_that_reads_the_same_on_two_levels_covers_all_rows_that_show_it() {
    // "x" covers a and b on level 1; c and d have no other label in common than "x" on level 2.
    let ladders = vec![ladder(&["a x x", "b x x", "c y x", "d z x"])];
    let rows: Vec<_> = (0..4).map(|code| (vec![code], code, true)).collect();
    let fixture = Fixture::new(ladders, &rows, 4);
    let task = task(&fixture, &[Wish::K(2)], Metric::Loss, 0);
    let found = task.recode(&Effort::default()).unwrap().unwrap();
    assert_eq!(found.solution.class_sizes, [(4, 1)]);
    assert!(covers(&task, boxes(&found)));
    assert_eq!(found.loss, 1.0, "the reader cannot tell which x is meant");
}

#[test]
fn levels_that_are_not_allowed_are_not_shown() {
    let task = task(&patients(), &[Wish::K(2)], Metric::Loss, 0);
    let levels = [vec![1], vec![0], vec![0, 3, 5]];
    let found = task.recode_within(&levels, &Effort::default()).unwrap().unwrap();
    for shown in &boxes(&found).boxes {
        assert_eq!((shown.levels[0], shown.levels[1]), (1, 0));
        assert!([0, 3, 5].contains(&shown.levels[2]));
    }
    let all: BTreeSet<usize> =
        boxes(&found).box_of.iter().enumerate().filter(|(_, of)| of.is_some()).map(|of| of.0).collect();
    assert_eq!(all.len(), 8);
    for wrong in [
        vec![vec![1], vec![0]],
        vec![vec![], vec![0], vec![0]],
        vec![vec![1, 0], vec![0], vec![0]],
        vec![vec![9], vec![0], vec![0]],
    ] {
        assert!(matches!(task.recode_within(&wrong, &Effort::default()), Err(RecodingError::Levels { .. })));
    }
}

#[test]
fn what_boxes_do_not_have_is_refused() {
    assert!(METRICS.into_iter().all(Metric::is_defined_on_boxes));
    let others = || Metric::ALL.into_iter().filter(|metric| !METRICS.contains(metric));
    assert_eq!(others().count(), 3, "height, precision-m and entropy");
    for metric in others() {
        let task = task(&patients(), &[Wish::K(2)], metric, 0);
        let refused = task.recode(&Effort::default()).unwrap_err();
        assert!(refused.to_string().starts_with(&format!("metric {}:", metric.name())), "{refused}");
    }
    let unbalanced = crate::quality::Balance::of_gs_factor(0.25).unwrap();
    for metric in METRICS {
        let task = task(&patients(), &[Wish::K(2)], metric, 0).balanced(unbalanced);
        let is_refused = matches!(task.recode(&Effort::default()), Err(RecodingError::Balance(_)));
        assert_eq!(is_refused, !metric.has_balance_on_boxes(), "{}", metric.name());
    }
    assert!(METRICS.into_iter().filter(|metric| metric.has_balance_on_boxes()).eq(balance::BALANCED));
    let task = task(&patients(), &[Wish::Presence(1, 9)], Metric::Loss, 0);
    assert!(matches!(task.recode(&Effort::default()), Err(RecodingError::Population)));
}

#[test]
fn boxes_of_an_earlier_release_cover_new_rows_or_suppress_them() {
    let fixture = patients();
    let task = task(&fixture, &[Wish::K(2)], Metric::Loss, 8);
    let found = task.recode(&Effort::default()).unwrap().unwrap();
    let first = boxes(&found).clone();
    // Applied to the same rows, the boxes cover all of them, and none gets a coarser box than it had.
    let again = task.apply_boxes(&first.boxes).unwrap();
    assert!(again.holds);
    assert!(covers(&task, again.boxes.as_deref().unwrap()));
    // Without one of the boxes, the rows that no other one covers are left out.
    let rest = &first.boxes[1..];
    let partly = task.apply_boxes(rest).unwrap();
    let covered = |tuple: usize| {
        rest.iter().any(|shown| {
            (0..3).all(|column| {
                let code = fixture.table.column(column).get(tuple) as usize;
                fixture.ladders[column].rung(shown.levels[column]).group_of[code] == shown.groups[column]
            })
        })
    };
    let uncovered = (0..8).filter(|&tuple| !covered(tuple)).count() as u64;
    assert!(uncovered > 0 && partly.suppressed_rows >= uncovered);
    assert!((0..8).all(|tuple| covered(tuple) || partly.fates.by_tuple()[tuple] == Fate::Suppressed));
    let mut wrong = first.boxes[0].clone();
    wrong.levels[0] = 9;
    assert!(matches!(task.apply_boxes(&[wrong]), Err(RecodingError::Levels { .. })));
}

#[test]
fn a_uniform_column_shows_one_level() {
    let task = task(&patients(), &[Wish::K(2)], Metric::Loss, 0);
    let free = task.recode(&Effort::default()).unwrap().unwrap();
    for most in 1..=3u8 {
        let found = task.recode_limited(&[Some(1), None, Some(most)], &Effort::default()).unwrap().unwrap();
        let shown = |column: usize| -> BTreeSet<u8> {
            boxes(&found).boxes.iter().map(|shown| shown.levels[column]).collect()
        };
        assert_eq!(shown(0).len(), 1);
        assert!(shown(2).len() <= usize::from(most));
        assert!(judge(&task, &released(&task, &found)).is_ok());
        assert_eq!(found.lower_bound, free.lower_bound);
        assert!(found.loss >= free.loss - 1e-9);
    }
}
