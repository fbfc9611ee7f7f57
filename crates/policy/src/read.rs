//! Reads the file as a whole.

use crate::check;
use crate::demands::{self, Analysis, Demand};
use crate::nodes::{self, Node};
use crate::people::{self, Consent, Subject};
use crate::policy::Policy;
use crate::recipients::{self, Recipient};
use crate::rules::{self, Rule};
use crate::tables::{self, Table};
use paravent_job::keys::{Key, Takes, key, needed};
use paravent_job::walk::{self, Item, Section, Walk};
use paravent_job::{Problem, Problems, Source, schema_of};
use std::fs::File;
use std::io::Read;
use std::path::{Path, PathBuf};

const KEYS: &[Key] = &[
    needed("version", Takes::Whole(1, 1), "Version of the policy format"),
    needed("name", Takes::Text, "Name of the policy"),
    needed("tables", Takes::List(&Takes::Table(tables::KEYS)), "What can be asked about"),
    needed("recipients", Takes::List(&Takes::Table(recipients::KEYS)), "Who may ask"),
    key(
        "rules",
        Takes::List(&Takes::Table(rules::KEYS)),
        "What columns may be used for; without a rule: nothing",
    ),
    key("demands", Takes::List(&Takes::Table(demands::KEYS)), "What every answer must keep"),
    key("analyses", Takes::List(&Takes::Table(demands::ANALYSIS_KEYS)), "What answers are for"),
    key("consent", Takes::Table(people::CONSENT_KEYS), "Who agreed to what"),
    key("subjects", Takes::List(&Takes::Table(people::SUBJECT_KEYS)), "Claims of single people"),
    key("nodes", Takes::List(&Takes::Table(nodes::KEYS)), "Machines that work on questions"),
    key("state", Takes::Table(STATE), "Where accounts and earlier answers are kept"),
];

const STATE: &[Key] = &[needed("path", Takes::Text, "A folder; beside the policy file unless written")];

/// No policy is longer.
const MOST_BYTES: u64 = 8 << 20;

/// The JSON Schema (draft 2020-12) of a policy file, made from the lists that it is read with.
pub fn schema() -> serde_json::Value {
    schema_of("Policy file of Paravent", KEYS)
}

impl Policy {
    /// Reads the policy file at `path`.
    ///
    /// # Errors
    /// All problems, sorted by line; one without a line if the file cannot be read.
    pub fn load(path: &Path) -> Result<Policy, Problems> {
        let mut bytes = Vec::new();
        let read = File::open(path).and_then(|file| file.take(MOST_BYTES + 1).read_to_end(&mut bytes));
        if let Err(error) = read {
            return Err(Problem::new(path, format!("the policy file cannot be read: {error}")).into());
        }
        if bytes.len() as u64 > MOST_BYTES {
            let message = format!("is longer than {} MiB, so it is no policy file", MOST_BYTES >> 20);
            return Err(Problem::new(path, message).into());
        }
        match std::str::from_utf8(&bytes) {
            Ok(text) => Policy::parse(text, path),
            Err(_) => Err(Problem::new(path, "is not UTF-8 text")
                .advise("Save the policy file in the encoding UTF-8")
                .into()),
        }
    }

    /// Reads the text of a policy file. `file` is its name for messages, and its folder is where paths start.
    ///
    /// # Errors
    /// All problems, sorted by line.
    pub fn parse(text: &str, file: &Path) -> Result<Policy, Problems> {
        let policy = walk::read(text, file, sections)?;
        check::problems(&policy).into_result(policy)
    }
}

fn sections(walk: &mut Walk, root: &Section<'_>, source: Source) -> Option<Policy> {
    root.allow_keys(walk, KEYS);
    let version = root.require(walk, "version", "1").and_then(|item| item.whole(walk, 1..=1));
    let name = root.require(walk, "name", "\"ward-7\"").and_then(|item| item.name(walk));
    let tables = root.require(walk, "tables", "[[tables]] and below it name = \"patients\"");
    let tables = tables.and_then(|item| item.list(walk, 1, Table::read));
    let recipients = root.require(walk, "recipients", "[[recipients]] and below it role = \"research\"");
    let recipients = recipients.and_then(|item| item.list(walk, 1, Recipient::read));
    let rules = list(walk, root, "rules", "[[rules]] and below it id = \"age\"", Rule::read);
    let demands = list(walk, root, "demands", "[[demands]] and below it table = \"patients\"", Demand::read);
    let analyses = list(
        walk,
        root,
        "analyses",
        "[[analyses]] and below it regression = [[\"age\", \"speed\"]]",
        Analysis::read,
    );
    let consent = match root.get(walk, "consent", "[consent] and below it table = \"consents.csv\"") {
        Some(item) => item.section(walk).and_then(|section| Consent::read(walk, &section)).map(Some),
        None => Some(None),
    };
    let subjects = list(walk, root, "subjects", "[[subjects]] and below it person = \"p17\"", Subject::read);
    let nodes = list(walk, root, "nodes", "[[nodes]] and below it name = \"ward-server\"", Node::read);
    let state = match root.get(walk, "state", "[state] and below it path = \"state\"") {
        Some(item) => item.section(walk).and_then(|section| {
            section.allow_keys(walk, STATE);
            section.require(walk, "path", "\"state\"")?.path(walk)
        }),
        None => Some(PathBuf::from("state")),
    };
    version?;
    Some(Policy {
        name: name?.to_owned(),
        tables: tables?,
        recipients: recipients?,
        rules: rules?,
        demands: demands?,
        analyses: analyses?,
        consent: consent?,
        subjects: subjects?,
        nodes: nodes?,
        state: state?,
        source,
    })
}

fn list<T>(
    walk: &mut Walk,
    root: &Section<'_>,
    key: &'static str,
    example: &str,
    read: impl FnMut(&mut Walk, &Item<'_>) -> Option<T>,
) -> Option<Vec<T>> {
    match root.get(walk, key, example) {
        Some(item) => item.list(walk, 0, read),
        None => Some(Vec::new()),
    }
}
