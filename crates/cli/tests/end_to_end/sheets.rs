//! Workbooks as people have them: a cover before the table, and dates, amounts and remarks typed in as text.
#![cfg(feature = "xlsx")]

use crate::formats::archive;
use crate::support::Place;

/// A spreadsheet whose cells are text, but for numbers behind a `#`.
fn workbook(sheets: &[(&str, Vec<Vec<String>>)]) -> Vec<u8> {
    let cell = |text: &String| match (text.is_empty(), text.strip_prefix('#')) {
        (true, _) => "<table:table-cell/>".to_owned(),
        (_, Some(number)) => {
            format!(
                "<table:table-cell office:value-type=\"float\" office:value=\"{number}\"><text:p>{number}</text:p></table:table-cell>"
            )
        }
        (false, None) => {
            format!(
                "<table:table-cell office:value-type=\"string\"><text:p>{text}</text:p></table:table-cell>"
            )
        }
    };
    let row = |cells: &Vec<String>| {
        format!("<table:table-row>{}</table:table-row>", cells.iter().map(cell).collect::<String>())
    };
    let table = |(name, rows): &(&str, Vec<Vec<String>>)| {
        format!(
            "<table:table table:name=\"{name}\">{}</table:table>",
            rows.iter().map(row).collect::<String>()
        )
    };
    let space = |name: &str| format!(" xmlns:{name}=\"urn:oasis:names:tc:opendocument:xmlns:{name}:1.0\"");
    let content = format!(
        "<?xml version=\"1.0\" encoding=\"UTF-8\"?><office:document-content{}{}{} office:version=\"1.3\"><office:body>\
         <office:spreadsheet>{}</office:spreadsheet></office:body></office:document-content>",
        space("office"),
        space("table"),
        space("text"),
        sheets.iter().map(table).collect::<String>()
    );
    let manifest =
        format!("<manifest:manifest{} manifest:version=\"1.3\"></manifest:manifest>", space("manifest"));
    archive(&[
        ("mimetype", "application/vnd.oasis.opendocument.spreadsheet"),
        ("META-INF/manifest.xml", &manifest),
        ("content.xml", &content),
    ])
}

fn cells(line: &str) -> Vec<String> {
    line.split('|').map(str::to_owned).collect()
}

/// German stays, every cell a text.
fn stays(rows: usize) -> Vec<Vec<String>> {
    let row = |n: usize| {
        let born = format!("{:02}.{:02}.{}", 1 + n % 28, 1 + n % 12, 1930 + n * 7 % 60);
        let admitted = format!("{:02}.{:02}.2022", 1 + n * 3 % 28, 1 + n * 5 % 12);
        let sex = ["m", "w"][n % 2];
        let amount = format!("{}.{:03},{:02}", 1 + n % 9, n * 37 % 1000, n % 100);
        cells(&format!("{born}|{sex}|{admitted}|{amount}|{}", ["I10.90", "E11.90", "J44.01"][n % 3]))
    };
    std::iter::once(cells("Geburtsdatum|Geschlecht|Aufnahme|Betrag|Diagnose"))
        .chain((0..rows).map(row))
        .collect()
}

#[test]
fn a_table_behind_a_cover_is_found_and_another_sheet_can_be_named() {
    let place = Place::new();
    let legend = vec![cells("Kürzel|Bedeutung"), cells("m|männlich"), cells("w|weiblich")];
    let book = workbook(&[("Deckblatt", vec![cells("Bericht")]), ("Daten", stays(300)), ("Legende", legend)]);
    place.write("stays.ods", book);
    let told = place.run(&["init", "stays.ods", "--force"]).expect(0).out;
    assert!(told.contains("The workbook has 3 sheets; `Daten` is the first with a table"), "{told}");
    assert!(place.read("paravent.toml").contains("sheet = \"Daten\""));
    place.anonymize(&[]).expect(0);
    place.run(&["verify", "release"]).expect(0);

    let told =
        place.run(&["init", "stays.ods", "--sheet", "Legende", "--output", "legend.toml"]).expect(0).out;
    assert!(told.contains("Kürzel") && !told.contains("sheets"), "{told}");
    let wrong = ["init", "stays.ods", "--sheet", "Date", "--output", "none.toml"];
    place.run(&wrong).expect(2).says(&["Its sheets are \"Deckblatt\", \"Daten\", \"Legende\"", "--sheet"]);
    // A workbook of one sheet is not talked about.
    place.write("one.ods", workbook(&[("Daten", stays(100))]));
    let told = place.run(&["init", "one.ods", "--output", "one.toml"]).expect(0).out;
    assert!(!told.contains("sheet"), "{told}");
}

#[test]
fn dates_and_amounts_that_are_text_in_a_workbook_are_understood() {
    let place = Place::new();
    place.write("stays.ods", workbook(&[("Daten", stays(300))]));
    let told = place.run(&["init", "stays.ods", "--for", "research", "--force"]).expect(0).out;
    let job = place.read("paravent.toml");
    assert!(job.contains("format = \"dd.MM.yyyy\"") && job.contains("grouping = \".\""), "{job}");
    // Ages are counted at the end of the year of the last admission, and nobody is born later.
    assert!(job.contains("age = { on = \"2022-12-31\" }"), "{job}");
    assert!(!told.contains("births lie"), "{told}");
    place.anonymize(&[]).expect(0);
    place.run(&["verify", "release"]).expect(0);
    place.run(&["utility", "release", "--against", "stays.ods"]).expect(0);
}

#[test]
fn numbers_of_a_workbook_are_values_however_many_digits_they_have() {
    let place = Place::new();
    // In a text file, three digits behind every point would be thousands or fractions, beside decimal commas thousands.
    let row = |n: usize| {
        let factor = format!("{}.{:03}", n % 9, 101 + n % 800);
        cells(&format!("#{}|{}|#{factor}|12,{}", 20 + n % 50, ["f", "m"][n % 2], n % 10))
    };
    let rows = std::iter::once(cells("age|sex|factor|rate")).chain((0..300).map(row));
    place.write("t.ods", workbook(&[("A", rows.collect())]));
    let told = place.run(&["init", "t.ods", "--for", "research", "--force"]).expect(0).out;
    let job = place.read("paravent.toml");
    let declared = |name: &str| {
        let (_, rest) = job.split_once(&format!("name = \"{name}\"\n")).unwrap_or_default();
        rest.split("\n\n").next().unwrap_or_default().to_owned()
    };
    assert!(declared("factor").contains("\"decimal\""), "{job}");
    assert!(!declared("factor").contains("grouping"), "{job}");
    assert!(declared("rate").contains("decimal = \",\""), "{job}");
    assert!(!told.contains("two ways"), "{told}");
}
