//! Released rows in a Parquet file.

use std::fs::File;

use parquet::arrow::arrow_reader::{ArrowReaderOptions, ParquetRecordBatchReaderBuilder};

use super::Column;
use super::columnar::Collector;
use crate::VerifyError;

pub(super) fn read(file: File, name: &str) -> Result<Vec<Column>, VerifyError> {
    let garbled = |problem| VerifyError::Garbled { file: name.to_owned(), format: "Parquet", problem };
    // The Parquet schema alone decides the types; an embedded Arrow schema is one more thing that could lie.
    let options = ArrowReaderOptions::new().with_skip_arrow_metadata(true);
    let builder = ParquetRecordBatchReaderBuilder::try_new_with_options(file, options)
        .map_err(|_| garbled("bad footer"))?;
    let announced = builder.metadata().file_metadata().num_rows();
    let mut collector = Collector::new(name, builder.schema())?;
    // Our writer leaves the Arrow schema there and nothing else.
    let notes = builder.metadata().file_metadata().key_value_metadata();
    collector.add_notes(notes.into_iter().flatten().filter(|note| note.key != "ARROW:schema").count());
    let reader = builder.with_batch_size(1 << 14).build().map_err(|_| garbled("bad row groups"))?;
    for batch in reader {
        collector.add(&batch.map_err(|_| garbled("bad page"))?)?;
    }
    let columns = collector.finish()?;
    if columns.iter().any(|column| i64::try_from(column.codes.len()) != Ok(announced)) {
        return Err(garbled("fewer rows than its footer announces"));
    }
    Ok(columns)
}
