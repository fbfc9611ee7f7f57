use std::sync::Arc;

use arrow::array::*;
use arrow::datatypes::{Field, Int8Type, Schema};
use arrow::ipc::writer::{FileWriter, StreamWriter};
use parquet::arrow::ArrowWriter;
use parquet::basic::Compression;
use parquet::file::properties::WriterProperties;

use super::*;

fn table(columns: Vec<(&str, ArrayRef)>) -> RecordBatch {
    let fields: Vec<Field> =
        columns.iter().map(|(name, array)| Field::new(*name, array.data_type().clone(), true)).collect();
    let arrays = columns.into_iter().map(|(_, array)| array).collect();
    RecordBatch::try_new(Arc::new(Schema::new(fields)), arrays).unwrap()
}

/// The same record batches as Parquet, Arrow file and Arrow stream.
pub(super) fn stored(batches: &[RecordBatch]) -> [Input; 3] {
    let schema = batches[0].schema();
    let mut parquet = Vec::new();
    let mut writer = ArrowWriter::try_new(&mut parquet, schema.clone(), None).unwrap();
    batches.iter().for_each(|batch| writer.write(batch).unwrap());
    writer.close().unwrap();

    let mut file = FileWriter::try_new(Vec::new(), &schema).unwrap();
    batches.iter().for_each(|batch| file.write(batch).unwrap());
    let mut stream = StreamWriter::try_new(Vec::new(), &schema).unwrap();
    batches.iter().for_each(|batch| stream.write(batch).unwrap());
    [
        input("t.parquet", parquet),
        input("t.arrow", file.into_inner().unwrap()),
        input("t.arrow", stream.into_inner().unwrap()),
    ]
}

/// A column of one value (and a missing one) in all three formats.
fn column(array: ArrayRef) -> Vec<String> {
    stored(&[table(vec![("x", array)])]).iter().map(shown).collect()
}

#[test]
fn every_type_has_a_text() {
    let dictionary: DictionaryArray<Int8Type> =
        vec![Some("b"), None, Some("a"), Some("b")].into_iter().collect();
    for (array, expected) in [
        (Arc::new(Int8Array::from(vec![Some(-5), None])) as ArrayRef, "x/-5/?"),
        (Arc::new(Int64Array::from(vec![i64::MIN])), "x/-9223372036854775808"),
        (Arc::new(UInt64Array::from(vec![u64::MAX])), "x/18446744073709551615"),
        (Arc::new(UInt16Array::from(vec![7])), "x/7"),
        (Arc::new(Float64Array::from(vec![Some(0.1), None, Some(-0.0), Some(3.0)])), "x/0.1/?/0/3"),
        (Arc::new(Float32Array::from(vec![0.1])), "x/0.1"),
        (Arc::new(BooleanArray::from(vec![Some(true), Some(false), None])), "x/true/false/?"),
        (
            Arc::new(Decimal128Array::from(vec![150, -5, 0]).with_precision_and_scale(5, 2).unwrap()),
            "x/1.5/-0.05/0",
        ),
        (Arc::new(Date32Array::from(vec![Some(19_791), None])), "x/2024-03-09/?"),
        (Arc::new(Date64Array::from(vec![-1])), "x/1969-12-31"),
        (Arc::new(TimestampSecondArray::from(vec![1_709_993_100])), "x/2024-03-09T14:05:00"),
        (Arc::new(TimestampMillisecondArray::from(vec![1_709_993_100_250])), "x/2024-03-09T14:05:00.25"),
        (
            Arc::new(TimestampMicrosecondArray::from(vec![1_709_993_100_000_001])),
            "x/2024-03-09T14:05:00.000001",
        ),
        (Arc::new(TimestampNanosecondArray::from(vec![1])), "x/1970-01-01T00:00:00.000000001"),
        (
            Arc::new(
                TimestampMicrosecondArray::from(vec![1_709_993_100_000_000]).with_timezone("Europe/Berlin"),
            ),
            "x/2024-03-09T14:05:00Z",
        ),
        (Arc::new(Time32SecondArray::from(vec![50_700])), "x/14:05:00"),
        (Arc::new(Time64MicrosecondArray::from(vec![1_500_000])), "x/00:00:01.5"),
        (Arc::new(StringArray::from(vec![Some("ü"), None, Some("")])), "x/ü/?/"),
        (Arc::new(LargeStringArray::from(vec!["a"])), "x/a"),
        (
            Arc::new(StringViewArray::from(vec!["a text too long to be inlined"])),
            "x/a text too long to be inlined",
        ),
        (Arc::new(BinaryArray::from_vec(vec!["ü".as_bytes()])), "x/ü"),
        (Arc::new(dictionary), "x/b/?/a/b"),
    ] {
        assert_eq!(column(array.clone()), [expected; 3], "{}", array.data_type());
    }
}

#[test]
fn cells_without_a_text_are_refused() {
    for (array, expected) in [
        (
            Arc::new(Float64Array::from(vec![1.0, f64::NAN])) as ArrayRef,
            ", row 2, column `x`: not a finite number",
        ),
        (Arc::new(Float32Array::from(vec![f32::INFINITY])), ", row 1, column `x`: not a finite number"),
        (
            Arc::new(BinaryArray::from_vec(vec![b"\xFF"])),
            ", row 1, column `x`: bytes that are not UTF-8 text",
        ),
        (
            Arc::new(Date32Array::from(vec![i32::MAX])),
            ", row 1, column `x`: a date outside the years 0000 to 9999",
        ),
        (
            Arc::new(TimestampSecondArray::from(vec![i64::MAX])),
            ", row 1, column `x`: a date outside the years 0000 to 9999",
        ),
        (Arc::new(StringArray::from(vec!["a\0"])), ", row 1, column `x`: a NUL byte"),
    ] {
        for message in column(array.clone()) {
            assert!(message.contains(expected), "{message}");
        }
    }
}

#[test]
fn nested_columns_are_refused() {
    let list = ListArray::from_iter_primitive::<arrow::datatypes::Int32Type, _, _>([Some([Some(1)])]);
    for message in column(Arc::new(list)) {
        assert!(
            message.ends_with(", column `x`: a list or object inside a cell; flatten the table first"),
            "{message}"
        );
    }
    let durations = table(vec![("x", Arc::new(DurationSecondArray::from(vec![1])))]);
    assert_eq!(
        shown(&stored(&[durations])[1]),
        "t.arrow, column `x`: cells of type Duration(s) cannot be read"
    );
    let twice =
        table(vec![("x", Arc::new(Int8Array::from(vec![1]))), ("x", Arc::new(Int8Array::from(vec![1])))]);
    assert_eq!(
        shown(&stored(&[twice])[1]),
        "t.arrow: the header's columns 1 and 2 have the same name; rename one of them"
    );
}

#[test]
fn large_tables_come_in_batches_and_columns_in_any_order() {
    let numbers = |from: i64, to: i64| Arc::new(Int64Array::from_iter_values(from..to)) as ArrayRef;
    let letters = |count: usize| {
        Arc::new(StringArray::from_iter_values((0..count).map(|i| ["a", "b"][i % 2]))) as ArrayRef
    };
    let batches = [
        table(vec![("n", numbers(0, 20_000)), ("l", letters(20_000)), ("m", numbers(5, 20_005))]),
        table(vec![("n", numbers(20_000, 20_003)), ("l", letters(3)), ("m", numbers(0, 3))]),
    ];
    for input in stored(&batches) {
        let (columns, cells) = read(&input).unwrap();
        assert_eq!(columns, ["n", "l", "m"]);
        assert_eq!(cells.len(), 20_003);
        assert!(cells.iter().enumerate().all(|(row, cells)| cells[0] == Some(row.to_string())));

        let mut source = input.open().unwrap();
        source.select(&[2, 0]).unwrap();
        let selected = rows(&mut source).unwrap();
        assert!(selected.iter().zip(&cells).all(|(two, three)| two[0] == three[2] && two[1] == three[0]));

        let mut source = input.open().unwrap();
        source.select(&[]).unwrap();
        assert_eq!(rows(&mut source).unwrap().len(), 20_003);
    }
}

#[test]
fn long_cells_make_short_batches() {
    let long = "x".repeat(1 << 20);
    let cells = table(vec![
        ("n", Arc::new(Int64Array::from_iter_values(0..40))),
        ("t", Arc::new(StringArray::from_iter_values((0..40).map(|_| &long)))),
    ]);
    for input in stored(&[cells]) {
        let mut source = input.open().unwrap();
        let (mut batch, mut batches) = (Batch::default(), 0);
        while source.next_batch(&mut batch).unwrap() {
            assert!(batch.rows < 8);
            assert_eq!(batch.columns[0].get(0), Some((batch.first_row - 1).to_string().as_str()));
            batches += 1;
        }
        assert!(batches >= 5);
        assert_eq!(source.rows_read(), 40);

        let mut options = input.options().clone();
        options.field_limit = 1000;
        let mut source = input.with_options(options).open().unwrap();
        assert!(matches!(source.next_batch(&mut batch), Err(ReadError::FieldTooLarge { .. })));
    }
}

#[test]
fn tables_without_rows_are_allowed() {
    for input in stored(&[table(vec![("x", Arc::new(Int8Array::from(Vec::<i8>::new())))])]) {
        assert_eq!(shown(&input), "x");
    }
}

#[test]
fn unknown_compression_is_named() {
    let batch = table(vec![("x", Arc::new(Int8Array::from(vec![1])))]);
    for (compression, readable) in
        [(Compression::ZSTD(Default::default()), true), (Compression::SNAPPY, true)]
    {
        let properties = WriterProperties::builder().set_compression(compression).build();
        let mut bytes = Vec::new();
        let mut writer = ArrowWriter::try_new(&mut bytes, batch.schema(), Some(properties)).unwrap();
        writer.write(&batch).unwrap();
        writer.close().unwrap();
        assert_eq!(read(&input("t.parquet", bytes)).is_ok(), readable);
    }
}

#[test]
fn null_texts_apply_when_asked_for() {
    let batch = table(vec![("x", Arc::new(StringArray::from(vec!["NA", "a"])))]);
    for input in stored(&[batch]) {
        assert_eq!(shown(&input), "x/NA/a");
        let mut options = input.options().clone();
        options.null = Some(vec!["NA".into()]);
        assert_eq!(shown(&input.with_options(options)), "x/?/a");
    }
}

#[test]
fn what_is_cut_off_is_damaged() {
    let batch = table(vec![("x", Arc::new(StringArray::from(vec!["a"; 100])))]);
    for (input, unit) in stored(&[batch]).iter().zip([1, 1, 7]) {
        let bytes = input.bytes().unwrap();
        for end in (9..bytes.len() - 8).step_by(unit) {
            let cut = Input::from_bytes(&bytes[..end], input.options().clone());
            if let Ok((_, rows)) = read(&cut) {
                // A stream may end between two messages.
                assert!(input.options().path.ends_with("t.arrow") && (rows.is_empty() || rows.len() == 100));
            }
        }
    }
}
