//! Column names in arguments.

use super::value::Value;
use super::wording::{problem, unknown};
use datafusion::common::{Column, DFSchema, Result, TableReference};
use datafusion::sql::sqlparser::ast::Ident;
use paravent_job::closest;

/// Finds columns of one relation by the names that a statement uses for them.
///
/// As everywhere in SQL, a name without quotes is read in lower case; where there is no such column but exactly one that differs in
/// case, that one is meant. Texts name columns exactly.
#[derive(Debug, Clone, Copy)]
pub(super) struct Columns<'a> {
    pub(super) schema: &'a DFSchema,
    /// Function and argument, for messages.
    pub(super) place: &'a str,
}

impl Columns<'_> {
    /// One column.
    pub(super) fn one(&self, value: &Value) -> Result<Column> {
        match value {
            Value::Name(idents) => self.named(idents),
            Value::Text(name) => self.exactly(name),
            other => {
                Err(problem(format!("{}: {} where a column's name is expected", self.place, other.kind())))
            }
        }
    }

    /// A list of columns; a name alone is a list of one.
    pub(super) fn list(&self, value: &Value) -> Result<Vec<Column>> {
        value.items().into_iter().map(|item| self.one(item)).collect()
    }

    /// The column with exactly this name.
    pub(super) fn exactly(&self, name: &str) -> Result<Column> {
        let found: Vec<Column> =
            self.schema.columns().into_iter().filter(|column| column.name == name).collect();
        self.only(found, name)
    }

    fn named(&self, idents: &[Ident]) -> Result<Column> {
        let Some((last, qualifier)) = idents.split_last() else {
            return Err(problem(format!("{}: a column's name is missing", self.place)));
        };
        let of_table = |column: &Column| match qualifier {
            [] => true,
            parts => column.relation.as_ref().is_some_and(|relation| is_called(relation, parts)),
        };
        let columns: Vec<Column> = self.schema.columns().into_iter().filter(of_table).collect();
        let shown = idents.iter().map(|ident| ident.value.as_str()).collect::<Vec<_>>().join(".");
        let normal = if last.quote_style.is_some() { last.value.clone() } else { last.value.to_lowercase() };
        let mut found: Vec<Column> = columns.iter().filter(|column| column.name == normal).cloned().collect();
        if found.is_empty() && last.quote_style.is_none() {
            found = columns.into_iter().filter(|column| column.name.to_lowercase() == normal).collect();
        }
        self.only(found, &shown)
    }

    fn only(&self, mut found: Vec<Column>, shown: &str) -> Result<Column> {
        match (found.pop(), found.is_empty()) {
            (Some(column), true) => Ok(column),
            (Some(_), false) => Err(problem(format!(
                "{}: {shown:?} is the name of several columns; write it with its table, or quote it as it is written",
                self.place
            ))),
            (None, _) => {
                let known: Vec<String> =
                    self.schema.columns().into_iter().map(|column| column.name).collect();
                let named: Vec<&str> = known.iter().map(String::as_str).collect();
                Err(problem(format!("{}: {}", self.place, unknown("column", "columns", shown, named))))
            }
        }
    }
}

fn is_called(relation: &TableReference, parts: &[Ident]) -> bool {
    let same = |name: &str, ident: &Ident| match ident.quote_style {
        Some(_) => name == ident.value,
        None => name.to_lowercase() == ident.value.to_lowercase(),
    };
    let names = relation.to_vec();
    names.len() >= parts.len()
        && names.iter().rev().zip(parts.iter().rev()).all(|(name, part)| same(name, part))
}

/// One of some words, or what was probably meant.
pub(super) fn choice<T: Copy>(place: &str, value: &Value, choices: &[(&'static str, T)]) -> Result<T> {
    let names: Vec<&str> = choices.iter().map(|(name, _)| *name).collect();
    let Some(word) = value.word() else {
        return Err(problem(format!(
            "{place}: {} where one of {} is expected",
            value.kind(),
            names.join(", ")
        )));
    };
    let word = word.replace('_', "-");
    match choices.iter().find(|(name, _)| *name == word) {
        Some((_, choice)) => Ok(*choice),
        None => {
            let meant = closest(&word, names.iter().copied());
            let meant = meant.map_or_else(String::new, |meant| format!("did you mean {meant}? "));
            Err(problem(
                format!("{place}: {word:?} is none of its choices; {meant}Write one of {}", names.join(", "))
                    .replace("; Write", "; write"),
            ))
        }
    }
}
