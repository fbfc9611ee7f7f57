//! The hierarchy of an attribute, from what the job says.

use std::path::{Path, PathBuf};

use paravent_core::hierarchy::{Hierarchy, TableHierarchy};
use paravent_core::values::ValueType;

use super::advice::Covered;
use super::file::{FileOptions, HierarchyLines, read_bytes};
use paravent_job::{self as job, DataType, HierarchySpec, InputSource, Job, Problem, Problems, Site};

/// The hierarchy of one attribute of the job; [`Hierarchy::Whole`] if the job says nothing.
///
/// `values` are the distinct values present and `data_type` their type: the length of a redaction and the
/// order of values are found there if the job does not tell, and intervals of integers are written by the
/// integers in them.
///
/// # Errors
/// All problems, at the line of the hierarchy file or at the key of the job.
///
/// # Panics
/// If the job has no such attribute.
pub fn build(
    job: &Job,
    attribute: usize,
    values: &[Option<&str>],
    data_type: ValueType,
) -> Result<Hierarchy, Problems> {
    let Some(spec) = &job.attributes[attribute].hierarchy else { return Ok(Hierarchy::Whole) };
    let data = data_path(job);
    let builder = Builder::of(job, attribute, data.as_deref());
    builder.hierarchy(spec, &hierarchy_key(attribute), values, data_type)
}

/// What can be told of a hierarchy before the values are known: whether its file can be read, points and widths are nested, and so on.
///
/// # Errors
/// All problems, at the line of the hierarchy file or at the key of the job.
///
/// # Panics
/// If the job has no such attribute.
pub fn check_early(job: &Job, attribute: usize) -> Result<(), Problems> {
    let column = &job.attributes[attribute];
    let Some(spec) = &column.hierarchy else { return Ok(()) };
    let ty = match column.data_type {
        Some(DataType::Integer) => ValueType::Integer,
        _ => ValueType::Decimal,
    };
    let data = data_path(job);
    let builder = Builder::of(job, attribute, data.as_deref());
    let file = |file: &job::HierarchyFile, key: &str| builder.file(file, key);
    spec.check_early(&builder.site(&hierarchy_key(attribute), &file), ty)
}

/// Where an attribute's hierarchy stands in the job.
pub(super) fn hierarchy_key(attribute: usize) -> String {
    format!("attributes[{attribute}].hierarchy")
}

/// The table of the job, if it is a file.
pub(super) fn data_path(job: &Job) -> Option<PathBuf> {
    match &job.input.source {
        InputSource::File(path) => Some(job.resolve(path)),
        InputSource::Stdin | InputSource::Engine { .. } => None,
    }
}

/// Reads a hierarchy file that is named at a key.
type ReadFile<'a> = dyn Fn(&job::HierarchyFile, &str) -> Result<TableHierarchy, Problems> + 'a;

/// Builds what a [`HierarchySpec`] describes.
pub(super) struct Builder<'a> {
    /// Where the description was written down.
    pub source: &'a job::Source,
    /// Texts of the missing value.
    pub null: &'a [String],
    /// The order of the column's values, if the job tells.
    pub order: Option<&'a [String]>,
    /// What the hierarchy is for.
    pub covered: Covered<'a>,
}

impl<'a> Builder<'a> {
    fn of(job: &'a Job, attribute: usize, data: Option<&'a Path>) -> Builder<'a> {
        let column = &job.attributes[attribute];
        Builder {
            source: &job.source,
            null: &job.input.null,
            order: column.order.as_deref(),
            covered: Covered { data, column: Some(&column.name) },
        }
    }

    /// `key` is where the description stands.
    pub(super) fn hierarchy(
        &self,
        spec: &HierarchySpec,
        key: &str,
        values: &[Option<&str>],
        ty: ValueType,
    ) -> Result<Hierarchy, Problems> {
        let file = |file: &job::HierarchyFile, key: &str| self.file(file, key);
        spec.build(&self.site(key, &file), values, ty)
    }

    fn site<'b>(&'b self, key: &str, file: &'b ReadFile<'b>) -> Site<'b> {
        Site { source: self.source, key: key.to_owned(), order: self.order, file }
    }

    fn file(&self, file: &job::HierarchyFile, key: &str) -> Result<TableHierarchy, Problems> {
        let path = self.source.resolve(&file.path);
        let delimiter = file.delimiter.map(job::AsciiChar::byte);
        let options = FileOptions { delimiter, null: self.null.to_vec() };
        let bytes = read_bytes(&path).map_err(|reason| self.unreadable(&path, &reason, key))?;
        let lines = HierarchyLines::parse(&bytes, &path, &options)?;
        drop(bytes);
        lines.table_for(self.covered)
    }

    /// The file may be fine and the name wrong, so it is the job that is told of.
    fn unreadable(&self, path: &Path, reason: &str, key: &str) -> Problem {
        let message = format!("the hierarchy file {} cannot be read: {reason}", path.display());
        let advice = "Paths start at the folder of the job file. \
                      Write e.g. hierarchy = { file = \"hierarchies/age.csv\" }";
        self.source.problem(key, message).advise(advice)
    }
}

#[cfg(test)]
#[path = "build_tests.rs"]
mod tests;
