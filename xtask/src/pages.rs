//! What the pages about the code say of it: short enough, and naming only folders that exist.

use std::fs;
use std::path::Path;

/// A newcomer reads this page first, so it has an end.
const MOST_LINES: usize = 150;
/// Longer lines are not read.
const MOST_CHARACTERS: usize = 100;

/// Everything that is wrong with `ARCHITECTURE.md` and the READMEs of `crates` below `root`.
pub(crate) fn findings(root: &Path, crates: &[&str]) -> anyhow::Result<Vec<String>> {
    let page = fs::read_to_string(root.join("ARCHITECTURE.md"))?;
    let mut findings = shape("ARCHITECTURE.md", &page);
    for (line, folder) in walked(&page) {
        if !exists(root, folder) {
            findings.push(format!("ARCHITECTURE.md:{line}: there is no {folder}"));
        }
    }
    for folder in crates {
        if !root.join(folder).join("README.md").is_file() {
            findings.push(format!("{folder}: has no README.md"));
        }
        if !page.contains(&format!("- `{}`", folder.trim_start_matches("crates/"))) {
            findings.push(format!("ARCHITECTURE.md: does not name {folder}"));
        }
    }
    Ok(findings)
}

/// Too many lines, or lines that are too long.
fn shape(name: &str, page: &str) -> Vec<String> {
    let mut findings = Vec::new();
    let lines = page.lines().count();
    if lines > MOST_LINES {
        findings.push(format!("{name}: {lines} lines; details belong into the README of a crate"));
    }
    for (number, line) in (1..).zip(page.lines()) {
        let length = line.chars().count();
        if length > MOST_CHARACTERS {
            findings.push(format!("{name}:{number}: {length} characters"));
        }
    }
    findings
}

/// The stations of the walks, with their lines: `crate/folder`, first on a line of a drawing.
fn walked(page: &str) -> Vec<(usize, &str)> {
    let mut drawing = false;
    let mut found = Vec::new();
    for (number, line) in (1..).zip(page.lines()) {
        if line.starts_with("```") {
            drawing = !drawing;
            continue;
        }
        let first = line.trim_start_matches([' ', '│']).split([' ', ',']).next().unwrap_or_default();
        let plain = first.chars().all(|c| c.is_ascii_lowercase() || c == '_' || c == '/');
        if drawing && plain && first.contains('/') && !first.ends_with('/') {
            found.push((number, first));
        }
    }
    found
}

/// Whether `crate/module` is a folder or a file of that crate.
fn exists(root: &Path, station: &str) -> bool {
    let Some((name, module)) = station.split_once('/') else { return false };
    let path = root.join("crates").join(name).join("src").join(module);
    path.is_dir() || path.with_extension("rs").is_file()
}

#[cfg(test)]
mod tests {
    use super::{shape, walked};

    #[test]
    fn a_page_that_is_too_long_or_too_wide_is_told() {
        assert!(shape("page", &"a line\n".repeat(150)).is_empty());
        assert_eq!(shape("page", &"a line\n".repeat(151)).len(), 1);
        assert_eq!(shape("page", &"x".repeat(101)), ["page:1: 101 characters"]);
    }

    #[test]
    fn stations_are_read_off_the_drawings_only() {
        let page = "core/nothing in a sentence\n```\n   │ tables/read   any format\n core/task  Task\n patients.csv\n```\n";
        assert_eq!(walked(page), [(3, "tables/read"), (4, "core/task")]);
    }
}
