//! Mappings as streams of Arrow, with the values in the column's own type.

use arrow::array::{Array, ArrayRef, Int32Array, RecordBatch, StringArray};
use arrow::compute::{CastOptions, cast_with_options};
use arrow::datatypes::{DataType, Field, Schema};
use arrow::ipc::writer::StreamWriter;
use paravent_tables::engine::{EngineError, Mapping};
use std::sync::Arc;

/// Lines of a piece: so that a message stays far below what servers take.
const PIECE: usize = 100_000;

/// The lines of a mapping in pieces, each a stream of Arrow. `kind` is the type of the column that the values are of.
pub(super) fn pieces(mapping: &Mapping, kind: &DataType) -> Result<Vec<Vec<u8>>, EngineError> {
    let mut pieces = Vec::new();
    match mapping {
        Mapping::Values { lines, .. } => {
            // Without a line there is still a table.
            for lines in at_least_one(lines, PIECE) {
                let texts: ArrayRef =
                    Arc::new(lines.iter().map(|line| line.value.as_deref()).collect::<StringArray>());
                let codes: ArrayRef =
                    Arc::new(lines.iter().map(|line| code(line.code)).collect::<Result<Int32Array, _>>()?);
                let labels: ArrayRef =
                    Arc::new(lines.iter().map(|line| line.label.as_deref()).collect::<StringArray>());
                pieces.push(stream(vec![
                    ("v".to_owned(), typed(&texts, kind)?),
                    ("c".to_owned(), codes),
                    ("l".to_owned(), labels),
                ])?);
            }
        }
        Mapping::Codes { width, codes, labels, .. } => {
            let width = (*width).max(1);
            let lines = codes.len() / width;
            let mut begin = 0;
            while begin < lines || pieces.is_empty() {
                let end = lines.min(begin + PIECE);
                let mut columns: Vec<(String, ArrayRef)> = Vec::new();
                for at in 0..width {
                    let own = (begin..end).map(|line| code(codes[line * width + at]));
                    columns.push((format!("c{at}"), Arc::new(own.collect::<Result<Int32Array, _>>()?)));
                }
                for at in 0..if labels.is_empty() { 0 } else { width } {
                    let own = (begin..end).map(|line| labels[line * width + at].as_deref());
                    columns.push((format!("l{at}"), Arc::new(own.collect::<StringArray>())));
                }
                pieces.push(stream(columns)?);
                begin = end.max(begin + 1);
            }
        }
    }
    Ok(pieces)
}

fn at_least_one<T>(lines: &[T], most: usize) -> Vec<&[T]> {
    match lines.is_empty() {
        true => vec![lines],
        false => lines.chunks(most).collect(),
    }
}

/// Codes are signed there.
fn code(code: u32) -> Result<Option<i32>, EngineError> {
    i32::try_from(code).map(Some).map_err(|_| EngineError::Garbled("(more values than a mapping can have)"))
}

/// Texts as the values that they are the texts of. Each of them is one, or the mapping would lose it in silence.
fn typed(texts: &ArrayRef, kind: &DataType) -> Result<ArrayRef, EngineError> {
    let garbled = EngineError::Garbled("(a value is not of its column's type)");
    let strict = CastOptions { safe: false, ..CastOptions::default() };
    let values = cast_with_options(texts, kind, &strict).map_err(|_| garbled.clone())?;
    if values.null_count() == texts.null_count() { Ok(values) } else { Err(garbled) }
}

fn stream(columns: Vec<(String, ArrayRef)>) -> Result<Vec<u8>, EngineError> {
    let field = |(name, column): &(String, ArrayRef)| Field::new(name, column.data_type().clone(), true);
    let schema = Arc::new(Schema::new(columns.iter().map(field).collect::<Vec<_>>()));
    let unwritten = |_| EngineError::Garbled("(a mapping cannot be sent)");
    let arrays = columns.into_iter().map(|(_, column)| column).collect();
    let batch = RecordBatch::try_new(schema.clone(), arrays).map_err(unwritten)?;
    let mut bytes = Vec::new();
    let mut writer = StreamWriter::try_new(&mut bytes, &schema).map_err(unwritten)?;
    writer.write(&batch).map_err(unwritten)?;
    writer.finish().map_err(unwritten)?;
    drop(writer);
    Ok(bytes)
}

#[cfg(test)]
mod tests {
    use super::*;
    use arrow::datatypes::TimeUnit;
    use arrow::ipc::reader::StreamReader;
    use paravent_tables::engine::{MappedValue, TableName};

    fn values(texts: &[Option<&str>]) -> Mapping {
        let line = |text: &Option<&str>| MappedValue { value: text.map(str::to_owned), code: 3, label: None };
        let of = (TableName::parse("t").unwrap(), "a".to_owned());
        Mapping::Values { name: "m".to_owned(), of, lines: texts.iter().map(line).collect() }
    }

    fn read(bytes: &[u8]) -> RecordBatch {
        StreamReader::try_new(bytes, None).unwrap().next().unwrap().unwrap()
    }

    #[test]
    fn values_have_the_type_of_their_column() {
        let moment = DataType::Timestamp(TimeUnit::Microsecond, None);
        for (kind, texts) in [
            (DataType::Int16, vec![Some("-3"), None, Some("7")]),
            (DataType::Date32, vec![Some("2024-02-29"), None]),
            (DataType::Decimal128(10, 2), vec![Some("1.5"), Some("-0.25")]),
            (DataType::Float64, vec![Some("0.1"), Some("1e300")]),
            (DataType::Boolean, vec![Some("true"), Some("false")]),
            (moment, vec![Some("2024-03-09T14:05:00.000001")]),
            (DataType::Utf8, vec![Some(""), None, Some("ä\"`'")]),
        ] {
            let pieces = pieces(&values(&texts), &kind).unwrap();
            let batch = read(&pieces[0]);
            assert_eq!((batch.num_rows(), batch.column(0).data_type()), (texts.len(), &kind));
            assert_eq!(batch.column(0).null_count(), texts.iter().filter(|text| text.is_none()).count());
        }
        let wrong = pieces(&values(&[Some("cell")]), &DataType::Int32).unwrap_err();
        assert!(!wrong.to_string().contains("cell"));
    }

    #[test]
    fn long_mappings_go_in_pieces() {
        let lines = PIECE * 2 + 1;
        let codes: Vec<u32> = (0..lines as u32 * 2).collect();
        let mapping = Mapping::Codes { name: "m".to_owned(), width: 2, codes, labels: Vec::new() };
        let sent: usize =
            pieces(&mapping, &DataType::Null).unwrap().iter().map(|piece| read(piece).num_rows()).sum();
        assert_eq!(sent, lines);
        let empty = Mapping::Codes { name: "m".to_owned(), width: 2, codes: Vec::new(), labels: Vec::new() };
        assert_eq!(pieces(&empty, &DataType::Null).unwrap().len(), 1);
    }
}
