//! Hierarchies and ladders of the quasi-identifiers, and the lattice they span.

use crate::encode::CodedColumn;
use crate::hierarchies;
use crate::job::{DataType, Job, Problem, Problems, Role};
use paravent_core::hierarchy::{Hierarchy, Ladder, LadderError};
use paravent_core::lattice::Lattice;
use paravent_core::values::ValueType;
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

/// Climbs the hierarchy of one attribute: the given one, or that of the job. Values without a place are reported at the line where the first of them occurs.
pub(super) fn climb(
    job: &Job,
    attribute: usize,
    given: Option<Hierarchy>,
    column: &CodedColumn,
    input: &Path,
    show_values: bool,
) -> Result<Climbed, Problems> {
    let cells = column.dictionary.cells();
    let hierarchy = match given {
        Some(hierarchy) => hierarchy,
        None => hierarchies::build(job, attribute, &cells, column.value_type)?,
    };
    match hierarchy.ladder(&cells) {
        Ok(ladder) => Ok(Climbed { hierarchy, ladder }),
        Err(LadderError::Unplaced(unplaced)) => {
            let first = unplaced.iter().min_by_key(|(code, _)| column.first_seen[*code].row);
            let line = first.and_then(|(code, _)| column.first_seen[*code].line);
            // The job's own message says which hierarchy it is and what to do about it.
            let detail = hierarchies::ladder(job, attribute, &hierarchy, &cells, show_values).err();
            let mut problems = detail.unwrap_or_default();
            let name = &column.name;
            let mut place = Problem::new(
                input,
                format!("column {name}: the first value without a place in its hierarchy is on this line"),
            );
            place.line = line.and_then(|line| usize::try_from(line).ok());
            problems.push(place);
            Err(problems)
        }
        Err(other) => {
            Err(job.problem(&format!("attributes[{attribute}].hierarchy"), other.to_string()).into())
        }
    }
}

/// The lattice between the levels that the job allows.
pub(super) fn lattice(job: &Job, ladders: &[Ladder]) -> Result<Lattice, Problems> {
    let mut problems = Problems::default();
    let (mut lowest, mut highest) = (Vec::new(), Vec::new());
    let quasi = job.attributes.iter().enumerate().filter(|(_, a)| a.role == Role::QuasiIdentifier);
    for ((index, attribute), ladder) in quasi.zip(ladders) {
        let top = ladder.max_level();
        let mut bounded = |key: &str, level: Option<u8>, default: u8| {
            let level = level.unwrap_or(default);
            if level > top {
                let message = format!("level {level}, but the hierarchy of {} ends at {top}", attribute.name);
                let problem = job.problem(&format!("attributes[{index}].{key}"), message);
                problems.push(problem.advise(format!("Write {key} = {top} or less")));
            }
            level.min(top)
        };
        lowest.push(bounded("min_level", attribute.min_level, 0));
        highest.push(bounded("max_level", attribute.max_level, top));
    }
    problems.into_result(())?;
    Lattice::new(lowest, highest).map_err(|error| job.problem("attributes", error.to_string()).into())
}
