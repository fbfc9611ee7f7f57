//! `paravent ledger`

use super::run_error::of_book;
use crate::answer::Answer;
use crate::commands::Session;
use crate::commands::args::EXIT_CODES;
use crate::failure::Failure;
use crate::layout::{Columns, counted};
use clap::Subcommand;
use paravent_noise::budget::Cost;
use paravent_pipeline::ledger::{BookError, LedgerError, LedgerFile, Limit, Paid, Record, Spending as Spent};
use paravent_pipeline::register::Log;
use serde_json::{Value, json};
use std::path::{Path, PathBuf};

const EXAMPLES: &str = "\
Examples:
  paravent ledger list --job paravent.toml            what every recipient has had
  paravent ledger verify --ledger study.ledger.jsonl
  paravent ledger verify --job paravent.toml --head 3f9a…     also that the end was not cut off
  paravent ledger start patients.csv --epsilon 5      an owner's limit for a table without a job
  paravent ledger mend --job paravent.toml --recipient anyone --spent 0.5

The ledger lies beside the job (paravent.ledger.jsonl) or, without a job, beside the table.
The guide is docs/guide/noise.md.";

/// See what noisy answers have cost, and whether the ledger is as it was written
#[derive(Debug, clap::Args)]
#[command(after_help = format!("{EXAMPLES}\n\n{EXIT_CODES}"))]
pub struct Args {
    #[command(subcommand)]
    command: Command,
}

#[derive(Debug, Subcommand)]
enum Command {
    /// List every grant, and the sum of each recipient
    List(Place),
    /// Check that no line was changed or removed
    Verify {
        #[command(flatten)]
        place: Place,
        /// A head that `list` or `verify` told earlier: shows whether lines at the end are missing
        #[arg(long, value_name = "HASH")]
        head: Option<String>,
    },
    /// Start a ledger with a limit of its owner, for tables without a job
    Start {
        #[command(flatten)]
        place: Place,
        /// The ε that every recipient may spend in all
        #[arg(long, value_name = "EPSILON")]
        epsilon: String,
        /// The δ that every recipient may spend in all
        #[arg(long, value_name = "DELTA", default_value = "0.000001")]
        delta: String,
    },
    /// Say what a last line without an end counts as, so that the ledger can go on
    Mend {
        #[command(flatten)]
        place: Place,
        /// Whose it is counted as
        #[arg(long, value_name = "NAME")]
        recipient: String,
        /// What it is counted as: not less than the answer that was on its way
        #[arg(long, value_name = "EPSILON[,DELTA]")]
        spent: String,
    },
}

/// Where the ledger is.
#[derive(Debug, clap::Args)]
#[group(required = true, multiple = false)]
struct Place {
    /// A table, whose ledger is beside it
    #[arg(value_name = "TABLE")]
    table: Option<PathBuf>,
    /// The ledger itself
    #[arg(long, value_name = "FILE")]
    ledger: Option<PathBuf>,
    /// The job file, whose ledger is beside it
    #[arg(long, short, value_name = "JOB")]
    job: Option<PathBuf>,
}

impl Place {
    fn path(&self) -> PathBuf {
        match (&self.ledger, self.job.as_ref().or(self.table.as_ref())) {
            (Some(ledger), _) => ledger.clone(),
            (None, beside) => {
                let beside = beside.cloned().unwrap_or_default();
                LedgerFile::beside(&beside.canonicalize().unwrap_or(beside))
            }
        }
    }
}

/// Runs a command.
pub fn run(args: &Args, session: &Session) -> Result<Answer, Failure> {
    match &args.command {
        Command::List(place) => list(&place.path()),
        Command::Verify { place, head } => verify(&place.path(), head.as_deref(), session),
        Command::Start { place, epsilon, delta } => start(&place.path(), epsilon, delta),
        Command::Mend { place, recipient, spent } => mend(&place.path(), recipient, spent),
    }
}

fn told(error: LedgerError) -> Failure {
    of_book(&BookError::File(error))
}

fn list(path: &Path) -> Result<Answer, Failure> {
    let log = LedgerFile::read(path).map_err(told)?;
    let mut lines = Columns::default();
    lines.row(["line", "time", "recipient", "ε", "δ", "what"]);
    let mut grants: Vec<Value> = Vec::new();
    for (number, line) in (1..).zip(&log.lines) {
        let row = |recipient: &str, epsilon: &str, delta: &str, what: &str| {
            [
                number.to_string(),
                line.time.clone(),
                recipient.to_owned(),
                epsilon.to_owned(),
                delta.to_owned(),
                what.to_owned(),
            ]
        };
        match &line.record {
            Record::Grant(Paid { recipient, epsilon, delta, label }) => {
                lines.row(row(recipient, epsilon, delta, label));
            }
            Record::Torn { counted, .. } => {
                lines.row(row(&counted.recipient, &counted.epsilon, &counted.delta, "a line without an end"));
            }
            Record::Unbounded { recipient, label } => lines.row(row(recipient, "no bound", "", label)),
            _ => continue,
        }
        let mut document = json!(line.record);
        document["line"] = json!(number);
        document["time"] = json!(line.time);
        grants.push(document);
    }
    let spent = Spent::of(&log, path).map_err(|error| of_book(&error))?;
    let mut text = match grants.is_empty() {
        true => "Nothing has been paid for.\n".to_owned(),
        false => lines.render(),
    };
    let mut sums: Vec<Value> = Vec::new();
    for one in &spent {
        let sum = one.spent();
        text.push_str(&format!("\n{}: {sum} in all", one.recipient));
        if one.unbounded > 0 {
            text.push_str(&format!(", and {} that no ε bounds", counted(one.unbounded, "draw")));
        }
        sums.push(json!({
            "recipient": one.recipient,
            "epsilon": sum.epsilon().to_string(),
            "delta": sum.delta().to_string(),
            "unbounded": one.unbounded,
        }));
    }
    text.push_str(&format!("\nhead {}\n", log.head));
    if let Some(broken) = &log.broken {
        text.push_str(&format!(
            "\nThe ledger is not as it was written from line {} on: {}.\n",
            broken.line, broken.what
        ));
    }
    let document = json!({ "ledger": path, "limit": limit(&log), "grants": grants, "recipients": sums, "head": log.head, "broken": log.broken });
    Ok(Answer::of_text(text, document))
}

fn limit(log: &Log<Record>) -> Option<&Limit> {
    match &log.lines.first()?.record {
        Record::Ledger { limit, .. } => limit.as_ref(),
        _ => None,
    }
}

fn verify(path: &Path, head: Option<&str>, session: &Session) -> Result<Answer, Failure> {
    let log = LedgerFile::read(path).map_err(told)?;
    let cut = head.is_some_and(|head| !log.has(head));
    let holds = log.broken.is_none() && !cut;
    let paint = session.paint;
    let mut text = format!(
        "{}: {} in order, head {}\n",
        path.display(),
        counted(log.lines.len() as u64, "line"),
        log.head
    );
    if let Some(broken) = &log.broken {
        text.push_str(&format!("{}\n", paint.bad(format!("Line {}: {}.", broken.line, broken.what))));
    }
    if cut {
        let told =
            "No line has the head that was given: lines at the end are missing, or it is another ledger.";
        text.push_str(&format!("{}\n", paint.bad(told)));
    }
    if holds {
        text.push_str(&format!("{}\n", paint.good("No line was changed, moved or removed between others.")));
    }
    if head.is_none() {
        text.push_str("Lines that were cut off at the end cannot be seen from the file alone. Keep the head elsewhere, and give it with --head.\n");
    }
    let document = json!({ "ledger": path, "lines": log.lines.len(), "head": log.head, "broken": log.broken, "head_found": head.map(|_| !cut), "holds": holds });
    Ok(Answer::judged(holds, text, document))
}

fn start(path: &Path, epsilon: &str, delta: &str) -> Result<Answer, Failure> {
    let limit = cost(&format!("{epsilon},{delta}"))?;
    let record = Limit { epsilon: limit.epsilon().to_string(), delta: limit.delta().to_string() };
    LedgerFile::start(path, record.clone()).map_err(told)?;
    let text = format!("{}: every recipient may spend {limit} in all.\n", path.display());
    Ok(Answer::done(text, json!({ "ledger": path, "limit": record })))
}

fn mend(path: &Path, recipient: &str, spent: &str) -> Result<Answer, Failure> {
    let cost = cost(spent)?;
    let torn = LedgerFile::torn(path).map_err(told)?;
    let counted = Paid {
        recipient: recipient.to_owned(),
        epsilon: cost.epsilon().to_string(),
        delta: cost.delta().to_string(),
        label: "a line without an end".to_owned(),
    };
    let found = torn.found();
    torn.mend(counted.clone()).map_err(told)?;
    let text = format!(
        "{}: the last line counts as {cost} of {recipient}. What was found of it is kept:\n  {found}\n",
        path.display()
    );
    Ok(Answer::done(text, json!({ "ledger": path, "counted": counted, "found": found })))
}

/// `0.5` or `0.5,0.000001`
fn cost(text: &str) -> Result<Cost, Failure> {
    let (epsilon, delta) = match text.split_once(',') {
        Some((epsilon, delta)) => {
            (epsilon, Some(delta).filter(|delta| delta.bytes().any(|b| matches!(b, b'1'..=b'9'))))
        }
        None => (text, None),
    };
    Cost::parse(epsilon, delta).map_err(|error| Failure::Usage { message: format!("{text}: {error}") })
}
