//! The hierarchy of an attribute, from what the job says.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use paravent_core::hierarchy::{
    Chain, Dates, DatesError, Grid, Hierarchy, Intervals, IntervalsError, IntervalsSpec, OrderingError,
    Redaction, TableHierarchy, group_by_hand, group_by_order, group_sorted,
};
use paravent_core::values::ValueType;

use super::advice::Covered;
use super::builders;
use super::column::type_of;
use super::file::{FileOptions, HierarchyLines, counted, read_bytes};
use paravent_job::{self as job, HierarchySpec, InputSource, Job, Problem, Problems};

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
    let column = &job.attributes[attribute];
    let Some(spec) = &column.hierarchy else { return Ok(Hierarchy::Whole) };
    let data = data_path(job);
    let builder = Builder {
        source: &job.source,
        null: &job.input.null,
        order: column.order.as_deref(),
        covered: Covered { data: data.as_deref(), column: Some(&column.name) },
    };
    builder.hierarchy(spec, &hierarchy_key(attribute), values, data_type)
}

/// Where an attribute's hierarchy stands in the job.
pub(super) fn hierarchy_key(attribute: usize) -> String {
    format!("attributes[{attribute}].hierarchy")
}

/// The table of the job, if it is a file.
pub(super) fn data_path(job: &Job) -> Option<PathBuf> {
    match &job.input.source {
        InputSource::File(path) => Some(job.resolve(path)),
        InputSource::Stdin | InputSource::Postgres { .. } => None,
    }
}

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

impl Builder<'_> {
    /// `key` is where the description stands.
    pub(super) fn hierarchy(
        &self,
        spec: &HierarchySpec,
        key: &str,
        values: &[Option<&str>],
        ty: ValueType,
    ) -> Result<Hierarchy, Problems> {
        match spec {
            HierarchySpec::File(file) => self.file(file, key).map(Hierarchy::Table),
            HierarchySpec::Intervals(spec) => self.intervals(spec, key, ty).map(Hierarchy::Intervals),
            HierarchySpec::Redact(spec) => self.redaction(spec, key, values).map(Hierarchy::Redaction),
            HierarchySpec::Breaks(spec) => self.breaks(spec, key, ty).map(Hierarchy::Breaks),
            HierarchySpec::Codes(spec) => self.codes(spec, key).map(Hierarchy::Codes),
            HierarchySpec::Age(spec) => self.age(spec, key).map(Hierarchy::Age),
            HierarchySpec::Lump(_) | HierarchySpec::Cluster(_) => {
                let message = "is counted in the rows of the table, which are not known here";
                let advice = "Write the groups into a file, or use another hierarchy";
                Err(self.source.problem(key, message).advise(advice).into())
            }
            HierarchySpec::Dates(units) => self.dates(units, key).map(Hierarchy::Dates),
            HierarchySpec::Order(groups) => {
                let groups: Vec<_> = groups.iter().map(builders::group).collect();
                let table = group_by_hand(&groups).map_err(|error| {
                    let advice = "Put each value into one group, and nest all values equally deep";
                    self.source.problem(&format!("{key}.order"), error.to_string()).advise(advice)
                });
                Ok(Hierarchy::Table(table?))
            }
            HierarchySpec::Ordering(spec) => self.ordering(spec, key, values, ty).map(Hierarchy::Table),
            HierarchySpec::Chain(parts) => self.chain(parts, key, values, ty).map(Hierarchy::Chain),
        }
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

    fn intervals(&self, spec: &job::Intervals, key: &str, ty: ValueType) -> Result<Intervals, Problems> {
        let whole = ty == ValueType::Integer || spec.rounding != job::Rounding::None;
        let grid = if whole { Grid::Integer } else { Grid::Decimal };
        let problem = |error: &IntervalsError| {
            let place = match error {
                IntervalsError::NotPositive { level } | IntervalsError::NotNested { level } => {
                    format!(".widths[{}]", level - 1)
                }
                IntervalsError::NotWhole => place_of_fraction(spec),
                IntervalsError::Widths => ".widths".to_owned(),
                IntervalsError::Bounds => ".max".to_owned(),
                _ => String::new(),
            };
            self.source.problem(&format!("{key}.intervals{place}"), error.to_string())
        };
        let numbers = |numbers: &[job::DecimalText]| {
            numbers.iter().map(builders::decimal).collect::<Option<Vec<_>>>().ok_or(IntervalsError::TooFine)
        };
        let made = numbers(&spec.widths).and_then(|widths| {
            let bounds = numbers(&[spec.min.clone(), spec.max.clone()])?;
            Intervals::new(IntervalsSpec {
                widths,
                min: bounds[0],
                max: bounds[1],
                outliers: builders::outliers(spec.outliers),
                rounding: builders::rounding(spec.rounding),
                grid,
            })
        });
        made.map_err(|error| match error {
            IntervalsError::NotWhole if ty == ValueType::Integer => {
                let mut problem = problem(&error);
                problem.message = "must be a whole number, since the column holds integers".to_owned();
                problem.advise("Write a whole number, or give the attribute type = \"decimal\"").into()
            }
            IntervalsError::NotWhole => {
                let mut problem = problem(&error);
                problem.message =
                    "must be a whole number, since values are rounded to whole numbers".to_owned();
                problem.advise("Write a whole number, or leave out rounding").into()
            }
            _ => problem(&error).advise("Write e.g. { widths = [5, 10, 20], min = 0, max = 100 }").into(),
        })
    }

    fn redaction(
        &self,
        spec: &job::Redact,
        key: &str,
        values: &[Option<&str>],
    ) -> Result<Redaction, Problems> {
        let length = spec.length.map_or_else(|| Redaction::length_for(values), usize::from);
        Redaction::new(spec.fill, builders::side(spec.from), length, spec.alphabet)
            .map_err(|error| self.source.problem(&format!("{key}.redact"), error.to_string()).into())
    }

    fn dates(&self, units: &[job::DateUnit], key: &str) -> Result<Dates, Problems> {
        Dates::new(units.iter().copied().map(builders::date_part).collect()).map_err(|error| {
            let place = match error {
                DatesError::NotNested { level } => format!("{key}.dates[{}]", level - 1),
                _ => format!("{key}.dates"),
            };
            let advice = "Write e.g. dates = [\"month\", \"quarter\", \"year\"]";
            self.source.problem(&place, error.to_string()).advise(advice).into()
        })
    }

    fn ordering(
        &self,
        spec: &job::Ordering,
        key: &str,
        values: &[Option<&str>],
        ty: ValueType,
    ) -> Result<TableHierarchy, Problems> {
        let key = format!("{key}.ordering");
        let sizes: Vec<usize> =
            spec.sizes.iter().map(|size| usize::try_from(*size).unwrap_or(usize::MAX)).collect();
        let made = match spec.order.as_deref().or(self.order) {
            Some(order) => group_by_order(&order.iter().map(String::as_str).collect::<Vec<_>>(), &sizes),
            None => {
                let present: Vec<&str> = values.iter().copied().flatten().collect();
                if present.is_empty() {
                    let problem =
                        self.source.problem(&key, "the column has no values that could be put in order");
                    return Err(problem
                        .advise("Write them down, as in order = [\"low\", \"mid\", \"high\"]")
                        .into());
                }
                let others = present.iter().filter(|value| !ty.accepts(value)).count();
                if others > 0 {
                    let values = counted(others, "value");
                    let message =
                        format!("{values} of the column cannot be put in order as {}", builders::plural(ty));
                    let advice = "Write the order down, as in order = [\"low\", \"mid\", \"high\"], \
                                  or declare type = \"string\"";
                    return Err(self.source.problem(&key, message).advise(advice).into());
                }
                group_sorted(&present, ty, &sizes)
            }
        };
        made.map_err(|error| {
            let place = match error {
                OrderingError::FanOut { position } => format!("{key}.sizes[{}]", position - 1),
                _ => key.clone(),
            };
            let advice = "Write e.g. ordering = { sizes = [2, 3] }, and each value once in order";
            self.source.problem(&place, error.to_string()).advise(advice).into()
        })
    }

    /// The labels right below the top of one part are the values of the next.
    fn chain(
        &self,
        specs: &[HierarchySpec],
        key: &str,
        values: &[Option<&str>],
        ty: ValueType,
    ) -> Result<Chain, Problems> {
        let (mut parts, mut problems) = (Vec::new(), Problems::new());
        // `None` behind a part that could not be built.
        let mut values: Option<Vec<Option<String>>> =
            Some(values.iter().map(|value| value.map(str::to_owned)).collect());
        let mut ty = ty;
        for (position, spec) in specs.iter().enumerate() {
            let key = format!("{key}.chain[{position}]");
            let present: Vec<Option<&str>> = values.iter().flatten().map(Option::as_deref).collect();
            if position > 0 {
                ty = type_of(&present);
            }
            if values.is_none() && needs_values(spec) {
                continue;
            }
            let order = if position == 0 { self.order } else { None };
            let part = Builder { order, ..*self }.hierarchy(spec, &key, &present, ty);
            if let Ok(part) = &part
                && part.max_level() < 2
                && position + 1 < specs.len()
            {
                let message =
                    "this part has nothing between its values and its top, so it does nothing in a chain";
                let advice = "Leave it out, or add a level; the lines of a hierarchy file end with ;*";
                problems.push(self.source.problem(&key, message).advise(advice));
            }
            values = values.as_ref().and(part.as_ref().ok()).map(|part| labels_below_top(part, &present));
            match part {
                Ok(part) => parts.push(part),
                Err(more) => problems.extend(more),
            }
        }
        let parts = problems.into_result(parts)?;
        Chain::new(parts).map_err(|error| {
            let advice = "Leave out levels that nobody needs";
            self.source.problem(&format!("{key}.chain"), error.to_string()).advise(advice).into()
        })
    }
}

fn needs_values(spec: &HierarchySpec) -> bool {
    match spec {
        HierarchySpec::Redact(spec) => spec.length.is_none(),
        HierarchySpec::Ordering(spec) => spec.order.is_none(),
        // Their numbers decide how intervals are written.
        HierarchySpec::Intervals(_) | HierarchySpec::Breaks(_) => true,
        HierarchySpec::Chain(parts) => parts.iter().any(needs_values),
        HierarchySpec::File(_)
        | HierarchySpec::Codes(_)
        | HierarchySpec::Age(_)
        | HierarchySpec::Lump(_)
        | HierarchySpec::Cluster(_)
        | HierarchySpec::Dates(_)
        | HierarchySpec::Order(_) => false,
    }
}

/// Distinct and in order; values without a place are left out, they are reported with the ladder.
fn labels_below_top(part: &Hierarchy, values: &[Option<&str>]) -> Vec<Option<String>> {
    let level = part.max_level().saturating_sub(1);
    let label = |value: &Option<&str>| Some(part.label(*value, level).ok()?.map(|label| label.into_owned()));
    values.iter().filter_map(label).collect::<BTreeSet<_>>().into_iter().collect()
}

/// The first number of the intervals that is not whole.
fn place_of_fraction(spec: &job::Intervals) -> String {
    let fraction = |number: &job::DecimalText| number.as_str().contains('.');
    match spec.widths.iter().position(fraction) {
        Some(position) => format!(".widths[{position}]"),
        None if fraction(&spec.min) => ".min".to_owned(),
        None => ".max".to_owned(),
    }
}

#[cfg(test)]
#[path = "build_tests.rs"]
mod tests;
