use super::*;
use crate::buckets::{Layout, MinimumSize, SmallBuckets, Windows};
use crate::groups::Overlap;

/// Groups over columns `A`, `B`, … given as letters.
fn groups(columns: &str, groups: &[&str]) -> ColumnGroups {
    let letters = |text: &str| -> Vec<String> { text.chars().map(String::from).collect() };
    let groups: Vec<Vec<String>> = groups.iter().map(|group| letters(group)).collect();
    ColumnGroups::new(&letters(columns), &groups, Overlap::Forbidden).unwrap()
}

struct Case {
    groups: ColumnGroups,
    columns: Vec<Vec<u32>>,
    layout: Layout,
    known: Vec<usize>,
    sensitive: Vec<usize>,
}

impl Case {
    fn new(named: &str, grouped: &[&str], columns: Vec<Vec<u32>>, layout: Layout) -> Case {
        Case { groups: groups(named, grouped), columns, layout, known: vec![], sensitive: vec![] }
    }

    fn refusals(&self, limits: Limits) -> Vec<Refusal> {
        let columns: Vec<&[u32]> = self.columns.iter().map(Vec::as_slice).collect();
        let table = Sliced { columns: &columns, layout: &self.layout };
        let what = Examined {
            groups: &self.groups,
            table,
            known: &self.known,
            labelled: &[],
            sensitive: &self.sensitive,
            missing: &[],
            person: None,
        };
        examine(&what, limits.diversity).refusals(&self.groups, &limits)
    }

    fn is_fine(&self) {
        assert_eq!(self.refusals(Limits::STANDARD), []);
    }
}

fn windows(rows: usize, size: u32) -> Layout {
    Layout::by_rank(rows, Windows::Size(size), MinimumSize::TWO).unwrap()
}

fn by(codes: &[u32]) -> Layout {
    Layout::by_value(codes, SmallBuckets::Merge, MinimumSize::TWO).unwrap()
}

/// Numbers without an order, the same every time.
fn mixed(row: u32, salt: u32) -> u32 {
    let mut hash = (row + 1).wrapping_mul(0x9e37_79b9) ^ salt.wrapping_mul(0x85eb_ca6b);
    hash ^= hash >> 15;
    hash = hash.wrapping_mul(0x2c1b_3c6d);
    hash ^= hash >> 12;
    hash.wrapping_mul(0x297a_2d39) >> 8
}

fn column(rows: u32, salt: u32, values: u32) -> Vec<u32> {
    (0..rows).map(|row| mixed(row, salt) % values).collect()
}

#[test]
fn independent_columns_are_let_through() {
    let columns = vec![column(400, 1, 10), column(400, 2, 3), column(400, 3, 8)];
    Case::new("ABC", &["AB", "C"], columns, windows(400, 5)).is_fine();
}

#[test]
fn buckets_by_the_only_other_column_mix_nothing() {
    let columns = vec![column(300, 1, 10), column(300, 2, 3), column(300, 3, 6)];
    let layout = by(&columns[2]);
    let mut case = Case::new("ABC", &["AB", "C"], columns, layout);
    case.known = vec![2];
    let told = case.refusals(Limits::STANDARD);
    assert!(matches!(&told[0], Refusal::NothingMixed { known } if known == &["C"]), "{told:?}");
    // With a third group there is something to mix, and the known column is no riddle.
    case.groups = groups("ABC", &["A", "B", "C"]);
    case.is_fine();
    case.sensitive = vec![2];
    assert!(
        matches!(&case.refusals(Limits::STANDARD)[0], Refusal::SensitiveKnown { column } if column == "C")
    );
}

#[test]
fn a_column_that_the_buckets_fix_is_found_inside_a_larger_group() {
    // C follows the buckets, and B in its group varies: the group is not constant, the column is.
    let ward = column(300, 3, 6);
    let told: Vec<u32> = ward.iter().map(|ward| ward / 2).collect();
    let columns = vec![column(300, 1, 10), column(300, 2, 3), told];
    let case = Case::new("ABC", &["A", "BC"], columns, by(&ward));
    let refusals = case.refusals(Limits::STANDARD);
    assert!(
        refusals.iter().any(|refusal| matches!(refusal, Refusal::Constant { column, .. } if column == "C")),
        "{refusals:?}"
    );
}

#[test]
fn rows_in_the_order_of_a_column_are_found() {
    let mut genre = column(300, 3, 6);
    genre.sort_unstable();
    let case = Case::new("AB", &["A", "B"], vec![column(300, 1, 10), genre], windows(300, 5));
    let refusals = case.refusals(Limits::STANDARD);
    assert!(matches!(&refusals[0], Refusal::Constant { column, .. } if column == "B"), "{refusals:?}");
}

#[test]
fn a_column_that_is_nearly_constant_everywhere_is_no_reason() {
    let rare: Vec<u32> = (0..400).map(|row| u32::from(mixed(row, 9).is_multiple_of(100))).collect();
    Case::new("AB", &["A", "B"], vec![column(400, 1, 10), rare], windows(400, 5)).is_fine();
}

#[test]
fn groups_that_determine_each_other_are_caught() {
    let town = column(400, 1, 20);
    let zip: Vec<u32> = town.iter().map(|town| (town * 7 + 3) % 20).collect();
    let columns = vec![town.clone(), column(400, 2, 5), zip, column(400, 3, 6)];
    let case = Case::new("ABCD", &["AB", "CD"], columns, windows(400, 5));
    let refusals = case.refusals(Limits::STANDARD);
    let linked = |from: &str, to: &str| {
        refusals.iter().any(|refusal| {
            matches!(refusal, Refusal::Linked { determinant, dependent, .. }
                if determinant == &[from.to_owned()] && dependent == to)
        })
    };
    assert!(linked("A", "C") && linked("C", "A"), "{refusals:?}");
    assert_eq!(refusals.len(), 2, "{refusals:?}");
}

#[test]
fn a_whole_group_that_tells_another_is_caught() {
    // Neither A nor B tells C, both together do.
    let (a, b) = (column(600, 1, 8), column(600, 2, 8));
    let sum: Vec<u32> = a.iter().zip(&b).map(|(a, b)| (a + b) % 8).collect();
    let case = Case::new("ABCD", &["AB", "CD"], vec![a, b, sum, column(600, 3, 5)], windows(600, 5));
    let refusals = case.refusals(Limits::STANDARD);
    assert!(
        matches!(&refusals[..], [Refusal::Linked { determinant, dependent, .. }]
            if determinant.len() == 2 && dependent == "C"),
        "{refusals:?}"
    );
}

#[test]
fn rows_that_are_alone_inside_a_group_are_counted() {
    // 400 rows over 6,000 combinations: nearly all are alone.
    let columns = vec![column(400, 1, 100), column(400, 2, 60), column(400, 3, 5)];
    let case = Case::new("ABC", &["AB", "C"], columns.clone(), windows(400, 5));
    let refusals = case.refusals(Limits::STANDARD);
    let Refusal::Unique { group: 1, rows, all: 400, .. } = refusals[0] else { panic!("{refusals:?}") };
    assert!(rows > 300);
    assert!(refusals[0].to_string().contains(&format!("{rows} of 400 rows")));
    let silent = refusals[0].without_figures();
    assert!(!silent.contains("400") && !silent.contains(&rows.to_string()), "{silent}");
    let lenient = Limits { unique: Share::ALL, ..Limits::STANDARD };
    assert_eq!(case.refusals(lenient), []);
    // A known column counts in every group.
    let mut known = Case::new("ABC", &["A", "C", "B"], columns.clone(), by(&columns[1]));
    known.known = vec![1];
    assert!(matches!(known.refusals(Limits::STANDARD)[0], Refusal::Unique { group: 1, .. }));
}

#[test]
fn diversity_is_demanded_of_every_bucket_and_missing_is_no_value() {
    let mut case = Case::new("AB", &["A", "B"], vec![column(40, 1, 9), column(40, 2, 2)], windows(40, 10));
    case.sensitive = vec![1];
    let demand = |diversity| Limits { diversity, ..Limits::NONE };
    assert_eq!(case.refusals(demand(2)), []);
    assert!(matches!(case.refusals(demand(3))[0], Refusal::Diversity { l: 3, least: 2, below: 4, .. }));
    let columns: Vec<&[u32]> = case.columns.iter().map(Vec::as_slice).collect();
    let table = Sliced { columns: &columns, layout: &case.layout };
    let missing = [None, Some(0)];
    let what = Examined {
        groups: &case.groups,
        table,
        known: &[],
        labelled: &[],
        sensitive: &[1],
        missing: &missing,
        person: None,
    };
    assert_eq!(examine(&what, 2).diversity[0].least, 1);
}

#[test]
fn rows_of_one_person_do_not_hide_each_other() {
    let (once, twice) = ([0, 0, 1, 1, 2], [7, 7, 8, 9, 7]);
    assert_eq!(unique_rows(&[&once], None), 1);
    assert_eq!(unique_rows(&[&once], Some(&twice)), 3);
}
