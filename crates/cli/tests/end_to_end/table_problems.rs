//! Tables that are not what they should be.

use crate::support::{JOB, Outcome, Place, patients};

fn failed(table: impl AsRef<[u8]>, code: i32) -> Outcome {
    let place = Place::with(JOB, table);
    let run = place.anonymize(&[]).expect(code);
    assert_eq!(place.names(), ["paravent.toml", "patients.csv"], "nothing is written");
    let json = place.anonymize(&["--json"]).expect(code);
    assert_eq!(json.err, "");
    assert!(json.json()["error"]["message"].is_string());
    run
}

fn spoiled(row: &str) -> String {
    patients() + row
}

#[test]
fn a_ragged_row_is_named_by_its_line() {
    failed(spoiled("extra,30,f,81660\n"), 4).says(&["patients.csv, line 62", "4 cells", "5"]);
    failed(spoiled("extra,30,f,81660,flu,what\n"), 4).says(&["line 62", "6 cells"]);
}

#[test]
fn headers_need_distinct_names() {
    failed(patients().replacen("zip", "age", 1), 4).says(&["patients.csv", "columns 2 and 4", "same name"]);
    failed(patients().replacen("zip", "", 1), 4).says(&["patients.csv", "column 4 has no name"]);
}

#[test]
fn a_cell_of_the_wrong_type_is_named_by_its_line() {
    failed(spoiled("extra,old,f,81660,flu\n"), 2).says(&["patients.csv:62", "age", "integer"]);
}

#[test]
fn what_is_not_a_finite_number_is_refused() {
    for cell in ["NaN", "inf", "-Infinity", "∞"] {
        let job = JOB.replace("type = \"integer\"", "type = \"decimal\"");
        let place = Place::with(&job, spoiled(&format!("extra,{cell},f,81660,flu\n")));
        place.anonymize(&[]).expect(2).says(&["patients.csv:62", "decimal"]);
    }
}

#[test]
fn an_empty_table_cannot_be_anonymized() {
    failed("name,age,sex,zip,diagnosis\n", 4).says(&["patients.csv", "no rows"]);
    failed("", 4).says(&["patients.csv", "empty"]);
}

#[test]
fn bytes_that_are_no_text_are_named_by_their_line() {
    failed(patients().replace("person 30,", "person\0 30,"), 4).says(&["line 32", "NUL"]);
    let mut bytes = patients().into_bytes();
    bytes.extend(b"extra,30,f,8166\xfc,flu\n");
    let job = JOB.replace("path = \"patients.csv\"", "path = \"patients.csv\"\nencoding = \"utf-8\"");
    Place::with(&job, &bytes).anonymize(&[]).expect(4).says(&["line 62"]);
    let job = JOB.replace("path = \"patients.csv\"", "path = \"patients.csv\"\nencoding = \"latin-1\"");
    Place::with(&job, &bytes).anonymize(&[]).expect(0);
}

#[test]
fn a_quote_that_is_never_closed_is_told() {
    failed(spoiled("\"extra,30,f,81660,flu\n"), 4).says(&["quote"]);
}

#[test]
fn other_kinds_of_files_are_recognized() {
    failed(b"PK\x03\x04 this is a spreadsheet", 4).says(&["patients.csv"]);
    failed(b"\x1f\x8b\x08 this is compressed", 4).says(&["patients.csv"]);
    failed(b"$FL2@(#) SPSS DATA FILE", 4).says(&["a data set of SPSS", "readstat data.sav data.csv"]);
    failed(b"SQLite format 3\0 and pages", 4).says(&["a database of SQLite", "sqlite3 -header -csv"]);
    let mut sas = [0; 40];
    sas[12..16].copy_from_slice(&[0xC2, 0xEA, 0x81, 0x60]);
    failed(sas, 4).says(&["a data set of SAS", "proc export"]);
}
