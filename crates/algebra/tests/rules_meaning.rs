//! Both sides of a rewrite, enumerated: every outcome of every random choice on tiny relations, with its exact probability.
#![allow(clippy::unwrap_used, reason = "a test may stop where something is missing")]

mod support;

use datafusion::common::{Column, JoinType};
use datafusion::logical_expr::{Distinct, Expr, LogicalPlan, Operator as Comparison};
use paravent_algebra::operator::{Buckets, Distribution, Noise, Operator, Slicing};
use paravent_algebra::rules::{Attempt, Facts, Kind, Rewrite, Way};
use paravent_core::exact::Fraction;
use std::collections::{BTreeMap, BTreeSet};
use support::*;

type Row = Vec<String>;
/// Ordered relations with their probabilities: the order is the rank that slicing cuts into windows.
type Outcomes = BTreeMap<Vec<Row>, Fraction>;

fn rows(relation: &str) -> Vec<Row> {
    let text = match relation {
        "r" => "01.01. 00 +, 05.01. A0 -",
        "s" => "20.03. A0 +, 25.03. 00 -",
        "four" => "01.01. 00 +, 05.01. A0 -, 20.03. A0 +, 25.03. 00 -",
        "wide" => "01.01. 00 + 18, 05.01. A0 - 24",
        "twins" => "01.01. 00, 01.01. A0, 05.01. 00, 05.01. A0",
        "left" => "1 00, 2 A0, 3 00",
        "right" => "3 00, 1 A0, 2 A0",
        "many" => "1 00, 1 A0, 2 A0",
        "few" => "1 00, 2 A0",
        other => panic!("no rows for {other}"),
    };
    text.split(", ").map(|row| row.split(' ').map(str::to_owned).collect()).collect()
}

fn place(plan: &LogicalPlan, column: &Column) -> usize {
    plan.schema().index_of_column(column).unwrap()
}

/// Every outcome of one input, each with what happens next.
fn then(input: Outcomes, next: impl Fn(&[Row]) -> Outcomes) -> Outcomes {
    let mut all = Outcomes::new();
    for (rows, first) in input {
        for (rows, second) in next(&rows) {
            let weight = first.times(second).unwrap();
            let sum = all.get(&rows).map_or(Some(weight), |sum| sum.plus(weight)).unwrap();
            all.insert(rows, sum);
        }
    }
    all
}

fn surely(rows: Vec<Row>) -> Outcomes {
    Outcomes::from([(rows, Fraction::ONE)])
}

fn outcomes(plan: &LogicalPlan) -> Outcomes {
    match plan {
        LogicalPlan::TableScan(scan) => {
            let width = scan.projected_schema.fields().len();
            surely(rows(scan.table_name.table()).into_iter().map(|row| row[..width].to_vec()).collect())
        }
        LogicalPlan::Projection(node) => then(outcomes(&node.input), |rows| {
            let kept = |row: &Row| {
                let cell = |expr: &Expr| match expr {
                    Expr::Column(column) => row[place(&node.input, column)].clone(),
                    other => panic!("not a column: {other}"),
                };
                node.expr.iter().map(cell).collect()
            };
            surely(rows.iter().map(kept).collect())
        }),
        LogicalPlan::Filter(node) => then(outcomes(&node.input), |rows| {
            let Expr::BinaryExpr(test) = &node.predicate else { panic!("not a comparison") };
            let (Expr::Column(column), Expr::Literal(value, _)) = (&*test.left, &*test.right) else {
                panic!("not a value")
            };
            assert_eq!(test.op, Comparison::NotEq);
            let at = place(&node.input, column);
            surely(rows.iter().filter(|row| row[at] != value.to_string()).cloned().collect())
        }),
        LogicalPlan::Distinct(Distinct::All(input)) => then(outcomes(input), |rows| {
            surely(rows.iter().cloned().collect::<BTreeSet<_>>().into_iter().collect())
        }),
        LogicalPlan::Union(node) => node.inputs.iter().fold(surely(Vec::new()), |sum, part| {
            let part = outcomes(part);
            then(sum, |rows| part.iter().map(|(more, weight)| ([rows, more].concat(), *weight)).collect())
        }),
        LogicalPlan::Join(node) => {
            assert_eq!(node.join_type, JoinType::Inner);
            let (Expr::Column(left), Expr::Column(right)) = &node.on[0] else { panic!("not columns") };
            let (left, right) = (place(&node.left, left), place(&node.right, right));
            let others = outcomes(&node.right);
            then(outcomes(&node.left), |rows| {
                let joined = |more: &[Row]| {
                    let partners = |row: &Row| {
                        more.iter()
                            .filter(|m| m[right] == row[left])
                            .map(|m| [&row[..], m].concat())
                            .collect::<Vec<_>>()
                    };
                    rows.iter().flat_map(partners).collect::<Vec<Row>>()
                };
                let mut all = Outcomes::new();
                for (more, weight) in &others {
                    let rows = joined(more);
                    let sum =
                        all.get(&rows).map_or(Some(*weight), |sum: &Fraction| sum.plus(*weight)).unwrap();
                    all.insert(rows, sum);
                }
                all
            })
        }
        other => match Operator::of(other) {
            Some(Operator::Slice(node)) => {
                then(outcomes(node.input()), |rows| sliced(rows, node.what(), node.input()))
            }
            Some(Operator::Randomize(node)) => then(outcomes(node.input()), |rows| {
                let mut all = surely(rows.to_vec());
                for (column, noise) in &node.what().noise {
                    let at = place(node.input(), column);
                    let domain = domain(rows, at, noise);
                    for row in 0..rows.len() {
                        all = then(all, |rows| redrawn(rows, row, at, noise, &domain));
                    }
                }
                all
            }),
            _ => panic!("no meaning for {}", other.display()),
        },
    }
}

/// What a cell is redrawn from, all values equally likely; read off the column where nothing else is said.
fn domain(rows: &[Row], at: usize, noise: &Noise) -> Vec<String> {
    match &noise.distribution {
        Distribution::Uniform { domain: Some(domain) } => domain.clone(),
        Distribution::Uniform { domain: None } => {
            rows.iter().map(|row| row[at].clone()).collect::<BTreeSet<_>>().into_iter().collect()
        }
        other => panic!("no draws from {other:?}"),
    }
}

fn redrawn(rows: &[Row], row: usize, at: usize, noise: &Noise, domain: &[String]) -> Outcomes {
    let p = *noise.probability.value();
    let each = p.times(Fraction::new(1, domain.len() as u64).unwrap()).unwrap();
    let mut all = Outcomes::from([(rows.to_vec(), p.complement().unwrap())]);
    for value in domain {
        let mut changed = rows.to_vec();
        changed[row][at] = value.clone();
        let sum = all.get(&changed).map_or(Some(each), |sum| sum.plus(each)).unwrap();
        all.insert(changed, sum);
    }
    all
}

/// Places of rows, bucket by bucket.
fn buckets(rows: &[Row], buckets: &Buckets, plan: &LogicalPlan) -> Vec<Vec<usize>> {
    let count = match buckets {
        Buckets::Count(count) => *count as usize,
        Buckets::Size(size) => rows.len() / *size as usize,
        Buckets::By(column) => {
            let mut by: BTreeMap<&String, Vec<usize>> = BTreeMap::new();
            for (at, row) in rows.iter().enumerate() {
                by.entry(&row[place(plan, column)]).or_default().push(at);
            }
            return by.into_values().collect();
        }
        Buckets::Classes(_) => panic!("no classes here"),
    };
    let mut next = 0..rows.len();
    (0..count)
        .map(|n| next.by_ref().take(rows.len() / count + usize::from(n < rows.len() % count)).collect())
        .collect()
}

fn permutations(items: &[usize]) -> Vec<Vec<usize>> {
    if items.is_empty() {
        return vec![Vec::new()];
    }
    let with = |first: usize| {
        let rest: Vec<usize> = items.iter().copied().filter(|item| *item != first).collect();
        permutations(&rest).into_iter().map(move |rest| [vec![first], rest].concat())
    };
    items.iter().flat_map(|first| with(*first)).collect()
}

fn sliced(rows: &[Row], what: &Slicing, plan: &LogicalPlan) -> Outcomes {
    let mut all = surely(rows.to_vec());
    for bucket in buckets(rows, &what.buckets, plan) {
        let orders = permutations(&bucket);
        let each = Fraction::new(1, orders.len() as u64).unwrap();
        for group in &what.groups {
            let at: Vec<usize> = group.iter().map(|column| place(plan, column)).collect();
            all = then(all, |rows| {
                let mut moved = Outcomes::new();
                for order in &orders {
                    let mut after = rows.to_vec();
                    for (to, from) in bucket.iter().zip(order) {
                        for at in &at {
                            after[*to][*at] = rows[*from][*at].clone();
                        }
                    }
                    let sum = moved.get(&after).map_or(Some(each), |sum| sum.plus(each)).unwrap();
                    moved.insert(after, sum);
                }
                moved
            });
        }
    }
    all
}

/// Order means nothing in a result, nor does what never happens.
fn bags(mut outcomes: Outcomes) -> Outcomes {
    outcomes.retain(|_, weight| *weight > Fraction::ZERO);
    then(outcomes, |rows| {
        let mut bag = rows.to_vec();
        bag.sort();
        surely(bag)
    })
}

/// Facts that are read off the rows.
#[derive(Debug)]
struct Counted;

fn cells(relation: &LogicalPlan, columns: &[Column]) -> Vec<Row> {
    let (rows, weight) = outcomes(relation).pop_first().unwrap();
    assert_eq!(weight, Fraction::ONE, "facts are about relations without chance");
    rows.iter()
        .map(|row| columns.iter().map(|column| row[place(relation, column)].clone()).collect())
        .collect()
}

impl Facts for Counted {
    fn labels_from_data(&self, _relation: &LogicalPlan, _column: &Column) -> Option<bool> {
        Some(false)
    }

    fn rows(&self, relation: &LogicalPlan) -> Option<u64> {
        match relation {
            LogicalPlan::Filter(_) => Some(0),
            other => Some(cells(other, &[]).len() as u64),
        }
    }

    fn is_key(&self, relation: &LogicalPlan, columns: &[Column]) -> Option<bool> {
        let cells = cells(relation, columns);
        Some(cells.iter().collect::<BTreeSet<_>>().len() == cells.len())
    }

    fn contained(&self, left: (&LogicalPlan, &[Column]), right: (&LogicalPlan, &[Column])) -> Option<bool> {
        let right = cells(right.0, right.1);
        Some(cells(left.0, left.1).iter().all(|row| right.contains(row)))
    }
}

fn attempt(id: &str, way: Way, plan: &LogicalPlan) -> Rewrite {
    match rule(id).attempt(plan, way, &Counted).unwrap() {
        Attempt::Rewritten(rewrite) => rewrite,
        other => panic!("{id} does not rewrite: {other:?}"),
    }
}

/// Rewrites, and expects the same distribution of bags.
#[track_caller]
fn same(id: &str, way: Way, plan: &LogicalPlan) -> LogicalPlan {
    let rewrite = attempt(id, way, plan);
    assert_eq!(rewrite.kind, Kind::Equivalent, "{id}");
    assert_eq!(
        bags(outcomes(plan)),
        bags(outcomes(&rewrite.plan)),
        "{id}\n{}\n{}",
        shown(plan),
        shown(&rewrite.plan)
    );
    rewrite.plan
}

/// Rewrites, and expects another distribution, but the same one of every group by itself.
#[track_caller]
fn partly(id: &str, way: Way, plan: &LogicalPlan, groups: &[&[usize]]) -> LogicalPlan {
    let rewrite = attempt(id, way, plan);
    assert_eq!(rewrite.kind, Kind::PartiallyEquivalent, "{id}");
    let (before, after) = (outcomes(plan), outcomes(&rewrite.plan));
    assert_ne!(bags(before.clone()), bags(after.clone()), "{id} could be equivalent here");
    for group in groups {
        let only = |all: &Outcomes| {
            let part = |row: &Row| group.iter().map(|at| row[*at].clone()).collect();
            bags(then(all.clone(), |rows| surely(rows.iter().map(part).collect())))
        };
        assert_eq!(only(&before), only(&after), "{id} group {group:?}");
    }
    rewrite.plan
}

const TWO: Buckets = Buckets::Size(2);

#[test]
fn the_enumeration_itself_counts_what_is_known() {
    let count = |plan: &LogicalPlan| bags(outcomes(plan)).len();
    let four = || relation("four: A B C");
    let each = bags(outcomes(&slice(four(), "four.A | four.B four.C", TWO)));
    assert_eq!(each.len(), 4);
    assert!(each.values().all(|weight| *weight == Fraction::new(1, 4).unwrap()));
    assert_eq!(count(&slice(four(), "four.A | four.B | four.C", TWO)), 16);
    let wide = || relation("wide: A B C D");
    let nested =
        slice(slice(wide(), "wide.A wide.C | wide.B wide.D", TWO), "wide.A wide.B | wide.C wide.D", TWO);
    assert_eq!((count(&nested), count(&slice(wide(), "wide.A | wide.B | wide.C | wide.D", TWO))), (4, 8));
    let noisy = outcomes(&randomize(
        project(filter(relation("few: I B"), column_is("few.I", "2")), "few.B"),
        "few.B 0.5",
    ));
    assert_eq!(noisy[&vec![vec!["00".to_owned()]]], Fraction::new(3, 4).unwrap());
}

#[test]
fn slicing_rules_mean_the_same_on_both_sides() {
    let four = || relation("four: A B C");
    same("S1", LeftToRight, &slice(four(), "four.A four.B four.C", TWO));
    let twice = slice(slice(four(), "four.A | four.B four.C", TWO), "four.A | four.B four.C", TWO);
    same("S2", LeftToRight, &twice);
    same("S2", RightToLeft, &slice(four(), "four.A | four.B four.C", TWO));
    let twins = || relation("twins: A B");
    let by = || Buckets::By(named("twins.A"));
    same("S2", LeftToRight, &slice(slice(twins(), "twins.A | twins.B", by()), "twins.A | twins.B", by()));
    same(
        "S3",
        LeftToRight,
        &slice(slice(four(), "four.A | four.B four.C", TWO), "four.A four.B | four.C", TWO),
    );
    let wide = || relation("wide: A B C D");
    let cycle =
        slice(slice(wide(), "wide.A wide.C | wide.B wide.D", TWO), "wide.A wide.B | wide.C wide.D", TWO);
    partly("S3", LeftToRight, &cycle, &[&[0], &[1], &[2], &[3]]);
    let apart =
        slice(slice(four(), "four.A | four.B four.C", Buckets::Count(1)), "four.A four.B | four.C", TWO);
    partly("S3", LeftToRight, &apart, &[&[0], &[1], &[2]]);
    same("S4", LeftToRight, &slice(project(four(), "four.B four.A"), "four.A | four.B", Buckets::Count(1)));
    same("S5", RightToLeft, &project(slice(four(), "four.A | four.B four.C", TWO), "four.B four.A"));
    same("S6", RightToLeft, &project(slice(four(), "four.A | four.B four.C", TWO), "four.C four.B"));
    same(
        "S6",
        RightToLeft,
        &distinct(project(slice(four(), "four.A | four.B four.C", TWO), "four.C four.B")),
    );
    let kept = same(
        "S7",
        LeftToRight,
        &slice(filter(twins(), column_is("twins.A", "05.01.")), "twins.A | twins.B", by()),
    );
    same("S7", RightToLeft, &kept);
}

#[test]
fn slicing_of_unions_and_joins_means_what_the_rule_says() {
    let whole = |buckets| slice(union(relation("r: A B"), relation("s: A B")), "A | B", buckets);
    let parts = same("S8", LeftToRight, &whole(TWO));
    same("S8", RightToLeft, &parts);
    let parts = same("S8", LeftToRight, &whole(Buckets::Count(2)));
    same("S8", RightToLeft, &parts);
    partly("S8", LeftToRight, &whole(Buckets::Count(1)), &[&[0], &[1]]);
    let uneven = slice(union(relation("left: A B"), relation("four: A B")), "A | B", TWO);
    let parts = same("S8", LeftToRight, &uneven);
    same("S8", RightToLeft, &parts);
    partly(
        "S8",
        LeftToRight,
        &slice(union(relation("four: A B"), relation("left: A B")), "A | B", TWO),
        &[&[0], &[1]],
    );
    let joined = join(relation("left: ID A"), relation("right: ID B"), ("left.ID", "right.ID"));
    let joined = slice(project(joined, "left.A right.B"), "left.A | right.B", Buckets::Count(1));
    let sides = same("S9", LeftToRight, &joined);
    same("S9", RightToLeft, &sides);
}

#[test]
fn noise_rules_mean_the_same_on_both_sides() {
    let r = || relation("r: A B C");
    same("D1", LeftToRight, &randomize(r(), ""));
    same("D2", LeftToRight, &randomize(r(), "r.B 0"));
    same("D4", LeftToRight, &randomize(randomize(r(), "r.A 0, r.B 1"), "r.A 0, r.B 1"));
    let at_once = same("D5", LeftToRight, &randomize(randomize(r(), "r.B 0.5"), "r.A 0.16"));
    same("D5", RightToLeft, &at_once);
    let own = Distribution::Uniform { domain: None };
    same(
        "D5",
        LeftToRight,
        &randomize_from(randomize(relation("few: I B"), "few.I 0.5"), "few.B 0.25", own.clone(), 1),
    );
    same("D6", LeftToRight, &randomize(randomize(r(), "r.B 0.16"), "r.B 0.16"));
    same("D7", LeftToRight, &randomize(randomize(r(), "r.A 0.16, r.B 0.2"), "r.B 0.3"));
    same("D8", LeftToRight, &randomize_from(project(r(), "r.B r.A"), "r.B 0.5", own.clone(), 1));
    same("D9", RightToLeft, &project(randomize_from(r(), "r.B 0.5, r.C 0.5", own, 1), "r.B r.A"));
    same("D9", RightToLeft, &project(randomize(r(), "r.C 0.5"), "r.B r.A"));
    same("D10", RightToLeft, &project(randomize(r(), "r.B 0.5"), "r.A r.C"));
    same("D10", RightToLeft, &distinct(project(randomize(r(), "r.B 0.5"), "r.C")));
    let below = same("D11", LeftToRight, &randomize(filter(r(), column_is("r.B", "A0")), "r.A 0.5"));
    same("D11", RightToLeft, &below);
    let parts = same("D12", LeftToRight, &randomize(union(r(), relation("s: A B C")), "B 0.5"));
    same("D12", RightToLeft, &parts);
    let joined = || join(relation("left: ID A"), relation("few: ID B"), ("left.ID", "few.ID"));
    let sides =
        same("D13", LeftToRight, &randomize(project(joined(), "left.A few.B"), "left.A 0.16, few.B 0.5"));
    same("D13", RightToLeft, &sides);
    let kept = same("D13", LeftToRight, &randomize(joined(), "left.A 0.16"));
    same("D13", RightToLeft, &kept);
    let dropped =
        join(randomize(relation("left: ID A"), "left.A 0.5"), relation("few: ID B"), ("left.ID", "few.ID"));
    same("D13", RightToLeft, &project(dropped, "few.B"));
}

#[test]
fn what_is_refused_would_mean_something_else() {
    let differ =
        |one: &LogicalPlan, other: &LogicalPlan| assert_ne!(bags(outcomes(one)), bags(outcomes(other)));
    let few = || relation("few: I B");
    let own = || Distribution::Uniform { domain: None };
    // D4, D11 on its own column, D11 with a distribution that is read off the column, D12 for sets.
    differ(&randomize(randomize(few(), "few.B 0.5"), "few.B 0.5"), &randomize(few(), "few.B 0.5"));
    let f = || column_is("few.B", "A0");
    differ(&randomize(filter(few(), f()), "few.B 0.5"), &filter(randomize(few(), "few.B 0.5"), f()));
    let by_id = || column_is("few.I", "2");
    let learnt = |plan| randomize_from(plan, "few.B 0.5", own(), 1);
    differ(&learnt(filter(few(), by_id())), &filter(learnt(few()), by_id()));
    let one = |plan: LogicalPlan| project(filter(plan, column_is("few.I", "2")), "few.B");
    let noisy = || randomize(one(few()), "few.B 0.5");
    differ(&randomize(distinct(union(one(few()), one(few()))), "B 0.5"), &distinct(union(noisy(), noisy())));
    // D13 without the key: copies of a row share their noise.
    let joined =
        |left: LogicalPlan| project(join(left, relation("many: ID B"), ("few.I", "many.ID")), "few.B many.B");
    differ(&randomize(joined(few()), "few.B 0.5"), &joined(randomize(few(), "few.B 0.5")));
    // S7 where the selection is not constant on a bucket.
    let twins = || relation("twins: A B");
    let g = || column_is("twins.B", "A0");
    let all = Buckets::Count(1);
    let cut = |plan| slice(plan, "twins.A | twins.B", all.clone());
    differ(&cut(filter(twins(), g())), &filter(cut(twins()), g()));
}
