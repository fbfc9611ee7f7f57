//! `paravent demo`

use super::{Session, run_error};
use crate::answer::Answer;
use crate::commands::args::EXIT_CODES;
use crate::failure::Failure;
use crate::layout::{Columns, count, parameters, share};
use crate::paint::Paint;
use crate::progress::Progress;
use paravent_pipeline::demo::{self, DemoError, DemoFiles};
use paravent_pipeline::run::{Finished, RunOptions, anonymize};
use paravent_pipeline::write::{Replace, private_of};
use serde_json::json;
use std::path::{Path, PathBuf};

const EXAMPLES: &str = "\
Examples:
  paravent demo
  paravent demo ~/paravent-tour
  paravent demo large --rows 1200000

Writes a table of made-up patients, hierarchies and a job file, and runs the job. Files of yours
are never overwritten.";

/// Make a demo with made-up patients and anonymize it: the two-minute tour
#[derive(Debug, clap::Args)]
#[command(after_help = format!("{EXAMPLES}\n\n{EXIT_CODES}"))]
pub struct Args {
    /// Directory to make
    #[arg(value_name = "DIR", default_value = "paravent-demo")]
    dir: PathBuf,
    /// Patients to make up
    #[arg(long, value_name = "N", default_value_t = 2000, value_parser = clap::value_parser!(u32).range(1..=20_000_000))]
    rows: u32,
}

/// Prints the tour.
pub fn run(args: &Args, session: &Session) -> Result<Answer, Failure> {
    let files = demo::write_rows(&args.dir, args.rows).map_err(|error| in_the_way(&error))?;
    let progress = Progress::start(session.quiet);
    // The release of an earlier tour makes room; anything that is not a release stays.
    let options = RunOptions { replace: Replace::Force, ..RunOptions::default() };
    let finished =
        anonymize(&files.job, &options, &progress).map_err(|error| run_error::failure(error, &files.job))?;
    drop(progress);
    let text = tour(&files, &finished, &args.dir, session.paint);
    let written: Vec<String> = files.all.iter().map(|path| path.display().to_string()).collect();
    let release = finished.release.as_ref().map(|path| path.display().to_string());
    let json = json!({ "files": written, "job": files.job.display().to_string(), "release": release, "report": finished.document });
    Ok(Answer::done(text, json))
}

fn in_the_way(error: &DemoError) -> Failure {
    Failure::input_output(error.to_string())
}

fn tour(files: &DemoFiles, finished: &Finished, dir: &Path, paint: Paint) -> String {
    let document = &finished.document;
    let (rows, suppressed) = (document.input.rows, document.solution.suppressed_rows);
    let release = finished.release.clone().unwrap_or_else(|| dir.join("release"));
    let mut made = Columns::default();
    made.row([files.table.display().to_string(), format!("{} made-up patients", count(rows))]);
    made.row([files.job.display().to_string(), "the job: roles, hierarchies, promises".to_owned()]);
    let private = private_of(&release);
    let released = format!("{} of them, anonymized: may be handed out", count(rows - suppressed));
    made.row([release.display().to_string(), released]);
    made.row([private.display().to_string(), "the transformation and the full report: stays".to_owned()]);
    let mut kept = Columns::default();
    for promise in &document.privacy {
        kept.row([promise.model, &parameters(&promise.required), "→", &parameters(&promise.achieved)]);
    }
    let optimal = if document.search.optimal { "the best" } else { "the best found" };
    let mut next = Columns::default();
    for (command, what) in [
        (
            format!("open {}", private.join("report.html").display()),
            "what is promised, what it cost, what remains",
        ),
        (format!("paravent verify {}", release.display()), "prove it again, from the files alone"),
        (
            format!("paravent check {} --job {}", files.table.display(), files.job.display()),
            "the original breaks the promises",
        ),
        (format!("paravent init {}", files.table.display()), "let Paravent propose a job by itself"),
        (format!("edit {}", files.job.display()), "set k = 20, say, then:"),
        (format!("paravent anonymize {} --force", files.job.display()), "make the release anew"),
    ] {
        next.row([command, what.to_owned()]);
    }
    format!(
        "{}\n{}\n{}\n{}\n{}\n{} rows suppressed ({}); {optimal} of {} transformations.\n{}\n\n{}\n{}",
        paint.strong("Made"),
        made.render(),
        paint.strong("Promised → kept"),
        kept.render(),
        paint.strong("Cost"),
        format_args!("  {}", count(suppressed)),
        share(suppressed, rows),
        count(document.lattice.nodes),
        paint.good("  Verified by the independent checker."),
        paint.strong("Try next"),
        next.render(),
    )
}
