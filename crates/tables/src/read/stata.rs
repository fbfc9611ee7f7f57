//! Data sets of Stata (.dta), releases 102 to 119.
//!
//! Cells arrive as `export delimited` of Stata writes them: a number that has a value label as that label, every kind of missing value
//! (`.`, `.a` to `.z`, the empty text) as missing. Dates (`%td`) and instants (`%tc`) are values: they arrive in the engine's spelling.

use super::detect::Sample;
use super::formats::{Cells, Kind, Missing};
use super::frame::Frame;
use super::input::Raw;
use super::source::Opened;
use super::{Format, ReadError, ReadOptions};

pub(super) const FORMAT: Kind = Kind {
    format: Format::Dta,
    shown: "Stata",
    names: &["dta"],
    endings: &[],
    is_it,
    open,
    frame: Frame::none,
    missing: Missing::ByText,
    cells: Cells::Typed,
};

/// A tag since release 117; before, the release, the order of bytes, and a one.
fn is_it(bytes: &[u8]) -> bool {
    bytes.starts_with(b"<stata_dta>") || matches!(bytes, [102..=115, 1 | 2, 1, ..])
}

#[cfg(not(feature = "stata"))]
fn open(_: Raw, _: Sample, options: &ReadOptions) -> Result<Opened, ReadError> {
    Err(ReadError::Options {
        path: options.shown_path(),
        reason: "data sets of Stata cannot be read in this build, which lacks the feature stata; write CSV in Stata: export delimited",
    })
}

#[cfg(feature = "stata")]
fn open(raw: Raw, _: Sample, options: &ReadOptions) -> Result<Opened, ReadError> {
    cells::open(raw, options)
}

#[cfg(feature = "stata")]
mod cells {
    use std::collections::HashMap;
    use std::io::{BufReader, Seek, SeekFrom};
    use std::path::{Path, PathBuf};

    use dta::stata::dta::dta_reader::DtaReader;
    use dta::stata::dta::record_reader::RecordReader;
    use dta::stata::dta::value::Value;
    use dta::stata::dta::variable::Variable;
    use dta::stata::dta::variable_type::VariableType;

    use crate::civil::{write_date, write_datetime};
    use crate::read::batch::{ColumnBuilder, NullTexts};
    use crate::read::cell_text::{Wrong, float, show, text};
    use crate::read::header;
    use crate::read::input::{Raw, io_error};
    use crate::read::source::{BATCH_BYTES, BATCH_ROWS, Opened, Rows, garbled};
    use crate::read::{Batch, Blanks, Dialect, Format, Place, ReadError, ReadOptions};

    /// From 1960-01-01, Stata's day 0, to 1970-01-01.
    const DAYS_TO_1970: i64 = 3_653;
    /// Instants count in milliseconds.
    const PER_SECOND: i64 = 1_000;

    pub(super) fn open(mut raw: Raw, options: &ReadOptions) -> Result<Opened, ReadError> {
        let path = options.shown_path();
        raw.seek(SeekFrom::Start(0)).map_err(io_error(&path))?;
        // The crate's errors may show bytes of the file.
        let rows = DataSet::open(raw, options, &path)?;
        let columns: Vec<String> = rows.variables.iter().map(|variable| variable.name().to_owned()).collect();
        header::check(&columns, &path, Place::row(0))?;
        Ok(Opened { dialect: Dialect::columnar(Format::Dta), columns, rows: Box::new(rows) })
    }

    /// An opened data set, at its next row.
    struct DataSet {
        records: RecordReader<BufReader<Raw>>,
        variables: Vec<Variable>,
        /// Labels of each column's values.
        labels: Vec<HashMap<i32, String>>,
        /// Texts that are stored behind the rows, by variable and observation.
        long_texts: HashMap<(u32, u64), Vec<u8>>,
        null: NullTexts,
        blanks: Blanks,
        selected: Vec<usize>,
        path: PathBuf,
    }

    impl DataSet {
        fn open(raw: Raw, options: &ReadOptions, path: &Path) -> Result<DataSet, ReadError> {
            let damaged = |_| garbled(path, Format::Dta);
            let schema = DtaReader::new().from_reader(BufReader::new(raw)).read_header().map_err(damaged)?;
            // Before room is made for as many as a damaged header claims.
            if schema.header().variable_count() as usize > header::MOST_COLUMNS {
                let path = path.to_owned();
                return Err(ReadError::TooManyColumns { path, limit: header::MOST_COLUMNS });
            }
            let characteristics = schema.read_schema().map_err(damaged)?;
            let variables = characteristics.schema().variables().to_vec();
            let mut labels = characteristics.seek_value_labels().map_err(damaged)?;
            let mut sets: HashMap<String, HashMap<i32, String>> = HashMap::new();
            while let Some(set) = labels.read_value_label_set().map_err(damaged)? {
                let entries = set.entries().iter().map(|entry| (entry.value(), entry.label().to_owned()));
                sets.insert(set.name().to_owned(), entries.collect());
            }
            let mut texts = labels.seek_long_strings().map_err(damaged)?;
            let mut long_texts = HashMap::new();
            if variables.iter().any(|variable| variable.variable_type() == VariableType::LongString) {
                let encoding = texts.encoding();
                while let Some(stored) = texts.read_long_string().map_err(damaged)? {
                    let Some(decoded) = stored.data_str(encoding) else {
                        return Err(garbled(path, Format::Dta));
                    };
                    long_texts.insert((stored.variable(), stored.observation()), decoded.as_bytes().to_vec());
                }
            }
            let labels = variables
                .iter()
                .map(|variable| sets.get(variable.value_label_name()).cloned().unwrap_or_default());
            let empty = [String::new()];
            Ok(DataSet {
                records: texts.seek_records().map_err(damaged)?,
                labels: labels.collect(),
                long_texts,
                null: NullTexts::new(options.null.as_deref().unwrap_or(&empty)),
                blanks: options.blanks,
                selected: (0..variables.len()).collect(),
                path: path.to_owned(),
                variables,
            })
        }
    }

    impl Rows for DataSet {
        fn select(&mut self, columns: &[usize]) -> Result<(), ReadError> {
            self.selected = columns.to_vec();
            Ok(())
        }

        fn fill(&mut self, batch: &mut Batch) -> Result<(), ReadError> {
            let mut builders: Vec<ColumnBuilder> =
                self.selected.iter().map(|_| ColumnBuilder::default()).collect();
            let (mut bytes, mut cell) = (0, Vec::new());
            while batch.rows < BATCH_ROWS && bytes < BATCH_BYTES {
                let damaged = || garbled(&self.path, Format::Dta);
                let Some(record) = self.records.read_lazy_record().map_err(|_| damaged())? else { break };
                for (builder, &column) in builders.iter_mut().zip(&self.selected) {
                    let value = record.value(column).map_err(|_| damaged())?;
                    cell.clear();
                    let variable = &self.variables[column];
                    let told = write(&value, variable, &self.labels[column], &self.long_texts, &mut cell);
                    let place = || Place::row(batch.first_row + batch.rows as u64).column(variable.name());
                    let is_there = told.map_err(|wrong| refused(wrong, &self.path, place()))?;
                    let trimmed = match self.blanks {
                        Blanks::Trim => cell.trim_ascii(),
                        Blanks::Keep => cell.as_slice(),
                    };
                    match is_there && !self.null.contains(trimmed) {
                        true => builder.push(trimmed),
                        false => builder.push_missing(),
                    }
                    bytes += trimmed.len();
                }
                batch.rows += 1;
            }
            for (builder, column) in builders.iter_mut().zip(&mut batch.columns) {
                builder.finish(column).map_err(|_| garbled(&self.path, Format::Dta))?;
            }
            Ok(())
        }
    }

    /// Appends the cell; `false` for a missing one.
    fn write(
        value: &Value<'_>,
        variable: &Variable,
        labels: &HashMap<i32, String>,
        long_texts: &HashMap<(u32, u64), Vec<u8>>,
        out: &mut Vec<u8>,
    ) -> Result<bool, Wrong> {
        let number = match value {
            Value::Byte(value) => value.present().map(f64::from),
            Value::Int(value) => value.present().map(f64::from),
            Value::Long(value) => value.present().map(f64::from),
            Value::Float(value) => value.present().map(f64::from),
            Value::Double(value) => value.present(),
            Value::String(value) => return text(value.as_bytes(), out).map(|()| !value.is_empty()),
            Value::LongStringRef(place) => {
                let stored = long_texts.get(&(place.variable(), place.observation()));
                let stored = stored.filter(|stored| !stored.is_empty());
                return stored.map_or(Ok(false), |stored| text(stored, out).map(|()| true));
            }
        };
        let Some(number) = number else { return Ok(false) };
        let whole = number.fract() == 0.0 && number.abs() < 1e15;
        let label = whole.then(|| i32::try_from(number as i64).ok()).flatten();
        if let Some(label) = label.and_then(|value| labels.get(&value)) {
            return text(label.as_bytes(), out).map(|()| true);
        }
        match (variable.format(), value) {
            (format, _) if is_date(format) && whole => write_date(number as i64 - DAYS_TO_1970, out)?,
            (format, _) if format.starts_with("%tc") && whole => {
                write_datetime(number as i64 - DAYS_TO_1970 * 86_400 * PER_SECOND, PER_SECOND, out)?;
            }
            _ if whole => show(number as i64, out)?,
            // The fewest digits that are this number, as a number of its own width.
            (_, Value::Float(value)) => float(value.present().unwrap_or_default(), out)?,
            _ => float(number, out)?,
        }
        Ok(true)
    }

    /// `%td…`, or `%d…` before release 10 of the program, also aligned to the left (`%-td`).
    fn is_date(format: &str) -> bool {
        let format = format.strip_prefix('%').unwrap_or_default().trim_start_matches('-');
        format.starts_with("td") || format.starts_with('d')
    }

    fn refused(wrong: Wrong, path: &Path, place: Place) -> ReadError {
        let path = path.to_owned();
        match wrong {
            Wrong::NotFinite => ReadError::NotFinite { path, place },
            Wrong::DateOutOfRange => ReadError::DateOutOfRange { path, place },
            Wrong::NotUtf8 => ReadError::NotText { path, place },
            Wrong::Nul => ReadError::NulByte { path, place },
            Wrong::TooLarge | Wrong::Type | Wrong::Damaged => garbled(&path, Format::Dta),
        }
    }
}
