//! The lattice with a verdict on every node, for those who want to explore it.

use super::labels::{LabelsShown, labels_at};
use crate::error::RunError;
use paravent_core::lattice::{LatticeCounts, Node};
use paravent_core::search::SearchError;
use paravent_prepare::study::{Study, StudyError};
use paravent_tables::watch::Watch;
use rayon::prelude::*;
use serde::Serialize;

/// Lattices up to this size get a verdict on every node.
const MOST_NODES: u64 = 50_000;
/// A label of fewer rows may name a person.
const LEAST_ROWS: u64 = 5;

/// A lattice and what is known of its nodes.
#[derive(Debug, Clone, Serialize)]
pub struct ExploredLattice {
    /// Version of the program.
    pub paravent: &'static str,
    /// The quasi-identifiers in job order, with the levels that the job allows.
    pub attributes: Vec<ExploredAttribute>,
    /// Number of nodes.
    pub node_count: String,
    /// Nodes by height, from the lowest on.
    pub level_sizes: Vec<String>,
    /// Ways from the bottom to the top.
    pub strategies: String,
    /// Sublattices.
    pub sublattices: String,
    /// Name of the metric behind `loss`.
    pub metric: &'static str,
    /// Rows that may be suppressed, or people.
    pub suppression_limit: u64,
    /// Whether every node is listed.
    pub complete: bool,
    /// Nodes in the order of their height, each with its verdict.
    pub nodes: Vec<ExploredNode>,
}

/// One quasi-identifier.
#[derive(Debug, Clone, Serialize)]
pub struct ExploredAttribute {
    /// Its name.
    pub name: String,
    /// Its levels.
    pub levels: Vec<ExploredLevel>,
}

/// One level of a quasi-identifier.
#[derive(Debug, Clone, Serialize)]
pub struct ExploredLevel {
    /// Its number.
    pub level: u8,
    /// Different labels over the values present.
    pub distinct: usize,
    /// A few of them that several rows show; none of the values as they came in.
    pub labels: Vec<String>,
}

/// What is known of a node.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum NodeClass {
    /// It keeps the promises.
    Anonymous,
    /// It does not.
    NotAnonymous,
}

/// One node.
#[derive(Debug, Clone, Serialize)]
pub struct ExploredNode {
    /// A level per quasi-identifier.
    pub levels: Vec<u8>,
    /// Whether it keeps the promises.
    pub class: NodeClass,
    /// Its loss, where it keeps them.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub loss: Option<f64>,
    /// Rows it suppresses, where it keeps them.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub suppressed_rows: Option<u64>,
    /// Whether it is the solution.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub chosen: bool,
}

/// Looks at every node, or, in a lattice of more than fifty thousand, at the solution and its neighbours.
pub fn explore(
    study: &Study,
    solution: Option<&Node>,
    watch: &dyn Watch,
) -> Result<ExploredLattice, RunError> {
    let lattice = study.task.lattice();
    let all = lattice.enumerable(MOST_NODES).ok();
    let mut listed: Vec<Node> = match (all, solution) {
        (Some(nodes), _) => (0..nodes).map(|index| lattice.node(index)).collect(),
        (None, Some(node)) => around(study, node),
        (None, None) => Vec::new(),
    };
    listed.sort_by(|a, b| a.height().cmp(&b.height()).then_with(|| a.levels().cmp(b.levels())));
    let look = |checker: &mut paravent_core::solve::NodeChecker<'_>, node: &Node| {
        if watch.stop() {
            return Err(RunError::Stopped);
        }
        let verdict = checker.check(node).map_err(|error| StudyError::from(SearchError::from(error)))?;
        Ok(ExploredNode {
            levels: node.levels().to_vec(),
            class: if verdict.holds { NodeClass::Anonymous } else { NodeClass::NotAnonymous },
            loss: verdict.holds.then_some(verdict.loss),
            suppressed_rows: verdict.holds.then_some(verdict.suppressed_rows),
            chosen: solution == Some(node),
        })
    };
    // Neighbours of a chunk share snapshots of their classes.
    let chunks: Result<Vec<Vec<ExploredNode>>, RunError> = listed
        .par_chunks(256)
        .map(|chunk| {
            let mut checker = study.checker();
            chunk.iter().map(|node| look(&mut checker, node)).collect()
        })
        .collect();
    let counts = LatticeCounts(lattice);
    Ok(ExploredLattice {
        paravent: env!("CARGO_PKG_VERSION"),
        attributes: attributes(study),
        node_count: lattice.node_count().to_string(),
        level_sizes: counts.level_sizes().iter().map(ToString::to_string).collect(),
        strategies: counts.strategies().to_string(),
        sublattices: counts.sublattices().to_string(),
        metric: study.job.search.metric.name(),
        suppression_limit: study.task.suppression_limit(),
        complete: all.is_some(),
        nodes: chunks?.into_iter().flatten().collect(),
    })
}

fn around(study: &Study, node: &Node) -> Vec<Node> {
    let lattice = study.task.lattice();
    let mut nodes = vec![node.clone()];
    for (column, &level) in node.levels().iter().enumerate() {
        let below = level.checked_sub(1).filter(|&lower| lower >= lattice.lowest()[column]);
        let above = level.checked_add(1).filter(|&higher| higher <= lattice.highest()[column]);
        nodes.extend(below.into_iter().chain(above).map(|level| node.with_level(column, level)));
    }
    nodes
}

fn attributes(study: &Study) -> Vec<ExploredAttribute> {
    let lattice = study.task.lattice();
    let least = LEAST_ROWS.max(study.task.criteria().least_class_size());
    let columns = study.task.ladders().iter().enumerate();
    columns
        .map(|(position, ladder)| {
            let levels = lattice.lowest()[position]..=lattice.highest()[position];
            let rows = study.counted.rows_by_code(position);
            ExploredAttribute {
                name: study.counted.columns[position].name.clone(),
                levels: levels
                    .map(|level| {
                        let LabelsShown { named, distinct } = labels_at(ladder, level, rows, least);
                        let labels = if level == 0 { Vec::new() } else { named };
                        ExploredLevel { level, distinct, labels }
                    })
                    .collect(),
            }
        })
        .collect()
}
