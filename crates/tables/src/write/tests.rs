//! What is written reads back.

use std::io::{self, Write};
use std::path::Path;

use proptest::collection::vec;
use proptest::prelude::*;

use super::*;
use crate::read::{Batch, Input, ReadOptions};

type Row = Vec<Option<String>>;

fn column(name: &str, kind: ColumnKind, cells: &[Option<&str>]) -> ReleasedColumn {
    let cells = cells.iter().map(|cell| cell.map(str::to_owned)).collect();
    ReleasedColumn { name: name.into(), kind, cells }
}

fn formats() -> [OutputFormat; 3] {
    [OutputFormat::Csv(CsvStyle::default()), OutputFormat::Parquet, OutputFormat::Arrow]
}

fn written(
    format: &OutputFormat,
    columns: &[ReleasedColumn],
    rows: &[(Vec<u32>, u64)],
) -> (Vec<u8>, Written) {
    let mut bytes = Vec::new();
    let rows = rows.iter().map(|(codes, count)| (codes.as_slice(), *count));
    let written = write_table("data", &mut bytes, format, columns, rows).unwrap();
    (bytes, written)
}

fn read_back(format: &OutputFormat, bytes: &[u8]) -> (Vec<String>, Vec<Row>) {
    let mut options = ReadOptions::new(format!("data.{}", format.extension()));
    if let OutputFormat::Csv(style) = format {
        options.delimiter = Some(style.delimiter);
        options.null = Some(vec![style.null.clone()]);
    }
    let mut source = Input::from_bytes(bytes, options).open().unwrap();
    let (mut batch, mut rows) = (Batch::default(), Vec::new());
    while source.next_batch(&mut batch).unwrap() {
        rows.extend(
            (0..batch.rows).map(|row| batch.columns.iter().map(|c| c.get(row).map(str::to_owned)).collect()),
        );
    }
    (source.columns().to_vec(), rows)
}

#[test]
fn typed_columns_read_back_as_the_same_text() {
    let columns = [
        column("t", ColumnKind::Text, &[Some("ü"), None, Some("\"x\", y\nz")]),
        column("i", ColumnKind::Integer, &[Some("-5"), Some("9223372036854775807"), None]),
        column("d", ColumnKind::Decimal, &[Some("0.05"), Some("-12"), Some("3.5")]),
        column("day", ColumnKind::Date, &[None, Some("2024-02-29"), Some("1899-12-31")]),
        column(
            "at",
            ColumnKind::DateTime,
            &[Some("2024-03-09T14:05:00"), Some("1969-12-31T23:59:59.999999"), None],
        ),
        column("b", ColumnKind::Boolean, &[Some("true"), Some("false"), None]),
        column("g", ColumnKind::Integer, &[Some("20-39"), Some("*"), Some("7")]),
    ];
    let rows: Vec<(Vec<u32>, u64)> = (0..3).map(|code| (vec![code; 7], 1)).collect();
    for format in formats() {
        let (bytes, written) = written(&format, &columns, &rows);
        assert_eq!(written.rows, 3);
        let (names, cells) = read_back(&format, &bytes);
        assert_eq!(names, ["t", "i", "d", "day", "at", "b", "g"]);
        for (row, cells) in cells.iter().enumerate() {
            let expected: Row = columns.iter().map(|column| column.cells[row].clone()).collect();
            assert_eq!(*cells, expected, "{format:?}");
        }
    }
}

#[test]
fn rows_repeat_across_batches() {
    let columns = [column("x", ColumnKind::Integer, &[Some("1"), Some("2")])];
    for format in formats() {
        let (bytes, written) = written(&format, &columns, &[(vec![0], 300_000), (vec![1], 3), (vec![0], 0)]);
        assert_eq!(written.rows, 300_003);
        let (_, cells) = read_back(&format, &bytes);
        assert_eq!(cells.len(), 300_003);
        assert!(cells[..300_000].iter().all(|row| row[0].as_deref() == Some("1")));
        assert!(cells[300_000..].iter().all(|row| row[0].as_deref() == Some("2")));
    }
}

#[test]
fn the_same_table_gives_the_same_bytes_and_their_digest() {
    let columns =
        [column("x", ColumnKind::Text, &[Some("a"), None]), column("y", ColumnKind::Integer, &[Some("1")])];
    for format in formats() {
        let (first, one) = written(&format, &columns, &[(vec![0, 0], 2), (vec![1, 0], 1)]);
        let (second, two) = written(&format, &columns, &[(vec![0, 0], 1), (vec![0, 0], 1), (vec![1, 0], 1)]);
        assert_eq!(first, second);
        assert_eq!(one, two);
        let digest = Input::from_bytes(first, ReadOptions::new("x")).digest().unwrap();
        assert_eq!(one.sha256, digest);
    }
}

#[test]
fn tables_without_rows_keep_their_columns() {
    let columns = [column("x", ColumnKind::Text, &[]), column("y", ColumnKind::Integer, &[])];
    for format in formats() {
        let (bytes, written) = written(&format, &columns, &[]);
        assert_eq!(written.rows, 0);
        assert_eq!(read_back(&format, &bytes), (vec!["x".to_owned(), "y".into()], vec![]));
    }
}

#[test]
fn cells_that_no_row_shows_are_not_in_the_file() {
    let columns = [column("x", ColumnKind::Text, &[Some("shown"), Some("zzz-suppressed")])];
    for format in formats() {
        let (bytes, _) = written(&format, &columns, &[(vec![0], 5)]);
        assert!(!bytes.windows(7).any(|window| window == b"zzz-sup"), "{format:?}");
    }
}

#[test]
fn useless_styles_are_refused() {
    let columns = [column("x", ColumnKind::Text, &[])];
    for delimiter in [b'"', b'\n', 0, 0xE9] {
        let format = OutputFormat::Csv(CsvStyle { delimiter, ..CsvStyle::default() });
        assert!(matches!(
            TableWriter::new("d", Vec::new(), &format, &columns),
            Err(WriteError::Options { .. })
        ));
    }
    assert!(TableWriter::new("d", Vec::new(), &OutputFormat::Arrow, &[]).is_err());
}

#[cfg(feature = "xlsx")]
#[test]
fn a_row_without_any_cell_is_no_row_of_a_sheet() {
    let columns = [
        column("a", ColumnKind::Text, &[Some("x"), None]),
        column("b", ColumnKind::Text, &[Some("y"), None, Some("")]),
    ];
    let format = OutputFormat::Xlsx(Vec::new());
    let write = |codes: [u32; 2]| {
        let rows = [([0, 0], 1), (codes, 2)];
        let rows = rows.iter().map(|(codes, count)| (codes.as_slice(), *count));
        write_table("data", &mut Vec::<u8>::new(), &format, &columns, rows)
    };
    assert!(write([0, 1]).is_ok() && write([1, 0]).is_ok());
    for codes in [[1, 1], [1, 2]] {
        assert!(matches!(write(codes), Err(WriteError::Options { .. })), "the verifier would miss the row");
    }
}

/// A disk with little room.
struct Full(usize);

impl Write for Full {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let room = bytes.len().min(self.0);
        self.0 -= room;
        if room == 0 { Err(io::ErrorKind::StorageFull.into()) } else { Ok(room) }
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

#[test]
fn a_full_disk_is_named() {
    let cells: Vec<Option<String>> =
        (0..50_000_u32).map(|i| Some(i.wrapping_mul(2_654_435_761).to_string())).collect();
    let columns = [ReleasedColumn { name: "x".into(), kind: ColumnKind::Text, cells }];
    let codes: Vec<u32> = (0..50_000).collect();
    for format in formats() {
        for room in [0, 10, 100_000] {
            let rows = codes.chunks(1).map(|code| (code, 8));
            let error = write_table("out/data", Full(room), &format, &columns, rows).unwrap_err();
            match error {
                WriteError::Io { path, source } => {
                    assert_eq!(path, Path::new("out/data"));
                    assert_eq!(source.kind(), io::ErrorKind::StorageFull, "{format:?}");
                }
                other => panic!("{format:?}: {other}"),
            }
        }
    }
}

fn cell() -> impl Strategy<Value = Option<String>> {
    prop_oneof![
        1 => Just(None),
        4 => "[a-c;,|'\"\\t\\r\\n é=+-]{0,6}".prop_map(Some),
        2 => "-?[0-9]{1,25}(\\.[0-9]{1,25})?".prop_map(Some),
        1 => "20[0-9]{2}-[01][0-9]-[0-3][0-9](T[0-2][0-9]:[0-5][0-9]:00(\\.[0-9]{1,6})?)?".prop_map(Some),
    ]
}

fn kind() -> impl Strategy<Value = ColumnKind> {
    use ColumnKind::*;
    prop::sample::select(vec![Text, Integer, Decimal, Date, DateTime, Boolean])
}

fn table() -> impl Strategy<Value = (Vec<ReleasedColumn>, Vec<(Vec<u32>, u64)>)> {
    let columns = vec((kind(), vec(cell(), 1..5)), 1..4).prop_map(|columns| {
        let named = columns.into_iter().enumerate();
        named
            .map(|(i, (kind, cells))| ReleasedColumn { name: format!("c{i}"), kind, cells })
            .collect::<Vec<_>>()
    });
    columns.prop_flat_map(|columns| {
        let row: Vec<_> = columns.iter().map(|column| 0..column.cells.len() as u32).collect();
        (Just(columns), vec((row, 0..3_u64), 0..8))
    })
}

proptest! {
    #[test]
    fn random_tables_read_back((columns, rows) in table(), delimiter in prop::sample::select(b",;\t|".to_vec())) {
        let csv = OutputFormat::Csv(CsvStyle { delimiter, null: "NA".into(), ..CsvStyle::default() });
        for format in [csv, OutputFormat::Parquet, OutputFormat::Arrow] {
            let (bytes, _) = written(&format, &columns, &rows);
            let expected: Vec<Row> = rows
                .iter()
                .flat_map(|(codes, count)| {
                    let row: Row = codes.iter().zip(&columns).map(|(&code, c)| c.cells[code as usize].clone()).collect();
                    std::iter::repeat_n(row, *count as usize)
                })
                .collect();
            prop_assert_eq!(read_back(&format, &bytes).1, expected);
        }
    }

    #[test]
    fn the_delimiter_is_found_again(
        cells in vec(vec("[a-z0-9 .\"\\n]{0,8}", 3), 1..30),
        delimiter in prop::sample::select(b",;\t|".to_vec()),
    ) {
        let columns: Vec<ReleasedColumn> = (0..3)
            .map(|i| ReleasedColumn {
                name: format!("c{i}"),
                kind: ColumnKind::Text,
                cells: cells.iter().map(|row| Some(row[i].clone())).collect(),
            })
            .collect();
        let rows: Vec<(Vec<u32>, u64)> = (0..cells.len() as u32).map(|row| (vec![row; 3], 1)).collect();
        let format = OutputFormat::Csv(CsvStyle { delimiter, ..CsvStyle::default() });
        let (bytes, _) = written(&format, &columns, &rows);
        let source = Input::from_bytes(bytes, ReadOptions::new("data.csv")).open().unwrap();
        prop_assert_eq!(source.dialect().delimiter, Some(delimiter));
        prop_assert_eq!(source.columns(), ["c0", "c1", "c2"]);
    }
}
