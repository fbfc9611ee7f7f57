//! The sections of a job file, one after the other.

use super::attribute_walk::{self, Declarations};
use super::input::Input;
use super::lines::{LineStarts, Source};
use super::output::Output;
use super::problem::Problems;
use super::search::Search;
use super::walk::{Section, Walk, keep_sure_problems};
use super::{Job, Version, model_walk};
use std::path::Path;
use toml::de::DeTable;

/// Reads a whole job.
pub(super) fn job(text: &str, file: &Path) -> Result<Job, Problems> {
    let (document, errors) = DeTable::parse_recoverable(text);
    let starts = LineStarts::of(text);
    let source = Source::new(file, document.get_ref(), &starts);
    let mut walk = Walk::new(file, starts, errors.is_empty());
    let root = Section { table: document.get_ref(), path: String::new(), line: 1 };
    let job = sections(&mut walk, &root, source);
    if !walk.complete() {
        keep_sure_problems(&mut walk, &errors);
    }
    walk.finish(job)
}

fn sections(walk: &mut Walk, root: &Section<'_>, source: Source) -> Option<Job> {
    root.allow(walk, &["version", "input", "attributes", "privacy", "search", "output"]);
    let version = version(walk, root);
    let input = root.require(walk, "input", "[input] and below it path = \"patients.csv\"");
    let input = input.and_then(|item| item.section(walk)).and_then(|section| Input::read(walk, &section));
    let (declarations, attributes) = match root.require(walk, "attributes", ATTRIBUTES) {
        Some(item) => attribute_walk::attributes(walk, &item),
        None => (Declarations::unknown(), None),
    };
    let privacy = root.require(walk, "privacy", PRIVACY);
    let privacy = privacy
        .and_then(|item| item.section(walk))
        .and_then(|section| model_walk::privacy(walk, &section, &declarations));
    let search = match root.get(walk, "search", "[search] and below it metric = \"nuem\"") {
        Some(item) => item.section(walk).map(|section| Search::read(walk, &section)),
        None => Some(Search::default()),
    };
    let output = match root.get(walk, "output", "[output] and below it path = \"release\"") {
        Some(item) => item.section(walk).map(|section| Output::read(walk, &section)),
        None => Some(Output::default()),
    };
    Some(Job {
        version: version?,
        input: input?,
        attributes: attributes?,
        privacy: privacy?,
        search: search?,
        output: output?,
        source,
    })
}

const ATTRIBUTES: &str = "[[attributes]] and below it name = \"age\", then role = \"quasi-identifier\"";
const PRIVACY: &str = "[privacy] and below it models = [{ model = \"k-anonymity\", k = 5 }]";

fn version(walk: &mut Walk, root: &Section<'_>) -> Option<Version> {
    let item = root.require(walk, "version", "1")?;
    match item.whole(walk, 0..=u64::MAX)? {
        1 => Some(Version::V1),
        other => {
            let advice = "Write version = 1, or run a newer release of paravent";
            walk.report(item.line, &item.key, format!("version {other} is not known here"), advice);
            None
        }
    }
}
