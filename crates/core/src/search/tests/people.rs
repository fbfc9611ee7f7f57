//! Searches that count people, against the definitions applied to rows one by one.

use super::*;
use crate::criteria::Criteria;
use crate::criteria::Suppression;
use crate::hierarchy::Ladder;
use crate::search::{PeopleChecker, SearchInput};
use crate::table::{FrequencyTable, People};
use crate::task::Case;
use std::collections::{BTreeMap, BTreeSet};

/// A row: (person, codes of the quasi-identifiers, sensitive value).
type Row = (u32, Vec<u32>, u32);

/// Rows of people.
#[derive(Debug)]
struct PeopleTable {
    ladders: Vec<Ladder>,
    rows: Vec<Row>,
    table: FrequencyTable,
    people: People,
}

const VALUES: usize = 4;

impl PeopleTable {
    fn new(ladders: Vec<Ladder>, rows: Vec<Row>) -> PeopleTable {
        let tuples: BTreeSet<&Vec<u32>> = rows.iter().map(|(_, codes, _)| codes).collect();
        let tuples: Vec<&Vec<u32>> = tuples.into_iter().collect();
        let columns: Vec<Vec<u32>> =
            (0..ladders.len()).map(|column| tuples.iter().map(|tuple| tuple[column]).collect()).collect();
        let counts =
            tuples.iter().map(|tuple| rows.iter().filter(|row| row.1 == **tuple).count() as u32).collect();
        let table = FrequencyTable::new(columns, counts, None, Vec::new()).unwrap();
        let place = |codes: &Vec<u32>| tuples.iter().position(|tuple| *tuple == codes).unwrap() as u32;
        let people = People::new(
            &table,
            &rows.iter().map(|row| row.0).collect::<Vec<_>>(),
            &rows.iter().map(|row| place(&row.1)).collect::<Vec<_>>(),
            &[rows.iter().map(|row| row.2).collect()],
            &[VALUES],
        );
        PeopleTable { people: people.unwrap(), ladders, rows, table }
    }

    fn criteria(&self, wishes: &[Wish]) -> Criteria {
        let totals = self.people.totals(0);
        // t-closeness is held against the pairs of the whole table.
        let mut histograms = crate::table::Histograms::new();
        histograms.push(
            (0..).zip(totals).filter(|&(_, count)| count > 0).map(|(value, count)| (value, count as u32)),
        );
        let reference = FrequencyTable::new(
            vec![vec![0u32]],
            vec![1],
            None,
            vec![crate::table::SensitiveColumn { cardinality: VALUES, histograms }],
        );
        let reference = reference.unwrap();
        Criteria::over_people(wishes.iter().map(|wish| wish.criterion(&reference)).collect())
    }

    /// The rows of every class under a node.
    fn classes(&self, node: &Node) -> Vec<Vec<&Row>> {
        let mut classes: BTreeMap<Vec<u32>, Vec<&Row>> = BTreeMap::new();
        for row in &self.rows {
            let lifted = row.1.iter().zip(&self.ladders).zip(node.levels());
            let key = lifted.map(|((&code, ladder), &level)| ladder.rung(level).group_of[code as usize]);
            classes.entry(key.collect()).or_default().push(row);
        }
        classes.into_values().collect()
    }

    /// Whether the node holds, and what metrics count, by the definitions alone.
    fn judge(&self, node: &Node, wishes: &[Wish], limit: u64) -> (bool, u64, u64) {
        let mut losing = BTreeSet::new();
        let (mut suppressed, mut kept) = (0, 0);
        for class in self.classes(node) {
            if wishes.iter().all(|wish| self.class_holds(&class, *wish)) {
                kept += 1;
            } else {
                suppressed += class.len() as u64;
                losing.extend(class.iter().map(|row| row.0));
            }
        }
        (losing.len() as u64 <= limit, suppressed, kept)
    }

    fn class_holds(&self, class: &[&Row], wish: Wish) -> bool {
        let people: BTreeSet<u32> = class.iter().map(|row| row.0).collect();
        let counts = |rows: &mut dyn Iterator<Item = (u32, u32)>| {
            let mut counts = [0u64; VALUES];
            rows.collect::<BTreeSet<(u32, u32)>>().iter().for_each(|&(_, value)| counts[value as usize] += 1);
            counts
        };
        let here = counts(&mut class.iter().map(|row| (row.0, row.2)));
        let pairs: u64 = here.iter().sum();
        let mut descending = here;
        descending.sort_unstable_by(|a, b| b.cmp(a));
        match wish {
            Wish::K(k) => people.len() as u64 >= k,
            Wish::Distinct(l) => {
                let values: Vec<u32> = people
                    .iter()
                    .map(|&person| {
                        class.iter().filter(|row| row.0 == person).fold(0, |set, row| set | 1 << row.2)
                    })
                    .collect();
                most_different(&values, 0) >= l
            }
            Wish::Entropy(l) => {
                let entropy: f64 = (here.iter().filter(|&&count| count > 0))
                    .map(|&count| count as f64 / pairs as f64)
                    .map(|share| -share * share.ln())
                    .sum();
                entropy >= (l as f64 / 10.0).ln() - 1e-9
            }
            Wish::Recursive(c, l) => {
                let tail: u64 = descending.iter().skip(l as usize - 1).sum();
                10 * descending[0] < c * tail
            }
            Wish::CloseEqual(t) => {
                let all = counts(&mut self.rows.iter().map(|row| (row.0, row.2)));
                let total: u64 = all.iter().sum();
                let apart =
                    here.iter().zip(&all).map(|(&p, &q)| (p * total).abs_diff(q * pairs)).sum::<u64>();
                5 * apart <= t * pairs * total
            }
            Wish::CloseOrdered(_) | Wish::Presence(..) => unreachable!("not asked for here"),
        }
    }
}

/// The most people with different values, by trying everything; `people` are sets of values.
fn most_different(people: &[u32], taken: u32) -> u64 {
    let Some((first, rest)) = people.split_first() else { return 0 };
    let free = (0..VALUES as u32).filter(|value| first & !taken & (1 << value) != 0);
    let with = free.map(|value| 1 + most_different(rest, taken | 1 << value)).max().unwrap_or(0);
    with.max(most_different(rest, taken))
}

fn people_table() -> impl Strategy<Value = PeopleTable> {
    (small_table(), prop::collection::vec(0u32..9, 24), prop::collection::vec(0u32..VALUES as u32, 24))
        .prop_map(|(fixture, persons, values)| {
            // The random table's tuples, given to random people.
            let table = &fixture.table;
            let tuples = (0..table.tuple_count()).flat_map(|tuple| {
                let codes: Vec<u32> =
                    (0..table.column_count()).map(|column| table.column(column).get(tuple)).collect();
                std::iter::repeat_n(codes, table.rows()[tuple].max(1) as usize)
            });
            let rows = tuples.zip(persons).zip(values).map(|((codes, person), value)| (person, codes, value));
            let rows: Vec<_> = rows.collect();
            PeopleTable::new(fixture.ladders, rows)
        })
}

fn wishes_of_people() -> impl Strategy<Value = Vec<Wish>> {
    let wish = prop_oneof![
        (1u64..5).prop_map(Wish::K),
        (1u64..4).prop_map(Wish::Distinct),
        (10u64..30).prop_map(Wish::Entropy),
        (5u64..40, 1u64..4).prop_map(|(c, l)| Wish::Recursive(c, l)),
        (0u64..8).prop_map(Wish::CloseEqual),
    ];
    prop::collection::vec(wish, 1..3)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(400))]

    #[test]
    fn the_optimum_is_that_of_the_definitions(
        people in people_table(), wishes in wishes_of_people(), metric in prop::sample::select(Metric::ALL.to_vec()),
        limit in 0u64..5,
    ) {
        let limit = limit.min(people.people.len() as u64 - 1);
        let criteria = people.criteria(&wishes);
        let relaxation = criteria.class_size_alone();
        let weights = vec![1.0; people.ladders.len()];
        let input = SearchInput {
            table: &people.table,
            ladders: &people.ladders,
            weights: &weights,
            criteria: &criteria,
            metric,
            suppression_limit: limit,
            history_bytes: 1 << 20,
        };
        let checker = PeopleChecker::new(input, &people.table, &people.people, &relaxation);
        let lattice = Lattice::new(
            vec![0; people.ladders.len()],
            people.ladders.iter().map(Ladder::max_level).collect(),
        ).unwrap();
        let names: Vec<String> = (0..people.ladders.len()).map(|column| format!("q{column}")).collect();
        let order = NodeOrder::new(names.iter().map(String::as_str).zip(&people.ladders));
        // Every node is judged as the definitions say, and what a look concludes about specializations is true.
        let mut held = Vec::new();
        for index in 0..lattice.enumerable(u64::MAX).unwrap() {
            let node = lattice.node(index);
            let (holds, suppressed, kept) = people.judge(&node, &wishes, limit);
            let verdict = checker.check(&node).unwrap();
            prop_assert_eq!((verdict.holds, verdict.suppressed_rows), (holds, suppressed), "{}", node);
            let solution = Solution::of_people(&checker, &node);
            prop_assert_eq!((solution.holds, solution.classes), (holds, kept), "{}", node);
            held.push(holds);
        }
        for index in 0..held.len() as u64 {
            if let Some(refuted) = checker.look(&lattice.node(index)).unwrap().refuted {
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
        prop_assert_eq!(&best_first::search_far(&problem).unwrap().best, &exhaustive.best);
    }
}

#[test]
fn forty_people_with_six_rows_each_are_forty_people() {
    // Everybody's six rows are alike: six rows look like 6-anonymity and are one person.
    let lines: Vec<String> = (0..40).map(|value| format!("v{value} g{} *", value / 8)).collect();
    let lines: Vec<&str> = lines.iter().map(String::as_str).collect();
    let rows: Vec<Row> = (0..240).map(|row: u32| (row / 6, vec![row / 6], row % VALUES as u32)).collect();
    let people = PeopleTable::new(vec![ladder(&lines)], rows);
    let criteria = people.criteria(&[Wish::K(6)]);
    let relaxation = criteria.class_size_alone();
    let input = SearchInput {
        table: &people.table,
        ladders: &people.ladders,
        weights: &[1.0],
        criteria: &criteria,
        metric: Metric::Loss,
        suppression_limit: 0,
        history_bytes: 1 << 20,
    };
    let checker = PeopleChecker::new(input, &people.table, &people.people, &relaxation);
    assert!(!checker.check(&Node::new([0])).unwrap().holds);
    let solution = Solution::of_people(&checker, &Node::new([1]));
    assert!(solution.holds);
    assert_eq!((solution.smallest_class, solution.classes), (8, 5));
    assert_eq!(solution.people.unwrap().people, 40);
}
