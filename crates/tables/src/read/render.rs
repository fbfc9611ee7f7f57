//! Columns of typed cells as text.

use std::fmt::Display;
use std::ops::Range;

use arrow::array::{Array, ArrayRef, ArrowPrimitiveType, AsArray};
use arrow::compute::take;
use arrow::datatypes::{self as types, DataType, TimeUnit};

use super::batch::{ColumnBuilder, NullTexts, TextColumn};
use super::cell_text::{Wrong, binary, date, decimal, float, instant, show, text, time};

/// Which types have a text. Asked when a file is opened, so that the others are refused at once.
pub(super) fn is_supported(data_type: &DataType) -> bool {
    match data_type {
        DataType::Dictionary(_, values) => {
            !matches!(**values, DataType::Dictionary(..)) && is_supported(values)
        }
        DataType::Null | DataType::Boolean | DataType::Float16 | DataType::Float32 | DataType::Float64 => {
            true
        }
        DataType::Utf8 | DataType::LargeUtf8 | DataType::Utf8View => true,
        DataType::Binary | DataType::LargeBinary | DataType::BinaryView | DataType::FixedSizeBinary(_) => {
            true
        }
        DataType::Date32 | DataType::Date64 | DataType::Timestamp(..) => true,
        DataType::Time32(_) | DataType::Time64(_) => true,
        DataType::Decimal32(..)
        | DataType::Decimal64(..)
        | DataType::Decimal128(..)
        | DataType::Decimal256(..) => true,
        other => other.is_integer(),
    }
}

/// The cells of an array as text; `None` where one has none.
pub(crate) fn texts(array: &ArrayRef) -> Option<Vec<Option<String>>> {
    let mut builder = ColumnBuilder::default();
    let null = NullTexts::default();
    let mut renderer =
        Renderer { builder: &mut builder, null: &null, cell_limit: usize::MAX, column_limit: usize::MAX };
    renderer.render(array, 0..array.len()).ok()?;
    let mut column = TextColumn::default();
    builder.finish(&mut column).ok()?;
    Some(column.iter().map(|cell| cell.map(str::to_owned)).collect())
}

/// Appends rows of an array to a column.
pub(super) struct Renderer<'a> {
    pub builder: &'a mut ColumnBuilder,
    pub null: &'a NullTexts,
    /// Largest cell.
    pub cell_limit: usize,
    /// Bytes after which no further row is added.
    pub column_limit: usize,
}

impl Renderer<'_> {
    /// Tells how many rows were added, or which one (counted from the first of `rows`) is wrong.
    pub(super) fn render(&mut self, array: &ArrayRef, rows: Range<usize>) -> Result<usize, (usize, Wrong)> {
        match array.data_type() {
            DataType::Null => self.each(array, rows, |_, _| Ok(())),
            DataType::Boolean => {
                let values = array.as_boolean();
                self.each(array, rows, |i, out| show(values.value(i), out))
            }
            DataType::Int8 => self.plain::<types::Int8Type>(array, rows),
            DataType::Int16 => self.plain::<types::Int16Type>(array, rows),
            DataType::Int32 => self.plain::<types::Int32Type>(array, rows),
            DataType::Int64 => self.plain::<types::Int64Type>(array, rows),
            DataType::UInt8 => self.plain::<types::UInt8Type>(array, rows),
            DataType::UInt16 => self.plain::<types::UInt16Type>(array, rows),
            DataType::UInt32 => self.plain::<types::UInt32Type>(array, rows),
            DataType::UInt64 => self.plain::<types::UInt64Type>(array, rows),
            DataType::Float16 => {
                self.values::<types::Float16Type>(array, rows, |v, out| float(f32::from(v), out))
            }
            DataType::Float32 => self.values::<types::Float32Type>(array, rows, float),
            DataType::Float64 => self.values::<types::Float64Type>(array, rows, float),
            &DataType::Decimal32(_, scale) => self.decimals::<types::Decimal32Type>(array, rows, scale),
            &DataType::Decimal64(_, scale) => self.decimals::<types::Decimal64Type>(array, rows, scale),
            &DataType::Decimal128(_, scale) => self.decimals::<types::Decimal128Type>(array, rows, scale),
            &DataType::Decimal256(_, scale) => self.decimals::<types::Decimal256Type>(array, rows, scale),
            DataType::Date32 => {
                self.values::<types::Date32Type>(array, rows, |days, out| date(i64::from(days), out))
            }
            DataType::Date64 => self.values::<types::Date64Type>(array, rows, |millis, out| {
                date(millis.div_euclid(86_400_000), out)
            }),
            DataType::Timestamp(unit, zone) => self.instants(array, rows, *unit, zone.is_some()),
            DataType::Time32(_) | DataType::Time64(_) => self.times(array, rows),
            DataType::Utf8 => {
                let values = array.as_string::<i32>();
                self.each(array, rows, |i, out| text(values.value(i).as_bytes(), out))
            }
            DataType::LargeUtf8 => {
                let values = array.as_string::<i64>();
                self.each(array, rows, |i, out| text(values.value(i).as_bytes(), out))
            }
            DataType::Utf8View => {
                let values = array.as_string_view();
                self.each(array, rows, |i, out| text(values.value(i).as_bytes(), out))
            }
            DataType::Binary => {
                let values = array.as_binary::<i32>();
                self.each(array, rows, |i, out| binary(values.value(i), out))
            }
            DataType::LargeBinary => {
                let values = array.as_binary::<i64>();
                self.each(array, rows, |i, out| binary(values.value(i), out))
            }
            DataType::BinaryView => {
                let values = array.as_binary_view();
                self.each(array, rows, |i, out| binary(values.value(i), out))
            }
            DataType::FixedSizeBinary(_) => {
                let values = array.as_fixed_size_binary();
                self.each(array, rows, |i, out| binary(values.value(i), out))
            }
            DataType::Dictionary(_, values) if !matches!(**values, DataType::Dictionary(..)) => {
                let slice = array.slice(rows.start, rows.len());
                let dictionary = slice.as_any_dictionary();
                let plain = take(dictionary.values().as_ref(), dictionary.keys(), None)
                    .map_err(|_| (0, Wrong::Damaged))?;
                self.render(&plain, 0..rows.len())
            }
            _ => Err((0, Wrong::Type)),
        }
    }

    fn each(
        &mut self,
        array: &ArrayRef,
        rows: Range<usize>,
        write: impl Fn(usize, &mut Vec<u8>) -> Result<(), Wrong>,
    ) -> Result<usize, (usize, Wrong)> {
        let nulls = array.logical_nulls();
        for (done, row) in rows.clone().enumerate() {
            if self.builder.byte_len() > self.column_limit {
                return Ok(done);
            }
            if nulls.as_ref().is_some_and(|nulls| nulls.is_null(row)) {
                self.builder.push_missing();
                continue;
            }
            let length =
                self.builder.push_with(self.null, |out| write(row, out)).map_err(|wrong| (done, wrong))?;
            if length > self.cell_limit {
                return Err((done, Wrong::TooLarge));
            }
        }
        Ok(rows.len())
    }

    fn values<T: ArrowPrimitiveType>(
        &mut self,
        array: &ArrayRef,
        rows: Range<usize>,
        write: impl Fn(T::Native, &mut Vec<u8>) -> Result<(), Wrong>,
    ) -> Result<usize, (usize, Wrong)> {
        let values = array.as_primitive::<T>();
        self.each(array, rows, |row, out| write(values.value(row), out))
    }

    fn plain<T: ArrowPrimitiveType<Native: Display>>(
        &mut self,
        array: &ArrayRef,
        rows: Range<usize>,
    ) -> Result<usize, (usize, Wrong)> {
        self.values::<T>(array, rows, show)
    }

    fn decimals<T: ArrowPrimitiveType<Native: Display>>(
        &mut self,
        array: &ArrayRef,
        rows: Range<usize>,
        scale: i8,
    ) -> Result<usize, (usize, Wrong)> {
        self.values::<T>(array, rows, |unscaled, out| {
            decimal(&unscaled.to_string(), scale, out);
            Ok(())
        })
    }

    fn instants(
        &mut self,
        array: &ArrayRef,
        rows: Range<usize>,
        unit: TimeUnit,
        zoned: bool,
    ) -> Result<usize, (usize, Wrong)> {
        let write = |value: i64, out: &mut Vec<u8>| instant(value, unit, zoned, out);
        match unit {
            TimeUnit::Second => self.values::<types::TimestampSecondType>(array, rows, write),
            TimeUnit::Millisecond => self.values::<types::TimestampMillisecondType>(array, rows, write),
            TimeUnit::Microsecond => self.values::<types::TimestampMicrosecondType>(array, rows, write),
            TimeUnit::Nanosecond => self.values::<types::TimestampNanosecondType>(array, rows, write),
        }
    }

    fn times(&mut self, array: &ArrayRef, rows: Range<usize>) -> Result<usize, (usize, Wrong)> {
        match array.data_type() {
            DataType::Time32(TimeUnit::Second) => {
                self.values::<types::Time32SecondType>(array, rows, |v, out| {
                    time(v.into(), TimeUnit::Second, out)
                })
            }
            DataType::Time32(TimeUnit::Millisecond) => {
                self.values::<types::Time32MillisecondType>(array, rows, |v, out| {
                    time(v.into(), TimeUnit::Millisecond, out)
                })
            }
            DataType::Time64(TimeUnit::Microsecond) => {
                self.values::<types::Time64MicrosecondType>(array, rows, |v, out| {
                    time(v, TimeUnit::Microsecond, out)
                })
            }
            DataType::Time64(TimeUnit::Nanosecond) => {
                self.values::<types::Time64NanosecondType>(array, rows, |v, out| {
                    time(v, TimeUnit::Nanosecond, out)
                })
            }
            _ => Err((0, Wrong::Type)),
        }
    }
}
