//! Reads the hierarchy builders that compute labels: intervals, redaction, dates, ordering.

use super::decimal::DecimalText;
use super::hierarchy_spec::{DateUnit, Intervals, Ordering, Outliers, Redact, Rounding, Side};
use super::keys::{CELLS, Key, Takes, key, needed, words};
use super::walk::{Item, Walk};

pub(crate) const INTERVALS: &[Key] = &[
    needed("widths", Takes::List(&Takes::Decimal), "Width on level 1, 2, …, each dividing the next"),
    needed("min", Takes::Decimal, "Start of the first interval"),
    needed("max", Takes::Decimal, "End of the last interval"),
    key("outliers", Takes::Choice(words::<Outliers>), "What becomes of values outside"),
    key("rounding", Takes::Choice(words::<Rounding>), "Whether values are rounded first"),
];

pub(crate) const REDACT: &[Key] = &[
    key("alphabet", Takes::Whole(2, u32::MAX as u64), "How many characters a place can hold"),
    key("from", Takes::Choice(words::<Side>), "The end where hiding starts"),
    key("char", Takes::Text, "What is shown instead"),
    key("length", Takes::Whole(1, u8::MAX as u64), "Number of characters"),
];

pub(crate) const ORDERING: &[Key] = &[
    needed("sizes", Takes::List(&Takes::Whole(2, u32::MAX as u64)), "How many neighbours make a group"),
    key("order", CELLS, "The values in order"),
];

pub(super) fn intervals(walk: &mut Walk, item: &Item<'_>) -> Option<Intervals> {
    let section = item.section(walk)?;
    section.allow_keys(walk, INTERVALS);
    let widths = section.require(walk, "widths", "[5, 10, 20]").and_then(|item| widths(walk, &item));
    let min = section.require(walk, "min", "0").and_then(|item| item.decimal(walk));
    let max_item = section.require(walk, "max", "100");
    let max = max_item.as_ref().and_then(|item| item.decimal(walk));
    if let (Some(min), Some(max), Some(item)) = (&min, &max, max_item)
        && min >= max
    {
        item.report(walk, format!("must be above min, which is {min}"));
    }
    let outliers = section.get(walk, "outliers", "\"label\"");
    let outliers = outliers.and_then(|item| item.choice(walk, "a way to treat outliers"));
    let rounding = section.get(walk, "rounding", "\"down\"");
    let rounding = rounding.and_then(|item| item.choice(walk, "a way to round"));
    Some(Intervals {
        widths: widths?,
        min: min?,
        max: max?,
        outliers: outliers.unwrap_or_default(),
        rounding: rounding.unwrap_or_default(),
    })
}

/// Intervals of one level must be unions of those below: else a coarser table would not be more general.
fn widths(walk: &mut Walk, item: &Item<'_>) -> Option<Vec<DecimalText>> {
    let mut last: Option<DecimalText> = None;
    item.list(walk, 1, |walk, entry| {
        let width = entry.decimal_in(walk, "above 0", |width| width.scaled() > 0)?;
        if let Some(last) = &last {
            if width <= *last {
                entry.report(walk, format!("must be larger than the width before it, {last}"));
            } else if width.scaled() % last.scaled() != 0 {
                entry.report(walk, format!("must be a multiple of the width before it, {last}"));
            }
        }
        last = Some(width.clone());
        Some(width)
    })
}

pub(super) fn redact(walk: &mut Walk, item: &Item<'_>) -> Option<Redact> {
    let section = item.section(walk)?;
    section.allow_keys(walk, REDACT);
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

pub(super) fn dates(walk: &mut Walk, item: &Item<'_>) -> Option<Vec<DateUnit>> {
    let mut last: Option<DateUnit> = None;
    item.list(walk, 1, |walk, entry| {
        let unit: DateUnit = entry.choice(walk, "a unit of time")?;
        if let Some(last) = last {
            if unit <= last {
                entry.report(walk, format!("{unit} must come before {last}: list fine units first"));
            } else if last == DateUnit::Week {
                let advice = format!("Leave out \"week\", or \"{unit}\" and what follows");
                let message = format!("a week can lie in two units of the kind {unit}");
                walk.report(entry.line, &entry.key, message, &advice);
            }
        }
        last = Some(unit);
        Some(unit)
    })
}

pub(super) fn ordering(walk: &mut Walk, item: &Item<'_>) -> Option<Ordering> {
    let section = item.section(walk)?;
    section.allow_keys(walk, ORDERING);
    let sizes = section.require(walk, "sizes", "[2, 3]");
    let sizes = sizes.and_then(|item| item.list(walk, 1, |walk, entry| entry.u32(walk, 2)));
    let order = match section.get(walk, "order", "[\"low\", \"mid\", \"high\"]") {
        Some(item) => Some(item.cells(walk, 1)?),
        None => None,
    };
    Some(Ordering { sizes: sizes?, order })
}
