//! The hierarchy file and the column it is for.

use crate::commands::run_error;
use crate::failure::Failure;
use paravent_pipeline::hierarchies::{ColumnError, ColumnValues, FileOptions, HierarchyLines};
use paravent_pipeline::job::{Problem, Problems};
use paravent_pipeline::read::{Input, ReadOptions, listed_columns};
use std::path::{Path, PathBuf};

/// Texts of the missing value, and the delimiter of the hierarchy file.
#[derive(Debug, clap::Args)]
pub struct Stored {
    /// Character between two cells of the hierarchy file [default: found out]
    #[arg(long, value_name = "CHAR", value_parser = one_ascii)]
    pub delimiter: Option<u8>,
    /// Text of a missing value; may be given several times [default: the empty cell]
    #[arg(long, value_name = "TEXT")]
    pub null: Vec<String>,
}

/// The column a hierarchy has to cover.
#[derive(Debug, clap::Args)]
pub struct Covered {
    /// The table whose column the hierarchy has to cover; `-` is standard input
    #[arg(long, value_name = "DATA", requires = "column")]
    pub data: Option<PathBuf>,
    /// The column in that table
    #[arg(long, value_name = "NAME", requires = "data")]
    pub column: Option<String>,
}

fn one_ascii(text: &str) -> Result<u8, String> {
    match text.as_bytes() {
        b"\\t" => Ok(b'\t'),
        &[byte] if byte.is_ascii() && !matches!(byte, b'\n' | b'\r' | b'"' | 0) => Ok(byte),
        _ => Err("write one ASCII character, such as ; or \\t".to_owned()),
    }
}

impl Stored {
    fn null(&self) -> Option<Vec<String>> {
        (!self.null.is_empty()).then(|| self.null.clone())
    }

    /// Reads a hierarchy file.
    pub fn lines(&self, file: &Path) -> Result<HierarchyLines, Failure> {
        if let Err(error) = std::fs::File::open(file) {
            return Err(Failure::input_output(format!("{}: {error}", file.display())));
        }
        let mut options = FileOptions { delimiter: self.delimiter, ..FileOptions::default() };
        if let Some(null) = self.null() {
            options.null = null;
        }
        HierarchyLines::read(file, &options).map_err(configuration)
    }

    /// Reads the column, if one was named.
    pub fn column_of(&self, covered: &Covered) -> Result<Option<ColumnValues>, Failure> {
        match (&covered.data, &covered.column) {
            (Some(data), Some(column)) => self.column(data, column).map(Some),
            _ => Ok(None),
        }
    }

    /// The table.
    pub fn input(&self, data: &Path) -> Result<Input, Failure> {
        let mut options = ReadOptions::new(data);
        options.null = self.null();
        Input::new(options).map_err(|error| run_error::of_read(&error))
    }

    /// Reads a column.
    pub fn column(&self, data: &Path, column: &str) -> Result<ColumnValues, Failure> {
        column_of(&self.input(data)?, column)
    }
}

/// Reads a column of a table.
pub fn column_of(input: &Input, column: &str) -> Result<ColumnValues, Failure> {
    ColumnValues::read(input, column).map_err(|error| match error {
        ColumnError::Read(error) => run_error::of_read(&error),
        ColumnError::NoSuchColumn { path, column, columns } => {
            let advice = format!("Its columns are {}", listed_columns(&columns));
            Failure::configuration(Problem::new(path, format!("has no column `{column}`")).advise(advice))
        }
        other => Failure::input_output(other.to_string()),
    })
}

/// Problems of files.
pub fn configuration(problems: Problems) -> Failure {
    Failure::Configuration { problems }
}
