//! Small tables for tests: the specification's example relation, and random problems.

use crate::criteria::{
    ClassCriterion, Criteria, DeltaPresence, Distance, DistinctLDiversity, EntropyLDiversity, KAnonymity,
    RecursiveLDiversity, Suppression, TCloseness,
};
use crate::exact::Fraction;
use crate::hierarchy::Ladder;
use crate::lattice::{Lattice, NodeOrder};
use crate::quality::Metric;
use crate::search::{LocalChecker, Problem, SearchInput, Unobserved};
use crate::table::{FrequencyTable, Histograms, SensitiveColumn};
use proptest::prelude::*;

/// A ladder from one line of labels per value, separated by blanks.
pub(crate) fn ladder(lines: &[&str]) -> Ladder {
    let rows: Vec<Vec<Option<String>>> =
        lines.iter().map(|line| line.split(' ').map(|label| Some(label.to_owned())).collect()).collect();
    Ladder::from_labels(&rows).unwrap()
}

/// A table and everything around it that a search needs.
#[derive(Debug)]
pub(crate) struct Fixture {
    pub(crate) names: Vec<String>,
    pub(crate) ladders: Vec<Ladder>,
    pub(crate) weights: Vec<f64>,
    pub(crate) table: FrequencyTable,
}

impl Fixture {
    /// From rows of (quasi-identifier codes, sensitive code, in the table or only in the population).
    pub(crate) fn new(
        ladders: Vec<Ladder>,
        rows: &[(Vec<u32>, u32, bool)],
        sensitive_values: usize,
    ) -> Fixture {
        let mut tuples: Vec<Vec<u32>> = rows.iter().map(|(codes, _, _)| codes.clone()).collect();
        tuples.sort();
        tuples.dedup();
        fn of<'a>(
            rows: &'a [(Vec<u32>, u32, bool)],
            tuple: &'a [u32],
            in_table_only: bool,
        ) -> impl Iterator<Item = &'a (Vec<u32>, u32, bool)> {
            rows.iter().filter(move |(codes, _, inside)| codes == tuple && (*inside || !in_table_only))
        }
        let mut histograms = Histograms::new();
        for tuple in &tuples {
            let mut counts = vec![0u32; sensitive_values];
            of(rows, tuple, true).for_each(|(_, value, _)| counts[*value as usize] += 1);
            histograms.push((0..).zip(counts).filter(|&(_, count)| count > 0));
        }
        let codes = |c: usize| tuples.iter().map(|tuple| tuple[c]).collect::<Vec<u32>>();
        let columns = (0..ladders.len()).map(codes).collect();
        let counts = |inside| tuples.iter().map(|tuple| of(rows, tuple, inside).count() as u32).collect();
        let sensitive = vec![SensitiveColumn { cardinality: sensitive_values, histograms }];
        let table = FrequencyTable::new(columns, counts(true), Some(counts(false)), sensitive).unwrap();
        let names = (0..ladders.len()).map(|c| format!("q{c}")).collect();
        Fixture { names, weights: vec![1.0; ladders.len()], ladders, table }
    }

    /// The same where columns count differently.
    pub(crate) fn weighing(self, weights: Vec<f64>) -> Fixture {
        Fixture { weights, ..self }
    }

    pub(crate) fn lattice(&self) -> Lattice {
        let highest = self.ladders.iter().map(Ladder::max_level).collect();
        Lattice::new(vec![0; self.ladders.len()], highest).unwrap()
    }

    pub(crate) fn order(&self) -> NodeOrder {
        NodeOrder::new(self.names.iter().map(String::as_str).zip(&self.ladders))
    }

    pub(crate) fn checker<'a>(
        &'a self,
        criteria: &'a Criteria,
        metric: Metric,
        limit: u64,
    ) -> LocalChecker<'a> {
        LocalChecker::new(SearchInput {
            table: &self.table,
            ladders: &self.ladders,
            weights: &self.weights,
            balance: crate::quality::Balance::EVEN,
            criteria,
            metric,
            suppression_limit: limit,
            history_bytes: 1 << 20,
        })
    }
}

/// A problem over a checker, sequential and unobserved.
pub(crate) fn problem<'a>(
    lattice: &'a Lattice,
    order: &'a NodeOrder,
    checker: &'a LocalChecker<'a>,
) -> Problem<'a> {
    Problem {
        lattice,
        order,
        case: checker.case(),
        case_is_assumed: false,
        checker,
        observer: &Unobserved,
        threads: 1,
    }
}

/// The relation of eight patients: age, sex, zip; diagnosis pneumonia (0) or gastritis (1). All are in the table.
pub(crate) fn patients() -> Fixture {
    let rows: Vec<_> = PATIENTS.iter().map(|&(codes, diagnosis)| (codes.to_vec(), diagnosis, true)).collect();
    Fixture::new(patient_ladders(), &rows, 2)
}

/// The same relation where only the males are in the table and everybody is in the population.
pub(crate) fn male_patients() -> Fixture {
    let rows: Vec<_> =
        PATIENTS.iter().map(|&(codes, diagnosis)| (codes.to_vec(), diagnosis, codes[1] == 1)).collect();
    Fixture::new(patient_ladders(), &rows, 2)
}

/// Codes: age 18 19 21 34 35 45 66 70; sex F M; zip in ascending order.
const PATIENTS: [([u32; 3], u32); 8] = [
    ([3, 1, 6], 0), // 34 M 82667
    ([5, 0, 0], 0), // 45 F 81775
    ([6, 1, 1], 1), // 66 M 81925
    ([7, 1, 2], 0), // 70 M 81931
    ([4, 0, 3], 0), // 35 F 81951
    ([2, 1, 5], 1), // 21 M 82451
    ([0, 0, 7], 0), // 18 F 82931
    ([1, 0, 4], 1), // 19 F 82004
];

fn patient_ladders() -> Vec<Ladder> {
    let age = [
        "18 <=19 *",
        "19 <=19 *",
        "21 20-60 *",
        "34 20-60 *",
        "35 20-60 *",
        "45 20-60 *",
        "66 >=61 *",
        "70 >=61 *",
    ];
    let zip = ["81775", "81925", "81931", "81951", "82004", "82451", "82667", "82931"];
    let masked: Vec<String> = zip
        .iter()
        .map(|zip| {
            let labels: Vec<String> =
                (0..=5).map(|n| format!("{}{}", &zip[..5 - n], "*".repeat(n))).collect();
            labels.join(" ")
        })
        .collect();
    let masked: Vec<&str> = masked.iter().map(String::as_str).collect();
    vec![ladder(&age), ladder(&["F *", "M *"]), ladder(&masked)]
}

/// What a random problem asks for.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Wish {
    K(u64),
    Distinct(u64),
    Entropy(u64),
    Recursive(u64, u64),
    CloseEqual(u64),
    CloseOrdered(u64),
    Presence(u64, u64),
}

impl Wish {
    pub(crate) fn criterion(self, table: &FrequencyTable) -> Box<dyn ClassCriterion> {
        let tenths = |n| Fraction::new(n, 10).unwrap();
        let totals = || table.sensitive()[0].totals();
        let close = |t, distance| Box::new(TCloseness::new(0, tenths(t), distance, totals()));
        match self {
            Wish::K(k) => Box::new(KAnonymity { k }),
            Wish::Distinct(l) => Box::new(DistinctLDiversity { sensitive: 0, l }),
            Wish::Entropy(l) => Box::new(EntropyLDiversity { sensitive: 0, l: tenths(l) }),
            Wish::Recursive(c, l) => Box::new(RecursiveLDiversity { sensitive: 0, c: tenths(c), l }),
            Wish::CloseEqual(t) => close(t, Distance::Equal),
            Wish::CloseOrdered(t) => {
                let order = (0..table.sensitive()[0].cardinality as u32).collect();
                close(t, Distance::Ordered { order })
            }
            Wish::Presence(min, max) => Box::new(DeltaPresence { min: tenths(min), max: tenths(max) }),
        }
    }
}

/// The conjunction of wishes over a table.
pub(crate) fn criteria(wishes: &[Wish], table: &FrequencyTable, limit: u64) -> Criteria {
    Criteria::new(wishes.iter().map(|wish| wish.criterion(table)).collect(), Suppression::up_to(limit))
}

pub(crate) fn wishes() -> impl Strategy<Value = Vec<Wish>> {
    let wish = prop_oneof![
        (1u64..5).prop_map(Wish::K),
        (1u64..4).prop_map(Wish::Distinct),
        (10u64..30).prop_map(Wish::Entropy),
        (5u64..40, 1u64..4).prop_map(|(c, l)| Wish::Recursive(c, l)),
        (0u64..8).prop_map(Wish::CloseEqual),
        (0u64..8).prop_map(Wish::CloseOrdered),
        (0u64..3, 4u64..11).prop_map(|(min, max)| Wish::Presence(min, max)),
    ];
    prop::collection::vec(wish, 1..4)
}

/// Random ladders: each level merges groups of the one below at random, the top is one group.
fn random_ladder() -> impl Strategy<Value = Ladder> {
    (1usize..6, prop::collection::vec(prop::collection::vec(0usize..4, 6), 0..3)).prop_map(
        |(values, merges)| {
            let mut rows: Vec<Vec<Option<String>>> =
                (0..values).map(|v| vec![Some(format!("v{v}"))]).collect();
            let mut group: Vec<usize> = (0..values).collect();
            for (level, merge) in merges.iter().enumerate() {
                for (row, group) in rows.iter_mut().zip(&mut group) {
                    *group = merge[*group % merge.len()];
                    row.push(Some(format!("l{level}g{group}")));
                }
            }
            rows.iter_mut().for_each(|row| row.push(Some("*".to_owned())));
            Ladder::from_labels(&rows).unwrap()
        },
    )
}

/// How many random tables are tried: `PARAVENT_RANDOM_TABLES` asks for more than usual.
pub(crate) fn random_tables(usual: u32) -> u32 {
    std::env::var("PARAVENT_RANDOM_TABLES").ok().and_then(|count| count.parse().ok()).unwrap_or(usual)
}

/// Weights of columns: often all alike, else also none at all.
fn weights(columns: usize) -> impl Strategy<Value = Vec<f64>> {
    let weight = prop::sample::select(vec![0.0, 0.0, 0.1, 1.0, 1.0, 2.5, 7.0]);
    prop_oneof![Just(vec![1.0; columns]), prop::collection::vec(weight, columns)]
}

/// Random tables of up to three quasi-identifiers and one sensitive column. Columns may count differently.
pub(crate) fn small_table() -> impl Strategy<Value = Fixture> {
    table_of(1..4, 1..24)
}

/// Random tables of four or five quasi-identifiers.
pub(crate) fn wide_table() -> impl Strategy<Value = Fixture> {
    table_of(4..6, 1..24)
}

/// Random tables so small that all partitions of their rows can be listed.
pub(crate) fn tiny_table() -> impl Strategy<Value = Fixture> {
    table_of(1..4, 2..9)
}

/// Random tables so small that all boxes of all their rows can be listed.
pub(crate) fn tiniest_table() -> impl Strategy<Value = Fixture> {
    table_of(1..3, 2..6)
}

fn table_of(columns: std::ops::Range<usize>, rows: std::ops::Range<usize>) -> impl Strategy<Value = Fixture> {
    prop::collection::vec(random_ladder(), columns).prop_flat_map(move |ladders| {
        let row = (prop::collection::vec(0u32..6, ladders.len()), 0u32..4, prop::bool::weighted(0.7));
        let weights = weights(ladders.len());
        (Just(ladders), prop::collection::vec(row, rows.clone()), weights).prop_map(
            |(ladders, mut rows, weights)| {
                for (codes, _, _) in &mut rows {
                    for (code, ladder) in codes.iter_mut().zip(&ladders) {
                        *code %= ladder.cardinality(0) as u32;
                    }
                }
                rows[0].2 = true;
                Fixture::new(ladders, &rows, 4).weighing(weights)
            },
        )
    })
}
