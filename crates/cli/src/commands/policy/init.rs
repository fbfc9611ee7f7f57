//! `paravent policy init`

use crate::answer::Answer;
use crate::commands::args::EXIT_CODES;
use crate::commands::{Session, run_error};
use crate::failure::Failure;
use crate::file;
use crate::progress::Progress;
use paravent_pipeline::curve::{CurveOptions, curve};
use paravent_pipeline::job::{InputSource, Job};
use paravent_pipeline::run::RunOptions;
use paravent_policy::{Proposed, propose};
use serde_json::json;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

const EXAMPLES: &str = "\
Examples:
  paravent policy init paravent.toml                    writes policy.toml beside it
  paravent policy init patients.toml stays.toml -o ward.toml

Quasi-identifiers may be counted by from the level on that the best 5-anonymous release of the table
has; everything else is denied. Read it, change it, and run `paravent policy check`.
The guide is docs/guide/policy.md.";

/// What a policy is proposed for.
#[derive(Debug, clap::Args)]
#[command(after_help = format!("{EXAMPLES}\n\n{EXIT_CODES}"))]
pub struct Args {
    /// The job files of the tables
    #[arg(required = true, value_name = "JOB")]
    jobs: Vec<PathBuf>,
    /// Where the policy is written [default: policy.toml beside the first job]
    #[arg(long, short, value_name = "FILE")]
    output: Option<PathBuf>,
    /// Replace a policy that is there already
    #[arg(long, short)]
    force: bool,
}

/// So many people have to be alike for a level to be proposed.
const K: u32 = 5;

/// Writes it.
pub fn run(args: &Args, session: &Session) -> Result<Answer, Failure> {
    let output = args.output.clone().unwrap_or_else(|| args.jobs[0].with_file_name("policy.toml"));
    if output.exists() && !args.force {
        return Err(Failure::exists(&output));
    }
    let mut read: Vec<(String, String, Job, BTreeMap<String, u8>)> = Vec::new();
    for path in &args.jobs {
        let job = Job::load(path).map_err(|problems| run_error::of_problems(problems, path))?;
        let levels = levels(path, session)?;
        read.push((table_name(&job, path), beside(path, &output), job, levels));
    }
    let all: Vec<Proposed<'_>> = read
        .iter()
        .map(|(table, path, job, levels)| Proposed {
            table: table.clone(),
            path: path.clone(),
            job,
            levels: levels.clone(),
        })
        .collect();
    let name =
        output.file_stem().map_or_else(|| "policy".to_owned(), |stem| stem.to_string_lossy().into_owned());
    file::write(&output, &propose(&name, &all), args.force)?;
    let nobody = read.iter().any(|(_, _, job, _)| job.privacy.person.is_empty());
    let mut text = format!("Proposed in {}. What no rule allows is denied.\n", output.display());
    if nobody {
        text.push_str("A job names no person: write who a row belongs to where it says CHANGE-ME.\n");
    }
    text.push_str(&format!("Next: paravent policy check {}\n", output.display()));
    Ok(Answer::done(text, json!({ "policy": output.display().to_string(), "person_missing": nobody })))
}

/// The levels of the best release in which five people are alike; none where there is no such release.
fn levels(path: &Path, session: &Session) -> Result<BTreeMap<String, u8>, Failure> {
    let over = CurveOptions { k: vec![K], limits: Vec::new() };
    let progress = Progress::start(session.quiet);
    let found = curve(path, &RunOptions::default(), &over, &progress);
    drop(progress);
    let found = found.map_err(|error| run_error::failure(error, path))?;
    let levels = found.points.first().map(|point| &point.transformation).into_iter().flatten();
    let level = |level: &serde_json::Value| level.as_u64().and_then(|level| u8::try_from(level).ok());
    Ok(levels.filter_map(|(name, found)| Some((name.clone(), level(found)?))).collect())
}

/// After the table's file, in letters that a question can use.
fn table_name(job: &Job, path: &Path) -> String {
    let file = match &job.input.source {
        InputSource::File(file) => file.clone(),
        InputSource::Stdin | InputSource::Engine { .. } => path.to_owned(),
    };
    let stem = file.file_stem().map(|stem| stem.to_string_lossy().to_lowercase()).unwrap_or_default();
    let plain: String = stem.chars().map(|c| if c.is_ascii_alphanumeric() { c } else { '_' }).collect();
    match plain.starts_with(|c: char| c.is_ascii_alphabetic()) {
        true => plain,
        false => format!("t_{plain}"),
    }
}

/// A job as a policy names it: from the policy's folder where it is in it.
fn beside(job: &Path, policy: &Path) -> String {
    let folder =
        |path: &Path| path.parent().map(|folder| folder.canonicalize().unwrap_or_else(|_| folder.to_owned()));
    let absolute = job.canonicalize().unwrap_or_else(|_| job.to_owned());
    let own = match policy.parent() {
        Some(parent) if parent.as_os_str().is_empty() => Path::new(".").canonicalize().ok(),
        _ => folder(policy),
    };
    let inside = own.and_then(|own| absolute.strip_prefix(own).ok().map(Path::to_owned));
    inside.unwrap_or(absolute).display().to_string()
}
