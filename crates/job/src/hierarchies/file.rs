//! `"age.csv"` or `file = "age.csv"`: value, level 1, … on each line

use super::{HierarchyBuilder, Site};
use crate::ascii_char::AsciiChar;
use crate::keys::{Key, Takes, key};
use crate::problem::Problems;
use crate::render_toml::{ascii_char, path, table};
use crate::walk::{Item, Section, Walk};
use paravent_core::hierarchy::Hierarchy;
use paravent_core::values::ValueType;
use std::path::PathBuf;

pub(super) const KEY: Key = key("file", Takes::Text, "A line per value: value;level 1;…;*");
pub(super) const EXAMPLE: &str = "\"hierarchies/age.csv\"";

/// A hierarchy written down value by value.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct HierarchyFile {
    /// As written; [`Job::resolve`](crate::Job::resolve) makes it relative to the job file.
    pub path: PathBuf,
    /// `None`: found out from the file.
    pub delimiter: Option<AsciiChar>,
}

pub(super) fn read(walk: &mut Walk, item: &Item<'_>, section: &Section<'_>) -> Option<HierarchyFile> {
    let delimiter = section.get(walk, "delimiter", "\";\"");
    let delimiter = delimiter.and_then(|item| item.ascii_char(walk));
    Some(HierarchyFile { path: item.path(walk)?, delimiter })
}

impl HierarchyBuilder for HierarchyFile {
    fn text(&self) -> String {
        path(&self.path)
    }

    // Its delimiter stands beside it.
    fn whole_text(&self) -> String {
        table([
            Some((KEY.name, self.text())),
            self.delimiter.map(|delimiter| ("delimiter", ascii_char(delimiter))),
        ])
    }

    fn build(&self, site: &Site<'_>, _: &[Option<&str>], _: ValueType) -> Result<Hierarchy, Problems> {
        (site.file)(self, &site.key).map(Hierarchy::Table)
    }
}
