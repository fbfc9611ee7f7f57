//! The risk–utility curve: the same job under other class sizes and other limits.

mod svg;

use crate::error::RunError;
use crate::run::{self, RunOptions};
use paravent_core::release::Solution;
use paravent_job::{self as job, DecimalText, Model};
use paravent_prepare::study::{Found, Study, StudyError, refuse};
use paravent_tables::watch::Watch;
use serde::Serialize;
use serde_json::{Map, Value, json};
use std::path::Path;

/// Over which values.
#[derive(Debug, Clone)]
pub struct CurveOptions {
    /// Class sizes.
    pub k: Vec<u32>,
    /// Suppression limits.
    pub limits: Vec<DecimalText>,
}

impl Default for CurveOptions {
    fn default() -> CurveOptions {
        let limits = ["0", "0.01", "0.02", "0.05", "0.1", "0.2"];
        CurveOptions {
            k: vec![2, 3, 5, 10, 20, 50],
            limits: limits.iter().filter_map(|text| DecimalText::new(text).ok()).collect(),
        }
    }
}

/// What is varied; all else is as the job says.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Over {
    /// k of k-anonymity.
    K,
    /// The suppression limit.
    SuppressionLimit,
}

/// A curve over each of the two.
#[derive(Debug, Clone, Serialize)]
pub struct Curve {
    /// Version of the program.
    pub paravent: &'static str,
    /// Digest of the job file.
    pub job_sha256: String,
    /// Name of the metric that each point minimises.
    pub metric: &'static str,
    /// The points, those over k first.
    pub points: Vec<CurvePoint>,
}

/// The best release under one value.
#[derive(Debug, Clone, Serialize)]
pub struct CurvePoint {
    /// What is varied.
    pub over: Over,
    /// Its value, as it would be written in the job.
    pub value: String,
    /// Whether it is what the job says.
    pub of_the_job: bool,
    /// Whether there is a release.
    pub feasible: bool,
    /// The loss that was minimised.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub loss: Option<f64>,
    /// Every metric by name.
    #[serde(skip_serializing_if = "Map::is_empty")]
    pub losses: Map<String, Value>,
    /// Share of the rows that are suppressed.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub suppressed: Option<f64>,
    /// Mean risk that a released row is found again by its quasi-identifiers: classes by rows.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub mean_risk: Option<f64>,
    /// The highest such risk: one by the smallest class.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub highest_risk: Option<f64>,
    /// Levels of the quasi-identifiers, unless every class has labels of its own.
    #[serde(skip_serializing_if = "Map::is_empty")]
    pub transformation: Map<String, Value>,
}

/// Searches the job's table once for every value; it is read once.
pub fn curve(
    path: &Path,
    options: &RunOptions,
    over: &CurveOptions,
    watch: &dyn Watch,
) -> Result<Curve, RunError> {
    let (job, job_sha256) = run::load(path, options)?;
    refuse(&job).map_err(StudyError::from)?;
    run::in_pool(&job, || {
        let mut study = Study::prepare(job.clone(), None, options.show_values, watch)?;
        let mut points = Vec::new();
        let now = job.privacy.models.iter().find_map(k_of);
        for &k in &over.k {
            let mut models = job.privacy.models.clone();
            match models.iter().position(|model| k_of(model).is_some()) {
                Some(at) => models[at] = job::models::KAnonymity { k }.into(),
                None => models.push(job::models::KAnonymity { k }.into()),
            }
            study.ask(&models, &job.privacy.suppression_limit)?;
            points.push(point(&study, Over::K, k.to_string(), now == Some(k), watch)?);
        }
        for limit in &over.limits {
            study.ask(&job.privacy.models, limit)?;
            let now = *limit == job.privacy.suppression_limit;
            points.push(point(&study, Over::SuppressionLimit, limit.to_string(), now, watch)?);
        }
        let metric = job.search.metric.name();
        Ok(Curve { paravent: env!("CARGO_PKG_VERSION"), job_sha256: job_sha256.clone(), metric, points })
    })
}

fn k_of(model: &Model) -> Option<u32> {
    match model {
        Model::KAnonymity(job::models::KAnonymity { k }) => Some(*k),
        _ => None,
    }
}

fn point(
    study: &Study,
    over: Over,
    value: String,
    of_the_job: bool,
    watch: &dyn Watch,
) -> Result<CurvePoint, RunError> {
    let point = CurvePoint {
        over,
        value,
        of_the_job,
        feasible: false,
        loss: None,
        losses: Map::new(),
        suppressed: None,
        mean_risk: None,
        highest_risk: None,
        transformation: Map::new(),
    };
    let Ok((found, solution)) = run::find(study, None, watch)? else { return Ok(point) };
    Ok(filled(point, study, &found, &solution))
}

fn filled(point: CurvePoint, study: &Study, found: &Found, solution: &Solution) -> CurvePoint {
    let rows = study.table.row_count();
    // Where people are counted, sizes are people.
    let in_classes: u64 = solution.class_sizes.iter().map(|(size, classes)| size * classes).sum();
    CurvePoint {
        feasible: true,
        loss: found.report.best.as_ref().map(|best| best.loss),
        losses: solution
            .losses
            .iter()
            .map(|(metric, value)| (metric.name().to_owned(), json!(value)))
            .collect(),
        suppressed: Some(solution.suppressed_rows as f64 / rows.max(1) as f64),
        mean_risk: Some(solution.classes as f64 / in_classes.max(1) as f64),
        highest_risk: Some(1.0 / solution.smallest_class.max(1) as f64),
        transformation: match &solution.boxes {
            None => study.transformation(&solution.node),
            Some(_) => Map::new(),
        },
        ..point
    }
}
