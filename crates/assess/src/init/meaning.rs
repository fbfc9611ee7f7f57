//! Columns whose meaning is known: dates of birth, postcodes, codes of diagnoses and drugs.

use paravent_core::hierarchy::{Hierarchy, structure};
use paravent_evidence::columns::{Hint, hint};
use paravent_job::{DataType, DateUnit};

use super::Preset;
use super::profile::Column;
use super::shape::Shape;
use super::shaping::Surroundings;

/// A code system, by the look of cells.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Codes {
    /// ICD-10, with or without its point.
    Icd10,
    /// The clinical modification of the United States.
    Icd10Cm,
    /// Anatomical Therapeutic Chemical codes.
    Atc,
    /// Regions of the European Union.
    Nuts,
    /// Postcodes of five digits, some of which may have lost a zero.
    Postcode,
}

impl Codes {
    /// The name of the structure.
    pub(super) fn structure(self, column: &str) -> &'static str {
        match self {
            Codes::Icd10 => "icd-10",
            Codes::Icd10Cm => "icd-10-cm",
            Codes::Atc => "atc",
            Codes::Nuts => "nuts",
            Codes::Postcode if column.to_lowercase().contains("zip") => "zip",
            Codes::Postcode => "plz",
        }
    }
}

/// Parts of names of columns that hold diagnoses, in English and German. Rooms are numbered like `A12`, too.
const DIAGNOSES: [&str; 10] =
    ["icd", "diag", "krankheit", "erkrank", "disease", "condition", "ursache", "cause", "befund", "dx"];

/// Parts of names of columns that hold postcodes, signs and blanks aside. `postop` is none.
const POSTAL: [&str; 8] =
    ["zip", "plz", "postal", "postcode", "codepost", "postleit", "postnummer", "postnumber"];

/// Whether the name of a column speaks of postcodes.
fn is_postal(column: &Column) -> bool {
    let name: String = column.name.to_lowercase().chars().filter(|sign| sign.is_alphanumeric()).collect();
    name == "post" || POSTAL.iter().any(|word| name.contains(word))
}

/// The code system that all cells of a column seem to be from.
pub(super) fn codes_of(column: &Column) -> Option<Codes> {
    let name = column.name.to_lowercase();
    let says = |words: &[&str]| words.iter().any(|word| name.contains(word));
    let all = |is_code: fn(&str) -> bool| {
        let mut some = false;
        column.values().is_some_and(|values| values.inspect(|_| some = true).all(|(value, _)| is_code(value)))
            && some
    };
    let any = |is_it: fn(&str) -> bool| {
        column.values().is_some_and(|mut values| values.any(|(value, _)| is_it(value)))
    };
    if is_postal(column) && all(is_postcode) && any(has_five_digits) {
        Some(Codes::Postcode)
    } else if column.data_type != DataType::String {
        None
    } else if all(is_icd10) && column.distinct.at_least() > 1 && (says(&DIAGNOSES) || any(has_point)) {
        Some(if any(is_american) { Codes::Icd10Cm } else { Codes::Icd10 })
    } else if says(&["atc", "drug", "medik", "medic", "arznei", "wirkstoff"]) && all(is_atc) {
        Some(Codes::Atc)
    } else if says(&["nuts"]) && all(is_nuts) {
        Some(Codes::Nuts)
    } else {
        None
    }
}

/// How many digits all postcodes of a column have that are shorter than five: those of Austria or Switzerland, or regions of longer ones.
/// They are masked as they are: filled up with zeros they would all look alike.
pub(super) fn short_postcodes(column: &Column) -> Option<u8> {
    let mut lengths = column.values().filter(|_| is_postal(column))?.map(|(value, _)| value.len());
    let length = lengths.next().filter(|length| (2..=4).contains(length))?;
    let digits = |value: &str| value.bytes().all(|byte| byte.is_ascii_digit());
    let all = lengths.all(|other| other == length) && column.values()?.all(|(value, _)| digits(value));
    all.then(|| u8::try_from(length).ok())?
}

/// What nearly every analysis asks for first. It is not to be hidden as long as that is possible.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Core {
    /// An age or a date of birth.
    Age,
    /// A sex or gender.
    Sex,
}

/// Whether a column is one of them, by its name or by its cells.
pub(super) fn core_of(column: &Column) -> Option<Core> {
    match hint(&column.name) {
        Hint::QuasiIdentifying("a date of birth or an age") => Some(Core::Age),
        Hint::QuasiIdentifying("a sex or gender") => Some(Core::Sex),
        _ if is_sex(column) => Some(Core::Sex),
        _ => None,
    }
}

/// Two to four values that stand for sexes, in English or German.
fn is_sex(column: &Column) -> bool {
    const WORDS: [&str; 16] = [
        "m",
        "f",
        "w",
        "d",
        "x",
        "u",
        "male",
        "female",
        "other",
        "unknown",
        "maennlich",
        "männlich",
        "weiblich",
        "divers",
        "unbekannt",
        "diverse",
    ];
    let Some(values) = column.values() else { return false };
    let values: Vec<String> = values.map(|(value, _)| value.to_lowercase()).collect();
    let has = |words: [&str; 3]| values.iter().any(|value| words.contains(&value.as_str()));
    (2..=4).contains(&values.len())
        && values.iter().all(|value| WORDS.contains(&value.as_str()))
        && (has(["m", "male", "männlich"]) || has(["maennlich", "m", "male"]))
        && has(["f", "w", "female"]) | has(["weiblich", "w", "f"])
}

/// A shape for a column whose meaning is known.
pub(super) fn by_meaning(column: &Column, around: &Surroundings) -> Option<Shape> {
    let strict = around.preset.is_strict();
    let is_date = matches!(column.data_type, DataType::Date | DataType::DateTime);
    let birth = matches!(hint(&column.name), Hint::QuasiIdentifying("a date of birth or an age"));
    if is_date && birth {
        return Some(Shape::Ages { on: around.on.clone(), widths: vec![5, 10], from: u8::from(strict) });
    }
    if birth && is_age(column) {
        return Some(Shape::Years(vec![5, 10, 20]));
    }
    if is_date && strict {
        return Some(Shape::Dates(vec![DateUnit::Year, DateUnit::Decade]));
    }
    if let Some(length) = short_postcodes(column) {
        return Some(Shape::Redact { length, digits: true, least: u8::from(strict && length > 3) });
    }
    let codes = codes_of(column)?;
    let name = codes.structure(&column.name);
    let levels = Hierarchy::Codes(structure(name)?).max_level();
    let least = if strict && codes == Codes::Postcode { 2 } else { 0 };
    Some(Shape::Codes { structure: name, levels, least })
}

/// Whole numbers, all of which but a few codes for a missing value can be ages of people.
fn is_age(column: &Column) -> bool {
    const OLDEST: i64 = 125;
    let Some(values) = column.values().filter(|_| column.data_type == DataType::Integer) else {
        return false;
    };
    let (mut ages, mut others, mut different) = (0u64, 0u64, 0u64);
    for (value, rows) in values {
        match value.parse::<i64>().is_ok_and(|years| (0..=OLDEST).contains(&years)) {
            true => (ages, different) = (ages + rows, different + 1),
            false => others += rows,
        }
    }
    different > 5 && others * 20 <= ages
}

/// Four or five digits, and the four that may follow in the United States.
fn is_postcode(cell: &str) -> bool {
    let (first, more) = cell.split_once('-').unwrap_or((cell, ""));
    let digits = |text: &str| text.bytes().all(|byte| byte.is_ascii_digit());
    (3..=5).contains(&first.len()) && digits(first) && (more.is_empty() || (more.len() == 4 && digits(more)))
}

/// `E11`, `E11.9`, `E1190`, `M54.5-`, `A01.0+`.
fn is_icd10(cell: &str) -> bool {
    let cell = cell.trim_end_matches(['+', '*', '!', '-', '\u{2020}']);
    let bytes = cell.as_bytes();
    let [letter, ten, one, rest @ ..] = bytes else { return false };
    let rest = rest.strip_prefix(b".").unwrap_or(rest);
    letter.is_ascii_uppercase()
        && ten.is_ascii_digit()
        && one.is_ascii_alphanumeric()
        && rest.len() <= 4
        && rest.iter().all(|byte| byte.is_ascii_alphanumeric() || *byte == b'-')
        && (bytes.len() <= 3 || rest.first().is_some_and(u8::is_ascii_alphanumeric))
}

fn has_five_digits(cell: &str) -> bool {
    cell.split('-').next().is_some_and(|first| first.len() == 5)
}

fn has_point(cell: &str) -> bool {
    cell.contains('.')
}

/// Codes that only the American modification has: six or seven characters (`S52.501A`), or a letter in the third place (`C4A`).
fn is_american(cell: &str) -> bool {
    let places = cell.bytes().filter(u8::is_ascii_alphanumeric).count();
    places > 5 || cell.as_bytes().get(2).is_some_and(u8::is_ascii_alphabetic)
}

/// `A10BA02`, or a group of them.
fn is_atc(cell: &str) -> bool {
    let kinds = [true, false, false, true, true, false, false];
    matches!(cell.len(), 1 | 3 | 4 | 5 | 7)
        && cell.bytes().zip(kinds).all(|(byte, letter)| match letter {
            true => byte.is_ascii_uppercase(),
            false => byte.is_ascii_digit(),
        })
}

/// Two letters of a country, and up to three more characters.
fn is_nuts(cell: &str) -> bool {
    (2..=5).contains(&cell.len())
        && cell.bytes().enumerate().all(|(at, byte)| match at {
            0 | 1 => byte.is_ascii_uppercase(),
            _ => byte.is_ascii_uppercase() || byte.is_ascii_digit(),
        })
}

impl Preset {
    /// Whether dates, postcodes and ages are coarse from the start.
    pub(super) fn is_strict(self) -> bool {
        matches!(self, Preset::Health | Preset::OpenData)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn codes_are_told_by_their_look() {
        for code in ["E11", "E11.9", "E11.90", "E1190", "M54.5-", "A01.0+", "U07.1!"] {
            assert!(is_icd10(code), "{code}");
        }
        for other in ["E1", "e11", "11E", "E11.", "E11..9", "Emil", "E11.90000"] {
            assert!(!is_icd10(other), "{other}");
        }
        assert!(is_american("S52.501A") && is_american("C4A.0") && !is_american("E11.90"));
        assert!(is_atc("A10BA02") && is_atc("A10B") && !is_atc("A1") && !is_atc("A10BA0"));
        assert!(
            is_postcode("01067")
                && is_postcode("1067")
                && is_postcode("02138-1234")
                && !is_postcode("021381")
        );
        assert!(is_nuts("DE212") && is_nuts("AT") && !is_nuts("D1"));
    }
}
