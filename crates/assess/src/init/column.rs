//! The hierarchy of one column, as [`propose`](super::propose) would have it.

use paravent_core::hierarchy::Hierarchy;
use paravent_job::{Attribute, CountedValues, DataType, Problems, Role, Source};
use paravent_prepare::hierarchies::ColumnValues;
use paravent_prepare::hierarchies::commands::{Built, build_file, write_out};
use paravent_tables::read::Input;
use paravent_tables::watch::Watch;

use super::profile::{Profile, Words, profile};
use super::types::value_type;
use super::{InitError, InitOptions, around, hierarchies, meaning, shaping, spellings};

/// What a job that is proposed for the table would say of one of its columns, if that is a quasi-identifier.
#[derive(Clone, Debug)]
pub struct ColumnHierarchy {
    /// The table, read as its cells are written.
    pub input: Input,
    /// As a job has it: type, form of the cells, hierarchy.
    pub attribute: Attribute,
    /// How it is generalized, in plain language.
    pub told: String,
    /// The values with their rows.
    counted: Vec<(String, u64)>,
    least_rows: u64,
}

/// Reads the table and proposes a hierarchy for the column of that name; `None` if it has no such column. `data_type` is by default what
/// the cells look like.
///
/// # Errors
/// If the table cannot be read, has no rows, or a stop is requested.
pub fn propose_hierarchy(
    input: &Input,
    column: &str,
    data_type: Option<DataType>,
    options: &InitOptions,
    watch: &dyn Watch,
) -> Result<Option<ColumnHierarchy>, InitError> {
    let (input, _) = &around::without_frame(input)?;
    let written = spellings::find(input, &options.today, watch)?;
    let words = if input.options().null.is_none() { Words::LookedFor } else { Words::Said };
    let input = written.applied_to(input);
    let mut profile = profile(&input, options, words, watch)?;
    if profile.rows == 0 {
        return Err(InitError::NoRows { path: input.options().path.clone() });
    }
    let Some(index) = profile.columns.iter().position(|known| known.name == column) else { return Ok(None) };
    if written.is_text(index) {
        profile.columns[index].data_type = DataType::String;
    }
    if let Some(data_type) = data_type {
        profile.columns[index].data_type = data_type;
    }
    let around = hierarchies::surroundings(&profile, options);
    let found = &profile.columns[index];
    let shape = shaping::shape_of(found, &around);
    // As a number a code would lose its zeros.
    let data_type = match meaning::codes_of(found) {
        Some(_) => DataType::String,
        None => found.data_type,
    };
    let mut attribute = Attribute::new(&found.name, Role::QuasiIdentifier);
    attribute.data_type = Some(data_type);
    attribute.spelling = written.of(index, data_type);
    attribute.hierarchy = shape.spec();
    let counted = found.values().into_iter().flatten();
    Ok(Some(ColumnHierarchy {
        attribute,
        told: shape.describe(),
        counted: counted.map(|(value, rows)| (value.to_owned(), rows)).collect(),
        least_rows: u64::from(options.k.max(5)),
        input: with_missing_words(&input, &profile, words),
    }))
}

/// Texts that turned out to mean a missing value are none in the hierarchy, either.
fn with_missing_words(input: &Input, profile: &Profile, words: Words) -> Input {
    input.read_as(|options| {
        options.labels = false;
        if words == Words::LookedFor {
            let known = options.null.get_or_insert_with(|| vec![String::new()]);
            known.extend(profile.missing_words.iter().map(str::to_owned));
        }
    })
}

impl ColumnHierarchy {
    /// The hierarchy written out for the values of the column, which were read from [`input`](Self::input).
    ///
    /// # Errors
    /// Values that have no place in it.
    pub fn built(&self, column: &ColumnValues, source: &Source) -> Result<Built, Problems> {
        let Some(spec) = &self.attribute.hierarchy else {
            return write_out(Hierarchy::Whole, column, source);
        };
        let (values, counts): (Vec<&str>, Vec<u64>) =
            self.counted.iter().map(|(value, rows)| (value.as_str(), *rows)).unzip();
        let value_type = value_type(self.attribute.data_type.unwrap_or(DataType::String));
        let counted =
            CountedValues { values: &values, counts: &counts, value_type, least_rows: self.least_rows };
        match spec.count(&counted) {
            Some(Ok(hierarchy)) => write_out(hierarchy, column, source),
            Some(Err((builder, message))) => {
                Err(source.problem(&format!("hierarchy.{builder}"), message).into())
            }
            None => build_file(spec, column, Some(value_type), source),
        }
    }
}
