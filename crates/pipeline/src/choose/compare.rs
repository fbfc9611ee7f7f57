//! Two releases, or two dry runs, side by side.

use paravent_tables::write::find_private;
use serde::Serialize;
use serde_json::Value;
use std::path::{Path, PathBuf};

/// Why two results cannot be compared.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum CompareError {
    /// A file cannot be read.
    #[error("{}: {source}", path.display())]
    Io {
        /// The file.
        path: PathBuf,
        /// What the system says.
        source: std::io::Error,
    },
    /// It is neither a release nor what `anonymize --json` prints.
    #[error("{}: is neither a release nor the document of a run (anonymize --dry-run --json)", path.display())]
    NotAResult {
        /// The file.
        path: PathBuf,
    },
}

/// One of the two.
#[derive(Debug, Clone, Serialize)]
pub struct Side {
    /// Its name, as it was given.
    pub name: String,
    /// `release` or `dry-run`.
    pub kind: &'static str,
    /// `global`, `local` or `cells`.
    pub recoding: String,
    /// What is promised, with its parameters.
    pub promises: Vec<Value>,
    /// Name of the metric that was minimised.
    pub metric: String,
}

/// A number of both.
#[derive(Debug, Clone, Serialize)]
pub struct Figure {
    /// What it is.
    pub name: String,
    /// Of the first; absent where it is not known.
    pub a: Option<f64>,
    /// Of the second.
    pub b: Option<f64>,
    /// Which of the two keeps more, or lets less risk remain; absent where they are equal or nobody can say.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub better: Option<&'static str>,
}

/// A column of both, in words.
#[derive(Debug, Clone, Serialize)]
pub struct ComparedColumn {
    /// Its name.
    pub column: String,
    /// What the first shows of it.
    pub a: String,
    /// What the second shows.
    pub b: String,
}

/// Both results.
#[derive(Debug, Clone, Serialize)]
pub struct Compared {
    /// The first.
    pub a: Side,
    /// The second.
    pub b: Side,
    /// Numbers, figure by figure.
    pub figures: Vec<Figure>,
    /// Quasi-identifiers.
    pub columns: Vec<ComparedColumn>,
}

/// Compares two results: release directories (in full where the private folder is beside them), or documents of runs.
///
/// # Errors
/// If one of them cannot be read, or is no release.
pub fn compare(a: &Path, b: &Path) -> Result<Compared, CompareError> {
    Ok(compared(&Outcome::load(a)?, &Outcome::load(b)?))
}

/// The same for documents in memory, each with its name.
///
/// # Errors
/// If one of them is no release.
pub fn compare_documents(a: (&str, Value), b: (&str, Value)) -> Result<Compared, CompareError> {
    Ok(compared(
        &Outcome::of(a.0.as_ref(), Some(a.1), "dry-run")?,
        &Outcome::of(b.0.as_ref(), Some(b.1), "dry-run")?,
    ))
}

fn compared(a: &Outcome, b: &Outcome) -> Compared {
    let mut figures = Vec::new();
    for (name, pointer, better) in FIGURES {
        let number = |side: &Outcome| side.document.pointer(pointer).and_then(Value::as_f64);
        figures.push(figure((*name).to_owned(), number(a), number(b), *better));
    }
    let losses =
        |side: &Outcome| side.document.pointer("/solution/losses").and_then(Value::as_object).cloned();
    let (of_a, of_b) = (losses(a).unwrap_or_default(), losses(b).unwrap_or_default());
    for name in of_a.keys().chain(of_b.keys().filter(|name| !of_a.contains_key(*name))) {
        let number = |losses: &serde_json::Map<String, Value>| losses.get(name).and_then(Value::as_f64);
        // Precision is the share that is kept; all other metrics are losses.
        let better = if name.starts_with("precision") { Better::Higher } else { Better::Lower };
        figures.push(figure(format!("metric {name}"), number(&of_a), number(&of_b), better));
    }
    figures.retain(|figure| figure.a.is_some() || figure.b.is_some());
    let mut columns: Vec<ComparedColumn> = Vec::new();
    for name in a.columns().into_iter().chain(b.columns()) {
        if columns.iter().all(|column| column.column != name) {
            columns.push(ComparedColumn { a: a.shows(&name), b: b.shows(&name), column: name });
        }
    }
    Compared { a: a.side(), b: b.side(), figures, columns }
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Better {
    Lower,
    Higher,
    Nobody,
}

const FIGURES: &[(&str, &str, Better)] = &[
    ("rows read", "/input/rows", Better::Nobody),
    ("rows suppressed", "/solution/suppressed_rows", Better::Lower),
    ("classes", "/solution/classes", Better::Nobody),
    ("smallest class", "/solution/smallest_class", Better::Nobody),
    ("average class", "/solution/average_class", Better::Nobody),
    ("highest risk", "/risk/after/prosecutor/highest", Better::Lower),
    ("mean risk", "/risk/after/prosecutor/mean", Better::Lower),
    ("gap to the lower bound", "/solution/gap", Better::Nobody),
];

fn figure(name: String, a: Option<f64>, b: Option<f64>, better: Better) -> Figure {
    let which = match (a, b, better) {
        (Some(a), Some(b), Better::Lower) if a != b => Some(if a < b { "a" } else { "b" }),
        (Some(a), Some(b), Better::Higher) if a != b => Some(if a > b { "a" } else { "b" }),
        _ => None,
    };
    Figure { name, a, b, better: which }
}

/// What a run found, as its document tells.
struct Outcome {
    name: String,
    kind: &'static str,
    document: Value,
}

impl Outcome {
    fn load(path: &Path) -> Result<Outcome, CompareError> {
        let (file, kind) = match path.is_dir() {
            false => (path.to_owned(), "dry-run"),
            true => {
                let private = find_private(path).map(|folder| folder.join("report.json"));
                (private.filter(|file| file.exists()).unwrap_or_else(|| path.join("report.json")), "release")
            }
        };
        let bytes = std::fs::read(&file).map_err(|source| CompareError::Io { path: file.clone(), source })?;
        Outcome::of(path, serde_json::from_slice(&bytes).ok(), kind)
            .map_err(|_| CompareError::NotAResult { path: file })
    }

    /// A document that was read, if it is one of a run.
    fn of(path: &Path, document: Option<Value>, kind: &'static str) -> Result<Outcome, CompareError> {
        match document.filter(|document| document["solution"]["suppressed_rows"].is_u64()) {
            Some(document) => {
                let kind =
                    if document.get("output").is_some_and(Value::is_object) { "release" } else { kind };
                Ok(Outcome { name: path.display().to_string(), kind, document })
            }
            None => Err(CompareError::NotAResult { path: path.to_owned() }),
        }
    }

    fn side(&self) -> Side {
        let solution = &self.document["solution"];
        let text = |value: &Value, otherwise: &str| value.as_str().unwrap_or(otherwise).to_owned();
        let promises = self.document["privacy"].as_array().cloned().unwrap_or_default();
        Side {
            name: self.name.clone(),
            kind: self.kind,
            recoding: text(&solution["recoding"], "global"),
            promises,
            metric: text(&solution["metric"], ""),
        }
    }

    fn columns(&self) -> Vec<String> {
        let solution = &self.document["solution"];
        let levels = ["transformation", "levels"].iter().filter_map(|key| solution[*key].as_object());
        levels.flat_map(|levels| levels.keys().cloned()).collect()
    }

    /// The level of a column and a few of its labels, or the levels that its labels come from.
    fn shows(&self, column: &str) -> String {
        let solution = &self.document["solution"];
        if let Some(levels) = solution["levels"].get(column) {
            let (lowest, highest) = (&levels["lowest"], &levels["highest"]);
            let mean = levels["mean"].as_f64().unwrap_or_default();
            return match lowest == highest {
                true => format!("level {lowest}"),
                false => format!("levels {lowest} to {highest}, on average {mean:.2}"),
            };
        }
        let Some(level) = solution["transformation"].get(column) else { return "not there".to_owned() };
        let labels = &solution["labels"][column];
        let named = labels["shown"].as_array().into_iter().flatten().filter_map(Value::as_str);
        let named: Vec<&str> = named.take(3).collect();
        let more = labels["distinct"].as_u64().is_some_and(|distinct| distinct > named.len() as u64);
        match named.is_empty() {
            true => format!("level {level}"),
            false => format!("level {level}: {}{}", named.join(", "), if more { ", …" } else { "" }),
        }
    }
}
