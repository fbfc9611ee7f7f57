//! `paravent hierarchy build`: a hierarchy written out for the values of a column.

use std::fmt;

use paravent_core::hierarchy::{Hierarchy, TableRow};
use paravent_core::values::ValueType;

use crate::hierarchies::advice::Covered;
use crate::hierarchies::build::Builder;
use crate::hierarchies::file::{counted, null_text};
use crate::hierarchies::{ColumnValues, HierarchyText};
use paravent_job::{HierarchySpec, Problem, Problems, Source};

/// A hierarchy written out.
#[derive(Clone, Debug)]
pub struct Built {
    /// The hierarchy as it was described.
    pub hierarchy: Hierarchy,
    /// A line per value of the column, in their order.
    pub rows: Vec<TableRow>,
    null: String,
}

/// Builds the hierarchy that `spec` describes and writes it out for all values of the column.
///
/// `data_type` is by default what the values look like. Problems name `hierarchy.…` as the key and `source`
/// as the file; relative paths in `spec` start at its folder.
///
/// # Errors
/// A description that makes no hierarchy, or values that have no place in it.
pub fn build_file(
    spec: &HierarchySpec,
    column: &ColumnValues,
    data_type: Option<ValueType>,
    source: &Source,
) -> Result<Built, Problems> {
    let ty = data_type.unwrap_or_else(|| column.data_type());
    let covered = Covered { data: Some(&column.path), column: Some(&column.column) };
    let builder = Builder { source, null: &column.null, order: None, covered };
    write_out(builder.hierarchy(spec, "hierarchy", &column.values(), ty)?, column, source)
}

/// Writes a hierarchy out for all values of the column. A missing value gets no line unless the hierarchy has one for it: it stays
/// missing below the top.
///
/// # Errors
/// A column without values, or values that have no place in the hierarchy.
pub fn write_out(hierarchy: Hierarchy, column: &ColumnValues, source: &Source) -> Result<Built, Problems> {
    let values = column.values();
    if !values.iter().any(Option::is_some) {
        return Err(Problem::new(&column.path, format!("column `{}` has no values", column.column)).into());
    }
    let (mut rows, mut without_place) = (Vec::new(), Vec::new());
    for value in values {
        match row(&hierarchy, value) {
            Ok(row) => rows.extend(row),
            Err(why) => without_place.push(why),
        }
    }
    if let Some(why) = without_place.first() {
        let values = counted(without_place.len(), "value");
        let have = if without_place.len() == 1 { "has" } else { "have" };
        let message =
            format!("{values} of column `{}` {have} no place in the hierarchy: {why}", column.column);
        let advice = "Describe a hierarchy that covers all values of the column";
        return Err(source.problem("hierarchy", message).advise(advice).into());
    }
    Ok(Built { hierarchy, rows, null: null_text(&column.null).to_owned() })
}

/// `None` for the missing value that stays missing.
fn row(
    hierarchy: &Hierarchy,
    value: Option<&str>,
) -> Result<Option<TableRow>, paravent_core::hierarchy::Unplaced> {
    let labels = (1..=hierarchy.max_level())
        .map(|level| Ok(hierarchy.label(value, level)?.map(|label| label.into_owned())))
        .collect::<Result<Option<Vec<String>>, _>>()?;
    Ok(labels.map(|labels| TableRow { value: value.map(str::to_owned), labels }))
}

impl Built {
    /// The file, with semicolons.
    pub fn text(&self) -> HierarchyText {
        HierarchyText::new(&self.rows, b';', &self.null)
    }
}

impl fmt::Display for Built {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let kind = self.hierarchy.in_words();
        let levels = self.hierarchy.max_level();
        write!(f, "{kind}, highest level {levels}, {}", counted(self.rows.len(), "line"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::hierarchies::{FileOptions, HierarchyLines};
    use paravent_job::{self as job, DateUnit, DecimalText, Ordering, Outliers, Redact, Rounding, Side};

    fn built(spec: &HierarchySpec, values: &[&str]) -> Result<Built, String> {
        let values = values.iter().map(|value| Some(value.to_string())).chain([None]).collect();
        let column = ColumnValues::new("p.csv", "age", 1, values);
        let source = Source::of_file("command line");
        build_file(spec, &column, None, &source).map_err(|problems| problems.to_string())
    }

    fn text(spec: HierarchySpec, values: &[&str]) -> String {
        built(&spec, values).unwrap().text().0
    }

    fn intervals(widths: &[&str]) -> HierarchySpec {
        let decimal = |text: &str| DecimalText::new(text).unwrap();
        HierarchySpec::Intervals(job::Intervals {
            widths: widths.iter().map(|width| decimal(width)).collect(),
            min: decimal("0"),
            max: decimal("100"),
            outliers: Outliers::Refuse,
            rounding: Rounding::None,
        })
    }

    #[test]
    fn every_builder_can_be_written_out() {
        assert_eq!(text(intervals(&["5", "10"]), &["7", "34"]), "7;5-9;0-9;*\n34;30-34;30-39;*\n");
        let redact = Redact { alphabet: None, from: Side::Right, fill: '*', length: None };
        assert_eq!(text(HierarchySpec::Redact(redact), &["ab", "x"]), "ab;a*;**\nx;*;**\n");
        let dates = HierarchySpec::Dates(vec![DateUnit::Month, DateUnit::Year]);
        assert_eq!(text(dates, &["2024-03-09"]), "2024-03-09;2024-03;2024;*\n");
        let ordering = HierarchySpec::Ordering(Ordering { sizes: vec![2], order: None });
        assert_eq!(text(ordering, &["9", "10", "11"]), "9;9..10;*\n10;9..10;*\n11;11;*\n");
    }

    #[test]
    fn what_was_written_is_read_again() {
        let ages: Vec<String> = (18..=73).map(|age| age.to_string()).collect();
        let ages: Vec<&str> = ages.iter().map(String::as_str).collect();
        let built = built(&intervals(&["5", "10"]), &ages).unwrap();
        assert!(built.to_string().starts_with("intervals, highest level "));
        let lines =
            HierarchyLines::parse(built.text().0.as_bytes(), "a.csv".as_ref(), &FileOptions::default());
        assert!(lines.unwrap().table().unwrap().lines().to_rows() == built.rows);
    }

    #[test]
    fn what_cannot_be_built_is_told() {
        assert_eq!(
            built(&intervals(&["0.5"]), &["7"]).unwrap_err(),
            "command line: hierarchy.intervals.widths[0]: must be a whole number, since the column holds \
             integers. Write a whole number, or give the attribute type = \"decimal\""
        );
        assert_eq!(
            built(&intervals(&["5"]), &["700", "7"]).unwrap_err(),
            "command line: hierarchy: 1 value of column `age` has no place in the hierarchy: the number \
             is outside the bounds of the hierarchy. Describe a hierarchy that covers all values of the \
             column"
        );
        assert_eq!(built(&intervals(&["5"]), &[]).unwrap_err(), "p.csv: column `age` has no values");
    }
}
