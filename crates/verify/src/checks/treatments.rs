//! Is every treated cell what its treatment leaves: a multiple, a number between the bounds, one figure per class, a pseudonym?

use foldhash::{HashMap, HashMapExt};

use super::Release;
use crate::Check;
use crate::data::Column;
use crate::decimal::Decimal;
use crate::manifest::Attribute;
use crate::treatment::Aggregate;
use crate::types::Role;

/// One check per treated column.
pub(super) fn check(release: &Release<'_>) -> Vec<Check> {
    release.manifest.attributes.iter().filter_map(|attribute| column(release, attribute)).collect()
}

fn column(release: &Release<'_>, attribute: &Attribute) -> Option<Check> {
    let (name, treatment) = (attribute.name.as_str(), &attribute.treatment);
    let column = release.data.column(name)?;
    let verdict =
        |misfit: Vec<String>, fine: String| Some(Check::new("treatment", Some(name), &misfit, fine));
    if treatment.pseudonyms {
        let mut problems = misfits(column, name, "no pseudonyms", |cell| !is_pseudonym(cell));
        if attribute.role != Role::Identifying {
            problems.push(format!("column {name} has pseudonyms and is not identifying"));
        }
        return verdict(problems, "every cell is a keyed pseudonym, or missing".to_owned());
    }
    if let Some(aggregate) = treatment.aggregate {
        let mut problems = misfits(column, name, "no aggregate", |cell| !is_aggregate(cell, aggregate));
        if attribute.role != Role::QuasiIdentifier {
            problems.push(format!("column {name} is aggregated and is no quasi-identifier"));
        }
        problems.extend(several_per_class(release, column, name));
        return verdict(problems, format!("every class shows one {}", aggregate.name()));
    }
    // Labels above level 0 are held against their hierarchy, which was made for treated numbers.
    let shows_numbers = attribute.levels.is_none_or(|levels| levels.highest == 0);
    if treatment.bounds_numbers() && shows_numbers {
        let is_left = |cell: &str| Decimal::parse(cell).is_some_and(|number| treatment.leaves(&number));
        let problems = misfits(column, name, "not what rounding or coding leaves", |cell| !is_left(cell));
        return verdict(problems, "every number is what rounding and coding leave".to_owned());
    }
    None
}

/// A problem where cells that are not missing do not fit.
fn misfits(column: &Column, name: &str, are: &str, is_wrong: impl Fn(&str) -> bool) -> Vec<String> {
    let place = column.places(|cell| cell.is_some_and(&is_wrong));
    place
        .map(|place| {
            format!("{} cells are {are}, first in row {}, column {name}", place.cells, place.first_row + 1)
        })
        .into_iter()
        .collect()
}

fn is_pseudonym(cell: &str) -> bool {
    cell.len() == 32 && cell.bytes().all(|byte| matches!(byte, b'0'..=b'9' | b'a'..=b'f'))
}

fn is_aggregate(cell: &str, aggregate: Aggregate) -> bool {
    match aggregate {
        Aggregate::Mean | Aggregate::Median => Decimal::parse(cell).is_some(),
        Aggregate::Interval => {
            let ends = cell.strip_prefix('[').and_then(|rest| rest.strip_suffix(']'));
            let ends = ends.and_then(|ends| ends.split_once(", "));
            let ends = ends.and_then(|(low, high)| Some((Decimal::parse(low)?, Decimal::parse(high)?)));
            ends.is_some_and(|(low, high)| low <= high)
        }
    }
}

/// Rows that are alike in all generalized columns must show the same figure, or the figure tells them apart.
fn several_per_class(release: &Release<'_>, column: &Column, name: &str) -> Option<String> {
    let others: Vec<&Column> =
        release.manifest.generalized().filter_map(|attribute| release.data.column(&attribute.name)).collect();
    let mut shown: HashMap<Vec<u32>, u32> = HashMap::new();
    let (mut split, mut first) = (0u64, None);
    for (class, &stretch) in release.classes.first.iter().enumerate() {
        let codes = others.iter().map(|other| other.codes.at(stretch as usize)).collect();
        let figure = column.codes.at(stretch as usize);
        if *shown.entry(codes).or_insert(figure) != figure {
            split += 1;
            first.get_or_insert(release.classes.first_rows[class] + 1);
        }
    }
    let first = first?;
    Some(format!("{split} classes show more than one figure, first in row {first}, column {name}"))
}
