//! A case brought to the point where the search can start, on the way that every job takes.

use crate::case::Case;
use crate::dataset::{Column, DataSet};
use crate::error::BenchError;
use crate::promise::{Distance as DistanceName, Promise};
use crate::stopwatch::Stopwatch;
use paravent_core::criteria::{
    ClassCriterion, DeltaPresence, Distance, DistinctLDiversity, EntropyLDiversity, KAnonymity,
    RecursiveLDiversity, TCloseness, ValueTree,
};
use paravent_core::table::FrequencyTable;
use paravent_core::task::{QuasiIdentifier, QuasiIdentifiers, SuppressionLimit, Task};
use paravent_pipeline::encode::{
    CountError, Counted, Frequencies, Origin, PopulationCount, SensitiveView, Tally,
};
use paravent_pipeline::hierarchies::type_of;
use paravent_pipeline::spill::CountedOff;
use std::sync::Arc;
use std::time::Duration;

/// A case whose rows are counted.
pub(crate) struct Prepared {
    pub(crate) task: Task,
    /// How long it took to count the rows into tuples: part of loading, told for those who want to add it.
    pub(crate) counting: Duration,
}

impl Prepared {
    pub(crate) fn new(dataset: &DataSet, case: &Case) -> Result<Prepared, BenchError> {
        if case.quasi_identifiers.is_empty() {
            return Err(BenchError::NoQuasiIdentifier { dataset: dataset.name.clone() });
        }
        let watch = Stopwatch::start();
        let table = count(dataset, case, 0..dataset.rows)?;
        let counting = watch.lap().processor;
        Prepared::of_counts(dataset, case, table, counting)
    }

    /// The same of some rows.
    pub(crate) fn of_rows(dataset: &DataSet, case: &Case, rows: &[usize]) -> Result<Prepared, BenchError> {
        let table = count(dataset, case, rows.iter().copied())?;
        Prepared::of_counts(dataset, case, table, Duration::ZERO)
    }

    /// The counts of parts, added up. For promises about class sizes.
    pub(crate) fn added(dataset: &DataSet, case: &Case, parts: &[Prepared]) -> Result<Prepared, BenchError> {
        let width = case.quasi_identifiers.len();
        let mut tuples = Tally::new(width + 1);
        let mut tuple = vec![Origin::Table as u32; width + 1];
        for part in parts.iter().filter_map(|part| part.task.tuples().held()) {
            for (number, &rows) in part.rows().iter().enumerate() {
                (0..width).for_each(|column| tuple[column] = part.column(column).get(number));
                tuples.add(&tuple, u64::from(rows));
            }
        }
        Prepared::of_counts(dataset, case, frequencies(dataset, case, tuples)?, Duration::ZERO)
    }

    fn of_counts(
        dataset: &DataSet,
        case: &Case,
        table: FrequencyTable,
        counting: Duration,
    ) -> Result<Prepared, BenchError> {
        let quasi = case.quasi_identifiers.iter().map(|&position| &dataset.columns[position]);
        let columns = quasi.filter_map(|column| {
            let levels = column.levels.as_ref()?;
            let quasi = QuasiIdentifier::new(&column.coded.name, levels.ladder.clone());
            Some(QuasiIdentifier { levels: levels.lowest..=levels.highest, ..quasi })
        });
        let members = case.promises.0.iter().map(|promise| criterion(promise, dataset, case, &table));
        let members = members.collect();
        let limit = SuppressionLimit::Share(case.suppression.value());
        let task = QuasiIdentifiers::new(columns)
            .and_then(|columns| Task::new(Arc::new(table), columns, members, case.metric, limit))
            .map_err(|error| BenchError::internal(error.to_string()))?;
        Ok(Prepared { task, counting })
    }
}

/// The columns that are counted.
fn columns<'a>(dataset: &'a DataSet, case: &Case) -> Vec<&'a Column> {
    let sensitive = case.promises.read_sensitive().then_some(case.sensitive);
    let positions = case.quasi_identifiers.iter().copied().chain(sensitive);
    positions.map(|position| &dataset.columns[position]).collect()
}

/// Counts rows of a case, with the pipeline's own counting.
fn count(
    dataset: &DataSet,
    case: &Case,
    rows: impl Iterator<Item = usize>,
) -> Result<FrequencyTable, BenchError> {
    let columns = columns(dataset, case);
    let population = case.promises.need_population();
    let width = columns.len();
    let mut tuples = Tally::new(width + 1);
    let mut tuple = vec![Origin::Table as u32; width + 1];
    for row in rows {
        for (code, column) in tuple.iter_mut().zip(&columns) {
            *code = column.codes[row];
        }
        let in_table = !population || case.subset.contains(row);
        tuple[width] = if in_table { Origin::Table } else { Origin::Population } as u32;
        tuples.add(&tuple, 1);
    }
    frequencies(dataset, case, tuples)
}

/// The frequency table of counted tuples.
fn frequencies(dataset: &DataSet, case: &Case, tuples: Tally) -> Result<FrequencyTable, BenchError> {
    let (reads_sensitive, population) = (case.promises.read_sensitive(), case.promises.need_population());
    let coded = columns(dataset, case).into_iter().map(|column| column.coded.clone()).collect();
    let failed = |error: CountError| match error {
        CountError::Table(source) => BenchError::Table { dataset: dataset.name.clone(), source },
        other => BenchError::internal(other.to_string()),
    };
    let counted = Counted::new(coded, case.quasi_identifiers.len(), CountedOff::Held(tuples));
    let mut counted = counted.map_err(|error| failed(error.into()))?;
    let views: &[SensitiveView] = if reads_sensitive { &[SensitiveView::Single(0)] } else { &[] };
    let how = if population { PopulationCount::OthersJoinTheTable } else { PopulationCount::None };
    match counted.frequency_table(views, how).map_err(failed)?.0 {
        Frequencies::Held(table) => Ok(table),
        Frequencies::Streamed(_) => Err(BenchError::internal("the table is not in memory".to_owned())),
    }
}

/// The only sensitive column of a case is the first.
const SENSITIVE: usize = 0;

pub(crate) fn criterion(
    promise: &Promise,
    dataset: &DataSet,
    case: &Case,
    table: &FrequencyTable,
) -> Box<dyn ClassCriterion> {
    match promise {
        Promise::KAnonymity { k } => Box::new(KAnonymity { k: *k }),
        Promise::DistinctLDiversity { l } => Box::new(DistinctLDiversity { sensitive: SENSITIVE, l: *l }),
        Promise::EntropyLDiversity { l } => {
            Box::new(EntropyLDiversity { sensitive: SENSITIVE, l: l.value() })
        }
        Promise::RecursiveLDiversity { c, l } => {
            Box::new(RecursiveLDiversity { sensitive: SENSITIVE, c: c.value(), l: *l })
        }
        Promise::TCloseness { t, distance } => {
            let totals = table.sensitive()[SENSITIVE].totals();
            let distance = self::distance(*distance, &dataset.columns[case.sensitive], &totals);
            Box::new(TCloseness::new(SENSITIVE, t.value(), distance, totals))
        }
        Promise::DeltaPresence { min, max } => Box::new(DeltaPresence { min: min.value(), max: max.value() }),
    }
}

/// The distance of a name. Workloads ask for the hierarchical one only where [`has_tree`] says there is a tree.
fn distance(name: DistanceName, column: &Column, totals: &[u64]) -> Distance {
    match name {
        DistanceName::Equal => Distance::Equal,
        DistanceName::Ordered => {
            let cells = column.coded.dictionary.cells();
            let mut texts: Vec<&str> = cells.iter().copied().flatten().collect();
            type_of(&cells).sort(&mut texts);
            let code = |text: &str| column.coded.dictionary.code(Some(text));
            let missing = column.coded.dictionary.code(None);
            let mut order: Vec<u32> = missing.into_iter().chain(texts.into_iter().filter_map(code)).collect();
            order.retain(|&code| totals[code as usize] > 0);
            Distance::Ordered { order }
        }
        DistanceName::Hierarchical => match &column.levels {
            Some(levels) => {
                let ladder = &levels.ladder;
                let steps = (0..ladder.max_level()).map(|level| ladder.step(level, level + 1)).collect();
                Distance::Hierarchical(ValueTree::new(steps))
            }
            None => Distance::Equal,
        },
    }
}

/// Whether a column has a hierarchy that ends in one value.
pub(crate) fn has_tree(column: &Column) -> bool {
    column.levels.as_ref().is_some_and(|levels| levels.ladder.cardinality(levels.ladder.max_level()) == 1)
}
