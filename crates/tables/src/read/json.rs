//! JSON: flat objects, one per line or in one array.
//!
//! The first object's keys are the columns. A key that is left out, like `null`, is a missing value; a key that the first object
//! does not have is an error. Numbers keep the text they have in the file.

use std::fmt;
use std::path::PathBuf;

use serde::de::{DeserializeSeed, Deserializer, Error, MapAccess, Visitor};
use serde_json::value::RawValue;

use super::batch::{ColumnBuilder, NullTexts};
use super::chunks::Chunks;
use super::detect::Sample;
use super::formats::{Cells, Kind, Missing};
use super::frame::Frame;
use super::header;
use super::input::Raw;
use super::json_values::JsonValues;
use super::source::{BATCH_BYTES, BATCH_ROWS, Opened, Rows};
use super::text::TextInput;
use super::{Batch, Dialect, Format, Place, ReadError, ReadOptions};

pub(super) const FORMAT: Kind = Kind {
    format: Format::Json,
    shown: "JSON",
    names: &["json", "jsonl", "ndjson"],
    endings: &[],
    is_it: starts_like_json,
    open: JsonRows::open,
    frame: Frame::none,
    missing: Missing::ByEither,
    cells: Cells::Document,
};

fn starts_like_json(bytes: &[u8]) -> bool {
    let text = bytes.strip_prefix(b"\xEF\xBB\xBF").unwrap_or(bytes);
    let mut visible = text.iter().filter(|byte| !byte.is_ascii_whitespace());
    let first = (visible.next(), visible.next());
    matches!(first, (Some(b'{'), Some(b'"' | b'}')) | (Some(b'['), Some(b'{' | b']')))
}

/// The rows of a JSON file.
pub(super) struct JsonRows {
    path: PathBuf,
    values: JsonValues,
    /// The line of the first object until it is delivered as a row.
    pending: Option<u64>,
    row: RowBuilder,
}

impl JsonRows {
    pub(super) fn open(raw: Raw, sample: Sample, options: &ReadOptions) -> Result<Opened, ReadError> {
        let path = options.shown_path();
        let text = TextInput::open(raw, sample, options);
        let dialect = Dialect::text(Format::Json, text.encoding, text.byte_order_mark);
        let mut values = JsonValues::new(path.clone(), Chunks::new(&path, text), options.cell_limit());
        let Some(line) = values.advance()? else { return Err(ReadError::NoHeader { path }) };

        let mut names = Vec::new();
        let read = read_object(values.object(), &mut |key, _| {
            names.push(key.to_owned());
            Ok(())
        });
        read.map_err(|problem| problem.at(&path, line))?;
        header::check(&names, &path, Place::line(line))?;

        let row = RowBuilder {
            null: NullTexts::new(options.null.as_deref().unwrap_or_default()),
            slots: vec![None; names.len()],
            names: names.clone(),
            seen: vec![0; names.len()],
            rows: 0,
            builders: Vec::new(),
        };
        let mut rows = Self { path, values, pending: Some(line), row };
        rows.select(&(0..names.len()).collect::<Vec<_>>())?;
        Ok(Opened { dialect, columns: names, rows: Box::new(rows) })
    }
}

impl Rows for JsonRows {
    fn select(&mut self, columns: &[usize]) -> Result<(), ReadError> {
        self.row.slots.fill(None);
        for (slot, &column) in columns.iter().enumerate() {
            self.row.slots[column] = Some(slot);
        }
        self.row.builders.resize_with(columns.len(), ColumnBuilder::default);
        Ok(())
    }

    fn fill(&mut self, batch: &mut Batch) -> Result<(), ReadError> {
        let mut bytes = 0;
        while batch.rows < BATCH_ROWS && bytes < BATCH_BYTES {
            let line = match self.pending.take() {
                Some(line) => line,
                None => match self.values.advance()? {
                    Some(line) => line,
                    None => break,
                },
            };
            self.row.add(self.values.object()).map_err(|problem| problem.at(&self.path, line))?;
            bytes += self.values.object().len();
            batch.add_row(line);
        }
        for (i, builder) in self.row.builders.iter_mut().enumerate() {
            // Cannot fail: each object was checked to be UTF-8.
            let finished = builder.finish(&mut batch.columns[i]);
            finished.map_err(|row| Problem::NotUtf8.at(&self.path, batch.line(row).unwrap_or(0)))?;
        }
        Ok(())
    }
}

/// Sorts the values of an object into columns.
struct RowBuilder {
    names: Vec<String>,
    null: NullTexts,
    /// For each column its place in the selection.
    slots: Vec<Option<usize>>,
    /// For each column the number of the last row that had a value for it.
    seen: Vec<u64>,
    rows: u64,
    builders: Vec<ColumnBuilder>,
}

impl RowBuilder {
    fn add(&mut self, object: &[u8]) -> Result<(), Problem> {
        self.rows += 1;
        let mut guess = 0;
        read_object(object, &mut |key, value| {
            // Most objects have the keys in the order of the first.
            let column = match self.names.get(guess).is_some_and(|name| name == key) {
                true => guess,
                false => self.names.iter().position(|name| name == key).ok_or(Problem::UnknownKey)?,
            };
            guess = column + 1;
            if std::mem::replace(&mut self.seen[column], self.rows) == self.rows {
                return Err(Problem::In(self.names[column].clone(), Cell::Twice));
            }
            let value = cell(value).map_err(|problem| Problem::In(self.names[column].clone(), problem))?;
            let Some(slot) = self.slots[column] else { return Ok(()) };
            match value {
                Some(text) if !self.null.contains(text.as_bytes()) => {
                    self.builders[slot].push(text.as_bytes())
                }
                _ => self.builders[slot].push_missing(),
            }
            Ok(())
        })?;
        for (column, slot) in self.slots.iter().enumerate() {
            if let Some(slot) = slot.filter(|_| self.seen[column] != self.rows) {
                self.builders[slot].push_missing();
            }
        }
        Ok(())
    }
}

/// The text of a value; `None` for null.
fn cell(raw: &str) -> Result<Option<std::borrow::Cow<'_, str>>, Cell> {
    match raw.as_bytes().first() {
        Some(b'n') => Ok(None),
        Some(b'{' | b'[') => Err(Cell::Nested),
        Some(b'"') if raw.contains('\\') => {
            let text: String = serde_json::from_str(raw).map_err(|_| Cell::Escape)?;
            if text.contains('\0') { Err(Cell::Nul) } else { Ok(Some(text.into())) }
        }
        Some(b'"') => Ok(Some(raw.trim_matches('"').into())),
        _ => Ok(Some(raw.into())),
    }
}

/// What is wrong with an object. Messages of the JSON parser are not passed on: they may quote the text.
enum Problem {
    Syntax,
    NotUtf8,
    UnknownKey,
    In(String, Cell),
}

enum Cell {
    Nested,
    Escape,
    Nul,
    Twice,
}

impl Problem {
    fn at(self, path: &std::path::Path, line: u64) -> ReadError {
        let (path, place) = (path.to_owned(), Place::line(line));
        match self {
            Self::Syntax => ReadError::Json { path, place, what: "not a valid JSON object" },
            Self::NotUtf8 => ReadError::NotUtf8 { path, place },
            Self::UnknownKey => ReadError::UnknownKey { path, place },
            Self::In(column, problem) => {
                let place = place.column(&column);
                match problem {
                    Cell::Nested => ReadError::Nested { path, place },
                    Cell::Nul => ReadError::NulByte { path, place },
                    Cell::Escape => ReadError::Json { path, place, what: "a text with an impossible escape" },
                    Cell::Twice => {
                        ReadError::Json { path, place, what: "the key occurs twice in one object" }
                    }
                }
            }
        }
    }
}

type OnPair<'a> = &'a mut dyn FnMut(&str, &str) -> Result<(), Problem>;

/// Calls `on_pair` with each key and the source text of its value.
fn read_object(object: &[u8], on_pair: OnPair<'_>) -> Result<(), Problem> {
    let text = std::str::from_utf8(object).map_err(|_| Problem::NotUtf8)?;
    let mut problem = None;
    let mut reader = serde_json::Deserializer::from_str(text);
    let read = reader.deserialize_map(Pairs { on_pair, problem: &mut problem });
    match (problem, read) {
        (Some(problem), _) => Err(problem),
        (None, Err(_)) => Err(Problem::Syntax),
        (None, Ok(())) => Ok(()),
    }
}

struct Pairs<'a> {
    on_pair: OnPair<'a>,
    problem: &'a mut Option<Problem>,
}

impl<'de> Visitor<'de> for Pairs<'_> {
    type Value = ();

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("an object")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<(), A::Error> {
        let mut key = String::new();
        while map.next_key_seed(KeyInto(&mut key))?.is_some() {
            let value: &RawValue = map.next_value()?;
            if let Err(problem) = (self.on_pair)(&key, value.get()) {
                *self.problem = Some(problem);
                return Err(A::Error::custom("see the problem"));
            }
        }
        Ok(())
    }
}

/// Reads a key into a buffer that is used again.
struct KeyInto<'a>(&'a mut String);

impl<'de> DeserializeSeed<'de> for KeyInto<'_> {
    type Value = ();

    fn deserialize<D: Deserializer<'de>>(self, reader: D) -> Result<(), D::Error> {
        reader.deserialize_str(self)
    }
}

impl Visitor<'_> for KeyInto<'_> {
    type Value = ();

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a key")
    }

    fn visit_str<E: Error>(self, key: &str) -> Result<(), E> {
        self.0.clear();
        self.0.push_str(key);
        Ok(())
    }
}
