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

/// k-anonymity where every class has labels of its own, by a metric that boxes have.
fn local(k: u32) -> Promise {
    let promise = Promise::k_anonymity_by(k, paravent_job::Metric::Loss);
    let search = paravent_job::Search { recoding: paravent_job::Recoding::Local, ..promise.search };
    Promise::new(promise.models, promise.suppression_limit, search)
}

#[tokio::test]
async fn every_class_has_labels_of_its_own() {
    let house = House::new();
    // Two days are frequent, the others rare: one level for all rows would lift the frequent ones, too.
    let rows: &[&[&str]] = &[
        &["01.01.", "+"],
        &["01.01.", "+"],
        &["20.03.", "-"],
        &["20.03.", "-"],
        &["14.02.", "+"],
        &["20.02.", "+"],
        &["", "+"],
        &["", "+"],
    ];
    let relation = house.relation("donors", &["day", "rhesus"], rows);
    let plan = Generalize::plan(relation.clone(), columns(&["day", "rhesus"]), local(2)).unwrap();
    let (rows, accounts) = house.run(plan.clone()).await.unwrap();
    assert_eq!(rows, [" +", " +", "01.01. +", "01.01. +", "20.03. -", "20.03. -", "Feb +", "Feb +"]);
    let Account::Generalize(account) = &accounts[0] else { panic!("one α^G") };
    assert_eq!((account.levels[0].lowest, account.levels[0].level, account.classes), (Some(0), 1, 4));
    assert_eq!(account.levels[0].to_string(), "day 0-1/3");
    assert!(account.to_string().contains("recoding = local"), "{account}");
    // Labels of several levels are lifted by an operator above, each from where it is.
    let (again, _) = house
        .run(Generalize::plan(plan, columns(&["day", "rhesus"]), Promise::k_anonymity(8)).unwrap())
        .await
        .unwrap();
    assert_eq!(again.len(), 8);
    assert!(again.iter().all(|row| *row == again[0]), "{again:?}");
}

#[tokio::test]
async fn rows_that_no_box_covers_are_left_out() {
    let house = House::new();
    let rows: &[&[&str]] = &[&["01.01."], &["05.01."], &["31.01."], &["14.02."], &[""], &[""], &[""]];
    let plan = house.relation("donors", &["day"], rows);
    let promise =
        Promise::new(local(3).models, paravent_job::DecimalText::new("0.2").unwrap(), local(3).search);
    let plan = Generalize::plan(plan, columns(&["day"]), promise).unwrap();
    let (rows, _) = house.run(plan).await.unwrap();
    assert!(rows.len() >= 6, "{rows:?}");
    for row in &rows {
        assert!(rows.iter().filter(|other| *other == row).count() >= 3, "{rows:?}");
    }
}

#[tokio::test]
async fn a_metric_that_boxes_do_not_have_is_refused() {
    let house = House::new();
    let promise = Promise::new(
        local(2).models,
        local(2).suppression_limit,
        paravent_job::Search { metric: paravent_job::Metric::Height, ..local(2).search },
    );
    let plan = Generalize::plan(donors(&house), columns(&["day"]), promise).unwrap();
    let error = house.run(plan).await.unwrap_err();
    assert!(error.to_string().contains("several levels"), "{error}");
}

#[tokio::test]
async fn a_local_generalization_of_its_own_result_changes_nothing() {
    let house = House::new();
    let once = Generalize::plan(donors(&house), columns(&["day", "age"]), local(2)).unwrap();
    let twice = Generalize::plan(once.clone(), columns(&["day", "age"]), local(2)).unwrap();
    let fewer = Generalize::plan(once.clone(), columns(&["day"]), local(2)).unwrap();
    let once = house.run(once).await.unwrap().0;
    assert_eq!(house.run(twice).await.unwrap().0, once, "G4 and G8");
    assert_eq!(house.run(fewer).await.unwrap().0, once, "G5");
}
