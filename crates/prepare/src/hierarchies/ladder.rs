//! The levels of an attribute over the values present, and what to do about values that have no place there.

use std::borrow::Cow;

use paravent_core::hierarchy::{Chain, Hierarchy, Ladder, LadderError, Unplaced};

use super::advice::Covered;
use super::build::{data_path, hierarchy_key};
use super::file::counted;
use paravent_job::{HierarchySpec, Job, Problem, Problems};

/// So many values are listed when the user wants to see some.
const LISTED: usize = 5;

/// The levels of an attribute over the values present, each once; a value's position is its code.
///
/// `show_values`: the user asked to see a few of the values that have no place. By default messages only
/// count them.
///
/// # Errors
/// Values without a place, as one problem, and levels of the job that the hierarchy does not have.
///
/// # Panics
/// If the job has no such attribute.
pub fn ladder(
    job: &Job,
    attribute: usize,
    hierarchy: &Hierarchy,
    values: &[Option<&str>],
    show_values: bool,
) -> Result<Ladder, Problems> {
    let mut problems = Problems::new();
    problems.extend(levels_too_high(job, attribute, hierarchy.max_level()));
    match hierarchy.ladder(values) {
        Ok(ladder) => problems.into_result(ladder),
        Err(error) => {
            problems.push(match error {
                LadderError::Unplaced(unplaced) => {
                    let unplaced =
                        unplaced.into_iter().map(|(position, why)| (values[position], why)).collect();
                    Homeless { job, attribute, hierarchy, unplaced }.problem(show_values)
                }
                other => job.problem(&hierarchy_key(attribute), other.to_string()),
            });
            problems.sort();
            Err(problems)
        }
    }
}

fn levels_too_high(job: &Job, attribute: usize, height: u8) -> impl Iterator<Item = Problem> + '_ {
    let column = &job.attributes[attribute];
    let bounds = [("min_level", column.min_level), ("max_level", column.max_level)];
    bounds.into_iter().filter_map(move |(name, level)| {
        let level = level.filter(|level| *level > height)?;
        let key = format!("attributes[{attribute}].{name}");
        let problem =
            job.problem(&key, format!("is {level}, but the highest level of the hierarchy is {height}"));
        Some(problem.advise(format!("Write {name} = {height} or less, or leave it out")))
    })
}

/// Values without a place.
struct Homeless<'a> {
    job: &'a Job,
    attribute: usize,
    hierarchy: &'a Hierarchy,
    unplaced: Vec<(Option<&'a str>, Unplaced)>,
}

impl Homeless<'_> {
    fn problem(&self, show_values: bool) -> Problem {
        let column = &self.job.attributes[self.attribute];
        let part = self.part();
        let spec = match (&column.hierarchy, part) {
            (Some(HierarchySpec::Chain(specs)), Some(part)) => specs.get(part),
            (spec, _) => spec.as_ref(),
        };
        let file = match spec {
            Some(HierarchySpec::File(file)) => Some(self.job.resolve(&file.path)),
            _ => None,
        };
        let values = counted(self.unplaced.len(), "value");
        let (have, they) = if self.unplaced.len() == 1 { ("has", "it") } else { ("have", "them") };
        let mut message = format!("{values} of column `{}` {have} no place in the hierarchy", column.name);
        match &file {
            Some(file) => message.push_str(&format!(" ({}): {}", file.display(), self.reasons())),
            None => message.push_str(&format!(": {}", self.reasons())),
        }
        match self.spaced() {
            0 => {}
            spaced => message.push_str(&format!("; {spaced} of {they} only for spaces at the ends")),
        }
        if show_values {
            message.push_str(&format!(": {}", self.listed()));
        }
        let key = match (&column.hierarchy, part) {
            (Some(HierarchySpec::Chain(_)), Some(part)) => {
                format!("{}.chain[{part}]", hierarchy_key(self.attribute))
            }
            _ => hierarchy_key(self.attribute),
        };
        let data = data_path(self.job);
        let covered = Covered { data: data.as_deref(), column: Some(&column.name) };
        let advice = match (self.unplaced[0].1, &file, part.unwrap_or(0)) {
            (Unplaced::NoRow, Some(file), 0) => {
                format!("Add a line for each of them, or run `{}`", covered.repair(file))
            }
            (Unplaced::NoRow, Some(_), _) => "Add a line for each label of the part before it".to_owned(),
            (Unplaced::NoRow, None, _) => "List all values of the column".to_owned(),
            (Unplaced::NotANumber | Unplaced::NotADate, ..) => {
                "Correct the cells, or list their texts in null = [\"\", \"NA\"] of [input]".to_owned()
            }
            (Unplaced::OutOfBounds, ..) => {
                "Write a lower min or a higher max, or outliers = \"label\" or \"clamp\"".to_owned()
            }
            (Unplaced::NoTime, ..) => {
                "Start with \"day\" or a longer unit, as in dates = [\"day\", \"month\"]".to_owned()
            }
            _ => "Write a hierarchy that covers all values of the column".to_owned(),
        };
        self.job.problem(&key, message).advise(advice)
    }

    /// The part of a chain in which the first of the values has no place.
    fn part(&self) -> Option<usize> {
        match self.hierarchy {
            Hierarchy::Chain(chain) => failing_part(chain, self.unplaced[0].0),
            _ => None,
        }
    }

    /// Each reason once, with how often if there are several.
    fn reasons(&self) -> String {
        let mut reasons: Vec<(Unplaced, usize)> = Vec::new();
        for (_, why) in &self.unplaced {
            match reasons.iter_mut().find(|(reason, _)| reason == why) {
                Some((_, count)) => *count += 1,
                None => reasons.push((*why, 1)),
            }
        }
        match reasons.as_slice() {
            [(why, _)] => why.to_string(),
            several => {
                let told = several.iter().map(|(why, count)| format!("{why} ({count})"));
                told.collect::<Vec<_>>().join(", ")
            }
        }
    }

    /// How many would have a place without the spaces around them.
    fn spaced(&self) -> usize {
        let fits = |value: &str| value.trim() != value && self.hierarchy.label(Some(value.trim()), 0).is_ok();
        self.unplaced.iter().filter(|(value, _)| value.is_some_and(fits)).count()
    }

    fn listed(&self) -> String {
        let values: Vec<_> = self.unplaced.iter().take(LISTED).map(|(value, _)| shown(*value)).collect();
        let more = if self.unplaced.len() > LISTED { ", …" } else { "" };
        format!("{}{more}", values.join(", "))
    }
}

fn failing_part(chain: &Chain, value: Option<&str>) -> Option<usize> {
    let parts = chain.parts();
    let mut value = value.map(Cow::Borrowed);
    for (position, part) in parts.iter().enumerate() {
        let top = part.max_level();
        let level = if position + 1 == parts.len() { top } else { top.saturating_sub(1) };
        match part.label(value.as_deref(), level) {
            Err(_) => return Some(position),
            Ok(label) => value = label.map(|label| Cow::Owned(label.into_owned())),
        }
    }
    None
}

/// Quoted, on one line, and not too long.
fn shown(value: Option<&str>) -> String {
    const LONGEST: usize = 40;
    match value {
        None => "the missing value".to_owned(),
        Some(text) if text.chars().count() > LONGEST => {
            format!("{:?}", text.chars().take(LONGEST).chain(['…']).collect::<String>())
        }
        Some(text) => format!("{text:?}"),
    }
}

#[cfg(test)]
#[path = "ladder_tests.rs"]
mod tests;
