//! What a generalization becomes when it runs.
#![allow(clippy::unwrap_used, reason = "a test may stop where something is missing")]

mod fixture;

use datafusion::logical_expr::{LogicalPlan, LogicalPlanBuilder, col, lit};
use fixture::{House, columns, donors, project};
use paravent_algebra::lower::Account;
use paravent_algebra::operator::{Generalize, Promise};

fn generalize(plan: LogicalPlan, names: &[&str], k: u32) -> LogicalPlan {
    Generalize::plan(plan, columns(names), Promise::k_anonymity(k)).unwrap()
}

#[tokio::test]
async fn the_smallest_generalization_that_keeps_k_is_applied() {
    let house = House::new();
    let plan = generalize(project(donors(&house), &["day", "blood"]), &["day"], 3);
    let (rows, accounts) = house.run(plan).await.unwrap();
    assert_eq!(rows, ["Jan 00", "Jan 00", "Jan B0", "Mar A0", "Mar A0", "Mar B0"]);
    let Account::Generalize(account) = &accounts[0] else { panic!("one α^G") };
    assert_eq!((account.levels[0].level, account.classes, account.smallest_class), (1, 2, 3));
    assert!(account.optimal);
}

#[tokio::test]
async fn two_columns_are_generalized_together() {
    let house = House::new();
    let rows: &[&[&str]] = &[
        &["01.01.", "+"],
        &["05.01.", "+"],
        &["05.01.", "-"],
        &["20.03.", "+"],
        &["20.03.", "-"],
        &["31.03.", "+"],
    ];
    let plan = house.relation("donors", &["day", "rhesus"], rows);
    let (rows, _) = house.run(generalize(plan, &["day", "rhesus"], 3)).await.unwrap();
    assert_eq!(rows, ["Jan ±", "Jan ±", "Jan ±", "Mar ±", "Mar ±", "Mar ±"]);
}

#[tokio::test]
async fn labels_of_an_inner_operator_are_lifted() {
    let house = House::new();
    let days = project(donors(&house), &["day"]);
    let (rows, _) = house.run(generalize(generalize(days, &["day"], 3), &["day"], 5)).await.unwrap();
    assert_eq!(rows, ["Q1"; 6]);
    let ages = project(donors(&house), &["age"]);
    let (rows, _) = house.run(generalize(generalize(ages, &["age"], 2), &["age"], 6)).await.unwrap();
    assert_eq!(rows, ["*"; 6], "intervals, too: an interval is no number");
}

#[tokio::test]
async fn generalizing_twice_is_generalizing_once() {
    let house = House::new();
    let days = project(donors(&house), &["day"]);
    let once = house.run(generalize(days.clone(), &["day"], 3)).await.unwrap().0;
    let twice = house.run(generalize(generalize(days, &["day"], 3), &["day"], 3)).await.unwrap().0;
    assert_eq!(once, twice);
}

#[tokio::test]
async fn selections_below_and_above_stay_where_they_are() {
    let house = House::new();
    let days = project(donors(&house), &["day", "blood"]);
    let without = |plan| {
        LogicalPlanBuilder::from(plan).filter(col("donors.blood").not_eq(lit("B0"))).unwrap().build().unwrap()
    };
    let early = house.run(generalize(without(days.clone()), &["day"], 3)).await.unwrap().0;
    assert_eq!(early, ["Q1 00", "Q1 00", "Q1 A0", "Q1 A0"]);
    let late = house.run(without(generalize(days, &["day"], 3))).await.unwrap().0;
    assert_eq!(
        late,
        ["Jan 00", "Jan 00", "Mar A0", "Mar A0"],
        "two rows per class: why late selection is no release"
    );
}

#[tokio::test]
async fn suppressed_classes_are_left_out() {
    let house = House::new();
    let rows: &[&[&str]] = &[&["01.01."], &["05.01."], &["31.01."], &["14.02."], &[""], &[""], &[""]];
    let plan = house.relation("donors", &["day"], rows);
    let mut promise = Promise::k_anonymity(3);
    promise = Promise::new(promise.models, paravent_job::DecimalText::new("0.2").unwrap(), promise.search);
    let plan = Generalize::plan(plan, columns(&["day"]), promise).unwrap();
    let (rows, accounts) = house.run(plan).await.unwrap();
    assert_eq!(rows, ["", "", "", "Jan", "Jan", "Jan"], "the missing value is a value");
    let Account::Generalize(account) = &accounts[0] else { panic!("one α^G") };
    assert_eq!(account.suppressed_rows, 1);
}

#[tokio::test]
async fn fewer_rows_than_k_are_refused() {
    let house = House::new();
    let error = house.run(generalize(donors(&house), &["day"], 7)).await.unwrap_err();
    assert!(
        error.to_string().contains("fewer than k = 7 rows") && !error.to_string().contains('6'),
        "{error}"
    );
    let error = house.run(generalize(donors(&house), &[], 7)).await.unwrap_err();
    assert!(error.to_string().contains("fewer than k = 7 rows"), "{error}");
    assert_eq!(house.run(generalize(donors(&house), &[], 6)).await.unwrap().0.len(), 6);
}

#[tokio::test]
async fn a_value_without_a_place_is_refused_without_showing_it() {
    let house = House::new();
    let plan = house.relation("donors", &["day"], &[&["30.12."], &["30.12."]]);
    let error = house.run(generalize(plan, &["day"], 2)).await.unwrap_err();
    assert!(!error.to_string().contains("30.12."), "{error}");
    assert!(error.to_string().contains("day"), "{error}");
}
