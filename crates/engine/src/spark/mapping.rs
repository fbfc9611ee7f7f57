//! Mappings as rows that are sent, which a view then names.

use super::failure::Doing;
use super::messages::{Command, CommandKind, CreateView, LocalRelation, Relation, RelationKind};
use super::session::{Attention, DIALECT, Session, relation};
use crate::statement;
use arrow::array::{Array, ArrayRef, Int64Array, RecordBatch, RecordBatchOptions, StringArray};
use arrow::compute::{CastOptions, cast_with_options};
use arrow::datatypes::{DataType, Field, Schema};
use arrow::ipc::writer::StreamWriter;
use paravent_tables::engine::{EngineError, MappedValue, Mapping, TableName};
use std::sync::Arc;

/// Lines of a mapping that are sent at a time: servers refuse messages of more than 128 MB, some of less.
const SENT: usize = 50_000;

/// Puts a mapping into the session; `kind` is the type of its values.
pub(super) fn upload(
    session: &Session,
    mapping: &Mapping,
    kind: Option<&DataType>,
) -> Result<(), EngineError> {
    let (name, parts) = match mapping {
        Mapping::Values { name, lines, .. } => {
            let kind = kind.ok_or(EngineError::Garbled("(no type of a mapping)"))?;
            let parts: Result<Vec<_>, _> = chunks(lines).map(|lines| values(lines, kind)).collect();
            (name, parts?)
        }
        Mapping::Codes { name, width, codes, labels } => {
            let size = SENT * (*width).max(1);
            let pieces = codes.len().div_ceil(size).max(1);
            let piece = |at: usize, length: usize| at * size..length.min((at + 1) * size);
            let parts: Result<Vec<_>, _> = (0..pieces)
                .map(|at| {
                    let labels = labels.get(piece(at, labels.len())).unwrap_or_default();
                    combinations(&codes[piece(at, codes.len())], labels, *width)
                })
                .collect();
            (name, parts?)
        }
    };
    put(session, name, &parts)
}

/// Names these rows. More than one part is put under names of their own, and the name stands for all of them.
fn put(session: &Session, name: &str, parts: &[RecordBatch]) -> Result<(), EngineError> {
    if let [only] = parts {
        return view(session, name, local(only)?);
    }
    let mut names = Vec::new();
    for (at, part) in parts.iter().enumerate() {
        names.push(format!("{name}_{at}"));
        view(session, &names[at], local(part)?)?;
    }
    let columns = parts
        .first()
        .map(|part| part.schema().fields().iter().map(|field| field.name().clone()).collect::<Vec<_>>());
    let all = statement::all_rows_of(DIALECT, &names, &columns.unwrap_or_default());
    let all = all.ok_or(EngineError::Garbled("(an empty mapping)"))?;
    view(session, name, relation(all.to_string()))
}

/// A view that only this session sees.
pub(super) fn view(session: &Session, name: &str, input: Relation) -> Result<(), EngineError> {
    let view = CreateView { input: Some(input), name: name.to_owned(), replace: true };
    let made = session.command_of(Command { kind: Some(CommandKind::View(view)) }, Attention::Always)?;
    let none = || TableName::parse(name).ok_or(EngineError::Garbled("(a name)"));
    made.or_else(|status| Err(session.failed(&status, Doing::Mapping, &none()?)))
}

fn local(rows: &RecordBatch) -> Result<Relation, EngineError> {
    let unsendable = |_| EngineError::Garbled("(rows cannot be sent)");
    let mut bytes = Vec::new();
    let mut writer = StreamWriter::try_new(&mut bytes, &rows.schema()).map_err(unsendable)?;
    writer.write(rows).and_then(|()| writer.finish()).map_err(unsendable)?;
    drop(writer);
    Ok(Relation { kind: Some(RelationKind::Local(LocalRelation { data: Some(bytes) })) })
}

/// At least one chunk, so that a mapping without lines is a table as well.
fn chunks(lines: &[MappedValue]) -> impl Iterator<Item = &[MappedValue]> {
    let empty: &[MappedValue] = &[];
    lines.is_empty().then_some(empty).into_iter().chain(lines.chunks(SENT))
}

/// Value, code, label.
fn values(lines: &[MappedValue], kind: &DataType) -> Result<RecordBatch, EngineError> {
    let texts: StringArray = lines.iter().map(|line| line.value.as_deref()).collect();
    let codes: Int64Array = lines.iter().map(|line| Some(i64::from(line.code))).collect();
    let labels: StringArray = lines.iter().map(|line| line.label.as_deref()).collect();
    let columns: [(&str, ArrayRef); 3] =
        [("v", typed(texts, kind)?), ("c", Arc::new(codes)), ("l", Arc::new(labels))];
    batch(columns.map(|(name, column)| (name.to_owned(), column)))
}

/// The values as they were before they became text.
fn typed(texts: StringArray, kind: &DataType) -> Result<ArrayRef, EngineError> {
    let options = CastOptions { safe: false, ..CastOptions::default() };
    let texts: ArrayRef = Arc::new(texts);
    cast_with_options(&texts, kind, &options)
        .map_err(|_| EngineError::Garbled("(a value cannot be sent back as the type it came with)"))
}

/// Codes, and labels where there are any.
fn combinations(codes: &[u32], labels: &[Option<String>], width: usize) -> Result<RecordBatch, EngineError> {
    let every = |start: usize| codes.iter().skip(start).step_by(width.max(1));
    let mut columns: Vec<(String, ArrayRef)> = Vec::new();
    for at in 0..width {
        let codes: Int64Array = every(at).map(|code| Some(i64::from(*code))).collect();
        columns.push((format!("c{at}"), Arc::new(codes)));
    }
    for at in 0..if labels.is_empty() { 0 } else { width } {
        let labels: StringArray =
            labels.iter().skip(at).step_by(width.max(1)).map(Option::as_deref).collect();
        columns.push((format!("l{at}"), Arc::new(labels)));
    }
    batch(columns)
}

fn batch(columns: impl IntoIterator<Item = (String, ArrayRef)>) -> Result<RecordBatch, EngineError> {
    // Whether a column may be empty is not guessed from what is in it: parts of a mapping have one schema.
    let field =
        |(name, column): (String, ArrayRef)| (Field::new(name, column.data_type().clone(), true), column);
    let (fields, columns): (Vec<Field>, Vec<ArrayRef>) = columns.into_iter().map(field).unzip();
    // A mapping without columns has no lines.
    let lines = columns.first().map_or(0, |column| column.len());
    let options = RecordBatchOptions::new().with_row_count(Some(lines));
    RecordBatch::try_new_with_options(Arc::new(Schema::new(fields)), columns, &options)
        .map_err(|_| EngineError::Garbled("(columns of different lengths)"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use arrow::array::AsArray;
    use arrow::datatypes::{
        Date32Type, Decimal128Type, Float64Type, Int64Type, TimeUnit, TimestampMicrosecondType,
    };

    fn one(text: &str, kind: DataType) -> ArrayRef {
        typed(StringArray::from(vec![Some(text), None]), &kind).unwrap()
    }

    #[test]
    fn values_go_back_as_the_type_they_came_with() {
        assert_eq!(one("2024-03-09", DataType::Date32).as_primitive::<Date32Type>().value(0), 19_791);
        assert_eq!(one("-1.5", DataType::Decimal128(10, 2)).as_primitive::<Decimal128Type>().value(0), -150);
        let float = one("0.1", DataType::Float64);
        assert_eq!(float.as_primitive::<Float64Type>().value(0), 0.1);
        assert!(float.is_null(1) && one("true", DataType::Boolean).as_boolean().value(0));
        for (text, zone) in [("1969-12-31T23:59:59.5", None), ("1969-12-31T23:59:59.5Z", Some("UTC".into()))]
        {
            let moment = one(text, DataType::Timestamp(TimeUnit::Microsecond, zone));
            assert_eq!(moment.as_primitive::<TimestampMicrosecondType>().value(0), -500_000);
        }
        let wrong = typed(StringArray::from(vec!["anna"]), &DataType::Int32).unwrap_err();
        assert!(!wrong.to_string().contains("anna"));
    }

    #[test]
    fn combinations_stand_line_by_line() {
        let labels = ["a", "b", "c", "d"].map(|label| Some(label.to_owned()));
        let lines = combinations(&[1, 2, 3, 4], &labels, 2).unwrap();
        assert_eq!(lines.num_rows(), 2);
        assert_eq!(lines.column(1).as_primitive::<Int64Type>().values(), &[2, 4]);
        assert_eq!(lines.column(2).as_string::<i32>().value(1), "c");
        let none = combinations(&[], &[], 0).unwrap();
        assert_eq!((none.num_rows(), none.num_columns()), (0, 0));
        assert!(local(&none).is_ok());
    }
}
