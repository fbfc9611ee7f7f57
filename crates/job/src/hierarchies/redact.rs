//! `redact = { from = "right" }`: one more character is hidden on each level

use super::json::Node;
use super::{HierarchyBuilder, JsonError, Site};
use crate::keys::{Key, Takes, key, words};
use crate::problem::Problems;
use crate::render_toml::table;
use crate::suggest::quoted;
use crate::walk::{Item, Section, Walk};
pub use paravent_core::hierarchy::Side;
use paravent_core::hierarchy::{Hierarchy, Redaction};
use paravent_core::values::ValueType;
use serde_json::{Value, json};

pub(super) const KEY: Key = key("redact", Takes::Table(KEYS), "One more character is hidden on each level");
pub(super) const EXAMPLE: &str = "{ from = \"right\", char = \"*\" }";
/// Its name in `transform.json`.
pub(super) const KIND: &str = "redact";

const KEYS: &[Key] = &[
    key("alphabet", Takes::Whole(2, u32::MAX as u64), "How many characters a place can hold"),
    key("from", Takes::Choice(words::<Side>), "The end where hiding starts"),
    key("char", Takes::Text, "What is shown instead"),
    key("length", Takes::Whole(1, u8::MAX as u64), "Number of characters"),
];

/// Characters are hidden one after the other.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Redact {
    /// How many different characters a place can hold, at least 2; `None`: counted in the data.
    pub alphabet: Option<u32>,
    /// The end where hiding starts.
    pub from: Side,
    /// What is shown instead of a hidden character.
    pub fill: char,
    /// Number of characters, 1 to 255; `None`: that of the longest value.
    pub length: Option<u8>,
}

pub(super) fn read(walk: &mut Walk, item: &Item<'_>, _: &Section<'_>) -> Option<Redact> {
    let section = item.section(walk)?;
    section.allow_keys(walk, KEYS);
    let alphabet = section.get(walk, "alphabet", "10").and_then(|item| item.u32(walk, 2));
    let from = section.get(walk, "from", "\"right\"").and_then(|item| item.choice(walk, "an end of a text"));
    let length = section.get(walk, "length", "5").and_then(|item| item.u8(walk, 1));
    let fill = match section.get(walk, "char", "\"*\"") {
        Some(item) => single_char(walk, &item)?,
        None => '*',
    };
    Some(Redact { alphabet, from: from.unwrap_or_default(), fill, length })
}

fn single_char(walk: &mut Walk, item: &Item<'_>) -> Option<char> {
    let mut chars = item.string(walk)?.chars();
    match (chars.next(), chars.next()) {
        (Some(c), None) if !c.is_control() => Some(c),
        _ => {
            item.report(walk, "must be a single visible character");
            None
        }
    }
}

impl HierarchyBuilder for Redact {
    fn text(&self) -> String {
        table([
            self.alphabet.map(|alphabet| ("alphabet", alphabet.to_string())),
            Some(("from", quoted(self.from.name()))),
            Some(("char", quoted(&self.fill.to_string()))),
            self.length.map(|length| ("length", length.to_string())),
        ])
    }

    fn build(&self, site: &Site<'_>, values: &[Option<&str>], _: ValueType) -> Result<Hierarchy, Problems> {
        let length = self.length.map_or_else(|| Redaction::length_for(values), usize::from);
        let made = Redaction::new(self.fill, self.from, length, self.alphabet).map(Hierarchy::Redaction);
        made.map_err(|error| site.problem("redact", error.to_string()).into())
    }

    fn needs_values(&self) -> bool {
        self.length.is_none()
    }

    // The longest value decides how many characters the others have.
    fn depends_on_other_values(&self, _: bool) -> bool {
        self.length.is_none()
    }
}

pub(super) fn to_json(redaction: &Redaction) -> Value {
    json!({
        "kind": KIND,
        "char": redaction.mask().to_string(),
        "from": redaction.from().name(),
        "length": redaction.length(),
    })
}

pub(super) fn from_json(node: &Node<'_, '_>) -> Result<Hierarchy, JsonError> {
    node.only(&["kind", "char", "from", "length"])?;
    let mask = node.field("char")?;
    let mut characters = mask.text()?.chars();
    let (Some(character), None) = (characters.next(), characters.next()) else {
        return Err(mask.wrong("must be a single character"));
    };
    let from = node.field("from")?.choice(Side::ALL, Side::name)?;
    let length = node.field("length")?;
    let characters = length.value.as_u64().and_then(|length| usize::try_from(length).ok());
    let characters = characters.ok_or_else(|| length.wrong("must be a whole number"))?;
    Redaction::new(character, from, characters, None)
        .map(Hierarchy::Redaction)
        .map_err(|error| length.wrong(error))
}
