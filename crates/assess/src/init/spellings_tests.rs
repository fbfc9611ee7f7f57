//! How cells are found to be written.

use super::spellings::{Spellings, find};
use paravent_core::values::Spelling;
use paravent_tables::read::{Blanks, Input, ReadOptions};
use paravent_tables::watch::Unwatched;

fn found(text: &str) -> Spellings {
    let input = Input::from_bytes(text.as_bytes().to_vec(), ReadOptions::new("table.csv"));
    find(&input, "2026-06-30", &Unwatched).unwrap()
}

fn shown(spellings: &Spellings) -> Vec<String> {
    let show = |spelling: &Option<Spelling>| match spelling {
        Some(Spelling::Truth(truth)) => format!("{}/{}", truth.yes(), truth.no()),
        None => "-".to_owned(),
        Some(Spelling::Moment(pattern)) => pattern.as_str().to_owned(),
        Some(Spelling::Number(number)) => {
            format!("{}{}", number.decimal(), number.grouping().unwrap_or('_'))
        }
    };
    spellings.columns.iter().map(show).collect()
}

#[test]
fn german_cells_are_recognised() {
    let text = "bmi;kosten;born;seen;plz;n\n27,5;8.123,4;09.03.1984;31.12.2023 14:05;01067;1.234\n30,0;17,0;10.11.1990;01.02.2024 09:00;81667;12\nNA;NA;;;;\n";
    let found = found(text);
    assert_eq!(shown(&found), [",_", ",.", "dd.MM.yyyy", "dd.MM.yyyy HH:mm", "-", ",."]);
    assert!(
        found.notes.iter().any(|note| note.contains("`n`") && note.contains("group thousands")),
        "{:?}",
        found.notes
    );
    assert_eq!(found.blanks, Blanks::Keep);
}

#[test]
fn american_cells_are_recognised() {
    let found = found("d|a|t\n12/31/2023|1,234.5|1/9/2024 2:05 PM\n01/02/2024|17|11/30/2023 12:00 AM\n");
    assert_eq!(shown(&found), ["MM/dd/yyyy", ".,", "M/d/yyyy h:mm a"]);
}

#[test]
fn what_can_be_read_in_two_ways_is_told() {
    let one = found("d\n01/02/2024\n03/04/2024\n");
    assert_eq!(shown(&one), ["MM/dd/yyyy"]);
    assert!(one.notes[0].contains("two ways"), "{:?}", one.notes);
    let two = found("d;e\n01/02/2024;31/01/2024\n03/04/2024;01/01/2024\n");
    assert_eq!(shown(&two), ["dd/MM/yyyy", "dd/MM/yyyy"]);
    assert!(two.notes.is_empty(), "{:?}", two.notes);
}

#[test]
fn what_the_engine_writes_itself_is_no_spelling() {
    assert_eq!(
        shown(&found("a;b;c;d\n2024-03-09;1.5;x;20240309\n2024-03-10;2;y;20240310\n")),
        ["-", "-", "-", "yyyyMMdd"]
    );
    assert_eq!(shown(&found("id\n12345678\n87654321\n")), ["-"]);
}

#[test]
fn numbers_in_different_signs_are_told() {
    let found = found("weight;age\n72,5;3\n72.5;4\n1.234,5;5\n");
    assert_eq!(shown(&found), ["-", "-"]);
    assert!(found.notes[0].starts_with("`weight`: its numbers have different decimal"), "{:?}", found.notes);
    assert_eq!(found.notes.len(), 1);
}

#[test]
fn blanks_around_cells_and_rows_of_nothing_are_seen() {
    assert_eq!(found("a;b\n x;1\n").blanks, Blanks::Trim);
    assert_eq!(found("a;b\nx;1\n;\n").blanks, Blanks::Trim);
    assert_eq!(found("a;b\nx;1\n").blanks, Blanks::Keep);
}

#[test]
fn grouped_thousands_are_not_divided() {
    // A comma between the cells is no decimal comma inside them.
    let us = found("age,income\n35,\"24,500\"\n58,\"1,000\"\n");
    assert_eq!(shown(&us), ["-", ".,"]);
    assert!(us.notes[0].contains("group thousands"), "{:?}", us.notes);
    // Money in a file of semicolons.
    let german = found("Alter;Gehalt\n35;59.500\n58;17.000\n");
    assert_eq!(shown(&german), ["-", ",."]);
    assert!(german.notes[0].contains("group thousands"), "{:?}", german.notes);
    // Other columns have decimal points, or decimal commas.
    assert_eq!(shown(&found("a;b\n1.5;12,000\n2.25;1,500\n")), ["-", ".,"]);
    assert_eq!(shown(&found("a;b\n1,5;12,000\n2,25;1,500\n")), [",_", ",_"]);
}

#[test]
fn numbers_that_nothing_decides_stay_text() {
    for (text, says) in [
        ("x;y\na;12,000\nb;1,500\n", "two ways"),
        ("x;y\na;12.000\nb;1.500\n", "two ways"),
        ("x,Gehalt\na,12.000\nb,1.500\n", "two ways"),
    ] {
        let found = found(text);
        assert_eq!(shown(&found), ["-", "-"], "{text}");
        assert!(found.is_text(1) && !found.is_text(0), "{text}");
        assert!(found.notes[0].contains(says) && found.notes[0].contains("grouping"), "{:?}", found.notes);
    }
    // A zero in front, or other than three digits, is a fraction.
    for text in ["x;y\na;0,500\nb;1,500\n", "x;y\na;12,00\nb;1,500\n"] {
        assert_eq!(shown(&found(text)), ["-", ",_"], "{text}");
    }
    assert_eq!(shown(&found("x,y\na,1.234\nb,2.500\n")), ["-", "-"]);
}

#[test]
fn blanks_and_apostrophes_group_as_well() {
    for sign in [" ", "\u{a0}", "\u{202f}", "\u{2019}", "'"] {
        let found = found(&format!("x;w\na;8{sign}984,57\nb;1{sign}599,93\n"));
        assert_eq!(shown(&found), ["-".to_owned(), format!(",{sign}")], "{sign:?}");
    }
    assert_eq!(shown(&found("x;w\na;8\u{2019}984.57\nb;1\u{2019}599.93\n")), ["-", ".\u{2019}"]);
}

/// A German table of births with something else in some of its cells.
fn births(others: &[&str]) -> String {
    let days = (0..200).map(|n| format!("{:02}.{:02}.{};x\n", 1 + n % 28, 1 + n % 12, 1940 + n % 60));
    let others = others.iter().map(|other| format!("{other};x\n"));
    std::iter::once("Geburtsdatum;b\n".to_owned()).chain(days).chain(others).collect()
}

#[test]
fn one_cell_does_not_cost_the_dates() {
    for odd in ["00.00.1950", "99.99.9999", "31.02.1980", "1955", "nicht mehr bekannt"] {
        let found = found(&births(&[odd]));
        assert_eq!(shown(&found), ["dd.MM.yyyy", "-"], "{odd}");
        assert_eq!(found.odd, [odd]);
        let note = &found.notes[0];
        assert!(note.contains("200 of 201 cells are dd.MM.yyyy; row 201 is not"), "{note}");
        assert!(!note.contains(odd), "{note}");
    }
    // Words that stand for nothing are known.
    for word in ["unbekannt", "#NV", "#N/A", "manquant", "sin datos", "k. A.", "\u{2014}", "tbd"] {
        let found = found(&births(&[word]));
        assert_eq!((shown(&found).join(" ").as_str(), found.odd.len()), ("dd.MM.yyyy -", 0), "{word}");
    }
}

#[test]
fn too_many_other_cells_are_told() {
    let many: Vec<String> = (0..40).map(|n| format!("{n}/1/1980")).collect();
    let many: Vec<&str> = many.iter().map(String::as_str).collect();
    let found = found(&births(&many));
    assert_eq!(shown(&found), ["-", "-"]);
    assert!(found.notes[0].contains("look like dates") && found.odd.is_empty(), "{:?}", found.notes);
}

#[test]
fn moments_with_an_offset_are_dates_and_nothing_is_told() {
    let rows: String = (0..60).map(|n| format!("2023-01-{:02}T10:{n:02}:00Z;x\n", 1 + n % 28)).collect();
    let found = found(&format!("measured_at;b\n{rows}"));
    assert_eq!((shown(&found), found.notes), (vec!["-".to_owned(), "-".to_owned()], Vec::<String>::new()));
}

#[test]
fn amounts_with_a_currency_are_told() {
    for cells in [["$8,123.40", "$12.00"], ["27,50 €", "8.123,40 €"], ["CHF 1'200.50", "CHF 20.00"]] {
        let found = found(&format!("x;cost\na;{}\nb;{}\n", cells[0], cells[1]));
        assert_eq!(shown(&found), ["-", "-"]);
        let note = found.notes.join(" ");
        assert!(note.contains("amounts with the sign of a currency") && !note.contains("8"), "{note}");
    }
    assert!(found("x;cost\na;$8\nb;n\n").notes.is_empty());
}

#[test]
fn a_text_that_is_a_value_elsewhere_is_not_missing() {
    let found = found(&births(&["x"]));
    assert_eq!((shown(&found).join(" ").as_str(), found.odd.len()), ("- -", 0));
    assert!(found.notes[0].contains("also stands in another column"), "{:?}", found.notes);
}

#[test]
fn births_of_two_digits_are_not_in_the_future() {
    let births = |years: std::ops::Range<u32>| -> String {
        let days = years.map(|year| format!("01.02.{:02};03.04.{:02}\n", year % 100, 20 + year % 5));
        std::iter::once("Geburtsdatum;Aufnahme\n".to_owned()).chain(days).collect()
    };
    assert_eq!(shown(&found(&births(1922..2006))), ["dd.MM.yy from 1922", "dd.MM.yy"]);
    assert_eq!(shown(&found(&births(1930..2010))), ["dd.MM.yy", "dd.MM.yy"]);
    // Without a gap the last hundred years are taken.
    assert_eq!(shown(&found(&births(1926..2026)))[0], "dd.MM.yy from 1927");
    let told = &found(&births(1922..2006)).notes[0];
    assert!(told.contains("1922 to 2021") && told.contains("future"), "{told}");
}
