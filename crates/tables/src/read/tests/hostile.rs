//! Bytes that mean no good: there may be an error, never a panic that gets out.

use std::sync::Arc;

use arrow::array::{Int64Array, RecordBatch, StringArray};
use arrow::datatypes::{DataType, Field, Schema};
use proptest::collection::vec;
use proptest::prelude::*;

use super::typed::stored;
use super::*;

fn read_all(name: &str, bytes: &[u8]) {
    let mut options = ReadOptions::new(name);
    options.field_limit = 1 << 16;
    let _ = read(&Input::from_bytes(bytes, options));
}

/// Bytes that parsers care about, more often than others.
fn bytes() -> impl Strategy<Value = Vec<u8>> {
    let special = prop::sample::select(b"\"',;|\t\r\n\0{}[]:\\ae19.\xC3\xA9\xFF\xFE".to_vec());
    vec(prop_oneof![4 => special, 1 => any::<u8>()], 0..200)
}

proptest! {
    #[test]
    fn text_formats_survive(bytes in bytes()) {
        for name in ["t.csv", "t.tsv", "t.json", "t"] {
            read_all(name, &bytes);
        }
    }

    #[test]
    fn csv_agrees_with_a_slow_twin(text in "[a\"\\n\\r, é]{0,40}") {
        let mut options = ReadOptions::new("t.csv");
        options.delimiter = Some(b',');
        options.header = Header::Absent;
        options.null = Some(Vec::new());
        let ours = read(&Input::from_bytes(text.clone(), options));
        if let Some(expected) = slow_records(&text) {
            let ragged = expected.iter().any(|record| record.len() != expected[0].len());
            match ours {
                Ok((_, rows)) => {
                    let rows: Vec<Vec<String>> =
                        rows.into_iter().map(|row| row.into_iter().map(Option::unwrap).collect()).collect();
                    prop_assert_eq!(rows, expected);
                }
                Err(ReadError::Empty { .. } | ReadError::NoHeader { .. }) => prop_assert!(expected.is_empty()),
                Err(ReadError::RaggedRow { .. }) => prop_assert!(ragged),
                Err(error) => prop_assert!(false, "{}", error),
            }
        } else {
            prop_assert!(matches!(ours, Err(ReadError::UnterminatedQuote { .. } | ReadError::RaggedRow { .. })), "{:?}", ours);
        }
    }
}

/// Records character by character; `None` if a quote is open at the end.
fn slow_records(text: &str) -> Option<Vec<Vec<String>>> {
    let (mut records, mut record, mut cell) = (Vec::new(), Vec::new(), String::new());
    let (mut started, mut quoted) = (false, false);
    let mut rest = text.chars().peekable();
    while let Some(next) = rest.next() {
        match next {
            '"' if quoted && rest.peek() == Some(&'"') => {
                rest.next();
                cell.push('"');
            }
            '"' if quoted => quoted = false,
            _ if quoted => cell.push(next),
            '"' if !started => (started, quoted) = (true, true),
            ',' => {
                record.push(std::mem::take(&mut cell));
                started = false;
            }
            '\n' | '\r' => {
                if started || !record.is_empty() {
                    record.push(std::mem::take(&mut cell));
                    records.push(std::mem::take(&mut record));
                }
                started = false;
            }
            _ => {
                cell.push(next);
                started = true;
            }
        }
    }
    if quoted {
        return None;
    }
    if started || !record.is_empty() {
        record.push(cell);
        records.push(record);
    }
    Some(records)
}

#[test]
fn columnar_formats_survive_changed_bytes() {
    let fields = vec![Field::new("n", DataType::Int64, true), Field::new("t", DataType::Utf8, true)];
    let batch = RecordBatch::try_new(
        Arc::new(Schema::new(fields)),
        vec![Arc::new(Int64Array::from_iter_values(0..50)), Arc::new(StringArray::from(vec!["text"; 50]))],
    )
    .unwrap();
    for input in stored(&[batch]) {
        let name = input.options().path.to_str().unwrap().to_owned();
        let bytes = input.bytes().unwrap();
        for at in 0..bytes.len() {
            for value in [0, 1, 0x7F, 0x80, 0xFF] {
                let mut changed = bytes.to_vec();
                changed[at] = value;
                read_all(&name, &changed);
            }
        }
    }
}
