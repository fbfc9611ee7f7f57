//! `paravent anonymize`

use super::{Session, run_error, summary};
use crate::answer::{Answer, Exit};
use crate::commands::args::{EXIT_CODES, setting};
use crate::failure::Failure;
use crate::file;
use crate::progress::Progress;
use paravent_pipeline::choose::Levels;
use paravent_pipeline::job::Setting;
use paravent_pipeline::report::Light;
use paravent_pipeline::run::{self, Finished, Registering, RunOptions};
use paravent_pipeline::write::Replace;
use serde_json::{Value, json};
use std::fs::File;
use std::io::Write;
use std::path::{Path, PathBuf};

const EXAMPLES: &str = "\
Examples:
  paravent anonymize paravent.toml
  paravent anonymize paravent.toml --dry-run          look first, write nothing
  paravent anonymize paravent.toml --force            replace the release of an earlier run
  paravent anonymize paravent.toml --apply release --input new.csv --output release-new
  paravent anonymize paravent.toml --input - < patients.csv
  paravent anonymize paravent.toml --set privacy.models.k-anonymity.k=10 --dry-run
  paravent anonymize paravent.toml --output - > anonymous.csv
  paravent anonymize paravent.toml --pick 2           the second alternative of the dry run
  paravent anonymize paravent.toml --node age=2,zip=3 these levels, the best of the other columns
  paravent anonymize paravent.toml --dry-run --lattice lattice.json

The release may be handed out; DIR.private, which appears beside it, stays. Both appear complete
and verified, or not at all. If no release is possible, the nearest
changes of the job that make one possible are listed (exit code 3). A release that breaks a promise
together with an earlier one of the register is made, and said to be (exit code 6).";

/// Find the best release that keeps the promises of a job, write and verify it
#[derive(Debug, clap::Args)]
#[command(after_help = format!("{EXAMPLES}\n\n{EXIT_CODES}"))]
pub struct Args {
    /// The job file; `-` is standard input
    job: PathBuf,
    /// Show the solution and alternatives; write nothing
    #[arg(long, short = 'n')]
    dry_run: bool,
    /// Replace a release that is there already
    #[arg(long, short)]
    force: bool,
    /// Repeat the transformation of an earlier release (its directory or its private folder) instead of searching for one
    #[arg(long, value_name = "RELEASE")]
    apply: Option<PathBuf>,
    /// Read this table instead of the job's; `-` is standard input
    #[arg(long, short, value_name = "FILE")]
    input: Option<PathBuf>,
    /// Write to this directory instead of the job's; `-` prints the data file once it is verified, and keeps no release
    #[arg(long, short, value_name = "DIR")]
    output: Option<PathBuf>,
    /// Release the alternative of this number, as --dry-run lists them
    #[arg(long, value_name = "N", conflicts_with_all = ["apply", "node"])]
    pick: Option<usize>,
    /// Release these levels; columns that are not named get their best
    #[arg(long, value_name = "COLUMN=LEVEL,…", conflicts_with = "apply")]
    node: Option<Levels>,
    /// With --dry-run: write the lattice with a verdict on every node into this file
    #[arg(long, value_name = "FILE", requires = "dry_run")]
    lattice: Option<PathBuf>,
    /// Sign the manifest with this secret key, instead of the paravent.key beside the job
    #[arg(long, value_name = "KEY")]
    sign: Option<PathBuf>,
    /// Let a key of the job say something else, as in privacy.models[0].k=10
    #[arg(long = "set", value_name = "KEY=VALUE", value_parser = setting)]
    settings: Vec<Setting>,
    /// Let messages quote cells that have no place in a hierarchy
    #[arg(long)]
    show_values: bool,
}

/// Prints what was found and where it is.
pub fn run(args: Args, session: &Session) -> Result<Answer, Failure> {
    if args.output.as_deref() == Some(Path::new("-")) && !args.dry_run {
        return to_stdout(args, session);
    }
    if let Some(folder) = args.output.as_deref() {
        let option = |name: &Path| format!("--output {}", name.display());
        if let Some((why, advice)) = run::called_like_a_table(folder, folder, option) {
            return Err(Failure::Usage { message: format!("{}: {why}. {advice}", option(folder)) });
        }
    }
    make(args, Registering::AsTheJobSays, session).map(|(_, answer)| answer)
}

/// Makes the release in a folder of its own, and prints the data file. The folder goes, whatever happens.
fn to_stdout(args: Args, session: &Session) -> Result<Answer, Failure> {
    if session.json {
        let message = "--json and --output - both want standard output".to_owned();
        return Err(Failure::Usage { message });
    }
    let failed = |error: std::io::Error| Failure::input_output(format!("standard output: {error}"));
    let folder = tempfile::Builder::new().prefix(".paravent-").tempdir().map_err(failed)?;
    let args = Args { output: Some(folder.path().join("release")), force: false, ..args };
    let (finished, mut answer) = make(args, Registering::Never, session)?;
    let output = finished.document.output.as_ref();
    let name = output.and_then(|output| Path::new(&output.path).file_name()).unwrap_or_default();
    let data = File::open(folder.path().join("release").join(name));
    let copied = data.and_then(|mut data| {
        let mut out = std::io::stdout().lock();
        std::io::copy(&mut data, &mut out).and_then(|_| out.flush())
    });
    match copied {
        // A reader that has seen enough is no error.
        Err(error) if error.kind() != std::io::ErrorKind::BrokenPipe => return Err(failed(error)),
        _ => {}
    }
    let note = "printed on standard output: no folder is kept, and the register has no line of it";
    let verdict = finished.document.verdict.iter().filter(|verdict| verdict.light != Light::Green);
    let verdict = verdict.map(|verdict| format!("no green verdict: {}", verdict.reasons.join("; ")));
    let warnings: Vec<String> =
        finished.document.warnings.iter().cloned().chain(verdict).chain([note.to_owned()]).collect();
    if !session.quiet {
        let _ = write!(std::io::stderr(), "{}", summary::warnings(&warnings, session.paint).trim_start());
    }
    answer.text.clear();
    Ok(answer)
}

fn make(args: Args, register: Registering, session: &Session) -> Result<(Finished, Answer), Failure> {
    if let Some(path) = args.lattice.as_ref().filter(|path| !args.force && path.exists()) {
        return Err(Failure::exists(path));
    }
    let mut options = RunOptions {
        replace: if args.force { Replace::Force } else { Replace::Refuse },
        show_values: args.show_values,
        input: args.input,
        output: args.output,
        apply: args.apply,
        sign: args.sign,
        settings: args.settings,
        register,
        levels: args.node.unwrap_or_default(),
        explore: args.lattice.is_some(),
        ..RunOptions::default()
    };
    let progress = Progress::start(session.quiet);
    if let Some(number) = args.pick {
        options.levels = run::pick(&args.job, &options, number, &progress)
            .map_err(|error| run_error::failure(error, &args.job))?;
    }
    let run = if args.dry_run { run::dry_run } else { run::anonymize };
    let finished =
        run(&args.job, &options, &progress).map_err(|error| run_error::failure(error, &args.job))?;
    drop(progress);
    if let (Some(path), Some(lattice)) = (&args.lattice, &finished.lattice) {
        file::write(path, &format!("{}\n", json!(lattice)), args.force)?;
    }
    let mut answer = Answer::done(summary::text(&finished, session.paint), document(&finished));
    answer.is_in_place = finished.release.is_some();
    if let Some(releases) = finished.document.broken_together() {
        answer.exit = Exit::Together;
        answer.alarm = Some(summary::broken_together(&releases));
    }
    if let Some(unchanged) = finished.document.unchanged.as_ref().filter(|unchanged| unchanged.too_many()) {
        let alarm = summary::singles_out(unchanged);
        answer.alarm = Some(match answer.alarm {
            Some(other) => format!("{other}\n{alarm}"),
            None => alarm,
        });
    }
    Ok((finished, answer))
}

/// The contract's document; a dry run adds the alternatives at its end.
fn document(finished: &Finished) -> Value {
    let mut document = json!(finished.document);
    if finished.release.is_none()
        && let Some(document) = document.as_object_mut()
    {
        document.insert("alternatives".to_owned(), json!(finished.alternatives));
    }
    document
}
