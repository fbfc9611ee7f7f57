//! `paravent curve`

use super::{Session, run_error};
use crate::answer::Answer;
use crate::commands::args::{EXIT_CODES, setting};
use crate::failure::Failure;
use crate::file;
use crate::layout::{Columns, short};
use crate::progress::Progress;
use paravent_pipeline::curve::{Curve, CurveOptions, Over, curve};
use paravent_pipeline::job::{DecimalText, Setting};
use paravent_pipeline::run::RunOptions;
use serde_json::json;
use std::path::PathBuf;

const EXAMPLES: &str = "\
Examples:
  paravent curve paravent.toml
  paravent curve paravent.toml --svg curve.svg
  paravent curve paravent.toml --k 2,5,10,25 --limits 0,0.05,1 --json

Every point is the best release of the job with another k, or with another suppression limit.
Nothing is released.";

/// Show what other class sizes and suppression limits would cost and bring
#[derive(Debug, clap::Args)]
#[command(after_help = format!("{EXAMPLES}\n\n{EXIT_CODES}"))]
pub struct Args {
    /// The job file; `-` is standard input
    job: PathBuf,
    /// Class sizes to try
    #[arg(long, value_name = "K", value_delimiter = ',', value_parser = clap::value_parser!(u32).range(1..))]
    k: Option<Vec<u32>>,
    /// Suppression limits to try
    #[arg(long, value_name = "SHARE", value_delimiter = ',', value_parser = limit)]
    limits: Option<Vec<DecimalText>>,
    /// Draw the curve into this file
    #[arg(long, value_name = "FILE")]
    svg: Option<PathBuf>,
    /// Replace a drawing that is there already
    #[arg(long, short)]
    force: bool,
    /// Read this table instead of the job's; `-` is standard input
    #[arg(long, short, value_name = "FILE")]
    input: Option<PathBuf>,
    /// Let a key of the job say something else, as in search.metric=loss
    #[arg(long = "set", value_name = "KEY=VALUE", value_parser = setting)]
    settings: Vec<Setting>,
}

fn limit(text: &str) -> Result<DecimalText, String> {
    let limit = DecimalText::new(text).map_err(|error| error.to_string())?;
    match 0 <= limit.scaled() && limit <= DecimalText::from(1) {
        true => Ok(limit),
        false => Err("must be between 0 and 1".to_owned()),
    }
}

/// Prints a line per point.
pub fn run(args: &Args, session: &Session) -> Result<Answer, Failure> {
    if let Some(path) = args.svg.as_ref().filter(|path| !args.force && path.exists()) {
        return Err(Failure::exists(path));
    }
    let options =
        RunOptions { input: args.input.clone(), settings: args.settings.clone(), ..RunOptions::default() };
    let all = CurveOptions::default();
    let over = CurveOptions {
        k: args.k.clone().unwrap_or(all.k),
        limits: args.limits.clone().unwrap_or(all.limits),
    };
    let progress = Progress::start(session.quiet);
    let curve =
        curve(&args.job, &options, &over, &progress).map_err(|error| run_error::failure(error, &args.job))?;
    drop(progress);
    if let Some(path) = &args.svg {
        file::write(path, &curve.svg(), args.force)?;
    }
    Ok(Answer::done(text(&curve, args, session), json!(curve)))
}

fn text(curve: &Curve, args: &Args, session: &Session) -> String {
    let mut text = String::new();
    for (over, title) in [(Over::K, "k"), (Over::SuppressionLimit, "suppression limit")] {
        let mut points = Columns::default();
        points.row([title, "loss", "suppressed", "mean risk", "highest risk", ""]);
        let of = curve.points.iter().filter(|point| point.over == over);
        let mut any = false;
        for point in of {
            any = true;
            let percent = |share: Option<f64>| {
                share.map_or_else(|| "-".to_owned(), |share| format!("{} %", short(100.0 * share)))
            };
            let note = match (point.feasible, point.of_the_job) {
                (false, _) => "no release",
                (true, true) => "the job",
                (true, false) => "",
            };
            points.row([
                point.value.clone(),
                point.loss.map_or_else(|| "-".to_owned(), short),
                percent(point.suppressed),
                percent(point.mean_risk),
                percent(point.highest_risk),
                note.to_owned(),
            ]);
        }
        if any {
            text.push_str(&format!(
                "{}\n{}\n",
                session.paint.strong(format!("Over {title}")),
                points.render()
            ));
        }
    }
    if let Some(path) = &args.svg {
        text.push_str(&format!("Drawn in {}.\n", path.display()));
    }
    text
}
