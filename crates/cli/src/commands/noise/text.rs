//! What was done: for people.

use super::warnings;
use crate::layout::counted;
use paravent_pipeline::noise::{Charge, Mechanism, NoisyTable, Prepared};
use serde_json::Value;
use std::path::Path;

/// Estimates of more values are in the JSON document.
const MOST_SHOWN: usize = 20;

/// The draw, what it cost, and what can be estimated.
pub(super) fn remarks(noisy: &NoisyTable) -> String {
    let column = |account: &paravent_pipeline::noise::ColumnAccount| {
        let epsilon = match account.epsilon.is_finite() {
            true => format!("{:.4}", account.epsilon),
            false => "∞".to_owned(),
        };
        let delta = if account.delta > 0.0 { format!(", δ = {:e}", account.delta) } else { String::new() };
        let how = match &account.probability {
            Some(p) => format!("with probability {p}"),
            None => format!("by {}", account.law),
        };
        format!("{} {how} (ε = {epsilon}{delta})", account.column)
    };
    let columns: Vec<String> = noisy.accounts.iter().map(column).collect();
    let cost = cost(&noisy.charge, Cost::Paid);
    let seeded =
        if noisy.seed.is_some() { "; drawn from a seed: whoever knows it can undo the draw" } else { "" };
    let mut text = format!("· randomize: {}; {cost}{seeded}\n", columns.join(", "));
    for account in &noisy.accounts {
        if let Some(mean) = account.mean {
            text.push_str(&format!(
                "  {}, mean shown → mean estimated without the noise (± standard error): {:.3} → {:.3} ± {:.3}\n",
                account.column, mean.observed, mean.estimate, mean.standard_error
            ));
            continue;
        }
        let Some(estimates) = &account.estimates else { continue };
        text.push_str(&format!(
            "  {}, rows shown → rows estimated without the noise (± standard error):\n",
            account.column
        ));
        for estimate in estimates.iter().take(MOST_SHOWN) {
            text.push_str(&format!(
                "    {}  {} → {:.1} ± {:.1}\n",
                estimate.value.as_deref().unwrap_or("NULL"),
                estimate.observed,
                estimate.estimate,
                estimate.standard_error
            ));
        }
        if estimates.len() > MOST_SHOWN {
            text.push_str(&format!("    and {} more with --json\n", estimates.len() - MOST_SHOWN));
        }
    }
    for note in notes(noisy) {
        text.push_str(&format!("· {note}\n"));
    }
    text
}

/// Whether a cost was paid.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Cost {
    Paid,
    WouldBe,
}

/// What was paid, or would be, and what is left then.
pub(super) fn cost(charge: &Charge, cost: Cost) -> String {
    let delta = if charge.delta == "0" { String::new() } else { format!(", δ = {}", charge.delta) };
    let rows = match charge.rows_per_person {
        Some(rows) if rows > 1 => format!(" for the up to {rows} rows of a person"),
        _ => String::new(),
    };
    match (charge.bounded, cost) {
        (true, Cost::Paid) => format!(
            "costs ε = {}{delta} in all{rows}; spent {}, left {}",
            charge.epsilon, charge.spent, charge.left
        ),
        (true, Cost::WouldBe) => format!(
            "would cost ε = {}{delta} in all{rows}; then spent {}, left {}",
            charge.epsilon, charge.spent, charge.left
        ),
        (false, _) => "no ε bounds what it gives away; the owner let it pass".to_owned(),
    }
}

/// What to know about it.
pub(super) fn notes(noisy: &NoisyTable) -> Vec<String> {
    let seed = noisy.seed;
    notes_on(&noisy.mechanisms, [&noisy.dropped, &noisy.unmentioned], &noisy.suspected, seed)
}

/// The same before it is drawn.
pub(super) fn notes_before(prepared: &Prepared) -> Vec<String> {
    let left_out = [&prepared.dropped, &prepared.unmentioned];
    notes_on(&prepared.mechanisms, left_out, &prepared.suspected, prepared.seed())
}

fn notes_on(
    mechanisms: &[Mechanism],
    [dropped, unmentioned]: [&Vec<String>; 2],
    suspected: &[(String, String)],
    seed: Option<u64>,
) -> Vec<String> {
    let mut notes = Vec::new();
    for mechanism in mechanisms.iter().filter(|mechanism| mechanism.read_off) {
        notes.push(match mechanism.law {
            "learnt" => format!(
                "The noise of {} is distributed like the column, so it tells how often each value occurs.",
                mechanism.column
            ),
            _ => format!(
                "The noise of {} is drawn from the values that occur in it, so it tells which do; name them with uniform('…', '…').",
                mechanism.column
            ),
        });
    }
    if !dropped.is_empty() {
        notes.push(format!("Left out: {} (identifying).", dropped.join(", ")));
    }
    if !unmentioned.is_empty() {
        notes.push(format!("Left out: {} (not mentioned in the job).", unmentioned.join(", ")));
    }
    for (column, because) in suspected {
        notes.push(format!(
            "Left out: {column} ({because}). A job file may let it pass: release = \"as it is\"."
        ));
    }
    if let Some(seed) = seed {
        notes.push(format!(
            "Drawn from seed {seed}: whoever knows it can undo the draw. Good for tests; a release is made without a seed."
        ));
    }
    notes
}

/// A release.
pub(super) fn released(target: &Path, document: &Value, remarks: &str) -> String {
    let rows = document["rows"].as_u64().unwrap_or_default();
    let mut text =
        format!("{}: a noisy release of {}, verified\n{remarks}", target.display(), counted(rows, "row"));
    for warning in warnings(document) {
        text.push_str(&format!("· {warning}\n"));
    }
    text
}
