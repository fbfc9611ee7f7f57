//! The sections of a job file, one after the other.

use super::about::About;
use super::attribute_walk::{self, Declarations};
use super::input::Input;
use super::keys::{Key, Takes, key, needed};
use super::lines::{LineStarts, Source};
use super::output::Output;
use super::problem::Problems;
use super::search::Search;
use super::settings::{Extended, Setting};
use super::walk::{Section, Walk, keep_sure_problems};
use super::{Job, Version, about, input, model_walk, output, search};
use std::path::Path;
use toml::de::DeTable;

/// The sections.
pub(crate) const KEYS: &[Key] = &[
    needed("version", Takes::Whole(1, 1), "Version of the job format"),
    key("about", Takes::Table(about::KEYS), "What the release is, for whom, and on what ground"),
    needed("input", Takes::Table(input::KEYS), "The table to anonymize"),
    needed("attributes", Takes::List(&Takes::Table(attribute_walk::KEYS)), "The columns of the table"),
    needed("privacy", Takes::Table(model_walk::KEYS), "What is promised"),
    key("search", Takes::Table(search::KEYS), "What is best, and how hard to look for it"),
    key("output", Takes::Table(output::KEYS), "What is written"),
];

/// Reads a whole job.
pub(super) fn job(text: &str, file: &Path, settings: &[Setting]) -> Result<Job, Problems> {
    let extended = Extended::new(text, settings);
    let (document, errors) = DeTable::parse_recoverable(text);
    let mut document = document.into_inner();
    let unplaced = extended.apply(settings, &mut document);
    let starts = LineStarts::of(&extended.text);
    let source = Source::new(file, &document, &starts, extended.own_lines);
    let mut walk = Walk::new(file, starts, errors.is_empty()).below_is_set(extended.own_lines);
    unplaced.into_iter().for_each(|problem| walk.push(problem));
    let root = Section { table: &document, path: String::new(), line: 1 };
    let job = sections(&mut walk, &root, source);
    if !walk.complete() {
        keep_sure_problems(&mut walk, &errors);
    }
    walk.finish(job)
}

fn sections(walk: &mut Walk, root: &Section<'_>, source: Source) -> Option<Job> {
    root.allow_keys(walk, KEYS);
    let version = version(walk, root);
    let about = match root.get(walk, "about", "[about] and below it title = \"Hospital stays 2024\"") {
        Some(item) => item.section(walk).map(|section| About::read(walk, &section)),
        None => Some(About::default()),
    };
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
        about: about?,
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
