//! Searches that count people, against the definitions applied to rows one by one.

mod defects;
mod definition;

use super::*;
use crate::criteria::Criteria;
use crate::criteria::Suppression;
use crate::hierarchy::Ladder;
use crate::search::{PeopleChecker, SearchInput};
use crate::table::PersonRows;
use crate::task::Case;
use crate::testing::random_tables;
use definition::{Promise, Row, VALUES, World};

const PEOPLE: u32 = 6;

fn world() -> impl Strategy<Value = World> {
    let modes = prop::sample::select(vec![PersonRows::Apart, PersonRows::Together, PersonRows::Set]);
    let persons = prop::collection::vec(0..PEOPLE, 24);
    let values = prop::collection::vec([0..VALUES, 0..VALUES], 24);
    let others = prop::collection::vec(0..PEOPLE + 4, 24);
    (small_table(), persons, values, others, modes).prop_map(|(fixture, persons, values, others, mode)| {
        // The random table's tuples, given to random people; those of the population to others as well.
        let table = &fixture.table;
        let codes = |tuple: usize| -> Vec<u32> {
            (0..table.column_count()).map(|column| table.column(column).get(tuple)).collect()
        };
        let all = |counts: &[u32]| -> Vec<Vec<u32>> {
            let repeated = counts
                .iter()
                .enumerate()
                .flat_map(|(tuple, &count)| std::iter::repeat_n(codes(tuple), count as usize));
            repeated.collect()
        };
        let rows = all(table.rows()).into_iter().zip(persons).zip(values);
        let rows = rows.map(|((codes, person), values)| Row { person, codes, values }).collect();
        let others = others.into_iter().zip(all(table.population().unwrap())).collect();
        World::new(fixture.ladders, rows, others, mode)
    })
}

fn promises() -> impl Strategy<Value = Vec<Promise>> {
    let promise = prop_oneof![
        (1u64..5).prop_map(Promise::K),
        (1u64..4).prop_map(Promise::Distinct),
        (1u64..4).prop_map(Promise::DistinctOfKnown),
        (10u64..30).prop_map(Promise::Entropy),
        (5u64..40, 1u64..4).prop_map(|(c, l)| Promise::Recursive(c, l)),
        (5u64..40, 1u64..4).prop_map(|(c, l)| Promise::Positive(c, l)),
        (5u64..40, 1u64..4, 0u64..40).prop_map(|(c, l, percent)| Promise::Negative(c, l, percent)),
        (0u64..8).prop_map(Promise::Close),
        (1u64..8).prop_map(Promise::KMap),
        (0u64..4, 5u64..11).prop_map(|(min, max)| Promise::Presence(min, max)),
        (1u64..3).prop_map(Promise::MultiDistinct),
        (10u64..22).prop_map(Promise::MultiEntropy),
        (5u64..40, 1u64..3).prop_map(|(c, l)| Promise::MultiRecursive(c, l)),
    ];
    prop::collection::vec(promise, 1..3)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(random_tables(500)))]

    #[test]
    fn the_optimum_is_that_of_the_definitions(
        world in world(), mut promises in promises(),
        metric in prop::sample::select(Metric::ALL.to_vec()), limit in 0u64..5,
    ) {
        // What is refused is not asked for.
        match world.people.person_rows() {
            PersonRows::Apart => {}
            PersonRows::Together => promises.retain(|promise| promise.is_unique()),
            PersonRows::Set => promises.retain(|promise| !promise.reads_population()),
        }
        if promises.is_empty() {
            promises.push(Promise::K(2));
        }
        let limit = limit.min(world.people.len() as u64 - 1);
        let criteria =
            Criteria::over_people(promises.iter().map(|&promise| world.criterion(promise)).collect());
        let relaxation = criteria.class_size_alone();
        let weights = vec![1.0; world.ladders.len()];
        let input = SearchInput {
            table: &world.table,
            ladders: &world.ladders,
            weights: &weights,
            balance: crate::quality::Balance::EVEN,
            criteria: &criteria,
            metric,
            suppression_limit: limit,
            history_bytes: 1 << 20,
        };
        let checker = PeopleChecker::new(input, &world.table, &world.people, &relaxation);
        let lattice = Lattice::new(
            vec![0; world.ladders.len()],
            world.ladders.iter().map(Ladder::max_level).collect(),
        ).unwrap();
        let names: Vec<String> = (0..world.ladders.len()).map(|column| format!("q{column}")).collect();
        let order = NodeOrder::new(names.iter().map(String::as_str).zip(&world.ladders));
        // Every node is judged as the definitions say, and what a look concludes about specializations is true.
        let mut held = Vec::new();
        for index in 0..lattice.enumerable(u64::MAX).unwrap() {
            let node = lattice.node(index);
            let judged = world.judge(&node, &promises, limit);
            let verdict = checker.check(&node, Depth::Full).unwrap();
            prop_assert_eq!(verdict.holds, judged.holds, "{}", node);
            if judged.holds {
                prop_assert_eq!(verdict.suppressed_rows, judged.suppressed_rows, "{}", node);
                let bound = checker.lower_bound(&node);
                prop_assert!(bound <= verdict.loss + 1e-9, "{}: {} < {}", node, verdict.loss, bound);
            }
            let solution = Solution::of_people(&checker, &node);
            prop_assert_eq!(solution.holds, judged.holds, "{}", node);
            prop_assert_eq!(
                (solution.suppressed_rows, solution.classes, solution.smallest_class),
                (judged.suppressed_rows, judged.classes, judged.smallest), "{}", node
            );
            prop_assert_eq!(solution.people.unwrap().losing, judged.losing, "{}", node);
            held.push(judged.holds);
        }
        for index in 0..held.len() as u64 {
            if let Some(refuted) = checker.check(&lattice.node(index), Depth::UntilRefuted).unwrap().refuted {
                for below in (0..held.len() as u64).filter(|&below| {
                    lattice.node(below).levels().iter().zip(refuted.levels()).all(|(low, high)| low <= high)
                }) {
                    prop_assert!(!held[below as usize], "{} was refuted by {refuted}", lattice.node(below));
                }
            }
        }
        let problem = Problem {
            lattice: &lattice,
            order: &order,
            case: Case::of(&criteria, metric, Suppression::up_to(limit)),
            case_is_assumed: false,
            checker: &checker,
            observer: &Unobserved,
            threads: 1,
        };
        let exhaustive = run(&problem, Algorithm::Exhaustive).unwrap();
        prop_assert_eq!(exhaustive.best.is_some(), held.contains(&true));
        let loss_by = LossBy::of(metric, &weights);
        for algorithm in Algorithm::ALL.into_iter().filter(|a| a.guarantees(problem.case, loss_by).is_ok()) {
            let report = run(&problem, algorithm).unwrap();
            prop_assert_eq!(&report.best, &exhaustive.best, "{:?}", algorithm);
        }
        let threads = run(&Problem { threads: 2, ..problem }, Algorithm::BestFirst).unwrap();
        prop_assert_eq!(&threads.best, &exhaustive.best);
        prop_assert_eq!(&branch_and_bound::search_frontier(&problem).unwrap().best, &exhaustive.best);
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(random_tables(500)))]

    #[test]
    fn crowds_are_judged_as_by_counting_everybody(
        world in world(), k in 1u64..6, l in 1u64..4, missing: bool,
        metric in prop::sample::select(Metric::ALL.to_vec()), limit in 0u64..5,
    ) {
        let diverse = if missing { Promise::DistinctOfKnown(l) } else { Promise::Distinct(l) };
        let promises = [Promise::K(k), diverse];
        let criteria =
            Criteria::over_people(promises.iter().map(|&promise| world.criterion(promise)).collect());
        let relaxation = criteria.class_size_alone();
        let weights = vec![1.0; world.ladders.len()];
        let people = world.people.clone().with_person_rows(PersonRows::Apart);
        let input = SearchInput {
            table: &world.table,
            ladders: &world.ladders,
            weights: &weights,
            balance: crate::quality::Balance::EVEN,
            criteria: &criteria,
            metric,
            suppression_limit: limit.min(people.len() as u64 - 1),
            history_bytes: 1 << 20,
        };
        let checker = PeopleChecker::new(input, &world.table, &people, &relaxation);
        let most = world.ladders.iter().map(Ladder::max_level).collect();
        let lattice = Lattice::new(vec![0; world.ladders.len()], most).unwrap();
        for index in 0..lattice.enumerable(u64::MAX).unwrap() {
            let node = lattice.node(index);
            let (fast, slow) = (checker.verdict_of_crowds(&node), checker.verdict_by_counting(&node));
            prop_assert_eq!(format!("{fast:?}"), format!("{slow:?}"), "{}", node);
        }
    }
}

/// One ladder, rows of (person, code), nobody else in the population.
fn visits(lines: &[String], rows: &[(u32, u32)], person_rows: PersonRows) -> World {
    let lines: Vec<&str> = lines.iter().map(String::as_str).collect();
    let row = |&(person, code): &(u32, u32)| Row { person, codes: vec![code], values: [code % VALUES, 0] };
    World::new(vec![ladder(&lines)], rows.iter().map(row).collect(), Vec::new(), person_rows)
}

/// The node applied, where k people must be in every class and so many people may lose a row.
fn solution(world: &World, k: u64, limit: u64, level: u8) -> Solution {
    let criteria = Criteria::over_people(vec![world.criterion(Promise::K(k))]);
    let relaxation = criteria.class_size_alone();
    let input = SearchInput {
        table: &world.table,
        ladders: &world.ladders,
        weights: &[1.0],
        balance: crate::quality::Balance::EVEN,
        criteria: &criteria,
        metric: Metric::Loss,
        suppression_limit: limit,
        history_bytes: 1 << 20,
    };
    let checker = PeopleChecker::new(input, &world.table, &world.people, &relaxation);
    Solution::of_people(&checker, &Node::new([level]))
}

#[test]
fn forty_people_with_six_rows_each_are_forty_people() {
    // Everybody's six rows are alike: six rows look like 6-anonymity and are one person.
    let lines: Vec<String> = (0..40).map(|value| format!("v{value} g{} *", value / 8)).collect();
    let rows: Vec<(u32, u32)> = (0..240).map(|row: u32| (row / 6, row / 6)).collect();
    for person_rows in [PersonRows::Apart, PersonRows::Together, PersonRows::Set] {
        let world = visits(&lines, &rows, person_rows);
        assert!(!solution(&world, 6, 0, 0).holds);
        let solution = solution(&world, 6, 0, 1);
        assert!(solution.holds);
        assert_eq!((solution.smallest_class, solution.classes), (8, 5));
        assert_eq!(solution.people.unwrap().people, 40);
    }
}

#[test]
fn whoever_loses_a_row_loses_all_of_them_and_may_take_others_along() {
    let lines: Vec<String> = (0..4).map(|value| format!("v{value} *")).collect();
    // Class 3 has one person. Without him class 2 has one, and without her class 1: a chain.
    let rows = [(0, 3), (0, 2), (1, 2), (1, 1), (2, 1), (3, 0), (4, 0)];
    let apart = solution(&visits(&lines, &rows, PersonRows::Apart), 2, 4, 0);
    assert_eq!((apart.suppressed_rows, apart.people.unwrap().losing), (1, 1));
    let together = solution(&visits(&lines, &rows, PersonRows::Together), 2, 4, 0);
    assert_eq!((together.suppressed_rows, together.people.unwrap().losing), (5, 3));
    assert_eq!((together.classes, together.smallest_class), (1, 2));
    assert!(together.holds && !solution(&visits(&lines, &rows, PersonRows::Together), 2, 2, 0).holds);
    let fates = together.fates.by_person().unwrap();
    assert_eq!(
        fates.iter().map(|fate| *fate == crate::release::Fate::Kept).collect::<Vec<_>>(),
        [false, false, false, true, true]
    );
}

#[test]
fn people_are_alike_by_all_their_rows() {
    let lines: Vec<String> = (0..3).map(|value| format!("v{value} *")).collect();
    // Each row has three people, but only 0 and 1 have the same two rows.
    let rows = [(0, 0), (0, 1), (1, 0), (1, 1), (2, 0), (2, 2), (3, 1), (3, 2), (4, 2)];
    let apart = solution(&visits(&lines, &rows, PersonRows::Apart), 2, 3, 0);
    assert_eq!((apart.suppressed_rows, apart.smallest_class), (0, 3));
    let set = solution(&visits(&lines, &rows, PersonRows::Set), 2, 3, 0);
    assert_eq!((set.suppressed_rows, set.people.unwrap().losing), (5, 3));
    assert_eq!((set.classes, set.smallest_class), (2, 2));
}
