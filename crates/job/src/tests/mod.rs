//! Whole job files, right and wrong.

mod conform;
mod contract;
mod models;
mod properties;
mod schema;
mod sections;
mod strategy;
mod structure;

use std::path::Path;

use super::{Job, Problems};

/// A small job on 16 lines that is right; tests put one thing wrong.
const RIGHT: &str = r#"version = 1
[input]
path = "patients.csv"
[[attributes]]
name = "age"
role = "quasi-identifier"
type = "integer"
[[attributes]]
name = "diagnosis"
role = "sensitive"
[privacy]
suppression_limit = 0.05
models = [
  { model = "k-anonymity", k = 5 },
  { model = "distinct-l-diversity", attribute = "diagnosis", l = 3 },
]
"#;

fn parse(text: &str) -> Result<Job, Problems> {
    Job::parse(text, Path::new("job.toml"))
}

fn problems(text: &str) -> Vec<String> {
    match parse(text) {
        Ok(_) => Vec::new(),
        Err(problems) => problems.iter().map(ToString::to_string).collect(),
    }
}

/// The right job with one piece of text exchanged.
fn with(old: &str, new: &str) -> String {
    assert_eq!(RIGHT.matches(old).count(), 1, "{old:?} must occur once");
    RIGHT.replace(old, new)
}

/// Exactly one problem, and it is shown like this.
#[track_caller]
fn assert_problem(text: &str, expected: &str) {
    assert_eq!(problems(text), [expected], "in the job\n{text}");
}

/// The age attribute, which starts on line 4, with something more on line 8.
fn age_with(line: &str) -> String {
    with("type = \"integer\"\n", &format!("type = \"integer\"\n{line}\n"))
}

/// One more section, starting on line 17.
fn and(section: &str) -> String {
    format!("{RIGHT}{section}\n")
}

/// One more model, on line 16.
fn model(model: &str) -> String {
    with("l = 3 },\n", &format!("l = 3 }},\n{model},\n"))
}
