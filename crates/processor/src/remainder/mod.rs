//! What is left to do of an answer whose figures were worked out elsewhere: adding parts up, and dividing sums by numbers of values.
//!
//! A mean is split into the sum of its values and their number, everything else is a sum already. So parts of several nodes are added, and
//! means are taken last. Whoever has a part and its annotation can do that, and so does the node that worked out all of it: the same figures give
//! the same mean to the last digit. Minima, maxima, medians and numbers of different values cannot be put together like that; none is answered.

use crate::adapt::{Adapted, Way};
use crate::question::{Figure, Kind, Shown};
use paravent_job::DecimalText;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use std::collections::{BTreeMap, BTreeSet};
use std::num::IntErrorKind;

/// A plan over parts: what is grouped and added, and what becomes of it. It computes on figures and sees no row of a table.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Remainder {
    operator: Project,
    /// The columns of the answer.
    columns: Vec<Output>,
    input: Grouped,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
enum Project {
    Project,
}

/// Rows of equal groups are added up.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Grouped {
    operator: Group,
    /// Columns of the groups.
    by: Vec<String>,
    /// Columns that are added.
    sum: Vec<String>,
    input: Union,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
enum Group {
    Group,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Union {
    operator: UnionOf,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
enum UnionOf {
    UnionOfParts,
}

/// A column of the answer.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Output {
    name: String,
    #[serde(flatten)]
    of: Of,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
enum Of {
    /// A column of the groups. A table may have a column that is called like a figure, so the plan says which it means.
    Group(String),
    /// A figure as it is.
    Figure(String),
    /// A mean.
    Mean(Mean),
}

/// `middle + distances / values`, cut to the bounds, in units of the last of so many digits.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Mean {
    /// The column with the sum of all distances to the middle.
    distances: String,
    /// The column with the number of values.
    values: String,
    middle: i64,
    /// Declared by the owner, where the figures have noise.
    bounds: Option<(i64, i64)>,
    decimals: u8,
}

impl Mean {
    /// None where there is no value.
    fn of(&self, distances: i128, values: i128) -> Option<f64> {
        let scale = 10_f64.powi(i32::from(self.decimals));
        match self.bounds {
            // With noise, what is left of a group may be nobody, and that must not show as a gap.
            Some((lower, upper)) => {
                let mean = self.middle as f64 + distances as f64 / values.max(1) as f64;
                Some(mean.clamp(lower as f64, upper as f64) / scale)
            }
            // Whole sums first: they are mostly exact, so that only the last division rounds.
            None => {
                (values > 0).then(|| self.middle as f64 / scale + distances as f64 / scale / values as f64)
            }
        }
    }
}

/// Figures of one node.
#[derive(Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Part {
    /// Names of its columns.
    pub columns: Vec<String>,
    /// Its rows.
    pub rows: Vec<Vec<Value>>,
}

/// Cells stay out of logs.
impl std::fmt::Debug for Part {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Part")
            .field("columns", &self.columns)
            .field("rows", &self.rows.len())
            .finish_non_exhaustive()
    }
}

/// Why parts cannot be put together.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum NoSum {
    /// There is none.
    #[error("there is no part")]
    Nothing,
    /// A column of the plan is missing.
    #[error("a part has not the columns that its plan speaks of")]
    Columns,
    /// A row has more or fewer cells than columns.
    #[error("a row of a part has not as many cells as the part has columns")]
    Ragged,
    /// A figure is no number.
    #[error("a figure of a part is no number")]
    Figure,
    /// A sum has too many digits.
    #[error("the figures of the parts are too large to be added")]
    TooLarge,
    /// The plan itself.
    #[error(
        "the plan that is left is none: a column twice, a mean that is never added up, or bounds that nothing lies between"
    )]
    Plan,
}

/// The part of an answer that is kept: means are two columns.
pub(crate) fn part(adapted: &Adapted<'_>, kept: &Value) -> Result<Part, NoSum> {
    let groups = adapted.groups.len();
    let mut columns: Vec<String> = adapted.groups.keys().cloned().collect();
    for figure in &adapted.question.figures {
        match figure {
            Figure::Avg(of) => columns.extend([distances(of), values(of)]),
            other => columns.push(other.name()),
        }
    }
    let mut rows = Vec::new();
    for row in kept["rows"].as_array().into_iter().flatten() {
        let row = row.as_array().ok_or(NoSum::Ragged)?;
        let (labels, figures) = row.split_at_checked(groups).ok_or(NoSum::Ragged)?;
        let mut cells = labels.to_vec();
        // Rows that were answered on labels have no figures.
        for (figure, cell) in adapted.question.figures.iter().zip(figures) {
            match figure {
                // The sum was too large to be worked out.
                Figure::Avg(_) if cell.is_null() => cells.extend([Value::Null, Value::Null]),
                Figure::Avg(_) => {
                    let halves = cell.as_str().and_then(|text| text.split_once('/'));
                    let (distances, values) = halves.ok_or(NoSum::Figure)?;
                    cells.extend([json!(distances), json!(values)]);
                }
                _ => cells.push(cell.clone()),
            }
        }
        rows.push(cells);
    }
    Ok(Part { columns, rows })
}

fn distances(of: &str) -> String {
    format!("distances_{of}")
}

fn values(of: &str) -> String {
    format!("values_{of}")
}

impl Remainder {
    /// What is left to do of a question when its figures are there.
    pub(crate) fn of(adapted: &Adapted<'_>) -> Remainder {
        let mean = |of: &String| {
            let bounds = adapted.bounds.get(of).filter(|_| matches!(adapted.way, Way::Noisy(_)));
            Mean {
                distances: distances(of),
                values: values(of),
                middle: bounds.map_or(0, |bounds| bounds.middle()),
                bounds: bounds.map(|bounds| (bounds.lower, bounds.upper)),
                decimals: bounds.map_or(EXACT_DECIMALS, |bounds| bounds.decimals),
            }
        };
        let output = |(name, shown): &(String, Shown)| {
            let of = match shown {
                Shown::Group(column) => Of::Group(column.clone()),
                Shown::Figure(Figure::Avg(of)) => Of::Mean(mean(of)),
                Shown::Figure(figure) => Of::Figure(figure.name()),
            };
            Output { name: name.clone(), of }
        };
        let summed = adapted.question.figures.iter().flat_map(|figure| match figure {
            Figure::Avg(of) => vec![distances(of), values(of)],
            other => vec![other.name()],
        });
        Remainder {
            operator: Project::Project,
            columns: adapted.question.shown.iter().map(output).collect(),
            input: Grouped {
                operator: Group::Group,
                by: adapted.groups.keys().cloned().collect(),
                sum: summed.collect(),
                input: Union { operator: UnionOf::UnionOfParts },
            },
        }
    }

    /// Whether nothing but names is left to do of a single part.
    pub fn is_nothing(&self) -> bool {
        !self.columns.iter().any(|output| matches!(output.of, Of::Mean(_)))
    }

    /// Whether the plan can be carried out on any part. One that came from elsewhere may say anything.
    ///
    /// # Errors
    /// If it cannot.
    pub fn check(&self) -> Result<(), NoSum> {
        let once = |names: &[String]| names.iter().collect::<BTreeSet<_>>().len() == names.len();
        let known = |output: &Output| match &output.of {
            Of::Group(column) => self.input.by.contains(column),
            Of::Figure(column) => self.input.sum.contains(column) && !self.halves().contains(column.as_str()),
            Of::Mean(mean) => {
                let halves = [&mean.distances, &mean.values];
                mean.distances != mean.values
                    && halves.iter().all(|half| self.input.sum.contains(half))
                    && mean.bounds.is_none_or(|(lower, upper)| lower <= upper)
                    && mean.decimals <= EXACT_DECIMALS
            }
        };
        match once(&self.input.by) && once(&self.input.sum) && self.columns.iter().all(known) {
            true => Ok(()),
            false => Err(NoSum::Plan),
        }
    }

    /// The columns of which means are made. They are whole numbers.
    fn halves(&self) -> BTreeSet<&str> {
        let means = self.columns.iter().filter_map(|output| match &output.of {
            Of::Mean(mean) => Some([mean.distances.as_str(), mean.values.as_str()]),
            Of::Group(_) | Of::Figure(_) => None,
        });
        means.flatten().collect()
    }

    /// How many of a part's columns are groups.
    pub(crate) fn groups(&self) -> usize {
        self.input.by.len()
    }

    /// The names of the answer's columns, and what their cells are.
    pub fn columns(&self) -> Vec<(String, Kind)> {
        let kind = |output: &Output| match &output.of {
            Of::Group(_) => Kind::Label,
            Of::Figure(column) if *column == Figure::Count.name() => Kind::Count,
            Of::Figure(_) | Of::Mean(_) => Kind::Number,
        };
        self.columns.iter().map(|output| (output.name.clone(), kind(output))).collect()
    }

    /// Finishes an answer. Of several parts, figures of equal groups are added; the rows of a single one stay as they are.
    ///
    /// # Errors
    /// If a part is not what its plan speaks of.
    pub fn finish(&self, parts: &[Part]) -> Result<Vec<Vec<Value>>, NoSum> {
        let rows = match parts {
            [] => return Err(NoSum::Nothing),
            [one] => self.arranged(one)?,
            several => self.added(several)?,
        };
        rows.iter()
            .map(|row| self.columns.iter().map(|output| self.cell(&output.of, row)).collect())
            .collect()
    }

    /// The rows of a part, groups first, then figures. A part has them in this order, too: a group and a figure may have the same name.
    pub(crate) fn arranged(&self, part: &Part) -> Result<Vec<Vec<Value>>, NoSum> {
        let groups = self.groups();
        let (by, sum) = part.columns.split_at_checked(groups).ok_or(NoSum::Columns)?;
        let place = |names: &[String], name: &String| names.iter().position(|column| column == name);
        let labels = self.input.by.iter().map(|name| place(by, name));
        let figures = self.input.sum.iter().map(|name| Some(groups + place(sum, name)?));
        let places: Option<Vec<usize>> = labels.chain(figures).collect();
        let places = places.ok_or(NoSum::Columns)?;
        let row = |row: &Vec<Value>| match row.len() == part.columns.len() {
            true => Ok(places.iter().map(|place| row[*place].clone()).collect()),
            false => Err(NoSum::Ragged),
        };
        part.rows.iter().map(row).collect()
    }

    fn added(&self, parts: &[Part]) -> Result<Vec<Vec<Value>>, NoSum> {
        let groups = self.groups();
        let halves = self.halves();
        let is_half: Vec<bool> = self.input.sum.iter().map(|name| halves.contains(name.as_str())).collect();
        let read = |(cell, is_half): (&Value, &bool)| if *is_half { whole(cell) } else { units(cell) };
        let mut sums: BTreeMap<Vec<Option<String>>, Vec<Option<i128>>> = BTreeMap::new();
        for part in parts {
            for row in self.arranged(part)? {
                let (labels, figures) = row.split_at(groups);
                let key = labels.iter().map(label).collect::<Result<Vec<_>, NoSum>>()?;
                let figures = figures.iter().zip(&is_half).map(read).collect::<Result<Vec<_>, NoSum>>()?;
                let Some(known) = sums.get_mut(&key) else {
                    sums.insert(key, figures);
                    continue;
                };
                for (sum, figure) in known.iter_mut().zip(figures) {
                    *sum = match (*sum, figure) {
                        (Some(one), Some(other)) => Some(one.checked_add(other).ok_or(NoSum::TooLarge)?),
                        // What is missing in one part is missing in the sum: nobody knows how much it is.
                        _ => None,
                    };
                }
            }
        }
        let written = |(sum, is_half): (Option<i128>, &bool)| match (sum, is_half) {
            (None, _) => Value::Null,
            (Some(sum), true) => json!(sum.to_string()),
            (Some(sum), false) => crate::exact::decimal(sum),
        };
        let row = |(key, figures): (Vec<Option<String>>, Vec<Option<i128>>)| {
            let labels = key.into_iter().map(|label| json!(label));
            labels.chain(figures.into_iter().zip(&is_half).map(written)).collect()
        };
        Ok(sums.into_iter().map(row).collect())
    }

    /// A cell of the answer from a row of groups and figures.
    fn cell(&self, of: &Of, row: &[Value]) -> Result<Value, NoSum> {
        let (labels, figures) = row.split_at_checked(self.groups()).ok_or(NoSum::Columns)?;
        let named = |names: &[String], cells: &[Value], name: &String| {
            let place = names.iter().position(|column| column == name);
            place.and_then(|place| cells.get(place)).cloned().ok_or(NoSum::Columns)
        };
        match of {
            Of::Group(column) => named(&self.input.by, labels, column),
            Of::Figure(column) => named(&self.input.sum, figures, column),
            Of::Mean(mean) => {
                let half = |name: &String| whole(&named(&self.input.sum, figures, name)?);
                let (distances, values) = (half(&mean.distances)?, half(&mean.values)?);
                let found = distances.zip(values).and_then(|(distances, values)| mean.of(distances, values));
                Ok(found.map_or(Value::Null, |mean| json!(mean)))
            }
        }
    }
}

/// A cell of a group.
pub(crate) fn label(cell: &Value) -> Result<Option<String>, NoSum> {
    match cell {
        Value::Null => Ok(None),
        Value::String(text) => Ok(Some(text.clone())),
        _ => Err(NoSum::Columns),
    }
}

/// Digits after the point of exact sums.
const EXACT_DECIMALS: u8 = 12;

/// Half of a mean, which is a whole number.
fn whole(cell: &Value) -> Result<Option<i128>, NoSum> {
    match cell {
        Value::Null => Ok(None),
        Value::Number(number) => number.as_i128().map(Some).ok_or(NoSum::Figure),
        Value::String(text) => text.parse().map(Some).map_err(|_| NoSum::Figure),
        _ => Err(NoSum::Figure),
    }
}

/// A figure in units of 10^-12. It may be text, where JSON would round it, and sums of many people have more digits than anybody writes.
fn units(cell: &Value) -> Result<Option<i128>, NoSum> {
    let text = match cell {
        Value::Null => return Ok(None),
        Value::Number(number) => number.to_string(),
        Value::String(text) => text.clone(),
        _ => return Err(NoSum::Figure),
    };
    let (whole, fraction) = text.split_once('.').unwrap_or((&text, ""));
    let is_plain =
        whole.ends_with(|c: char| c.is_ascii_digit()) && fraction.len() <= DecimalText::FRACTION_DIGITS;
    match format!("{whole}{fraction:0<12}").parse::<i128>() {
        Ok(units) if is_plain => Ok(Some(units)),
        Err(error) if matches!(error.kind(), IntErrorKind::PosOverflow | IntErrorKind::NegOverflow) => {
            Err(NoSum::TooLarge)
        }
        // An exponent.
        _ => DecimalText::new(&text).map(|number| Some(number.scaled())).map_err(|_| NoSum::Figure),
    }
}

#[cfg(test)]
mod tests;
