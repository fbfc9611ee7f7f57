//! What random operators become when they run: one draw, whatever the engine does with the plan.
#![allow(clippy::unwrap_used, reason = "a test may stop where something is missing")]

mod fixture;

use datafusion::common::Column;
use datafusion::logical_expr::{LogicalPlan, LogicalPlanBuilder, col};
use fixture::{House, columns, donors, project};
use paravent_algebra::lower::{Account, LowerError};
use paravent_algebra::operator::{
    Buckets, Distribution, Draw, Generalization, Noise, Overlap, Probability, Promise, Randomize, Slice,
    Slicing, Step, Tails,
};
use std::collections::BTreeMap;

fn slicing(groups: &[&[&str]], buckets: Buckets, draw: u64) -> Slicing {
    let groups = groups.iter().map(|group| columns(group)).collect();
    Slicing {
        groups,
        buckets,
        least_rows: 2,
        overlap: Overlap::Forbidden,
        draw: Draw::numbered(draw),
        demands: Default::default(),
    }
}

/// `rows` people with a day, a blood group and a number that tells them apart.
fn many(house: &House, rows: usize) -> LogicalPlan {
    let cells: Vec<[String; 3]> =
        (0..rows).map(|row| [format!("{}", row % 7), format!("{}", row % 5), format!("{row}")]).collect();
    let rows: Vec<Vec<&str>> = cells.iter().map(|row| row.iter().map(String::as_str).collect()).collect();
    let rows: Vec<&[&str]> = rows.iter().map(Vec::as_slice).collect();
    house.relation("donors", &["day", "blood", "rhesus"], &rows)
}

fn noise(p: &str, distribution: Distribution) -> Noise {
    Noise { probability: Probability::parse(p).unwrap(), distribution }
}

fn randomized(account: &Account) -> &paravent_algebra::lower::RandomizeAccount {
    match account {
        Account::Randomize(account) => account,
        other => panic!("no α^D: {other}"),
    }
}

#[tokio::test]
async fn every_group_keeps_its_rows_and_groups_are_mixed_inside_buckets() {
    let house = House::with_noise();
    let plan = many(&house, 100);
    let sliced = Slice::plan(plan, slicing(&[&["day", "blood"], &["rhesus"]], Buckets::Count(4), 1)).unwrap();
    let (rows, accounts) = house.run(sliced).await.unwrap();
    let mut moved = 0;
    let mut pairs: BTreeMap<(String, String), usize> = BTreeMap::new();
    let mut numbers = Vec::new();
    for row in &rows {
        let cells: Vec<&str> = row.split(' ').collect();
        *pairs.entry((cells[0].to_owned(), cells[1].to_owned())).or_default() += 1;
        let number: usize = cells[2].parse().unwrap();
        moved += usize::from(format!("{}", number % 7) != cells[0] || format!("{}", number % 5) != cells[1]);
        numbers.push(number);
    }
    numbers.sort_unstable();
    assert_eq!(numbers, (0..100).collect::<Vec<_>>());
    let expected: BTreeMap<(String, String), usize> =
        (0..100).fold(BTreeMap::new(), |mut pairs, row: usize| {
            *pairs.entry((format!("{}", row % 7), format!("{}", row % 5))).or_default() += 1;
            pairs
        });
    assert_eq!(pairs, expected, "columns of a group stay together");
    assert!(moved > 50, "{moved} of 100 rows were glued anew");
    let Account::Slice(account) = &accounts[0] else { panic!("one α^S") };
    assert_eq!((account.rows, account.buckets, account.smallest_bucket, account.seeded), (100, 4, 25, true));
}

#[tokio::test]
async fn buckets_by_value_and_by_class_mix_nobody_else() {
    let house = House::with_noise();
    let plan = many(&house, 70);
    let by_day = Slice::plan(
        plan.clone(),
        slicing(&[&["day"], &["blood"], &["rhesus"]], Buckets::By(columns(&["day"])[0].clone()), 1),
    );
    let (rows, _) = house.run(by_day.unwrap()).await.unwrap();
    assert_eq!(rows.len(), 70);
    for row in &rows {
        let cells: Vec<&str> = row.split(' ').collect();
        assert_eq!(
            cells[2].parse::<usize>().unwrap() % 7,
            cells[0].parse::<usize>().unwrap(),
            "still the same day"
        );
    }
    let what = Generalization { quasi: columns(&["day"]), promise: Promise::k_anonymity(3) };
    let donors = project(donors(&house), &["day", "blood"]);
    let within = Slice::plan(donors, slicing(&[&["day"], &["blood"]], Buckets::Classes(what), 2)).unwrap();
    let (rows, accounts) = house.run(within).await.unwrap();
    let january = rows.iter().filter(|row| row.ends_with("00")).all(|row| row.contains(".01."));
    assert!(january, "days are permuted within their month only: {rows:?}");
    assert_eq!(accounts.len(), 2, "the search, then the draw");
}

#[tokio::test]
async fn a_value_with_one_row_is_no_bucket() {
    let house = House::with_noise();
    let days = project(donors(&house), &["day", "blood"]);
    let plan =
        Slice::plan(days, slicing(&[&["day"], &["blood"]], Buckets::By(columns(&["day"])[0].clone()), 1))
            .unwrap();
    let error = house.run(plan).await.unwrap_err();
    assert!(matches!(error, LowerError::Buckets(_)), "{error}");
    assert!(!error.to_string().contains(".01."));
}

#[tokio::test]
async fn a_copy_of_an_operator_is_the_same_draw() {
    let house = House::with_noise();
    let sliced =
        Slice::plan(many(&house, 60), slicing(&[&["day", "blood"], &["rhesus"]], Buckets::Size(20), 5))
            .unwrap();
    let left = LogicalPlanBuilder::from(sliced.clone()).alias("a").unwrap();
    let right = LogicalPlanBuilder::from(sliced).alias("b").unwrap().build().unwrap();
    let joined = left
        .join_on(
            right,
            datafusion::common::JoinType::Inner,
            [col("a.rhesus").eq(col("b.rhesus")), col("a.day").eq(col("b.day"))],
        )
        .unwrap()
        .build()
        .unwrap();
    let (rows, accounts) = house.run(joined).await.unwrap();
    assert_eq!((rows.len(), accounts.len()), (60, 1), "two copies, one draw: every row meets itself");
}

#[tokio::test]
async fn slicing_twice_into_the_same_buckets_mixes_no_further() {
    let house = House::with_noise();
    let groups: &[&[&str]] = &[&["day"], &["blood"], &["rhesus"]];
    let inner = Slice::plan(many(&house, 60), slicing(groups, Buckets::Size(20), 1)).unwrap();
    let outer = Slice::plan(inner, slicing(groups, Buckets::Size(20), 2)).unwrap();
    let by_value = |row: &String| row.split(' ').nth(2).unwrap().parse::<usize>().unwrap();
    let (rows, _) = house.run(outer).await.unwrap();
    let mut numbers: Vec<usize> = rows.iter().map(by_value).collect();
    numbers.sort_unstable();
    assert_eq!(numbers, (0..60).collect::<Vec<_>>());
    // Rows 0–19 share the first bucket in both: their blood groups are a permutation of their own.
    let mut blood: Vec<usize> = Vec::new();
    for row in rows.iter().filter(|row| by_value(row) < 20) {
        blood.push(row.split(' ').nth(1).unwrap().parse().unwrap());
    }
    blood.sort_unstable();
    let mut own: Vec<usize> = (0..20).map(|row| row % 5).collect();
    own.sort_unstable();
    assert_eq!(blood, own, "the rank is carried through");
}

#[tokio::test]
async fn a_renaming_between_two_slicings_carries_the_rank_as_well() {
    let house = House::with_noise();
    let pairs = slicing(&[&["day", "blood"], &["rhesus"]], Buckets::Size(2), 1);
    let named = |column: &Column| Column::new(Some("inner_name"), &column.name);
    let outer = pairs.groups.iter().map(|group| group.iter().map(named).collect()).collect();
    let inner = Slice::plan(many(&house, 60), pairs.clone()).unwrap();
    let inner = LogicalPlanBuilder::from(inner).alias("inner_name").unwrap().build().unwrap();
    let twice = Slice::plan(inner, Slicing { groups: outer, draw: Draw::numbered(2), ..pairs }).unwrap();
    for row in house.run(twice).await.unwrap().0 {
        let cells: Vec<usize> = row.split(' ').map(|cell| cell.parse().unwrap()).collect();
        let partner = cells[2] ^ 1;
        let own = [cells[2], partner].iter().any(|row| (row % 7, row % 5) == (cells[0], cells[1]));
        assert!(own, "a row of another pair was mixed in");
    }
}

#[tokio::test]
async fn shared_columns_get_copies_and_rare_shared_values_are_refused() {
    let house = House::with_noise();
    let mut what = slicing(&[&["day", "blood"], &["blood", "rhesus"]], Buckets::Size(35), 1);
    what.overlap = Overlap::Allowed { least: 2 };
    let plan = Slice::plan(many(&house, 70), what.clone()).unwrap();
    assert_eq!(plan.schema().field(3).name(), "blood@2");
    let (rows, _) = house.run(plan).await.unwrap();
    assert!(rows.iter().all(|row| row.split(' ').count() == 4));
    for row in &rows {
        let cells: Vec<usize> = row.split(' ').map(|cell| cell.parse().unwrap()).collect();
        assert_eq!(cells[2] % 5, cells[3], "the copy stands with its own group");
    }
    what.overlap = Overlap::Allowed { least: 8 };
    let error = house.run(Slice::plan(many(&house, 70), what).unwrap()).await.unwrap_err();
    assert!(matches!(error, LowerError::Relinking { least: 8 }));
}

#[tokio::test]
async fn every_cell_is_drawn_once_however_the_plan_uses_it() {
    let house = House::with_noise();
    let domain = Some((0..5).map(|value| value.to_string()).collect());
    let plan = many(&house, 500);
    let noise = vec![(columns(&["blood"])[0].clone(), noise("0.5", Distribution::Uniform { domain }))];
    let noisy = Randomize::plan(plan, noise, Draw::numbered(3)).unwrap();
    // The noisy column is used three times above, and the operator twice.
    let twice = LogicalPlanBuilder::from(noisy.clone())
        .project(vec![col("donors.blood"), col("donors.blood").alias("again"), col("donors.rhesus")])
        .unwrap()
        .alias("a")
        .unwrap();
    let other = LogicalPlanBuilder::from(noisy).alias("b").unwrap().build().unwrap();
    let on = [col("a.rhesus").eq(col("b.rhesus")), col("a.blood").eq(col("b.blood"))];
    let joined = twice.join_on(other, datafusion::common::JoinType::Inner, on).unwrap().build().unwrap();
    let (rows, accounts) = house.run(joined).await.unwrap();
    assert_eq!(rows.len(), 500, "the same draw on both sides");
    let account = randomized(&accounts[0]);
    assert_eq!(accounts.len(), 1);
    assert_eq!(account.charge.epsilon, "1.79176", "one draw is paid once");
    for row in &rows {
        let cells: Vec<&str> = row.split(' ').collect();
        assert_eq!(cells[0], cells[1]);
    }
}

#[tokio::test]
async fn cells_stay_with_the_stated_probability_and_counts_can_be_estimated() {
    let house = House::with_noise();
    let domain = Some((0..5).map(|value| value.to_string()).collect());
    let rows = 20_000;
    let what = vec![(columns(&["blood"])[0].clone(), noise("0.4", Distribution::Uniform { domain }))];
    let plan = Randomize::plan(many(&house, rows), what, Draw::numbered(1)).unwrap();
    let (shown, accounts) = house.run(plan).await.unwrap();
    let kept = shown.iter().filter(|row| {
        let cells: Vec<usize> = row.split(' ').map(|cell| cell.parse().unwrap()).collect();
        cells[2] % 5 == cells[1]
    });
    // P(unchanged) = 0.6 + 0.4/5 = 0.68; five standard deviations are 330 rows.
    let kept = kept.count();
    assert!((13_270..13_930).contains(&kept), "{kept} of {rows}");
    let account = randomized(&accounts[0]);
    for estimate in account.columns[0].estimates.as_ref().unwrap() {
        let miss = (estimate.estimate - 4_000.0).abs();
        assert!(
            miss < 5.0 * estimate.standard_error,
            "{miss} with a standard error of {}",
            estimate.standard_error
        );
    }
    assert!((account.columns[0].epsilon - (0.68_f64 / 0.08).ln()).abs() < 1e-6);
}

#[tokio::test]
async fn learnt_noise_gives_no_estimate_because_it_would_give_the_true_counts() {
    let house = House::with_noise();
    let what = vec![(columns(&["blood"])[0].clone(), noise("0.4", Distribution::Learnt))];
    let (rows, accounts) =
        house.run(Randomize::plan(many(&house, 50), what, Draw::numbered(1)).unwrap()).await.unwrap();
    assert_eq!(rows.len(), 50);
    assert_eq!(randomized(&accounts[0]).columns[0].estimates, None);
}

#[tokio::test]
async fn noise_over_the_values_found_is_estimated_for_the_values_shown() {
    let house = House::with_noise();
    let what = vec![(columns(&["blood"])[0].clone(), noise("0.4", Distribution::Uniform { domain: None }))];
    let plan = Randomize::plan(many(&house, 20_000), what, Draw::numbered(1)).unwrap();
    let (_, accounts) = house.run(plan).await.unwrap();
    let estimates = randomized(&accounts[0]).columns[0].estimates.as_ref().unwrap();
    assert!(estimates.iter().all(|estimate| estimate.observed > 0));
    let total: f64 = estimates.iter().map(|estimate| estimate.estimate).sum();
    assert!((total - 20_000.0).abs() < 1e-6, "{total}");
    let text = accounts[0].to_string();
    assert!(text.contains("rows shown → rows estimated without the noise"), "{text}");
    assert!(text.contains(&format!("{} → ", estimates[0].observed)), "{text}");
}

#[tokio::test]
async fn dynamic_noise_moves_along_its_domain() {
    let house = House::with_noise();
    let step = |by: i32, p: &str| Step { by, probability: Probability::parse(p).unwrap() };
    let distribution = Distribution::Steps {
        domain: (0..7).map(|value| value.to_string()).collect(),
        steps: vec![step(-1, "0.5"), step(1, "0.5")],
        tails: Tails::Cyclic,
    };
    let what = vec![(columns(&["day"])[0].clone(), noise("1", distribution))];
    let (rows, _) =
        house.run(Randomize::plan(many(&house, 300), what, Draw::numbered(1)).unwrap()).await.unwrap();
    for row in rows {
        let cells: Vec<usize> = row.split(' ').map(|cell| cell.parse().unwrap()).collect();
        let moved = (cells[0] + 7 - cells[2] % 7) % 7;
        assert!(moved == 1 || moved == 6, "one place up or down");
    }
}

/// An error would tell that a cell is none of the values, whatever the noise: so a value of equal chance takes its place.
#[tokio::test]
async fn a_cell_outside_the_domain_is_shown_as_a_value_of_equal_chance() {
    let house = House::with_noise();
    let domain = Some(vec!["0".to_owned(), "1".to_owned()]);
    let what = vec![(columns(&["blood"])[0].clone(), noise("0.5", Distribution::Uniform { domain }))];
    let plan = || Randomize::plan(many(&house, 1000), what.clone(), Draw::numbered(1)).unwrap();
    let (rows, _) = house.run(plan()).await.unwrap();
    assert_eq!(house.run(plan()).await.unwrap().0, rows, "the same draws for the same key and rows");
    let mut shown: BTreeMap<(usize, &str), usize> = BTreeMap::new();
    for row in &rows {
        let cells: Vec<&str> = row.split(' ').collect();
        let number: usize = cells[2].parse().unwrap();
        *shown.entry((number % 5, cells[1])).or_default() += 1;
    }
    assert!(shown.keys().all(|(_, blood)| ["0", "1"].contains(blood)), "{shown:?}");
    // 0 and 1 stay in three of four rows; 2, 3 and 4 are one as often as the other.
    assert!(shown[&(0, "0")] > 130 && shown[&(1, "1")] > 130, "{shown:?}");
    assert!((2..5).all(|before| (70..130).contains(&shown[&(before, "0")])), "{shown:?}");
    let odd = vec![
        ("A0".to_owned(), Probability::parse("0.3").unwrap()),
        ("B0".to_owned(), Probability::parse("0.3").unwrap()),
    ];
    let what = vec![(columns(&["blood"])[0].clone(), noise("0.5", Distribution::Given(odd)))];
    let error =
        house.run(Randomize::plan(donors(&house), what, Draw::numbered(1)).unwrap()).await.unwrap_err();
    assert!(error.to_string().contains("sum to"), "{error}");
}

#[tokio::test]
async fn integers_come_back_as_integers() {
    let house = House::with_noise();
    let plan = LogicalPlanBuilder::from(many(&house, 40))
        .project(vec![
            datafusion::logical_expr::cast(
                col("donors.rhesus"),
                datafusion::arrow::datatypes::DataType::Int64,
            )
            .alias("number"),
        ])
        .unwrap()
        .build()
        .unwrap();
    let what =
        vec![(Column::new_unqualified("number"), noise("0.5", Distribution::Uniform { domain: None }))];
    let plan = Randomize::plan(plan, what, Draw::numbered(1)).unwrap();
    assert_eq!(plan.schema().field(0).data_type(), &datafusion::arrow::datatypes::DataType::Int64);
    assert_eq!(house.run(plan).await.unwrap().0.len(), 40);
}

#[tokio::test]
async fn figures_inside_a_group_are_the_same_to_the_last_bit() {
    use datafusion::arrow::datatypes::DataType;
    let house = House::with_noise();
    let number = |name: &str| {
        let own = datafusion::logical_expr::cast(col(format!("donors.{name}")), DataType::Int64);
        own.alias_qualified(Some("donors"), name)
    };
    let plan = LogicalPlanBuilder::from(many(&house, 211))
        .project(vec![number("day"), number("blood"), number("rhesus")])
        .unwrap()
        .build()
        .unwrap();
    let sliced = Slice::plan(plan, slicing(&[&["day", "rhesus"], &["blood"]], Buckets::Count(5), 9)).unwrap();
    let (_, accounts) = house.run(sliced).await.unwrap();
    let Account::Slice(account) = &accounts[0] else { panic!("one α^S") };
    assert_eq!(account.kept_pairs, [("day".to_owned(), "rhesus".to_owned())]);
    assert_eq!(account.blurred_pairs.len(), 2);
    let utility = account.utility.as_ref().unwrap();
    assert!(utility.invariants_hold);
    let pair = |first: &str, second: &str| {
        utility.pairs.iter().find(|pair| pair.columns == (first.to_owned(), second.to_owned())).unwrap()
    };
    let kept = pair("day", "rhesus");
    assert!(kept.kept);
    let numeric = kept.numeric.as_ref().unwrap();
    assert_eq!(numeric.correlation.before, numeric.correlation.after);
    assert_eq!(numeric.regression.before, numeric.regression.after);
    assert!(numeric.regression.before.is_some());
    let blurred = pair("blood", "rhesus").numeric.as_ref().unwrap();
    assert_ne!(blurred.correlation.before, blurred.correlation.after);
}
