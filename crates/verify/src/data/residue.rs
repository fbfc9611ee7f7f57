//! Text that is in the file but in no row.
//!
//! Arrow arrays can carry more than their rows show: bytes under a missing value, bytes outside the offsets, buffers
//! of a string view that were kept after rows were filtered out. A reader of the file can see all of it.
//! (Dictionary entries that no row uses are found where dictionaries are read.)

use arrow::array::{Array, ArrayRef, AsArray, GenericStringArray, OffsetSizeTrait, StringViewArray};
use arrow::datatypes::DataType;

/// Views up to this length hold their text themselves (Arrow columnar format, "variable-size binary view layout").
const INLINE: u32 = 12;

/// How many pieces of such text the array carries.
pub(super) fn in_array(array: &ArrayRef) -> u64 {
    match array.data_type() {
        DataType::Utf8 => in_strings(array.as_string::<i32>()),
        DataType::LargeUtf8 => in_strings(array.as_string::<i64>()),
        DataType::Utf8View => in_views(array.as_string_view()),
        _ => 0,
    }
}

fn in_strings<O: OffsetSizeTrait>(array: &GenericStringArray<O>) -> u64 {
    let offsets = array.value_offsets();
    let (first, last) = match (offsets.first(), offsets.last()) {
        (Some(first), Some(last)) => (first.as_usize(), last.as_usize()),
        _ => (0, 0),
    };
    let outside = first > 0 || array.value_data().len() > last;
    let under_missing =
        (0..array.len()).filter(|&row| array.is_null(row) && offsets[row + 1] > offsets[row]).count();
    u64::from(outside) + under_missing as u64
}

fn in_views(array: &StringViewArray) -> u64 {
    let held: usize = array.data_buffers().iter().map(|buffer| buffer.len()).sum();
    let shown = (0..array.len()).filter(|&row| array.is_valid(row));
    let lengths = shown.map(|row| array.views()[row] as u32).filter(|&length| length > INLINE);
    let used: usize = lengths.map(|length| length as usize).sum();
    u64::from(held > used)
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use arrow::array::{ArrayRef, StringArray, StringViewArray};
    use arrow::buffer::{NullBuffer, OffsetBuffer, ScalarBuffer};

    use super::*;

    fn strings(offsets: Vec<i32>, bytes: &[u8], valid: Vec<bool>) -> ArrayRef {
        let offsets = OffsetBuffer::new(ScalarBuffer::from(offsets));
        Arc::new(StringArray::new(offsets, bytes.to_vec().into(), Some(NullBuffer::from(valid))))
    }

    #[test]
    fn text_under_a_missing_value_is_found() {
        assert_eq!(in_array(&strings(vec![0, 1, 2], b"ab", vec![true, true])), 0);
        assert_eq!(in_array(&strings(vec![0, 1, 1], b"a", vec![true, false])), 0);
        assert_eq!(in_array(&strings(vec![0, 1, 2], b"ab", vec![true, false])), 1);
    }

    #[test]
    fn text_outside_the_offsets_is_found() {
        assert_eq!(in_array(&strings(vec![1, 2], b"ab", vec![true])), 1);
        assert_eq!(in_array(&strings(vec![0, 1], b"ab", vec![true])), 1);
    }

    #[test]
    fn buffers_of_filtered_views_are_found() {
        let views = StringViewArray::from(vec![
            "short",
            "a text that is not stored inline",
            "another long text, kept",
        ]);
        let filtered: ArrayRef = Arc::new(views.slice(0, 2));
        assert_eq!(in_array(&filtered), 1);
        assert_eq!(in_array(&(Arc::new(views) as ArrayRef)), 0);
    }
}
