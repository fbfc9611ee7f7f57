use super::*;
use crate::slice::CodedTable;
use paravent_ledger::Book;
use paravent_noise::budget::Cost;
use paravent_tables::read::{Input, ReadOptions};
use proptest::prelude::*;

fn table(text: &str) -> CodedTable {
    CodedTable::read(&Input::from_bytes(text, ReadOptions::new("people.csv"))).unwrap()
}

fn people(rows: usize) -> CodedTable {
    let mut text = String::from("weight,sex,age,ward\n");
    for row in 0..rows {
        let (sex, ward) = (["f", "m", ""][row * 7 % 3], ["north", "south"][row * 5 % 2]);
        text.push_str(&format!("{row}.5,{sex},{},{ward}\n", 20 + row * 13 % 50));
    }
    table(&text)
}

fn drawn(table: &CodedTable, columns: &[&str], seed: u64) -> Result<NoisyTable, NoiseError> {
    let columns = columns.iter().map(|text| column(text).unwrap()).collect();
    let request = Request { columns, seed: Some(seed) };
    let mut book = Book::in_memory(Cost::parse("1000", Some("0.5")).unwrap()).allowing_unbounded();
    Prepared::new(table, None, &request)?.pay(&mut book)?.draw(table)
}

/// The cells of a column, by the weight of their row: no two have the same.
fn cells(noisy: &NoisyTable, name: &str) -> Vec<Option<String>> {
    let find = |name: &str| noisy.columns.iter().find(|column| column.name == name).unwrap();
    let (ids, column) = (find("weight"), find(name));
    let mut rows: Vec<(u64, Option<String>)> = (0..noisy.rows())
        .map(|row| {
            let weight: f64 = ids.cells[ids.codes[row] as usize].as_ref().unwrap().parse().unwrap();
            (weight as u64, column.cells[column.codes[row] as usize].clone())
        })
        .collect();
    rows.sort();
    rows.into_iter().map(|(_, cell)| cell).collect()
}

const SEX: &str = "sex=0.5:uniform('f', 'm', NULL)";

#[test]
fn a_seed_repeats_and_another_does_not() {
    let table = people(200);
    let sex = |seed| cells(&drawn(&table, &[SEX], seed).unwrap(), "sex");
    assert_eq!(sex(1), sex(1));
    assert_ne!(sex(1), sex(2));
}

#[test]
fn what_one_column_draws_does_not_depend_on_the_cells_of_another() {
    let (one, other) = (people(100), {
        let text: String = std::iter::once("weight,sex,age,ward\n".to_owned())
            .chain((0..100).map(|row| format!("{row}.5,{},7,south\n", ["f", "m", ""][row * 7 % 3])))
            .collect();
        table(&text)
    });
    let ages = "age=epsilon(1):laplace(min => 0, max => 100)";
    let both = drawn(&one, &[SEX, ages], 4).unwrap();
    assert_eq!(cells(&both, "sex"), cells(&drawn(&other, &[SEX, ages], 4).unwrap(), "sex"));
    assert_ne!(cells(&both, "age"), cells(&drawn(&other, &[SEX, ages], 4).unwrap(), "age"));
}

#[test]
fn the_cost_is_the_sum_over_columns_and_nothing_is_drawn_beyond_the_limit() {
    let table = people(10);
    let columns =
        vec![column(SEX).unwrap(), column("age=epsilon(0.25):laplace(min => 0, max => 100)").unwrap()];
    let request = Request { columns, seed: Some(1) };
    let prepared = || Prepared::new(&table, None, &request).unwrap();
    // p = 1/2 over three values: 1 + (1/2)/(1/6) = 4, so ln 4 = 1.386295; rounding takes a millionth off the Laplace noise.
    assert_eq!(prepared().cost().epsilon().to_string(), "1.636294");
    let mut book = Book::in_memory(Cost::parse("1.636293", None).unwrap());
    assert!(matches!(prepared().pay(&mut book), Err(NoiseError::Book(_))));
    let mut book = Book::in_memory(Cost::parse("1.636294", None).unwrap());
    assert!(prepared().pay(&mut book).is_ok());
    assert!(prepared().pay(&mut book).is_err(), "a second copy costs again");
}

#[test]
fn cases_are_those_of_the_row() {
    let table = people(300);
    let by = "sex=0.5:uniform('f', 'm', NULL, by => ward, cases => (('north', 0), ('south', 1)))";
    let noisy = drawn(&table, &[by], 9).unwrap();
    let (sex, ward) = (cells(&noisy, "sex"), cells(&noisy, "ward"));
    let before = |row: usize| ["f", "m", ""][row * 7 % 3];
    let same = |row: usize| sex[row].as_deref().unwrap_or("") == before(row);
    let changed =
        |name: &str| (0..300).filter(|&row| ward[row].as_deref() == Some(name) && !same(row)).count();
    assert_eq!(changed("north"), 0);
    assert!(changed("south") > 60, "two thirds of 150: {}", changed("south"));
    // Nobody is north and south: a case is missing.
    let lacking = "sex=1:uniform('f', 'm', NULL, by => ward, cases => (('north', 0)))";
    let (name, mut spec) = column(lacking).unwrap();
    spec.strength = paravent_job::Strength::Whole;
    let request = Request { columns: vec![(name, spec)], seed: None };
    let refused = Prepared::new(&table, None, &request).unwrap_err();
    assert!(matches!(refused, NoiseError::Outside { ref column, .. } if column == "ward"), "{refused}");
}

#[test]
fn estimates_come_near_the_truth() {
    let table = people(3_000);
    let noisy = drawn(
        &table,
        &[SEX, "age=epsilon(4):laplace(min => 20, max => 70, step => 10, outside => clamp)"],
        3,
    )
    .unwrap();
    let account = |name: &str| noisy.accounts.iter().find(|account| account.column == name).unwrap();
    for estimate in account("sex").estimates.as_ref().unwrap() {
        assert!((estimate.estimate - 1_000.0).abs() < 5.0 * estimate.standard_error, "{estimate:?}");
        assert!(estimate.standard_error < 100.0);
    }
    let mean = account("age").mean.unwrap();
    let truth = (0..3_000).map(|row| f64::from((20 + row * 13 % 50 + 5) / 10 * 10)).sum::<f64>() / 3_000.0;
    assert!((mean.estimate - truth).abs() < 5.0 * mean.standard_error, "{mean:?} {truth}");
}

#[test]
fn no_message_has_a_cell() {
    let table = table("id,sex\n1,f\n2,secret-cell\n");
    let refused = drawn(&table, &["sex=0.5:uniform('f', 'm')"], 1).unwrap_err().to_string();
    assert!(refused.contains("row 2") && !refused.contains("secret"), "{refused}");
    let debug =
        format!("{:?}", drawn(&table, &["sex=0.5:uniform('f', 'm', other => 'm')"], 1).unwrap().columns);
    assert!(!debug.contains("secret"), "{debug}");
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(16))]

    /// The slow twin: every row by itself, with the drawer of the library, numbered from 1.
    #[test]
    fn rows_are_drawn_as_the_library_draws_them(seed: u64, rows in 1usize..60) {
        use paravent_noise::draw::{Drawer, Plan, Secret, Stream};
        use paravent_noise::{Distribution, Probability, Response};
        let table = people(rows);
        let noisy = drawn(&table, &[SEX], seed).unwrap();
        let response = Response::new(Probability::parse("0.5").unwrap(), Distribution::uniform(3).unwrap());
        let plan = std::sync::Arc::new(Plan::new(&response).unwrap());
        let mut drawer = Drawer::new(&Secret::from_seed(seed), Stream { operator: 1, attribute: 0 }, plan);
        let values = [Some("f"), Some("m"), None];
        for (row, cell) in cells(&noisy, "sex").into_iter().enumerate() {
            let code = (row * 7 % 3) as u32;
            let shown = drawer.draw(row as u64 + 1, code).unwrap();
            prop_assert_eq!(cell.as_deref(), values[shown as usize]);
        }
    }
}
