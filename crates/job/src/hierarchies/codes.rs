//! `codes = "icd-10"` or `codes = { keep = [5, 3], ranges = [["A00-B99"]], length = 5, align = "right" }`

use toml::de::DeValue;

use paravent_core::hierarchy::{
    self as core, CodeLevel, CodeRange, CodesError, Hierarchy, STRUCTURES, Side, structure,
};
use paravent_core::values::ValueType;
use serde_json::{Value, json};

use super::json::Node;
use super::{HierarchyBuilder, JsonError, Site};

use crate::keys::{Key, Takes, key, words};
use crate::problem::Problems;
use crate::render_toml::{cells, list, table};
use crate::suggest::{closest, quoted, shortened};
use crate::walk::{Item, Section, Walk};

pub(super) const KEY: Key =
    key("codes", Takes::Either(&[Takes::Text, Takes::Table(KEYS)]), "Beginnings and ranges of codes");
pub(super) const EXAMPLE: &str = "\"icd-10\"";
/// Its name in `transform.json`.
pub(super) const KIND: &str = "codes";

/// The keys.
const KEYS: &[Key] = &[
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

pub(super) fn read(walk: &mut Walk, item: &Item<'_>, _: &Section<'_>) -> Option<CodesSpec> {
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
    section.allow_keys(walk, KEYS);
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

impl HierarchyBuilder for CodesSpec {
    fn text(&self) -> String {
        match self {
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

    fn build(&self, site: &Site<'_>, _: &[Option<&str>], _: ValueType) -> Result<Hierarchy, Problems> {
        let own = match self {
            CodesSpec::Named(name) => {
                let unknown = || site.problem("codes", "is not a known structure").into();
                return structure(name).map(Hierarchy::Codes).ok_or_else(unknown);
            }
            CodesSpec::Own(own) => own,
        };
        let kept = own.keep.iter().copied().map(CodeLevel::Keep);
        let ranges = own
            .ranges
            .iter()
            .map(|level| CodeLevel::Ranges(level.iter().filter_map(|text| CodeRange::parse(text)).collect()));
        let made = core::Codes::new(kept.chain(ranges).collect(), own.length, own.align);
        made.map(Hierarchy::Codes).map_err(|error| {
            let advice = match error {
                CodesError::NoLength => "Write e.g. length = 5",
                _ => "Write e.g. codes = { keep = [4, 3], ranges = [[\"A00-A09\", \"A15-A19\"], [\"A00-B99\"]] }",
            };
            site.problem("codes", error.to_string()).advise(advice).into()
        })
    }

    // As written, a code of another length has its places elsewhere.
    fn depends_on_other_values(&self, _: bool) -> bool {
        matches!(self, CodesSpec::Own(codes) if codes.length.is_none())
    }
}

pub(super) fn to_json(codes: &core::Codes) -> Value {
    let level = |level: &CodeLevel| match level {
        CodeLevel::Keep(count) => json!(count),
        CodeLevel::Ranges(ranges) => ranges.iter().map(|range| Value::from(range.name())).collect(),
    };
    json!({
        "kind": KIND,
        "levels": codes.levels().iter().map(level).collect::<Value>(),
        "length": codes.length(),
        "align": codes.align().name(),
    })
}

pub(super) fn from_json(node: &Node<'_, '_>) -> Result<Hierarchy, JsonError> {
    node.only(&["kind", "levels", "length", "align"])?;
    let align = node.field("align")?.choice(Side::ALL, Side::name)?;
    let length = node.field("length")?;
    let small = |node: &Node<'_, '_>| {
        let number = node.value.as_u64().and_then(|number| u8::try_from(number).ok());
        number.ok_or_else(|| node.wrong("must be a whole number up to 255"))
    };
    let characters = if length.value.is_null() { None } else { Some(small(&length)?) };
    let levels = node.field("levels")?;
    let mut read = Vec::new();
    for level in levels.items()? {
        read.push(match level.value.is_array() {
            false => CodeLevel::Keep(small(&level)?),
            true => {
                let range = |item: Node<'_, '_>| {
                    CodeRange::parse(item.text()?).ok_or_else(|| item.wrong("must be a range of codes"))
                };
                CodeLevel::Ranges(level.items()?.map(range).collect::<Result<_, _>>()?)
            }
        });
    }
    core::Codes::new(read, characters, align).map(Hierarchy::Codes).map_err(|error| levels.wrong(error))
}
