//! `paravent slice check`

use super::args::{lists, names, share};
use super::failed::failure;
use super::{job, read};
use crate::answer::Answer;
use crate::commands::Session;
use crate::commands::args::EXIT_CODES;
use crate::failure::Failure;
use paravent_pipeline::slice::{Judgement, check, read_sliced_release, sliced_groups};
use paravent_slicing::Limits;
use serde_json::json;
use std::path::PathBuf;

const EXAMPLES: &str = "\
Examples:
  paravent slice check patients.csv sliced.csv --groups \"age,sex;diagnosis\"

Compares the two tables: is every group the same bag of rows, were groups permuted independently, who
is alone inside a group, and what does somebody who knows one group read off for another?";

/// Judge a slicing that somebody else made, from the tables before and after
#[derive(Debug, clap::Args)]
#[command(after_help = format!("{EXAMPLES}\n\n{EXIT_CODES}"))]
pub struct Args {
    /// The table before
    before: PathBuf,
    /// The sliced table, or the folder of a sliced release
    after: PathBuf,
    /// The column groups: names separated by commas, groups by semicolons [default: those of the release]
    #[arg(long, value_name = "GROUPS")]
    groups: Option<String>,
    /// The job file that says how the tables are stored
    #[arg(long, short, value_name = "JOB")]
    job: Option<PathBuf>,
    /// Sensitive columns, whose values are counted
    #[arg(long, value_name = "COLUMNS")]
    sensitive: Option<String>,
    /// Most rows that may be alone with their values inside a group, as a share [default: 0.1]
    #[arg(long, value_name = "SHARE")]
    most_unique: Option<String>,
    /// Most people whose values are read off beyond chance, as a share [default: 0.2]
    #[arg(long, value_name = "SHARE")]
    most_linked: Option<String>,
}

/// Prints what was found; exit code 1 if something is wrong.
pub(super) fn run(args: &Args, session: &Session) -> Result<Answer, Failure> {
    let job = job(args.job.as_deref())?;
    let job = job.as_ref().map(|(job, _)| job);
    let before = read(&args.before, job)?;
    let released = sliced_groups(&args.after);
    let after = match &released {
        Some(_) => read_sliced_release(&args.after).map_err(failure)?,
        None => read(&args.after, job)?,
    };
    let groups = args.groups.as_deref().map(lists).or(released).unwrap_or_default();
    if groups.is_empty() {
        let message = "which columns stayed together? --groups \"age,sex;diagnosis\"".to_owned();
        return Err(Failure::Usage { message });
    }
    let sensitive = args.sensitive.as_deref().map(names).unwrap_or_default();
    let limits = (
        share(args.most_unique.as_deref(), Limits::STANDARD.unique)?,
        share(args.most_linked.as_deref(), Limits::STANDARD.linked)?,
    );
    let judgement = check(&before, &after, &groups, &sensitive, limits).map_err(failure)?;
    let text = text(&judgement, &groups, session);
    let mut document = json!(judgement);
    document["holds"] = json!(judgement.holds());
    Ok(Answer::judged(judgement.holds(), text, document))
}

/// What was found.
pub(super) fn text(found: &Judgement, groups: &[Vec<String>], session: &Session) -> String {
    let mut text = String::new();
    for (number, group) in groups.iter().enumerate() {
        let same = if found.marginals[number] { "the same rows as before" } else { "OTHER ROWS THAN BEFORE" };
        let alone = found.unique[number]
            .map_or_else(String::new, |rows| format!("; {rows} rows alone with their values"));
        text.push_str(&format!("  group {} ({}): {same}{alone}\n", number + 1, group.join(", ")));
    }
    let list = |together: bool| {
        let pairs = found.pairs.iter().filter(|pair| pair.unchanged == together);
        pairs.map(|pair| format!("{}–{}", pair.columns.0, pair.columns.1)).collect::<Vec<_>>().join(", ")
    };
    text.push_str(&format!("  pairs kept: {}\n  pairs broken: {}\n", list(true), list(false)));
    text.push_str(&format!("  whole rows as before: {:.1} %\n", 100.0 * found.rows_as_before));
    for (column, values) in &found.diversity {
        text.push_str(&format!("  {column}: {values} different values in the table\n"));
    }
    for (group, column, people, right, chance) in &found.read_off {
        let percent = |part: &usize| 100.0 * *part as f64 / (*people).max(1) as f64;
        text.push_str(&format!(
            "  attack from group {group}: {column} read off rightly for {:.1} % of {people} people (by chance {:.1} %)\n",
            percent(right),
            percent(chance)
        ));
    }
    let verdict = match found.problems.as_slice() {
        [] => session.paint.good("Nothing is wrong with this slicing."),
        problems => {
            let list: String = problems.iter().map(|problem| format!("  - {problem}\n")).collect();
            format!("{}\n{}", session.paint.bad("This is not a slicing to be released:"), list.trim_end())
        }
    };
    format!("{text}\n{verdict}\n")
}
