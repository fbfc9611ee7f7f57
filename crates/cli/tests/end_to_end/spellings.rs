//! Tables as people have them: their signs, forms of dates and encodings, and what comes back.

use crate::support::Place;

const JOB: &str = r#"version = 1

[input]
path = "export.csv"
encoding = "windows-1252"
null = ["", "NA"]
blanks = "trim"

[[attributes]]
name = "Geburt"
role = "quasi-identifier"
type = "date"
format = "dd.MM.yyyy"
hierarchy = { dates = ["year", "decade"] }
max_level = 0

[[attributes]]
name = "Aufnahme"
role = "sensitive"
type = "datetime"
format = "dd.MM.yyyy HH:mm"

[[attributes]]
name = "BMI"
role = "sensitive"
type = "decimal"
decimal = ","

[[attributes]]
name = "Kosten"
role = "insensitive"
decimal = ","
grouping = "."

[[attributes]]
name = "Straße"
role = "insensitive"

[privacy]
suppression_limit = 0.2
models = [{ model = "k-anonymity", k = 2 }]

[output]
path = "release"
encoding = "windows-1252"
"#;

/// Windows-1252 with a `sep=` line, blanks around cells, and the empty rows that spreadsheets leave at the end.
fn export() -> Vec<u8> {
    let text = "sep=;\r\nGeburt;Aufnahme;BMI;Kosten;Straße\r\n\
                09.03.1984;01.02.2024 14:05;27,5;8.123,40;Mühle\r\n\
                09.03.1984;  02.02.2024 07:30 ;NA;1.000;Höfe\r\n\
                10.03.1984;03.02.2024 00:00;30,0;17,00;Mühle\r\n\
                10.03.1984;04.02.2024 23:59;31,25;999,5;\r\n\
                ;;;;\r\n;;;;\r\n";
    encoded(text)
}

fn encoded(text: &str) -> Vec<u8> {
    text.chars().map(|c| u8::try_from(u32::from(c)).unwrap()).collect()
}

fn place(job: &str) -> Place {
    let place = Place::with(job, "");
    place.write("export.csv", export());
    place
}

#[test]
fn values_come_back_in_the_spelling_they_came_in() {
    let place = place(JOB);
    place.anonymize(&[]).expect(0);
    let released = "Geburt;Aufnahme;BMI;Kosten;Straße\n\
                    09.03.1984;01.02.2024 14:05;27,5;8.123,40;Mühle\n\
                    09.03.1984;02.02.2024 07:30;;1.000;Höfe\n\
                    10.03.1984;03.02.2024 00:00;30;17,00;Mühle\n\
                    10.03.1984;04.02.2024 23:59;31,25;999,5;\n";
    assert_eq!(place.bytes("release/data.csv"), encoded(released));
    place.run(&["verify", "release"]).expect(0);
    place.run(&["risk", "release"]).expect(0);
    place.run(&["attack", "release", "--against", "export.csv", "--job", "paravent.toml"]).expect(0);
}

#[test]
fn a_cell_in_another_spelling_in_the_released_file_is_found() {
    let place = place(JOB);
    place.anonymize(&[]).expect(0);
    let data = place.bytes("release/data.csv");
    let text: String = data.iter().map(|&byte| char::from(byte)).collect();
    place.write("release/data.csv", encoded(&text.replace("27,5", "27.5")));
    let told = place.run(&["verify", "release"]).expect(1);
    assert!(told.out.contains("bytes"), "{}", told.out);
}

#[test]
fn another_decimal_sign_and_a_byte_order_mark_are_written_on_request() {
    let job = JOB.replace("encoding = \"windows-1252\"\n\"#", "");
    let job = job.replace(
        "path = \"release\"\nencoding = \"windows-1252\"",
        "path = \"release\"\ndecimal = \".\"\nbom = true\ndelimiter = \",\"",
    );
    let place = place(&job);
    place.anonymize(&[]).expect(0);
    let data = place.read("release/data.csv");
    assert!(data.starts_with("\u{feff}Geburt,Aufnahme,BMI,Kosten,Straße\n"), "{data}");
    assert!(data.contains("09.03.1984,01.02.2024 14:05,27.5,8123.40,Mühle\n"), "{data}");
    place.run(&["verify", "release"]).expect(0);
}

#[test]
fn a_cell_that_is_not_written_so_is_told_by_its_place() {
    let place = place(JOB);
    let mut table = export();
    let at = table.windows(4).position(|bytes| bytes == b"30,0").unwrap();
    table[at + 2] = b'.';
    place.write("export.csv", table);
    let told = place.anonymize(&[]).expect(4);
    assert!(
        told.err.contains("export.csv, line 5, column `BMI`: not written as decimal = \",\" says"),
        "{}",
        told.err
    );
    assert!(!told.err.contains("30"), "{}", told.err);
}

#[test]
fn characters_that_the_encoding_lacks_are_an_error_before_anything_is_written() {
    let job = JOB.replace(
        "[input]\npath = \"export.csv\"\nencoding = \"windows-1252\"",
        "[input]\npath = \"export.csv\"",
    );
    let place = Place::with(&job, "");
    place.write("export.csv", String::from("sep=;\nGeburt;Aufnahme;BMI;Kosten;Straße\n09.03.1984;01.02.2024 14:05;1;1;Łódź\n09.03.1984;01.02.2024 14:05;1;1;Łódź\n"));
    let told = place.anonymize(&[]).expect(4);
    assert!(told.err.contains("column `Straße` has characters that windows-1252 lacks"), "{}", told.err);
    assert!(!place.path("release").exists());
}

#[test]
fn spellings_that_make_no_sense_are_told_with_what_to_write() {
    let job = JOB
        .replace("format = \"dd.MM.yyyy\"\n", "format = \"DD.MM.YYYY\"\n")
        .replace("type = \"decimal\"\ndecimal = \",\"", "type = \"date\"\ndecimal = \",\"");
    let told = place(&job).anonymize(&[]).expect(2);
    assert!(told.err.contains("`DD` is no part of a date; write d, dd"), "{}", told.err);
    assert!(told.err.contains("is for numbers, not for the type date"), "{}", told.err);
}
