//! Reads `hierarchy`: which builder it is, and what it needs.

use toml::de::DeValue;

use super::builder_walk::{dates, intervals, ordering, redact};
use super::group_walk::order;
use super::hierarchy_spec::{HierarchyFile, HierarchySpec};
use super::walk::{Item, Walk};

/// Each builder with an example.
const BUILDERS: [(&str, &str); 7] = [
    ("file", "\"hierarchies/age.csv\""),
    ("intervals", "{ widths = [5, 10, 20], min = 0, max = 100 }"),
    ("redact", "{ from = \"right\", char = \"*\" }"),
    ("dates", "[\"month\", \"quarter\", \"year\"]"),
    ("order", "[[\"single\", \"divorced\"], [\"married\"]]"),
    ("ordering", "{ sizes = [2, 3] }"),
    ("chain", "[{ intervals = { widths = [5], min = 0, max = 100 } }, { file = \"age-groups.csv\" }]"),
];

/// A file name, or a table with one builder.
pub(super) fn hierarchy(walk: &mut Walk, item: &Item<'_>) -> Option<HierarchySpec> {
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
    let keys = BUILDERS.map(|(key, _)| key);
    let mut allowed = keys.to_vec();
    allowed.push("delimiter");
    section.allow(walk, &allowed);
    let mut present: Vec<Item<'_>> =
        BUILDERS.iter().filter_map(|(key, example)| section.get(walk, key, example)).collect();
    // An unknown key was reported already, and was probably meant to be the builder.
    let misspelled = section.table.keys().any(|key| !allowed.contains(&key.get_ref().as_ref()));
    if present.is_empty() && !misspelled && walk.complete() {
        let advice = "Write e.g. hierarchy = { file = \"age.csv\" }";
        walk.report(section.line, &section.path, format!("needs one of: {}", keys.join(", ")), advice);
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
    let specs: Vec<Option<HierarchySpec>> =
        present.iter().map(|item| built_by(walk, item, delimiter.as_ref())).collect();
    specs.into_iter().next().flatten()
}

fn built_by(walk: &mut Walk, item: &Item<'_>, delimiter: Option<&Item<'_>>) -> Option<HierarchySpec> {
    let (_, key) = item.key.rsplit_once('.').unwrap_or_default();
    match key {
        "file" => {
            let delimiter = delimiter.and_then(|item| item.ascii_char(walk));
            let path = item.path(walk)?;
            Some(HierarchySpec::File(HierarchyFile { path, delimiter }))
        }
        "intervals" => intervals(walk, item).map(HierarchySpec::Intervals),
        "redact" => redact(walk, item).map(HierarchySpec::Redact),
        "dates" => dates(walk, item).map(HierarchySpec::Dates),
        "order" => order(walk, item).map(HierarchySpec::Order),
        "ordering" => ordering(walk, item).map(HierarchySpec::Ordering),
        _ => chain(walk, item).map(HierarchySpec::Chain),
    }
}

fn chain(walk: &mut Walk, item: &Item<'_>) -> Option<Vec<HierarchySpec>> {
    item.list(walk, 2, |walk, entry| {
        let part = hierarchy(walk, entry)?;
        if matches!(part, HierarchySpec::Chain(_)) {
            let advice = "Write its parts directly into the outer chain";
            walk.report(entry.line, &entry.key, "a chain cannot hold a chain", advice);
        }
        Some(part)
    })
}
