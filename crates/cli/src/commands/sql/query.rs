//! `paravent sql`

use super::failed::failure;
use super::prompt;
use super::release::{self, Release};
use super::rule_names::RuleNames;
use super::show::{self, Format};
use super::tables::{Settings, register, register_job_table};
use crate::answer::Answer;
use crate::commands::Session;
use crate::commands::args::EXIT_CODES;
use crate::failure::Failure;
use paravent_algebra::rules::Choice;
use paravent_algebra::session::{Answer as Rows, Session as Sql};
use serde_json::json;
use std::io::{self, IsTerminal, Read};
use std::path::PathBuf;

const EXAMPLES: &str = "\
Examples:
  paravent sql \"SELECT sex, count(*) FROM patients GROUP BY sex\" --file patients.csv
  paravent sql \"SELECT * FROM generalize(patients, quasi => (age, sex), k => 5)\" --job paravent.toml
  paravent sql \"SELECT * FROM slice(p, groups => ((age, sex), (diagnosis)), bucket => 20)\" --file p=patients.csv
  paravent sql \"SELECT * FROM randomize(patients, columns => ((sex, 0.2)))\" --file patients.csv --format csv
  paravent sql -f query.sql --job paravent.toml --explain
  paravent sql -f plan.xml --file donors.csv --rule D13 a plan in XML, rewritten by a rule of your choice
  paravent sql -f query.sql --job paravent.toml --release answer   a release: verified, with a register line
  paravent sql --job paravent.toml                 a prompt with completion

Rows that went through an operator are sorted by all columns unless the query sorts them. Statements
only read. The guide is docs/guide/sql.md.";

/// Ask questions in SQL, with generalize, slice and randomize as functions in FROM
#[derive(Debug, clap::Args)]
#[command(after_help = format!("{EXAMPLES}\n\n{EXIT_CODES}"))]
pub struct Args {
    /// The statement [default: from standard input, or a prompt on a terminal]
    statement: Option<String>,
    /// Read the statement, or a plan in XML, from a file
    #[arg(long = "query", short = 'f', value_name = "FILE", conflicts_with = "statement")]
    query: Option<PathBuf>,
    /// A table: a file, or NAME=FILE; may be given several times
    #[arg(long, value_name = "[NAME=]FILE")]
    file: Vec<String>,
    #[command(flatten)]
    settings: Settings,
    /// How rows are printed
    #[arg(long, value_enum, default_value_t = Format::Table)]
    format: Format,
    /// Which rewrite rules may be used, e.g. none, G9,G10 or -S3
    #[arg(long, value_name = "RULES", allow_hyphen_values = true)]
    rules: Option<String>,
    /// Apply these rules wherever they fit, one after the other, and no others, and run the result: D13,S8 or DP04@root.0
    #[arg(long, value_name = "RULE", value_delimiter = ',', conflicts_with = "rules", value_parser = RuleNames, hide_possible_values = true)]
    rule: Vec<String>,
    /// Let rewrites choose other labels or another mixture, if everything else stays
    #[arg(long, visible_alias = "allow-partial")]
    partial: bool,
    /// Size of the answer at most, e.g. 1GiB [default: 64MiB]
    #[arg(long, value_name = "SIZE")]
    answer: Option<String>,
    /// Show how the statement would be run, and run nothing
    #[arg(long)]
    explain: bool,
    #[command(flatten)]
    release: Release,
    /// Keep the statements of the prompt in a file [default: they are forgotten; statements may hold cells]
    #[arg(long, value_name = "FILE")]
    history: Option<PathBuf>,
}

/// Runs one statement, or a prompt.
pub fn run(args: &Args, session: &Session) -> Result<Answer, Failure> {
    let statement = statement(args)?;
    args.release.check()?;
    let mut sql = open(args)?;
    match (&args.release.release, &args.settings.job, &statement) {
        (Some(target), Some(job), Some(statement)) => {
            return release::run(&args.release, target, job, statement, &mut sql);
        }
        (Some(_), _, None) => {
            let message = "--release: give the statement as an argument, with -f FILE, or on standard input";
            return Err(Failure::Usage { message: message.to_owned() });
        }
        _ => {}
    }
    match statement {
        None => prompt::run(&mut sql, args.format, args.history.as_deref(), session),
        Some(statement) if args.explain => {
            let explained = sql.explain(&statement).map_err(failure)?;
            let json = json!({ "written": explained.written, "rewritten": explained.rewritten, "rules": explained.trace });
            Ok(Answer::of_text(explained.to_string(), json))
        }
        // A plan in XML starts with an element, a statement with a word.
        Some(plan) if plan.trim_start().starts_with('<') => {
            shown(args, sql.run_xml(&plan).map_err(failure)?, session)
        }
        Some(statement) => shown(args, sql.run(&statement).map_err(failure)?, session),
    }
}

/// The answer, with the earlier releases of the same rows or people among its notes.
fn shown(args: &Args, mut rows: Rows, session: &Session) -> Result<Answer, Failure> {
    let bare = release::held_against(args.settings.job.as_deref(), &rows)?;
    rows.notes.extend(bare.warnings.iter().cloned());
    Ok(bare.add(show::answer(&rows, args.format, session)?))
}

fn open(args: &Args) -> Result<Sql, Failure> {
    let mut sql = args.settings.open()?;
    args.file.iter().try_for_each(|file| register(&mut sql, file))?;
    register_job_table(&mut sql)?;
    args.settings.lower_budget(&mut sql)?;
    if let Some(answer) = &args.answer {
        sql.set("answer", answer).map_err(failure)?;
    }
    if let Some(rules) = &args.rules {
        sql.set("rules", rules).map_err(failure)?;
    }
    if args.partial {
        sql.set("partial", "true").map_err(failure)?;
    }
    if !args.rule.is_empty() {
        let choice = |name: &String| {
            let usage = |error| Failure::Usage { message: format!("--rule: {error}") };
            name.parse::<Choice>().map_err(usage)
        };
        sql.apply_in_turn(args.rule.iter().map(choice).collect::<Result<_, _>>()?);
    }
    Ok(sql)
}

/// The statement; none if somebody is there to type one.
fn statement(args: &Args) -> Result<Option<String>, Failure> {
    if let Some(statement) = &args.statement {
        return Ok(Some(statement.clone()));
    }
    if let Some(path) = &args.query {
        let read = std::fs::read_to_string(path);
        return read.map(Some).map_err(|error| Failure::input_output(format!("{}: {error}", path.display())));
    }
    if io::stdin().is_terminal() {
        return Ok(None);
    }
    let taken = args.file.iter().any(|file| file == "-" || file.ends_with("=-"));
    if taken {
        let message =
            "standard input is a table already; give the statement as an argument or with -f FILE".to_owned();
        return Err(Failure::Usage { message });
    }
    let mut text = String::new();
    // A statement beyond this is refused anyway.
    let read = io::stdin().lock().take(2 << 20).read_to_string(&mut text);
    read.map(|_| Some(text)).map_err(|error| Failure::input_output(format!("standard input: {error}")))
}
