//! A slicing that the database makes.

use super::args::{Slicing, names};
use super::failed::failure;
use super::{job, text};
use crate::answer::Answer;
use crate::failure::Failure;
use crate::layout::counted;
use paravent_pipeline::engine::{Occupied, TableName};
use paravent_pipeline::slice::{Inside, input};
use serde_json::json;

/// Looks, lets the database slice, and tells what it gives away.
pub(super) fn run(args: &Slicing) -> Result<Answer, Failure> {
    let unreadable = || Failure::Usage { message: "--into: the name of the table cannot be read".to_owned() };
    let inside = Inside {
        row_key: args.row_key.as_deref().map(names).unwrap_or_default(),
        target: args.into.as_deref().and_then(TableName::parse).ok_or_else(unreadable)?,
        occupied: if args.force { Occupied::Replace } else { Occupied::Refuse },
    };
    let request = args.request()?;
    let job = job(args.job.as_deref())?;
    let own = job.as_ref().map(|(job, _)| job);
    let input = input(args.table()?, own).map_err(failure)?;
    let made = inside.slice(&input, own, &request).map_err(failure)?;
    let attacked = made.sliced.read_off(&made.table);
    let mut said = format!("{}: {}, sliced where they are\n", inside.target, counted(made.rows, "row"));
    said.push_str(&text::remarks(&made.sliced, &attacked));
    if made.sliced.seeded {
        said.push_str("· Drawn from a seed: whoever knows it can undo the slicing.\n");
    }
    said.push_str("· A bare table is no release: it has no manifest, report or register line.\n");
    let document = json!({
        "table": inside.target.to_string(),
        "rows": made.rows,
        "seeded": made.sliced.seeded,
        "operators": [text::account(&made.sliced, &attacked, None)],
    });
    Ok(Answer::done(said, document))
}
