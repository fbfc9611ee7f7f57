//! `paravent utility`

use super::{Session, run_error};
use crate::answer::Answer;
use crate::commands::args::EXIT_CODES;
use crate::failure::Failure;
use crate::layout::{Columns, count, share, short};
use crate::progress::Progress;
use paravent_pipeline::evidence::utility::{UtilityFacts, utility};
use paravent_pipeline::evidence::{LoadError, load_release};
use paravent_pipeline::job::{Job, Problem};
use serde_json::json;
use std::path::PathBuf;

const EXAMPLES: &str = "\
Examples:
  paravent utility release --against patients.csv
  paravent utility release --against patients.csv --job paravent.toml --target diagnosis --target cost

Intervals are taken for their middle. A target is predicted by a decision tree, cross-validated on the
original and on the release: one with few values as a class (the score is the share of right guesses), one
of numbers as a number (R²).";

/// Compare what a release is good for with its original: statistics, associations, predictions
#[derive(Debug, clap::Args)]
#[command(after_help = format!("{EXAMPLES}\n\n{EXIT_CODES}"))]
pub struct Args {
    /// The release
    release: PathBuf,
    /// The table it was made from
    #[arg(long, short, value_name = "TABLE")]
    against: PathBuf,
    /// The job that says how the table is stored; unless said, the private folder beside the release does
    #[arg(long, short, value_name = "JOB")]
    job: Option<PathBuf>,
    /// A column to predict from the others; the first sensitive one unless said
    #[arg(long, value_name = "COLUMN")]
    target: Vec<String>,
}

/// Prints both side by side.
pub fn run(args: &Args, session: &Session) -> Result<Answer, Failure> {
    let failed = |error: LoadError| run_error::of_load(error, args.job.as_deref());
    let job = match &args.job {
        Some(path) => Some(Job::load(path).map_err(|problems| run_error::of_problems(problems, path))?),
        None => None,
    };
    let progress = Progress::start(session.quiet);
    let release = load_release(&args.release, &progress).map_err(failed)?;
    let columns = release.table.data.columns();
    if let Some(unknown) =
        args.target.iter().find(|target| columns.iter().all(|column| column.name() != *target))
    {
        let names: Vec<&str> = columns.iter().map(|column| column.name()).collect();
        let message = format!("--target names the column {unknown:?}, which the release does not have");
        let problem =
            Problem::new(&args.release, message).advise(format!("Its columns are {}", names.join(", ")));
        return Err(Failure::configuration(problem));
    }
    let source = release.original(&args.against, job.as_ref());
    let targets = Some(args.target.as_slice()).filter(|targets| !targets.is_empty());
    let facts = utility(&release, &source, targets, usize::MAX, &progress).map_err(failed)?;
    drop(progress);
    Ok(Answer::done(text(&facts, session), json!(facts)))
}

fn text(facts: &UtilityFacts, session: &Session) -> String {
    let paint = session.paint;
    let utility = &facts.utility;
    let mut text = format!(
        "{} rows, {} of them released ({})\n",
        count(utility.rows),
        count(utility.released_rows),
        share(utility.released_rows, utility.rows)
    );
    let mut section = |title: &str, columns: Columns, any: bool| {
        if any {
            text.push_str(&format!("\n{}\n{}", paint.strong(title), columns.render()));
        }
    };
    let mut numbers = Columns::default();
    numbers.row(["", "", "mean", "deviation", "median", "quartiles", "unknown"]);
    for column in &utility.numbers {
        for (name, when, moments) in
            [(column.column.as_str(), "before", &column.before), ("", "after", &column.after)]
        {
            let [_, low, middle, high, _] = moments.quantiles;
            let quartiles = format!("{} to {}", short(low), short(high));
            let unknown = format!("{} %", short(100.0 * moments.unknown));
            numbers.row([
                name,
                when,
                &short(moments.mean),
                &short(moments.deviation),
                &short(middle),
                &quartiles,
                &unknown,
            ]);
        }
    }
    section("Numbers", numbers, !utility.numbers.is_empty());
    let mut labels = Columns::default();
    labels.row(["", "values before", "after", "bits before", "after"]);
    for column in &utility.labels {
        labels.row([
            column.column.clone(),
            count(column.distinct_before),
            count(column.distinct_after),
            short(column.entropy_before),
            short(column.entropy_after),
        ]);
    }
    section("Labels", labels, !utility.labels.is_empty());
    let mut pairs = Columns::default();
    pairs.row(["", "", "before", "after"]);
    for pair in utility.pairs.iter().take(12) {
        let kind = match pair.kind {
            paravent_pipeline::evidence::utility::Kind::Correlation => "correlation",
            paravent_pipeline::evidence::utility::Kind::CramersV => "Cramér's V",
        };
        let name = format!("{} and {}", pair.a, pair.b);
        pairs.row([name, kind.to_owned(), short(pair.before.value), short(pair.after.value)]);
    }
    section("Pairs of columns, those that changed most", pairs, !utility.pairs.is_empty());
    let mut groups = Columns::default();
    groups.row(["", "", "left out", "of"]);
    let mut left_out: Vec<_> = facts.suppressed.iter().filter(|group| group.suppressed > 0).collect();
    left_out.sort_by(|a, b| {
        (u128::from(b.suppressed) * u128::from(a.rows)).cmp(&(u128::from(a.suppressed) * u128::from(b.rows)))
    });
    for group in left_out.iter().take(12) {
        let label = group.label.as_deref().unwrap_or("(missing)");
        let part = format!("{} ({})", count(group.suppressed), share(group.suppressed, group.rows));
        groups.row([group.column.as_str(), label, &part, &count(group.rows)]);
    }
    section("Who was left out", groups, !left_out.is_empty());
    let mut learned = Columns::default();
    learned.row(["", "", "original", "release", "without other columns"]);
    for found in &utility.learned {
        let method = match found.method {
            paravent_pipeline::evidence::utility::Method::Classification => "right guesses",
            paravent_pipeline::evidence::utility::Method::Regression => "R²",
        };
        learned.row([
            found.target.as_str(),
            method,
            &short(found.original),
            &short(found.release),
            &short(found.baseline),
        ]);
    }
    section("Predicted from the other columns", learned, !utility.learned.is_empty());
    for why in &utility.not_learned {
        text.push_str(&format!("{} {why}\n", paint.careful("note:")));
    }
    text
}
