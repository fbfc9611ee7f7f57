//! The words of the job file as the engine's types.

use paravent_core::hierarchy::{DatePart, Group, Outliers, Rounding, Side};
use paravent_core::values::{Decimal, ValueType};

use paravent_job as job;

/// All ways to treat outliers.
pub(super) const OUTLIERS: &[Outliers] = &[Outliers::Label, Outliers::Clamp, Outliers::Refuse];
/// All ways to round.
pub(super) const ROUNDING: &[Rounding] = &[Rounding::None, Rounding::Down, Rounding::Nearest, Rounding::Up];
/// Both ends of a text.
pub(super) const SIDES: &[Side] = &[Side::Left, Side::Right];
/// All parts of the calendar, fine to coarse.
pub(super) const DATE_PARTS: &[DatePart] = &[
    DatePart::Minute,
    DatePart::Hour,
    DatePart::Day,
    DatePart::Week,
    DatePart::Month,
    DatePart::Quarter,
    DatePart::HalfYear,
    DatePart::Year,
    DatePart::Decade,
    DatePart::Century,
];

pub(super) fn outliers(outliers: job::Outliers) -> Outliers {
    match outliers {
        job::Outliers::Label => Outliers::Label,
        job::Outliers::Clamp => Outliers::Clamp,
        job::Outliers::Refuse => Outliers::Refuse,
    }
}

pub(super) fn rounding(rounding: job::Rounding) -> Rounding {
    match rounding {
        job::Rounding::None => Rounding::None,
        job::Rounding::Down => Rounding::Down,
        job::Rounding::Nearest => Rounding::Nearest,
        job::Rounding::Up => Rounding::Up,
    }
}

pub(super) fn side(side: job::Side) -> Side {
    match side {
        job::Side::Left => Side::Left,
        job::Side::Right => Side::Right,
    }
}

pub(super) fn date_part(unit: job::DateUnit) -> DatePart {
    match unit {
        job::DateUnit::Minute => DatePart::Minute,
        job::DateUnit::Hour => DatePart::Hour,
        job::DateUnit::Day => DatePart::Day,
        job::DateUnit::Week => DatePart::Week,
        job::DateUnit::Month => DatePart::Month,
        job::DateUnit::Quarter => DatePart::Quarter,
        job::DateUnit::HalfYear => DatePart::HalfYear,
        job::DateUnit::Year => DatePart::Year,
        job::DateUnit::Decade => DatePart::Decade,
        job::DateUnit::Century => DatePart::Century,
    }
}

pub(super) fn outliers_name(kind: Outliers) -> &'static str {
    named(job::Outliers::ALL, outliers, kind).map_or("label", job::Outliers::name)
}

pub(super) fn rounding_name(kind: Rounding) -> &'static str {
    named(job::Rounding::ALL, rounding, kind).map_or("none", job::Rounding::name)
}

pub(super) fn side_name(kind: Side) -> &'static str {
    named(job::Side::ALL, side, kind).map_or("right", job::Side::name)
}

pub(super) fn date_part_name(part: DatePart) -> &'static str {
    named(job::DateUnit::ALL, date_part, part).map_or("day", job::DateUnit::name)
}

/// The job's word for a choice of the engine. Every choice has one, which a test makes sure of.
fn named<J: Copy, E: PartialEq>(all: &[J], engine: impl Fn(J) -> E, choice: E) -> Option<J> {
    all.iter().copied().find(|word| engine(*word) == choice)
}

/// `None` never happens: the job's decimals have fewer digits than the engine's.
pub(super) fn decimal(number: &job::DecimalText) -> Option<Decimal> {
    number.as_str().parse().ok()
}

pub(super) fn group(group: &job::Group) -> Group {
    let members = match &group.members {
        job::Members::Values(values) => values.iter().cloned().map(Group::Value).collect(),
        job::Members::Groups(groups) => groups.iter().map(self::group).collect(),
    };
    Group::Group { label: group.label.clone(), members }
}

/// What the values of a type are called, in the plural.
pub(super) fn plural(ty: ValueType) -> &'static str {
    match ty {
        ValueType::String => "texts",
        ValueType::Integer => "integers",
        ValueType::Decimal => "decimal numbers",
        ValueType::Date => "dates",
        ValueType::DateTime => "times",
        ValueType::Boolean => "truth values",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_choice_has_its_own_word() {
        let distinct = |names: Vec<&str>| names.iter().collect::<std::collections::HashSet<_>>().len();
        assert_eq!(
            distinct(OUTLIERS.iter().map(|kind| outliers_name(*kind)).collect()),
            job::Outliers::ALL.len()
        );
        assert_eq!(
            distinct(ROUNDING.iter().map(|kind| rounding_name(*kind)).collect()),
            job::Rounding::ALL.len()
        );
        assert_eq!(distinct(SIDES.iter().map(|side| side_name(*side)).collect()), job::Side::ALL.len());
        let parts = DATE_PARTS.iter().map(|part| date_part_name(*part)).collect();
        assert_eq!(distinct(parts), job::DateUnit::ALL.len());
    }
}
