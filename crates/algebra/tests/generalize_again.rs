//! G1–G8: operators that can be dropped, and operators over operators.
#![allow(clippy::unwrap_used, reason = "a test may stop where something is missing")]

mod donors;

use Way::{LeftToRight, RightToLeft};
use datafusion::arrow::datatypes::DataType;
use donors::*;
use paravent_algebra::operator::{Generalize, Promise};
use paravent_algebra::rules::{Attempt, Kind, NoFacts, Safe, Way};
use paravent_job::{DecimalText, Model, Population};

#[test]
fn g1_drops_a_promise_of_nothing_and_keeps_the_texts() {
    let rewrite = becomes(
        "G1",
        LeftToRight,
        &alpha(&["day", "age"], 1, donors()),
        "
        Generalize: [day, age], k = 1
          TableScan: donors
        ",
        "
        Projection: donors.day, donors.group, donors.rhesus, CAST(donors.age AS Utf8) AS age
          TableScan: donors
        ",
    );
    assert_eq!((rewrite.kind, rewrite.safe), (Kind::Equivalent, Safe::Yes));
    let back = rewritten("G1", RightToLeft, &rewrite.plan, &TOLD);
    assert_eq!(lines(&back.plan), lines(&alpha(&["age"], 1, donors())));
    let empty = Told { rows: Some(0), ..TOLD };
    assert!(refusal("G1", RightToLeft, &rewrite.plan, &empty).contains("fewer than k = 1 rows"));
    let texts_only = alpha(&["day"], 1, donors());
    assert_eq!(rewritten("G1", LeftToRight, &texts_only, &TOLD).plan, donors());
}

#[test]
fn g1_asks_for_the_least_level_and_for_a_fixed_text() {
    let plan = alpha(&["day"], 1, donors());
    assert!(refusal("G1", LeftToRight, &plan, &NoFacts).contains("may stay on level 0"));
    let diverse = alpha_with(&["day"], promise(1, vec![diverse("group")]), donors());
    assert!(refusal("G1", LeftToRight, &diverse, &TOLD).contains("k-anonymity only"));
    fits_not("G1", LeftToRight, &alpha(&["day"], 2, donors()));
    fits_not("G1", RightToLeft, &pi(&["day", "group", "rhesus", "age"], donors()));
}

#[test]
fn g1_refuses_numbers_with_a_fraction() {
    use datafusion::arrow::datatypes::{Field, Schema};
    let schema = Schema::new(vec![Field::new("weight", DataType::Float64, true)]);
    let scan = datafusion::logical_expr::table_scan(Some("t"), &schema, None).unwrap().build().unwrap();
    assert!(refusal("G1", LeftToRight, &alpha(&["weight"], 1, scan), &TOLD).contains("is not fixed"));
}

#[test]
fn g2_drops_an_operator_without_columns() {
    becomes(
        "G2",
        LeftToRight,
        &alpha(&[], 3, donors()),
        "
        Generalize: [], k = 3
          TableScan: donors
        ",
        "TableScan: donors",
    );
    let plan = alpha(&[], 7, donors());
    assert!(refusal("G2", LeftToRight, &plan, &TOLD).contains("fewer than k = 7 rows"));
    assert!(refusal("G2", LeftToRight, &plan, &NoFacts).contains("the number of rows is not known"));
    fits_not("G2", RightToLeft, &donors());
    fits_not("G2", LeftToRight, &alpha(&["day"], 3, donors()));
}

#[test]
fn g3_has_no_plan_to_fit_because_the_operator_refuses_unknown_columns() {
    let zip = datafusion::common::Column::new(Some("donors"), "zip");
    let unknown = Generalize::plan(donors(), vec![zip], Promise::k_anonymity(3)).unwrap_err();
    assert!(unknown.to_string().contains("there is no column \"zip\""));
    for plan in [donors(), alpha(&[], 3, donors()), alpha(&["day"], 3, donors())] {
        fits_not("G3", LeftToRight, &plan);
        fits_not("G3", RightToLeft, &plan);
    }
}

#[test]
fn g4_forgets_a_repetition() {
    let once = alpha(&["day"], 3, donors());
    becomes(
        "G4",
        LeftToRight,
        &alpha(&["day"], 3, once.clone()),
        "
        Generalize: [day], k = 3
          Generalize: [day], k = 3
            TableScan: donors
        ",
        "
        Generalize: [day], k = 3
          TableScan: donors
        ",
    );
    let twice = rewritten("G4", RightToLeft, &once, &TOLD);
    assert_eq!(twice.plan, alpha(&["day"], 3, once));
    fits_not("G4", LeftToRight, &alpha(&["day"], 3, alpha(&["day"], 5, donors())));
    fits_not("G4", LeftToRight, &alpha(&["day"], 3, alpha(&["day", "group"], 3, donors())));
}

#[test]
fn g4_holds_with_suppression_but_not_for_every_model() {
    let twice =
        |promise: Promise| alpha_with(&["day"], promise.clone(), alpha_with(&["day"], promise, donors()));
    rewritten("G4", LeftToRight, &twice(suppressing(3)), &TOLD);
    rewritten("G4", LeftToRight, &twice(promise(3, vec![close("group")])), &TOLD);
    let tenth = decimal("0.1");
    let close_and_suppressing = Promise::new(vec![close("group")], tenth, Promise::k_anonymity(3).search);
    assert!(refusal("G4", LeftToRight, &twice(close_and_suppressing), &TOLD).contains("t-closeness"));
    let map =
        Model::KMap(paravent_job::models::KMap { k: 3, population: Population::Table("all.csv".into()) });
    assert!(refusal("G4", LeftToRight, &twice(promise(3, vec![map])), &TOLD).contains("population"));
    assert!(refusal("G4", LeftToRight, &twice(hurried(3)), &TOLD).contains("time limit"));
    let differing = alpha_with(&["day"], suppressing(3), alpha(&["day"], 3, donors()));
    assert!(refusal("G4", LeftToRight, &differing, &TOLD).contains("differ in more than k"));
}

#[test]
fn g5_forgets_some_of_the_columns_again() {
    let inner = alpha(&["day", "rhesus"], 3, donors());
    becomes(
        "G5",
        LeftToRight,
        &alpha(&["day"], 3, inner.clone()),
        "
        Generalize: [day], k = 3
          Generalize: [day, rhesus], k = 3
            TableScan: donors
        ",
        "
        Generalize: [day, rhesus], k = 3
          TableScan: donors
        ",
    );
    assert_eq!(rewritten("G5", RightToLeft, &inner, &TOLD).plan, alpha(&["day"], 3, inner));
    let other = alpha(&["group"], 3, alpha(&["day"], 3, donors()));
    assert!(refusal("G5", LeftToRight, &other, &TOLD).contains("that the inner one does not"));
    fits_not("G5", RightToLeft, &alpha(&["day"], 3, donors()));
}

#[test]
fn g5_needs_models_that_survive_a_union_of_classes() {
    let plan = |promise: Promise| {
        alpha_with(&["day"], promise.clone(), alpha_with(&["day", "rhesus"], promise, donors()))
    };
    rewritten("G5", LeftToRight, &plan(promise(3, vec![diverse("group"), close("group")])), &TOLD);
    rewritten("G5", LeftToRight, &plan(suppressing(3)), &TOLD);
    let (c, attribute) = (DecimalText::from(3), "group".to_owned());
    let disclosing = Model::PdRecursiveLDiversity(paravent_job::models::PdRecursiveLDiversity {
        attribute,
        c,
        l: 2,
        allowed: vec!["00".to_owned()],
    });
    assert!(
        refusal("G5", LeftToRight, &plan(promise(3, vec![disclosing])), &TOLD)
            .contains("not known to survive")
    );
}

#[test]
fn g6_takes_the_stronger_promise_on_one_column() {
    let strong = alpha(&["day"], 5, donors());
    becomes(
        "G6",
        LeftToRight,
        &alpha(&["day"], 5, alpha(&["day"], 3, donors())),
        "
        Generalize: [day], k = 5
          Generalize: [day], k = 3
            TableScan: donors
        ",
        "
        Generalize: [day], k = 5
          TableScan: donors
        ",
    );
    let back = rewritten("G6", RightToLeft, &strong, &TOLD);
    assert_eq!(back.plan, alpha(&["day"], 5, alpha(&["day"], 4, donors())));
    let several = alpha(&["day", "group"], 5, alpha(&["day", "group"], 3, donors()));
    assert!(refusal("G6", LeftToRight, &several, &TOLD).contains("G7"));
    let left_out = alpha_with(&["day"], suppressing(5), alpha_with(&["day"], suppressing(3), donors()));
    assert!(refusal("G6", LeftToRight, &left_out, &TOLD).contains("left out"));
    let more = promise(5, vec![diverse("group")]);
    let more = alpha_with(&["day"], more.clone(), alpha_with(&["day"], more.with_k(3), donors()));
    assert!(refusal("G6", LeftToRight, &more, &TOLD).contains("k-anonymity only"));
    let boxes = alpha_with(&["day"], local(5), alpha_with(&["day"], local(3), donors()));
    assert!(refusal("G6", LeftToRight, &boxes, &TOLD).contains("labels of its own"));
    let boxes = alpha_with(&["day"], local(5), donors());
    assert!(refusal("G6", RightToLeft, &boxes, &TOLD).contains("labels of its own"));
    fits_not("G6", LeftToRight, &alpha(&["day"], 3, alpha(&["day"], 5, donors())));
}

#[test]
fn g7_is_partial_and_goes_one_way() {
    let rewrite = becomes(
        "G7",
        LeftToRight,
        &alpha(&["day", "rhesus"], 3, alpha(&["day", "rhesus"], 2, donors())),
        "
        Generalize: [day, rhesus], k = 3
          Generalize: [day, rhesus], k = 2
            TableScan: donors
        ",
        "
        Generalize: [day, rhesus], k = 3
          TableScan: donors
        ",
    );
    assert_eq!((rewrite.kind, rewrite.safe), (Kind::PartiallyEquivalent, Safe::Yes));
    assert!(refusal("G7", RightToLeft, &rewrite.plan, &TOLD).contains("weaker step"));
    fits_not("G7", LeftToRight, &alpha(&["day"], 3, alpha(&["day"], 2, donors())));
    let both = ["day", "rhesus"];
    let left_out = alpha_with(&both, suppressing(3), alpha_with(&both, suppressing(2), donors()));
    assert!(refusal("G7", LeftToRight, &left_out, &TOLD).contains("left out"));
    let boxes = alpha_with(&both, local(3), alpha_with(&both, local(2), donors()));
    assert!(refusal("G7", LeftToRight, &boxes, &TOLD).contains("labels of its own"));
}

#[test]
fn rules_that_compare_no_levels_move_local_generalizations_as_well() {
    let once = alpha_with(&["day"], local(3), donors());
    let twice = alpha_with(&["day"], local(3), once.clone());
    assert_eq!(rewritten("G4", LeftToRight, &twice, &TOLD).plan, once);
    let weaker = alpha_with(&["day"], local(2), once.clone());
    assert_eq!(rewritten("G8", LeftToRight, &weaker, &TOLD).plan, once);
    // The same promise with one level per column is another promise.
    let mixed = alpha(&["day"], 3, once);
    assert!(refusal("G8", LeftToRight, &mixed, &TOLD).contains("differ"));
}

#[test]
fn g8_forgets_the_weaker_promise() {
    let strong = alpha(&["day"], 5, donors());
    becomes(
        "G8",
        LeftToRight,
        &alpha(&["day"], 3, strong.clone()),
        "
        Generalize: [day], k = 3
          Generalize: [day], k = 5
            TableScan: donors
        ",
        "
        Generalize: [day], k = 5
          TableScan: donors
        ",
    );
    assert_eq!(rewritten("G8", RightToLeft, &strong, &TOLD).plan, alpha(&["day"], 4, strong.clone()));
    rewritten("G8", LeftToRight, &alpha(&["day"], 5, strong), &TOLD);
    fits_not("G8", LeftToRight, &alpha(&["day"], 5, alpha(&["day"], 3, donors())));
    let differing = alpha_with(&["day"], suppressing(3), alpha(&["day"], 5, donors()));
    assert!(refusal("G8", LeftToRight, &differing, &TOLD).contains("differ in more than k"));
}

#[test]
fn a_new_name_stands_between_operators() {
    let renamed = datafusion::logical_expr::LogicalPlanBuilder::from(alpha(&["day"], 3, donors()));
    let plan = alpha(&["day"], 3, renamed.alias("d").unwrap().build().unwrap());
    for id in ["G4", "G5", "G6", "G7", "G8"] {
        assert_eq!(rule(id).attempt(&plan, LeftToRight, &TOLD).unwrap(), Attempt::NoMatch);
    }
}
