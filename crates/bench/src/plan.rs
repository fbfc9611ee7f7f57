//! What is to be measured, and the measuring of it.

use crate::audience::Audience;
use crate::baseline::Baseline;
use crate::case::Case;
use crate::dataset::{self, DataSet, Shape};
use crate::effort::measure_effort;
use crate::end_to_end;
use crate::error::BenchError;
use crate::measure::{Settings, measure};
use crate::parts;
use crate::promise::{Threshold, UnknownPromise};
use crate::recoding;
use crate::results::{
    CaseResult, DataSetFacts, EffortResult, EndToEnd, PartsResult, RecodingResult, Results, SavedResult,
    SettingResult, SettingsSummary, Summary,
};
use crate::suppression;
use crate::workload::{Overrides, Workload, cases, steps};
use paravent_core::search::Algorithm;
use std::path::{Path, PathBuf};

/// What is to be measured.
#[derive(Debug, Clone)]
pub struct Plan {
    /// Data folders.
    pub folders: Vec<PathBuf>,
    /// Tables to be made up. Without folders and shapes, one like ADULT is.
    pub shapes: Vec<Shape>,
    /// What to run.
    pub workloads: Vec<Workload>,
    /// The sensitive column, where it is not the usual one.
    pub sensitive: Option<String>,
    /// What the user wants otherwise than the literature.
    pub overrides: Overrides,
    /// Reference times.
    pub baseline: Option<PathBuf>,
    /// Rows of the largest made-up table of the scaling workload.
    pub most_rows: usize,
    /// How runs are made.
    pub settings: Settings,
}

impl Plan {
    /// These workloads, all else as usual: best-first and Flash, one thread, the median of three runs after a warm-up.
    pub fn new(workloads: Vec<Workload>) -> Plan {
        Plan {
            folders: Vec::new(),
            shapes: Vec::new(),
            workloads,
            sensitive: None,
            overrides: Overrides::default(),
            baseline: None,
            most_rows: 1_000_000,
            settings: Settings {
                algorithms: vec![Algorithm::BestFirst, Algorithm::Flash],
                threads: 1,
                snapshot_bytes: None,
                repeat: 3,
                warm_up: 1,
                time_limit: None,
            },
        }
    }

    fn runs(&self, workload: Workload) -> bool {
        self.workloads.contains(&workload)
    }

    /// Whether some workload looks at the user's tables.
    fn needs_tables(&self) -> bool {
        self.workloads.iter().any(|workload| *workload != Workload::Scaling)
    }
}

/// Runs a plan to its end.
pub fn run(plan: &Plan, audience: &dyn Audience) -> Result<Results, BenchError> {
    let baseline = plan.baseline.as_deref().map(Baseline::read).transpose()?;
    if plan.runs(Workload::Baseline) && baseline.is_none() {
        return Err(BenchError::NoBaseline);
    }
    let mut bench = Bench {
        plan,
        baseline,
        audience,
        datasets: Vec::new(),
        cases: Vec::new(),
        end_to_end: Vec::new(),
        recoding: Vec::new(),
        settings: Vec::new(),
        saved: Vec::new(),
        parts: Vec::new(),
        effort: Vec::new(),
    };
    if plan.needs_tables() {
        bench.tables()?;
    }
    if plan.runs(Workload::Scaling) {
        bench.scaling()?;
    }
    let summary = Summary::of(&bench.cases);
    Ok(Results {
        paravent: env!("CARGO_PKG_VERSION"),
        build: if cfg!(debug_assertions) { "debug" } else { "release" },
        workloads: plan.workloads.iter().map(|workload| workload.name()).collect(),
        threads: plan.settings.thread_count(),
        repeat: plan.settings.repeat,
        datasets: bench.datasets,
        cases: bench.cases,
        end_to_end: bench.end_to_end,
        recoding: bench.recoding,
        settings_summary: SettingsSummary::of(&bench.settings),
        settings: bench.settings,
        saved: bench.saved,
        parts: bench.parts,
        effort: bench.effort,
        summary,
    })
}

struct Bench<'a> {
    plan: &'a Plan,
    baseline: Option<Baseline>,
    audience: &'a dyn Audience,
    datasets: Vec<DataSetFacts>,
    cases: Vec<CaseResult>,
    end_to_end: Vec<EndToEnd>,
    recoding: Vec<RecodingResult>,
    settings: Vec<SettingResult>,
    saved: Vec<SavedResult>,
    parts: Vec<PartsResult>,
    effort: Vec<EffortResult>,
}

impl Bench<'_> {
    /// One table after the other, so that only one folder's are in memory.
    fn tables(&mut self) -> Result<(), BenchError> {
        for folder in &self.plan.folders {
            for dataset in self.load(folder)? {
                self.table(dataset)?;
            }
        }
        let usual: Vec<Shape> = match self.plan.folders.is_empty() && self.plan.shapes.is_empty() {
            true => Shape::of_known("adult").into_iter().collect(),
            false => Vec::new(),
        };
        for shape in self.plan.shapes.iter().chain(&usual) {
            self.audience.reading(&shape.name);
            self.table(DataSet::generate(shape)?)?;
        }
        self.something_in_common()
    }

    fn load(&self, folder: &Path) -> Result<Vec<DataSet>, BenchError> {
        // A folder of many data sets need not be read whole for the few that have reference times.
        let only_known = self.plan.workloads == [Workload::Baseline];
        let wanted = |name: &str| !only_known || self.baseline.as_ref().is_none_or(|known| known.knows(name));
        let sets = dataset::load(folder, &wanted, self.audience).map_err(stopped);
        match sets {
            Err(BenchError::NoTable { path }) if only_known && path == folder && has_folders(folder) => {
                Ok(Vec::new())
            }
            other => other,
        }
    }

    fn table(&mut self, dataset: DataSet) -> Result<(), BenchError> {
        let dataset = match &self.plan.sensitive {
            Some(name) => dataset.with_sensitive(name)?,
            None => dataset,
        };
        self.datasets.push(DataSetFacts::of(&dataset));
        let mut planned: Vec<Case> = Vec::new();
        for &workload in &self.plan.workloads {
            let more = match (workload, &self.baseline) {
                (Workload::Baseline, Some(baseline)) => baseline.cases_of(&dataset)?,
                _ => cases(workload, &dataset, &self.plan.overrides).map_err(unknown)?,
            };
            for case in more {
                let again = |known: &Case| Case { workload: case.workload, ..known.clone() } == case;
                if !planned.iter().any(again) {
                    planned.push(case);
                }
            }
        }
        for (position, case) in planned.iter().enumerate() {
            self.case(&dataset, case, position, planned.len())?;
        }
        if self.plan.runs(Workload::EndToEnd) {
            self.audience.case(1, 1, &format!("{} end to end", dataset.name));
            let share = self.suppression()?;
            self.end_to_end.push(end_to_end::measure(&dataset, &share, &self.plan.settings, self.audience)?);
        }
        if self.plan.runs(Workload::Recoding) {
            self.audience.case(1, 1, &format!("{} recoded locally", dataset.name));
            self.recoding.push(recoding::measure(&dataset, &self.plan.settings, self.audience)?);
        }
        if self.plan.runs(Workload::RecodingSettings) {
            self.audience.case(1, 1, &format!("{} recoded locally under many promises", dataset.name));
            self.settings.extend(recoding::settings(&dataset, &self.plan.settings, self.audience)?);
        }
        if self.plan.runs(Workload::Suppression) {
            self.audience.case(1, 1, &format!("{} with and without suppression", dataset.name));
            self.saved.extend(suppression::measure(&dataset, &self.plan.settings, self.audience)?);
        }
        if self.plan.runs(Workload::Parts) {
            self.audience.case(1, 1, &format!("{} in parts", dataset.name));
            self.parts.push(parts::measure(&dataset, &self.plan.settings, self.audience)?);
        }
        if self.plan.runs(Workload::Effort) {
            self.audience.case(1, 1, &format!("{} with other snapshots and threads", dataset.name));
            let (overrides, settings) = (&self.plan.overrides, &self.plan.settings);
            self.effort.push(measure_effort(&dataset, overrides, settings, self.audience)?);
        }
        Ok(())
    }

    fn case(&mut self, dataset: &DataSet, case: &Case, position: usize, of: usize) -> Result<(), BenchError> {
        self.audience.case(position + 1, of, &case.label(dataset));
        if self.audience.stop() {
            return Err(BenchError::Stopped);
        }
        let mut result = measure(dataset, case, &self.plan.settings, self.audience)?;
        if let Some(baseline) = &self.baseline
            && let Some(known) = baseline.find(dataset, case)
        {
            result.compare(&baseline.program, known);
        }
        self.cases.push(result);
        Ok(())
    }

    fn scaling(&mut self) -> Result<(), BenchError> {
        let seed = self.plan.shapes.first().map_or(1, |shape| shape.seed);
        let steps = steps(self.plan.most_rows, seed);
        let of = steps.len();
        let suppression = self.suppression()?;
        for (position, step) in steps.into_iter().enumerate() {
            self.audience.reading(&step.shape.name);
            let dataset = DataSet::generate(&step.shape)?;
            let overrides = Overrides {
                suppression: Some(vec![suppression.clone()]),
                metric: self.plan.overrides.metric,
            };
            // The first quick case is 5-anonymity over all columns.
            let quick = cases(Workload::Quick, &dataset, &overrides).map_err(unknown)?;
            for case in quick.into_iter().take(1) {
                let case = Case { workload: Workload::Scaling.name(), ..case };
                self.case(&dataset, &case, position, of)?;
                if let Some(result) = self.cases.last_mut() {
                    result.scale = Some(step.scale);
                }
            }
        }
        Ok(())
    }

    /// The share of suppression where there is only one: the user's first, or 5 %.
    fn suppression(&self) -> Result<Threshold, BenchError> {
        let asked = self.plan.overrides.suppression.as_ref().and_then(|shares| shares.first()).cloned();
        asked.map_or_else(|| "0.05".parse().map_err(unknown), Ok)
    }

    fn something_in_common(&self) -> Result<(), BenchError> {
        let Some(baseline) = &self.baseline else { return Ok(()) };
        let given: Vec<String> = self.datasets.iter().map(|dataset| dataset.name.clone()).collect();
        if !self.plan.runs(Workload::Baseline) || given.iter().any(|name| baseline.knows(name)) {
            return Ok(());
        }
        let given = if given.is_empty() {
            self.plan.folders.iter().map(|f| f.display().to_string()).collect()
        } else {
            given
        };
        Err(BenchError::NothingInCommon { path: baseline.path.clone(), given, known: baseline.datasets() })
    }
}

fn has_folders(folder: &Path) -> bool {
    std::fs::read_dir(folder)
        .is_ok_and(|mut entries| entries.any(|entry| entry.is_ok_and(|entry| entry.path().is_dir())))
}

/// Our own recipes are always readable.
fn unknown(error: UnknownPromise) -> BenchError {
    BenchError::internal(error.to_string())
}

fn stopped(error: BenchError) -> BenchError {
    match error {
        BenchError::Scan(paravent_pipeline::encode::ScanError::Stopped) => BenchError::Stopped,
        other => other,
    }
}
