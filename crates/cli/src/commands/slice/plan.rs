//! `paravent slice --plan`

use super::args::{Slicing, lists};
use super::failed::failure;
use super::{job, read};
use crate::answer::Answer;
use crate::failure::Failure;
use paravent_pipeline::slice::plan;
use serde_json::json;

/// Proposes groups.
pub(super) fn run(args: &Slicing) -> Result<Answer, Failure> {
    let mut pairs = Vec::new();
    for list in lists(args.pairs.as_deref().unwrap_or_default()) {
        // Three columns that are needed together are three pairs.
        for (place, first) in list.iter().enumerate() {
            pairs.extend(list[place + 1..].iter().map(|second| (first.clone(), second.clone())));
        }
    }
    let job = job(args.job.as_deref())?;
    let job = job.as_ref().map(|(job, _)| job);
    let table = read(args.table()?, job)?;
    let planned = plan(&table, job, &pairs, &args.identifying(), args.most_unique()?).map_err(failure)?;
    let groups = planned.groups.iter().map(|group| group.join(",")).collect::<Vec<_>>().join(";");
    let mut text = format!("--groups \"{groups}\"\n");
    for (group, rows) in planned.groups.iter().zip(&planned.unique).filter(|(_, rows)| **rows > 0) {
        text.push_str(&format!(
            "· {}: {rows} of {} rows are alone with their values\n",
            group.join(", "),
            planned.rows
        ));
    }
    for (first, second, why) in &planned.lost {
        text.push_str(&format!("· {first} and {second} cannot be kept together: {why}\n"));
    }
    if !planned.dropped.is_empty() {
        text.push_str(&format!("· left out, identifying by the job: {}\n", planned.dropped.join(", ")));
    }
    if planned.groups.len() < 2 {
        text.push_str("· With one group nothing is mixed: name what identifies people with --identifying.\n");
    }
    Ok(Answer::of_text(text, json!(planned)))
}
