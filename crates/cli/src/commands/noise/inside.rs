//! Noise that the database draws.

use super::Args;
use super::failed::failure;
use super::statement::names;
use crate::answer::Answer;
use crate::commands::run_error;
use crate::failure::Failure;
use crate::layout::counted;
use paravent_pipeline::engine::{Occupied, TableName};
use paravent_pipeline::job::Job;
use paravent_pipeline::noise::Inside;
use paravent_pipeline::slice::input;
use serde_json::json;

/// Pays, lets the database draw, and tells what it cost.
pub(super) fn run(args: &Args, target: &str, job: Option<&Job>) -> Result<Answer, Failure> {
    let unreadable = || Failure::Usage { message: "--into: the name of the table cannot be read".to_owned() };
    let inside = Inside {
        row_key: names(args.row_key.as_deref()),
        keep: names(args.keep.as_deref()),
        target: TableName::parse(target).ok_or_else(unreadable)?,
        occupied: if args.force { Occupied::Replace } else { Occupied::Refuse },
    };
    let input = input(&args.table, job).map_err(|error| failure(error.into()))?;
    // A table in a database has no folder that its ledger could lie in.
    let mut book = args.spending.book(job);
    book.add_table(None);
    if let Some((epsilon, delta)) = args.spending.lowered() {
        book.lower(epsilon, delta).map_err(|error| run_error::of_book(&error))?;
    }
    let drawn = inside.draw(&input, job, &args.request(), &mut book).map_err(failure)?;
    let charge = &drawn.charge;
    let cost = match charge.bounded {
        true => format!("costs ε = {} in all; spent {}, left {}", charge.epsilon, charge.spent, charge.left),
        false => "no ε bounds what it gives away; the owner let it pass".to_owned(),
    };
    let seeded = if drawn.is_seeded { "; drawn from a seed: whoever knows it can undo the draw" } else { "" };
    let text = format!(
        "{}: {}, drawn where they are; {cost}{seeded}\n\
         · A bare table is no release: it has no manifest, report or register line.\n",
        inside.target,
        counted(drawn.rows, "row"),
    );
    let document = json!({
        "table": inside.target.to_string(),
        "rows": drawn.rows,
        "columns": drawn.columns,
        "epsilon": charge.epsilon,
        "delta": charge.delta,
        "seeded": drawn.is_seeded,
    });
    Ok(Answer::done(text, document))
}
