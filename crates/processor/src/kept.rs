//! An answer that is kept, as a statement gets it: whole, or as a part for somebody else to finish.

use crate::adapt::{Adapted, Way};
use crate::annotation;
use crate::asked::{Answered, Asked};
use crate::question::{Kind, Shown};
use crate::refusal::AskError;
use crate::remainder::{Part, Remainder, part};
use paravent_algebra::error::AlgebraError;
use serde_json::{Value, json};
use sha2::{Digest, Sha256};

/// How much of an answer is worked out.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Form {
    /// All of it.
    Whole,
    /// Its figures; means are left as sums and numbers of values.
    Part,
}

/// A kept answer with the columns of this statement.
pub(crate) fn told(
    adapted: &Adapted<'_>,
    kept: &Value,
    form: Form,
    asked: &Asked<'_>,
    cached: bool,
) -> Result<Answered, AskError> {
    // What was kept was made here, so nothing of it can be missing.
    let part = part(adapted, kept).map_err(|_| AlgebraError::Internal)?;
    let remainder = Remainder::of(adapted);
    let mut annotation = kept["annotation"].clone();
    annotation["recipient"]["role"] = json!(asked.role);
    annotation["query"] = json!({ "sha256": annotation::digest(asked.sql) });
    annotation["cached"] = json!(cached);
    let (columns, rows) = match form {
        Form::Whole => {
            let rows = remainder.finish(std::slice::from_ref(&part)).map_err(|_| AlgebraError::Internal)?;
            (remainder.columns(), rows)
        }
        Form::Part => {
            annotation["analysis"] = json!({ "done": "partial" });
            annotation["executed_plan"] = executed(adapted);
            annotation["remaining_plan"] = json!(remainder);
            annotation["part"] = json!({ "sha256": digest(&part) });
            let columns = part.columns.iter().zip(0..);
            (columns.map(|(name, place)| (name.clone(), kind(adapted, name, place))).collect(), part.rows)
        }
    };
    annotation["result"] = json!({ "rows": rows.len() });
    let (columns, kinds) = columns.into_iter().unzip();
    Ok(Answered { columns, kinds, rows, annotation })
}

/// `sha256:…` of a part as it is written.
pub fn digest(part: &Part) -> String {
    format!("sha256:{}", hex::encode(Sha256::digest(json!(part).to_string())))
}

/// Groups come first, whatever they are called.
fn kind(adapted: &Adapted<'_>, name: &str, place: usize) -> Kind {
    match name {
        _ if place < adapted.groups.len() => Kind::Label,
        "count" => Kind::Count,
        name if name.starts_with("values_") => Kind::Count,
        _ => Kind::Number,
    }
}

/// What was done where the rows are, without constants.
fn executed(adapted: &Adapted<'_>) -> Value {
    let tables: Vec<Value> =
        adapted.parts.iter().map(|part| json!({ "operator": "table", "name": part.table.name })).collect();
    let conditions: Vec<&String> = adapted.conditions.keys().collect();
    let chosen = match tables.as_slice() {
        [one] => json!({ "operator": "select", "on": conditions, "input": one }),
        _ => {
            let joined = json!({ "operator": "join", "on": "the person", "inputs": tables });
            json!({ "operator": "select", "on": conditions, "input": joined })
        }
    };
    let figures: Vec<String> = adapted.question.figures.iter().map(|figure| figure.name()).collect();
    let by: Vec<&String> = adapted.groups.keys().collect();
    let operator = match adapted.way {
        Way::Noisy(_) => "private",
        Way::Exact(_) => "group",
        Way::Rows(_) => "generalize",
    };
    json!({ "operator": operator, "by": by, "figures": figures, "input": chosen })
}

/// Whether rows were asked for, which are answered whole.
pub(crate) fn is_rows(adapted: &Adapted<'_>) -> bool {
    adapted.question.shown.iter().all(|(_, shown)| matches!(shown, Shown::Group(_)))
}
