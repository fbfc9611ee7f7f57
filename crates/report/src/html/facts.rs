//! The view, with the figures that several sections need.

use super::promise::Promise;
use crate::{AttributeView, Audience, Document, View};

/// What the sections are drawn from.
pub struct Facts<'a> {
    /// All of it.
    pub view: &'a View,
    /// The figures.
    pub document: &'a Document,
    /// The promises, kept or not.
    pub promises: Vec<Promise<'a>>,
    /// Names of the quasi-identifiers, in input order.
    pub quasi_identifiers: Vec<&'a str>,
    /// Names of the sensitive columns that are released.
    pub sensitive: Vec<&'a str>,
}

impl<'a> Facts<'a> {
    /// The facts of a view.
    pub fn of(view: &'a View) -> Self {
        let names = |wanted: fn(&&AttributeView) -> bool| {
            view.attributes.iter().filter(wanted).map(|attribute| attribute.name.as_str()).collect()
        };
        Self {
            view,
            document: &view.document,
            promises: view.document.privacy.iter().filter_map(Promise::of).collect(),
            quasi_identifiers: names(|attribute| attribute.role == "quasi-identifier"),
            sensitive: names(|attribute| attribute.role == "sensitive" && attribute.released),
        }
    }

    /// Whether the page may be handed out.
    pub fn is_external(&self) -> bool {
        self.view.audience == Audience::Outside
    }

    /// Rows of the release.
    pub fn released_rows(&self) -> u64 {
        match &self.document.output {
            Some(output) => output.rows,
            None => self.document.input.rows.saturating_sub(self.document.solution.suppressed_rows),
        }
    }

    /// Rows of the smallest released class.
    pub fn smallest_class(&self) -> u64 {
        self.document.solution.smallest_class
    }

    /// The chance that a guess for a person of the smallest class is right.
    pub fn highest_risk(&self) -> f64 {
        1.0 / self.smallest_class() as f64
    }

    /// The mean of that chance over all released rows: classes per row.
    pub fn average_risk(&self) -> f64 {
        1.0 / self.document.solution.average_class
    }

    /// Whether columns that are released as they are single out too many people.
    pub fn singles_out(&self) -> bool {
        self.document.unchanged.as_ref().is_some_and(|unchanged| unchanged.too_many())
    }

    /// So many rows as a share of the table.
    pub fn share_of_rows(&self, rows: u64) -> f64 {
        rows as f64 / self.document.input.rows.max(1) as f64
    }

    /// The promises that are kept and say something.
    pub fn effective(&self) -> impl Iterator<Item = &Promise<'a>> {
        self.promises.iter().filter(|promise| promise.holds && !promise.is_empty())
    }
}
