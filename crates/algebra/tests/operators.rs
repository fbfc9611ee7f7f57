//! What the operators accept, what they give out, and how they show themselves.
#![allow(clippy::unwrap_used, reason = "a test may stop where something is missing")]

use datafusion::arrow::datatypes::{DataType, Field, Schema};
use datafusion::common::Column;
use datafusion::logical_expr::{LogicalPlan, LogicalPlanBuilder, table_scan};
use paravent_algebra::operator::{
    Buckets, Distribution, Draw, Generalize, Noise, Operator, Overlap, Probability, Promise, Randomize,
    Slice, Slicing,
};

fn donors() -> LogicalPlan {
    let text = |name: &str| Field::new(name, DataType::Utf8, true);
    let schema = Schema::new(vec![
        text("day"),
        text("group"),
        text("rhesus"),
        Field::new("age", DataType::Int64, true),
    ]);
    table_scan(Some("donors"), &schema, None).unwrap().build().unwrap()
}

fn column(name: &str) -> Column {
    Column::new(Some("donors"), name)
}

fn slicing(groups: &[&[&str]], overlap: Overlap) -> Slicing {
    let groups = groups.iter().map(|group| group.iter().map(|name| column(name)).collect()).collect();
    Slicing {
        groups,
        buckets: Buckets::Size(3),
        least_rows: 2,
        overlap,
        draw: Draw::numbered(1),
        demands: Default::default(),
    }
}

#[test]
fn generalized_columns_leave_as_text_and_the_others_as_they_came() {
    let plan =
        Generalize::plan(donors(), vec![column("age"), column("day")], Promise::k_anonymity(3)).unwrap();
    let types: Vec<&DataType> = plan.schema().fields().iter().map(|field| field.data_type()).collect();
    assert_eq!(types, [&DataType::Utf8, &DataType::Utf8, &DataType::Utf8, &DataType::Utf8]);
    let kept = Generalize::plan(donors(), vec![column("day")], Promise::k_anonymity(3)).unwrap();
    assert_eq!(kept.schema().field(3).data_type(), &DataType::Int64);
    assert_eq!(plan.schema().columns(), donors().schema().columns(), "qualified as before");
}

#[test]
fn an_operator_shows_what_it_does_in_one_line() {
    let plan =
        Generalize::plan(donors(), vec![column("age"), column("day")], Promise::k_anonymity(3)).unwrap();
    let plan =
        Slice::plan(plan, slicing(&[&["day"], &["group", "rhesus"], &["age"]], Overlap::Forbidden)).unwrap();
    let noise = Noise {
        probability: Probability::parse("0.16").unwrap(),
        distribution: Distribution::Uniform { domain: None },
    };
    let plan = Randomize::plan(plan, vec![(column("rhesus"), noise)], Draw::numbered(2)).unwrap();
    let shown = plan.display_indent().to_string();
    let lines: Vec<&str> = shown.lines().map(str::trim).collect();
    assert_eq!(lines[0], "Randomize: rhesus 0.16");
    assert_eq!(lines[1], "Slice: {day} {group, rhesus} {age}, buckets of 3");
    assert_eq!(lines[2], "Generalize: [day, age], k = 3");
    assert!(matches!(Operator::of(&plan), Some(Operator::Randomize(_))));
}

#[test]
fn unknown_and_repeated_columns_are_refused_by_name() {
    let unknown = Generalize::plan(donors(), vec![column("zip")], Promise::k_anonymity(3)).unwrap_err();
    assert!(
        unknown.to_string().contains("there is no column \"zip\"; the columns are day, group, rhesus, age")
    );
    let twice =
        Generalize::plan(donors(), vec![column("day"), column("day")], Promise::k_anonymity(3)).unwrap_err();
    assert!(twice.to_string().contains("named twice"));
}

#[test]
fn groups_cover_every_column_once_unless_overlap_is_asked_for() {
    let missing =
        Slice::plan(donors(), slicing(&[&["day"], &["group", "rhesus"]], Overlap::Forbidden)).unwrap_err();
    assert!(missing.to_string().contains("\"age\" is in no group"));
    let groups: &[&[&str]] = &[&["day", "age"], &["group", "rhesus", "age"]];
    let shared = Slice::plan(donors(), slicing(groups, Overlap::Forbidden)).unwrap_err();
    assert!(shared.to_string().contains("\"age\" is in several groups"));
    let plan = Slice::plan(donors(), slicing(groups, Overlap::Allowed { least: 2 })).unwrap();
    assert_eq!(plan.schema().field(4).name(), "age@2");
}

#[test]
fn a_bucket_of_one_is_refused() {
    let mut one = slicing(&[&["day", "group", "rhesus", "age"]], Overlap::Forbidden);
    one.least_rows = 1;
    assert!(Slice::plan(donors(), one).unwrap_err().to_string().contains("released as it is"));
}

#[test]
fn copies_of_a_plan_mean_the_same_draw_and_fresh_ones_do_not() {
    let slice = |draw| {
        let mut what = slicing(&[&["day", "group", "rhesus", "age"]], Overlap::Forbidden);
        what.draw = draw;
        Slice::plan(donors(), what).unwrap()
    };
    let first = slice(Draw::fresh());
    assert_eq!(first, first.clone());
    assert_ne!(first, slice(Draw::fresh()));
}

#[test]
fn the_optimizer_keeps_operators_and_pushes_no_filter_through_them() {
    use datafusion::logical_expr::{col, lit};
    use datafusion::prelude::SessionContext;
    let plan = Generalize::plan(donors(), vec![column("day")], Promise::k_anonymity(3)).unwrap();
    let filtered =
        LogicalPlanBuilder::from(plan).filter(col("donors.rhesus").eq(lit("+"))).unwrap().build().unwrap();
    let optimized = SessionContext::new().state().optimize(&filtered).unwrap();
    let shown = optimized.display_indent().to_string();
    let place = |what: &str| shown.find(what).unwrap();
    assert!(place("Filter") < place("Generalize"), "{shown}");
}
