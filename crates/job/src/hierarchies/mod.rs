//! Hierarchy builders, a file each: what the job says, how it is read and written, and the hierarchy that it makes.
//!
//! A new builder is a file here with its line in the first list below. If its labels are of a new kind, that is a file in
//! `core/src/hierarchy`, its form in `transform.json` with a line in the second list, and the verifier's twin in `verify/src/hierarchy`.

mod json;
#[macro_use]
mod lists;
mod table;

pub use age::Age;
pub use breaks::{BreakLevel, Breaks};
pub use cluster::Cluster;
pub use codes::{Codes, CodesSpec};
pub use dates::DateUnit;
pub use file::HierarchyFile;
pub use intervals::{Intervals, Outliers, Rounding};
pub use json::{JsonError, from_json, to_json};
pub use lump::Lump;
pub(crate) use order::KEYS as GROUP_KEYS;
pub use order::{Group, Members};
pub use ordering::Ordering;
pub use parts::Parts;
pub use redact::{Redact, Side};

use crate::data_type::DataType;
use crate::decimal::DecimalText;
use crate::keys::{Key, Takes, key};
use crate::lines::Source;
use crate::names::Named;
use crate::problem::{Problem, Problems};
use crate::render_toml::table as toml_table;
use crate::walk::{Item, Section, Walk};
use paravent_core::hierarchy::{Hierarchy, TableHierarchy};
use paravent_core::values::{Decimal, ValueType};
use std::fmt;
use toml::de::DeValue;

builders! {
    /// `"age.csv"` or `{ file = "age.csv" }`: value, level 1, … on each line.
    file::File(HierarchyFile),
    /// `{ intervals = { widths = [5, 10], min = 0, max = 100 } }`
    intervals::Intervals(Intervals),
    /// `{ redact = { from = "right" } }`: one more character is hidden on each level.
    redact::Redact(Redact),
    /// `{ breaks = [[18, 30, 65], [18]] }`: intervals between free points, open at both ends.
    breaks::Breaks(Breaks),
    /// `{ codes = "icd-10" }`: beginnings and ranges of codes.
    codes::Codes(CodesSpec),
    /// `{ age = { on = "2024-12-31" } }`: completed years since birth.
    age::Age(Age),
    /// `{ lump = { least = [20] } }`: rare values become one.
    lump::Lump(Lump),
    /// `{ cluster = { sizes = [20, 8, 3] } }`: near values become one.
    cluster::Cluster(Cluster),
    /// `{ dates = ["month", "year"] }`, fine to coarse, each unit a union of the one before; not empty.
    dates::Dates(Vec<DateUnit>),
    /// `{ order = [["single", "divorced"], ["married"]] }`: grouped by hand, all groups equally deep; not empty.
    order::Order(Vec<Group>),
    /// `{ ordering = { sizes = [2, 3] } }`: neighbours in the order of the values are grouped.
    ordering::Ordering(Ordering),
    /// `{ parts = { separator = "/" } }`: the last part of a path goes on each level.
    parts::Parts(Parts),
    /// `{ chain = [{ … }, { … }] }`: the labels of one part are the values of the next; two or more, no chain inside.
    chain::Chain(Vec<HierarchySpec>),
}

forms! {
    table::Table,
    intervals::Intervals,
    redact::Redaction,
    breaks::Breaks,
    codes::Codes,
    age::Age,
    dates::Dates,
    chain::Chain,
}

/// A way to describe a hierarchy: all there is to know about it.
pub(crate) trait HierarchyBuilder: fmt::Debug {
    /// What is written behind its key.
    fn text(&self) -> String;

    /// The value of `hierarchy`, where more than one key is written.
    fn whole_text(&self) -> String {
        String::new()
    }

    /// The hierarchy over the values present.
    fn build(&self, site: &Site<'_>, values: &[Option<&str>], ty: ValueType) -> Result<Hierarchy, Problems>;

    /// The hierarchy before the values are known, to find what is wrong with it; `None` where they decide about it.
    fn build_early(&self, site: &Site<'_>, ty: ValueType) -> Result<Option<Hierarchy>, Problems> {
        match self.needs_values() || self.is_counted() {
            true => Ok(None),
            false => self.build(site, &[], ty).map(Some),
        }
    }

    /// Reports a declared type that does not fit.
    fn check_type(&self, _: &mut Walk, _: &Item<'_>, _: DataType) {}

    /// The strictest type that all its labels may have; what stands behind it in a chain reads them.
    fn label_type(&self) -> ValueType {
        ValueType::Decimal
    }

    /// Whether the values present decide about levels or labels.
    fn needs_values(&self) -> bool {
        false
    }

    /// Whether groups and labels are made from the values that occur and how often.
    fn is_counted(&self) -> bool {
        false
    }

    /// The hierarchy of counted values, for builders that [count](HierarchyBuilder::is_counted).
    fn count(&self, _: &CountedValues<'_>) -> Result<Hierarchy, String> {
        Err("is not counted in the data".to_owned())
    }

    /// Whether labels name values that occur, so that rare ones must be kept out of them. `order_is_told`: the job has the order of
    /// the column's values.
    fn is_made_from_data(&self, _order_is_told: bool) -> bool {
        false
    }

    /// Whether another value of the column may change the label of a value: one odd cell would change those of all.
    fn depends_on_other_values(&self, order_is_told: bool) -> bool {
        self.is_counted() || self.is_made_from_data(order_is_told)
    }
}

/// Where a hierarchy is built: what its description does not tell.
pub struct Site<'a> {
    /// Where the description was written down.
    pub source: &'a Source,
    /// Where it stands there.
    pub key: String,
    /// The order of the column's values, if the job tells.
    pub order: Option<&'a [String]>,
    /// Reads a hierarchy file that is named at a key.
    pub file: &'a dyn Fn(&HierarchyFile, &str) -> Result<TableHierarchy, Problems>,
}

impl Site<'_> {
    /// A problem with one of the keys of the description.
    fn problem(&self, key: &str, message: impl Into<String>) -> Problem {
        self.source.problem(&format!("{}.{key}", self.key), message)
    }

    fn rows_are_not_known(&self) -> Problems {
        let message = "is counted in the rows of the table, which are not known here";
        let advice = "Write the groups into a file, or use another hierarchy";
        self.source.problem(&self.key, message).advise(advice).into()
    }
}

/// The values of a column and how often they occur.
#[derive(Clone, Copy)]
pub struct CountedValues<'a> {
    /// Values that are not missing.
    pub values: &'a [&'a str],
    /// Rows of each.
    pub counts: &'a [u64],
    /// Their type.
    pub value_type: ValueType,
    /// A value of fewer rows is rare, whatever the job says.
    pub least_rows: u64,
}

impl HierarchySpec {
    /// Whether groups and labels are made from the values that occur and how often.
    pub fn is_counted(&self) -> bool {
        self.unit().is_counted()
    }

    /// Whether labels name values that occur. `order_is_told`: the job has the order of the column's values.
    pub fn is_made_from_data(&self, order_is_told: bool) -> bool {
        self.unit().is_made_from_data(order_is_told)
    }

    /// Whether another value of the column may change the label of a value, so that no label is known before the table is.
    pub fn depends_on_other_values(&self, order_is_told: bool) -> bool {
        self.unit().depends_on_other_values(order_is_told)
    }

    /// The hierarchy over the values present.
    ///
    /// # Errors
    /// All problems, at the key of the job or the line of the hierarchy file.
    pub fn build(
        &self,
        site: &Site<'_>,
        values: &[Option<&str>],
        ty: ValueType,
    ) -> Result<Hierarchy, Problems> {
        self.unit().build(site, values, ty)
    }

    /// What can be told before the values are known: files, points, widths, and whatever else does not wait for them, also inside a chain.
    ///
    /// # Errors
    /// All problems, at the key of the job or the line of the hierarchy file.
    pub fn check_early(&self, site: &Site<'_>, ty: ValueType) -> Result<(), Problems> {
        self.unit().build_early(site, ty).map(drop)
    }

    /// The hierarchy of counted values; `None` for builders that do not count.
    ///
    /// # Errors
    /// What is wrong with the builder's key, whose name comes with it.
    pub fn count(&self, counted: &CountedValues<'_>) -> Option<Result<Hierarchy, (&'static str, String)>> {
        self.is_counted().then(|| self.unit().count(counted).map_err(|message| (self.key(), message)))
    }

    /// The value of `hierarchy`.
    pub(crate) fn text(&self) -> String {
        match self.unit().whole_text() {
            none if none.is_empty() => toml_table([Some((self.key(), self.unit().text()))]),
            whole => whole,
        }
    }

    /// Reports a declared type that does not fit.
    pub(crate) fn check_type(&self, walk: &mut Walk, item: &Item<'_>, data_type: DataType) {
        self.unit().check_type(walk, item, data_type);
    }
}

/// With `file` only.
const DELIMITER: Key = key("delimiter", Takes::Text, "With file: what stands between the labels");

/// A file name, or a table with one builder.
pub(crate) fn hierarchy(walk: &mut Walk, item: &Item<'_>) -> Option<HierarchySpec> {
    match item.value.get_ref() {
        DeValue::String(_) => {
            let path = item.path(walk)?;
            Some(HierarchySpec::File(HierarchyFile { path, delimiter: None }))
        }
        DeValue::Table(_) => builder(walk, item),
        other => item.wrong_type(walk, "a table or a file name", other),
    }
}

fn builder(walk: &mut Walk, item: &Item<'_>) -> Option<HierarchySpec> {
    let section = item.section(walk)?;
    let builders: Vec<&str> = BUILDERS.iter().map(|(key, _)| key.name).collect();
    section.allow_keys(walk, KEYS);
    let mut present: Vec<Item<'_>> =
        BUILDERS.iter().filter_map(|(key, example)| section.get(walk, key.name, example)).collect();
    // An unknown key was reported already, and was probably meant to be the builder.
    let known = |name: &str| KEYS.iter().any(|key| key.name == name);
    let misspelled = section.table.keys().any(|key| !known(key.get_ref()));
    if present.is_empty() && !misspelled && walk.complete() {
        let advice = "Write e.g. hierarchy = { file = \"age.csv\" }";
        walk.report(section.line, &section.path, format!("needs one of: {}", builders.join(", ")), advice);
    }
    present.sort_by_key(|item| item.value.span().start);
    for other in present.iter().skip(1) {
        let advice = "Keep one of them, or put one on top of the other with chain = [{ … }, { … }]";
        walk.report(other.line, &other.key, "a hierarchy has one builder, and this is another one", advice);
    }
    let delimiter = section.get(walk, "delimiter", "\";\"");
    if let (Some(delimiter), None, false) = (&delimiter, section.get(walk, "file", ""), misspelled) {
        walk.report(delimiter.line, &delimiter.key, "goes with file only", "Leave it out");
    }
    let specs: Vec<Option<HierarchySpec>> = present.iter().map(|item| read(walk, item, &section)).collect();
    specs.into_iter().next().flatten()
}

/// Intervals need numbers.
fn needs_numbers(walk: &mut Walk, item: &Item<'_>, data_type: DataType) {
    if !matches!(data_type, DataType::Integer | DataType::Decimal) {
        let advice = "Write type = \"integer\" or type = \"decimal\"";
        walk.report(item.line, &item.key, format!("intervals do not fit the type {data_type}"), advice);
    }
}

/// Units of the calendar need dates.
fn needs_dates(walk: &mut Walk, item: &Item<'_>, data_type: DataType) {
    if !matches!(data_type, DataType::Date | DataType::DateTime) {
        let advice = "Write type = \"date\" or type = \"datetime\"";
        walk.report(item.line, &item.key, format!("dates do not fit the type {data_type}"), advice);
    }
}

/// `None` never happens: the job's decimals have fewer digits than the engine's.
fn decimal(number: &DecimalText) -> Option<Decimal> {
    number.as_str().parse().ok()
}

/// Choices of the engine that a job can write.
macro_rules! named {
    ($($choice:ty),+) => {
        $(
            impl Named for $choice {
                const ALL: &'static [Self] = <$choice>::ALL;
                fn name(self) -> &'static str {
                    <$choice>::name(self)
                }
            }
        )+
    };
}
named!(Outliers, Rounding, Side, DateUnit);
