//! Could every table that may be drawn be written?

use super::NoiseError;
use super::mechanism::Mechanism;
use super::prepare::Prepared;
use crate::release::file_name;
use crate::slice::{CodedCells, CodedTable, output_format, released};
use paravent_job::Job;
use paravent_tables::write::{OutputFormat, ReleasedColumn, TableWriter};
use std::io;

/// A sheet has fewer rows than this below its header.
const ROWS_OF_A_SHEET: usize = 1 << 20;

impl Prepared {
    /// Whether the release can be written, whatever is drawn: to be asked before it is paid for.
    ///
    /// # Errors
    /// If the job's format lacks a value of the noise, or has no place for so many rows or for a row in which all cells are missing.
    pub fn may_be_written(&self, table: &CodedTable, job: Option<&Job>) -> Result<(), NoiseError> {
        let columns: Vec<CodedCells> = self.released.iter().map(|&at| self.drawable(table, at)).collect();
        let shown: Vec<ReleasedColumn> = columns.iter().map(released).collect();
        let format = output_format(&shown, table, job);
        let mut writer = TableWriter::new(file_name(&format), io::sink(), &format, &shown)?;
        if matches!(format, OutputFormat::Xlsx(_)) {
            let rows = if table.rows >= ROWS_OF_A_SHEET { table.rows as u64 } else { 1 };
            let emptiest =
                (0..table.rows).map(|row| emptiest(&columns, row)).max_by_key(|cells| blank(&columns, cells));
            emptiest.map_or(Ok(()), |cells| writer.push(&cells, rows))?;
        }
        Ok(())
    }

    /// A released column with every cell that it may get; where it has noise, no row has one yet.
    fn drawable(&self, table: &CodedTable, at: usize) -> CodedCells {
        let column = &table.columns[at];
        let noise: Option<&Mechanism> = self.mechanisms.iter().find(|noise| noise.column == column.name);
        match noise {
            Some(noise) => {
                CodedCells { name: column.name.clone(), codes: Vec::new(), cells: noise.values.clone() }
            }
            None => column.clone(),
        }
    }
}

/// Whether nothing is seen of a cell.
fn is_blank(cell: &Option<String>) -> bool {
    cell.as_deref().is_none_or(str::is_empty)
}

/// The row with as many missing cells as may be drawn for it.
fn emptiest(columns: &[CodedCells], row: usize) -> Vec<u32> {
    let missing = |column: &CodedCells| column.cells.iter().position(is_blank).unwrap_or(0) as u32;
    columns.iter().map(|column| column.codes.get(row).copied().unwrap_or_else(|| missing(column))).collect()
}

/// How many cells of a row are missing.
fn blank(columns: &[CodedCells], row: &[u32]) -> usize {
    columns.iter().zip(row).filter(|(column, code)| is_blank(&column.cells[**code as usize])).count()
}
