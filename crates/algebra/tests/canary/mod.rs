//! Random statements over random tables whose cells can be recognised.
//!
//! A statement may be answered or refused, but in what it gives back there is no identifying cell, no cell of a row that it does not show, no number of the data
//! outside the rows of the answer, and no class smaller than promised. Mistakes are planted to see that each would be noticed.
#![allow(
    dead_code,
    clippy::unwrap_used,
    clippy::expect_used,
    reason = "a test may stop where something is missing"
)]

#[path = "../support/dice.rs"]
mod dice;
mod leaks;
mod statements;
mod tables;

use datafusion::arrow::util::pretty::pretty_format_batches;
use dice::Dice;
use leaks::{Told, leak};
use paravent_algebra::rules::{Cost, Switches};
use paravent_algebra::session::{Answer, Cell, MeasuredFacts, Session, Wish, Written};
use serde_json::Value;
use statements::{Statement, Writer};
use std::sync::Arc;
use tables::Tables;

/// Statements that share their tables.
const TOGETHER: usize = 25;

/// A mistake that is planted.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Fault {
    /// None: the program as it is.
    None,
    /// Somebody forgot that columns are identifying.
    ForgottenRole,
    /// What the engine says of a failed query is passed on.
    EngineWords,
    /// EXPLAIN counts the rows of every node.
    MeasuredPlan,
    /// Accounts tell what is for the house alone.
    HouseFigures,
    /// The log of the rules says what plans cost, which is estimated from rows.
    PricedRules,
    /// Generalizations do not generalize.
    NoPromise,
}

/// The mistakes, each of which has to be noticed.
pub const FAULTS: [Fault; 6] = [
    Fault::ForgottenRole,
    Fault::EngineWords,
    Fault::MeasuredPlan,
    Fault::HouseFigures,
    Fault::PricedRules,
    Fault::NoPromise,
];

/// What came of many statements.
#[derive(Debug, Default)]
pub struct Outcome {
    pub statements: usize,
    pub answers: usize,
    pub refusals: usize,
    /// Answers of generalizations whose classes were counted.
    pub counted: usize,
    /// What is wrong, and the statement.
    pub leaks: Vec<(String, String)>,
}

/// Runs so many random statements.
pub fn statements(number: usize, seed: u64, fault: Fault) -> Outcome {
    let mut outcome = Outcome::default();
    let mut dice = Dice::new(seed);
    while outcome.statements < number {
        let tables = Tables::new(&mut dice);
        let job = match fault {
            Fault::ForgottenRole => tables.job.replace("\"identifying\"", "\"insensitive\""),
            _ => tables.job.clone(),
        };
        let mut session = tables.session(&job);
        let known: Vec<String> =
            tables.identifying.iter().take(4).chain(tables.notes.iter().take(4)).cloned().collect();
        for _ in 0..TOGETHER.min(number - outcome.statements) {
            let statement = Writer::new(&mut dice, &known).statement();
            let looks = dice.percent(15);
            outcome.statements += 1;
            let told = ask(&mut session, &statement, looks, fault, &mut outcome);
            if let Some(what) = leak(&tables, &statement.sql, statement.promised, &told) {
                outcome.leaks.push((what, statement.sql));
            }
        }
    }
    outcome
}

/// All that a statement gives back. `looks`: it is also explained and rewritten.
fn ask(
    session: &mut Session,
    statement: &Statement,
    looks: bool,
    fault: Fault,
    outcome: &mut Outcome,
) -> Told {
    let sql = match (fault, statement.promised) {
        (Fault::NoPromise, Some(k)) => statement.sql.replace(&format!("k => {k}"), "k => 1"),
        _ => statement.sql.clone(),
    };
    let mut told = Told::default();
    match session.run(&sql) {
        Ok(answer) => {
            outcome.answers += 1;
            outcome.counted += usize::from(statement.promised.is_some());
            answered(&answer, sql.starts_with("EXPLAIN"), &mut told);
            if fault == Fault::HouseFigures {
                told.countless.push_str(&format!("{:?}", answer.accounts));
            }
        }
        Err(error) => {
            outcome.refusals += 1;
            told.countless.push_str(&format!("{error}\n{error:?}\n"));
            assert!(!error.to_string().contains("internal error"), "{sql}: {error}");
        }
    }
    if looks {
        looked(session, &sql, &mut told);
    }
    told.countless.push_str(&planted(session, &sql, fault));
    let countless = told.countless.clone();
    told.around.push_str(&countless);
    told
}

fn answered(answer: &Answer, explains: bool, told: &mut Told) {
    let cells: Vec<Vec<String>> =
        answer.cells().unwrap().iter().map(|row| row.iter().map(text).collect()).collect();
    if explains {
        told.countless.extend(cells.concat().iter().map(|line| format!("{line}\n")));
    } else {
        told.columns = answer.columns().into_iter().map(str::to_owned).collect();
        told.rows = cells;
    }
    for account in &answer.accounts {
        let document = serde_json::to_value(account).unwrap();
        told.around.push_str(&format!("{account}\n{document}\n"));
        told.countless.push_str(&format!("{}\n", without_released(document)));
    }
    told.countless.push_str(&answer.notes.join("\n"));
    told.countless.push_str(&format!("{}\n{}\n", answer.trace, serde_json::to_value(&answer.trace).unwrap()));
}

/// An account without what is computed from noise, levels and released rows.
fn without_released(mut document: Value) -> Value {
    const RELEASED: [&str; 13] = [
        // The size of a domain that the statement or the job declares.
        "values",
        "spent",
        "left",
        "epsilon",
        "delta",
        "noise",
        "half_width",
        "threshold",
        "groups",
        "estimates",
        "loss",
        "level",
        "of",
    ];
    match &mut document {
        Value::Object(fields) => {
            fields.retain(|name, _| !RELEASED.contains(&name.as_str()));
            fields.values_mut().for_each(|field| *field = without_released(field.take()));
        }
        Value::Array(items) => items.iter_mut().for_each(|item| *item = without_released(item.take())),
        _ => {}
    }
    document
}

fn looked(session: &mut Session, sql: &str, told: &mut Told) {
    match session.explain(sql) {
        Ok(explained) => told.countless.push_str(&format!("{explained}\n")),
        Err(error) => told.countless.push_str(&format!("{error}\n")),
    }
    match session.rewrite(Written::Sql(sql.to_owned()), Wish::Cheaper(Switches::default())) {
        Ok(done) => {
            assert!(done.cost.is_none(), "{sql}: costs are told");
            told.countless.push_str(&format!("{}\n{}\n{}\n", done.before, done.after, done.trace));
            told.countless.push_str(&done.xml.unwrap_or_else(|problem| problem.to_string()));
        }
        Err(error) => told.countless.push_str(&format!("{error}\n")),
    }
}

fn text(cell: &Cell) -> String {
    match cell {
        Cell::Missing => String::new(),
        Cell::Truth(truth) => truth.to_string(),
        Cell::Number(text) | Cell::Text(text) => text.clone(),
    }
}

/// What a mistake would let out.
fn planted(session: &mut Session, sql: &str, fault: Fault) -> String {
    let runtime = || tokio::runtime::Builder::new_multi_thread().enable_time().build().unwrap();
    match fault {
        Fault::EngineWords => runtime().block_on(async {
            let done = match session.context().sql(sql).await {
                Ok(frame) => frame.collect().await.map(drop),
                Err(error) => Err(error),
            };
            done.err().map_or_else(String::new, |error| error.to_string())
        }),
        Fault::MeasuredPlan => runtime().block_on(async {
            let Ok(frame) = session.context().sql(&format!("EXPLAIN ANALYZE {sql}")).await else {
                return String::new();
            };
            let Ok(batches) = frame.collect().await else { return String::new() };
            let text = pretty_format_batches(&batches).unwrap().to_string();
            text.split("output_rows=")
                .skip(1)
                .map(|rest| format!("{} ", rest.split(',').next().unwrap()))
                .collect()
        }),
        Fault::PricedRules => {
            let Ok(plan) = session.plan(sql) else { return String::new() };
            let (context, catalog) = (session.context().clone(), Arc::new(session.catalog().clone()));
            let runtime = runtime();
            let handle = runtime.handle().clone();
            let price = runtime.block_on(async move {
                tokio::task::spawn_blocking(move || {
                    Cost::of(&plan, &MeasuredFacts::new(context, catalog, handle))
                })
                .await
            });
            price.map_or_else(|_| String::new(), |price| format!("{} cells", price.cells))
        }
        Fault::None | Fault::ForgottenRole | Fault::HouseFigures | Fault::NoPromise => String::new(),
    }
}
