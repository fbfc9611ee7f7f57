//! What the data file can be.

use crate::support::{JOB, Place, patients};

fn released(output: &str, table: &str) -> Place {
    let place =
        Place::with(&JOB.replace("path = \"release\"", &format!("path = \"release\"\n{output}")), table);
    place.anonymize(&[]).expect(0);
    place.run(&["verify", "release"]).expect(0);
    place
}

#[test]
fn parquet_and_arrow_are_accepted_by_the_verifier() {
    let place = released("format = \"parquet\"", &patients());
    assert!(place.bytes("release/data.parquet").starts_with(b"PAR1"));
    let place = released("format = \"arrow\"", &patients());
    assert!(place.bytes("release/data.arrow").starts_with(b"ARROW1"));
}

#[test]
fn a_released_parquet_file_can_be_read_again() {
    let place = released("format = \"parquet\"", &patients());
    let checked = place.run(&["init", "release/data.parquet", "-o", "again.toml"]).expect(0);
    assert!(checked.out.contains("diagnosis"));
    let job = JOB.replace(
        "type = \"integer\"\nhierarchy = { intervals = { widths = [5, 10, 20], min = 0, max = 100 } }",
        "",
    );
    let job = job.replace("[[attributes]]\nname = \"name\"\nrole = \"identifying\"\n", "");
    let job = job.replace("hierarchy = { redact = { from = \"right\" } }", "");
    place.write("asis.toml", job.replace("patients.csv", "release/data.parquet"));
    place.run(&["check", "release/data.parquet", "--job", "asis.toml"]).expect(0);
}

#[test]
fn formulas_are_defused_on_request() {
    let table = patients().replace("gout", "=2+3");
    let place = released("spreadsheet_safe = true", &table);
    let data = place.read("release/data.csv");
    assert!(data.contains("'=2+3") && !data.contains(",=2+3"));
    let place = released("spreadsheet_safe = false", &table);
    assert!(place.read("release/data.csv").contains(",=2+3"));
}

#[test]
fn the_delimiter_of_the_input_is_kept() {
    let place = released("", &patients().replace(',', ";"));
    assert!(place.read("release/data.csv").starts_with("age;sex;zip;diagnosis\n"));
    let place = released("delimiter = \"|\"", &patients());
    assert!(place.read("release/data.csv").starts_with("age|sex|zip|diagnosis\n"));
}

#[test]
fn input_order_is_kept_with_a_warning() {
    let job = JOB.replace("path = \"release\"", "path = \"release\"\norder = \"input\"");
    let place = Place::with(&job, patients());
    let run = place.anonymize(&[]).expect(0);
    assert!(run.out.contains("warning: rows keep the order of the input"));
    place.run(&["verify", "release"]).expect(0);
}

#[test]
fn missing_cells_are_released_as_missing() {
    let table = patients().replace(",gout\n", ",\n").replace(",m,", ",NA,");
    let job = JOB.replace("path = \"patients.csv\"", "path = \"patients.csv\"\nnull = [\"NA\", \"\"]");
    let place = Place::with(&job, table);
    place.anonymize(&[]).expect(0);
    place.run(&["verify", "release"]).expect(0);
    assert!(place.read("release/data.csv").contains("NA"));
}

#[cfg(feature = "xlsx")]
#[test]
fn workbooks_are_written_verified_and_read_again() {
    let place = released("format = \"xlsx\"", &patients());
    assert!(place.bytes("release/data.xlsx").starts_with(b"PK"));
    place.run(&["risk", "release"]).expect(0);
    let job = JOB.replace(
        "type = \"integer\"\nhierarchy = { intervals = { widths = [5, 10, 20], min = 0, max = 100 } }",
        "type = \"string\"",
    );
    let job = job.replace("[[attributes]]\nname = \"name\"\nrole = \"identifying\"\n", "");
    let job = job.replace("hierarchy = { redact = { from = \"right\" } }", "");
    place.write("asis.toml", job.replace("patients.csv", "release/data.xlsx"));
    place.run(&["check", "release/data.xlsx", "--job", "asis.toml"]).expect(0);
    // A cell that is changed, or a byte behind the archive, is found.
    let mut bytes = place.bytes("release/data.xlsx");
    bytes.push(0);
    place.write("release/data.xlsx", bytes);
    place.run(&["verify", "release"]).expect(1);
}

#[cfg(feature = "xlsx")]
#[test]
fn a_workbook_is_a_table() {
    let numbers = released("format = \"xlsx\"\norder = \"input\"", &patients());
    // The release of a table without generalization is a workbook with numbers in it.
    let job = JOB.replace("path = \"patients.csv\"", "path = \"release/data.xlsx\"\nsheet = \"Sheet1\"");
    let job = job.replace("[[attributes]]\nname = \"name\"\nrole = \"identifying\"\n", "");
    let job = job.replace(
        "type = \"integer\"\nhierarchy = { intervals = { widths = [5, 10, 20], min = 0, max = 100 } }",
        "",
    );
    let job = job.replace("path = \"release\"\n", "path = \"second\"\n");
    numbers.write("second.toml", &job);
    numbers.run(&["anonymize", "second.toml"]).expect(0);
    numbers.write("third.toml", job.replace("Sheet1", "Tabelle1"));
    let told = numbers.run(&["anonymize", "third.toml", "--force"]).expect(2);
    assert!(told.err.contains("no sheet of that name"), "{}", told.err);
}

#[cfg(feature = "xlsx")]
#[test]
fn words_for_missing_values_are_known_in_workbooks_as_well() {
    let rows: String = (0..200)
        .map(|n| {
            let score = if n % 9 == 4 { "NA".to_owned() } else { (n * 7 % 90).to_string() };
            format!("{},{},{score},{}\n", 20 + n % 5, ["f", "m"][n % 2], ["flu", "gout", "cold"][n % 3])
        })
        .collect();
    let job = "version = 1\ninput.path = \"patients.csv\"\nprivacy.models = [{ model = \"k-anonymity\", k = 2 }]\n\
               output = { path = \"release\", format = \"xlsx\" }\n\
               [[attributes]]\nname = \"age\"\nrole = \"quasi-identifier\"\n\
               [[attributes]]\nname = \"sex\"\nrole = \"quasi-identifier\"\n\
               [[attributes]]\nname = \"score\"\nrole = \"insensitive\"\n\
               [[attributes]]\nname = \"diagnosis\"\nrole = \"sensitive\"\n";
    let place = Place::with(job, format!("age,sex,score,diagnosis\n{rows}"));
    place.anonymize(&[]).expect(0);
    let told = place.run(&["init", "release/data.xlsx", "--output", "again.toml"]).expect(0).out;
    assert!(told.contains("Cells with `NA` count as missing"), "{told}");
    assert!(place.read("again.toml").contains("\"NA\""));
}

#[cfg(feature = "stata")]
#[test]
fn a_data_set_of_stata_is_a_table() {
    // pandas wrote it: six stays, with dates, labels and missing values.
    let stays = include_bytes!("../../../tables/src/read/tests/data/stays-118.dta");
    let place = crate::support::Place::new();
    place.write("stays.dta", stays);
    place.run(&["init", "stays.dta", "--k", "2", "--force"]).expect(0);
    let job = place.read("paravent.toml");
    assert!(job.contains("path = \"stays.dta\""), "{job}");
    place.run(&["anonymize", "paravent.toml", "--set", "privacy.suppression_limit=0.5"]).expect(0);
    place.run(&["verify", "release"]).expect(0);
    let data = place.read("release/data.csv");
    assert!(data.lines().count() > 2, "{data}");
}
