//! What a sliced release says of itself. It is handed out: no digest of the original, no bucket, no figure of the table before.

use super::{Request, SlicedTable};
use crate::release::described;
use paravent_slicing::Share;
use paravent_tables::write::{OutputFormat, Written};
use serde_json::{Value, json};

/// The promises of a slicing, in words.
pub(super) fn promises(sliced: &SlicedTable, request: &Request) -> Vec<String> {
    let mut promises = vec![
        "the columns of one group stand together as they did in the table: every figure over one group is exact".to_owned(),
        format!(
            "inside every bucket each group was put into a random order of its own; no bucket has fewer than {} rows",
            sliced.smallest
        ),
        format!(
            "of the rows, no more than {} are alone with their values inside a group",
            unique_limit(request)
        ),
    ];
    if request.limits.diversity > 1 {
        promises.push(format!(
            "every bucket has at least {} different values of {}",
            request.limits.diversity,
            sliced.sensitive.join(", ")
        ));
    }
    promises
}

/// What it does not promise, in words.
pub(super) fn not_promised(sliced: &SlicedTable) -> Vec<String> {
    let mut not = vec![
        "values are not coarsened: somebody who is alone with the values of one group can be found in that group".to_owned(),
        "what groups say about each other is blurred inside buckets only; a row beside a known one is right for one row of its bucket, at least".to_owned(),
        "nothing is said about other releases of the same people".to_owned(),
    ];
    if !sliced.known.is_empty() {
        not.push(format!("{} is known to every group: buckets were made by it", sliced.known.join(", ")));
    }
    if sliced.seeded {
        not.push("the order was drawn from a seed: whoever knows it can undo the slicing".to_owned());
    }
    not
}

pub(super) fn unique_limit(request: &Request) -> Share {
    if request.allow_identifying { Share::ALL } else { request.limits.unique }
}

/// The released columns of every group, by their released names.
pub(super) fn groups(sliced: &SlicedTable) -> Vec<Vec<String>> {
    let released = sliced.groups.released();
    let name = |&place: &usize| released[place].name.clone();
    sliced.groups.released_groups().iter().map(|group| group.iter().map(name).collect()).collect()
}

/// What a manifest says of the data file.
pub(crate) fn output(format: &OutputFormat, written: &Written) -> Value {
    described(format, written, "canonical")
}

/// `manifest.json`.
pub(super) fn manifest(
    sliced: &SlicedTable,
    request: &Request,
    format: &OutputFormat,
    written: &Written,
) -> Value {
    let output = output(format, written);
    let names = sliced.groups.columns();
    let diversity: Vec<Value> = sliced
        .findings
        .diversity
        .iter()
        .filter(|_| request.limits.diversity > 1)
        .map(|found| {
            json!({
                "attribute": names[found.column],
                "required": { "l": request.limits.diversity },
                "achieved": { "l": found.least },
            })
        })
        .collect();
    json!({
        "format": 1,
        "kind": "slice",
        "paravent": env!("CARGO_PKG_VERSION"),
        "output": output,
        "groups": groups(sliced),
        "copies": sliced.groups.released().iter().skip(names.len()).map(|copy| json!({
            "name": copy.name, "of": names[copy.source],
        })).collect::<Vec<_>>(),
        "known": sliced.known,
        "dropped": sliced.dropped,
        "buckets": {
            "required": { "rows": request.minimum },
            "achieved": { "rows": sliced.smallest },
            "merged": request.merge,
        },
        "unique": { "limit": unique_limit(request).decimal() },
        "diversity": diversity,
        "seeded": sliced.seeded,
        "promised": promises(sliced, request),
        "not_promised": not_promised(sliced),
    })
}
