//! Stage 4b: the table as the question may see it. Cells of other columns are never read, and columns come as labels of their level.

use crate::adapt::{Adapted, Part, Way};
use crate::coarse::{self, Coarse};
use crate::question::{Figure, own_name};
use crate::refusal::AskError;
use datafusion::arrow::array::{ArrayRef, Int64Array, RecordBatch, RecordBatchOptions, StringArray};
use datafusion::arrow::compute::cast;
use datafusion::arrow::datatypes::{DataType, Field, Schema};
use datafusion::datasource::MemTable;
use paravent_algebra::error::AlgebraError;
use paravent_core::hierarchy::LadderError;
use paravent_core::values::ValueType;
use paravent_job::{DataType as Declared, Job, Problems};
use paravent_prepare::hierarchies;
use paravent_prepare::study::{read_options, value_type};
use paravent_tables::read::{Batch, Input};
use paravent_tables::watch::{Phase, Watch};
use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::sync::Arc;

/// What a column of the view is made of, and what for.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Source {
    /// Whose row it is, or what a condition of the policy reads: as it is.
    Raw(String),
    /// Labels that groups are made of.
    Group(String, Coarse),
    /// Labels that conditions compare.
    Filter(String, Coarse),
    /// Cells of rows that leave on labels of this level or above.
    Show(String, u8),
    /// Numbers that a figure is taken of.
    Measure(String),
    /// Which row of its person a row is, in the order of the table: exact answers are held against earlier ones row by row.
    Place,
}

impl Source {
    /// The column of the table, as the table calls it.
    fn column(&self, is_join: bool) -> Option<&str> {
        match self {
            Source::Raw(column) => Some(column),
            Source::Group(column, _)
            | Source::Filter(column, _)
            | Source::Show(column, _)
            | Source::Measure(column) => Some(own_name(column, is_join)),
            Source::Place => None,
        }
    }

    /// What the column of the view is called: the auditor reads it.
    pub fn name(&self) -> String {
        match self {
            Source::Raw(column) => column.clone(),
            Source::Group(column, coarse) => format!("group:{coarse}:{column}"),
            Source::Filter(column, coarse) => format!("filter:{coarse}:{column}"),
            Source::Show(column, level) => format!("show:{level}:{column}"),
            Source::Measure(column) => format!("measure:{column}"),
            Source::Place => "place:".to_owned(),
        }
    }
}

/// All columns of the view of a table. `raw` are those that conditions of the policy read.
pub fn sources(adapted: &Adapted<'_>, part: &Part<'_>, raw: &BTreeSet<String>) -> BTreeSet<Source> {
    let of_part = |column: &str| adapted.of(column).0.table.name == part.table.name;
    let own = part.table.whose.person().into_iter().chain(raw.iter().cloned()).map(Source::Raw);
    let groups = adapted.groups.iter().filter(|(column, _)| of_part(column));
    let groups = groups.map(|(column, level)| match &adapted.way {
        Way::Rows(_) => Source::Show(column.clone(), *level),
        Way::Noisy(_) | Way::Exact(_) => Source::Group(column.clone(), adapted.coarse(column, *level)),
    });
    let filters = adapted.conditions.iter().filter(|(column, _)| of_part(column));
    let filters =
        filters.map(|(column, level)| Source::Filter(column.clone(), adapted.coarse(column, *level)));
    let measures =
        adapted.question.figures.iter().filter_map(Figure::column).filter(|column| of_part(column));
    let measures = measures.map(|column| Source::Measure(column.to_owned()));
    let place = matches!(adapted.way, Way::Exact(_)).then_some(Source::Place);
    own.chain(groups).chain(filters).chain(measures).chain(place).collect()
}

/// The type of a column that is left as it is: the job's word, not what its cells look like.
fn data_type(job: &Job, source: &Source, people: &[String]) -> DataType {
    let declared = match source {
        Source::Raw(column) => job.attribute(column),
        _ => None,
    };
    let declared = declared.and_then(|(_, attribute)| attribute.data_type);
    match (source, declared) {
        (Source::Raw(column), _) if people.contains(column) => DataType::Utf8,
        (Source::Raw(_), Some(Declared::Integer)) => DataType::Int64,
        (Source::Raw(_), Some(Declared::Decimal)) => DataType::Float64,
        (Source::Raw(_), Some(Declared::Date)) => DataType::Date32,
        (Source::Raw(_), Some(Declared::Boolean)) => DataType::Boolean,
        (Source::Measure(_), _) => DataType::Decimal128(38, 12),
        (Source::Place, _) => DataType::Int64,
        _ => DataType::Utf8,
    }
}

/// The schema of the view of a table, from policy and job alone.
pub fn schema(adapted: &Adapted<'_>, part: &Part<'_>, raw: &BTreeSet<String>) -> Schema {
    let people = part.table.whose.person();
    let field = |source: &Source| Field::new(source.name(), data_type(part.job, source, &people), true);
    Schema::new(sources(adapted, part, raw).iter().map(field).collect::<Vec<_>>())
}

/// Reads a table into memory, as the question may see it. `exists` says whether a person agreed.
///
/// # Errors
/// If the table cannot be read, has not the columns that the job declares, or `watch` says to stop.
pub fn read(
    adapted: &Adapted<'_>,
    part: &Part<'_>,
    raw: &BTreeSet<String>,
    exists: &dyn Fn(Option<&str>) -> bool,
    watch: &dyn Watch,
) -> Result<RecordBatch, AskError> {
    let cells = columns(adapted, part, raw, exists, watch)?;
    let people = part.table.whose.person();
    let rows = cells.values().map(Vec::len).max().unwrap_or(0);
    let mut arrays: Vec<ArrayRef> = Vec::new();
    for source in sources(adapted, part, raw) {
        let Some(column) = source.column(adapted.is_join()) else {
            arrays.push(Arc::new(places(&people, &cells, rows)));
            continue;
        };
        let own = &cells[column];
        let typed = typed(part.job, column);
        let array: StringArray = match &source {
            Source::Group(_, Coarse::Level(level @ 1..)) | Source::Filter(_, Coarse::Level(level @ 1..)) => {
                let labels = labels(part.job, column, *level, own)?;
                own.iter().map(|cell| cell.as_ref().and_then(|cell| labels.get(cell)?.clone())).collect()
            }
            Source::Group(_, Coarse::Grain(grain)) | Source::Filter(_, Coarse::Grain(grain)) => {
                own.iter().map(|cell| coarse::of_time(typed, cell.as_deref()?, *grain)).collect()
            }
            // However a number, a date or a person is written, it is the same one.
            Source::Raw(_) | Source::Measure(_) => {
                own.iter().map(|cell| cell.as_deref().map(|cell| typed.canonical(cell))).collect()
            }
            _ => own.iter().map(|cell| cell.as_deref()).collect(),
        };
        // What is no value of the type becomes missing: no error depends on a cell.
        let wanted = data_type(part.job, &source, &people);
        arrays.push(cast(&array, &wanted).map_err(|_| AlgebraError::Internal)?);
    }
    let schema = Arc::new(schema(adapted, part, raw));
    let options = RecordBatchOptions::new().with_row_count(Some(rows));
    RecordBatch::try_new_with_options(schema, arrays, &options).map_err(|_| AlgebraError::Internal.into())
}

fn typed(job: &Job, column: &str) -> ValueType {
    let declared = job.attribute(column).and_then(|(_, attribute)| attribute.data_type);
    declared.map_or(ValueType::String, value_type)
}

/// Rows as a table of the engine.
///
/// # Errors
/// Only where the engine cannot make one: a bug.
pub fn table(rows: RecordBatch) -> Result<MemTable, AskError> {
    MemTable::try_new(rows.schema(), vec![vec![rows]]).map_err(|_| AlgebraError::Internal.into())
}

/// By row: how many rows of the same person are before it.
fn places(people: &[String], cells: &BTreeMap<String, Vec<Option<String>>>, rows: usize) -> Int64Array {
    let mut seen: HashMap<Vec<Option<&str>>, i64> = HashMap::new();
    let mut place = |row: usize| {
        let person: Vec<Option<&str>> = people.iter().map(|column| cells[column][row].as_deref()).collect();
        let next = seen.entry(person).or_insert(0);
        *next += 1;
        *next - 1
    };
    (0..rows).map(|row| Some(place(row))).collect()
}

/// The cells of the columns that are needed, without the rows of people who are left out.
fn columns(
    adapted: &Adapted<'_>,
    part: &Part<'_>,
    raw: &BTreeSet<String>,
    exists: &dyn Fn(Option<&str>) -> bool,
    watch: &dyn Watch,
) -> Result<BTreeMap<String, Vec<Option<String>>>, AskError> {
    let sources = sources(adapted, part, raw);
    let needed = sources.iter().filter_map(|source| source.column(adapted.is_join()).map(str::to_owned));
    let needed: BTreeSet<String> = needed.collect();
    let input = Input::new(read_options(part.job)?).map_err(AlgebraError::Read)?;
    let mut source = input.open().map_err(AlgebraError::Read)?;
    let mut places = Vec::new();
    for name in &needed {
        let Some(place) = source.columns().iter().position(|column| column == name) else {
            let message = format!("the table has no column {name}, which the policy speaks of");
            return Err(Problems::from(part.job.problem("input", message)).into());
        };
        places.push(place);
    }
    // In the order of the file, as the reader gives them.
    let mut order: Vec<(usize, String)> = places.iter().copied().zip(needed).collect();
    order.sort_unstable();
    source.select(&order.iter().map(|(place, _)| *place).collect::<Vec<_>>()).map_err(AlgebraError::Read)?;
    let person = part
        .table
        .whose
        .person()
        .first()
        .and_then(|person| order.iter().position(|(_, name)| name == person));
    // However somebody's number is written, it is theirs.
    let key = person.map_or(ValueType::String, |place| typed(part.job, &order[place].1));
    let left_out: BTreeSet<String> =
        part.left_out.iter().map(|person| key.canonical(person).into_owned()).collect();
    let mut cells: Vec<Vec<Option<String>>> = vec![Vec::new(); order.len()];
    let mut batch = Batch::default();
    let mut done = 0;
    watch.begin(Phase::Reading);
    while source.next_batch(&mut batch).map_err(AlgebraError::Read)? {
        if watch.stop() {
            return Err(AskError::Stopped);
        }
        for row in 0..batch.rows {
            let whose = person.and_then(|place| batch.columns[place].get(row));
            if whose.is_some_and(|whose| left_out.contains(&*key.canonical(whose))) || !exists(whose) {
                continue;
            }
            for (column, own) in batch.columns.iter().zip(&mut cells) {
                own.push(column.get(row).map(str::to_owned));
            }
        }
        done += batch.rows as u64;
        watch.advance(done, None);
    }
    if watch.stop() {
        return Err(AskError::Stopped);
    }
    Ok(order.into_iter().map(|(_, name)| name).zip(cells).collect())
}

/// The label of every value that occurs; none where the hierarchy has no place for it.
pub(crate) fn labels(
    job: &Job,
    column: &str,
    level: u8,
    cells: &[Option<String>],
) -> Result<HashMap<String, Option<String>>, AskError> {
    let Some((place, attribute)) = job.attribute(column) else { return Err(AlgebraError::Internal.into()) };
    let typed = attribute.data_type.map_or(ValueType::String, value_type);
    let spelled = |cell: &str| typed.canonical(cell).into_owned();
    let values: BTreeSet<String> = cells.iter().flatten().map(|cell| spelled(cell)).collect();
    let mut kept: Vec<Option<&str>> = values.iter().map(|value| Some(value.as_str())).collect();
    if kept.is_empty() {
        return Ok(HashMap::new());
    }
    let hierarchy = hierarchies::build(job, place, &kept, typed)?;
    let ladder = match hierarchy.ladder(&kept) {
        Ok(ladder) => ladder,
        Err(LadderError::Unplaced(homeless)) => {
            let homeless: BTreeSet<usize> = homeless.into_iter().map(|(place, _)| place).collect();
            kept = kept
                .into_iter()
                .enumerate()
                .filter(|(place, _)| !homeless.contains(place))
                .map(|(_, value)| value)
                .collect();
            hierarchy.ladder(&kept).map_err(|_| AlgebraError::Internal)?
        }
        Err(_) => return Err(AlgebraError::Internal.into()),
    };
    let rung = ladder.rung(level.min(ladder.max_level()));
    let known: HashMap<&str, Option<String>> = kept
        .iter()
        .flatten()
        .zip(&rung.group_of)
        .map(|(value, group)| (*value, rung.labels[*group as usize].clone()))
        .collect();
    let label = |cell: &String| (cell.clone(), known.get(spelled(cell).as_str()).cloned().flatten());
    Ok(cells.iter().flatten().map(label).collect())
}
