//! The plain form of slicing and the kernel mean the same.
#![allow(clippy::unwrap_used, reason = "a test may stop where something is missing")]

mod fixture;

use datafusion::common::Column;
use datafusion::functions_window::expr_fn::row_number;
use datafusion::logical_expr::{LogicalPlan, LogicalPlanBuilder, UserDefinedLogicalNodeCore};
use fixture::{House, columns};
use paravent_algebra::lower::{Key, Ranked, plain_slice};
use paravent_algebra::operator::{Buckets, Draw, Overlap, Slice, Slicing};
use std::collections::BTreeMap;
use std::sync::Arc;

fn people(house: &House, rows: usize) -> LogicalPlan {
    let cells: Vec<[String; 3]> =
        (0..rows).map(|row| [format!("a{row}"), format!("b{row}"), format!("c{row}")]).collect();
    let rows: Vec<Vec<&str>> = cells.iter().map(|row| row.iter().map(String::as_str).collect()).collect();
    let rows: Vec<&[&str]> = rows.iter().map(Vec::as_slice).collect();
    house.relation("donors", &["day", "blood", "rhesus"], &rows)
}

fn slice(input: &LogicalPlan, buckets: Buckets, draw: u64) -> Slice {
    let groups = vec![columns(&["day", "blood"]), columns(&["rhesus"])];
    let what = Slicing {
        groups,
        buckets,
        least_rows: 2,
        overlap: Overlap::Forbidden,
        draw: Draw::numbered(draw),
        demands: Default::default(),
    };
    Slice::new(Arc::new(input.clone()), what).unwrap()
}

async fn plain(house: &House, node: &Slice, rows: u64, key: &Key) -> Vec<String> {
    let relation =
        LogicalPlanBuilder::from(node.input().clone()).window(vec![row_number().alias("rank")]).unwrap();
    let ranked = Ranked { relation: relation.build().unwrap(), rank: Column::new_unqualified("rank"), rows };
    let plan = plain_slice(node, &ranked, key).unwrap();
    assert_eq!(plan.schema().columns(), node.schema().columns());
    house.run(plan).await.unwrap().0
}

/// The number in a cell such as `b17`.
fn number(cell: &str) -> usize {
    cell[1..].parse().unwrap()
}

#[tokio::test]
async fn both_forms_keep_groups_together_and_mix_the_same_buckets() {
    let house = House::new();
    // 23 rows in 4 buckets: three of 6, then one of 5.
    let border = |row: usize| if row < 18 { row / 6 } else { 3 };
    let node = slice(&people(&house, 23), Buckets::Count(4), 1);
    let kernel = LogicalPlan::Extension(datafusion::logical_expr::Extension { node: Arc::new(node.clone()) });
    for rows in [plain(&house, &node, 23, &Key::from_seed(3)).await, house.run(kernel).await.unwrap().0] {
        assert_eq!(rows.len(), 23);
        let mut seen = Vec::new();
        let mut apart = 0;
        for row in &rows {
            let cells: Vec<usize> = row.split(' ').map(number).collect();
            assert_eq!(cells[0], cells[1], "one group");
            assert_eq!(border(cells[0]), border(cells[2]), "one bucket");
            apart += usize::from(cells[0] != cells[2]);
            seen.push(cells[2]);
        }
        seen.sort_unstable();
        assert_eq!(seen, (0..23).collect::<Vec<_>>());
        assert!(apart > 10, "{apart} rows were glued anew");
    }
}

#[tokio::test]
async fn both_forms_draw_every_outcome_equally_often() {
    let house = House::new();
    let node = slice(&people(&house, 3), Buckets::Count(1), 1);
    let outcome = |rows: Vec<String>| rows.join("|");
    let draws = 60;
    let mut found: [BTreeMap<String, u32>; 2] = Default::default();
    for seed in 0..draws {
        let rows = plain(&house, &node, 3, &Key::from_seed(seed)).await;
        *found[0].entry(outcome(rows)).or_default() += 1;
        let other = slice(node.input(), Buckets::Count(1), seed + 1);
        let kernel = LogicalPlan::Extension(datafusion::logical_expr::Extension { node: Arc::new(other) });
        *found[1].entry(outcome(house.run(kernel).await.unwrap().0)).or_default() += 1;
    }
    for outcomes in found {
        assert_eq!(outcomes.len(), 6, "3! ways to glue two groups of three rows");
        // 10 expected each; χ² with 5 degrees of freedom exceeds 37.9 with a chance below 1e-6.
        let chi: f64 = outcomes.values().map(|&n| (f64::from(n) - 10.0).powi(2) / 10.0).sum();
        assert!(chi < 37.9, "χ² = {chi}");
    }
}

#[tokio::test]
async fn too_many_buckets_are_refused() {
    let house = House::new();
    let node = slice(&people(&house, 5), Buckets::Count(3), 1);
    let ranked = Ranked { relation: node.input().clone(), rank: Column::new_unqualified("rank"), rows: 5 };
    let error = plain_slice(&node, &ranked, &Key::from_seed(1)).unwrap_err();
    assert!(format!("{error:?}").contains("too few for 3 buckets"));
}
