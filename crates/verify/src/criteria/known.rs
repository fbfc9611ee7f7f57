//! Promises against somebody who knows any few of the quasi-identifiers: the rows that agree in some of them stand for a class.
//!
//! Every choice of that many columns is counted by itself. Whoever knows fewer sees unions of what is counted here.

use super::{Finding, Measure, conclude, diversity, k_anonymity};
use crate::checks::Release;
use crate::classes::Classes;
use crate::data::Column;
use crate::json::Node;
use crate::{Check, VerifyError};
use serde_json::Value;

/// Choices of columns that are counted, at most.
const MOST_CHOICES: usize = 10_000;

pub(super) fn judge(
    release: &Release<'_>,
    promise: &Node<'_>,
    model: &str,
    known: usize,
) -> Result<Check, VerifyError> {
    let required = promise.get("required")?;
    let columns: Vec<&Column> = release
        .manifest
        .quasi_identifiers()
        .filter_map(|attribute| release.data.column(&attribute.name))
        .collect();
    let refused = |why: &str| {
        Ok(Check::new(model, None, &[why.to_owned()], "").comparing(required.value.clone(), Value::Null))
    };
    if release.manifest.people.is_some() {
        return refused("people are not counted where only some columns are known");
    }
    let Some(choices) = choices(columns.len(), known.min(columns.len())) else {
        return refused("more choices of columns than this verifier counts");
    };
    let repeats = release.data.columns.first().map_or(&[][..], |column| &column.repeats);
    let mut worst: Option<(Option<String>, Finding)> = None;
    for choice in &choices {
        let columns: Vec<&Column> = choice.iter().map(|&column| columns[column]).collect();
        let classes = Classes::by(&columns, repeats);
        let seen = Release { classes: &classes, counted: None, ..*release };
        let (subject, finding) = match model {
            "k-anonymity" => (None, k_anonymity::judge(&seen, &required)?),
            "distinct-l-diversity" => {
                let (attribute, finding) = diversity::judge(&seen, model, &required)?;
                (Some(attribute), finding)
            }
            _ => return refused("not counted where only some columns are known"),
        };
        worst = Some(match worst {
            None => (subject, finding),
            Some((subject, worst)) => (subject, worse(worst, finding)),
        });
    }
    let Some((subject, worst)) = worst else { return refused("there are no columns to know") };
    let by = format!("by any {known} quasi-identifiers: ");
    let problems = worst.problems.iter().map(|problem| format!("{by}{problem}")).collect();
    let worst = Finding { problems, fine: format!("{by}{}", worst.fine), achieved: worst.achieved };
    conclude(release, promise, subject.as_deref(), worst)
}

/// What fails stays; else the one with the smaller figure.
fn worse(one: Finding, other: Finding) -> Finding {
    let figure = |finding: &Finding| match finding.achieved.first() {
        Some((_, Measure::Count(count))) => *count,
        _ => u64::MAX,
    };
    let (smaller, larger) = if figure(&other) < figure(&one) { (other, one) } else { (one, other) };
    match smaller.problems.is_empty() {
        true => Finding { problems: larger.problems, ..smaller },
        false => smaller,
    }
}

/// All sets of `size` of the columns; `None` where they are too many.
fn choices(columns: usize, size: usize) -> Option<Vec<Vec<usize>>> {
    let mut all = Vec::new();
    let mut choice: Vec<usize> = (0..size).collect();
    loop {
        if all.len() == MOST_CHOICES {
            return None;
        }
        all.push(choice.clone());
        // The last place that can still move on.
        let Some(place) = (0..size).rev().find(|&place| choice[place] + size - place < columns) else {
            return Some(all);
        };
        choice[place] += 1;
        for later in place + 1..size {
            choice[later] = choice[later - 1] + 1;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::choices;

    #[test]
    fn every_choice_is_counted_once() {
        assert_eq!(choices(3, 2).unwrap(), [vec![0, 1], vec![0, 2], vec![1, 2]]);
        assert_eq!(choices(2, 2).unwrap(), [vec![0, 1]]);
        assert_eq!(choices(0, 0).unwrap(), [Vec::<usize>::new()]);
        assert_eq!(choices(9, 4).unwrap().len(), 126);
        assert_eq!(choices(60, 20), None);
    }
}
