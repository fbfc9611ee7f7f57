//! Codes that are handed out: each stands for one person, one house or one case, even where it stands in two or three rows.
//!
//! Words are no codes, however rare: a town or an occupation that two people share names neither of them.

use super::shapes::{digits, is_exact_date, is_icd, is_measure};
use std::collections::HashSet;

/// Share of the different cells that must have the shape.
const MOST: f64 = 0.8;

/// What most of these different cells seem to be; `None` for words, measures and codes of an illness.
pub(super) fn handed_out(cells: &[&str]) -> Option<&'static str> {
    let most = |shape: &dyn Fn(&str) -> bool| {
        let count = cells.iter().filter(|cell| shape(cell)).count();
        !cells.is_empty() && count as f64 >= MOST * cells.len() as f64
    };
    if most(&is_exact_postcode) {
        Some("postal codes of a few houses")
    } else if most(&is_case_number) {
        Some("numbers of cases")
    } else if most(&is_number_plate) {
        Some("number plates")
    } else if most(&is_token) {
        Some("codes that are handed out, each to one or a few")
    } else if most(&is_login) && has_many_stems(cells) {
        Some("names of accounts")
    } else {
        None
    }
}

/// `SW1A 2AA`, `53113-0417`: a postal code that a few houses share.
fn is_exact_postcode(cell: &str) -> bool {
    let is_zip_plus = |cell: &str| {
        cell.split_once('-').is_some_and(|(area, houses)| {
            digits(area) && digits(houses) && area.len() == 5 && houses.len() == 4
        })
    };
    let is_british = |cell: &str| {
        let Some((area, houses)) = cell.split_once(' ') else { return false };
        let (area, houses) = (area.as_bytes(), houses.as_bytes());
        let letters = area.iter().take_while(|byte| byte.is_ascii_uppercase()).count();
        let district = &area[letters..];
        (1..=2).contains(&letters)
            && (1..=2).contains(&district.len())
            && district[0].is_ascii_digit()
            && district.iter().all(|byte| byte.is_ascii_digit() || byte.is_ascii_uppercase())
            && matches!(houses, [digit, one, two] if digit.is_ascii_digit() && one.is_ascii_uppercase() && two.is_ascii_uppercase())
    };
    is_zip_plus(cell) || is_british(cell)
}

/// `2024/00017`: a year and a number of that year. Two years are a span.
fn is_case_number(cell: &str) -> bool {
    let is_year =
        |text: &str| digits(text) && text.len() == 4 && (text.starts_with("19") || text.starts_with("20"));
    cell.split_once(['/', '-']).is_some_and(|(year, number)| {
        is_year(year) && digits(number) && (4..=8).contains(&number.len()) && !is_year(number)
    })
}

/// `BN-XY 1234`
fn is_number_plate(cell: &str) -> bool {
    let parts: Vec<&str> = cell.split(['-', ' ']).collect();
    let letters = |part: &str, most: usize| {
        (1..=most).contains(&part.chars().count()) && part.chars().all(char::is_uppercase)
    };
    let number = |part: &str| digits(part.trim_end_matches(['E', 'H'])) && part.len() <= 5;
    matches!(parts.as_slice(), [town, own, last] if letters(town, 3) && letters(own, 3) && number(last))
}

/// `F980926991`, `92fad601-f0c8-1335c319a72b`: letters and digits mixed, without a word.
fn is_token(cell: &str) -> bool {
    let shown = |keep: fn(&u8) -> bool| cell.bytes().filter(keep).count();
    let allowed = cell.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"-._:/".contains(&byte));
    let (letters, numbers) = (shown(u8::is_ascii_alphabetic), shown(u8::is_ascii_digit));
    allowed
        && letters >= 1
        && numbers >= 4
        && letters + numbers >= 8
        && !is_exact_date(cell)
        && !is_measure_with_unit(cell)
        && !is_icd(cell)
}

/// Digits that come before letters only are a number with its unit: `1200.50mmol/l`.
fn is_measure_with_unit(cell: &str) -> bool {
    let end = cell.trim_start_matches(|c: char| c.is_ascii_digit() || ".,:/-+".contains(c));
    is_measure(cell) && end.bytes().all(|byte| byte.is_ascii_alphabetic() || byte == b'/')
}

/// `ihaddad42`, `@annanovak7`: small letters and a number after them.
fn is_login(cell: &str) -> bool {
    let stem = stem(cell);
    let number = &cell.trim_start_matches('@')[stem.len()..];
    stem.len() >= 4
        && stem.bytes().all(|byte| byte.is_ascii_lowercase())
        && number.len() <= 4
        && digits(number)
}

fn stem(cell: &str) -> &str {
    cell.trim_start_matches('@').trim_end_matches(|c: char| c.is_ascii_digit())
}

/// `visit1`, `visit2` number one thing; accounts have the names of many.
fn has_many_stems(cells: &[&str]) -> bool {
    let stems: HashSet<&str> = cells.iter().map(|cell| stem(cell)).collect();
    2 * stems.len() >= cells.len()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn codes_of_people_and_houses_are_told() {
        for (cells, looks) in [
            (&["SW1A 2AA", "NN17 6HN", "M1 1AE"][..], "postal codes of a few houses"),
            (&["25597-9804", "53113-0417"], "postal codes of a few houses"),
            (&["2024/00017", "2024/00020", "2023-001199"], "numbers of cases"),
            (&["MX-HN 0579", "B-AB 1234", "BN-X 7E"], "number plates"),
            (&["F980926991", "A123456780"], "codes that are handed out, each to one or a few"),
            (&["KFHUEP08M55B942Z", "RSSMRA85T10A562S"], "codes that are handed out, each to one or a few"),
            (
                &["92fad601-f0c8-1335c319a72b", "0aab4401-e0c8-9335c319a72b"],
                "codes that are handed out, each to one or a few",
            ),
            (&["ihaddad42", "pschmidt3", "zlarsen7"], "names of accounts"),
        ] {
            assert_eq!(handed_out(cells), Some(looks), "{cells:?}");
        }
    }

    #[test]
    fn words_measures_and_illnesses_are_no_codes() {
        for cells in [
            &["5.41", "5,41 mmol/l", "1200.55mmol/l", "120/80"][..],
            &["E11.9", "I10.90", "S72.001A"],
            &["A10BA02", "C09AA05", "N02BE01"],
            &["BRCA1", "CYP2D6", "HLA-B27", "TP53"],
            &["visit1", "visit2", "visit3", "visit4"],
            &["2019-2023", "2023/2024", "2020-2021"],
            &["2024-03-09", "2024-03-10T10:00", "1.2.2024"],
            &["Bonn", "Ulm", "Frankfurt am Main"],
            &["Type 2 diabetes", "Stage 3 cancer", "Metformin 500 mg"],
            &["718-7", "2345-7", "8140/3"],
            &[],
        ] {
            assert_eq!(handed_out(cells), None, "{cells:?}");
        }
    }
}
