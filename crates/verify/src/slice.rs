//! A sliced release: `"kind": "slice"` in its manifest.
//!
//! Slicing moves cells and changes none, so what concerns one group can be computed afresh from the released rows: which columns there are, and how many rows are alone with
//! their values inside a group. Which rows were mixed with which is hidden, so bucket sizes, their diversity and the permutation itself are taken on trust; whoever has the original
//! can compare it.

use std::collections::HashSet;

use hashbrown::HashMap;
use serde_json::{Value, json};

use crate::checks::documents::{OF_A_REPORT, OF_A_SPELLING, Shape};
use crate::data::{Column, Data};
use crate::decimal::Decimal;
use crate::folder::Folder;
use crate::json::Node;
use crate::manifest::{Output, require_format};
use crate::{Check, MANIFEST, Trusted, Verification, VerifyError, kinds};

/// Whether a manifest describes a sliced release.
pub(crate) fn is_sliced(document: &Value) -> bool {
    document.get("kind").and_then(Value::as_str) == Some("slice")
}

/// What the manifest says.
struct Sliced {
    output: Output,
    groups: Vec<Vec<String>>,
    known: Vec<String>,
    dropped: Vec<String>,
    smallest: u64,
    required: u64,
    merged: bool,
    unique: Decimal,
    /// Sensitive column, ℓ demanded, ℓ achieved.
    diversity: Vec<(String, u64, u64)>,
}

impl Sliced {
    fn parse(document: &Value) -> Result<Sliced, VerifyError> {
        let root = Node::root(MANIFEST, document);
        require_format(&root)?;
        let buckets = root.get("buckets")?;
        let diversity = root.get("diversity")?.columns()?.map(|node| {
            let name = node.get("attribute")?.str()?.to_owned();
            Ok((name, node.get("required")?.get("l")?.rows()?, node.get("achieved")?.get("l")?.rows()?))
        });
        Ok(Sliced {
            output: Output::parse(&root.get("output")?)?,
            groups: root.get("groups")?.columns()?.map(|group| group.strings()).collect::<Result<_, _>>()?,
            known: root.get("known")?.strings()?,
            dropped: root.get("dropped")?.strings()?,
            smallest: buckets.get("achieved")?.get("rows")?.rows()?,
            required: buckets.get("required")?.get("rows")?.rows()?,
            merged: buckets.get("merged")?.bool()?,
            unique: root.get("unique")?.get("limit")?.decimal()?,
            diversity: diversity.collect::<Result<_, VerifyError>>()?,
        })
    }
}

const SHAPE: Shape = Shape {
    keys: &[
        (
            "",
            &[
                "format",
                "kind",
                "paravent",
                "output",
                "groups",
                "copies",
                "known",
                "dropped",
                "buckets",
                "unique",
                "diversity",
                "seeded",
                "promised",
                "not_promised",
                "reports",
            ],
        ),
        kinds::OF_OUTPUT,
        OF_A_SPELLING,
        OF_A_REPORT,
        ("copies.*", &["name", "of"]),
        ("buckets", &["required", "achieved", "merged"]),
        ("buckets.required", &["rows"]),
        ("buckets.achieved", &["rows"]),
        ("unique", &["limit"]),
        ("diversity.*", &["attribute", "required", "achieved"]),
        ("diversity.*.required", &["l"]),
        ("diversity.*.achieved", &["l"]),
    ],
    whole: &[],
    whole_now: &["", "reports.*"],
    optional: &[],
};

/// Re-checks a sliced release from its files alone.
pub(crate) fn verify(dir: &Folder<'_>, bytes: &[u8], document: &Value) -> Result<Verification, VerifyError> {
    let sliced = Sliced::parse(document)?;
    let (data, mut verification) = kinds::read(dir, (bytes, document), &sliced.output, &SHAPE)?;
    verification.checks.extend([columns(&sliced, &data), buckets(&sliced, &data)]);
    for (number, group) in sliced.groups.iter().enumerate() {
        verification.checks.extend(unique(&sliced, &data, number + 1, group));
    }
    verification.checks.extend(sliced.diversity.iter().map(|demand| diversity(&data, demand)));
    verification.trusted.insert(0, trust(&sliced));
    Ok(verification)
}

/// Every column stands in exactly one group, and no identifying column is there.
fn columns(sliced: &Sliced, data: &Data) -> Check {
    let mut problems = Vec::new();
    let grouped: Vec<&str> = sliced.groups.iter().flatten().map(String::as_str).collect();
    let mut seen = HashSet::new();
    problems.extend(
        grouped.iter().filter(|name| !seen.insert(**name)).map(|name| format!("{name} is in two groups")),
    );
    let found: Vec<&str> = data.columns.iter().map(|column| column.name.as_str()).collect();
    let twice = found.len() - found.iter().collect::<HashSet<_>>().len();
    if twice > 0 {
        problems.push(format!("{twice} columns have the name of another"));
    }
    problems.extend(
        grouped.iter().filter(|name| !found.contains(name)).map(|name| format!("{name} is not in the file")),
    );
    let strangers = found.iter().filter(|name| !grouped.contains(name)).count();
    if strangers > 0 {
        problems.push(format!("{strangers} columns are in no group"));
    }
    problems.extend(
        sliced
            .dropped
            .iter()
            .filter(|name| found.contains(&name.as_str()))
            .map(|name| format!("{name} should be gone")),
    );
    problems.extend(
        sliced
            .known
            .iter()
            .filter(|name| !found.contains(&name.as_str()))
            .map(|name| format!("{name} is not in the file")),
    );
    Check::new(
        "columns",
        None,
        &problems,
        format!("{} columns in {} groups", found.len(), sliced.groups.len()),
    )
}

/// Buckets leave no trace in the rows; what is said of them must at least be possible.
fn buckets(sliced: &Sliced, data: &Data) -> Check {
    let (mut problems, found) = (Vec::new(), data.rows as u64);
    if sliced.required < 2 {
        problems.push("buckets of one row would be released as they are".to_owned());
    }
    if sliced.smallest < sliced.required {
        problems.push(format!("a bucket of {} rows, but {} are required", sliced.smallest, sliced.required));
    }
    if sliced.smallest > found {
        problems.push(format!("a bucket of {} rows in a table of {found}", sliced.smallest));
    }
    let fine = format!("the smallest bucket is said to have {} rows", sliced.smallest);
    Check::new("buckets", None, &problems, fine).comparing(sliced.required, sliced.smallest)
}

/// Rows that are alone with their values inside a group, counted from the released rows: slicing does not change that number.
fn unique(sliced: &Sliced, data: &Data, number: usize, group: &[String]) -> Option<Check> {
    let mut names: Vec<&str> = group.iter().map(String::as_str).collect();
    // A bucket has one value of a known column, which therefore stands beside every group as it did; merged buckets mix them.
    let known = sliced.known.iter().filter(|_| !sliced.merged).map(String::as_str);
    names.extend(known.filter(|known| !group.iter().any(|own| own == known)));
    let own: Vec<&Column> = names.iter().filter_map(|name| data.column(name)).collect();
    if own.len() < 2 {
        return None;
    }
    let alone = alone(&own);
    let allowed = sliced.unique.floor_of_product(data.rows as u64);
    let problems = match allowed {
        Some(allowed) if alone <= allowed => vec![],
        Some(allowed) => vec![format!("{alone} rows are alone with their values, {allowed} may be")],
        None => vec!["the limit is no share of the rows".to_owned()],
    };
    let fine = format!("{alone} rows are alone with their values inside the group");
    let check = Check::new("unique", Some(&format!("group {number}")), &problems, fine);
    Some(check.comparing(json!(allowed), alone))
}

/// Rows whose combination occurs once.
fn alone(columns: &[&Column]) -> u64 {
    let repeats = &columns[0].repeats;
    let mut counts: HashMap<Vec<u32>, u64> = HashMap::new();
    for (place, &rows) in repeats.iter().enumerate() {
        let key = columns.iter().map(|column| column.codes.at(place)).collect();
        *counts.entry(key).or_default() += u64::from(rows);
    }
    counts.values().filter(|&&count| count == 1).count() as u64
}

/// A bucket cannot have more values than the table.
fn diversity(data: &Data, (name, l, achieved): &(String, u64, u64)) -> Check {
    let mut problems = Vec::new();
    let values = match data.column(name) {
        Some(column) => {
            let mut used = HashSet::new();
            column.codes.each(|_, code| {
                used.insert(code);
            });
            used.into_iter().filter(|&code| column.text(code).is_some()).count() as u64
        }
        None => {
            problems.push("the column is not in the file".to_owned());
            0
        }
    };
    if achieved < l {
        problems.push(format!("{l} values are promised, {achieved} are said to be there"));
    }
    if values < *l || values < *achieved {
        problems.push(format!("the whole table has {values} values"));
    }
    let fine = format!("{values} values in the table, {l} promised per bucket");
    Check::new("diversity", Some(name), &problems, fine).comparing(*l, values)
}

fn trust(sliced: &Sliced) -> Trusted {
    let mut taken = vec!["that groups were permuted inside buckets", "the size of the buckets"];
    if !sliced.diversity.is_empty() {
        taken.push("the values per bucket");
    }
    if !sliced.dropped.is_empty() {
        taken.push("which columns identify people");
    }
    taken.push("that the rows come from the original");
    Trusted { what: "slicing", detail: taken.join(", "), said: json!(taken) }
}
