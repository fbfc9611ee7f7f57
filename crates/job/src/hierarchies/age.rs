//! `age = { on = "2024-12-31" }`

use crate::keys::{Key, Takes, needed};
use crate::render_toml::table;
use crate::suggest::quoted;
use crate::walk::{Item, Walk};

/// The keys.
pub(crate) const AGE: &[Key] = &[needed("on", Takes::Text, "The day on which people have that age")];

/// Completed years on a day.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Age {
    /// `2024-12-31`
    pub on: String,
}

pub(crate) fn age(walk: &mut Walk, item: &Item<'_>) -> Option<Age> {
    let section = item.section(walk)?;
    section.allow_keys(walk, AGE);
    let on = section.require(walk, "on", "\"2024-12-31\"")?;
    let day = on.string(walk)?;
    if paravent_core::hierarchy::Age::on(day).is_none() {
        on.report(walk, "must be a day");
        return None;
    }
    Some(Age { on: day.to_owned() })
}

pub(crate) fn age_text(age: &Age) -> String {
    table([Some(("on", quoted(&age.on)))])
}
