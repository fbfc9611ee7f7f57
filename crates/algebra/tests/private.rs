//! Noisy aggregates: bounded contribution, declared groups, an exact budget.
#![allow(clippy::unwrap_used, reason = "a test may stop where something is missing")]

mod fixture;

use datafusion::arrow::array::{ArrayRef, RecordBatch, StringArray};
use datafusion::arrow::datatypes::DataType;
use datafusion::common::Column;
use datafusion::logical_expr::{LogicalPlan, LogicalPlanBuilder, cast, col};
use fixture::{House, columns};
use paravent_algebra::catalog::Catalog;
use paravent_algebra::lower::Account;
use paravent_algebra::operator::{Bounded, Draw, Measure, PrivateAggregate, PrivateAggregation};

/// `rows` donations by `people` people; half of the donors are +, weights are 0, 1, … 9 over and over.
fn donations(house: &House, rows: usize, people: usize) -> LogicalPlan {
    let cells: Vec<[String; 3]> = (0..rows)
        .map(|row| {
            [
                format!("p{}", row % people),
                if row % 2 == 0 { "+" } else { "-" }.to_owned(),
                format!("{}", row % 10),
            ]
        })
        .collect();
    let rows: Vec<Vec<&str>> = cells.iter().map(|row| row.iter().map(String::as_str).collect()).collect();
    let rows: Vec<&[&str]> = rows.iter().map(Vec::as_slice).collect();
    let plan = house.relation("donors", &["person", "rhesus", "weight"], &rows);
    let weight = cast(col("donors.weight"), DataType::Int64).alias_qualified(Some("donors"), "weight");
    LogicalPlanBuilder::from(plan)
        .project(vec![col("donors.person"), col("donors.rhesus"), weight])
        .unwrap()
        .build()
        .unwrap()
}

fn asked(measures: Vec<Measure>, epsilon: &str) -> PrivateAggregation {
    PrivateAggregation {
        by: columns(&["rhesus"]),
        keys: Some(vec![vec!["+".to_owned()], vec!["-".to_owned()], vec!["?".to_owned()]]),
        measures,
        epsilon: epsilon.to_owned(),
        delta: None,
        contribution: 1,
        draw: Draw::fresh(),
    }
}

fn weight() -> Bounded {
    Bounded { column: Column::new(Some("donors"), "weight"), lower: 0, upper: 9, decimals: 0 }
}

fn cells(rows: &[String]) -> Vec<Vec<&str>> {
    rows.iter().map(|row| row.split(' ').collect()).collect()
}

#[tokio::test]
async fn declared_groups_are_all_answered_close_to_the_truth() {
    let house = House::new();
    let measures = vec![Measure::Count, Measure::Sum(weight()), Measure::Mean(weight())];
    let plan = PrivateAggregate::plan(donations(&house, 10_000, 10_000), asked(measures, "3")).unwrap();
    let (rows, accounts) = house.run(plan).await.unwrap();
    let rows = cells(&rows);
    assert_eq!(rows.iter().map(|row| row[0]).collect::<Vec<_>>(), ["+", "-", "?"]);
    let number = |row: usize, column: usize| rows[row][column].parse::<f64>().unwrap();
    // Scale 1 for the count: beyond 40 has a chance of e^-40.
    assert!((number(0, 1) - 5_000.0).abs() < 40.0 && number(2, 1).abs() < 40.0, "{rows:?}");
    // Even weights 0 + 2 + … + 8 in half of the rows: 20,000; scale 9.
    assert!((number(0, 2) - 20_000.0).abs() < 400.0 && (number(1, 2) - 25_000.0).abs() < 400.0, "{rows:?}");
    assert!((number(0, 3) - 4.0).abs() < 0.5 && (number(1, 3) - 5.0).abs() < 0.5, "{rows:?}");
    let Account::Private(account) = &accounts[0] else { panic!("one account") };
    assert_eq!((account.epsilon.as_str(), account.groups), ("3", 3));
}

#[tokio::test]
async fn values_are_cut_and_people_count_a_bounded_number_of_times() {
    let house = House::with_person("person");
    let mut what = asked(vec![Measure::Count, Measure::Sum(Bounded { lower: 0, upper: 1, ..weight() })], "3");
    (what.by, what.keys) = (Vec::new(), None);
    what.contribution = 2;
    // 100 people with 100 rows each, of which 2 count.
    let plan = PrivateAggregate::plan(donations(&house, 10_000, 100), what).unwrap();
    let (rows, _) = house.run(plan).await.unwrap();
    let rows = cells(&rows);
    let number = |column: usize| rows[0][column].parse::<f64>().unwrap();
    assert!((number(0) - 200.0).abs() < 60.0, "{rows:?}");
    assert!((0.0..260.0).contains(&number(1)), "at most one per row that counts: {rows:?}");
}

#[tokio::test]
async fn groups_found_in_the_data_need_a_delta_and_rare_ones_are_not_shown() {
    let house = House::new();
    let mut what = asked(vec![Measure::Sum(weight())], "2");
    what.keys = None;
    let refused = PrivateAggregate::plan(donations(&house, 10, 10), what.clone()).unwrap_err();
    assert!(refused.to_string().contains("keys =>"), "{refused}");
    what.delta = Some("0.000000001".to_owned());
    what.by = columns(&["person"]);
    // Everybody is a group of one: each is shown with a probability of at most δ.
    let plan = PrivateAggregate::plan(donations(&house, 1_000, 1_000), what).unwrap();
    let (rows, accounts) = house.run(plan).await.unwrap();
    assert!(rows.is_empty(), "groups of one row stay below the threshold: {} shown", rows.len());
    let Account::Private(account) = &accounts[0] else { panic!("one account") };
    assert!(account.threshold.is_some());
}

#[tokio::test]
async fn the_budget_is_kept_to_the_last_digit_and_refused_before_reading() {
    let house = House::new();
    let run = |epsilon: &str| {
        let plan = PrivateAggregate::plan(donations(&house, 100, 100), asked(vec![Measure::Count], epsilon))
            .unwrap();
        house.run(plan)
    };
    for _ in 0..3 {
        run("0.9").await.unwrap();
    }
    let spent = house.world.ledger.lock().unwrap().spent().to_string();
    assert_eq!(spent, "ε = 2.7");
    let error = run("0.3000000000001").await.unwrap_err();
    assert!(error.to_string().contains("0.3"), "{error}");
    run("0.3").await.unwrap();
    assert!(run("0.0000000000001").await.is_err(), "nothing is left");
}

#[tokio::test]
async fn a_copy_of_an_aggregate_is_the_same_answer_and_paid_once() {
    let house = House::new();
    let plan = PrivateAggregate::plan(donations(&house, 100, 100), asked(vec![Measure::Count], "1")).unwrap();
    let left = LogicalPlanBuilder::from(plan.clone()).alias("a").unwrap();
    let right = LogicalPlanBuilder::from(plan).alias("b").unwrap().build().unwrap();
    let on = [col("a.rhesus").eq(col("b.rhesus")), col("a.count").eq(col("b.count"))];
    let joined = left.join_on(right, datafusion::common::JoinType::Inner, on).unwrap().build().unwrap();
    let (rows, accounts) = house.run(joined).await.unwrap();
    assert_eq!((rows.len(), accounts.len()), (3, 1));
    assert_eq!(house.world.ledger.lock().unwrap().spent().to_string(), "ε = 1");
}

#[tokio::test]
async fn several_rows_of_a_person_need_an_owner_who_says_whose_they_are() {
    let house = House::new();
    let what = PrivateAggregation { contribution: 2, ..asked(vec![Measure::Count], "1") };
    let plan = PrivateAggregate::plan(donations(&house, 10, 5), what).unwrap();
    let refused = house.run(plan).await.unwrap_err().to_string();
    assert!(refused.contains("[privacy] person"), "{refused}");
    assert_eq!(house.world.ledger.lock().unwrap().spent().to_string(), "ε = 0", "a refusal costs nothing");
}

#[test]
fn what_makes_no_sense_is_refused_in_words() {
    let house = House::new();
    let refusal = |change: &dyn Fn(&mut PrivateAggregation)| {
        let mut what = asked(vec![Measure::Count], "1");
        change(&mut what);
        PrivateAggregate::plan(donations(&house, 10, 10), what).unwrap_err().to_string()
    };
    assert!(refusal(&|what| what.measures.clear()).contains("ask for something"));
    assert!(refusal(&|what| what.contribution = 0).contains("at least 1"));
    assert!(refusal(&|what| what.keys = Some(vec![vec![]])).contains("0 values"));
    let text = Bounded { column: Column::new(Some("donors"), "rhesus"), lower: 0, upper: 1, decimals: 0 };
    assert!(refusal(&|what| what.measures = vec![Measure::Sum(text.clone())]).contains("not a number"));
    let wrong = Bounded { lower: 5, upper: 1, ..weight() };
    assert!(refusal(&|what| what.measures = vec![Measure::Sum(wrong.clone())]).contains("wrong way round"));
}

/// Every copy of a key would have noise of its own, and their mean would be the truth: ten thousand of them for the ε of one.
#[test]
fn a_group_cannot_be_asked_for_twice_at_the_price_of_one() {
    let mut session = paravent_algebra::session::Session::new(Catalog::empty()).unwrap();
    let batch = RecordBatch::try_from_iter([(
        "ward",
        std::sync::Arc::new(StringArray::from(vec!["a", "b", "a"])) as ArrayRef,
    )])
    .unwrap();
    let table = datafusion::catalog::MemTable::try_new(batch.schema(), vec![vec![batch]]).unwrap();
    session.register("visits", std::sync::Arc::new(table)).unwrap();
    let ask = |keys: &str| {
        format!(
            "SELECT * FROM private(visits, by => (ward), keys => ({keys}), count => true, epsilon => 0.1)"
        )
    };
    for keys in ["'a', 'a'", "'b', 'a', 'b'", "('a'), 'a'"] {
        let error = session.run(&ask(keys)).unwrap_err().to_string();
        assert!(error.contains("given twice"), "{keys}: {error}");
    }
    session.run(&ask("'a', 'b'")).unwrap();
}
