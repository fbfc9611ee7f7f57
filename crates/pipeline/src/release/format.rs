//! How the data file is written.

use paravent_job as job;
use paravent_prepare::study::Study;
use paravent_tables::write::{CsvStyle, OutputFormat, ReleasedColumn};

/// How the data file is written. A missing value gets a text that no released cell has: the job's own, or one that is free.
pub fn output_format(study: &Study, columns: &[ReleasedColumn]) -> OutputFormat {
    let output = &study.job.output;
    let is_free = |text: &str| {
        columns.iter().all(|column| !column.cells.iter().any(|cell| cell.as_deref() == Some(text)))
    };
    let wanted = study.job.input.null.iter().map(String::as_str).chain(["", "NA", "NULL", "N/A", "#missing"]);
    let missing = wanted.into_iter().find(|text| is_free(text)).unwrap_or("#missing#").to_owned();
    match output.format {
        job::OutputFormat::Csv => OutputFormat::Csv(CsvStyle {
            delimiter: output.delimiter.map(|c| c.byte()).or(study.dialect.delimiter).unwrap_or(b','),
            null: missing,
            spreadsheet_safe: output.spreadsheet_safe,
        }),
        job::OutputFormat::Parquet => OutputFormat::Parquet,
        job::OutputFormat::Arrow => OutputFormat::Arrow,
    }
}
