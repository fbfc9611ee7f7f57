//! Reads how the cells of a column are written: `format`, `decimal`, `grouping`.

use paravent_core::values::{NumberSpelling, Pattern, Spelling, TruthSpelling};

use super::data_type::DataType;
use super::walk::{Item, Section, Walk};

/// The spelling of a column, if the job says one that is not the engine's own.
pub(super) fn spelling(
    walk: &mut Walk,
    section: &Section<'_>,
    data_type: Option<DataType>,
) -> Option<Spelling> {
    let format = section.get(walk, "format", "\"dd.MM.yyyy\"");
    let decimal = section.get(walk, "decimal", "\",\"");
    let grouping = section.get(walk, "grouping", "\".\"");
    if let (Some(item), Some(other)) = (&format, decimal.as_ref().or(grouping.as_ref())) {
        let advice = format!("Keep one of the two: numbers have {}, dates have format", last_key(&other.key));
        walk.report(item.line, &item.key, "is for dates and times", &advice);
        return None;
    }
    if let (Some(item), Some(DataType::Boolean)) = (&format, data_type) {
        return truth(walk, item);
    }
    if let Some(item) = &format {
        return moment(walk, item, data_type);
    }
    if let (Some(item), Some(other)) = (decimal.as_ref().or(grouping.as_ref()), data_type)
        && !matches!(other, DataType::Integer | DataType::Decimal)
    {
        let advice = "Write type = \"decimal\" or type = \"integer\", or leave it out";
        walk.report(item.line, &item.key, format!("is for numbers, not for the type {other}"), advice);
        return None;
    }
    let sign = |walk: &mut Walk, item: &Option<Item<'_>>| item.as_ref().and_then(|item| single(walk, item));
    let decimal_sign = sign(walk, &decimal);
    let grouping_sign = sign(walk, &grouping);
    let item = grouping.as_ref().or(decimal.as_ref())?;
    if (decimal.is_some() && decimal_sign.is_none()) || (grouping.is_some() && grouping_sign.is_none()) {
        return None;
    }
    // Whoever groups by points means the comma to be the decimal sign.
    let by_default = if grouping_sign == Some('.') { ',' } else { '.' };
    match NumberSpelling::new(decimal_sign.unwrap_or(by_default), grouping_sign) {
        Ok(spelling) if spelling.is_plain() => None,
        Ok(spelling) => Some(Spelling::Number(spelling)),
        Err(error) => {
            let advice = "Write e.g. decimal = \",\" and grouping = \".\"";
            walk.report(item.line, &item.key, error.to_string(), advice);
            None
        }
    }
}

/// `ja/nein`
fn truth(walk: &mut Walk, item: &Item<'_>) -> Option<Spelling> {
    let (yes, no) = item.string(walk)?.split_once('/').unwrap_or_default();
    match TruthSpelling::new(yes, no) {
        Ok(spelling) if spelling.is_plain() => None,
        Ok(spelling) => Some(Spelling::Truth(spelling)),
        Err(error) => {
            let advice = "Write the word for true, then the one for false: format = \"yes/no\", \"ja/nein\" or \"1/0\"";
            walk.report(item.line, &item.key, error.to_string(), advice);
            None
        }
    }
}

fn moment(walk: &mut Walk, item: &Item<'_>, data_type: Option<DataType>) -> Option<Spelling> {
    let text = item.string(walk)?;
    let pattern = match Pattern::new(text) {
        Ok(pattern) => pattern,
        Err(error) => {
            let advice = "Write e.g. format = \"dd.MM.yyyy\", \"MM/dd/yyyy\" or \"dd.MM.yyyy HH:mm\"";
            walk.report(item.line, &item.key, error.to_string(), advice);
            return None;
        }
    };
    let fits = match data_type {
        None => true,
        Some(DataType::Date) => !pattern.has_time(),
        Some(DataType::DateTime) => pattern.has_time(),
        Some(_) => false,
    };
    if !fits {
        let wanted = if pattern.has_time() { "datetime" } else { "date" };
        let advice = format!("Write type = \"{wanted}\", or change the format");
        walk.report(item.line, &item.key, "does not fit the type of the column", &advice);
    }
    Some(Spelling::Moment(pattern))
}

fn single(walk: &mut Walk, item: &Item<'_>) -> Option<char> {
    let mut characters = item.string(walk)?.chars();
    match (characters.next(), characters.next()) {
        (Some(sign), None) => Some(sign),
        _ => {
            item.report(walk, "must be a single character");
            None
        }
    }
}

fn last_key(key: &str) -> &str {
    key.rsplit('.').next().unwrap_or(key)
}

/// The decimal sign of the released file.
pub(super) fn decimal_sign(walk: &mut Walk, section: &Section<'_>) -> Option<char> {
    let item = section.get(walk, "decimal", "\",\"")?;
    let sign = single(walk, &item)?;
    if !matches!(sign, ',' | '.') {
        item.report(walk, "must be a comma or a point");
        return None;
    }
    Some(sign)
}
