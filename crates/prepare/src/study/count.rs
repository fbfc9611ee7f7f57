//! The first reading of a job's table: columns matched, cells coded, tuples counted.

use super::StudyError;
use super::columns::ColumnPlan;
use super::models::Constrained;
use super::people::{ReadingTokens, RowsOfPeople, TablePeople};
use super::treatments::{coded_column, refuse_treatments, sampled};
use paravent_core::table::TableError;
use paravent_core::values::ValueType;
use paravent_job::{self as job, Job, Population, Problem, Problems, Role};
use paravent_tables::encode::{
    CodedColumn, CodedLines, Combinations, CountError, Counted, Counting, Frequencies, Origin,
    PopulationCount, ScanError, count_parts, scan_grouped, scan_with,
};
use paravent_tables::engine::{Address, AddressError};
use paravent_tables::read::{
    Batch, Blanks, Dialect, Encoding, Fingerprint, Format, Input, Missing, ReadOptions, Source,
};
use paravent_tables::spill::{Budget, CountingTuples, SpillError};
use paravent_tables::watch::{Phase, Watch};
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// A table that was read and counted.
#[derive(Debug)]
pub(super) struct CountedTable {
    pub(super) input: Input,
    pub(super) path: PathBuf,
    pub(super) dialect: Dialect,
    pub(super) fingerprint: Fingerprint,
    pub(super) columns: ColumnPlan,
    pub(super) constrained: Constrained,
    pub(super) counted: Counted,
    pub(super) table: Arc<Frequencies>,
    pub(super) combinations: Vec<Combinations>,
    pub(super) subset: SubsetFlags,
    pub(super) population_rows: Option<u64>,
    pub(super) people: Option<TablePeople>,
}

impl CountedTable {
    /// Reads a table as a job says, and its population where there is one.
    pub(super) fn read(
        job: &Job,
        input: Input,
        show_values: bool,
        watch: &dyn Watch,
    ) -> Result<CountedTable, StudyError> {
        let path = match input.engine() {
            Some(_) => input.options().shown_path(),
            None => input.options().path.clone(),
        };
        refuse_elsewhere(job, &input)?;
        let input = sampled(job, input)?;
        watch.begin(Phase::Reading);
        let fingerprint = input.fingerprint()?;
        let mut source = input.open()?;
        let columns = ColumnPlan::new(job, source.columns(), show_values)?;
        let dialect = source.dialect().clone();
        let constrained = Constrained::of(&job.privacy.models);
        let mut coded = coded_columns(job, &constrained);
        let (quasi, width) = (columns.quasi_identifiers.len(), coded.len());
        let mut wanted = columns.quasi_identifiers.clone();
        let position = |name: &String| columns.columns.iter().position(|column| column.name == *name);
        wanted.extend(constrained.names.iter().filter_map(position));
        wanted.extend(columns.subset);
        let elsewhere = ReadingTokens::of(job, &input, &columns)?;
        match &elsewhere {
            Some(tokens) => source = tokens.open(&input, &columns, &wanted)?,
            None if job.privacy.person.is_empty() => source.select_grouped(&wanted)?,
            None => {
                for place in job.privacy.person.iter().filter_map(position) {
                    // Part of a key may be a quasi-identifier, such as the hospital beside the number.
                    if !wanted.contains(&place) {
                        wanted.push(place);
                    }
                }
                source.select(&wanted)?;
            }
        }
        let subset_name = columns.subset.map(|index| columns.columns[index].name.as_str());
        let mut rows = RowsOfPeople::of_job(job, elsewhere);
        let (mut counted, subset, population_rows) = match &mut rows {
            None => {
                let budget = budget_of(job);
                let (mut tuples, subset) = count_rows(source, &path, &mut coded, subset_name, budget, watch)?;
                input.unchanged_since(&fingerprint)?;
                if tuples.is_empty() {
                    return Err(ScanError::NoRows { path }.into());
                }
                let population_rows = population_rows(job, &mut coded[..quasi], width, &mut tuples, watch)?;
                (Counted::new(coded, quasi, tuples.finish()?)?, subset, population_rows)
            }
            Some(rows) => {
                let subset = rows.count(source, &path, &mut coded, subset_name, watch)?;
                input.unchanged_since(&fingerprint)?;
                if rows.is_empty() {
                    return Err(ScanError::NoRows { path }.into());
                }
                let population_rows = rows.count_population(&mut coded, quasi, watch)?;
                (rows.counted(coded, quasi), subset, population_rows)
            }
        };
        let how = match job.privacy.population() {
            None => PopulationCount::None,
            Some(Population::Table(_)) if rows.is_some() => PopulationCount::OthersArePeople,
            Some(Population::Table(_)) => PopulationCount::OthersAreThePopulation,
            Some(Population::Subset(_)) => PopulationCount::OthersJoinTheTable,
        };
        let (table, combinations) =
            counted.frequency_table(&constrained.views, how).map_err(|error| match error {
                CountError::Table(error) => table_problem(job, &path, &error),
                CountError::Spill(error) => error.into(),
            })?;
        let people = match rows {
            Some(rows) => Some(rows.people(&counted, &table, (&constrained.views, &combinations))?),
            None => None,
        };
        settle_types(job, &mut counted);
        Ok(CountedTable {
            input,
            path,
            dialect,
            fingerprint,
            columns,
            constrained,
            counted,
            table: Arc::new(table),
            combinations,
            subset,
            population_rows,
            people,
        })
    }
}

/// Counts the tuples of a source that delivers the coded columns, and the subset flag after them where there is one.
fn count_rows(
    source: Source,
    path: &Path,
    coded: &mut Vec<CodedColumn>,
    subset_name: Option<&str>,
    budget: Budget,
    watch: &dyn Watch,
) -> Result<(CountingTuples, SubsetFlags), StudyError> {
    let mut subset = SubsetFlags::default();
    let Some(subset_name) = subset_name else {
        return Ok((tuples_of(source, path, coded, Some(Origin::Table as u32), budget, watch)?, subset));
    };
    // The flag's dictionary grows while rows are counted, so its codes are told apart after the pass.
    let width = coded.len();
    coded.push(CodedColumn::new(subset_name, ValueType::Boolean));
    let flagged = tuples_of(source, path, coded, None, budget, watch)?;
    subset.read(coded.pop());
    let mut tuples = CountingTuples::new(width + 1, budget);
    let mut tuple = vec![Origin::Table as u32; width + 1];
    let tell_apart = |codes: &[u32], count: u64| {
        tuple[..width].copy_from_slice(&codes[..width]);
        tuple[width] = if subset.in_table(codes[width]) { Origin::Table } else { Origin::Population } as u32;
        tuples.add(&tuple, count)
    };
    flagged.finish()?.each(tell_apart)?;
    Ok((tuples, subset))
}

/// Counts the tuples of a source that delivers the coded columns; `last` is the code behind them. Parts of a table that can be read at the
/// same time are.
fn tuples_of(
    source: Source,
    path: &Path,
    coded: &mut [CodedColumn],
    last: Option<u32>,
    budget: Budget,
    watch: &dyn Watch,
) -> Result<CountingTuples, StudyError> {
    let progress = |rows| {
        watch.advance(rows, None);
        !watch.stop()
    };
    let mut parts = source.split(rayon::current_num_threads())?;
    let only = if parts.len() == 1 { parts.pop() } else { None };
    let Some(source) = only else {
        return Ok(count_parts(parts, coded, Counting { path, budget, last }, progress)?);
    };
    let width = coded.len() + usize::from(last.is_some());
    let mut tuples = CountingTuples::new(width, budget);
    let mut tuple = vec![last.unwrap_or_default(); width];
    let on_lines = |lines: CodedLines<'_>| match (lines.counts, last) {
        (None, Some(last)) => tuples.add_rows(lines.codes, lines.len, last),
        (counts, _) => (0..lines.len).try_for_each(|line| {
            tuple.iter_mut().zip(lines.codes).for_each(|(code, column)| *code = column[line]);
            tuples.add(&tuple, counts.map_or(1, |counts| counts[line]))
        }),
    };
    scan_grouped(source, path.to_owned(), coded, on_lines, progress)?;
    Ok(tuples)
}

/// What cannot be asked of a table that lives elsewhere.
fn refuse_elsewhere(job: &Job, input: &Input) -> Result<(), Problems> {
    let mut problems = Problems::default();
    if input.engine().is_some() && job.output.order == job::RowOrder::Input {
        let problem = job.problem("output.order", "a table in a database has no order");
        problems.push(problem.advise("Write order = \"canonical\" or order = \"shuffled\""));
    }
    if input.engine().is_some() && job.output.table.is_some() && !job.privacy.person.is_empty() {
        let message = "the verifier cannot count people in a table that does not say whose row each row is";
        let problem = job.problem("output.table", message);
        problems
            .push(problem.advise(
                "Leave it out: the released rows go into a file, beside one that tells people apart",
            ));
    }
    problems.into_result(())?;
    match input.engine() {
        Some(_) => refuse_treatments(job, "recoding inside a database"),
        None => Ok(()),
    }
}

/// The memory that the job allows. Without a word about memory, all tuples are held.
pub fn budget_of(job: &Job) -> Budget {
    job.search.memory.map_or_else(Budget::unlimited, |memory| Budget::of_bytes(memory.bytes()))
}

impl From<SpillError> for StudyError {
    fn from(error: SpillError) -> StudyError {
        StudyError::Scan(ScanError::Spill(error))
    }
}

/// How the job says the table is stored.
pub fn read_options(job: &Job) -> Result<ReadOptions, Problems> {
    let path = match &job.input.source {
        job::InputSource::File(path) => job.resolve(path),
        job::InputSource::Stdin => PathBuf::from("-"),
        job::InputSource::Engine { url, table } => {
            let address = format!("{}#{table}", url.0);
            Address::parse(&address).map_err(|error| match error {
                AddressError::Table | AddressError::NoTable => job.problem("input.table", error.to_string()),
                _ => job.problem("input.url", error.to_string()),
            })?;
            PathBuf::from(address)
        }
    };
    let mut options = ReadOptions::new(path);
    options.format = job.input.format.and_then(|format| Format::from_name(format.name()));
    options.delimiter = job.input.delimiter.map(|c| c.byte());
    options.quote = job.input.quote.map(|c| c.byte());
    (options.skip, options.footer) = (job.input.skip, job.input.footer);
    options.null = null_texts(job, options.format, &options.path);
    as_written(job, &mut options);
    if let Some(encoding) = job.input.encoding {
        let name = encoding.name();
        options.encoding = Some(Encoding::from_name(&name.to_ascii_lowercase()).ok_or_else(|| {
            let problem = job.problem("input.encoding", format!("tables in {name} cannot be read"));
            Problems::from(problem.advise("Write \"utf-8\", \"latin-1\" or \"utf-16\""))
        })?);
    }
    Ok(options)
}

/// How the cells are written, which holds for the population as well.
fn as_written(job: &Job, options: &mut ReadOptions) {
    options.blanks = match job.input.blanks {
        job::Blanks::Keep => Blanks::Keep,
        job::Blanks::Trim => Blanks::Trim,
    };
    options.sheet.clone_from(&job.input.sheet);
    let spelled = |attribute: &job::Attribute| Some((attribute.name.clone(), attribute.spelling.clone()?));
    options.spellings = job.attributes.iter().filter_map(spelled).collect();
}

/// The job's texts for a missing value, where the file is text; formats with cells that are not text have a null of their own.
pub fn null_texts(job: &Job, format: Option<Format>, path: &Path) -> Option<Vec<String>> {
    // A database has a missing value of its own.
    let is_elsewhere = Address::is_one(path);
    let missing = match format.or_else(|| Format::of_table(path)) {
        _ if is_elsewhere => Missing::ByEither,
        Some(format) => format.missing(),
        None => Missing::ByText,
    };
    let applies = match missing {
        Missing::ByText => true,
        Missing::ByNull => false,
        // A null of its own tells it from an empty text, unless the job says otherwise.
        Missing::ByEither => job.input.null.len() != 1 || job.input.null.iter().any(|text| !text.is_empty()),
    };
    applies.then(|| job.input.null.clone())
}

pub(super) fn coded_columns(job: &Job, constrained: &Constrained) -> Vec<CodedColumn> {
    let quasi = job.with_role(Role::QuasiIdentifier).map(|attribute| coded_column(job, &attribute.name));
    quasi.chain(constrained.names.iter().map(|name| coded_column(job, name))).collect()
}

/// Columns without a declared type get the narrowest one that all their values have.
pub(super) fn settle_types(job: &Job, counted: &mut Counted) {
    for column in &mut counted.columns {
        let declared = job.attribute(&column.name).and_then(|(_, attribute)| attribute.data_type);
        if declared.is_none() {
            column.value_type = crate::hierarchies::type_of(&column.dictionary.cells());
        }
    }
}

/// The subset column, and which of its codes say "in the table".
#[derive(Debug, Clone, Default)]
pub(super) struct SubsetFlags {
    pub(super) column: Option<CodedColumn>,
    in_table: Vec<bool>,
}

impl SubsetFlags {
    pub(super) fn read(&mut self, column: Option<CodedColumn>) {
        self.in_table = column.iter().flat_map(|column| column.dictionary.cells()).map(says_yes).collect();
        self.column = column;
    }

    pub(super) fn in_table(&self, code: u32) -> bool {
        self.in_table.get(code as usize).copied().unwrap_or(false)
    }
}

/// Whether a cell of the subset column says that its row is to be released.
pub fn says_yes(cell: Option<&str>) -> bool {
    cell.is_some_and(|text| matches!(text.to_ascii_lowercase().as_str(), "1" | "true" | "t" | "yes" | "ja"))
}

/// Counts the rows of a population table into the tuples.
pub(super) fn population_rows(
    job: &Job,
    quasi: &mut [CodedColumn],
    width: usize,
    tuples: &mut CountingTuples,
    watch: &dyn Watch,
) -> Result<Option<u64>, StudyError> {
    let path = match job.privacy.population() {
        Some(Population::Table(path)) => job.resolve(path),
        Some(Population::Subset(_)) => {
            return Ok(Some(tuples.rows()));
        }
        None => return Ok(None),
    };
    let mut tuple = vec![0u32; width + 1];
    tuple[width] = Origin::Population as u32;
    let count = |codes: &[u32]| {
        tuple[..codes.len()].copy_from_slice(codes);
        tuples.add(&tuple, 1)
    };
    scan_population(job, &path, quasi, &[], |_| Ok(()), count, watch).map(Some)
}

/// Reads a population table: its quasi-identifiers, and the columns `beside` that `on_batch` sees after them.
pub(super) fn scan_population(
    job: &Job,
    path: &Path,
    quasi: &mut [CodedColumn],
    beside: &[String],
    on_batch: impl FnMut(&Batch) -> Result<(), ScanError> + Send,
    mut on_row: impl FnMut(&[u32]) -> Result<(), SpillError> + Send,
    watch: &dyn Watch,
) -> Result<u64, StudyError> {
    watch.begin(Phase::ReadingPopulation);
    let mut options = ReadOptions::new(path);
    options.null = null_texts(job, None, path);
    as_written(job, &mut options);
    let mut source = Input::new(options)?.open()?;
    let mut wanted = Vec::new();
    let mut problems = Problems::default();
    for name in quasi.iter().map(|column| &column.name).chain(beside) {
        match source.columns().iter().position(|known| known == name) {
            Some(position) => wanted.push(position),
            None => problems.push(Problem::new(path, format!("the population has no column {name:?}"))),
        }
    }
    problems.into_result(())?;
    source.select(&wanted)?;
    let progress = |rows| {
        watch.advance(rows, None);
        !watch.stop()
    };
    let known: Vec<usize> = quasi.iter().map(|column| column.first_seen.len()).collect();
    let mut codes = vec![0u32; quasi.len()];
    let on_rows = |columns: &[Vec<u32>], rows: usize| {
        (0..rows).try_for_each(|row| {
            codes.iter_mut().zip(columns).for_each(|(code, column)| *code = column[row]);
            on_row(&codes)
        })
    };
    let rows = scan_with(source, path.to_owned(), quasi, on_batch, on_rows, progress)?;
    for (column, known) in quasi.iter_mut().zip(known) {
        column.first_seen[known..].iter_mut().for_each(|seen| seen.in_population = true);
    }
    Ok(rows)
}

pub(super) fn table_problem(job: &Job, input: &Path, error: &TableError) -> StudyError {
    match error {
        TableError::NotInPopulation { .. } => {
            let message = "the population does not contain the table: some combination of quasi-identifiers has more rows in \
                           the table than in the population";
            job.problem("privacy.models", message).into()
        }
        TableError::Empty => Problem::new(input, "no row is in the subset to release").into(),
        _ => Problem::new(input, error.to_string()).into(),
    }
}
