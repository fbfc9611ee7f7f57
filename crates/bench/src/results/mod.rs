//! What was measured: the document of `--json`, and the same as text.

mod effort;
mod numbers;
mod parts;
mod recoding;
mod saved;
mod summary;
mod text;

pub use effort::{EffortLine, EffortResult};
pub use parts::{FormTime, PartsLine, PartsResult};
pub use recoding::{Counted, RecodingLine, RecodingResult, SettingResult, SettingsSummary};
pub use saved::SavedResult;
pub use summary::{CheckSum, Mean, Smallest, Summary};
pub use text::text;

use crate::aggregation::Aggregation;
use crate::baseline::BaselineCase;
use crate::case::Case;
use crate::dataset::DataSet;
use crate::prepare::Prepared;
use crate::timing::milliseconds;
use crate::workload::Scale;
use serde::Serialize;
use serde_json::{Map, Value};

/// Everything that was measured.
#[derive(Debug, Clone, Serialize)]
pub struct Results {
    /// Version of the program.
    pub paravent: &'static str,
    /// `release`, or `debug`: then times say little.
    pub build: &'static str,
    /// What was run.
    pub workloads: Vec<&'static str>,
    /// Threads of the search.
    pub threads: usize,
    /// Measured runs of each case; times are medians of them.
    pub repeat: usize,
    /// The tables.
    pub datasets: Vec<DataSetFacts>,
    /// The cases, in the order in which they were run.
    pub cases: Vec<CaseResult>,
    /// From file to release.
    pub end_to_end: Vec<EndToEnd>,
    /// Local recoding against other ways.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub recoding: Vec<RecodingResult>,
    /// Local recoding against iterated full-domain recoding, over many promises.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub settings: Vec<SettingResult>,
    /// These in two figures.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub settings_summary: Option<SettingsSummary>,
    /// What suppression saves.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub saved: Vec<SavedResult>,
    /// Operators on parts of a table.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub parts: Vec<PartsResult>,
    /// What snapshots and threads are worth.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub effort: Vec<EffortResult>,
    /// All in a few figures.
    pub summary: Summary,
}

/// A table.
#[derive(Debug, Clone, Serialize)]
pub struct DataSetFacts {
    /// Its name.
    pub name: String,
    /// Its rows.
    pub rows: usize,
    /// Columns that can be quasi-identifiers.
    pub quasi_identifiers: Vec<String>,
    /// The sensitive column of criteria that need one.
    pub sensitive: String,
    /// What should be known of it.
    pub notes: Vec<String>,
}

impl DataSetFacts {
    pub(crate) fn of(dataset: &DataSet) -> DataSetFacts {
        let name = |position: usize| dataset.columns[position].coded.name.clone();
        DataSetFacts {
            name: dataset.name.clone(),
            rows: dataset.rows,
            quasi_identifiers: dataset.quasi_identifiers().into_iter().map(name).collect(),
            sensitive: name(dataset.sensitive),
            notes: dataset.notes.clone(),
        }
    }
}

/// A case and how the algorithms did.
#[derive(Debug, Clone, Serialize)]
pub struct CaseResult {
    /// The workload it belongs to.
    pub workload: &'static str,
    /// Name of the table.
    pub dataset: String,
    /// Rows of the table.
    pub rows: usize,
    /// Different tuples of quasi-identifiers.
    pub tuples: usize,
    /// Names of the quasi-identifiers, in the order of `node`.
    pub quasi_identifiers: Vec<String>,
    /// The sensitive column, where the promise looks at one.
    pub sensitive: Option<String>,
    /// What is promised.
    pub privacy: String,
    /// Share of rows that may be suppressed.
    pub suppression: f64,
    /// What is minimised.
    pub metric: &'static str,
    /// Case of monotonicity, 1 to 6.
    pub case: u8,
    /// Nodes of the lattice.
    pub nodes: u128,
    /// One plain hash aggregation of the rows by the quasi-identifiers, in milliseconds of the processor.
    pub hash_aggregation_ms: f64,
    /// Counting the rows into tuples, in milliseconds of the processor: part of loading, in no other figure.
    pub counting_ms: f64,
    /// Whether all algorithms that claim the optimum found the same node and loss.
    pub agree: bool,
    /// Where the table is on an axis of growth.
    pub scale: Option<Scale>,
    /// One per algorithm.
    pub runs: Vec<RunResult>,
    /// Against reference times.
    pub comparison: Option<Comparison>,
}

/// How an algorithm did on a case.
#[derive(Debug, Clone, Serialize)]
pub struct RunResult {
    /// Its name.
    pub algorithm: String,
    /// How it ended.
    pub outcome: Outcome,
    /// Why it is not applicable.
    pub reason: Option<String>,
    /// Whether it claims the optimum.
    pub optimal: bool,
    /// Time of the search after loading: the median, in milliseconds.
    pub median_ms: Option<f64>,
    /// The shortest.
    pub min_ms: Option<f64>,
    /// Time of the processor, all threads together: the median, in milliseconds.
    pub processor_ms: Option<f64>,
    /// The search as a multiple of one plain hash aggregation: both in time of the processor if the search has one thread, else
    /// the median on the wall.
    pub hash_aggregations: Option<f64>,
    /// The median as a multiple of the fastest algorithm's.
    pub times_fastest: Option<f64>,
    /// Rows of the table per second of search.
    pub rows_per_second: Option<f64>,
    /// Nodes checked.
    pub checks: u64,
    /// Tests of few columns.
    pub subset_tests: u64,
    /// Groupings that started from classes of a specialization.
    pub rollups: u64,
    /// Nodes decided without a check.
    pub tagged: u64,
    /// Most memory held by tuples and snapshots, in bytes.
    pub peak_bytes: u64,
    /// Most memory of the whole process during the runs, in bytes, where the system tells it.
    pub peak_resident_bytes: Option<u64>,
    /// The optimum: a level per quasi-identifier.
    pub node: Option<Vec<u8>>,
    /// The same by name.
    pub transformation: Option<Map<String, Value>>,
    /// Its loss.
    pub loss: Option<f64>,
    /// Rows it suppresses.
    pub suppressed_rows: Option<u64>,
}

/// How a run ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Outcome {
    /// With the best node.
    Found,
    /// No node keeps the promise.
    NoSolution,
    /// The algorithm does not work on such a case.
    NotApplicable,
    /// Stopped by the time limit.
    TimeLimit,
}

/// Ours against a reference.
#[derive(Debug, Clone, Serialize)]
pub struct Comparison {
    /// Our algorithm: the first of the list.
    pub algorithm: String,
    /// The other program.
    pub program: String,
    /// Its time on its machine, in milliseconds.
    pub reference_ms: f64,
    /// Its time in hash aggregations.
    pub reference_hash_aggregations: f64,
    /// Ours.
    pub hash_aggregations: f64,
    /// Theirs divided by ours: how many times faster we are.
    pub times_faster: f64,
    /// The same with the counting of rows into tuples added to our time.
    pub times_faster_with_counting: f64,
    /// Its checks.
    pub reference_checks: Option<u64>,
    /// Its memory in bytes.
    pub reference_peak_bytes: Option<f64>,
    /// Theirs divided by ours.
    pub times_less_memory: Option<f64>,
    /// Something that makes the comparison doubtful.
    pub doubt: Option<String>,
}

/// From a file to a verified release, against reading and writing the same file.
#[derive(Debug, Clone, Serialize)]
pub struct EndToEnd {
    /// Name of the table.
    pub dataset: String,
    /// Its rows.
    pub rows: u64,
    /// Bytes of its file.
    pub bytes: u64,
    /// What was promised.
    pub privacy: String,
    /// Reading, searching, writing and verifying, in milliseconds: the median.
    pub anonymize_ms: f64,
    /// Reading and writing the same file, in milliseconds: the median.
    pub rewrite_ms: f64,
    /// The one as a multiple of the other.
    pub times_rewrite: f64,
    /// Rows per second on the whole way.
    pub rows_per_second: f64,
    /// Rows per second of reading and writing.
    pub rewrite_rows_per_second: f64,
    /// Rows suppressed.
    pub suppressed_rows: u64,
}

/// A relative difference of losses that is rounding.
const ROUNDING: f64 = 1e-9;

impl CaseResult {
    pub(crate) fn new(
        dataset: &DataSet,
        case: &Case,
        prepared: &Prepared,
        aggregation: &Aggregation,
        (number, mut runs): (u8, Vec<RunResult>),
    ) -> CaseResult {
        let name = |position: usize| dataset.columns[position].coded.name.clone();
        let fastest =
            runs.iter().filter(|run| run.is_finished()).filter_map(|run| run.median_ms).reduce(f64::min);
        for run in &mut runs {
            run.times_fastest = run.median_ms.zip(fastest).map(|(mine, best)| mine / best.max(1e-6));
        }
        CaseResult {
            workload: case.workload,
            dataset: dataset.name.clone(),
            rows: dataset.rows,
            tuples: aggregation.tuples,
            quasi_identifiers: case.quasi_identifiers.iter().map(|&position| name(position)).collect(),
            sensitive: case.promises.read_sensitive().then(|| name(case.sensitive)),
            privacy: case.promises.to_string(),
            suppression: case.suppression.value().to_f64(),
            metric: case.metric.name(),
            case: number,
            nodes: prepared.task.lattice().node_count(),
            hash_aggregation_ms: milliseconds(aggregation.median),
            counting_ms: milliseconds(prepared.counting),
            agree: agree(&runs),
            scale: None,
            runs,
            comparison: None,
        }
    }

    /// Puts the first algorithm beside a reference.
    pub(crate) fn compare(&mut self, program: &str, known: &BaselineCase) {
        let Some(run) = self.runs.first().filter(|run| run.is_finished()) else { return };
        let Some(ours) = run.hash_aggregations else { return };
        let theirs = known.figures.hash_aggregations;
        let with_counting = ours + self.counting_ms / self.hash_aggregation_ms.max(1e-6);
        let memory = known.figures.peak_mb.map(|mb| mb * 1e6);
        self.comparison = Some(Comparison {
            algorithm: run.algorithm.clone(),
            program: program.to_owned(),
            reference_ms: known.figures.ms,
            reference_hash_aggregations: theirs,
            hash_aggregations: ours,
            times_faster: theirs / ours.max(1e-9),
            times_faster_with_counting: theirs / with_counting.max(1e-9),
            reference_checks: known.figures.checks,
            reference_peak_bytes: memory,
            times_less_memory: memory.map(|memory| memory / (run.peak_bytes.max(1) as f64)),
            doubt: known.nodes.filter(|&nodes| u128::from(nodes) != self.nodes).map(|nodes| {
                format!("the reference has a lattice of {nodes} nodes, ours has {}", self.nodes)
            }),
        });
    }

    /// The optimum that was found, from the first algorithm that claims it.
    pub fn best(&self) -> Option<&RunResult> {
        self.runs.iter().find(|run| run.optimal && run.node.is_some())
    }
}

impl RunResult {
    pub(crate) fn not_applicable(algorithm: &str, reason: &dyn std::error::Error) -> RunResult {
        RunResult {
            algorithm: algorithm.to_owned(),
            outcome: Outcome::NotApplicable,
            reason: Some(reason.to_string()),
            optimal: false,
            median_ms: None,
            min_ms: None,
            processor_ms: None,
            hash_aggregations: None,
            times_fastest: None,
            rows_per_second: None,
            checks: 0,
            subset_tests: 0,
            rollups: 0,
            tagged: 0,
            peak_bytes: 0,
            peak_resident_bytes: None,
            node: None,
            transformation: None,
            loss: None,
            suppressed_rows: None,
        }
    }

    /// Whether it came to an end of its own.
    pub fn is_finished(&self) -> bool {
        matches!(self.outcome, Outcome::Found | Outcome::NoSolution)
    }

    /// Whether it says that nothing better exists.
    fn claims(&self) -> bool {
        self.optimal || self.outcome == Outcome::NoSolution
    }
}

/// Whether all that claim the optimum claim the same.
fn agree(runs: &[RunResult]) -> bool {
    let mut claims = runs.iter().filter(|run| run.claims());
    let Some(first) = claims.next() else { return true };
    claims.all(|run| {
        let same_loss = match (first.loss, run.loss) {
            (Some(a), Some(b)) => (a - b).abs() <= ROUNDING * a.abs().max(b.abs()),
            (a, b) => a.is_none() && b.is_none(),
        };
        same_loss && first.node == run.node
    })
}

impl Results {
    /// Whether every case has one optimum, and parts give what the whole table does where rules say so.
    pub fn agree(&self) -> bool {
        let of_parts = |result: &PartsResult| {
            result.generalized.iter().all(|line| line.same_by_added_counts)
                && result.forms.iter().all(|form| form.same_cells != Some(false))
        };
        let of_effort = self.effort.iter().all(|result| result.agree);
        self.cases.iter().all(|case| case.agree) && self.parts.iter().all(of_parts) && of_effort
    }
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;
    use crate::case::share;

    struct Failed;
    impl std::fmt::Display for Failed {
        fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
            f.write_str("works in case 1 only")
        }
    }
    impl std::fmt::Debug for Failed {
        fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
            std::fmt::Display::fmt(self, f)
        }
    }
    impl std::error::Error for Failed {}

    pub(crate) fn run(algorithm: &str, ms: f64, node: &[u8], loss: f64) -> RunResult {
        RunResult {
            outcome: Outcome::Found,
            reason: None,
            optimal: true,
            median_ms: Some(ms),
            min_ms: Some(ms),
            processor_ms: Some(ms),
            hash_aggregations: Some(ms / 2.0),
            node: Some(node.to_vec()),
            loss: Some(loss),
            checks: 10,
            peak_bytes: 1_000_000,
            ..RunResult::not_applicable(algorithm, &Failed)
        }
    }

    pub(crate) fn not_applicable() -> RunResult {
        RunResult::not_applicable("ola", &Failed)
    }

    pub(crate) fn case(runs: Vec<RunResult>) -> CaseResult {
        CaseResult {
            workload: "quick",
            dataset: "people".to_owned(),
            rows: 100,
            tuples: 90,
            quasi_identifiers: vec!["a".to_owned(), "b".to_owned()],
            sensitive: None,
            privacy: "k=5".to_owned(),
            suppression: 0.05,
            metric: "nuem",
            case: 1,
            nodes: 12,
            hash_aggregation_ms: 2.0,
            counting_ms: 4.0,
            agree: agree(&runs),
            scale: None,
            runs,
            comparison: None,
        }
    }

    pub(crate) fn results(cases: Vec<CaseResult>) -> Results {
        Results {
            paravent: "0",
            build: "release",
            workloads: vec!["quick"],
            threads: 1,
            repeat: 1,
            datasets: Vec::new(),
            summary: Summary::of(&cases),
            cases,
            end_to_end: Vec::new(),
            recoding: Vec::new(),
            settings: Vec::new(),
            settings_summary: None,
            saved: Vec::new(),
            parts: Vec::new(),
            effort: Vec::new(),
        }
    }

    #[test]
    fn shares_are_shown_in_percent() {
        assert_eq!([share(0.0), share(0.05), share(0.125)], ["0 %", "5 %", "12.5 %"]);
    }

    #[test]
    fn other_nodes_and_other_losses_are_disagreement() {
        assert!(case(vec![run("a", 1.0, &[0, 1], 7.0), run("b", 2.0, &[0, 1], 7.0 + 1e-12)]).agree);
        assert!(!case(vec![run("a", 1.0, &[0, 1], 7.0), run("b", 2.0, &[1, 0], 7.0)]).agree);
        assert!(!case(vec![run("a", 1.0, &[0, 1], 7.0), run("b", 2.0, &[0, 1], 7.1)]).agree);
        let empty = RunResult { outcome: Outcome::NoSolution, ..not_applicable() };
        assert!(!case(vec![run("a", 1.0, &[0, 1], 7.0), empty]).agree);
    }

    #[test]
    fn who_claims_nothing_cannot_disagree() {
        let heuristic = RunResult { optimal: false, ..run("b", 2.0, &[1, 1], 9.0) };
        assert!(case(vec![run("a", 1.0, &[0, 1], 7.0), heuristic, not_applicable()]).agree);
    }

    #[test]
    fn a_comparison_divides_multiples_by_multiples() {
        let mut case = case(vec![run("best-first", 4.0, &[0, 1], 7.0)]);
        let line = r#"{"dataset": "people", "rows": 100, "quasi_identifiers": ["a", "b"], "privacy": "k=5", "suppression": 0.05, "metric": "nuem", "nodes": 13, "x_ms": 900, "x_hash_aggregations": 60, "x_peak_heap_mb": 30}"#;
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("x.jsonl");
        std::fs::write(&path, line).unwrap();
        let baseline = crate::baseline::Baseline::read(&path).unwrap();
        case.compare(&baseline.program, &baseline.cases[0]);
        let comparison = case.comparison.unwrap();
        // Ours: 4 ms of 2 ms each are 2 aggregations; with 4 ms of counting, 4.
        assert_eq!((comparison.times_faster, comparison.times_faster_with_counting), (30.0, 15.0));
        assert_eq!(comparison.times_less_memory, Some(30.0));
        assert!(comparison.doubt.unwrap().contains("13 nodes"));
    }
}
