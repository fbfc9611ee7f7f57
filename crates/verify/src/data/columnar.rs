//! Arrow record batches as columns of text.

use std::fmt::Write;
use std::sync::Arc;

use arrow::array::{Array, ArrayRef, AsArray, RecordBatch};
use arrow::datatypes::{
    ArrowPrimitiveType, DataType, Date32Type, Date64Type, Decimal128Type, Float32Type, Float64Type, Int8Type,
    Int16Type, Int32Type, Int64Type, Schema, TimeUnit, TimestampMicrosecondType, TimestampMillisecondType,
    TimestampNanosecondType, TimestampSecondType, UInt8Type, UInt16Type, UInt32Type, UInt64Type,
};
use num_bigint::BigInt;

use super::csv::MOST_ROWS;
use super::residue;
use super::{Column, Interner};
use crate::VerifyError;
use crate::calendar;
use crate::decimal::Decimal;
use crate::json::MAX_COLUMNS;

/// Collects batches of one file.
pub(super) struct Collector<'a> {
    file: &'a str,
    names: Vec<String>,
    columns: Vec<Interner>,
    residue: Vec<u64>,
    is_text: Vec<bool>,
    /// The dictionary of the batch before and the codes of its entries: files often repeat it.
    dictionaries: Vec<Option<(ArrayRef, Vec<u32>)>>,
}

impl<'a> Collector<'a> {
    pub(super) fn new(file: &'a str, schema: &Schema) -> Result<Collector<'a>, VerifyError> {
        if schema.fields().is_empty() {
            return Err(VerifyError::NoHeader { file: file.to_owned() });
        }
        if schema.fields().len() > MAX_COLUMNS {
            return Err(VerifyError::TooLarge { file: file.to_owned() });
        }
        let names: Vec<String> = schema.fields().iter().map(|field| field.name().clone()).collect();
        let columns = names.iter().map(|_| Interner::default()).collect();
        // What is said beside the rows could say anything.
        let mut residue: Vec<u64> =
            schema.fields().iter().map(|field| field.metadata().len() as u64).collect();
        residue[0] += schema.metadata().len() as u64;
        let dictionaries = vec![None; names.len()];
        let is_text = schema.fields().iter().map(|field| *field.data_type() == DataType::Utf8).collect();
        Ok(Collector { file, names, columns, residue, is_text, dictionaries })
    }

    /// Notes of the file that belong to no column.
    pub(super) fn add_notes(&mut self, notes: usize) {
        self.residue[0] += notes as u64;
    }

    pub(super) fn add(&mut self, batch: &RecordBatch) -> Result<(), VerifyError> {
        let full = self.columns[0].len().saturating_add(batch.num_rows()) > MOST_ROWS;
        if full || batch.num_columns() != self.columns.len() {
            return Err(VerifyError::TooLarge { file: self.file.to_owned() });
        }
        for (index, array) in batch.columns().iter().enumerate() {
            self.residue[index] += residue::in_array(array);
            let read = match array.data_type() {
                DataType::Dictionary(..) => self.add_dictionary(index, array),
                _ => add_plain(&mut self.columns[index], array),
            };
            read.ok_or_else(|| VerifyError::ColumnType { file: self.file.to_owned(), column: index + 1 })?;
        }
        Ok(())
    }

    /// Every entry of a dictionary gets a code, used or not; entries that no row uses are residue in the end.
    fn add_dictionary(&mut self, index: usize, array: &ArrayRef) -> Option<()> {
        let dictionary = array.as_any_dictionary_opt()?;
        let entries = dictionary.values();
        let column = &mut self.columns[index];
        let known =
            self.dictionaries[index].as_ref().is_some_and(|(before, _)| ArrayRef::ptr_eq(before, entries));
        if !known {
            let mut codes = Interner::default();
            add_plain(&mut codes, entries)?;
            let translated = codes.translate_into(column);
            self.residue[index] += residue::in_array(entries);
            self.dictionaries[index] = Some((entries.clone(), translated));
        }
        let (_, codes) = self.dictionaries[index].as_ref()?;
        if codes.is_empty() {
            (0..array.len()).for_each(|_| column.push_missing());
            return Some(());
        }
        for (row, key) in dictionary.normalized_keys().into_iter().enumerate() {
            match codes.get(key) {
                Some(&code) if !array.is_null(row) => column.push_code(code),
                _ => column.push_missing(),
            }
        }
        Some(())
    }

    pub(super) fn finish(self) -> Result<Vec<Column>, VerifyError> {
        let mut finished = Vec::new();
        let rows = self.columns.first().map_or(0, Interner::len);
        let repeats: Arc<[u32]> = vec![1; rows].into();
        for (index, ((interner, name), residue)) in
            self.columns.into_iter().zip(self.names).zip(self.residue).enumerate()
        {
            let mut column = interner.finish(name, self.file, index + 1, &repeats)?;
            column.residue += residue;
            column.is_text = self.is_text[index];
            finished.push(column);
        }
        Ok(finished)
    }
}

/// Appends the cells of an array; `None` if its type is none that a release has.
fn add_plain(column: &mut Interner, array: &ArrayRef) -> Option<()> {
    match array.data_type() {
        DataType::Utf8 => add_texts(column, array.as_string::<i32>().iter()),
        DataType::LargeUtf8 => add_texts(column, array.as_string::<i64>().iter()),
        DataType::Utf8View => add_texts(column, array.as_string_view().iter()),
        DataType::Null => (0..array.len()).for_each(|_| column.push_missing()),
        DataType::Boolean => {
            add_texts(
                column,
                array.as_boolean().iter().map(|cell| cell.map(|yes| if yes { "true" } else { "false" })),
            );
        }
        DataType::Int8 => add_displayed::<Int8Type>(column, array),
        DataType::Int16 => add_displayed::<Int16Type>(column, array),
        DataType::Int32 => add_displayed::<Int32Type>(column, array),
        DataType::Int64 => add_displayed::<Int64Type>(column, array),
        DataType::UInt8 => add_displayed::<UInt8Type>(column, array),
        DataType::UInt16 => add_displayed::<UInt16Type>(column, array),
        DataType::UInt32 => add_displayed::<UInt32Type>(column, array),
        DataType::UInt64 => add_displayed::<UInt64Type>(column, array),
        DataType::Float32 => add_displayed::<Float32Type>(column, array),
        DataType::Float64 => add_displayed::<Float64Type>(column, array),
        DataType::Decimal128(_, scale) => {
            let scale = *scale;
            add_rendered::<Decimal128Type>(column, array, |digits| decimal_text(digits, scale));
        }
        DataType::Date32 => {
            add_rendered::<Date32Type>(column, array, |days| calendar::date_text(i64::from(days)))
        }
        DataType::Date64 => {
            add_rendered::<Date64Type>(column, array, |milliseconds| {
                calendar::date_text(milliseconds.div_euclid(86_400_000))
            });
        }
        DataType::Timestamp(unit, zone) => {
            let zone = if zone.is_some() { "Z" } else { "" };
            match unit {
                TimeUnit::Second => add_instants::<TimestampSecondType>(column, array, 1_000_000_000, zone),
                TimeUnit::Millisecond => {
                    add_instants::<TimestampMillisecondType>(column, array, 1_000_000, zone)
                }
                TimeUnit::Microsecond => add_instants::<TimestampMicrosecondType>(column, array, 1_000, zone),
                TimeUnit::Nanosecond => add_instants::<TimestampNanosecondType>(column, array, 1, zone),
            }
        }
        _ => return None,
    }
    Some(())
}

fn add_texts<'a>(column: &mut Interner, cells: impl Iterator<Item = Option<&'a str>>) {
    for cell in cells {
        match cell {
            Some(text) => column.push(text.as_bytes()),
            None => column.push_missing(),
        }
    }
}

fn add_displayed<T: ArrowPrimitiveType<Native: std::fmt::Display>>(column: &mut Interner, array: &ArrayRef) {
    let mut text = String::new();
    for cell in array.as_primitive::<T>() {
        match cell {
            Some(value) => {
                text.clear();
                // Writing to a string cannot fail.
                let _ = write!(text, "{value}");
                column.push(text.as_bytes());
            }
            None => column.push_missing(),
        }
    }
}

/// Values that cannot be rendered (a date in the year 20000) become a text that no check takes for a value.
fn add_rendered<T: ArrowPrimitiveType>(
    column: &mut Interner,
    array: &ArrayRef,
    render: impl Fn(T::Native) -> Option<String>,
) {
    for cell in array.as_primitive::<T>() {
        match cell {
            Some(value) => column.push(render(value).as_deref().unwrap_or("out of range").as_bytes()),
            None => column.push_missing(),
        }
    }
}

fn add_instants<T: ArrowPrimitiveType<Native = i64>>(
    column: &mut Interner,
    array: &ArrayRef,
    nanoseconds: i128,
    zone: &str,
) {
    add_rendered::<T>(column, array, |count| {
        calendar::datetime_text(i128::from(count) * nanoseconds).map(|text| text + zone)
    });
}

fn decimal_text(digits: i128, scale: i8) -> Option<String> {
    let decimal = match usize::try_from(scale) {
        Ok(scale) => Decimal::new(BigInt::from(digits), scale),
        Err(_) => {
            Decimal::new(BigInt::from(digits) * BigInt::from(10).pow(u32::from(scale.unsigned_abs())), 0)
        }
    };
    Some(decimal.to_string())
}
