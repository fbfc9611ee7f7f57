//! Does a column name or number the people whose rows it is in?
//!
//! The name of the column tells much and is sometimes wrong (`email_consent` is a flag), so cells decide wherever they can.
//! A column with a few values that many people share identifies nobody, whatever it is called.

use super::codes::handed_out;
use super::personal_names::{KNOWN, SURELY_KNOWN, are_names};
use super::shapes::{
    is_card, is_coordinate, is_device_or_token, is_email, is_exact_date, is_handle, is_iban, is_icd,
    is_internet_address, is_measure, is_phone, is_plain_phone, is_social_security, is_street_address,
};
use super::texts::name_people;
use super::{Hint, hint};
use serde::Serialize;
use std::collections::BTreeSet;

/// A column as it is released.
#[derive(Clone, Copy)]
pub struct ColumnCells<'a> {
    /// Its name.
    pub name: &'a str,
    /// Its different cells, missing ones aside, in any order that does not depend on the rows.
    pub cells: &'a [&'a str],
    /// People (or rows, where people are not counted) with a cell that is not missing.
    pub people: u64,
}

/// Why a column looks as if it named or numbered people.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct Telling {
    /// What it seems to be, as in "looks like …".
    pub looks: &'static str,
    /// Whether the column's name says so; else its cells.
    pub by_name: bool,
}

/// Most values of a category.
const FEW: usize = 20;
/// Fewest names that are no category.
const FEWEST_NAMES: usize = 6;
/// Fewest people that share a value of a category, on average.
const SHARED: u64 = 5;
/// Share of the different cells that must have a shape.
const MOST: f64 = 0.8;
/// Different cells that are looked at; in a larger column, every nth.
const SAMPLE: usize = 20_000;
/// With fewer people nothing can be said about uniqueness.
const ENOUGH_PEOPLE: u64 = 20;
/// Fewest digits of a number that is a key and not a measure.
const KEY_DIGITS: usize = 6;
/// The same where several rows share it.
const SHARED_KEY_DIGITS: usize = 7;
/// Rows in which a code of a person stands at most, on average.
const ROWS_EACH: u64 = 3;
/// Fewest numbers that can be told to be handed out one after the other.
const ENOUGH_KEYS: usize = 100;

/// A shape of cells, and what has it.
type Shape = (fn(&str) -> bool, &'static str);

/// In the order in which they are told.
const SHAPES: [Shape; 10] = [
    (is_email, "e-mail addresses"),
    (is_social_security, "social security numbers"),
    (is_iban, "bank accounts"),
    (is_card, "payment cards"),
    (is_device_or_token, "numbers of devices or tokens"),
    (is_internet_address, "addresses on the net"),
    (is_handle, "names of accounts"),
    (is_phone, "telephone numbers"),
    (is_plain_phone, "telephone numbers"),
    (is_street_address, "postal addresses"),
];

/// What a column that is released as it is seems to identify people by; `None` where it does not.
#[must_use]
pub fn identifying(column: &ColumnCells<'_>) -> Option<Telling> {
    if !column.cells.iter().any(|cell| cell.contains(is_invisible)) {
        return told(column);
    }
    // Signs that nobody sees do not make another cell.
    let shown: BTreeSet<String> =
        column.cells.iter().map(|cell| cell.chars().filter(|c| !is_invisible(*c)).collect()).collect();
    let cells: Vec<&str> = shown.iter().map(String::as_str).collect();
    told(&ColumnCells { cells: &cells, ..*column })
}

/// Signs without a width, and those that turn the text around. The joiners of Indian and Persian words are none of them.
fn is_invisible(c: char) -> bool {
    matches!(c, '\u{ad}' | '\u{200b}' | '\u{200e}' | '\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2060}'..='\u{2064}' | '\u{2066}'..='\u{2069}' | '\u{feff}')
}

/// The same for cells that show all of their signs.
fn told(column: &ColumnCells<'_>) -> Option<Telling> {
    let distinct = column.cells.len();
    let is_category = distinct <= 2 || (distinct <= FEW && column.people >= SHARED * distinct as u64);
    if is_category {
        // Names from a small circle are names all the same.
        let names = distinct >= FEWEST_NAMES && are_names(column.cells.iter().copied(), SURELY_KNOWN);
        return names.then_some(Telling { looks: "names of people", by_name: false });
    }
    let step = distinct.div_ceil(SAMPLE).max(1);
    let cells = || column.cells.iter().copied().step_by(step);
    let looked_at = distinct.div_ceil(step);
    let most = |shape: fn(&str) -> bool| {
        cells().filter(|cell| shape(cell)).count() as f64 >= MOST * looked_at as f64
    };
    let by_cells = |looks| Some(Telling { looks, by_name: false });
    if let Some((_, looks)) = SHAPES.into_iter().find(|(shape, _)| most(*shape)) {
        return by_cells(looks);
    }
    if most(is_coordinate) {
        return by_cells("places on a map");
    }
    if most(|cell| SHAPES.iter().any(|(shape, _)| shape(cell))) {
        return by_cells("addresses and numbers of people");
    }
    let hint = if is_about(column.name) { Hint::None } else { hint(column.name) };
    let is_secret = matches!(hint, Hint::Sensitive(_));
    if are_names(cells(), KNOWN) {
        return by_cells("names of people");
    }
    let numbers = Numbers::of(cells());
    // Codes that are handed out have no fractions; dates and measurements identify through their values alone, which is counted.
    let measured = numbers.is_none() && (most(is_exact_date) || most(is_measure) || most(is_icd));
    let keys = numbers.as_ref().is_some_and(|numbers| numbers.are_keys(distinct));
    let own = column.people >= ENOUGH_PEOPLE && distinct as u64 * 10 >= column.people * 9;
    let text = numbers.is_none() && !measured;
    // A code that stands in two or three rows stands for those who have them.
    let shared_by_few =
        column.people >= ENOUGH_PEOPLE && distinct as u64 * ROWS_EACH >= column.people && !is_secret;
    let is_long = |numbers: &Numbers| numbers.length.is_some_and(|length| length >= SHARED_KEY_DIGITS);
    let long_keys = numbers.as_ref().is_some_and(is_long) && !most(is_round);
    if text && distinct > FEW && name_people(cells()) {
        return by_cells("texts that name people");
    }
    match hint {
        Hint::Identifying(what) if !measured => Some(Telling { looks: what, by_name: true }),
        Hint::FreeText if text && distinct > FEW => {
            Some(Telling { looks: "free text, which may name people", by_name: true })
        }
        Hint::Number if 2 * distinct as u64 >= column.people && (keys || text) => {
            Some(Telling { looks: "a number that may stand for a person", by_name: true })
        }
        _ if own && !is_secret && text => by_cells("texts that almost everybody has alone"),
        _ if own && !is_secret && keys => by_cells("numbers that are handed out, one to everybody"),
        _ if shared_by_few && long_keys => by_cells("numbers that are handed out, each to one or a few"),
        _ if shared_by_few && distinct > FEW => handed_out(&cells().collect::<Vec<_>>()).and_then(by_cells),
        _ => None,
    }
}

/// A rounded number is an amount.
fn is_round(cell: &str) -> bool {
    cell.ends_with("00")
}

/// Whether a name speaks of something *about* an identifier: `email_consent`, `phone_type`, `account_balance`.
fn is_about(name: &str) -> bool {
    const ABOUT: &str = "consent einwilligung type typ art kind class klasse category kategorie group gruppe status flag has is hat ist ok \
                         valid verified gueltig count anzahl years jahre months monate days tage amount betrag balance saldo score length \
                         laenge quality qualitaet available vorhanden missing preferred allowed erlaubt usage";
    let small = name.to_lowercase();
    let mut words = small.split(|c: char| !c.is_alphanumeric());
    words.any(|word| ABOUT.split_whitespace().any(|about| about == word))
}

/// A column of whole numbers.
struct Numbers {
    smallest: i128,
    largest: i128,
    /// Digits of all of them, if they have the same number.
    length: Option<usize>,
}

impl Numbers {
    /// `None` where a cell is no whole number.
    fn of<'a>(cells: impl Iterator<Item = &'a str>) -> Option<Numbers> {
        let mut found: Option<Numbers> = None;
        for cell in cells {
            let number: i128 = cell.parse().ok()?;
            let length = Some(cell.len());
            found = Some(match found {
                None => Numbers { smallest: number, largest: number, length },
                Some(known) => Numbers {
                    smallest: known.smallest.min(number),
                    largest: known.largest.max(number),
                    length: known.length.filter(|_| known.length == length),
                },
            });
        }
        found
    }

    /// Numbers that are handed out: one after the other, or all with the same, large number of digits.
    fn are_keys(&self, distinct: usize) -> bool {
        let handed_out = distinct >= ENOUGH_KEYS
            && self.largest.saturating_sub(self.smallest) / 2 < i128::try_from(distinct).unwrap_or(i128::MAX);
        handed_out || self.length.is_some_and(|length| length >= KEY_DIGITS)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn looks<T: AsRef<str>>(name: &str, cells: &[T], people: u64) -> Option<&'static str> {
        let mut cells: Vec<&str> = cells.iter().map(AsRef::as_ref).collect();
        cells.sort_unstable();
        identifying(&ColumnCells { name, cells: &cells, people }).map(|telling| telling.looks)
    }

    fn made(count: u64, make: impl Fn(u64) -> String) -> Vec<String> {
        (0..count).map(make).collect()
    }

    #[test]
    fn identifiers_are_told_by_their_cells_under_any_name() {
        let scrambled = |n: u64| n.wrapping_mul(2_654_435_761) % 900_000 + 100_000;
        for (cells, expected) in [
            (made(40, |n| format!("user{n}@example.org")), "e-mail addresses"),
            (made(40, |n| format!("+49 170 {}", 1_000_000 + n)), "telephone numbers"),
            (made(40, |n| format!("0170{}", 1_000_000 + n)), "telephone numbers"),
            (made(40, |n| format!("{:03}-{:02}-{:04}", n + 100, n, 2 * n)), "social security numbers"),
            (made(40, |n| format!("10.0.{n}.1")), "addresses on the net"),
            (made(40, |n| format!("Hauptstr. {n}")), "postal addresses"),
            (made(40, |n| format!("52.{:04}, 13.{:04}", 5000 + n, 4000 + n)), "places on a map"),
            (made(40, |n| format!("{}", scrambled(n))), "numbers that are handed out, one to everybody"),
            (made(150, |n| format!("{}", 7 + n)), "numbers that are handed out, one to everybody"),
            (made(40, |n| format!("P-{n}-x")), "texts that almost everybody has alone"),
            (made(40, |n| format!("{:08x}-0000-4000-8000-{:012x}", n, n)), "numbers of devices or tokens"),
        ] {
            assert_eq!(looks("v7", &cells, cells.len() as u64), Some(expected), "{}", cells[0]);
        }
    }

    #[test]
    fn mixtures_handles_and_invisible_signs_do_not_hide_people() {
        let either = made(40, |n| {
            if n % 2 == 0 { format!("u{n}@web.example") } else { format!("+49 170 {}", 1_000_000 + n) }
        });
        assert_eq!(looks("v7", &either, 80), Some("addresses and numbers of people"));
        assert_eq!(looks("v7", &made(40, |n| format!("@anna.{n}")), 100), Some("names of accounts"));
        let hidden = ["A\u{200b}nna", "Be\u{ad}rt", "Carl\u{feff}", "\u{2060}Dora", "E\u{200b}mil", "Zita"];
        assert_eq!(looks("x", &hidden, 6), Some("names of people"));
        let called = made(40, |n| format!("called Anna Schmidt back at {n}"));
        assert_eq!(looks("v7", &called, 120), Some("texts that name people"));
        let fever = made(40, |n| format!("fever of day {n} and a cough"));
        assert_eq!(looks("v7", &fever, 400), None);
    }

    #[test]
    fn names_are_told_in_a_table_of_a_few_rows() {
        assert_eq!(looks("x", &["Anna", "Bert", "Carl", "Dora", "Emil", "Zita"], 6), Some("names of people"));
        assert_eq!(looks("name", &["Zita", "Qwert", "Yxcv"], 3), Some("a name"));
        assert_eq!(looks("patient_id", &["3", "1", "2"], 9), Some("a number of a person"));
    }

    #[test]
    fn what_many_share_identifies_nobody() {
        assert_eq!(looks("email", &["yes", "no"], 100), None);
        assert_eq!(looks("has_phone", &["0", "1"], 3), None);
        assert_eq!(looks("name", &["a", "b", "c"], 1000), None);
        assert_eq!(looks("account_type", &["gold", "silver", "basic"], 4), None);
        assert_eq!(looks("email_consent", &["full", "partial", "none"], 5), None);
        let support = made(20, |n| format!("help{n}@example.org"));
        assert_eq!(looks("contact", &support, 100), None);
        assert_eq!(looks("contact", &support, 99), Some("e-mail addresses"));
    }

    #[test]
    fn secrets_and_measurements_are_no_identifiers() {
        let exact = |n: u64| format!("{}.{:02}", 4 + n % 3, (n * 37) % 100);
        for (name, cells) in [
            ("diagnosis", made(60, |n| format!("{}{:02}.{}", (b'A' + (n % 26) as u8) as char, n, n % 10))),
            ("finding", made(60, |n| format!("{}{:02}.{}", (b'A' + (n % 26) as u8) as char, n, n % 10))),
            ("diagnosis", made(30, |n| format!("Disease of kind {n}"))),
            ("hba1c", made(90, exact)),
            ("lab", made(60, |n| format!("{},{:02} mmol/l", n / 10, n))),
            ("pressure", made(60, |n| format!("{}/{}", 100 + n, 60 + n))),
            ("admitted", made(60, |n| format!("2024-03-{:02} 1{}:00", n % 28 + 1, n % 10))),
            ("hours", made(60, |n| format!("{n}"))),
            ("income", made(60, |n| format!("{}", 100_000 + 7919 * n))),
            ("body_mass_index", made(60, |n| format!("{}.{}", 18 + n / 10, n % 10))),
            ("license_years", made(40, |n| format!("{n}"))),
            ("occupation", made(40, |n| format!("Trade {}", (b'a' + n as u8 % 26) as char))),
        ] {
            let people = if name == "occupation" || name == "hours" { 400 } else { cells.len() as u64 };
            assert_eq!(looks(name, &cells, people), None, "{name}");
        }
        assert_eq!(looks("", &[] as &[&str], 0), None);
    }

    #[test]
    fn names_from_a_small_circle_are_names() {
        let circle = ["Anna", "Bert", "Carl", "Dora", "Emil", "Frida", "Georg", "Hanna"];
        assert_eq!(looks("x", &circle, 400), Some("names of people"));
        assert_eq!(looks("x", &circle[..5], 400), None);
        let wards = ["Anna", "North", "South", "Surgery", "Intensive", "Maria", "Children"];
        assert_eq!(looks("ward", &wards, 400), None);
        let drugs = ["Metformin", "Ramipril", "Aspirin", "Insulin", "Atorvastatin", "Pantoprazol"];
        assert_eq!(looks("drug", &drugs, 400), None);
    }

    /// A linear congruential generator: numbers without a pattern.
    fn drawn(n: u64) -> u64 {
        (n + 1).wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407) >> 20
    }

    #[test]
    fn codes_that_stand_in_two_rows_are_codes_of_people() {
        let number = |n: u64| drawn(n) % 9_000_000 + 1_000_000;
        for cells in [
            made(100, |n| format!("{}", number(n))),
            made(100, |n| format!("F{:09}", drawn(n) % 1_000_000_000)),
            made(100, |n| format!("2024/{:05}", 3 * n + 17)),
            made(100, |n| {
                format!("{}-{} {:04}", ["BN", "MX"][n as usize % 2], ["AB", "HN"][n as usize / 50], n)
            }),
            made(100, |n| format!("Am Markt {n}, 5{:04} Bonn", 37 * n)),
            made(100, |n| format!("{} {n}", ["Am Markt", "Bahnhofstra\u{df}e", "Lindenweg"][n as usize % 3])),
            made(100, |n| format!("{:05}-{:04}", 1_000 + 317 * n, 83 * n)),
        ] {
            assert!(looks("x", &cells, 200).is_some(), "{}", cells[0]);
            assert!(looks("x", &cells, 300).is_some(), "{}", cells[0]);
        }
    }

    #[test]
    fn what_a_few_share_may_be_a_measure_or_a_word() {
        for cells in [
            made(150, |n| format!("{}", 120 + n)),
            made(100, |n| format!("{}", 1_000_000 + 12_300 * n)),
            made(100, |n| format!("{}.{:02} mmol/l", 4 + n % 3, n)),
            made(100, |n| format!("{}{:02}.{}", (b'A' + (n % 26) as u8) as char, n % 90, n % 10)),
            made(60, |n| format!("{}burg", (b'A' + (n % 26) as u8) as char) + &"er".repeat(n as usize / 26)),
            made(60, |n| {
                format!(
                    "{} worker {}",
                    ["metal", "wood", "stone"][n as usize % 3],
                    (b'a' + (n / 3) as u8) as char
                )
            }),
            made(60, |n| format!("2024-03-{:02} 1{}:00", n % 28 + 1, n % 10)),
        ] {
            assert_eq!(looks("x", &cells, 2 * cells.len() as u64), None, "{}", cells[0]);
        }
    }

    #[test]
    fn a_rare_category_passes() {
        let mut categories = made(20, |n| format!("category {n}"));
        categories.push("seen once".to_owned());
        assert_eq!(looks("ward", &categories, 800), None);
    }
}
