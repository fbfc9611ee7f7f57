//! Data sets that pandas wrote (`DataFrame.to_stata`, versions 114 and 118): dates, instants, labels, missing values, umlauts, long texts.

use super::*;

const OLD: &[u8] = include_bytes!("data/stays-114.dta");
const NEW: &[u8] = include_bytes!("data/stays-118.dta");

fn cells(bytes: &[u8], name: &str) -> Vec<String> {
    let (columns, rows) = read(&input(name, bytes)).unwrap();
    let line = |row: &Vec<Option<String>>| {
        row.iter().map(|cell| cell.as_deref().unwrap_or("-")).collect::<Vec<_>>().join("|")
    };
    [columns.join("|")].into_iter().chain(rows.iter().map(line)).collect()
}

#[test]
fn numbers_dates_labels_and_texts_arrive_as_values() {
    let old = [
        "born|admitted|sex|bmi|kids|town|weight",
        "1951-03-09|2024-03-09T14:05:00|female|27.5|0|Köln|27.5",
        "1960-01-01|2024-01-01T00:00:00|male|31.25|2|München|31.25",
        "1988-12-31|-|female|-|1|-|-",
        "-|2023-12-31T23:59:59|male|22|3|Ulm|22",
        "2000-02-29|2024-06-01T08:30:00|other|19.875|-|Ulm|19.875",
        "1899-12-31|2024-06-02T08:30:00|-|40.1|100|Bonn|40.1",
    ];
    // The format is told by the first bytes as well as by the name.
    assert_eq!(cells(OLD, "stays.dta"), old);
    assert_eq!(cells(OLD, "stays"), old);
    let new = cells(NEW, "stays");
    let long = format!("|lo{}ng", "o".repeat(50));
    let notes = ["|note", long.as_str(), "|short", "|-", "|y", "|z", "|w"];
    let expected: Vec<String> = old.iter().zip(notes).map(|(line, note)| format!("{line}{note}")).collect();
    assert_eq!(new, expected);
}

#[test]
fn columns_can_be_selected() {
    let mut source = input("stays.dta", NEW).open().unwrap();
    source.select(&[2, 0]).unwrap();
    assert_eq!(rows(&mut source).unwrap()[1], [Some("male".to_owned()), Some("1960-01-01".to_owned())]);
}

#[test]
fn a_damaged_data_set_is_an_error_that_shows_no_cell() {
    for whole in [OLD, NEW] {
        for end in (1..whole.len()).step_by(7) {
            match read(&input("stays.dta", &whole[..end])) {
                // Labels and texts behind the rows may be gone; rows are not.
                Ok((_, rows)) => assert_eq!(rows.len(), 6, "{end}"),
                Err(error) => assert!(!error.to_string().contains("nchen"), "{error}"),
            }
        }
        for at in (0..whole.len()).step_by(11) {
            let mut bytes = whole.to_vec();
            bytes[at] ^= 1;
            if let Err(error) = read(&input("stays.dta", bytes)) {
                assert!(!error.to_string().contains("nchen"), "{error}");
            }
        }
    }
}
