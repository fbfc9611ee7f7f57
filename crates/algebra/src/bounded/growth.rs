//! How large the result of a function can become, before it is called.

use super::collect::bytes;
use datafusion::arrow::array::{Array, ArrayRef, AsArray, new_empty_array};
use datafusion::arrow::compute::cast;
use datafusion::arrow::datatypes::{DataType, Int64Type};
use datafusion::common::Result;
use datafusion::logical_expr::{ColumnarValue, ScalarFunctionArgs};

/// How a function makes large values out of small ones.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Growth {
    /// All arguments, one after the other, with the first between any two.
    Joined,
    /// The first argument as often as the second says.
    Repeated,
    /// As many characters as the second argument says.
    Padded,
    /// As many elements as the second argument says, each the third or one of the first.
    Resized,
    /// Every character of the first may become the third.
    Replaced,
    /// Numbers from the first to the second in steps of the third.
    Series,
    /// Elements of the first with the second between them.
    Listed,
}

/// Functions that are called through a check.
pub(super) const GROWING: [(&str, Growth); 26] = [
    ("concat", Growth::Joined),
    ("concat_ws", Growth::Joined),
    ("overlay", Growth::Joined),
    ("encode", Growth::Joined),
    ("make_array", Growth::Joined),
    ("array_concat", Growth::Joined),
    ("array_append", Growth::Joined),
    ("array_prepend", Growth::Joined),
    ("array_union", Growth::Joined),
    ("arrays_zip", Growth::Joined),
    ("map", Growth::Joined),
    ("named_struct", Growth::Joined),
    ("struct", Growth::Joined),
    ("string_to_array", Growth::Joined),
    ("repeat", Growth::Repeated),
    ("array_repeat", Growth::Repeated),
    ("lpad", Growth::Padded),
    ("rpad", Growth::Padded),
    ("array_resize", Growth::Resized),
    ("replace", Growth::Replaced),
    ("regexp_replace", Growth::Replaced),
    ("translate", Growth::Replaced),
    ("array_replace_all", Growth::Replaced),
    ("array_to_string", Growth::Listed),
    ("range", Growth::Series),
    ("generate_series", Growth::Series),
];

impl Growth {
    /// An upper bound on the bytes of the result, all rows together; saturates.
    pub(super) fn bound(self, args: &ScalarFunctionArgs) -> Result<u64> {
        let rows = args.number_rows.max(1);
        let sizes: Vec<Sizes> = args.args.iter().map(Sizes::of).collect();
        let size = |place: usize, row: usize| sizes.get(place).map_or(0, |sizes| sizes.at(row));
        let number = |place: usize| Numbers::of(args.args.get(place));
        let sum = |row: &dyn Fn(usize) -> u64| (0..rows).fold(0u64, |sum, at| sum.saturating_add(row(at)));
        Ok(match self {
            Growth::Joined => {
                let others = args.args.len() as u64;
                sum(&|row| {
                    let all = (0..sizes.len()).fold(0u64, |all, place| all.saturating_add(size(place, row)));
                    // What stands between the others; a list may have many elements.
                    all.saturating_mul(2).saturating_add(size(0, row).saturating_mul(others))
                })
            }
            Growth::Repeated => {
                let times = number(1)?;
                sum(&|row| size(0, row).max(1).saturating_mul(times.at(row)))
            }
            Growth::Padded => {
                let characters = number(1)?;
                sum(&|row| characters.at(row).saturating_mul(4))
            }
            Growth::Resized => {
                let elements = number(1)?;
                sum(&|row| elements.at(row).saturating_mul(size(2, row).max(16)).saturating_add(size(0, row)))
            }
            Growth::Replaced => sum(&|row| {
                // Each of the places may become the new text; groups that it names are together not longer than the old one.
                let new = size(2, row).max(size(3, row)).max(1);
                size(0, row)
                    .saturating_add(1)
                    .saturating_mul(new)
                    .saturating_mul(2)
                    .saturating_add(size(0, row))
            }),
            Growth::Listed => sum(&|row| {
                let between = size(1, row).max(size(2, row)).saturating_add(1);
                size(0, row).saturating_mul(between).saturating_add(64)
            }),
            Growth::Series => {
                let (first, second) =
                    (Numbers::signed(args.args.first())?, Numbers::signed(args.args.get(1))?);
                let step = Numbers::signed(args.args.get(2))?;
                sum(&|row| {
                    let (from, to) = match args.args.len() {
                        1 => (0, first.signed_at(row).unwrap_or(0)),
                        _ => (first.signed_at(row).unwrap_or(0), second.signed_at(row).unwrap_or(0)),
                    };
                    let step = step.signed_at(row).unwrap_or(1).unsigned_abs().max(1);
                    (from.abs_diff(to) / step).saturating_add(1).saturating_mul(8)
                })
            }
        })
    }
}

/// Bytes of a value, row by row.
enum Sizes {
    Same(u64),
    Each(Vec<u64>),
}

impl Sizes {
    fn of(value: &ColumnarValue) -> Sizes {
        match value {
            ColumnarValue::Scalar(scalar) => {
                let one = scalar.to_array().unwrap_or_else(|_| new_empty_array(&DataType::Null));
                Sizes::Same(bytes(&one) as u64)
            }
            ColumnarValue::Array(array) => Sizes::Each(each(array)),
        }
    }

    fn at(&self, row: usize) -> u64 {
        match self {
            Sizes::Same(size) => *size,
            Sizes::Each(sizes) => sizes.get(row).copied().unwrap_or_default(),
        }
    }
}

fn each(array: &ArrayRef) -> Vec<u64> {
    match array.data_type() {
        DataType::Utf8 => array.as_string::<i32>().offsets().lengths().map(|size| size as u64).collect(),
        DataType::LargeUtf8 => array.as_string::<i64>().offsets().lengths().map(|size| size as u64).collect(),
        DataType::Utf8View => {
            array.as_string_view().views().iter().map(|view| u64::from(*view as u32)).collect()
        }
        other if other.is_primitive() => vec![8; array.len()],
        _ => (0..array.len()).map(|row| bytes(&array.slice(row, 1)) as u64).collect(),
    }
}

/// A number, row by row; what is missing or no number counts as none.
enum Numbers {
    Absent,
    Same(Option<i64>),
    Each(ArrayRef),
}

impl Numbers {
    fn of(value: Option<&ColumnarValue>) -> Result<Numbers> {
        Numbers::signed(value)
    }

    fn signed(value: Option<&ColumnarValue>) -> Result<Numbers> {
        let whole = |array: &ArrayRef| cast(array, &DataType::Int64);
        Ok(match value {
            None => Numbers::Absent,
            Some(ColumnarValue::Scalar(scalar)) => {
                let one = whole(&scalar.to_array()?)?;
                Numbers::Same(one.is_valid(0).then(|| one.as_primitive::<Int64Type>().value(0)))
            }
            Some(ColumnarValue::Array(array)) => Numbers::Each(whole(array)?),
        })
    }

    fn signed_at(&self, row: usize) -> Option<i64> {
        match self {
            Numbers::Absent => None,
            Numbers::Same(number) => *number,
            Numbers::Each(numbers) => (row < numbers.len() && numbers.is_valid(row))
                .then(|| numbers.as_primitive::<Int64Type>().value(row)),
        }
    }

    fn at(&self, row: usize) -> u64 {
        self.signed_at(row).and_then(|number| u64::try_from(number).ok()).unwrap_or(0)
    }
}
