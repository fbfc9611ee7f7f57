//! The checks that need no privacy model: is the release the one that the manifest describes? A file per question.

mod boxes;
mod classes;
mod columns;
mod digest;
pub(crate) mod documents;
pub(crate) mod files;
mod identifiers;
pub(crate) mod labels;
pub(crate) mod order;
mod rows;
mod transform;
mod treatments;

use crate::Check;
use crate::classes::{Classes, Group};
use crate::data::{Column, Data};
use crate::manifest::Manifest;
use crate::people::Counted;
use crate::transform::Transform;

/// A release as it was read.
#[derive(Clone, Copy)]
pub(crate) struct Release<'a> {
    pub(crate) manifest: &'a Manifest<'a>,
    /// Digest of `manifest.json` as it was read.
    pub(crate) manifest_sha256: &'a str,
    /// Absent where only the handed-out folder is there.
    pub(crate) transform: Option<&'a Transform>,
    /// Digest of `transform.json` as it was read.
    pub(crate) transform_sha256: Option<&'a str>,
    pub(crate) data: &'a Data,
    pub(crate) classes: &'a Classes,
    /// The classes in people, where the release counts people and the private folder says whose rows they are.
    pub(crate) counted: Option<&'a Counted>,
    /// People with a released row, where the private folder says so.
    pub(crate) people: Option<u64>,
}

impl Release<'_> {
    /// The size of every class, in rows or in people.
    pub(crate) fn sizes(&self) -> &[u64] {
        self.counted.map_or(&self.classes.sizes, |counted| &counted.sizes)
    }

    /// The first row of every class, in the order of [`sizes`](Self::sizes).
    pub(crate) fn first_rows(&self) -> &[usize] {
        self.counted.map_or(&self.classes.first_rows, |counted| &counted.first_rows)
    }

    /// Calls `visit` with every class and the frequencies of `column` inside it, in rows or in people.
    pub(crate) fn each_group(&self, column: &Column, visit: impl FnMut(&Group<'_>)) {
        self.each_group_of(column, &|_| true, visit);
    }

    /// The same; people stand only for codes that are a value.
    pub(crate) fn each_group_of(
        &self,
        column: &Column,
        is_value: &dyn Fn(u32) -> bool,
        visit: impl FnMut(&Group<'_>),
    ) {
        match self.counted {
            Some(counted) => counted.each_group(column, is_value, visit),
            None => self.classes.each_group(column, visit),
        }
    }

    /// Whether people are promised something and nobody can tell here whose rows they are.
    pub(crate) fn lacks_people(&self) -> bool {
        self.manifest.people.is_some() && self.counted.is_none()
    }
}

/// Runs them all.
pub(crate) fn run(release: &Release<'_>) -> Vec<Check> {
    let mut checks = digest::check(release);
    checks.push(columns::check(release));
    checks.push(identifiers::check(release));
    checks.extend(release.transform.map(|transform| transform::check(release, transform)));
    checks.push(rows::check(release));
    checks.push(rows::check_suppression(release));
    checks.extend(release.transform.and_then(|transform| boxes::check(release, transform)));
    checks.extend(labels::check(release));
    checks.extend(treatments::check(release));
    checks.extend(labels::check_spreadsheet(release));
    checks.push(columns::check_residue(release));
    checks.push(order::check(release));
    checks.push(classes::check(release));
    checks
}

/// The names that occur more than once, each once.
fn repeated<'n>(names: impl Iterator<Item = &'n str>) -> Vec<&'n str> {
    let mut sorted: Vec<&str> = names.collect();
    sorted.sort_unstable();
    let mut found: Vec<&str> =
        sorted.windows(2).filter(|pair| pair[0] == pair[1]).map(|pair| pair[0]).collect();
    found.dedup();
    found
}
