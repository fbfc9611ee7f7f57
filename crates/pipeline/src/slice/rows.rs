//! Coded columns as rows of a file: what releases without a search have in common.

use super::{CodedCells, CodedTable};
use crate::release::file_name;
use paravent_job::{self as job, Job};
use paravent_tables::write::{
    ColumnKind, CsvStyle, OutputFormat, ReleasedColumn, TableWriter, WriteError, Written,
};
use serde_json::{Value, json};
use std::io::Write;
use std::path::Path;

/// The column with its cells; numbers are a wish that the writer grants where nothing is lost.
pub(crate) fn released(column: &CodedCells) -> ReleasedColumn {
    let all = |test: fn(&str) -> bool| column.cells.iter().flatten().all(|cell| test(cell));
    let kind = if all(|cell| cell.parse::<i64>().is_ok()) {
        ColumnKind::Integer
    } else if all(|cell| cell.parse::<f64>().is_ok()) {
        ColumnKind::Decimal
    } else {
        ColumnKind::Text
    };
    ReleasedColumn { name: column.name.clone(), kind, cells: column.cells.clone() }
}

/// As the job says, else CSV as the table is stored. A missing value gets a text that no released cell has.
pub(crate) fn output_format(
    columns: &[ReleasedColumn],
    table: &CodedTable,
    job: Option<&Job>,
) -> OutputFormat {
    let is_free = |text: &str| {
        columns.iter().all(|column| !column.cells.iter().any(|cell| cell.as_deref() == Some(text)))
    };
    let own = job.iter().flat_map(|job| &job.input.null).map(String::as_str);
    let missing = own.chain(["", "NA", "NULL", "N/A", "#missing"]).find(|text| is_free(text));
    let output = job.map(|job| &job.output);
    match output.map(|output| output.format) {
        Some(job::OutputFormat::Parquet) => OutputFormat::Parquet,
        Some(job::OutputFormat::Arrow) => OutputFormat::Arrow,
        Some(job::OutputFormat::Csv) | None => OutputFormat::Csv(CsvStyle {
            delimiter: output
                .and_then(|output| output.delimiter.map(|c| c.byte()))
                .or(table.dialect.delimiter)
                .unwrap_or(b','),
            null: missing.unwrap_or("#missing#").to_owned(),
            spreadsheet_safe: output.is_some_and(|output| output.spreadsheet_safe),
        }),
    }
}

/// Writes the rows; `cells` and `columns` are the same columns.
pub(crate) fn write_rows(
    path: &Path,
    out: impl Write + Send,
    format: &OutputFormat,
    cells: &[CodedCells],
    columns: &[ReleasedColumn],
) -> Result<Written, WriteError> {
    let mut writer = TableWriter::new(path, out, format, columns)?;
    let mut row = vec![0; columns.len()];
    for number in 0..cells.first().map_or(0, |column| column.codes.len()) {
        row.iter_mut().zip(cells).for_each(|(code, column)| *code = column.codes[number]);
        writer.push(&row, 1)?;
    }
    writer.finish()
}

/// The columns as delimited text, empty where a cell is missing.
pub(crate) fn text_of(cells: &[CodedCells], delimiter: u8) -> Result<Vec<u8>, WriteError> {
    let columns: Vec<ReleasedColumn> = cells.iter().map(released).collect();
    let format = OutputFormat::Csv(CsvStyle { delimiter, ..CsvStyle::default() });
    let mut text = Vec::new();
    write_rows(Path::new("the result"), &mut text, &format, cells, &columns)?;
    Ok(text)
}

/// What a manifest says of the data file.
pub(crate) fn output_of(format: &OutputFormat, written: &Written) -> Value {
    let mut output = json!({
        "file": file_name(format),
        "format": format.extension(),
        "sha256": written.sha256,
        "rows": written.rows,
        "order": "canonical",
    });
    if let OutputFormat::Csv(CsvStyle { delimiter, null: missing, spreadsheet_safe }) = format {
        output["delimiter"] = json!(char::from(*delimiter).to_string());
        output["null"] = json!(missing);
        output["spreadsheet_safe"] = json!(spreadsheet_safe);
    }
    output
}
