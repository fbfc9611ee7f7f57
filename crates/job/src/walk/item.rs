//! One value of the job file, taken as what it should be.

use std::collections::HashSet;
use std::ops::RangeInclusive;
use std::path::PathBuf;

use toml::Spanned;
use toml::de::DeValue;

use super::{Section, Walk};
use crate::ascii_char::AsciiChar;
use crate::decimal::DecimalText;
use crate::names::Named;
use crate::suggest::{closest, shortened};

/// A value with its place. Each method that takes it as something reports a problem and gives `None` if it is not.
pub struct Item<'t> {
    /// What is written.
    pub(crate) value: &'t Spanned<DeValue<'t>>,
    /// Like `privacy.models[1].l`.
    pub key: String,
    /// Where it stands.
    pub line: usize,
    /// Like `Write e.g. l = 3`.
    pub advice: String,
}

impl<'t> Item<'t> {
    /// Reports a problem with this value, with its advice.
    pub fn report(&self, walk: &mut Walk, message: impl Into<String>) {
        walk.report(self.line, &self.key, message, &self.advice);
    }

    /// A table.
    pub fn section(&self, walk: &mut Walk) -> Option<Section<'t>> {
        match self.value.get_ref() {
            DeValue::Table(table) => Some(Section { table, path: self.key.clone(), line: self.line }),
            other => self.wrong_type(walk, "a table", other),
        }
    }

    /// The entries of a list with at least `least` of them.
    pub fn entries(&self, walk: &mut Walk, least: usize) -> Option<Vec<Item<'t>>> {
        let DeValue::Array(entries) = self.value.get_ref() else {
            return self.wrong_type(walk, "a list", self.value.get_ref());
        };
        // The rest may be in a part that could not be read.
        if entries.len() < least && !walk.complete() {
            return None;
        }
        if entries.len() < least {
            let message = match (entries.len(), least) {
                (0, 1) => "must not be empty".to_owned(),
                _ => format!("must have at least {least} entries"),
            };
            self.report(walk, message);
            return None;
        }
        let entry = |(i, value): (usize, &'t Spanned<DeValue<'t>>)| Item {
            value,
            key: format!("{}[{i}]", self.key),
            line: walk.line(value.span().start),
            advice: self.advice.clone(),
        };
        Some(entries.iter().enumerate().map(entry).collect())
    }

    /// Each entry of a list taken by `take`; `None` if one of them was not what it should be.
    pub fn list<T>(
        &self,
        walk: &mut Walk,
        least: usize,
        mut take: impl FnMut(&mut Walk, &Item<'t>) -> Option<T>,
    ) -> Option<Vec<T>> {
        let entries = self.entries(walk, least)?;
        // All are looked at, also after one that is wrong.
        let taken: Vec<Option<T>> = entries.iter().map(|entry| take(walk, entry)).collect();
        taken.into_iter().collect()
    }

    /// A text.
    pub fn string(&self, walk: &mut Walk) -> Option<&'t str> {
        match self.value.get_ref() {
            DeValue::String(text) => Some(text),
            other => self.wrong_type(walk, "a string", other),
        }
    }

    /// A string that is not empty.
    pub fn name(&self, walk: &mut Walk) -> Option<&'t str> {
        let text = self.string(walk)?;
        if text.is_empty() {
            self.report(walk, "must not be empty");
            return None;
        }
        Some(text)
    }

    /// A path; not empty.
    pub fn path(&self, walk: &mut Walk) -> Option<PathBuf> {
        self.name(walk).map(PathBuf::from)
    }

    /// A cell value. Numbers, dates and `true` may be written without quotes: cells have no type yet.
    pub fn cell(&self, walk: &mut Walk) -> Option<String> {
        match self.value.get_ref() {
            DeValue::String(text) => Some(text.as_ref().to_owned()),
            DeValue::Integer(number) if number.radix() == 10 => Some(number.as_str().to_owned()),
            DeValue::Float(number) => Some(number.as_str().to_owned()),
            DeValue::Boolean(truth) => Some(truth.to_string()),
            DeValue::Datetime(date) => Some(date.to_string()),
            other => self.wrong_type(walk, "a value, written as a string", other),
        }
    }

    /// A list of cell values without repetitions.
    pub fn cells(&self, walk: &mut Walk, least: usize) -> Option<Vec<String>> {
        let mut seen = HashSet::new();
        self.list(walk, least, |walk, entry| {
            let cell = entry.cell(walk)?;
            if !seen.insert(cell.clone()) {
                let advice = "List each value once";
                walk.report(entry.line, &entry.key, format!("{} is listed twice", shortened(&cell)), advice);
            }
            Some(cell)
        })
    }

    /// `true` or `false`.
    pub fn truth(&self, walk: &mut Walk) -> Option<bool> {
        match self.value.get_ref() {
            DeValue::Boolean(truth) => Some(*truth),
            other => self.wrong_type(walk, "true or false", other),
        }
    }

    /// A whole number in a range.
    pub fn whole(&self, walk: &mut Walk, range: RangeInclusive<u64>) -> Option<u64> {
        let DeValue::Integer(literal) = self.value.get_ref() else {
            return self.wrong_type(walk, "a whole number", self.value.get_ref());
        };
        let written = i128::from_str_radix(literal.as_str(), literal.radix()).ok();
        let number = written.and_then(|number| u64::try_from(number).ok()).filter(|n| range.contains(n));
        if number.is_none() {
            let (least, most) = range.into_inner();
            let below = written.is_some_and(|number| number < i128::from(least));
            let message = match (most < u64::from(u32::MAX), below) {
                (true, _) => format!("must be between {least} and {most}"),
                (false, true) => format!("must be at least {least}"),
                (false, false) => format!("must be at most {most}"),
            };
            self.report(walk, message);
        }
        number
    }

    /// A whole number, at least `least`.
    pub fn u32(&self, walk: &mut Walk, least: u32) -> Option<u32> {
        let number = self.whole(walk, u64::from(least)..=u64::from(u32::MAX))?;
        u32::try_from(number).ok()
    }

    /// A whole number, at least `least`.
    pub fn u8(&self, walk: &mut Walk, least: u8) -> Option<u8> {
        let number = self.whole(walk, u64::from(least)..=u64::from(u8::MAX))?;
        u8::try_from(number).ok()
    }

    /// A finite number from 0 to `most`, where a binary float is good enough.
    pub(crate) fn size(&self, walk: &mut Walk, most: f64) -> Option<f64> {
        let number = self.literal(walk, "a number")?.parse().ok();
        let number = number.filter(|number: &f64| number.is_finite() && (0.0..=most).contains(number));
        if number.is_none() {
            let finite = if most == f64::MAX { String::new() } else { format!(" and at most {most}") };
            self.report(walk, format!("must be a finite number, at least 0{finite}"));
        }
        // -0.0 is in the range, but would be written back with its sign.
        number.map(f64::abs)
    }

    /// A decimal number, perhaps in quotes.
    pub fn decimal(&self, walk: &mut Walk) -> Option<DecimalText> {
        let literal = match self.value.get_ref() {
            DeValue::String(text) => text,
            _ => self.literal(walk, "a decimal number")?,
        };
        DecimalText::new(literal).map_err(|error| self.report(walk, error.to_string())).ok()
    }

    /// A number as it was written.
    fn literal(&self, walk: &mut Walk, expected: &str) -> Option<&'t str> {
        match self.value.get_ref() {
            DeValue::Integer(literal) if literal.radix() == 10 => Some(literal.as_str()),
            DeValue::Integer(_) => {
                self.report(walk, "must be written with decimal digits");
                None
            }
            DeValue::Float(literal) => Some(literal.as_str()),
            other => self.wrong_type(walk, expected, other),
        }
    }

    /// A decimal for which `fits` holds; `range` says so in words.
    pub fn decimal_in(
        &self,
        walk: &mut Walk,
        range: &str,
        fits: impl Fn(&DecimalText) -> bool,
    ) -> Option<DecimalText> {
        let number = self.decimal(walk)?;
        if !fits(&number) {
            self.report(walk, format!("must be {range}"));
            return None;
        }
        Some(number)
    }

    /// `what` with its article, as in `a role`.
    pub fn choice<T: Named>(&self, walk: &mut Walk, what: &str) -> Option<T> {
        let text = self.string(walk)?;
        let found = T::ALL.iter().copied().find(|choice| choice.name() == text);
        if found.is_none() {
            let names: Vec<&str> = T::ALL.iter().map(|choice| choice.name()).collect();
            let listed = names.join(", ");
            let advice = match closest(text, names) {
                Some(meant) => format!("Did you mean \"{meant}\"? Possible: {listed}"),
                None => format!("Possible: {listed}"),
            };
            walk.report(self.line, &self.key, format!("{} is not {what}", shortened(text)), &advice);
        }
        found
    }

    pub(crate) fn ascii_char(&self, walk: &mut Walk) -> Option<AsciiChar> {
        let text = self.string(walk)?;
        let found = AsciiChar::parse(text);
        if found.is_none() {
            self.report(walk, "must be a single ASCII character or \"tab\"");
        }
        found
    }

    /// Whether a text is written.
    pub fn is_text(&self) -> bool {
        self.value.get_ref().is_str()
    }

    /// Whether `true` or `false` is written.
    pub fn is_truth(&self) -> bool {
        matches!(self.value.get_ref(), DeValue::Boolean(_))
    }

    /// Reports that something else is written.
    pub(crate) fn wrong_type<T>(&self, walk: &mut Walk, expected: &str, found: &DeValue<'_>) -> Option<T> {
        let found = match found {
            DeValue::String(_) => "a string",
            DeValue::Integer(_) => "a whole number",
            DeValue::Float(_) => "a decimal number",
            DeValue::Boolean(_) => "true or false",
            DeValue::Datetime(_) => "a date",
            DeValue::Array(_) => "a list",
            DeValue::Table(_) => "a table",
        };
        self.report(walk, format!("must be {expected}, not {found}"));
        None
    }
}
