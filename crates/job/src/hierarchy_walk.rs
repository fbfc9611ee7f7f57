//! Reads `hierarchy`: which builder it is, and what it needs.

use toml::de::DeValue;

use super::builder_walk::{self, dates, intervals, ordering, redact};
use super::group_walk::order;
use super::hierarchies::{self, age, breaks, cluster, codes, lump};
use super::hierarchy_spec::{DateUnit, HierarchyFile, HierarchySpec};
use super::keys::{Key, Takes, key, words};
use super::walk::{Item, Walk};

/// The keys.
pub(crate) const KEYS: &[Key] = &[
    key("file", Takes::Text, "A line per value: value;level 1;…;*"),
    key("delimiter", Takes::Text, "With file: what stands between the labels"),
    key("intervals", Takes::Table(builder_walk::INTERVALS), "Nested intervals of numbers"),
    key("redact", Takes::Table(builder_walk::REDACT), "One more character is hidden on each level"),
    key("breaks", Takes::List(&hierarchies::BREAKS), "Intervals between free points, open at both ends"),
    key(
        "codes",
        Takes::Either(&[Takes::Text, Takes::Table(hierarchies::CODES)]),
        "Beginnings and ranges of codes",
    ),
    key("age", Takes::Table(hierarchies::AGE), "Completed years since birth"),
    key("lump", Takes::Table(hierarchies::LUMP), "Rare values become one"),
    key("cluster", Takes::Table(hierarchies::CLUSTER), "Near values become one"),
    key("dates", Takes::List(&Takes::Choice(words::<DateUnit>)), "Units of the calendar, fine to coarse"),
    key("order", Takes::Groups, "Groups made by hand, nested for more levels"),
    key("ordering", Takes::Table(builder_walk::ORDERING), "Neighbours in the order of the values"),
    key("chain", Takes::List(&Takes::Hierarchy), "The labels of one are the values of the next"),
];

/// Each builder with an example.
const BUILDERS: [(&str, &str); 12] = [
    ("file", "\"hierarchies/age.csv\""),
    ("intervals", "{ widths = [5, 10, 20], min = 0, max = 100 }"),
    ("redact", "{ from = \"right\", char = \"*\" }"),
    ("breaks", "[[18, 30, 65], [18]]"),
    ("codes", "\"icd-10\""),
    ("age", "{ on = \"2024-12-31\" }"),
    ("lump", "{ least = [20, 100] }"),
    ("cluster", "{ sizes = [20, 8, 3] }"),
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
    let builders = BUILDERS.map(|(key, _)| key);
    section.allow_keys(walk, KEYS);
    let mut present: Vec<Item<'_>> =
        BUILDERS.iter().filter_map(|(key, example)| section.get(walk, key, example)).collect();
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
        "breaks" => breaks(walk, item).map(HierarchySpec::Breaks),
        "codes" => codes(walk, item).map(HierarchySpec::Codes),
        "age" => age(walk, item).map(HierarchySpec::Age),
        "lump" => lump(walk, item).map(HierarchySpec::Lump),
        "cluster" => cluster(walk, item).map(HierarchySpec::Cluster),
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
        if part.is_counted() {
            let advice = "Use it alone, or write the groups into a file";
            walk.report(entry.line, &entry.key, "a chain cannot hold what is counted in the data", advice);
        }
        Some(part)
    })
}
