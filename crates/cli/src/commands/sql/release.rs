//! `paravent sql --release DIR`: the answer as a release.

use super::failed::failure;
use crate::answer::Answer;
use crate::commands::destination::Bare;
use crate::commands::{light, slice};
use crate::failure::Failure;
use crate::layout::counted;
use paravent_algebra::lower::Account;
use paravent_algebra::origin::Shown;
use paravent_algebra::session::{Answer as Rows, Cell, GroupedRows, Session as Sql, ShownPromise};
use paravent_pipeline::answer::{
    AnswerColumn, AnswerPromise, PrivateAnswer, ReleasedAnswer, ShownCells, dry_run, write_answer,
};
use paravent_pipeline::job::{InputSource, Job};
use paravent_pipeline::release::key_of;
use paravent_pipeline::report::{UnchangedColumn, UnchangedFacts};
use paravent_pipeline::slice::{CodedTable, Destination, has_registers, input};
use paravent_pipeline::study::{Exactness, required};
use paravent_pipeline::write::Replace;
use serde_json::{Map, Value, json};
use std::path::{Path, PathBuf};

/// Where the release goes.
#[derive(Debug, clap::Args)]
pub struct Release {
    /// Make the answer a release in this folder: data, manifest, reports and a line in the register; needs --job
    #[arg(long, value_name = "DIR", requires = "job", conflicts_with_all = ["explain", "history"])]
    pub release: Option<PathBuf>,
    /// Say what the release would promise and tell together with earlier ones; write nothing, and draw no noise
    #[arg(long, short = 'n', requires = "release")]
    pub dry_run: bool,
    /// Replace a release that is there
    #[arg(long, requires = "release")]
    pub force: bool,
    /// Write no line into the register
    #[arg(long, requires = "release")]
    pub no_register: bool,
    /// Sign the manifest of the release with this secret key [default: paravent.key beside the job, if it is there]
    #[arg(long, value_name = "KEY", requires = "release")]
    pub sign: Option<PathBuf>,
}

impl Release {
    /// Refuses a place that is taken before anything is drawn or paid for.
    pub fn check(&self) -> Result<(), Failure> {
        match &self.release {
            Some(target) if !self.force && target.exists() => Err(Failure::exists(target)),
            _ => Ok(()),
        }
    }
}

/// Runs the statement and releases its answer.
pub fn run(
    args: &Release,
    target: &Path,
    job: &Path,
    statement: &str,
    sql: &mut Sql,
) -> Result<Answer, Failure> {
    let (job, named) = slice::job(Some(job))?.ok_or_else(Failure::internal)?;
    let table = own_table(&job)?;
    // A key that cannot be used costs nothing.
    key_of(args.sign.as_deref(), Some(&job)).map_err(|error| Failure::input_output(error.to_string()))?;
    // No quasi-identifier of the job leaves as it is.
    sql.release_nothing_exact();
    let to = Destination {
        target: target.to_owned(),
        replace: if args.force { Replace::Force } else { Replace::Refuse },
        register: job.register().filter(|_| !args.no_register),
        job: Some(named),
        sign: args.sign.clone(),
    };
    // Noise is drawn when it is paid for, and a dry run pays nothing.
    if args.dry_run && sql.draws_noise(statement).map_err(failure)? {
        return undrawn(target, &table, &job, &to);
    }
    let rows = match statement.trim_start().starts_with('<') {
        true => sql.run_xml(statement),
        false => sql.run(statement),
    };
    let rows = rows.map_err(failure)?;
    if !rows.told.tables.iter().any(|table| sql.is_own(table)) {
        let message = "--release: the statement does not read the job's own table, so nobody could tell whose rows are released";
        return Err(Failure::Usage { message: message.to_owned() });
    }
    let answer = released(&rows, statement)?;
    let make = if args.dry_run { dry_run } else { write_answer };
    let document = make(&table, &answer, &job, &to).map_err(slice::failure)?;
    let text = format!("{}{}", headline(args, target, &document), lines(&document));
    let mut json = json!({ "release": document });
    if !args.dry_run {
        json["output"] = json!(target.display().to_string());
    }
    Ok(light::add(Answer::done(text, json), &document))
}

/// What can be said of an answer with noise before anything is drawn: which earlier releases know the same rows or people.
fn undrawn(target: &Path, table: &CodedTable, job: &Job, to: &Destination) -> Result<Answer, Failure> {
    to.look(Some(job)).map_err(slice::failure)?;
    let bare = Bare::held_against(table, &[], Some(job), None)?;
    let note = "the statement draws noise, and a dry run draws and pays for none: --explain shows how it would be run";
    let text = format!(
        "{}: a dry run of a released answer; nothing is drawn, paid or written\n· {note}\n{}",
        target.display(),
        bare.remarks()
    );
    Ok(bare.add(Answer::done(text, json!({ "notes": [note] }))))
}

/// Holds an answer that is no release against the registers that its job knows. Figures with noise are another matter: the ledger counts them.
pub fn held_against(job: Option<&Path>, rows: &Rows) -> Result<Bare, Failure> {
    let shows_rows = |account: &Account| {
        matches!(account, Account::Generalize(_) | Account::Slice(_) | Account::Randomize(_))
    };
    let job = job.filter(|_| rows.accounts.iter().any(shows_rows)).map(|job| Job::load_with_bytes(job, &[]));
    let Some(Ok((job, _))) = job else { return Ok(Bare::default()) };
    if !matches!(job.input.source, InputSource::File(_)) || !has_registers(&job) {
        return Ok(Bare::default());
    }
    let columns: Vec<String> = rows.columns().into_iter().map(str::to_owned).collect();
    Bare::held_against(&own_table(&job)?, &columns, Some(&job), None)
}

fn own_table(job: &Job) -> Result<CodedTable, Failure> {
    let InputSource::File(path) = &job.input.source else {
        let message = "--release: the job's table is no file, and the register has to read it";
        return Err(Failure::Usage { message: message.to_owned() });
    };
    let input = input(&job.resolve(path), Some(job)).map_err(slice::failure)?;
    CodedTable::read(&input).map_err(slice::failure)
}

/// The answer in words of a release.
fn released(rows: &Rows, statement: &str) -> Result<ReleasedAnswer, Failure> {
    let cells = rows.cells().map_err(failure)?;
    let names = rows.columns();
    let column = |(place, name): (usize, &&str)| AnswerColumn {
        name: (*name).to_owned(),
        shown: shown(rows.told.columns.get(place).copied().flatten()),
        cells: cells.iter().map(|row| cell(&row[place])).collect(),
    };
    let columns: Vec<AnswerColumn> = names.iter().enumerate().map(column).collect();
    let promises = rows.told.promises.iter().map(|told| promise(told, &columns));
    let seeded = |account: &Account| match account {
        Account::Slice(account) => account.seeded,
        Account::Randomize(account) => account.seeded,
        _ => false,
    };
    Ok(ReleasedAnswer {
        promises: promises.collect::<Result<_, _>>()?,
        operators: rows.accounts.iter().map(|account| operator(account).to_owned()).collect(),
        promised: rows.accounts.iter().map(promised).collect(),
        notes: rows.notes.clone(),
        seeded: rows.accounts.iter().any(seeded),
        grouped: rows.told.grouped.as_ref().map(grouped),
        private: PrivateAnswer {
            statement: statement.to_owned(),
            figures: Map::from_iter([
                ("operators".to_owned(), rows.accounts.iter().map(house).collect()),
                ("rules".to_owned(), json!(rows.trace)),
            ]),
        },
        columns,
    })
}

/// What the rows tell that an answer groups.
fn grouped(rows: &GroupedRows) -> UnchangedFacts {
    let columns = rows.columns.iter().map(|(name, singled_out)| UnchangedColumn {
        column: name.clone(),
        singled_out: *singled_out,
        looks: None,
    });
    UnchangedFacts { people: rows.people, singled_out: rows.singled_out, columns: columns.collect() }
}

fn shown(shown: Option<Shown>) -> ShownCells {
    match shown {
        Some(Shown::Generalized) => ShownCells::Generalized,
        Some(Shown::Redrawn) => ShownCells::Redrawn,
        Some(Shown::Sliced) => ShownCells::Sliced,
        Some(Shown::Grouped) => ShownCells::Noisy,
        Some(Shown::Exactly) => ShownCells::AsItIs,
        None => ShownCells::Computed,
    }
}

fn cell(cell: &Cell) -> Option<String> {
    match cell {
        Cell::Missing => None,
        Cell::Truth(truth) => Some(truth.to_string()),
        Cell::Number(text) | Cell::Text(text) => Some(text.clone()),
    }
}

fn promise(told: &ShownPromise, columns: &[AnswerColumn]) -> Result<AnswerPromise, Failure> {
    let labels: Vec<&AnswerColumn> = told.labels.iter().filter_map(|&place| columns.get(place)).collect();
    if let Some(mixed) = labels.iter().find(|column| column.shown != ShownCells::Generalized) {
        let message = format!(
            "--release: column {:?} mixes labels with other cells, so that classes cannot be counted; select them apart",
            mixed.name
        );
        return Err(Failure::Usage { message });
    }
    let models = told.promise.models.iter();
    Ok(AnswerPromise {
        quasi_identifiers: labels.iter().map(|column| column.name.clone()).collect(),
        models: models
            .map(|model| (model.name().name().to_owned(), required(model, Exactness::Text)))
            .collect(),
    })
}

fn operator(account: &Account) -> &'static str {
    match account {
        Account::Generalize(_) => "generalize",
        Account::Slice(_) => "slice",
        Account::Randomize(_) => "randomize",
        Account::Private(_) => "private",
        _ => "operator",
    }
}

/// What an operator did, without the state of the budget and without estimates.
fn promised(account: &Account) -> String {
    match account {
        Account::Generalize(account) => {
            let levels = account.levels.iter().map(|level| level.to_string());
            format!("generalized ({}): levels {}", account.promise, levels.collect::<Vec<_>>().join(", "))
        }
        Account::Slice(account) => {
            let groups = account.groups.iter().map(|group| format!("{{{}}}", group.join(", ")));
            format!(
                "sliced: groups {}, each permuted inside hidden buckets",
                groups.collect::<Vec<_>>().join(" ")
            )
        }
        Account::Randomize(account) => {
            let columns = account
                .columns
                .iter()
                .map(|column| format!("{} with probability {}", column.column, column.probability));
            format!(
                "redrawn: {}; ε = {} in all",
                columns.collect::<Vec<_>>().join(", "),
                account.charge.epsilon
            )
        }
        Account::Private(account) => {
            let figures = account.figures.iter().map(|figure| match &figure.half_width {
                Some(half_width) => format!("{} ± {half_width}", figure.name),
                None => figure.name.clone(),
            });
            format!(
                "noisy figures: ε = {}, δ = {}; {} (95 %)",
                account.epsilon,
                account.delta,
                figures.collect::<Vec<_>>().join(", ")
            )
        }
        _ => String::new(),
    }
}

/// The account with the figures that stay.
fn house(account: &Account) -> Value {
    let mut told = json!(account);
    match account {
        Account::Generalize(account) => {
            told["suppressed_rows"] = json!(account.suppressed_rows);
            told["classes"] = json!(account.classes);
            told["smallest_class"] = json!(account.smallest_class);
        }
        Account::Slice(account) => {
            told["rows"] = json!(account.rows);
            told["buckets"] = json!(account.buckets);
            told["smallest_bucket"] = json!(account.smallest_bucket);
        }
        Account::Randomize(account) => told["rows"] = json!(account.rows),
        _ => {}
    }
    told
}

fn headline(args: &Release, target: &Path, document: &Value) -> String {
    let rows = counted(document["rows"].as_u64().unwrap_or_default(), "row");
    match args.dry_run {
        true => {
            format!("{}: a dry run of a released answer of {rows}; nothing is written\n", target.display())
        }
        false => format!("{}: a released answer of {rows}, verified\n", target.display()),
    }
}

fn lines(document: &Value) -> String {
    let mut text = String::new();
    let lists =
        ["promised", "notes", "warnings"].map(|name| document[name].as_array().cloned().unwrap_or_default());
    for line in lists.iter().flatten().filter_map(Value::as_str) {
        text.push_str(&format!("· {line}\n"));
    }
    text
}
