//! `codes = "icd-10"` or `codes = { keep = [5, 3], ranges = [["A00-B99"]], length = 5, align = "right" }`

use toml::de::DeValue;

use paravent_core::hierarchy::{CodeRange, STRUCTURES};

use crate::keys::{Key, Takes, key, words};
use crate::render_toml::{cells, list, table};
use crate::side::Side;
use crate::suggest::{closest, quoted, shortened};
use crate::walk::{Item, Walk};

/// The keys.
pub(crate) const CODES: &[Key] = &[
    key("keep", Takes::List(&Takes::Whole(1, u8::MAX as u64)), "How many characters stay, level by level"),
    key("ranges", Takes::List(&Takes::List(&Takes::Text)), "Ranges like A00-A09, level by level"),
    key("length", Takes::Whole(1, u8::MAX as u64), "Characters of every code"),
    key("align", Takes::Choice(words::<Side>), "The end that is the same place in all codes"),
];

/// Codes by position.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum CodesSpec {
    /// A public structure, by its name.
    Named(String),
    /// Levels of one's own.
    Own(Codes),
}

/// Beginnings of codes, then ranges.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Codes {
    /// How many characters stay, level by level.
    pub keep: Vec<u8>,
    /// `A00-A09`, level by level.
    pub ranges: Vec<Vec<String>>,
    /// Characters of every code.
    pub length: Option<u8>,
    /// The end that is the same place in all codes.
    pub align: Side,
}

pub(crate) fn codes(walk: &mut Walk, item: &Item<'_>) -> Option<CodesSpec> {
    if let DeValue::String(name) = item.value.get_ref() {
        if !STRUCTURES.contains(&name.as_ref()) {
            let advice = match closest(name, STRUCTURES.iter().copied()) {
                Some(meant) => format!("Did you mean {}?", shortened(meant)),
                None => format!("Write one of: {}", STRUCTURES.join(", ")),
            };
            walk.report(
                item.line,
                &item.key,
                format!("{} is not a known structure", shortened(name)),
                &advice,
            );
            return None;
        }
        return Some(CodesSpec::Named(name.to_string()));
    }
    let section = item.section(walk)?;
    section.allow_keys(walk, CODES);
    let keep = match section.get(walk, "keep", "[5, 3]") {
        Some(item) => item.list(walk, 1, |walk, entry| entry.u8(walk, 1))?,
        None => Vec::new(),
    };
    let ranges = match section.get(walk, "ranges", "[[\"A00-A09\", \"A15-A19\"], [\"A00-B99\"]]") {
        Some(item) => item.list(walk, 1, |walk, level| level.list(walk, 1, range))?,
        None => Vec::new(),
    };
    let length = section.get(walk, "length", "5").and_then(|item| item.u8(walk, 1));
    let align =
        section.get(walk, "align", "\"right\"").and_then(|item| item.choice(walk, "an end of a code"));
    if keep.is_empty() && ranges.is_empty() && walk.complete() {
        let advice = "Write e.g. codes = \"icd-10\" or codes = { keep = [3, 1] }";
        walk.report(item.line, &item.key, "needs keep or ranges", advice);
        return None;
    }
    Some(CodesSpec::Own(Codes { keep, ranges, length, align: align.unwrap_or(Side::Left) }))
}

fn range(walk: &mut Walk, item: &Item<'_>) -> Option<String> {
    let text = item.string(walk)?;
    if CodeRange::parse(text).is_none() {
        item.report(walk, "must be a range of codes of one length in capital letters, like A00-A09");
        return None;
    }
    Some(text.to_owned())
}

pub(crate) fn codes_text(codes: &CodesSpec) -> String {
    match codes {
        CodesSpec::Named(name) => quoted(name),
        CodesSpec::Own(codes) => table([
            (!codes.keep.is_empty()).then(|| ("keep", list(codes.keep.iter().map(u8::to_string)))),
            (!codes.ranges.is_empty())
                .then(|| ("ranges", list(codes.ranges.iter().map(|level| cells(level))))),
            codes.length.map(|length| ("length", length.to_string())),
            (codes.align != Side::Left).then(|| ("align", quoted(codes.align.name()))),
        ]),
    }
}
