//! What holds of every hierarchy, and the examples of the specification.

use proptest::prelude::*;

use super::*;
use crate::values::{Decimal, ValueType};

fn table(text: &str) -> Result<TableHierarchy, TableError> {
    let row = |line: &str| {
        let mut cells = line.trim().split(';').map(str::to_string);
        TableRow { value: cells.next().filter(|value| !value.is_empty()), labels: cells.collect() }
    };
    TableHierarchy::new(text.lines().map(row).collect())
}

fn problems(text: &str) -> Vec<TableProblem> {
    table(text).unwrap_err().problems
}

fn some<'a>(values: &[&'a str]) -> Vec<Option<&'a str>> {
    values.iter().map(|value| Some(*value)).collect()
}

// The example relation of the specification (Kohlmayer 2015, Fig. 2.4 and 2.9 to 2.12).

const AGES: [&str; 8] = ["34", "45", "66", "70", "35", "21", "18", "19"];
const ZIPS: [&str; 8] = ["82667", "81775", "81925", "81931", "81951", "82451", "82931", "82004"];

fn age() -> Hierarchy {
    let text = "18;<=19;*\n19;<=19;*\n21;20-60;*\n34;20-60;*\n35;20-60;*\n45;20-60;*\n66;>=61;*\n70;>=61;*";
    Hierarchy::Table(table(text).unwrap())
}

#[test]
fn ages_of_the_example_relation() {
    let ladder = age().ladder(&some(&AGES)).unwrap();
    assert_eq!(ladder.max_level(), 2);
    assert_eq!(ladder.rung(1).group_of, [0, 0, 1, 1, 0, 0, 2, 2]);
    assert_eq!(ladder.rung(1).labels, ["20-60", ">=61", "<=19"].map(|label| Some(label.to_string())));
    assert_eq!(ladder.rung(1).loss, [3.0 / 7.0, 1.0 / 7.0, 1.0 / 7.0]);
    assert_eq!(ladder.rung(2).loss, [1.0]);
    assert_eq!(ladder.step(1, 2), [0, 0, 0]);
    assert_eq!(ladder.step(0, 1), ladder.rung(1).group_of);
}

#[test]
fn zips_of_the_example_relation() {
    let zip = Hierarchy::Redaction(Redaction::new('*', Side::Right, 5, None).unwrap());
    let ladder = zip.ladder(&some(&ZIPS)).unwrap();
    let cardinalities: Vec<_> = (0..=5).map(|level| ladder.cardinality(level)).collect();
    assert_eq!(cardinalities, [8, 8, 6, 2, 1, 1]);
    assert_eq!(ladder.rung(3).labels, ["82***", "81***"].map(|label| Some(label.to_string())));
    assert_eq!(ladder.rung(3).loss, [3.0 / 7.0, 3.0 / 7.0]);
    assert_eq!(ladder.rung(4).loss, [1.0]);
    assert_eq!(ladder.rung(5).labels, [Some("*****".to_string())]);
}

#[test]
fn sex_and_diagnosis_of_the_example_relation() {
    let sex = Hierarchy::Whole.ladder(&some(&["M", "F"])).unwrap();
    assert_eq!((sex.max_level(), sex.cardinality(0), sex.cardinality(1)), (1, 2, 1));
    let text = "pneumonia;respiratory;*\ngastritis;digestive;*";
    let diagnosis = Hierarchy::Table(table(text).unwrap());
    let ladder = diagnosis.ladder(&some(&["pneumonia", "gastritis"])).unwrap();
    assert_eq!(ladder.rung(1).loss, [0.0, 0.0]);
    assert_eq!(diagnosis.label(Some("gastritis"), 1).unwrap().as_deref(), Some("digestive"));
}

/// Specification 03 §4: LM of node (1,0,3) is 0.238095.
#[test]
fn loss_of_the_example_node() {
    let zip = Hierarchy::Redaction(Redaction::new('*', Side::Right, 5, None).unwrap());
    let share = |ladder: &Ladder, level: u8| -> f64 {
        let rung = ladder.rung(level);
        rung.group_of.iter().map(|group| rung.loss[*group as usize]).sum()
    };
    let age = share(&age().ladder(&some(&AGES)).unwrap(), 1);
    let zip = share(&zip.ladder(&some(&ZIPS)).unwrap(), 3);
    assert!(((age + zip) / 24.0 - 0.238095).abs() < 1e-6);
}

// Tables

#[test]
fn leaves_that_do_not_occur_count() {
    let hierarchy = Hierarchy::Table(table("a;x;*\nb;x;*\nc;x;*\nd;y;*").unwrap());
    let ladder = hierarchy.ladder(&some(&["a", "d"])).unwrap();
    assert_eq!(ladder.rung(1).loss, [2.0 / 3.0, 0.0]);
    assert_eq!(ladder.rung(2).loss, [1.0]);
}

#[test]
fn the_missing_value_is_a_leaf_of_its_own() {
    let hierarchy = Hierarchy::Table(table("a;x;*\nb;x;*").unwrap());
    let ladder = hierarchy.ladder(&[None, Some("a")]).unwrap();
    assert_eq!(ladder.rung(1).labels, [None, Some("x".to_string())]);
    assert_eq!(ladder.rung(1).loss, [0.0, 0.5]);
    assert_eq!(ladder.rung(2).labels, [Some("*".to_string())]);
    assert_eq!(ladder.rung(2).loss, [1.0]);
    let with_row = Hierarchy::Table(table(";unknown;*\nb;x;*").unwrap());
    assert_eq!(with_row.label(None, 1).unwrap().as_deref(), Some("unknown"));
    assert_eq!(with_row.label(None, 0), Ok(None));
    // Several tops, none of them for the missing value.
    let open = Hierarchy::Table(table("a;x\nb;y").unwrap());
    let ladder = open.ladder(&[None, Some("a"), Some("b")]).unwrap();
    assert_eq!(ladder.rung(1).labels[0].as_deref(), Some("*"));
    assert_eq!(ladder.rung(1).loss, [0.0; 3]);
}

#[test]
fn a_value_without_a_row_has_no_label_on_any_level() {
    assert!((0..=2).all(|level| age().label(Some("20"), level) == Err(Unplaced::NoRow)));
    assert_eq!(age().label(Some("18"), 3), Err(Unplaced::NoSuchLevel));
    let error = age().ladder(&some(&["20", "18", "x"])).unwrap_err();
    assert_eq!(error, LadderError::Unplaced(vec![(0, Unplaced::NoRow), (2, Unplaced::NoRow)]));
    assert!(!format!("{error} {error:?}").contains('x'));
}

#[test]
fn all_problems_of_a_table_are_reported() {
    assert_eq!(TableHierarchy::new(vec![]).unwrap_err().problems, [TableProblem::Empty]);
    assert_eq!(
        problems("a;x;u;*\nb;x;v;*\nc;y;*\nb;z;v;*\nd;z;u;+"),
        [
            TableProblem::NotMonotone { line: 2, first: 1, level: 2 },
            TableProblem::Ragged { line: 3, columns: 3, expected: 4 },
            TableProblem::Repeated { line: 4, first: 2 },
            TableProblem::NotMonotone { line: 5, first: 4, level: 2 },
            TableProblem::NotMonotone { line: 5, first: 1, level: 3 },
        ]
    );
    let message = table("a;x;u\nb;x;v").unwrap_err().to_string();
    assert_eq!(message, "lines 1 and 2 are equal on level 1 but differ on level 2");
    let tall = format!("a{}", ";x".repeat(256));
    assert!(problems(&tall).contains(&TableProblem::TooTall { line: 1 }));
    assert!(table(&format!("a{}", ";x".repeat(255))).is_ok());
    let many: Vec<_> = (0..30).map(|n| format!("{n};x;{n}")).collect();
    assert!(table(&many.join("\n")).unwrap_err().to_string().ends_with("; and 19 more"));
}

/// Specification 01 §2: intervals of 15 years on level 1 and of 20 years on level 2.
#[test]
fn fifteen_and_twenty_years_are_no_hierarchy() {
    let lines: Vec<_> = (0..60).map(|age| format!("{age};{};{};*", age / 15 * 15, age / 20 * 20)).collect();
    let problems = problems(&lines.join("\n"));
    assert!(problems.iter().all(|problem| matches!(problem, TableProblem::NotMonotone { level: 2, .. })));
    assert_eq!(problems[0], TableProblem::NotMonotone { line: 21, first: 16, level: 2 });
}

#[test]
fn labels_on_two_levels_are_pointed_out() {
    assert_eq!(table("a;a;*\nb;b;*\nc;*;*").unwrap().ambiguous_labels(), []);
    let found = table("x;y;*\na;x;*\nb;x;*").unwrap().ambiguous_labels();
    assert_eq!(found, [AmbiguousLabel { line: 1, level: 0, upper_line: 2, upper_level: 1 }]);
    let through = table("a;x;y;x").unwrap().ambiguous_labels();
    assert_eq!(through, [AmbiguousLabel { line: 1, level: 1, upper_line: 1, upper_level: 3 }]);
}

// Ladders

#[test]
fn ladders_check_what_they_are_given() {
    let rung = |group_of: &[u32], loss: &[f64]| Rung {
        group_of: group_of.to_vec(),
        labels: (0..loss.len()).map(|group| Some(group.to_string())).collect(),
        loss: loss.to_vec(),
    };
    let ladder = |rungs: &[Rung]| Ladder::from_rungs(rungs.to_vec());
    let ground = rung(&[0, 1, 2], &[0.0; 3]);
    assert!(ladder(&[ground.clone(), rung(&[0, 0, 1], &[0.5, 0.0])]).is_ok());
    assert_eq!(ladder(&[]), Err(LadderError::Shape { level: 0 }));
    assert_eq!(ladder(&[rung(&[0, 0], &[0.0])]), Err(LadderError::Shape { level: 0 }));
    assert_eq!(ladder(&[rung(&[1, 0], &[0.0; 2])]), Err(LadderError::Groups { level: 0 }));
    assert_eq!(ladder(&[ground.clone(), rung(&[0, 0], &[0.0])]), Err(LadderError::Shape { level: 1 }));
    assert_eq!(ladder(&[ground.clone(), rung(&[0, 2, 1], &[0.0; 3])]), Err(LadderError::Groups { level: 1 }));
    assert_eq!(ladder(&[ground.clone(), rung(&[0, 0, 0], &[1.5])]), Err(LadderError::Loss { level: 1 }));
    assert_eq!(ladder(&[ground.clone(), rung(&[0, 0, 0], &[f64::NAN])]), Err(LadderError::Loss { level: 1 }));
    let split = [ground.clone(), rung(&[0, 0, 1], &[0.0; 2]), rung(&[0, 1, 1], &[0.0; 2])];
    assert_eq!(ladder(&split), Err(LadderError::NotMonotone { level: 2 }));
    let mut twins = rung(&[0, 0, 1], &[0.0; 2]);
    twins.labels[1] = twins.labels[0].clone();
    assert_eq!(ladder(&[ground, twins]), Err(LadderError::Groups { level: 1 }));
    assert_eq!(Hierarchy::Whole.ladder(&some(&["a", "b", "a"])), Err(LadderError::Repeated { position: 2 }));
    assert_eq!(Ladder::from_labels(&[]).unwrap().values(), 0);
}

// Chains

#[test]
fn a_chain_continues_below_the_top() {
    let years = Hierarchy::Dates(Dates::new(vec![DatePart::Month, DatePart::Year]).unwrap());
    let epochs = Hierarchy::Table(table("1989;before;*\n1991;after;*").unwrap());
    let chain = Hierarchy::Chain(Chain::new(vec![years, epochs]).unwrap());
    assert_eq!(chain.max_level(), 4);
    let labels: Vec<_> =
        (0..=4).map(|level| chain.label(Some("09.11.1989"), level).unwrap().unwrap()).collect();
    assert_eq!(labels, ["09.11.1989", "1989-11", "1989", "before", "*"]);
    assert_eq!(chain.label(Some("1990-10-03"), 1), Err(Unplaced::NoRow));
    assert_eq!(chain.label(Some("1990"), 1), Err(Unplaced::NotADate));
    assert_eq!(chain.label(None, 3), Ok(None));
    assert_eq!(chain.label(None, 4).unwrap().as_deref(), Some("*"));
    assert_eq!(Chain::new(vec![]), Err(ChainError::NoParts));
    let long = Hierarchy::Redaction(Redaction::new('*', Side::Left, 200, None).unwrap());
    assert_eq!(Chain::new(vec![long.clone(), long]), Err(ChainError::TooTall));
}

#[test]
fn a_chain_of_one_part_is_that_part() {
    let chain = Hierarchy::Chain(Chain::new(vec![age()]).unwrap());
    assert_eq!(chain.ladder(&[Some("18"), None]), age().ladder(&[Some("18"), None]));
}

// Every builder

/// Total, monotone and dense (by the constructor's check), under one top, and the same as label by label.
fn holds(hierarchy: &Hierarchy, values: &[Option<&str>]) -> Result<(), TestCaseError> {
    let ladder = hierarchy.ladder(values).map_err(|error| TestCaseError::fail(error.to_string()))?;
    prop_assert_eq!(ladder.max_level(), hierarchy.max_level());
    prop_assert_eq!(Ladder::from_rungs(ladder.rungs().to_vec()), Ok(ladder.clone()));
    for level in 0..=ladder.max_level() {
        let rung = ladder.rung(level);
        for (value, group) in values.iter().zip(&rung.group_of) {
            let label = hierarchy.label(*value, level).unwrap();
            prop_assert_eq!(label.as_deref(), rung.labels[*group as usize].as_deref());
        }
        for above in level..=ladder.max_level() {
            let step = ladder.step(level, above);
            for (group, over) in rung.group_of.iter().zip(&ladder.rung(above).group_of) {
                prop_assert_eq!(step[*group as usize], *over);
                // Information is lost on the way up, never won.
                let (below, above) = (rung.loss[*group as usize], ladder.rung(above).loss[*over as usize]);
                prop_assert!(below <= above);
            }
        }
    }
    prop_assert!(values.is_empty() || ladder.cardinality(ladder.max_level()) == 1);
    Ok(())
}

fn texts(pattern: &'static str) -> impl Strategy<Value = Vec<Option<String>>> {
    let text = prop_oneof![9 => pattern.prop_map(Some), 1 => Just(None)];
    prop::collection::hash_set(text, 0..25).prop_map(|set| set.into_iter().collect())
}

fn borrowed(values: &[Option<String>]) -> Vec<Option<&str>> {
    values.iter().map(Option::as_deref).collect()
}

fn date_hierarchies() -> impl Strategy<Value = Hierarchy> {
    use DatePart::*;
    let sequences = vec![
        vec![Minute, Hour, Day, Month, Quarter, HalfYear, Year, Decade, Century],
        vec![Hour, Day, Week],
        vec![Week],
        vec![Day, Quarter, Century],
        vec![HalfYear, Year],
    ];
    prop::sample::select(sequences).prop_map(|levels| Hierarchy::Dates(Dates::new(levels).unwrap()))
}

proptest! {
    #[test]
    fn whole_holds(values in texts("\\PC{0,3}")) {
        holds(&Hierarchy::Whole, &borrowed(&values))?;
    }

    #[test]
    fn redaction_holds(
        values in texts("[ab*🙂]{0,6}"), left in any::<bool>(), length in 1usize..6,
        alphabet in prop::option::of(2u32..30),
    ) {
        let side = if left { Side::Left } else { Side::Right };
        let redaction = Redaction::new('*', side, length, alphabet).unwrap();
        holds(&Hierarchy::Redaction(redaction), &borrowed(&values))?;
    }

    #[test]
    fn intervals_hold(
        values in texts("-?[0-9]{1,3}(\\.[0-9]{1,2})?"),
        min in -500i64..500, length in 1i64..900, widths in prop::collection::vec(1i64..6, 1..5),
        scale in 0u32..3, clamp in any::<bool>(), rounding in 0usize..4,
    ) {
        let grid = if scale == 0 { Grid::Integer } else { Grid::Decimal };
        let rounding = [Rounding::None, Rounding::Down, Rounding::Nearest, Rounding::Up][rounding];
        let decimal = |number: i64| Decimal::new(number.into(), scale).unwrap();
        let products = (1..=widths.len()).map(|n| widths[..n].iter().product());
        let widths = products.map(decimal).collect();
        let intervals = Intervals::new(IntervalsSpec {
            widths, min: decimal(min), max: decimal(min + length), grid,
            outliers: if clamp { Outliers::Clamp } else { Outliers::Label },
            rounding: if scale == 0 { rounding } else { Rounding::None },
        });
        holds(&Hierarchy::Intervals(intervals.unwrap()), &borrowed(&values))?;
    }

    #[test]
    fn dates_hold(
        values in texts("(0000|1999|20[0-2][0-9])-(0[1-9]|1[0-2])-(0[1-9]|2[0-8])[T ](0[0-9]|2[0-3]):[0-5][0-9](Z|[+]01)?"),
        hierarchy in date_hierarchies(),
    ) {
        holds(&hierarchy, &borrowed(&values))?;
    }

    #[test]
    fn orderings_hold(values in texts("[a-c.]{1,4}"), fan_outs in prop::collection::vec(2usize..5, 0..4)) {
        let present: Vec<&str> = values.iter().flatten().map(String::as_str).collect();
        // Values with dots may look like labels; then there is an error, never a wrong hierarchy.
        match group_sorted(&present, ValueType::String, &fan_outs) {
            Ok(table) => holds(&Hierarchy::Table(table), &borrowed(&values))?,
            Err(_) => prop_assert!(present.is_empty() || present.iter().any(|value| value.contains('.'))),
        }
    }

    #[test]
    fn tables_accepted_hold_and_repaired_ones_are_accepted(
        lines in prop::collection::vec(("[a-f]", prop::collection::vec("[x-z*]", 0..4)), 1..8),
        without_line in prop::collection::vec("[a-z*]", 0..6),
    ) {
        let row = |(value, labels)| TableRow { value: Some(value), labels };
        let rows: Vec<_> = lines.into_iter().map(row).collect();
        let check = |table: &TableHierarchy| {
            let values: Vec<_> = table.lines().iter().map(|line| line.value()).collect();
            let ladder = Hierarchy::Table(table.clone()).ladder(&values);
            ladder.is_ok_and(|ladder| Ladder::from_rungs(ladder.rungs().to_vec()).is_ok())
        };
        let accepted = TableHierarchy::new(rows.clone());
        if let Ok(table) = &accepted {
            prop_assert!(check(table));
        }
        let without_line: Vec<&str> = without_line.iter().map(String::as_str).collect();
        match repair(rows, &without_line) {
            Ok(Repair { table, .. }) => {
                prop_assert!(check(&table));
                let has = |value: &&str| table.lines().iter().any(|line| line.value() == Some(*value));
                prop_assert!(without_line.iter().all(has));
            }
            Err(_) => prop_assert!(accepted.is_err()),
        }
    }

    #[test]
    fn chains_hold(values in texts("[0-9]{1,4}"), length in 1usize..5) {
        let redaction = Hierarchy::Redaction(Redaction::new('0', Side::Right, length, None).unwrap());
        let decimal = |number: i64| Decimal::from(number);
        let intervals = Intervals::new(IntervalsSpec {
            widths: vec![decimal(500), decimal(1000)], min: decimal(0), max: decimal(5000),
            outliers: Outliers::Label, rounding: Rounding::None, grid: Grid::Integer,
        });
        let parts = vec![redaction, Hierarchy::Intervals(intervals.unwrap()), Hierarchy::Whole];
        holds(&Hierarchy::Chain(Chain::new(parts).unwrap()), &borrowed(&values))?;
    }

    #[test]
    fn labels_of_hostile_values_do_not_panic(
        value in any::<String>(), level in any::<u8>(), dates in date_hierarchies(),
    ) {
        for hierarchy in [Hierarchy::Whole, age(), dates] {
            let _ = hierarchy.label(Some(&value), level);
        }
    }
}
