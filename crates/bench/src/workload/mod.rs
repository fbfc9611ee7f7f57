//! Which cases are run.

mod criteria;
mod scaling;

pub(crate) use scaling::steps;
pub use scaling::{Axis, Scale};

use crate::case::{Case, Subset};
use crate::dataset::DataSet;
use crate::prepare::has_tree;
use crate::promise::{Promises, Threshold, UnknownPromise};
use paravent_core::quality::Metric;

/// A set of cases.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Workload {
    /// Three cases, to see that all is well.
    Quick,
    /// k-anonymity for k = 2…10, 20, 50, 100.
    KAnonymity,
    /// The eleven combinations of k-anonymity, ℓ-diversity, t-closeness and δ-presence.
    Criteria,
    /// The six cases of monotonicity.
    Cases,
    /// Time against rows, quasi-identifiers and size of the lattice, on made-up tables.
    Scaling,
    /// From the file to the verified release, against reading and writing the same file.
    EndToEnd,
    /// Local recoding against the best full-domain release and the literature's heuristics.
    Recoding,
    /// Local recoding against iterated full-domain recoding under many promises.
    RecodingSettings,
    /// The loss with 5 % suppression as a share of the loss without, beside the published table.
    Suppression,
    /// The operators on parts of a table, horizontally and vertically, on one thread and on two.
    Parts,
    /// Three cases with other memory for snapshots, and on other numbers of threads.
    Effort,
    /// The cases of a file of reference times.
    Baseline,
}

impl Workload {
    /// All workloads.
    pub const ALL: [Workload; 12] = [
        Workload::Quick,
        Workload::KAnonymity,
        Workload::Criteria,
        Workload::Cases,
        Workload::Scaling,
        Workload::EndToEnd,
        Workload::Recoding,
        Workload::RecodingSettings,
        Workload::Suppression,
        Workload::Parts,
        Workload::Effort,
        Workload::Baseline,
    ];

    /// The name on the command line.
    pub fn name(self) -> &'static str {
        match self {
            Workload::Quick => "quick",
            Workload::KAnonymity => "k-anonymity",
            Workload::Criteria => "criteria",
            Workload::Cases => "cases",
            Workload::Scaling => "scaling",
            Workload::EndToEnd => "end-to-end",
            Workload::Recoding => "recoding",
            Workload::RecodingSettings => "recoding-settings",
            Workload::Suppression => "suppression",
            Workload::Parts => "parts",
            Workload::Effort => "effort",
            Workload::Baseline => "baseline",
        }
    }

    /// The workload of this name.
    pub fn by_name(name: &str) -> Option<Workload> {
        Workload::ALL.into_iter().find(|workload| workload.name() == name)
    }
}

/// What the user wants otherwise than the literature.
#[derive(Debug, Clone, Default)]
pub struct Overrides {
    /// The metric of every case.
    pub metric: Option<Metric>,
    /// Every case is run with each of these shares of suppression.
    pub suppression: Option<Vec<Threshold>>,
}

/// Cases in the short notation, before they meet a data set.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Recipe {
    promises: String,
    suppression: &'static [&'static str],
    metric: Metric,
    columns: Columns,
}

/// Which columns are quasi-identifiers.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Columns {
    All,
    AllButSensitive,
}

const NOTHING_AND_FIVE_PERCENT: &[&str] = &["0", "0.05"];
const FIVE_PERCENT: &[&str] = &["0.05"];
const CLASS_SIZES: [u64; 12] = [2, 3, 4, 5, 6, 7, 8, 9, 10, 20, 50, 100];

fn recipes(workload: Workload) -> Vec<Recipe> {
    let nuem = Metric::NonUniformEntropy;
    match workload {
        Workload::Quick => vec![
            Recipe {
                promises: "k=5".to_owned(),
                suppression: NOTHING_AND_FIVE_PERCENT,
                metric: nuem,
                columns: Columns::All,
            },
            Recipe {
                promises: "k=5,lrecursive=4/3".to_owned(),
                suppression: FIVE_PERCENT,
                metric: nuem,
                columns: Columns::AllButSensitive,
            },
        ],
        Workload::KAnonymity => CLASS_SIZES
            .iter()
            .map(|k| Recipe {
                promises: format!("k={k}"),
                suppression: NOTHING_AND_FIVE_PERCENT,
                metric: nuem,
                columns: Columns::All,
            })
            .collect(),
        Workload::Criteria => criteria::combinations(),
        Workload::Cases => criteria::six_cases(),
        Workload::Scaling
        | Workload::EndToEnd
        | Workload::Recoding
        | Workload::RecodingSettings
        | Workload::Suppression
        | Workload::Parts
        | Workload::Effort
        | Workload::Baseline => Vec::new(),
    }
}

/// The cases of a workload on a data set.
pub(crate) fn cases(
    workload: Workload,
    dataset: &DataSet,
    overrides: &Overrides,
) -> Result<Vec<Case>, UnknownPromise> {
    let mut cases: Vec<Case> = Vec::new();
    for recipe in recipes(workload) {
        let mut promises: Promises = recipe.promises.parse()?;
        if !has_tree(&dataset.columns[dataset.sensitive]) {
            promises = promises.without_hierarchical_distance();
        }
        let planned =
            || recipe.suppression.iter().map(|share| share.parse()).collect::<Result<Vec<Threshold>, _>>();
        let shares = overrides.suppression.clone().map_or_else(planned, Ok)?;
        for suppression in shares {
            let case = Case {
                workload: workload.name(),
                quasi_identifiers: match recipe.columns {
                    Columns::All => dataset.quasi_identifiers(),
                    Columns::AllButSensitive => dataset.quasi_identifiers_beside_sensitive(),
                },
                sensitive: dataset.sensitive,
                promises: promises.clone(),
                suppression,
                metric: overrides.metric.unwrap_or(recipe.metric),
                subset: Subset::Tenth,
            };
            if !cases.contains(&case) {
                cases.push(case);
            }
        }
    }
    Ok(cases)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn data() -> DataSet {
        DataSet::generate(&"adult,rows=500".parse().unwrap()).unwrap()
    }

    #[test]
    fn the_workloads_have_the_published_sizes() {
        let of = |workload| cases(workload, &data(), &Overrides::default()).unwrap();
        assert_eq!(of(Workload::KAnonymity).len(), 24);
        assert_eq!(of(Workload::Quick).len(), 3);
        let first = |text: &str| {
            of(Workload::Criteria).iter().filter(|case| case.promises.to_string() == text).count()
        };
        assert_eq!((first("k=5"), first("k=5,thier=0.2,dpresence=0.05/0.15")), (2, 2));
        assert!(of(Workload::Criteria).iter().all(|case| case.quasi_identifiers.len() == 8));
        assert!(of(Workload::KAnonymity).iter().all(|case| case.quasi_identifiers.len() == 9));
    }

    #[test]
    fn overrides_go_before_the_literature_and_make_no_case_twice() {
        let overrides =
            Overrides { metric: Some(Metric::Loss), suppression: Some(vec!["0.02".parse().unwrap()]) };
        let cases = cases(Workload::Cases, &data(), &overrides).unwrap();
        assert!(cases.iter().all(|case| case.metric == Metric::Loss && case.suppression.as_str() == "0.02"));
        let mut labels: Vec<String> = cases.iter().map(|case| case.promises.to_string()).collect();
        labels.sort();
        let all = labels.len();
        labels.dedup();
        assert_eq!(labels.len(), all);
    }

    #[test]
    fn names_lead_back() {
        assert!(
            Workload::ALL.into_iter().all(|workload| Workload::by_name(workload.name()) == Some(workload))
        );
    }
}
