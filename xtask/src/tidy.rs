//! Who may use whom: the directions that hold the house up. In no crate do two modules need each other.

use crate::files::{is_test, rust_files};
use crate::modules::{Graph, graph};
use std::fs;
use std::path::Path;

/// In `core` a module uses only modules before it.
const CORE_ORDER: [&str; 14] = [
    "words",
    "exact",
    "values",
    "table",
    "hierarchy",
    "lattice",
    "grouping",
    "criteria",
    "quality",
    "task",
    "search",
    "release",
    "solve",
    "recoding",
];

/// Which of our crates each crate may depend on. Tests may look further.
const CRATE_EDGES: [(&str, &[&str]); 25] = [
    ("crates/core", &[]),
    ("crates/verify", &[]),
    ("crates/slicing", &[]),
    ("crates/noise", &[]),
    ("crates/utility", &[]),
    ("crates/job", &["core"]),
    ("crates/ledger", &["job", "noise"]),
    ("crates/policy", &["job"]),
    ("crates/tables", &["core"]),
    ("crates/engine", &["tables"]),
    ("crates/evidence", &["core"]),
    ("crates/federation", &["core"]),
    ("crates/prepare", &["core", "job", "tables"]),
    ("crates/assess", &["core", "evidence", "job", "prepare", "tables", "utility"]),
    ("crates/report", &["assess", "core", "evidence", "job", "prepare"]),
    (
        "crates/pipeline",
        &[
            "assess", "core", "evidence", "job", "ledger", "noise", "prepare", "report", "slicing", "tables",
            "verify",
        ],
    ),
    ("crates/joint", &["core", "federation", "job", "pipeline", "prepare", "report", "tables", "verify"]),
    ("crates/algebra", &["core", "job", "ledger", "noise", "prepare", "slicing", "tables"]),
    ("crates/processor", &["algebra", "core", "job", "ledger", "policy", "prepare", "slicing", "tables"]),
    ("crates/server", &["job", "policy", "processor"]),
    ("crates/bench", &["core", "job", "noise", "pipeline", "prepare", "slicing", "tables"]),
    (
        "crates/ui",
        &[
            "algebra",
            "assess",
            "core",
            "job",
            "joint",
            "pipeline",
            "policy",
            "prepare",
            "processor",
            "tables",
            "verify",
        ],
    ),
    (
        "crates/cli",
        &[
            "algebra",
            "assess",
            "bench",
            "core",
            "engine",
            "evidence",
            "federation",
            "job",
            "joint",
            "ledger",
            "noise",
            "pipeline",
            "policy",
            "prepare",
            "processor",
            "report",
            "server",
            "slicing",
            "tables",
            "ui",
            "verify",
        ],
    ),
    (
        "crates/python",
        &[
            "assess", "cli", "core", "evidence", "job", "ledger", "noise", "pipeline", "prepare", "report",
            "slicing", "tables", "verify",
        ],
    ),
    ("xtask", &["bench", "job", "pipeline", "tables"]),
];

/// Words that no source of `core` may contain: it opens no file, asks no clock and prints nothing.
const ABSENT_FROM_CORE: [&str; 6] = ["std::fs", "std::net", "std::time", "println!", "eprintln!", "std::env"];

/// What only `core` may say: who wants to search builds a `Task`, which works out the rest once.
const ONLY_IN_CORE: [&str; 3] = ["LocalChecker::new", "NodeOrder::new", "SearchInput"];

/// Where the name of a model may stand beside its own files: in what other formats say, and in proposals.
const MODEL_NAMES_ELSEWHERE: [&str; 8] = [
    "crates/algebra/src/audit/shapes.rs",
    "crates/assess/src/attack/manifest.rs",
    "crates/assess/src/release_table.rs",
    "crates/bench/src/workload/mod.rs",
    "crates/federation/src/plan/criterion.rs",
    "crates/job/src/",
    "crates/verify/src/",
    "xtask/src/",
];

/// Everything out of order below `root`.
pub(crate) fn findings(root: &Path) -> anyhow::Result<Vec<String>> {
    let mut findings = Vec::new();
    for (folder, _) in CRATE_EDGES {
        let src = root.join(folder).join("src");
        let graph = graph(&src, &rust_files(&src)?)?;
        findings.extend(graph.cycles().into_iter().map(|cycle| format!("{folder}: {cycle}")));
        if folder == "crates/core" {
            findings.extend(upward_uses(&graph));
        }
    }
    for file in rust_files(&root.join("crates/core/src"))? {
        // Tests may ask the environment how long to go on; `testing.rs` is compiled for them alone.
        if is_test(&file.to_string_lossy()) || file.ends_with("testing.rs") {
            continue;
        }
        let text = fs::read_to_string(&file)?;
        let code = without_comments(&text);
        let absent = ABSENT_FROM_CORE.iter().filter(|word| code.contains(*word));
        findings.extend(absent.map(|word| format!("{}: core must not use {word}", file.display())));
    }
    for file in rust_files(&root.join("crates"))? {
        if !file.starts_with(root.join("crates/core")) {
            findings.extend(searches_of_its_own(&file, &fs::read_to_string(&file)?));
        }
    }
    let models = model_names(&root.join("crates/job/src/models"))?;
    for (folder, _) in CRATE_EDGES {
        for file in rust_files(&root.join(folder).join("src"))? {
            let name = file.strip_prefix(root)?.display().to_string();
            findings.extend(named_models(&name, &fs::read_to_string(&file)?, &models));
        }
    }
    for (folder, allowed) in CRATE_EDGES {
        let manifest = fs::read_to_string(root.join(folder).join("Cargo.toml"))?;
        findings.extend(forbidden_edges(folder, &manifest, allowed));
    }
    let mut files = Vec::new();
    for folder in ["crates", "xtask"] {
        for file in rust_files(&root.join(folder))? {
            files.push((file.strip_prefix(root)?.display().to_string(), fs::read_to_string(&file)?));
        }
    }
    findings.extend(files.iter().flat_map(|(name, text)| crate::sizes::findings(name, text)));
    findings.extend(crate::repeated::findings(&files));
    findings.extend(crate::recipes::findings(root)?);
    findings.extend(crate::pages::findings(root, &CRATE_EDGES.map(|(folder, _)| folder))?);
    Ok(findings)
}

/// Uses of a module that comes later in `core`.
fn upward_uses(graph: &Graph) -> Vec<String> {
    let place = |module: &String| CORE_ORDER.iter().position(|known| known == module);
    let edges =
        graph.edges.iter().flat_map(|(user, used)| used.iter().map(move |(used, file)| (user, used, file)));
    let upward = edges.filter(|(user, used, _)| place(user).is_some() && place(used) > place(user));
    upward.map(|(_, used, file)| format!("crates/core/src/{file}: uses {used}, which comes later")).collect()
}

/// Whether a crate puts a search together by hand, or decides by itself how many rows a share of them is.
fn searches_of_its_own(file: &Path, text: &str) -> Vec<String> {
    let code = without_comments(text);
    let own = ONLY_IN_CORE.iter().filter(|word| code.contains(*word));
    let mut findings: Vec<String> =
        own.map(|word| format!("{}: {word} is core's; build a Task", file.display())).collect();
    // A chain of calls may be broken into lines.
    let chained: String = code.split_whitespace().collect();
    let mut floors = chained.split("floor_of(").skip(1).filter_map(|rest| rest.split_once(')'));
    if floors.any(|(_, next)| next.trim_start_matches(')').starts_with(".min(")) {
        findings.push(format!("{}: never all rows: ask a SuppressionLimit", file.display()));
    }
    findings
}

/// The names of the privacy models: every file with a card has one.
fn model_names(folder: &Path) -> anyhow::Result<Vec<String>> {
    let mut names = Vec::new();
    for file in rust_files(folder)? {
        let text = fs::read_to_string(&file)?;
        let card = text.split_once("static CARD: Card = Card {");
        let name =
            card.and_then(|(_, card)| card.split_once("name: \"")).and_then(|(_, rest)| rest.split_once('"'));
        names.extend(name.map(|(name, _)| name.to_owned()));
    }
    anyhow::ensure!(names.len() > 10, "the cards of the models were not found");
    Ok(names)
}

/// A model that is named far from its files. Words in a sentence are no names: only a text that is the name alone counts.
fn named_models(file: &str, text: &str, models: &[String]) -> Vec<String> {
    if MODEL_NAMES_ELSEWHERE.iter().any(|known| file.starts_with(known)) || is_test(file) {
        return Vec::new();
    }
    let named = models_in(text, models);
    named.map(|name| format!("{file}: {name} is known to its own files; ask its card")).collect()
}

/// The models whose names stand in production code.
fn models_in<'a>(text: &str, models: &'a [String]) -> impl Iterator<Item = &'a String> {
    let code = without_comments(text);
    let code = code.split("#[cfg(test)]\nmod tests {").next().unwrap_or_default().to_owned();
    models.iter().filter(move |name| code.contains(&format!("\"{name}\"")))
}

/// The lines that are compiled, as far as lines tell: an example in a doc comment may print.
fn without_comments(text: &str) -> String {
    text.lines().filter(|line| !line.trim_start().starts_with("//")).map(|line| format!("{line}\n")).collect()
}

fn forbidden_edges(folder: &str, manifest: &str, allowed: &[&str]) -> Vec<String> {
    let sections = manifest.split("\n[").filter(|section| {
        let (heading, _) = section.split_once(']').unwrap_or_default();
        heading.ends_with("dependencies") && !heading.ends_with("dev-dependencies")
    });
    let ours = sections.flat_map(str::lines).filter_map(|line| line.strip_prefix("paravent-"));
    let names = ours.filter_map(|rest| rest.split(['.', ' ', '=']).next());
    let forbidden = names.filter(|name| !allowed.contains(name));
    forbidden.map(|name| format!("{folder} must not depend on {name}")).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_house_is_tidy() {
        let findings = findings(&crate::root()).unwrap();
        assert!(findings.is_empty(), "{}", findings.join("\n"));
    }

    #[test]
    fn a_use_of_a_later_module_is_found() {
        let used = |user: &str, used: &str| {
            let mut graph = Graph::default();
            graph.edges.entry(user.into()).or_default().insert(used.into(), "x.rs".into());
            upward_uses(&graph).len()
        };
        assert_eq!(
            [used("lattice", "search"), used("search", "lattice"), used("testing", "search")],
            [1, 0, 0]
        );
    }

    #[test]
    fn a_model_that_is_named_elsewhere_is_found() {
        let models = ["beta-likeness".to_owned()];
        let found = |file, text| named_models(file, text, &models).len();
        assert_eq!(found("crates/report/src/html/x.rs", "match model { \"beta-likeness\" => 1 }"), 1);
        assert_eq!(found("crates/report/src/html/x.rs", "\"see beta-likeness\" // \"t-closeness\""), 0);
        assert_eq!(found("crates/job/src/models/beta_likeness.rs", "name: \"beta-likeness\""), 0);
        assert_eq!(found("crates/evidence/src/attack/self_test.rs", "f(\"beta-likeness\")"), 1);
    }

    #[test]
    fn files_that_may_name_models_do() {
        let root = crate::root();
        let models = model_names(&root.join("crates/job/src/models")).unwrap();
        for file in MODEL_NAMES_ELSEWHERE.iter().filter(|place| place.ends_with(".rs")) {
            let text = fs::read_to_string(root.join(file)).unwrap();
            assert!(models_in(&text, &models).next().is_some(), "{file}");
        }
    }

    #[test]
    fn a_search_that_is_put_together_by_hand_is_found() {
        let found = |text| searches_of_its_own(Path::new("crates/x/src/y.rs"), text).len();
        assert_eq!(found("let checker = LocalChecker::new(SearchInput { table });"), 2);
        assert_eq!(found("let order = NodeOrder::new(names.zip(&ladders));"), 1);
        assert_eq!(found("let limit = share.floor_of(rows).min(rows - 1);"), 1);
        assert_eq!(found("let limit = share.floor_of(u64::from(rows)).min(9);"), 1);
        assert_eq!(found("let limit = share\n    .floor_of(rows)\n    .min(rows - 1);"), 1);
        assert_eq!(found("// NodeOrder::new is core's\nlet order = task.columns().order();"), 0);
        assert_eq!(found("let most = share.floor_of(rows); let least = most.min(1);"), 0);
    }

    #[test]
    fn an_edge_that_is_not_allowed_is_found() {
        let manifest = "[package]\n[dependencies]\nparavent-core.workspace = true\nserde.workspace = true\n\n\
                        [dev-dependencies]\nparavent-job = { path = \"../job\" }\n[profile.dev.package]\nparavent-noise = {}\n";
        assert_eq!(
            forbidden_edges("crates/verify", manifest, &[]),
            ["crates/verify must not depend on core"]
        );
        assert!(forbidden_edges("crates/pipeline", manifest, &["core"]).is_empty());
        let elsewhere = "[package]\n\n[target.'cfg(unix)'.dependencies]\nparavent-core = {}\n";
        assert_eq!(forbidden_edges("crates/verify", elsewhere, &[]).len(), 1);
    }
}
