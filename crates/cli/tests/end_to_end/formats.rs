//! What the data file can be.

use crate::support::{JOB, Place, patients};
#[cfg(feature = "xlsx")]
use paravent_pipeline::read::{Batch, Input, ReadOptions};
#[cfg(feature = "xlsx")]
use std::path::Path;

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

/// The cells of a table of whatever format, row by row.
#[cfg(feature = "xlsx")]
fn cells(path: &Path) -> impl Iterator<Item = Vec<String>> {
    let input = Input::new(ReadOptions::new(path)).unwrap();
    let (mut source, mut batch, mut rows) = (input.open().unwrap(), Batch::default(), Vec::new());
    while source.next_batch(&mut batch).unwrap() {
        let cell = |row| batch.columns.iter().map(move |cells| cells.get(row).unwrap_or_default().to_owned());
        rows.extend((0..batch.rows).map(|row| cell(row).collect()));
    }
    rows.into_iter()
}

#[cfg(feature = "xlsx")]
#[test]
fn labels_that_look_like_dates_stay_text_in_workbooks() {
    // Five years wide from 0 on: `0-4`, `5-9`, which spreadsheets take for days.
    let rows: String =
        (0..60).map(|i| format!("p{i},{},f,81667,{}\n", i % 15, ["flu", "gout"][i % 2])).collect();
    let job = JOB.replace("max = 100 } }", "max = 100 } }\nmin_level = 1\nmax_level = 1");
    let job = job.replace("path = \"release\"", "path = \"release\"\nformat = \"xlsx\"");
    let place = Place::with(&job, format!("name,age,sex,zip,diagnosis\n{rows}"));
    place.anonymize(&[]).expect(0);
    place.run(&["verify", "release"]).expect(0);
    let mut ages: Vec<String> = cells(&place.path("release/data.xlsx")).map(|row| row[0].clone()).collect();
    ages.sort();
    ages.dedup();
    assert_eq!(ages, ["0-4", "10-14", "5-9"]);
}

/// An archive of files that are stored as they are.
#[cfg(feature = "xlsx")]
pub(crate) fn archive(files: &[(&str, &str)]) -> Vec<u8> {
    let sum = |bytes: &[u8]| {
        let shifted = |sum: u32, _| if sum & 1 == 1 { sum >> 1 ^ 0xEDB8_8320 } else { sum >> 1 };
        !bytes.iter().fold(!0, |sum: u32, &byte| (0..8).fold(sum ^ u32::from(byte), shifted))
    };
    let (mut archive, mut directory) = (Vec::new(), Vec::new());
    for (name, text) in files {
        let length = u32::try_from(text.len()).unwrap().to_le_bytes();
        let start = u32::try_from(archive.len()).unwrap().to_le_bytes();
        // Version, flags, method, time and day; then checksum, both lengths, and the length of the name.
        let mut facts = [&[20, 0, 0, 0, 0, 0, 0, 0, 33, 0], &sum(text.as_bytes()).to_le_bytes()[..]].concat();
        facts.extend([length, length].concat());
        facts.extend([u8::try_from(name.len()).unwrap(), 0, 0, 0]);
        archive.extend([b"PK\x03\x04", &facts[..], name.as_bytes(), text.as_bytes()].concat());
        directory.extend([b"PK\x01\x02\x14\x00", &facts[..], &[0; 10], &start, name.as_bytes()].concat());
    }
    let count = [u8::try_from(files.len()).unwrap(), 0];
    let (size, start) = (u32::try_from(directory.len()).unwrap(), u32::try_from(archive.len()).unwrap());
    let end = [b"PK\x05\x06\0\0\0\0", &count[..], &count, &size.to_le_bytes(), &start.to_le_bytes(), &[0, 0]];
    [archive, directory, end.concat()].concat()
}

/// A sheet with numbers, texts, days, moments and times of day, as LibreOffice writes them.
#[cfg(feature = "xlsx")]
fn spreadsheet(rows: usize) -> Vec<u8> {
    let cell = |kind: &str, value: &str, shown: &str| {
        format!(
            "<table:table-cell office:value-type=\"{kind}\"{value}><text:p>{shown}</text:p></table:table-cell>"
        )
    };
    let text = |text: &str| cell("string", "", text);
    let header = ["age", "sex", "born", "admitted", "slept", "diagnosis"].map(text).concat();
    let row = |n: usize| {
        let (age, month, day, hour) = (20 + n % 4, 1 + n % 12, 1 + n % 28, n % 24);
        let born = format!("{}-{month:02}-{day:02}", 2000 - n % 4);
        let admitted = format!("2024-{month:02}-{day:02}T{hour:02}:30:00");
        [
            cell("float", &format!(" office:value=\"{age}\""), &age.to_string()),
            text(["f", "m"][n % 2]),
            cell("date", &format!(" office:date-value=\"{born}\""), "as the country writes it"),
            cell("date", &format!(" office:date-value=\"{admitted}\""), "with the hour"),
            cell("time", &format!(" office:time-value=\"PT{hour:02}H15M00S\""), "early"),
            text(["flu", "gout", "angina"][n % 3]),
        ]
        .concat()
    };
    let lines: Vec<String> = std::iter::once(header).chain((0..rows).map(row)).collect();
    let rows =
        lines.iter().map(|line| format!("<table:table-row>{line}</table:table-row>")).collect::<String>();
    let space = |name: &str| format!(" xmlns:{name}=\"urn:oasis:names:tc:opendocument:xmlns:{name}:1.0\"");
    let content = format!(
        "<?xml version=\"1.0\" encoding=\"UTF-8\"?><office:document-content{}{}{} office:version=\"1.3\"><office:body>\
         <office:spreadsheet><table:table table:name=\"Sheet1\">{rows}</table:table></office:spreadsheet></office:body>\
         </office:document-content>",
        space("office"),
        space("table"),
        space("text")
    );
    let manifest =
        format!("<manifest:manifest{} manifest:version=\"1.3\"></manifest:manifest>", space("manifest"));
    archive(&[
        ("mimetype", "application/vnd.oasis.opendocument.spreadsheet"),
        ("META-INF/manifest.xml", &manifest),
        ("content.xml", &content),
    ])
}

#[cfg(feature = "xlsx")]
#[test]
fn an_open_document_with_days_and_times_is_proposed_released_and_verified() {
    let place = Place::new();
    place.write("patients.ods", spreadsheet(240));
    place.run(&["init", "patients.ods", "--force"]).expect(0);
    let job = place.read("paravent.toml");
    let declared = |name: &str| {
        let (_, rest) = job.split_once(&format!("name = \"{name}\"\n")).unwrap_or_default();
        rest.split("\n\n").next().unwrap_or_default().to_owned()
    };
    assert!(declared("born").contains("type = \"date\""), "{job}");
    assert!(declared("admitted").contains("type = \"datetime\""), "{job}");
    place.anonymize(&[]).expect(0);
    place.run(&["verify", "release"]).expect(0);
    place.run(&["attack", "release", "--against", "patients.ods", "--job", "paravent.toml"]).expect(0);
    // As much of the days as the job shows, and of moments and times nothing finer.
    let rows: Vec<Vec<String>> = cells(&place.path("release/data.xlsx")).collect();
    assert!(rows.len() > 200 && rows.iter().any(|row| row.contains(&"angina".to_owned())), "{rows:?}");
    assert!(rows.iter().flatten().all(|cell| !cell.contains(':')), "{rows:?}");
    // A damaged one names no cell.
    let bytes = spreadsheet(240);
    place.write("cut.ods", &bytes[..bytes.len() / 2]);
    let told = place.anonymize(&["--input", "cut.ods", "--force"]).expect(4);
    assert!(told.err.contains("cut.ods") && !told.err.contains("angina"), "{}", told.err);
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
