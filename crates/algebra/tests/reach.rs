//! Partially equivalent steps only where nothing above works with the labels.
#![allow(clippy::unwrap_used, reason = "a test may stop where something is missing")]

mod donors;

use datafusion::common::Column;
use datafusion::logical_expr::{LogicalPlan, LogicalPlanBuilder, col, lit};
use donors::*;
use paravent_algebra::operator::{
    Buckets, Distribution, Draw, Noise, Overlap, Probability, Randomize, Slice, Slicing,
};
use paravent_algebra::rules::{Consent, Rewriter};

/// π over α^G, of which G13 would make another choice of days.
fn inner() -> LogicalPlan {
    pi(&["day", "rhesus"], alpha(&["day", "group"], 3, donors()))
}

fn builder() -> LogicalPlanBuilder {
    LogicalPlanBuilder::from(inner())
}

/// Whether G13 is used below these nodes; else why not.
fn used_below(plan: LogicalPlan) -> Result<(), String> {
    let rewriter = Rewriter::new(&TOLD).with_consent(Consent::Partial).with_switches("G13".parse().unwrap());
    let done = rewriter.exactly(plan).unwrap();
    match (done.trace.applied().next(), done.trace.refused().next()) {
        (Some(_), _) => Ok(()),
        (None, Some(refusal)) => Err(refusal.because.clone()),
        (None, None) => panic!("G13 does not fit"),
    }
}

fn noise(column: &str) -> LogicalPlan {
    let (probability, distribution) = (Probability::parse("0.1").unwrap(), Distribution::Learnt);
    let column = columns(&inner(), &[column]).remove(0);
    Randomize::plan(inner(), vec![(column, Noise { probability, distribution })], Draw::numbered(1)).unwrap()
}

#[test]
fn nodes_that_only_pass_labels_on_are_no_obstacle() {
    let day = || col("donors.day");
    let passing = [
        inner(),
        pi(&["rhesus", "day"], inner()),
        builder().project([day().alias("month")]).unwrap().build().unwrap(),
        sigma("rhesus", "-", inner()),
        builder().sort([day().sort(true, true)]).unwrap().build().unwrap(),
        union(inner(), relation("others", &["day", "rhesus"])),
        join("rhesus", inner(), relation("r2", &["rhesus", "v"])),
        alpha(&["day", "rhesus"], 2, inner()),
        alpha_with(&["rhesus"], suppressing(2), inner()),
        noise("rhesus"),
    ];
    for plan in passing {
        assert_eq!(used_below(plan.clone()), Ok(()), "{}", lines(&plan));
    }
}

#[test]
fn nodes_that_work_with_labels_are_obstacles() {
    let day = || col("donors.day");
    let unioned = union(inner(), relation("others", &["day", "rhesus"]));
    let unioned =
        LogicalPlanBuilder::from(unioned).filter(col("day").eq(lit("Q1"))).unwrap().build().unwrap();
    let month =
        builder().project([day().alias("month")]).unwrap().filter(col("month").eq(lit("Q1"))).unwrap();
    let groups = ["day", "rhesus"].map(|name| vec![Column::new(Some("donors"), name)]).to_vec();
    let (buckets, overlap, draw) = (Buckets::Size(2), Overlap::Forbidden, Draw::numbered(1));
    let working = [
        builder().distinct().unwrap().build().unwrap(),
        sigma("day", "Q1", inner()),
        unioned,
        month.build().unwrap(),
        builder().project([day().eq(lit("Q1"))]).unwrap().build().unwrap(),
        builder().sort([day().sort(true, true)]).unwrap().limit(0, Some(3)).unwrap().build().unwrap(),
        builder().sort_with_limit([day().sort(true, true)], Some(2)).unwrap().build().unwrap(),
        builder().aggregate([day()], Vec::<datafusion::logical_expr::Expr>::new()).unwrap().build().unwrap(),
        join("day", inner(), relation("r2", &["day", "v"])),
        alpha_with(&["day"], suppressing(2), inner()),
        alpha_with(&["day"], promise(2, vec![diverse("rhesus")]), inner()),
        alpha_with(&["rhesus"], promise(2, vec![diverse("day")]), inner()),
        noise("day"),
        Slice::plan(
            inner(),
            Slicing { groups, buckets, least_rows: 2, overlap, draw, demands: Default::default() },
        )
        .unwrap(),
    ];
    for plan in working {
        let why = used_below(plan.clone()).expect_err(&lines(&plan));
        assert!(why.contains("something above works with"), "{why}");
    }
}
