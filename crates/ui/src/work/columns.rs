//! What the columns hold.

use super::labels::{FEWEST_ROWS, intervals, most_frequent};
use crate::fault::Fault;
use crate::project::Project;
use crate::runs::Run;
use crate::wire::{ColumnView, ColumnsView, PreviewView};
use paravent_assess::init::{ColumnProposal, Distinct, InitError, InitOptions, propose_watched};
use paravent_job::Role;
use paravent_prepare::study::read_options;
use paravent_tables::read::{Batch, Input, ReadOptions};
use paravent_tables::watch::{Phase, Watch};
use std::collections::HashMap;
use std::sync::Arc;

/// Values of a column that are counted one by one.
const MOST_VALUES: usize = 100_000;
/// Bars of a column.
const MOST_BARS: usize = 24;
/// Rows of a preview.
const PREVIEW_ROWS: usize = 50;

/// The table, read as the job says.
fn input(project: &Project) -> Result<Input, Fault> {
    let options = match (project.job_with_data(), project.data()) {
        (Ok(job), _) => read_options(&job)?,
        (Err(_), Some(path)) => ReadOptions::new(path),
        (Err(fault), None) => return Err(fault),
    };
    Ok(Input::new(options)?)
}

/// Counts what every column holds.
pub(super) fn columns(project: &Project, run: &Run) -> Result<ColumnsView, Fault> {
    let input = input(project)?;
    run.begin(Phase::Reading);
    let mut source = input.open()?;
    let names = source.columns().to_vec();
    let mut counts: Vec<Counts> = names.iter().map(|_| Counts::default()).collect();
    let mut batch = Batch::default();
    while source.next_batch(&mut batch)? {
        for (counts, cells) in counts.iter_mut().zip(&batch.columns) {
            cells.iter().for_each(|cell| counts.see(cell));
        }
        run.advance(source.rows_read(), None);
        if Watch::stop(run) {
            return Err(Fault::stopped());
        }
    }
    let rows = source.rows_read();
    let proposal = proposed(project, &input, run)?;
    let proposed: HashMap<&str, &ColumnProposal> =
        proposal.iter().map(|column| (column.name.as_str(), column)).collect();
    let columns = names
        .iter()
        .zip(counts)
        .map(|(name, counts)| counts.view(name, proposed.get(name.as_str()).copied()));
    Ok(ColumnsView { rows, columns: columns.collect() })
}

/// What each column seems to be. Without a proposal there are no reasons; the counts are of use all the same.
fn proposed(project: &Project, input: &Input, run: &Run) -> Result<Arc<Vec<ColumnProposal>>, Fault> {
    let path = &input.options().path;
    if let Some(known) = project.known_columns(path) {
        return Ok(known);
    }
    let options = InitOptions { job_file: project.job_file().to_owned(), ..InitOptions::default() };
    match propose_watched(input, &options, run) {
        Ok(proposal) => Ok(project.remember_columns(path, proposal.columns)),
        Err(InitError::Stopped) => Err(Fault::stopped()),
        Err(_) => Ok(Arc::default()),
    }
}

/// The first rows, because somebody asked to see cells.
pub(super) fn preview(project: &Project) -> Result<PreviewView, Fault> {
    let input = input(project)?;
    let mut source = input.open()?;
    let columns = source.columns().to_vec();
    let (mut rows, mut batch) = (Vec::new(), Batch::default());
    while rows.len() < PREVIEW_ROWS && source.next_batch(&mut batch)? {
        let first = rows.len();
        rows.resize(PREVIEW_ROWS.min(first + batch.rows), Vec::with_capacity(columns.len()));
        for cells in &batch.columns {
            for (row, cell) in rows[first..].iter_mut().zip(cells.iter()) {
                row.push(cell.map(str::to_owned));
            }
        }
    }
    Ok(PreviewView { columns, rows })
}

/// A column while it is read.
#[derive(Default)]
struct Counts {
    values: HashMap<String, u64>,
    missing: u64,
    others: u64,
}

impl Counts {
    fn see(&mut self, cell: Option<&str>) {
        let Some(cell) = cell else {
            self.missing += 1;
            return;
        };
        if let Some(count) = self.values.get_mut(cell) {
            *count += 1;
        } else if self.values.len() < MOST_VALUES {
            self.values.insert(cell.to_owned(), 1);
        } else {
            self.others += 1;
        }
    }

    fn view(self, name: &str, proposed: Option<&ColumnProposal>) -> ColumnView {
        let data_type = proposed.map_or("string", |column| column.data_type.name());
        let numbers = match data_type {
            "integer" | "decimal" if self.others == 0 && self.values.len() > 2 => {
                intervals(self.values.iter().map(|(text, rows)| (text.as_str(), *rows)))
            }
            _ => None,
        };
        let numeric = numbers.is_some();
        let kept = self.values.len() as u64;
        let (bars, other_rows) = match numbers {
            // Names are cells, however many share them.
            _ if proposed.is_some_and(|column| column.role == Role::Identifying) => {
                (Vec::new(), self.others + self.values.values().sum::<u64>())
            }
            Some(bars) => (bars, 0),
            None => {
                let (bars, rest) = most_frequent(
                    self.values.into_iter().map(|(text, rows)| (Some(text), rows)),
                    FEWEST_ROWS,
                    MOST_BARS,
                );
                (bars, rest + self.others)
            }
        };
        let (distinct, distinct_is_bound) = match proposed.map(|column| column.distinct) {
            Some(Distinct::Exactly(count)) => (count, false),
            Some(more @ Distinct::MoreThan(_)) => (more.at_least(), true),
            None => (kept, self.others > 0),
        };
        ColumnView {
            name: name.to_owned(),
            data_type: data_type.to_owned(),
            proposed_role: proposed.map_or("", |column| column.role.name()).to_owned(),
            reason: proposed.map_or_else(String::new, |column| column.reason.clone()),
            proposed_hierarchy: proposed.and_then(|column| column.hierarchy.clone()),
            distinct,
            distinct_is_bound,
            missing: proposed.map_or(self.missing, |column| column.missing.max(self.missing)),
            bars,
            numeric,
            other_rows,
        }
    }
}
