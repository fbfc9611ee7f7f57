//! Printed examples: Grunert & Heuer 2015 (tables 1–3) and Klein 2020 (tables 3 and 4, figure 23).
#![allow(clippy::unwrap_used, reason = "fixtures are known")]

mod common;

use common::{coded, columns, of};
use paravent_slicing::checks::{Fault, Sliced, Violation, invariants, suspicions};
use paravent_slicing::outcomes::{Outcomes, Ratio};
use paravent_slicing::reference::{Row, slice, transposed};
use paravent_slicing::{ColumnGroups, Layout, MinimumSize, Overlap, Windows};

const ADULT: &str = "
    39 State-gov Adm-clerical Not-in-family White Male
    50 Self-emp Exec-managerial Husband White Male
    38 Private Handlers-cleaners Not-in-family White Male
    53 Private Handlers-cleaners Husband Black Male
    28 Private Prof-speciality Wife Black Female
    34 Private Sales Husband White Female";

/// As printed: the ages 38 and 39 are swapped.
const ADULT_PRINTED: &str = "
    39 Private Exec-managerial Husband White Male
    38 State-gov Adm-clerical Not-in-family White Male
    50 Self-emp Handlers-cleaners Not-in-family White Male
    28 Private Handlers-cleaners Husband Black Female
    34 Private Sales Husband Black Female
    53 Private Prof-speciality Wife White Male";

const ADULT_CORRECTED: &str = "
    38 Private Exec-managerial Husband White Male
    39 State-gov Adm-clerical Not-in-family White Male
    50 Self-emp Handlers-cleaners Not-in-family White Male
    28 Private Handlers-cleaners Husband Black Female
    34 Private Sales Husband Black Female
    53 Private Prof-speciality Wife White Male";

const PATIENTS: &str = "
    m 29 heart 47677
    m 22 heart 47602
    f 27 heart 47678
    f 43 flu 47905
    f 52 heart 47909
    m 47 cancer 47906
    f 30 heart 47605
    f 36 cancer 47673
    m 32 cancer 47607";

const PATIENTS_SLICED: &str = "
    m 22 heart 47678
    f 27 heart 47677
    m 29 heart 47602
    f 43 heart 47909
    m 47 cancer 47906
    f 52 flu 47905
    f 30 cancer 47673
    m 32 cancer 47607
    f 36 heart 47605";

fn adult_groups() -> ColumnGroups {
    ColumnGroups::new(
        &["age", "workclass", "occupation", "relationship", "race", "sex"],
        &[vec!["age", "workclass"], vec!["occupation", "relationship"], vec!["race"], vec!["sex"]],
        Overlap::Forbidden,
    )
    .unwrap()
}

fn patient_groups() -> ColumnGroups {
    let columns = ["sex", "age", "disease", "zip"];
    ColumnGroups::new(&columns, &[vec!["sex", "age"], vec!["disease", "zip"]], Overlap::Forbidden).unwrap()
}

fn verdict(groups: &ColumnGroups, before: &[Row], after: &[Row], size: u32) -> Result<(), Violation> {
    let layout = Layout::by_rank(before.len(), Windows::Size(size), MinimumSize::TWO).unwrap();
    let (old, new) = (columns(before), columns(after));
    invariants(
        groups,
        Sliced { columns: &of(&old), layout: &layout },
        Sliced { columns: &of(&new), layout: &layout },
    )
}

#[test]
fn the_printed_adult_table_is_no_slicing_and_the_corrected_one_is() {
    let [before, printed, corrected] = coded([ADULT, ADULT_PRINTED, ADULT_CORRECTED]);
    let groups = adult_groups();
    assert_eq!(
        verdict(&groups, &before, &printed, 3),
        Err(Violation::Rebuilt { broken: 1, bucket: 1, group: 1 })
    );
    assert_eq!(verdict(&groups, &before, &corrected, 3), Ok(()));
    let buckets = [vec![0, 1, 2], vec![3, 4, 5]];
    let sliced = Outcomes::certain(before).slice(groups.groups(), &buckets).unwrap().bags().unwrap();
    assert_eq!(sliced.probability(&printed), Ratio::ZERO);
    assert_ne!(sliced.probability(&corrected), Ratio::ZERO);
}

#[test]
fn the_patients_are_sliced_by_the_definition_with_orders_that_sort() {
    let [before, after] = coded([PATIENTS, PATIENTS_SLICED]);
    let groups = patient_groups();
    assert_eq!(verdict(&groups, &before, &after, 3), Ok(()));
    // Ages ascending (22 27 29, 43 47 52, 30 32 36), zips descending.
    let mut orders =
        [vec![1, 2, 0], vec![2, 0, 1], vec![0, 2, 1], vec![1, 2, 0], vec![0, 2, 1], vec![1, 2, 0]]
            .into_iter();
    let buckets = [vec![0, 1, 2], vec![3, 4, 5], vec![6, 7, 8]];
    assert_eq!(slice(&before, &buckets, &groups, &mut |_| orders.next().unwrap()), after);
}

#[test]
fn blood_donors_have_six_to_the_power_of_two_outcomes_per_bucket() {
    let donors = "
        01.01. 00 + 18
        05.01. 00 + 24
        31.01. B0 - 32";
    let [before] = coded([donors]);
    let groups = [vec![0], vec![1, 2], vec![3]];
    let bags = Outcomes::certain(before.clone()).slice(&groups, &[vec![0, 1, 2]]).unwrap().bags().unwrap();
    // Two donors share (00, +), so half of the 36 fall together.
    assert_eq!(bags.len(), 18);
    let [row] = coded([&format!("{donors}\n31.01. 00 + 18")]).map(|rows: Vec<Row>| rows[3].clone());
    assert!(bags.iter().any(|(bag, _)| bag.contains(&row)));
    let distinct = vec![vec![1, 1, 1, 1], vec![2, 2, 2, 2], vec![3, 3, 3, 3]];
    let bags = Outcomes::certain(distinct).slice(&groups, &[vec![0, 1, 2]]).unwrap().bags().unwrap();
    assert_eq!(bags.len(), 36);
    assert!(bags.iter().all(|(_, probability)| probability == Ratio::new(1, 36).unwrap()));
}

#[test]
fn sorted_groups_of_a_larger_table_are_noticed() {
    let rows: Vec<Row> = (0..60).map(|row| vec![row % 2, row * 7 % 60, row % 5, row * 13 % 60]).collect();
    let groups = patient_groups();
    let layout = Layout::by_rank(60, Windows::Size(30), MinimumSize::TWO).unwrap();
    let mut sorted = rows.clone();
    for window in 0..2 {
        let part = &rows[window * 30..window * 30 + 30];
        let mut left: Vec<_> = part.iter().map(|row| (row[0], row[1])).collect();
        let mut right: Vec<_> = part.iter().map(|row| (row[2], row[3])).collect();
        left.sort_unstable();
        right.sort_unstable();
        for place in 0..30 {
            sorted[window * 30 + place] = vec![left[place].0, left[place].1, right[place].0, right[place].1];
        }
    }
    let (old, new) = (transposed(&rows, 4), transposed(&sorted, 4));
    let (before, after) = (of(&old), of(&new));
    let before = Sliced { columns: &before, layout: &layout };
    let after = Sliced { columns: &after, layout: &layout };
    assert_eq!(invariants(&groups, before, after), Ok(()));
    let found = suspicions(&groups, before, after);
    assert_eq!((found.len(), found[0].fault, found[0].buckets), (1, Fault::Sorted, 2));
}
