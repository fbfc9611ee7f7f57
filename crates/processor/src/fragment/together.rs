//! One answer of several parts, and what it says about itself.

use super::{FragmentError, Opened};
use crate::asked::Answered;
use crate::exact::REMAINDER;
use crate::remainder::{NoSum, Part, label};
use serde_json::{Value, json};
use std::collections::{BTreeMap, BTreeSet};

/// Finishes an answer from its parts, with nothing but them.
///
/// # Errors
/// If they do not belong together, or are not what their plans speak of.
pub fn finish(parts: &[Opened]) -> Result<Answered, FragmentError> {
    let [first, others @ ..] = parts else { return Err(NoSum::Nothing.into()) };
    others.iter().try_for_each(|other| belongs_to(first, other))?;
    // Two houses may have the same figures by chance, but not of the same table under the same key.
    let same = |one: &Opened| format!("{} {}", one.annotation["part"], one.annotation["data"]);
    let digests: BTreeSet<String> = parts.iter().map(same).collect();
    if digests.len() < parts.len() {
        return Err(FragmentError::Apart("one of them is there twice"));
    }
    let figures: Vec<Part> = parts.iter().map(|one| one.part.clone()).collect();
    let rows = first.remainder.finish(&figures)?;
    let annotation = match others {
        [] => finished(&first.annotation, rows.len()),
        _ => joined(parts, rows.len(), &missing(parts)?),
    };
    let (columns, kinds) = first.remainder.columns().into_iter().unzip();
    Ok(Answered { columns, kinds, rows, annotation })
}

/// Figures are added only if they answer the same words in the same way.
///
/// Constants of conditions are in no annotation, so the words are all that tells two of them apart.
fn belongs_to(first: &Opened, other: &Opened) -> Result<(), FragmentError> {
    if other.remainder != first.remainder {
        return Err(FragmentError::Apart("something else is left to do of each"));
    }
    let (one, other) = (&first.annotation, &other.annotation);
    for (same, what) in [
        (models(one) == models(other), "they promise different things"),
        (one["query"]["sha256"] == other["query"]["sha256"], "they were asked in other words"),
        (one["executed_plan"] == other["executed_plan"], "something else was done for each"),
        (levels(one) == levels(other), "their labels are of different levels"),
        (
            one["recipient"]["group"] == other["recipient"]["group"],
            "they were given to different groups of recipients",
        ),
        (
            one["recipient"]["purpose"] == other["recipient"]["purpose"],
            "they were given for different purposes",
        ),
    ] {
        if !same {
            return Err(FragmentError::Apart(what));
        }
    }
    Ok(())
}

/// The columns whose labels are coarser, and how much.
fn levels(annotation: &Value) -> BTreeSet<String> {
    let all = annotation["adaptations"].as_array().into_iter().flatten();
    let own = all.filter(|one| one["kind"] == json!("level"));
    own.map(|one| format!("{} {}", one["column"], one["to"])).collect()
}

fn models(annotation: &Value) -> Vec<&Value> {
    annotation["criteria"].as_array().into_iter().flatten().map(|one| &one["model"]).collect()
}

/// Groups of the sum that are not whole.
struct Missing {
    /// Rows of the answer.
    rows: usize,
    /// Rows that are not in every part.
    incomplete: usize,
    /// There is a remainder.
    is_folded: bool,
}

fn missing(parts: &[Opened]) -> Result<Missing, NoSum> {
    let mut seen: BTreeMap<Vec<Option<String>>, usize> = BTreeMap::new();
    for one in parts {
        for row in one.remainder.arranged(&one.part)? {
            let key = row[..one.remainder.groups()].iter().map(label).collect::<Result<_, NoSum>>()?;
            *seen.entry(key).or_insert(0) += 1;
        }
    }
    let is_remainder = |key: &Vec<Option<String>>| {
        !key.is_empty() && key.iter().all(|label| label.as_deref() == Some(REMAINDER))
    };
    let incomplete = seen.iter().filter(|(key, found)| **found < parts.len() && !is_remainder(key));
    Ok(Missing { rows: seen.len(), incomplete: incomplete.count(), is_folded: seen.keys().any(is_remainder) })
}

/// What is told of a single part is told of the answer.
fn finished(part: &Value, rows: usize) -> Value {
    let mut annotation = part.clone();
    annotation["parts"] = json!([part["part"]]);
    annotation["analysis"] = json!({ "done": "complete" });
    annotation["result"] = json!({ "rows": rows });
    if let Some(annotation) = annotation.as_object_mut() {
        for key in ["executed_plan", "remaining_plan", "part", "node"] {
            annotation.remove(key);
        }
    }
    annotation
}

/// What the sum of several parts says about itself: what all of them say, and what none of them can know.
fn joined(parts: &[Opened], rows: usize, missing: &Missing) -> Value {
    let each = || parts.iter().map(|part| &part.annotation);
    let items = |of: &dyn Fn(&Value) -> Value| -> Vec<Value> {
        each().flat_map(|part| of(part).as_array().cloned().unwrap_or_default()).collect()
    };
    let different = |of: &dyn Fn(&Value) -> Value| -> Value {
        let mut found: Vec<Value> = Vec::new();
        for item in items(of) {
            if !found.contains(&item) {
                found.push(item);
            }
        }
        Value::Array(found)
    };
    let words = |of: &dyn Fn(&Value) -> Value| -> Value {
        let all: BTreeSet<String> = each().filter_map(|part| of(part).as_str().map(str::to_owned)).collect();
        json!(all.into_iter().collect::<Vec<_>>().join(", "))
    };
    let mut annotation = finished(&parts[0].annotation, rows);
    for key in ["adaptations", "criteria", "warnings"] {
        annotation[key] = different(&|part| part[key].clone());
    }
    annotation["data"]["tables"] = different(&|part| part["data"]["tables"].clone());
    annotation["recipient"]["role"] = words(&|part| part["recipient"]["role"].clone());
    for key in ["name", "version"] {
        annotation["policy"][key] = words(&|part| part["policy"][key].clone());
    }
    annotation["policy"]["rules_used"] = different(&|part| part["policy"]["rules_used"].clone());
    // Each house has paid, also where all have paid the same.
    let mut operators = items(&|part| part["operators"].clone());
    let mut is_noisy = false;
    for figure in operators.iter_mut().filter_map(|one| one["figures"].as_array_mut()).flatten() {
        // How far one part is from the truth says too little of how far the sum is.
        is_noisy |= figure.as_object_mut().is_some_and(|figure| figure.remove("half_width").is_some());
    }
    annotation["operators"] = Value::Array(operators);
    let compared: Vec<u64> =
        each().filter_map(|part| part["differences"]["compared_with"].as_u64()).collect();
    if !compared.is_empty() {
        let all = compared.iter().fold(0_u64, |all, one| all.saturating_add(*one));
        annotation["differences"]["compared_with"] = json!(all);
    }
    annotation["cached"] = json!(each().all(|part| part["cached"] == json!(true)));
    annotation["parts"] = each().map(own).collect();
    if let Some(warnings) = annotation["warnings"].as_array_mut() {
        warnings.extend(told(missing, is_noisy).into_iter().map(Value::String));
    }
    annotation
}

/// One part among several: what its house says.
fn own(part: &Value) -> Value {
    let mut own = part["part"].clone();
    own["role"] = part["recipient"]["role"].clone();
    own["policy"] = json!({ "name": part["policy"]["name"], "version": part["policy"]["version"] });
    for key in ["differences", "node"] {
        if !part[key].is_null() {
            own[key] = part[key].clone();
        }
    }
    own
}

fn told(missing: &Missing, is_noisy: bool) -> Vec<String> {
    let mut warnings = vec![
        "Figures of several parts were added; that the parts are about different people was not checked."
            .to_owned(),
    ];
    let Missing { rows, incomplete, is_folded } = *missing;
    if incomplete > 0 {
        warnings.push(format!(
            "{incomplete} of {rows} groups are not in every part: whom the other parts withheld or folded, or do not have, is missing from their sums."
        ));
    }
    if is_folded {
        warnings.push(format!(
            "{REMAINDER} is the sum of what each part has folded, which may be other groups in each; a group that is shown may be missing people that another part has folded."
        ));
    }
    if is_noisy {
        warnings.push("The sums have the noise of every part, so they are less precise than each part; the half widths of the parts do not hold for them, and are left out.".to_owned());
    }
    warnings
}
