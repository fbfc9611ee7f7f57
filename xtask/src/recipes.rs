//! The recipes of `CONTRIBUTING.md`: they name what exists, and each unit has its file, its line and its page.

use crate::files::{is_test, rust_files};
use std::fs;
use std::path::Path;

/// How a kind of unit is added.
struct Recipe {
    /// The heading in `CONTRIBUTING.md`.
    heading: &'static str,
    /// Where its files are.
    folder: &'static str,
    /// What a file with a unit says; others in the folder are shared pieces.
    mark: &'static str,
    /// The file with the list.
    list: &'static str,
    /// The page that is made from the units, and what stands before a name there.
    page: Option<(&'static str, &'static str)>,
    /// Where the name may stand beside its own file; `None` if the name is no text of its own.
    named: Option<&'static [&'static str]>,
}

const RECIPES: [Recipe; 8] = [
    Recipe {
        heading: "A privacy model",
        folder: "crates/job/src/models",
        mark: "static CARD: Card",
        list: "crates/job/src/models/mod.rs",
        page: Some(("docs/models.md", "## ")),
        // `tidy` has its own list of places for models.
        named: None,
    },
    Recipe {
        heading: "A metric",
        folder: "crates/core/src/quality",
        mark: "impl QualityMetric for",
        list: "crates/core/src/quality/mod.rs",
        page: Some(("docs/metrics.md", "## ")),
        named: Some(&["crates/bench/src/baseline.rs", "xtask/src/"]),
    },
    Recipe {
        heading: "A search algorithm",
        folder: "crates/core/src/search/algorithms",
        mark: "impl SearchAlgorithm for",
        list: "crates/core/src/search/algorithms/mod.rs",
        page: Some(("docs/algorithms.md", "## ")),
        named: Some(&[]),
    },
    Recipe {
        heading: "An attack",
        folder: "crates/evidence/src/attack",
        mark: "static CARD: Card",
        list: "crates/evidence/src/attack/mod.rs",
        page: Some(("docs/attacks.md", "## ")),
        named: Some(&[]),
    },
    Recipe {
        heading: "A hierarchy builder",
        folder: "crates/job/src/hierarchies",
        mark: "impl HierarchyBuilder for",
        list: "crates/job/src/hierarchies/mod.rs",
        page: None,
        named: None,
    },
    Recipe {
        heading: "A rewrite rule",
        folder: "crates/algebra/src/rules/generalize",
        mark: "impl Rule for",
        list: "crates/algebra/src/rules/generalize/mod.rs",
        page: None,
        named: None,
    },
    Recipe {
        heading: "An input format",
        folder: "crates/tables/src/read",
        mark: ": Kind = Kind {",
        list: "crates/tables/src/read/mod.rs",
        page: None,
        named: None,
    },
    Recipe {
        heading: "A command",
        folder: "crates/cli/src/commands",
        mark: "pub fn run(",
        list: "crates/cli/src/commands/mod.rs",
        page: None,
        named: None,
    },
];

/// Everything in which `CONTRIBUTING.md` and the units disagree.
pub(crate) fn findings(root: &Path) -> anyhow::Result<Vec<String>> {
    let page = fs::read_to_string(root.join("CONTRIBUTING.md"))?;
    let mut findings = Vec::new();
    for path in paths(&page).into_iter().filter(|path| !root.join(path).exists()) {
        findings.push(format!("CONTRIBUTING.md: there is no {path}"));
    }
    for recipe in &RECIPES {
        let Some(section) = section(&page, recipe.heading) else {
            findings.push(format!("CONTRIBUTING.md: has no recipe called {:?}", recipe.heading));
            continue;
        };
        for told in [recipe.folder, recipe.list] {
            if !section.contains(told) {
                findings.push(format!("CONTRIBUTING.md: {} does not name {told}", recipe.heading));
            }
        }
        findings.extend(units(root, recipe)?);
    }
    findings.extend(numbers(&root.join("docs/decisions"))?);
    findings.extend(unexplained(root)?);
    findings.extend(rules(&root.join("crates/algebra/src/rules"))?);
    Ok(findings)
}

/// Files without a line, names without a place on the page, and names far from their files.
fn units(root: &Path, recipe: &Recipe) -> anyhow::Result<Vec<String>> {
    let mut findings = Vec::new();
    let list = fs::read_to_string(root.join(recipe.list))?;
    let mut names = Vec::new();
    for entry in fs::read_dir(root.join(recipe.folder))? {
        let path = entry?.path();
        let stem = path.file_stem().unwrap_or_default().to_string_lossy().into_owned();
        if path.extension().is_none_or(|ending| ending != "rs") || stem == "mod" {
            continue;
        }
        let text = fs::read_to_string(&path)?;
        if !text.contains(recipe.mark) {
            continue;
        }
        if !list.contains(&format!("{stem}::")) {
            findings.push(format!("{}/{stem}.rs has no line in {}", recipe.folder, recipe.list));
        }
        names.extend(name_of(&text, recipe.mark).map(|name| (stem, name)));
    }
    if let Some((page, before)) = recipe.page {
        anyhow::ensure!(!names.is_empty(), "{}: no names were found", recipe.folder);
        let text = fs::read_to_string(root.join(page))?;
        for (_, name) in names.iter().filter(|(_, name)| !text.contains(&format!("{before}{name}\n"))) {
            findings.push(format!("{page}: {name} is missing"));
        }
    }
    if let Some(places) = recipe.named {
        findings.extend(named_elsewhere(root, recipe, &names, places)?);
    }
    Ok(findings)
}

/// Names that stand as a text of their own in the production code of other files.
fn named_elsewhere(
    root: &Path,
    recipe: &Recipe,
    names: &[(String, String)],
    places: &[&str],
) -> anyhow::Result<Vec<String>> {
    let mut findings = Vec::new();
    for file in rust_files(&root.join("crates"))? {
        let path = file.strip_prefix(root)?.display().to_string();
        let is_known = places.iter().any(|place| path.starts_with(place)) || is_test(&path);
        if is_known || path.starts_with("crates/verify/") {
            continue;
        }
        let text = fs::read_to_string(&file)?;
        let code: String =
            text.lines().filter(|line| !line.trim_start().starts_with("//")).collect::<Vec<_>>().join("\n");
        let code = code.split("mod tests {").next().unwrap_or(&code);
        for (stem, name) in names {
            // Plain words are names of other things, too.
            let is_own = path == format!("{}/{stem}.rs", recipe.folder);
            if !is_own && name.contains('-') && code.contains(&format!("\"{name}\"")) {
                findings.push(format!("{path}: {name} is known to its own file; ask its card"));
            }
        }
    }
    Ok(findings)
}

/// The name on the card.
fn name_of(text: &str, mark: &str) -> Option<String> {
    let (_, rest) = text.split_once(mark)?;
    let (_, rest) = rest.split_once("name: \"")?;
    rest.split_once('"').map(|(name, _)| name.to_owned())
}

/// The text below a heading.
fn section<'a>(page: &'a str, heading: &str) -> Option<&'a str> {
    let (_, rest) = page.split_once(&format!("\n## {heading}\n"))?;
    Some(rest.split("\n## ").next().unwrap_or(rest))
}

/// What is written as code and looks like a path of this repository.
fn paths(page: &str) -> Vec<&str> {
    let code = page.split('`').skip(1).step_by(2);
    let ours = ["crates/", "docs/", "xtask/", ".ci/"];
    code.filter(|text| ours.iter().any(|start| text.starts_with(start)) && !text.contains([' ', '*', '<']))
        .collect()
}

/// The files of the search whose names are no words of the glossary.
fn unexplained(root: &Path) -> anyhow::Result<Vec<String>> {
    let glossary = fs::read_to_string(root.join("docs/guide/glossary.md"))?;
    let explained: Vec<&str> = glossary.lines().filter_map(|line| line.split('|').nth(1)).collect();
    let folder = "crates/core/src/search/branch_and_bound";
    let mut findings = Vec::new();
    for entry in fs::read_dir(root.join(folder))? {
        let path = entry?.path();
        let stem = path.file_stem().unwrap_or_default().to_string_lossy().into_owned();
        let word = stem.replace('_', " ");
        let word = word.strip_suffix('s').unwrap_or(&word);
        if stem != "mod" && !explained.iter().any(|explained| explained.contains(word)) {
            findings.push(format!("docs/guide/glossary.md: does not explain {word} ({folder}/{stem}.rs)"));
        }
    }
    findings.sort();
    Ok(findings)
}

/// Rewrite rules without a line in the list of their family, without a fixture, or whose file is called by its number alone; fixtures without a rule.
fn rules(folder: &Path) -> anyhow::Result<Vec<String>> {
    let mut findings = Vec::new();
    for family in ["generalize", "slice", "randomize", "classical"] {
        let list = fs::read_to_string(folder.join(family).join("mod.rs"))?;
        for entry in fs::read_dir(folder.join(family))? {
            let path = entry?.path();
            let stem = path.file_stem().unwrap_or_default().to_string_lossy().into_owned();
            if path.extension().is_some_and(|ending| ending == "txt") && !path.with_extension("rs").exists() {
                findings.push(format!("{family}/{stem}.txt is the fixture of no rule"));
            }
            if !fs::read_to_string(&path)?.contains("\nimpl Rule for ") {
                continue;
            }
            if !path.with_extension("txt").exists() {
                findings.push(format!("{family}/{stem}.rs has no fixture beside it, {stem}.txt"));
            }
            if !list.contains(&format!("{stem}::")) {
                findings.push(format!("{family}/{stem}.rs has no line in {family}/mod.rs"));
            }
            if stem.split_once('_').is_none_or(|(number, words)| number.len() != 3 || words.is_empty()) {
                findings
                    .push(format!("{family}/{stem}.rs: call the rule by its number and its name in words"));
            }
        }
    }
    findings.sort();
    Ok(findings)
}

/// Two pages of decisions with one number.
fn numbers(folder: &Path) -> anyhow::Result<Vec<String>> {
    let mut names = Vec::new();
    for entry in fs::read_dir(folder)? {
        names.push(entry?.file_name().to_string_lossy().into_owned());
    }
    names.sort();
    let number = |name: &str| name.split('-').next().map(str::to_owned);
    let twice = names.windows(2).filter(|pair| number(&pair[0]) == number(&pair[1]));
    Ok(twice.map(|pair| format!("docs/decisions: {} and {} have one number", pair[0], pair[1])).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_are_read_off_code_only() {
        let page = "See `crates/core/src/quality`, `cargo test -p x`, `docs/a b.md` and crates/nothing.";
        assert_eq!(paths(page), ["crates/core/src/quality"]);
    }

    #[test]
    fn a_recipe_ends_at_the_next_heading() {
        let page = "# C\n\n## A metric\n\none\n\n## An attack\n\ntwo\n";
        assert_eq!(section(page, "A metric"), Some("\none\n"));
        assert_eq!(section(page, "A command"), None);
    }

    #[test]
    fn a_unit_without_a_line_or_a_place_on_the_page_is_found() {
        let folder = tempfile::tempdir().unwrap();
        let write = |path: &str, text: &str| {
            let path = folder.path().join(path);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, text).unwrap();
        };
        let unit = |name: &str| format!("impl QualityMetric for X {{ Card {{ name: \"{name}\" }} }}");
        write("crates/core/src/quality/mod.rs", "metrics! { loss::Loss }");
        write("crates/core/src/quality/loss.rs", &unit("loss-x"));
        write("crates/core/src/quality/other.rs", &unit("other-x"));
        write("crates/report/src/x.rs", "match name { \"loss-x\" => 1 }");
        write("docs/metrics.md", "# Metrics\n\n## loss-x\n");
        let found = units(folder.path(), &RECIPES[1]).unwrap();
        assert_eq!(
            found,
            [
                "crates/core/src/quality/other.rs has no line in crates/core/src/quality/mod.rs",
                "docs/metrics.md: other-x is missing",
                "crates/report/src/x.rs: loss-x is known to its own file; ask its card",
            ]
        );
    }

    #[test]
    fn a_file_of_the_search_without_a_word_in_the_glossary_is_found() {
        let folder = tempfile::tempdir().unwrap();
        let search = folder.path().join("crates/core/src/search/branch_and_bound");
        fs::create_dir_all(&search).unwrap();
        fs::create_dir_all(folder.path().join("docs/guide")).unwrap();
        fs::write(
            folder.path().join("docs/guide/glossary.md"),
            "| open, open set | all |\n| worker | hopes |\n",
        )
        .unwrap();
        for name in ["mod.rs", "open_set.rs", "workers.rs", "hopes.rs"] {
            fs::write(search.join(name), "").unwrap();
        }
        let found = unexplained(folder.path()).unwrap();
        assert_eq!(found.len(), 1);
        assert!(found[0].contains("hopes.rs"));
    }

    #[test]
    fn a_rule_without_a_line_a_fixture_or_a_name_in_words_is_found() {
        let folder = tempfile::tempdir().unwrap();
        for family in ["generalize", "slice", "randomize", "classical"] {
            fs::create_dir_all(folder.path().join(family)).unwrap();
            fs::write(
                folder.path().join(family).join("mod.rs"),
                "super::rules! { g01_twice::Twice, g02::G }",
            )
            .unwrap();
        }
        for name in ["g01_twice", "g02", "g03_again"] {
            fs::write(folder.path().join(format!("generalize/{name}.rs")), "\nimpl Rule for X {}").unwrap();
        }
        for name in ["g02", "g03_again", "g04_gone"] {
            fs::write(folder.path().join(format!("generalize/{name}.txt")), "stays: r").unwrap();
        }
        let found = rules(folder.path()).unwrap();
        assert_eq!(
            found,
            [
                "generalize/g01_twice.rs has no fixture beside it, g01_twice.txt",
                "generalize/g02.rs: call the rule by its number and its name in words",
                "generalize/g03_again.rs has no line in generalize/mod.rs",
                "generalize/g04_gone.txt is the fixture of no rule",
            ]
        );
    }

    #[test]
    fn two_decisions_with_one_number_are_found() {
        let folder = tempfile::tempdir().unwrap();
        for name in ["0001-a.md", "0002-b.md", "0002-c.md"] {
            fs::write(folder.path().join(name), "").unwrap();
        }
        assert_eq!(numbers(folder.path()).unwrap().len(), 1);
    }
}
