//! Reads, counts and prepares; then searches.

use super::columns::{ColumnPlan, Treatment};
use super::levels::{climb, lattice, value_type};
use super::models::{Constrained, Translation};
use crate::encode::{CodedColumn, Combinations, Counted, Origin, PopulationCount, ScanError, Tuples, scan};
use crate::job::{self, Job, Population, Problem, Problems, Role};
use crate::read::{Dialect, Encoding, Fingerprint, Format, Input, ReadError, ReadOptions};
use crate::release::Transform;
use crate::watch::{Phase, Watch};
use paravent_core::criteria::{Criteria, Suppression};
use paravent_core::exact::Fraction;
use paravent_core::hierarchy::{Hierarchy, Ladder};
use paravent_core::lattice::{Lattice, NodeOrder};
use paravent_core::quality::Metric;
use paravent_core::release::Solution;
use paravent_core::search::{
    Algorithm, Flow, LocalChecker, Observer, Problem as SearchProblem, Progress, SearchError, SearchInput,
    SearchReport,
};
use paravent_core::table::{FrequencyTable, TableError};
use paravent_core::values::ValueType;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

/// A job whose table has been read and counted.
#[derive(Debug)]
pub struct Study {
    /// The job.
    pub job: Job,
    /// The table; can be read again.
    pub input: Input,
    /// Where it is, for messages.
    pub input_path: PathBuf,
    /// How it turned out to be stored.
    pub dialect: Dialect,
    /// What the file looked like when it was read.
    pub fingerprint: Fingerprint,
    /// Which column is what.
    pub columns: ColumnPlan,
    /// The counted tuples.
    pub counted: Counted,
    /// What the search sees of them.
    pub table: FrequencyTable,
    /// By quasi-identifier.
    pub hierarchies: Vec<Hierarchy>,
    /// By quasi-identifier.
    pub ladders: Vec<Ladder>,
    /// By quasi-identifier.
    pub weights: Vec<f64>,
    /// The nodes that the job allows.
    pub lattice: Lattice,
    /// Whether an earlier transformation says which node it is, so that the job's levels do not matter.
    pub levels_are_given: bool,
    /// Which node is preferred.
    pub order: NodeOrder,
    /// What every class must keep.
    pub criteria: Criteria,
    /// Rows that may be suppressed.
    pub suppression_limit: u64,
    /// Rows of the population, where there is one.
    pub population_rows: Option<u64>,
    /// Things the user should know.
    pub warnings: Vec<String>,
    /// Time it took.
    pub elapsed: Duration,
    constrained: Constrained,
    combinations: Vec<Combinations>,
    subset: SubsetFlags,
}

/// What a search found.
#[derive(Debug)]
pub struct Found {
    /// The search's own account.
    pub report: SearchReport,
    /// The best node applied; `None` when there is none.
    pub solution: Option<Solution>,
    /// The algorithm that ran.
    pub algorithm: Algorithm,
    /// Case of monotonicity.
    pub case: u8,
    /// Checks that started from a snapshot.
    pub rollups: u64,
    /// Most memory held by tuples and snapshots.
    pub peak_bytes: usize,
    /// Threads used.
    pub threads: usize,
    /// Time it took.
    pub elapsed: Duration,
}

/// Why a job could not be prepared or searched.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum StudyError {
    /// The job, a hierarchy or the table's columns are at fault.
    #[error(transparent)]
    Problems(#[from] Problems),
    /// The table could not be read.
    #[error(transparent)]
    Scan(#[from] ScanError),
    /// The search gave up.
    #[error(transparent)]
    Search(#[from] SearchError),
}

impl From<ReadError> for StudyError {
    fn from(error: ReadError) -> StudyError {
        StudyError::Scan(ScanError::Read(error))
    }
}

/// Memory for snapshots where the job does not say.
const DEFAULT_MEMORY: u64 = 1 << 30;

impl Study {
    /// Reads and counts the table of a job. With `fixed`, hierarchies and levels are those of an earlier transformation.
    /// `show_values` lets messages quote cells that have no place in a hierarchy.
    pub fn prepare(
        job: Job,
        fixed: Option<&Transform>,
        show_values: bool,
        watch: &dyn Watch,
    ) -> Result<Study, StudyError> {
        let started = Instant::now();
        let options = read_options(&job)?;
        let input_path = options.path.clone();
        let input = Input::new(options)?;
        watch.begin(Phase::Reading);
        let fingerprint = input.fingerprint()?;
        let mut source = input.open()?;
        let columns = ColumnPlan::new(&job, source.columns())?;
        let dialect = source.dialect().clone();
        let constrained = Constrained::of(&job.privacy.models);
        let mut coded = coded_columns(&job, &constrained);
        let (quasi, width) = (columns.quasi_identifiers.len(), coded.len());
        let mut wanted = columns.quasi_identifiers.clone();
        let position = |name: &String| columns.columns.iter().position(|column| column.name == *name);
        wanted.extend(constrained.names.iter().filter_map(position));
        wanted.extend(columns.subset);
        source.select(&wanted)?;

        let mut tuples = Tuples::new(width + 1);
        let mut flags = SubsetFlags::default();
        if columns.subset.is_some() {
            coded.push(CodedColumn::new("", ValueType::Boolean));
        }
        let mut tuple = vec![0u32; width + 1];
        // The flag's dictionary grows while rows are counted, so its codes are told apart after the pass.
        let mut flagged = Tuples::new(width + usize::from(columns.subset.is_some()));
        let progress = |rows| {
            watch.advance(rows, None);
            !watch.stop()
        };
        let rows_read = scan(
            source,
            input_path.clone(),
            &mut coded,
            |codes| {
                flagged.add(codes, 1);
            },
            progress,
        )?;
        if columns.subset.is_some() {
            flags.read(coded.pop());
        }
        for number in 0..flagged.len() as u32 {
            let codes = flagged.tuple(number);
            tuple[..width].copy_from_slice(&codes[..width]);
            let in_table = columns.subset.is_none() || flags.in_table(codes[width]);
            tuple[width] = if in_table { Origin::Table } else { Origin::Population } as u32;
            tuples.add(&tuple, flagged.count(number));
        }
        drop(flagged);
        input.unchanged_since(&fingerprint)?;
        if rows_read == 0 {
            return Err(Problem::new(&input_path, "the table has no rows").into_error());
        }

        let population = population_rows(&job, &mut coded[..quasi], width, &mut tuples, watch)?;
        let mut counted = Counted::new(coded, quasi, tuples);
        let how = match job.privacy.population() {
            None => PopulationCount::None,
            Some(Population::Table(_)) => PopulationCount::OthersAreThePopulation,
            Some(Population::Subset(_)) => PopulationCount::OthersJoinTheTable,
        };
        let (table, combinations) = counted
            .frequency_table(&constrained.views, how)
            .map_err(|error| table_problem(&job, &input_path, &error))?;
        settle_types(&job, &mut counted);

        let mut problems = Problems::default();
        let (mut hierarchies, mut ladders, mut weights) = (Vec::new(), Vec::new(), Vec::new());
        let declared = job.attributes.iter().enumerate().filter(|(_, a)| a.role == Role::QuasiIdentifier);
        for ((index, attribute), column) in declared.zip(&counted.columns) {
            let hierarchy = match fixed {
                None => None,
                Some(transform) => match transform.generalization(&attribute.name) {
                    Some((hierarchy, _)) => Some(hierarchy.clone()),
                    None => {
                        let message = "is not a quasi-identifier of the transformation to apply";
                        problems.push(job.problem(&format!("attributes[{index}].name"), message));
                        continue;
                    }
                },
            };
            match climb(&job, index, hierarchy, column, &input_path, show_values) {
                Ok(climbed) => {
                    hierarchies.push(climbed.hierarchy);
                    ladders.push(climbed.ladder);
                    weights.push(attribute.weight);
                }
                Err(more) => problems.extend(more),
            }
        }
        problems.into_result(())?;
        let lattice = match fixed {
            None => lattice(&job, &ladders)?,
            Some(transform) => {
                let level = |attribute: &job::Attribute| {
                    transform.generalization(&attribute.name).map(|(_, level)| level)
                };
                let levels: Vec<u8> = job.with_role(Role::QuasiIdentifier).filter_map(level).collect();
                Lattice::new(levels.clone(), levels)
                    .map_err(|error| job.problem("attributes", error.to_string()).into_error())?
            }
        };
        let names = job.with_role(Role::QuasiIdentifier).map(|attribute| attribute.name.as_str());
        let order = NodeOrder::new(names.zip(&ladders));

        let rows = table.row_count();
        let limit = Fraction::parse(job.privacy.suppression_limit.as_str())
            .map_err(|error| job.problem("privacy.suppression_limit", error.to_string()).into_error())?;
        // An empty release is no release.
        let suppression_limit = limit.floor_of(rows).min(rows - 1);
        too_large_classes(&job, rows)?;
        let translation = Translation {
            job: &job,
            constrained: &constrained,
            columns: &counted.columns[quasi..],
            table: &table,
            combinations: &combinations,
            input: &input_path,
        };
        let criteria = criteria(&translation, &job.privacy.models, suppression_limit)?;
        let criteria =
            if job.search.practical_monotonicity { criteria.assuming_monotonicity() } else { criteria };
        let warnings = warnings(&job, &columns);
        Ok(Study {
            input,
            input_path,
            dialect,
            fingerprint,
            columns,
            counted,
            table,
            hierarchies,
            ladders,
            weights,
            lattice,
            levels_are_given: fixed.is_some(),
            order,
            criteria,
            suppression_limit,
            population_rows: population,
            warnings,
            elapsed: started.elapsed(),
            constrained,
            combinations,
            subset: flags,
            job,
        })
    }

    /// A checker over the counted table.
    pub fn checker(&self) -> LocalChecker<'_> {
        self.checker_with(&self.criteria, self.suppression_limit)
    }

    pub(super) fn checker_with<'a>(
        &'a self,
        criteria: &'a Criteria,
        suppression_limit: u64,
    ) -> LocalChecker<'a> {
        let memory = self.job.search.memory.map_or(DEFAULT_MEMORY, |memory| memory.bytes());
        LocalChecker::new(SearchInput {
            table: &self.table,
            ladders: &self.ladders,
            weights: &self.weights,
            criteria,
            metric: metric(self.job.search.metric),
            suppression_limit,
            history_bytes: usize::try_from(memory / 2).unwrap_or(usize::MAX),
        })
    }

    /// Looks for the best node.
    pub fn search(&self, watch: &dyn Watch) -> Result<Found, StudyError> {
        watch.begin(Phase::Searching);
        let started = Instant::now();
        let algorithm = algorithm(&self.job)?;
        let checker = self.checker();
        let threads = threads(self.job.search.threads);
        let patience =
            Patience { watch, deadline: self.job.search.time_limit().map(|limit| started + limit) };
        let problem = SearchProblem {
            lattice: &self.lattice,
            order: &self.order,
            case: checker.case(),
            case_is_assumed: self.criteria.assumes_more_than_is_proven(),
            checker: &checker,
            observer: &patience,
            threads,
        };
        let report =
            paravent_core::search::run(&problem, algorithm).map_err(|error| self.search_problem(error))?;
        if watch.stop() {
            return Err(ScanError::Stopped.into());
        }
        let elapsed = started.elapsed();
        let stats = checker.stats();
        let solution = report.best.as_ref().map(|best| Solution::at(&checker, &best.node));
        Ok(Found {
            case: problem.case.number(),
            report,
            solution,
            algorithm,
            rollups: stats.rollups,
            peak_bytes: stats.peak_bytes,
            threads,
            elapsed,
        })
    }

    /// A lattice too large to enumerate is a matter of the job: say how to shrink it.
    fn search_problem(&self, error: SearchError) -> StudyError {
        match error {
            SearchError::Lattice(lattice) => {
                let problem = self.job.problem("attributes", lattice.to_string());
                let advice = "Raise min_level or lower max_level of quasi-identifiers, use hierarchies with fewer levels, \
                              or declare fewer quasi-identifiers";
                problem.advise(advice).into_error()
            }
            other => other.into(),
        }
    }

    pub(super) fn translation(&self) -> Translation<'_> {
        Translation {
            job: &self.job,
            constrained: &self.constrained,
            columns: &self.counted.columns[self.counted.quasi_identifiers..],
            table: &self.table,
            combinations: &self.combinations,
            input: &self.input_path,
        }
    }

    pub(super) fn sensitive_column(&self, attribute: &str) -> (usize, &CodedColumn) {
        let position = self.constrained.column_of(attribute).unwrap_or_default();
        (position, &self.counted.columns[self.counted.quasi_identifiers + position])
    }

    /// Position of a constrained sensitive column among the counted columns.
    pub fn counted_position(&self, column: &str) -> Option<usize> {
        self.constrained.column_of(column).map(|position| self.counted.quasi_identifiers + position)
    }

    /// The type of a column, by name: what was declared, or what all values turned out to be.
    pub fn type_name(&self, column: &super::InputColumn) -> &'static str {
        let counted = match column.treatment {
            Treatment::QuasiIdentifier(position) => Some(position),
            _ => self.counted_position(&column.name),
        };
        let declared = column.attribute.and_then(|index| self.job.attributes[index].data_type);
        match counted {
            Some(position) => self.counted.columns[position].value_type.name(),
            None => declared.map_or("string", job::DataType::name),
        }
    }

    /// Whether a code of the subset column says that a row is to be released.
    pub fn says_in_table(&self, code: u32) -> bool {
        self.subset.in_table(code)
    }

    /// The subset column with the codes of the first pass.
    pub fn subset_column(&self) -> CodedColumn {
        self.subset.column.clone().unwrap_or_else(|| CodedColumn::new("", ValueType::Boolean))
    }

    pub(super) fn totals_of(&self, attribute: &str) -> Vec<u64> {
        let (position, column) = self.sensitive_column(attribute);
        let mut totals = vec![0; column.dictionary.len()];
        for (tuple, codes) in self.counted.tuples_in_table() {
            totals[codes[self.counted.quasi_identifiers + position] as usize] +=
                self.counted.tuples.count(tuple);
        }
        totals
    }
}

impl Counted {
    /// Numbers and codes of the tuples that have rows in the table to release.
    pub fn tuples_in_table(&self) -> impl Iterator<Item = (u32, &[u32])> {
        let all = (0..self.tuples.len() as u32).map(|number| (number, self.tuples.tuple(number)));
        all.filter(|(_, codes)| codes.last() == Some(&(Origin::Table as u32)))
    }
}

pub(super) fn criteria(
    translation: &Translation<'_>,
    models: &[job::Model],
    suppression_limit: u64,
) -> Result<Criteria, Problems> {
    let mut problems = Problems::default();
    let mut members = Vec::new();
    for (index, model) in models.iter().enumerate() {
        match translation.criterion(model, &format!("privacy.models[{index}]")) {
            Ok(member) => members.push(member),
            Err(more) => problems.extend(more),
        }
    }
    problems.into_result(())?;
    let suppression = if suppression_limit == 0 { Suppression::Forbidden } else { Suppression::Allowed };
    Ok(Criteria::new(members, suppression))
}

/// How the job says the table is stored.
pub(crate) fn read_options(job: &Job) -> Result<ReadOptions, Problems> {
    let path = match &job.input.source {
        job::InputSource::File(path) => job.resolve(path),
        job::InputSource::Stdin => PathBuf::from("-"),
        job::InputSource::Postgres { .. } => {
            let problem = job.problem("input.url", "reading from a database is not available in this build");
            return Err(problem.advise("Export the table to a file and write path = \"…\"").into());
        }
    };
    let mut options = ReadOptions::new(path);
    options.format = job.input.format.and_then(|format| Format::from_name(format.name()));
    options.delimiter = job.input.delimiter.map(|c| c.byte());
    options.quote = job.input.quote.map(|c| c.byte());
    if options.format.is_none_or(|format| matches!(format, Format::Csv | Format::Tsv)) {
        options.null = delimited_null(job, &options.path);
    }
    if let Some(encoding) = job.input.encoding {
        let name = encoding.name();
        options.encoding = Some(Encoding::from_name(&name.to_ascii_lowercase()).ok_or_else(|| {
            let problem = job.problem("input.encoding", format!("tables in {name} cannot be read"));
            Problems::from(problem.advise("Write \"utf-8\", \"latin-1\" or \"utf-16\""))
        })?);
    }
    Ok(options)
}

/// The job's texts for a missing value, where the file is delimited text; formats with a null of their own need none.
fn delimited_null(job: &Job, path: &Path) -> Option<Vec<String>> {
    let delimited = matches!(Format::of_path(path), Some(Format::Csv | Format::Tsv) | None);
    delimited.then(|| job.input.null.clone())
}

fn coded_columns(job: &Job, constrained: &Constrained) -> Vec<CodedColumn> {
    let typed = |name: &str| {
        let declared = job.attribute(name).and_then(|(_, attribute)| attribute.data_type);
        CodedColumn::new(name, declared.map_or(ValueType::String, value_type))
    };
    let quasi = job.with_role(Role::QuasiIdentifier).map(|attribute| typed(&attribute.name));
    quasi.chain(constrained.names.iter().map(|name| typed(name))).collect()
}

/// Columns without a declared type get the narrowest one that all their values have.
fn settle_types(job: &Job, counted: &mut Counted) {
    for column in &mut counted.columns {
        let declared = job.attribute(&column.name).and_then(|(_, attribute)| attribute.data_type);
        if declared.is_none() {
            column.value_type = crate::hierarchies::type_of(&column.dictionary.cells());
        }
    }
}

/// The subset column, and which of its codes say "in the table".
#[derive(Debug, Default)]
struct SubsetFlags {
    column: Option<CodedColumn>,
    in_table: Vec<bool>,
}

impl SubsetFlags {
    fn read(&mut self, column: Option<CodedColumn>) {
        let says_yes = |cell: Option<&str>| {
            cell.is_some_and(|text| {
                matches!(text.to_ascii_lowercase().as_str(), "1" | "true" | "t" | "yes" | "ja")
            })
        };
        self.in_table = column.iter().flat_map(|column| column.dictionary.cells()).map(says_yes).collect();
        self.column = column;
    }

    fn in_table(&self, code: u32) -> bool {
        self.in_table.get(code as usize).copied().unwrap_or(false)
    }
}

/// Counts the rows of a population table into the tuples.
fn population_rows(
    job: &Job,
    quasi: &mut [CodedColumn],
    width: usize,
    tuples: &mut Tuples,
    watch: &dyn Watch,
) -> Result<Option<u64>, StudyError> {
    let path = match job.privacy.population() {
        Some(Population::Table(path)) => job.resolve(path),
        Some(Population::Subset(_)) => {
            return Ok(Some((0..tuples.len() as u32).map(|number| tuples.count(number)).sum()));
        }
        None => return Ok(None),
    };
    watch.begin(Phase::ReadingPopulation);
    let mut options = ReadOptions::new(&path);
    options.null = delimited_null(job, &path);
    let mut source = Input::new(options)?.open()?;
    let mut wanted = Vec::new();
    let mut problems = Problems::default();
    for column in quasi.iter() {
        match source.columns().iter().position(|name| *name == column.name) {
            Some(position) => wanted.push(position),
            None => {
                problems.push(Problem::new(&path, format!("the population has no column {:?}", column.name)))
            }
        }
    }
    problems.into_result(())?;
    source.select(&wanted)?;
    let mut tuple = vec![0u32; width + 1];
    tuple[width] = Origin::Population as u32;
    let count = |codes: &[u32]| {
        tuple[..codes.len()].copy_from_slice(codes);
        tuples.add(&tuple, 1);
    };
    let progress = |rows| {
        watch.advance(rows, None);
        !watch.stop()
    };
    Ok(Some(scan(source, path, quasi, count, progress)?))
}

fn table_problem(job: &Job, input: &Path, error: &TableError) -> StudyError {
    match error {
        TableError::NotInPopulation { .. } => {
            let message = "the population does not contain the table: some combination of quasi-identifiers has more rows in \
                           the table than in the population";
            job.problem("privacy.models", message).into_error()
        }
        TableError::Empty => Problem::new(input, "no row is in the subset to release").into_error(),
        _ => Problem::new(input, error.to_string()).into_error(),
    }
}

/// A class size beyond the table is a typing error, not a hard problem.
fn too_large_classes(job: &Job, rows: u64) -> Result<(), Problems> {
    let mut problems = Problems::default();
    for (index, model) in job.privacy.models.iter().enumerate() {
        if let job::Model::KAnonymity { k } = model
            && u64::from(*k) > rows
        {
            let key = format!("privacy.models[{index}].k");
            let problem = job.problem(&key, format!("k = {k}, but the table has {rows} rows to release"));
            problems.push(problem.advise(format!("Write k = {rows} or less")));
        }
    }
    problems.into_result(())
}

fn warnings(job: &Job, columns: &ColumnPlan) -> Vec<String> {
    let mut warnings = Vec::new();
    for name in columns.undeclared() {
        warnings.push(format!("column {name} is not in the job file, so it is left out"));
    }
    if job.output.order == job::RowOrder::Input {
        warnings.push("rows keep the order of the input, which can give people away".to_owned());
    }
    if job.search.practical_monotonicity {
        warnings.push("monotonicity is assumed, not proven: the result may not be optimal".to_owned());
    }
    let promises_diversity =
        job.privacy.models.iter().any(|model| !matches!(model, job::Model::KAnonymity { .. }));
    let has_sensitive = columns.columns.iter().any(|column| column.treatment == Treatment::Sensitive);
    if has_sensitive && !promises_diversity {
        warnings.push(
            "no model guards the sensitive columns: everybody in a class may share a value (see distinct-l-diversity, t-closeness)"
                .to_owned(),
        );
    }
    warnings
}

fn metric(name: job::Metric) -> Metric {
    match name {
        job::Metric::Height => Metric::Height,
        job::Metric::Precision => Metric::Precision,
        job::Metric::PrecisionM => Metric::MonotonePrecision,
        job::Metric::Loss => Metric::Loss,
        job::Metric::LossGeometric => Metric::GeometricLoss,
        job::Metric::Aecs => Metric::AverageClassSize,
        job::Metric::Discernibility => Metric::Discernibility,
        job::Metric::DiscernibilityM => Metric::MonotoneDiscernibility,
        job::Metric::Entropy => Metric::Entropy,
        job::Metric::Nuem => Metric::NonUniformEntropy,
        job::Metric::Nmnuem => Metric::NonMonotoneNonUniformEntropy,
    }
}

/// The algorithm a job asks for.
fn algorithm(job: &Job) -> Result<Algorithm, Problems> {
    match job.search.algorithm {
        job::Algorithm::Auto | job::Algorithm::Flash => Ok(Algorithm::Flash),
        job::Algorithm::Exhaustive => Ok(Algorithm::Exhaustive),
        job::Algorithm::FlashParallel
        | job::Algorithm::FlashDfs
        | job::Algorithm::FlashTwoPhase
        | job::Algorithm::Ola
        | job::Algorithm::Incognito
        | job::Algorithm::Samarati
        | job::Algorithm::Bfs
        | job::Algorithm::Dfs
        | job::Algorithm::BestFirst => {
            let name = job.search.algorithm.name();
            let problem = job.problem("search.algorithm", format!("{name} is not part of this version"));
            Err(problem
                .advise("Write algorithm = \"auto\", \"flash\" or \"exhaustive\"; all give the same release")
                .into())
        }
    }
}

fn threads(asked: u32) -> usize {
    match asked {
        0 => std::thread::available_parallelism().map_or(1, usize::from),
        n => n as usize,
    }
}

/// Stops a search when time is up or somebody asks to.
struct Patience<'a> {
    watch: &'a dyn Watch,
    deadline: Option<Instant>,
}

impl Observer for Patience<'_> {
    fn after_check(&self, progress: &Progress) -> Flow {
        self.watch.advance(progress.decided, Some(progress.nodes));
        let late = self.deadline.is_some_and(|deadline| Instant::now() >= deadline);
        if late || self.watch.stop() { Flow::Stop } else { Flow::Continue }
    }
}

impl Problem {
    /// The problem as the error of a study.
    pub(crate) fn into_error(self) -> StudyError {
        StudyError::Problems(self.into())
    }
}
