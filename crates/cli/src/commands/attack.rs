//! `paravent attack`

mod text;

use super::{Session, run_error, slice};
use crate::answer::Answer;
use crate::commands::args::EXIT_CODES;
use crate::failure::Failure;
use crate::file;
use crate::progress::Progress;
use paravent_evidence::attack::Attack;
use paravent_evidence::attack::self_test::{Trial, self_test};
use paravent_pipeline::evidence::attack::{
    AttackError, AttackOptions, Noise, Similar, Sliced, attack, document, trials,
};
use paravent_pipeline::job::Problem;
use paravent_pipeline::report::attack_pages;
use std::path::{Path, PathBuf};

const EXAMPLES: &str = "\
Examples:
  paravent attack release                                    what the release alone gives away
  paravent attack release --against patients.csv             judged by the original
  paravent attack release --external voters.csv --against patients.csv --key name
  paravent attack release --previous release-2023 --out evidence
  paravent attack table.csv --quasi-identifiers age,zip --sensitive diagnosis   any table, of any tool
  paravent attack --self-test                                does every attack work?

Attacks that need more than was given are listed with what they need.";

/// Run the known attacks against a release and say how far they got
#[derive(Debug, clap::Args)]
#[command(after_help = format!("{EXAMPLES}\n\n{EXIT_CODES}"))]
pub struct Args {
    /// Directory of the release, or a table whose columns are named by --quasi-identifiers or --job
    #[arg(value_name = "RELEASE", required_unless_present_any = ["self_test", "sliced", "queries"])]
    release: Option<PathBuf>,
    /// What the attacker knows, where RELEASE is a table
    #[arg(long, value_name = "COLUMN,…", value_delimiter = ',')]
    quasi_identifiers: Vec<String>,
    /// What must stay secret, where RELEASE is a table
    #[arg(long, value_name = "COLUMN,…", value_delimiter = ',')]
    sensitive: Vec<String>,
    /// Columns that say whose row it is, where RELEASE is a table; classes then count people
    #[arg(long, value_name = "COLUMN,…", value_delimiter = ',')]
    person: Vec<String>,
    /// The original table, to judge by
    #[arg(long, value_name = "ORIGINAL")]
    against: Option<PathBuf>,
    /// A table with names and some of the quasi-identifiers
    #[arg(long, value_name = "TABLE")]
    external: Option<PathBuf>,
    /// People like those in the table who are not in it: the control group
    #[arg(long, value_name = "TABLE")]
    holdout: Option<PathBuf>,
    /// An earlier release of the same people; may be repeated
    #[arg(long, value_name = "RELEASE")]
    previous: Vec<PathBuf>,
    /// Everybody who might be in the table
    #[arg(long, value_name = "TABLE")]
    population: Option<PathBuf>,
    /// Run only these attacks
    #[arg(long, value_name = "NAME,…", value_delimiter = ',', value_parser = known_attack)]
    only: Vec<Attack>,
    /// The column that names the same person in ORIGINAL and the external table
    #[arg(long, value_name = "COLUMN")]
    key: Option<String>,
    /// The job file that says how the raw tables are stored
    #[arg(long, value_name = "JOB")]
    job: Option<PathBuf>,
    /// A hierarchy of a sensitive column: which of its values mean the same
    #[arg(long, value_name = "COLUMN=FILE", value_parser = pair)]
    similar: Vec<(String, String)>,
    /// A sensitive value that must not be ruled out
    #[arg(long, value_name = "COLUMN=VALUE", value_parser = pair)]
    protect: Vec<(String, String)>,
    /// A column with randomized response, and the share of cells that were kept
    #[arg(long, value_name = "COLUMN=SHARE", value_parser = noise)]
    noise: Vec<Noise>,
    /// A sliced or bucketized table
    #[arg(long, value_name = "TABLE", requires = "bucket")]
    sliced: Option<PathBuf>,
    /// The column of the sliced table that names the bucket
    #[arg(long, value_name = "COLUMN", requires = "sliced")]
    bucket: Option<String>,
    /// A group of columns of the sliced table; the first is what the attacker knows
    #[arg(long, value_name = "COLUMN,…", requires = "sliced")]
    group: Vec<String>,
    /// A log of queries: one per line, the numbers of the rows it was about
    #[arg(long, value_name = "FILE")]
    queries: Option<PathBuf>,
    /// How many rows the table behind the queries has, where that is known to everybody
    #[arg(long, value_name = "N", requires = "queries")]
    rows: Option<u64>,
    /// The promised k, where no manifest says it
    #[arg(long, value_name = "K", value_parser = clap::value_parser!(u64).range(2..))]
    k: Option<u64>,
    /// A secret with this share or more in a class is told
    #[arg(long, value_name = "SHARE", default_value = "0.8", value_parser = share)]
    threshold: f64,
    /// Tries of each game
    #[arg(long, value_name = "N", default_value = "2000", value_parser = clap::value_parser!(u32).range(1..=1_000_000))]
    attempts: u32,
    /// Where chance comes from; drawn anew unless given
    #[arg(long, value_name = "NUMBER")]
    seed: Option<u64>,
    /// Write attacks.html, attacks-details.html and attacks.json into this directory
    #[arg(long, value_name = "DIR")]
    out: Option<PathBuf>,
    /// Replace files in the directory of --out
    #[arg(long, requires = "out")]
    force: bool,
    /// Run every attack on a planted weak release, where it must succeed, and on a strong one, where it must fail
    #[arg(long, conflicts_with_all = ["release", "quasi_identifiers", "sensitive", "against", "external", "holdout", "previous", "population", "sliced", "queries", "out"])]
    self_test: bool,
}

/// Prints threat by threat.
pub fn run(args: &Args, session: &Session) -> Result<Answer, Failure> {
    let seed = match args.seed {
        Some(seed) => seed,
        None => drawn_seed()?,
    };
    if args.self_test {
        let found = self_test(seed);
        let passes = found.iter().all(Trial::passes);
        return Ok(Answer::judged(passes, text::trials(&found, seed, session.paint), trials(&found, seed)));
    }
    if let Some(release) = args.release.as_deref().filter(|release| slice::is_release(release)) {
        return slice::attack(release, args.against.as_deref(), args.job.as_deref(), session);
    }
    let progress = Progress::start(session.quiet);
    let attacked = attack(&options(args, seed), &progress).map_err(|error| failure(error, args))?;
    drop(progress);
    let json = document(&attacked);
    let mut told = text::attacked(&attacked, args.release.as_deref(), session.paint);
    if let Some(folder) = &args.out {
        told.push_str(&write(folder, &attack_pages(&attacked).files(), &json, args.force)?);
    }
    Ok(Answer::judged(attacked.holds(), told, json))
}

fn options(args: &Args, seed: u64) -> AttackOptions {
    let sliced = args.sliced.as_ref().map(|table| Sliced {
        table: table.clone(),
        bucket: args.bucket.clone().unwrap_or_default(),
        groups: args.group.iter().map(|group| group.split(',').map(str::to_owned).collect()).collect(),
    });
    let similar =
        args.similar.iter().map(|(column, path)| Similar { column: column.clone(), path: path.into() });
    AttackOptions {
        release: args.release.clone(),
        quasi_identifiers: args.quasi_identifiers.clone(),
        sensitive: args.sensitive.clone(),
        person: args.person.clone(),
        original: args.against.clone(),
        external: args.external.clone(),
        holdout: args.holdout.clone(),
        previous: args.previous.clone(),
        population: args.population.clone(),
        job: args.job.clone(),
        key: args.key.clone(),
        only: args.only.clone(),
        similar: similar.collect(),
        protected: args.protect.clone(),
        noise: args.noise.clone(),
        sliced,
        queries: args.queries.clone(),
        rows: args.rows,
        threshold: args.threshold,
        k: args.k,
        attempts: args.attempts as usize,
        seed,
        ..AttackOptions::default()
    }
}

/// From the operating system, small enough to be typed again.
fn drawn_seed() -> Result<u64, Failure> {
    let drawn = getrandom::u64().map_err(|error| {
        Failure::input_output(format!(
            "the operating system gives no random numbers: {error}; say --seed NUMBER"
        ))
    })?;
    Ok(drawn >> 32)
}

fn write(
    folder: &Path,
    pages: &[(&str, &str)],
    json: &serde_json::Value,
    force: bool,
) -> Result<String, Failure> {
    std::fs::create_dir_all(folder)
        .map_err(|error| Failure::input_output(format!("{}: {error}", folder.display())))?;
    let document = format!("{json:#}\n");
    let mut told = String::from("\nWritten\n");
    for (name, content) in pages.iter().copied().chain([("attacks.json", document.as_str())]) {
        let path = folder.join(name);
        file::write(&path, content, force)?;
        told.push_str(&format!("  {}\n", path.display()));
    }
    Ok(told)
}

fn failure(error: AttackError, args: &Args) -> Failure {
    match error {
        AttackError::Problems(problems) => Failure::Configuration { problems },
        AttackError::Load(error) => run_error::of_load(error, args.job.as_deref()),
        AttackError::Log { .. } => Failure::input_output(error.to_string()),
        AttackError::Options(message) => Failure::Usage { message },
        other => {
            let file = args.release.clone().unwrap_or_default();
            let message = other.to_string();
            // The message names the table at fault itself; the release is where it was compared.
            Failure::configuration(Problem::new(file, message))
        }
    }
}

fn known_attack(name: &str) -> Result<Attack, String> {
    Attack::named(name).ok_or_else(|| {
        let known: Vec<&str> = Attack::ALL.iter().map(|attack| attack.name()).collect();
        format!("there is no such attack; known are {}", known.join(", "))
    })
}

fn pair(text: &str) -> Result<(String, String), String> {
    match text.split_once('=') {
        Some((column, rest)) if !column.is_empty() && !rest.is_empty() => {
            Ok((column.to_owned(), rest.to_owned()))
        }
        _ => Err("write COLUMN=…".to_owned()),
    }
}

fn noise(text: &str) -> Result<Noise, String> {
    let (column, keep) = pair(text)?;
    Ok(Noise { column, keep: share(&keep)? })
}

fn share(text: &str) -> Result<f64, String> {
    match text.parse::<f64>() {
        Ok(share) if share > 0.0 && share <= 1.0 => Ok(share),
        _ => Err("write a number above 0 and up to 1, such as 0.8".to_owned()),
    }
}
