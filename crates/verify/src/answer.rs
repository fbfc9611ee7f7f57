//! A released answer of a query: `"kind": "sql"` in its manifest.
//!
//! Where the released rows are those of a generalization, its promise is about them: classes are counted afresh from the labels that are there. What a query computed, which rows it
//! picked, and how noise or permutations were drawn cannot be seen in the rows, and is taken on trust.

use std::collections::HashSet;

use serde_json::{Value, json};

use crate::checks::documents::{OF_A_MODEL, OF_A_REPORT, OF_A_SPELLING, Shape};
use crate::classes::Classes;
use crate::data::{Column, Data};
use crate::folder::Folder;
use crate::json::Node;
use crate::manifest::{Output, require_format};
use crate::{Check, MANIFEST, NotChecked, Trusted, Verification, VerifyError, kinds};

/// Whether a manifest describes the answer of a query.
pub(crate) fn is_answer(document: &Value) -> bool {
    document.get("kind").and_then(Value::as_str) == Some("sql")
}

/// What one generalization promises about the released rows.
struct Promise {
    quasi_identifiers: Vec<String>,
    /// Name of the model, attribute, and what is required.
    models: Vec<Model>,
}

struct Model {
    name: String,
    attribute: Option<String>,
    /// `k` or `l` where it is a whole number.
    least: Option<u64>,
    required: Value,
}

struct Answer {
    output: Output,
    /// Name of every column, and what became of its cells.
    columns: Vec<(String, String)>,
    dropped: Vec<String>,
    promises: Vec<Promise>,
    operators: Vec<String>,
}

impl Answer {
    fn parse(document: &Value) -> Result<Answer, VerifyError> {
        let root = Node::root(MANIFEST, document);
        require_format(&root)?;
        let columns = root.get("columns")?.columns()?.map(|column| {
            Ok((column.get("name")?.str()?.to_owned(), column.get("shown")?.str()?.to_owned()))
        });
        let promises = root.get("privacy")?.columns()?.map(|promise| {
            let models = promise.get("models")?.columns()?.map(|model| {
                let required = model.get("required")?;
                let attribute = required.optional("attribute").map(|node| node.str().map(str::to_owned));
                let least = required.optional("k").or_else(|| required.optional("l"));
                Ok(Model {
                    name: model.get("model")?.str()?.to_owned(),
                    attribute: attribute.transpose()?,
                    least: least.and_then(|node| node.value.as_u64()),
                    required: required.value.clone(),
                })
            });
            Ok(Promise {
                quasi_identifiers: promise.get("quasi_identifiers")?.strings()?,
                models: models.collect::<Result<_, VerifyError>>()?,
            })
        });
        Ok(Answer {
            output: Output::parse(&root.get("output")?)?,
            columns: columns.collect::<Result<_, VerifyError>>()?,
            dropped: root.get("dropped")?.strings()?,
            promises: promises.collect::<Result<_, VerifyError>>()?,
            operators: root.get("operators")?.strings()?,
        })
    }
}

const SHAPE: Shape = Shape {
    keys: &[
        (
            "",
            &[
                "format",
                "output",
                "paravent",
                "kind",
                "columns",
                "dropped",
                "operators",
                "privacy",
                "seeded",
                "promised",
                "not_promised",
                "reports",
            ],
        ),
        kinds::OF_OUTPUT,
        OF_A_SPELLING,
        OF_A_REPORT,
        ("columns.*", &["name", "shown"]),
        ("privacy.*", &["quasi_identifiers", "models"]),
        ("privacy.*.models.*", &["model", "required"]),
        ("privacy.*.models.*.required", OF_A_MODEL),
    ],
    whole: &[],
    whole_now: &["", "reports.*"],
    optional: &[],
};

/// Re-checks a released answer from its files alone.
pub(crate) fn verify(dir: &Folder<'_>, bytes: &[u8], document: &Value) -> Result<Verification, VerifyError> {
    let answer = Answer::parse(document)?;
    let (data, mut verification) = kinds::read(dir, (bytes, document), &answer.output, &SHAPE)?;
    verification.checks.push(columns(&answer, &data));
    for promise in &answer.promises {
        let (judged, left, classes) = judge(promise, &answer, &data);
        verification.checks.extend(judged);
        verification.not_checked.extend(left);
        verification.classes = classes.max(verification.classes);
    }
    verification.trusted.splice(0..0, trust(&answer));
    Ok(verification)
}

fn columns(answer: &Answer, data: &Data) -> Check {
    let mut problems = Vec::new();
    let found: Vec<&str> = data.columns.iter().map(|column| column.name.as_str()).collect();
    let announced: Vec<&str> = answer.columns.iter().map(|(name, _)| name.as_str()).collect();
    if found != announced {
        problems.push("the columns of the file are not those of the manifest".to_owned());
    }
    if found.len() != found.iter().collect::<HashSet<_>>().len() {
        problems.push("two columns have one name".to_owned());
    }
    let gone = answer.dropped.iter().filter(|name| found.contains(&name.as_str()));
    problems.extend(gone.map(|name| format!("{name} should be gone")));
    let unknown = answer.columns.iter().filter(|(_, shown)| !SHOWN.contains(&shown.as_str())).count();
    if unknown > 0 {
        problems.push(format!("{unknown} columns are shown in a way that this verifier does not know"));
    }
    Check::new("columns", None, &problems, format!("{} columns", found.len()))
}

/// What can have become of the cells of a column.
const SHOWN: [&str; 6] = ["generalized", "redrawn", "sliced", "noisy", "as it is", "computed"];

/// The models of a promise that the rows can confirm or refute, those that they cannot, and the number of classes.
fn judge(promise: &Promise, answer: &Answer, data: &Data) -> (Vec<Check>, Vec<NotChecked>, u64) {
    let mut missing = Vec::new();
    for name in &promise.quasi_identifiers {
        let labelled = answer.columns.iter().any(|(own, shown)| own == name && shown == "generalized");
        if data.column(name).is_none() || !labelled {
            missing.push(format!("{name} is promised to be generalized and is not"));
        }
    }
    if !missing.is_empty() {
        return (vec![Check::new("privacy", None, &missing, "")], Vec::new(), 0);
    }
    let quasi: Vec<&Column> = promise.quasi_identifiers.iter().filter_map(|name| data.column(name)).collect();
    let repeats = data.columns.first().map_or(&[][..], |column| &column.repeats);
    let classes = Classes::by(&quasi, repeats);
    let (mut checks, mut left) = (Vec::new(), Vec::new());
    for model in &promise.models {
        let column = model.attribute.as_deref().and_then(|name| data.column(name));
        match (model.name.as_str(), model.least, column) {
            ("k-anonymity", Some(k), _) => checks.push(class_sizes(&classes, k)),
            ("distinct-l-diversity", Some(l), Some(column)) => checks.push(diversity(&classes, column, l)),
            _ => left.push(NotChecked {
                name: model.name.clone(),
                subject: model.attribute.clone(),
                why: "the released rows of a query do not have what it takes to compute it".to_owned(),
            }),
        }
    }
    (checks, left, classes.sizes.len() as u64)
}

fn class_sizes(classes: &Classes, k: u64) -> Check {
    let smallest = classes.sizes.iter().min().copied();
    let problems = match smallest {
        Some(smallest) if smallest < k => vec![format!("a class of {smallest} rows, promised are {k}")],
        _ => vec![],
    };
    let fine = format!("every class has at least {} rows", smallest.unwrap_or(k));
    Check::new("k-anonymity", None, &problems, fine).comparing(k, json!(smallest))
}

/// A missing cell is no value.
fn diversity(classes: &Classes, column: &Column, l: u64) -> Check {
    let mut least: Option<u64> = None;
    classes.each_group(column, |group| {
        let values = group.counts.iter().filter(|(code, _)| column.text(*code).is_some()).count() as u64;
        least = Some(least.map_or(values, |least| least.min(values)));
    });
    let problems = match least {
        Some(least) if least < l => vec![format!("a class with {least} values, promised are {l}")],
        _ => vec![],
    };
    let fine = format!("every class has at least {} values", least.unwrap_or(l));
    Check::new("distinct-l-diversity", Some(&column.name), &problems, fine).comparing(l, json!(least))
}

fn trust(answer: &Answer) -> Vec<Trusted> {
    let mut taken = vec!["that the rows are the answer to the query", "which columns identify people"];
    let used = |operator: &str| answer.operators.iter().any(|used| used == operator);
    if used("generalize") {
        taken.push("that every row is another person, and that labels are those of the hierarchies");
    }
    if used("slice") {
        taken.push("the buckets of the slicing, and that it was drawn");
    }
    if used("randomize") || used("private") {
        taken.push("that the noise was drawn and paid for");
    }
    if answer.promises.is_empty() {
        taken.push("everything that is promised, because the rows are not those of a generalization");
    }
    let required: Vec<Value> = answer
        .promises
        .iter()
        .flat_map(|promise| &promise.models)
        .map(|model| json!({ "model": model.name, "required": model.required }))
        .collect();
    let roles: Vec<Value> =
        answer.columns.iter().map(|(name, shown)| json!({ "name": name, "shown": shown })).collect();
    vec![
        Trusted { what: "query", detail: taken.join(", "), said: json!(taken) },
        Trusted {
            what: "columns",
            detail: "what became of the cells of every column".to_owned(),
            said: json!(roles),
        },
        Trusted { what: "required", detail: "what is promised".to_owned(), said: json!(required) },
    ]
}
