//! Hierarchies and ladders of the quasi-identifiers, and the lattice they span.

use super::counted::counted_hierarchy;
use super::rare::{Occurring, without_rare_values};
use super::settle::{spelled, with_unknown_values};
use super::treatments::treatment_json;
use crate::hierarchies;
use crate::transform::{Action, Transform};
use paravent_core::hierarchy::{Hierarchy, Ladder, LadderError};
use paravent_core::task::{QuasiIdentifier, QuasiIdentifiers};
use paravent_core::values::ValueType;
use paravent_job::{DataType, Job, Population, Problem, Problems, Role, UnknownValues};
use paravent_tables::encode::{CodedColumn, Counted};
use std::collections::BTreeMap;
use std::path::Path;

/// The type a job declares, as the engine knows it.
pub fn value_type(declared: DataType) -> ValueType {
    match declared {
        DataType::String => ValueType::String,
        DataType::Integer => ValueType::Integer,
        DataType::Decimal => ValueType::Decimal,
        DataType::Date => ValueType::Date,
        DataType::DateTime => ValueType::DateTime,
        DataType::Boolean => ValueType::Boolean,
    }
}

/// The hierarchy of an attribute and its levels over the values present.
pub(super) struct Climbed {
    pub(super) hierarchy: Hierarchy,
    pub(super) ladder: Ladder,
}

/// A value of fewer rows may name a person.
pub(super) fn least_rows(job: &Job) -> u64 {
    const LEAST: u64 = 5;
    let asked = job.privacy.models.iter().filter_map(|model| model.count("k")).map(u64::from);
    asked.fold(LEAST, u64::max)
}

/// Climbs the hierarchy of one attribute: the given one, or that of the job. Values without a place are reported at the line where the first of them occurs.
pub(super) fn climb(
    job: &Job,
    attribute: usize,
    given: Option<Hierarchy>,
    (column, rows): (&CodedColumn, &[u64]),
    input: &Path,
    show_values: bool,
) -> Result<Climbed, Problems> {
    let cells = column.dictionary.cells();
    let is_given = given.is_some();
    let hierarchy = match given {
        Some(hierarchy) => hierarchy,
        None => match counted_hierarchy(job, attribute, (column, rows))? {
            Some(made) => made,
            None => hierarchies::build(job, attribute, &cells, column.value_type)?,
        },
    };
    let key = format!("attributes[{attribute}].hierarchy");
    let hierarchy = spelled(hierarchy, column.spelling, job.attributes[attribute].spelling.as_ref())
        .map_err(|_| {
            let kind = column.spelling.name();
            let problem = job.problem(&key, format!("two lines of the hierarchy spell the same {kind}"));
            Problems::from(problem.advise("Keep one of them, or declare type = \"string\""))
        })?;
    let hierarchy = match is_given {
        true => hierarchy,
        false => {
            let occurring = Occurring { cells: &cells, rows, least: least_rows(job) };
            without_rare_values(hierarchy, &job.attributes[attribute], occurring)
                .map_err(|error| Problems::from(job.problem(&key, error.to_string())))?
        }
    };
    let hierarchy = match job.attributes[attribute].unknown {
        UnknownValues::Refuse => hierarchy,
        UnknownValues::Top => with_unknown_values(hierarchy, &cells)
            .map_err(|error| Problems::from(job.problem(&key, error.to_string())))?,
    };
    match hierarchy.ladder(&cells) {
        Ok(ladder) => Ok(Climbed { hierarchy, ladder }),
        Err(LadderError::Unplaced(unplaced)) => {
            let seen = unplaced.iter().map(|(code, _)| column.first_seen[*code]);
            let first = seen.min_by_key(|seen| (seen.in_population, seen.row));
            // The job's own message says which hierarchy it is and what to do about it.
            let detail = hierarchies::ladder(job, attribute, &hierarchy, &cells, show_values).err();
            let mut problems = detail.unwrap_or_default();
            let name = &column.name;
            if let Some(first) = first.filter(|seen| seen.row > 0) {
                let (file, of) = match (first.in_population, job.privacy.population()) {
                    (true, Some(Population::Table(path))) => (job.resolve(path), "the population's "),
                    _ => (input.to_owned(), ""),
                };
                let message = format!(
                    "{of}column {name}: the first value without a place in its hierarchy is on this line"
                );
                let mut place = Problem::new(file, message);
                place.line = first.line.and_then(|line| usize::try_from(line).ok());
                problems.push(place);
            }
            Err(problems)
        }
        Err(other) => {
            Err(job.problem(&format!("attributes[{attribute}].hierarchy"), other.to_string()).into())
        }
    }
}

/// The levels of all quasi-identifiers, and the lattice they span.
pub(super) struct Levels {
    pub(super) hierarchies: Vec<Hierarchy>,
    pub(super) columns: QuasiIdentifiers,
}

impl Levels {
    /// Climbs every quasi-identifier; with `fixed`, by the hierarchies of an earlier transformation and to its levels only. Columns in
    /// `given` climb the hierarchy there.
    pub(super) fn climb(
        job: &Job,
        fixed: Option<&Transform>,
        given: &BTreeMap<String, Hierarchy>,
        counted: &Counted,
        input: &Path,
        show_values: bool,
    ) -> Result<Levels, Problems> {
        let mut problems = Problems::default();
        let (mut hierarchies, mut columns) = (Vec::new(), Vec::new());
        let declared = job.attributes.iter().enumerate().filter(|(_, a)| a.role == Role::QuasiIdentifier);
        for ((index, attribute), (position, column)) in declared.zip(counted.columns.iter().enumerate()) {
            let is_aggregated = attribute.treatments.aggregate.is_some();
            let known =
                fixed.filter(|_| !is_aggregated).map(|transform| transform.generalization(&attribute.name));
            if known == Some(None) {
                let message = "is not a quasi-identifier of the transformation to apply";
                problems.push(job.problem(&format!("attributes[{index}].name"), message));
                continue;
            }
            let known = known.flatten().map(|(hierarchy, _)| hierarchy);
            let given = known.or_else(|| given.get(&attribute.name)).cloned();
            match climb(job, index, given, (column, counted.rows_by_code(position)), input, show_values) {
                Ok(climbed) => {
                    hierarchies.push(climbed.hierarchy);
                    let column = QuasiIdentifier::new(&attribute.name, climbed.ladder);
                    // An aggregated column makes no classes; what is lost of it is told apart.
                    let (weight, lowest) = match is_aggregated {
                        true => (0.0, column.ladder.max_level()),
                        false => (attribute.weight, 0),
                    };
                    let levels = lowest..=column.ladder.max_level();
                    columns.push(QuasiIdentifier { weight, levels, ..column });
                }
                Err(more) => problems.extend(more),
            }
        }
        if let Some(transform) = fixed {
            same_treatment(job, transform, &mut problems);
        }
        problems.into_result(())?;
        match fixed {
            None => allow(job, &mut columns)?,
            Some(transform) => {
                for column in &mut columns {
                    let given = transform.generalization(&column.name);
                    // Boxes show any level; which one is for them to say.
                    if let Some((_, level)) = given.filter(|_| transform.boxes.is_none()) {
                        column.levels = level..=level;
                    }
                }
            }
        }
        let columns = QuasiIdentifiers::new(columns)
            .map_err(|error| Problems::from(job.problem("attributes", error.to_string())))?;
        Ok(Levels { hierarchies, columns })
    }
}

/// A transformation is repeated as a whole: what it generalized or left out must not be released as it is.
fn same_treatment(job: &Job, transform: &Transform, problems: &mut Problems) {
    for column in &transform.columns {
        let declared = job.attribute(&column.name);
        let role = declared.map(|(_, attribute)| attribute.role);
        let treatment = declared.and_then(|(_, attribute)| treatment_json(&attribute.treatments));
        if role.is_some() && treatment != column.treatment {
            let key = declared.map_or_else(String::new, |(index, _)| format!("attributes[{index}].name"));
            let message =
                format!("the transformation to apply treats the cells of {:?} differently", column.name);
            problems.push(
                job.problem(&key, message)
                    .advise("Write round, bottom, top, aggregate and pseudonym as they were, or run the job without --apply"),
            );
            continue;
        }
        let wanted = match (&column.action, role) {
            (Action::Generalize { .. }, Some(Role::Sensitive | Role::Insensitive)) => "generalizes",
            (Action::Drop, Some(Role::QuasiIdentifier | Role::Sensitive | Role::Insensitive)) => "leaves out",
            _ => continue,
        };
        let key = declared.map_or_else(String::new, |(index, _)| format!("attributes[{index}].role"));
        let message = format!("the transformation to apply {wanted} the column {:?}", column.name);
        problems.push(
            job.problem(&key, message)
                .advise("Give the column the role it had, or run the job without --apply"),
        );
    }
}

/// Lets the columns take the levels that the job allows.
fn allow(job: &Job, columns: &mut [QuasiIdentifier]) -> Result<(), Problems> {
    let mut problems = Problems::default();
    let quasi = job.attributes.iter().enumerate().filter(|(_, a)| a.role == Role::QuasiIdentifier);
    for ((index, attribute), column) in quasi.zip(columns) {
        let top = column.ladder.max_level();
        let mut bounded = |key: &str, level: Option<u8>, default: u8| {
            let level = level.unwrap_or(default);
            if level > top {
                let message = format!("level {level}, but the hierarchy of {} ends at {top}", attribute.name);
                let problem = job.problem(&format!("attributes[{index}].{key}"), message);
                problems.push(problem.advise(format!("Write {key} = {top} or less")));
            }
            level.min(top)
        };
        let lowest = if attribute.treatments.aggregate.is_some() { top } else { 0 };
        // One level, as with --node, is told once.
        let one = attribute.min_level == attribute.max_level;
        let lowest = match attribute.min_level {
            Some(level) if one => level.min(top),
            level => bounded("min_level", level, lowest),
        };
        column.levels = lowest..=bounded("max_level", attribute.max_level, top);
    }
    problems.into_result(())
}
