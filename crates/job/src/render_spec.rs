//! Writes models the way the job file spells them.

use super::models::{Model, Parameter, Population};
use super::render_toml::{cells, path, table};
use super::suggest::quoted;

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
