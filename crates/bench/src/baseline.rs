//! Reference times of another program: one JSON object per line.
//!
//! ```json
//! {"dataset": "adult", "rows": 30162, "quasi_identifiers": ["sex", "age"], "privacy": "k=5", "suppression": 0.05,
//!  "metric": "nuem", "nodes": 12960, "arx_checks": 2867, "arx_ms": 1632.2, "arx_hash_aggregations": 410.1, "arx_peak_heap_mb": 150}
//! ```
//!
//! What comes before `_ms` is the program's name. A case that is there several times counts with the best of its figures.

use crate::case::{Case, Subset};
use crate::dataset::{DataSet, Generalizes};
use crate::error::BenchError;
use crate::promise::{Promises, Threshold};
use crate::workload::Workload;
use paravent_core::quality::Metric;
use paravent_pipeline::job::Problem;
use serde_json::Value;
use std::path::{Path, PathBuf};

/// A file of reference times.
#[derive(Debug, Clone)]
pub struct Baseline {
    /// The file.
    pub path: PathBuf,
    /// The program they are of.
    pub program: String,
    /// Each case once, in the order of the file.
    pub cases: Vec<BaselineCase>,
}

/// One case of a [`Baseline`].
#[derive(Debug, Clone, PartialEq)]
pub struct BaselineCase {
    /// Name of the data set.
    pub dataset: String,
    /// Its number of rows.
    pub rows: usize,
    /// Names of the quasi-identifiers.
    pub quasi_identifiers: Vec<String>,
    /// What is promised.
    pub promises: Promises,
    /// Share of rows that may be suppressed.
    pub suppression: Threshold,
    /// What is minimised.
    pub metric: Metric,
    /// Nodes of the lattice, where it is told.
    pub nodes: Option<u64>,
    /// What the program needed.
    pub figures: Figures,
}

/// What a program needed.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Figures {
    /// Time of the search in milliseconds, on the machine it was measured on.
    pub ms: f64,
    /// The same as a multiple of one plain hash aggregation.
    pub hash_aggregations: f64,
    /// Nodes checked.
    pub checks: Option<u64>,
    /// Memory in megabytes.
    pub peak_mb: Option<f64>,
}

impl Baseline {
    /// Reads a file.
    pub fn read(path: &Path) -> Result<Baseline, BenchError> {
        let text = std::fs::read_to_string(path).map_err(BenchError::io(path))?;
        Baseline::parse(&text, path)
    }

    fn parse(text: &str, path: &Path) -> Result<Baseline, BenchError> {
        let mut program = None;
        let mut cases: Vec<BaselineCase> = Vec::new();
        for (number, line) in text.lines().enumerate().filter(|(_, line)| !line.trim().is_empty()) {
            let problem = |message: String| Problem::new(path, message).at_line(number + 1);
            let value: Value =
                serde_json::from_str(line).map_err(|error| problem(format!("is no JSON object: {error}")))?;
            let (name, case) = parse_case(&value).map_err(problem)?;
            program.get_or_insert(name);
            match cases.iter_mut().find(|known| known.is_same(&case)) {
                Some(known) => known.figures = known.figures.best(&case.figures),
                None => cases.push(case),
            }
        }
        let program =
            program.ok_or_else(|| Problem::new(path, "is empty").advise("Write one JSON object per line"))?;
        Ok(Baseline { path: path.to_owned(), program, cases })
    }

    /// Whether the file knows a data set.
    pub fn knows(&self, dataset: &str) -> bool {
        self.cases.iter().any(|case| case.dataset == dataset)
    }

    /// The names of the data sets, each once.
    pub fn datasets(&self) -> Vec<String> {
        let mut names: Vec<String> = Vec::new();
        for case in &self.cases {
            if !names.contains(&case.dataset) {
                names.push(case.dataset.clone());
            }
        }
        names
    }

    /// The cases that are about a data set. Subsets of δ-presence come from `subset-NAME.txt` beside the file, where it is there.
    pub(crate) fn cases_of(&self, dataset: &DataSet) -> Result<Vec<Case>, BenchError> {
        let of = |case: &&BaselineCase| case.dataset == dataset.name;
        self.cases.iter().filter(of).map(|case| self.case(case, dataset)).collect()
    }

    fn case(&self, known: &BaselineCase, dataset: &DataSet) -> Result<Case, BenchError> {
        let position = |name: &String| {
            let usable = |&position: &usize| {
                let levels = dataset.columns[position].levels.as_ref();
                levels.is_some_and(|levels| levels.generalizes == Generalizes::Yes)
            };
            dataset.position(name).filter(usable).ok_or_else(|| BenchError::NoSuchColumn {
                dataset: dataset.name.clone(),
                column: name.clone(),
                columns: dataset.columns.iter().map(|column| column.coded.name.clone()).collect(),
            })
        };
        let quasi_identifiers: Vec<usize> =
            known.quasi_identifiers.iter().map(position).collect::<Result<_, _>>()?;
        // The file does not name the sensitive column: it is the one that is left out.
        let left_out = |position: &usize| !quasi_identifiers.contains(position);
        let sensitive =
            Some(dataset.sensitive).filter(left_out).or((0..dataset.columns.len()).find(left_out));
        let beside = self.path.with_file_name(format!("subset-{}.txt", dataset.name));
        let subset = match known.promises.need_population() && beside.is_file() {
            true => Subset::read(&beside, dataset.rows)?,
            false => Subset::Tenth,
        };
        Ok(Case {
            workload: Workload::Baseline.name(),
            sensitive: sensitive.unwrap_or(dataset.sensitive),
            quasi_identifiers,
            promises: known.promises.clone(),
            suppression: known.suppression.clone(),
            metric: known.metric,
            subset,
        })
    }

    /// The reference for a case, if there is one with the same rows, columns and requirements.
    pub(crate) fn find(&self, dataset: &DataSet, case: &Case) -> Option<&BaselineCase> {
        let name = |&position: &usize| &dataset.columns[position].coded.name;
        self.cases.iter().find(|known| {
            known.dataset == dataset.name
                && known.rows == dataset.rows
                && known.promises == case.promises
                && known.suppression.value() == case.suppression.value()
                && known.metric == case.metric
                && known.quasi_identifiers.len() == case.quasi_identifiers.len()
                && case
                    .quasi_identifiers
                    .iter()
                    .all(|position| known.quasi_identifiers.contains(name(position)))
        })
    }
}

impl BaselineCase {
    fn is_same(&self, other: &BaselineCase) -> bool {
        let BaselineCase { dataset, rows, quasi_identifiers, promises, suppression, metric, .. } = self;
        *dataset == other.dataset
            && *rows == other.rows
            && *quasi_identifiers == other.quasi_identifiers
            && *promises == other.promises
            && suppression.value() == other.suppression.value()
            && *metric == other.metric
    }
}

impl Figures {
    /// The better of each figure.
    fn best(&self, other: &Figures) -> Figures {
        let least = |a: Option<f64>, b: Option<f64>| match (a, b) {
            (Some(a), Some(b)) => Some(a.min(b)),
            (a, b) => a.or(b),
        };
        Figures {
            ms: self.ms.min(other.ms),
            hash_aggregations: self.hash_aggregations.min(other.hash_aggregations),
            checks: self.checks.into_iter().chain(other.checks).min(),
            peak_mb: least(self.peak_mb, other.peak_mb),
        }
    }
}

fn parse_case(value: &Value) -> Result<(String, BaselineCase), String> {
    let object = value.as_object().ok_or("is no JSON object")?;
    let text = |key: &str| value[key].as_str().ok_or(format!("has no text `{key}`"));
    let program = object
        .keys()
        .find_map(|key| key.strip_suffix("_hash_aggregations"))
        .ok_or("has no figure called NAME_hash_aggregations")?
        .to_owned();
    let figure = |name: &str| value[format!("{program}_{name}")].as_f64().filter(|figure| *figure >= 0.0);
    let needed = |name: &str| figure(name).ok_or(format!("has no number `{program}_{name}`"));
    let names = value["quasi_identifiers"].as_array().ok_or("has no list `quasi_identifiers`")?;
    let names: Option<Vec<String>> = names.iter().map(|name| name.as_str().map(str::to_owned)).collect();
    let suppression = match &value["suppression"] {
        Value::Number(number) => number.to_string(),
        _ => return Err("has no number `suppression`".to_owned()),
    };
    let metric = text("metric")?;
    let case = BaselineCase {
        dataset: text("dataset")?.to_owned(),
        rows: value["rows"]
            .as_u64()
            .and_then(|rows| usize::try_from(rows).ok())
            .ok_or("has no number `rows`")?,
        quasi_identifiers: names
            .filter(|names| !names.is_empty())
            .ok_or("`quasi_identifiers` must be names")?,
        promises: text("privacy")?.parse().map_err(|error| format!("privacy: {error}"))?,
        suppression: suppression.parse().map_err(|_| "`suppression` must be a share from 0 to 1")?,
        metric: Metric::by_name(metric).ok_or_else(|| {
            let names: Vec<&str> = Metric::ALL.iter().map(|metric| metric.name()).collect();
            format!("`metric` must be one of {}", names.join(", "))
        })?,
        nodes: value["nodes"].as_u64(),
        figures: Figures {
            ms: needed("ms")?,
            hash_aggregations: needed("hash_aggregations")?,
            checks: value[format!("{program}_checks")].as_u64(),
            peak_mb: figure("peak_heap_mb"),
        },
    };
    Ok((program, case))
}

#[cfg(test)]
mod tests {
    use super::*;

    const LINE: &str = r#"{"dataset": "d", "rows": 9, "quasi_identifiers": ["a", "b"], "privacy": "k=5,lrecursive=4/3", "suppression": 0.05, "metric": "nuem", "nodes": 12, "arx_checks": 7, "arx_ms": 60.0, "arx_hash_aggregations": 15.1, "arx_peak_heap_mb": 199}"#;

    fn parsed(text: &str) -> Result<Baseline, BenchError> {
        Baseline::parse(text, Path::new("times.jsonl"))
    }

    #[test]
    fn a_case_that_is_there_twice_counts_with_its_best_figures() {
        let again = LINE.replace("60.0", "50.0").replace("15.1", "16").replace("0.05", "0.050");
        let baseline = parsed(&format!("{LINE}\n\n{again}\n")).unwrap();
        assert_eq!(baseline.program, "arx");
        let [case] = &baseline.cases[..] else { panic!("one case") };
        assert_eq!(
            case.figures,
            Figures { ms: 50.0, hash_aggregations: 15.1, checks: Some(7), peak_mb: Some(199.0) }
        );
        assert_eq!(case.promises.to_string(), "k=5,lrecursive=4/3");
    }

    #[test]
    fn mistakes_have_a_line() {
        let said = |from: &str, to: &str| {
            parsed(&format!("{LINE}\n{}", LINE.replace(from, to))).unwrap_err().to_string()
        };
        assert!(said("k=5", "q=5").starts_with("times.jsonl:2: privacy: `q=5` is no privacy model"));
        assert!(said("nuem", "nume").contains("`metric` must be one of"));
        assert!(said("\"rows\": 9", "\"rows\": -9").contains("`rows`"));
        assert!(said("}", "").contains("is no JSON object"));
        assert!(said("arx_hash_aggregations", "arx_aggregations").contains("NAME_hash_aggregations"));
        assert!(parsed("\n").unwrap_err().to_string().contains("is empty"));
    }
}
