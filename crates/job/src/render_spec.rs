//! Writes hierarchies and models the way the job file spells them.

use std::path::Path;

use super::ascii_char::AsciiChar;
use super::hierarchies::{age_text, breaks_text, cluster_text, codes_text, lump_text};
use super::hierarchy_spec::{Group, HierarchySpec, Intervals, Members, Outliers, Redact, Rounding};
use super::models::{Model, Parameter, Population};
use super::render_toml::{cells, list, table};
use super::suggest::quoted;

/// The value of `hierarchy`.
pub(super) fn hierarchy(spec: &HierarchySpec) -> String {
    match spec {
        HierarchySpec::File(file) => table([
            Some(("file", path(&file.path))),
            file.delimiter.map(|delimiter| ("delimiter", ascii_char(delimiter))),
        ]),
        HierarchySpec::Intervals(spec) => table([Some(("intervals", intervals(spec)))]),
        HierarchySpec::Redact(spec) => table([Some(("redact", redact(spec)))]),
        HierarchySpec::Breaks(spec) => table([Some(("breaks", breaks_text(spec)))]),
        HierarchySpec::Codes(spec) => table([Some(("codes", codes_text(spec)))]),
        HierarchySpec::Age(spec) => table([Some(("age", age_text(spec)))]),
        HierarchySpec::Lump(spec) => table([Some(("lump", lump_text(spec)))]),
        HierarchySpec::Cluster(spec) => table([Some(("cluster", cluster_text(spec)))]),
        HierarchySpec::Dates(units) => {
            table([Some(("dates", list(units.iter().map(|unit| quoted(unit.name())))))])
        }
        HierarchySpec::Order(groups) => table([Some(("order", list(groups.iter().map(group))))]),
        HierarchySpec::Ordering(spec) => {
            let sizes = list(spec.sizes.iter().map(u32::to_string));
            let order = spec.order.as_ref().map(|values| ("order", cells(values)));
            table([Some(("ordering", table([Some(("sizes", sizes)), order])))])
        }
        HierarchySpec::Chain(parts) => table([Some(("chain", list(parts.iter().map(hierarchy))))]),
    }
}

fn intervals(spec: &Intervals) -> String {
    table([
        Some(("widths", list(spec.widths.iter().map(ToString::to_string)))),
        Some(("min", spec.min.to_string())),
        Some(("max", spec.max.to_string())),
        (spec.outliers != Outliers::default()).then(|| ("outliers", quoted(spec.outliers.name()))),
        (spec.rounding != Rounding::default()).then(|| ("rounding", quoted(spec.rounding.name()))),
    ])
}

fn redact(spec: &Redact) -> String {
    table([
        spec.alphabet.map(|alphabet| ("alphabet", alphabet.to_string())),
        Some(("from", quoted(spec.from.name()))),
        Some(("char", quoted(&spec.fill.to_string()))),
        spec.length.map(|length| ("length", length.to_string())),
    ])
}

fn group(group: &Group) -> String {
    let members = match &group.members {
        Members::Values(values) => cells(values),
        Members::Groups(groups) => list(groups.iter().map(self::group)),
    };
    match &group.label {
        Some(label) => table([Some(("label", quoted(label))), Some(("of", members))]),
        None => members,
    }
}

/// One entry of `models`.
pub(super) fn model(model: &Model) -> String {
    let entries = model.parameters().into_iter().map(|(key, value)| match value {
        Parameter::Count(count) => (key, count.to_string()),
        Parameter::Decimal(text) => (key, text.to_string()),
        Parameter::Text(text) => (key, quoted(text)),
        Parameter::List(list) => (key, cells(list)),
        Parameter::Population(Population::Table(file)) => ("population", path(file)),
        Parameter::Population(Population::Subset(column)) => ("subset", quoted(column)),
    });
    table(std::iter::once(("model", quoted(model.name().name()))).chain(entries).map(Some))
}

/// A path as a string.
pub(super) fn path(path: &Path) -> String {
    quoted(&path.to_string_lossy())
}

/// A delimiter or quote as a string.
pub(super) fn ascii_char(c: AsciiChar) -> String {
    quoted(&char::from(c.byte()).to_string())
}
