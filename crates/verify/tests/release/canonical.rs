//! Data files as releases have them, byte by byte, and bytes that hide between the rows.

use std::sync::Arc;

use arrow::array::{ArrayRef, Int64Array, RecordBatch, StringBuilder};
use arrow::datatypes::{Field, Schema};
use arrow::ipc::writer::FileWriter;
use parquet::arrow::ArrowWriter;
use parquet::arrow::arrow_writer::ArrowWriterOptions;
use parquet::basic::Compression;
use parquet::file::metadata::KeyValue;
use parquet::file::properties::WriterProperties;

use crate::builder::{Release, violated};
use crate::handed_out::HandedOut;

/// The data file as the format's description says.
pub fn data(release: &Release) -> Vec<u8> {
    match release.manifest["output"]["format"].as_str().unwrap() {
        "csv" => release.data(),
        "parquet" => parquet(release, |properties| properties),
        _ => arrow(release),
    }
}

fn batch(release: &Release) -> RecordBatch {
    let arrays: Vec<ArrayRef> = (0..release.header.len())
        .map(|column| {
            let mut builder = StringBuilder::new();
            release.rows.iter().for_each(|row| builder.append_option(row[column].as_deref()));
            Arc::new(builder.finish()) as ArrayRef
        })
        .collect();
    let fields: Vec<Field> = release
        .header
        .iter()
        .zip(&arrays)
        .map(|(name, array)| Field::new(name, array.data_type().clone(), true))
        .collect();
    RecordBatch::try_new(Arc::new(Schema::new(fields)), arrays).unwrap()
}

type Properties = parquet::file::properties::WriterPropertiesBuilder;

fn parquet(release: &Release, change: impl Fn(Properties) -> Properties) -> Vec<u8> {
    let properties = WriterProperties::builder()
        .set_compression(Compression::SNAPPY)
        .set_max_row_group_row_count(Some(1 << 18))
        .set_created_by(concat!("paravent version ", env!("CARGO_PKG_VERSION")).to_owned());
    let options =
        ArrowWriterOptions::new().with_properties(change(properties).build()).with_skip_arrow_metadata(true);
    let (mut bytes, batch) = (Vec::new(), batch(release));
    let mut writer = ArrowWriter::try_new_with_options(&mut bytes, batch.schema(), options).unwrap();
    writer.write(&batch).unwrap();
    writer.close().unwrap();
    bytes
}

fn arrow(release: &Release) -> Vec<u8> {
    let (mut bytes, batch) = (Vec::new(), batch(release));
    let mut writer = FileWriter::try_new(&mut bytes, &batch.schema()).unwrap();
    writer.write(&batch).unwrap();
    writer.finish().unwrap();
    drop(writer);
    bytes
}

/// Asserts that the bytes are found, with every digest made to fit.
#[track_caller]
fn found(release: &Release, data: &[u8]) {
    let made = HandedOut::of(release.clone());
    made.write_with(data);
    match paravent_verify::verify(&made.dir()) {
        Ok(verification) => {
            let violated = violated(&verification);
            assert!(violated.iter().any(|check| check.starts_with("bytes ")), "{violated:?}");
        }
        Err(error) => assert!(error.to_string().contains("data."), "{error}"),
    }
}

/// The footer's length is in the eight bytes before the end; bytes before the footer belong to nobody.
fn before_parquet_footer(bytes: &[u8], hidden: &[u8]) -> Vec<u8> {
    let end = bytes.len() - 8;
    let length = u32::from_le_bytes(bytes[end..end + 4].try_into().unwrap()) as usize;
    let at = end - length;
    [&bytes[..at], hidden, &bytes[at..]].concat()
}

fn before_arrow_footer(bytes: &[u8], hidden: &[u8]) -> Vec<u8> {
    let end = bytes.len() - 10;
    let length = u32::from_le_bytes(bytes[end..end + 4].try_into().unwrap()) as usize;
    let at = end - length;
    [&bytes[..at], hidden, &bytes[at..]].concat()
}

#[test]
fn bytes_between_pages_and_footer_are_found() {
    let (parquet_release, arrow_release) =
        (Release::example().in_format("parquet"), Release::example().in_format("arrow"));
    let (parquet_bytes, arrow_bytes) = (data(&parquet_release), data(&arrow_release));
    for hidden in [&b"x"[..], b"Ada Lovelace, 1815-12-10", &[0; 4096]] {
        found(&parquet_release, &before_parquet_footer(&parquet_bytes, hidden));
        found(&arrow_release, &before_arrow_footer(&arrow_bytes, hidden));
        found(&arrow_release, &[&arrow_bytes[..8], hidden, &arrow_bytes[8..]].concat());
    }
}

#[test]
fn what_a_parquet_file_says_beside_its_rows_is_found() {
    let release = Release::example().in_format("parquet");
    let note = || Some(vec![KeyValue::new("note".to_owned(), "Ada Lovelace".to_owned())]);
    found(&release, &parquet(&release, |properties| properties.set_key_value_metadata(note())));
    found(&release, &parquet(&release, |properties| properties.set_created_by("Ada Lovelace".to_owned())));
    found(&release, &parquet(&release, |properties| properties.set_compression(Compression::UNCOMPRESSED)));
    found(&release, &parquet(&release, |properties| properties.set_dictionary_enabled(false)));
    found(&release, &parquet(&release, |properties| properties.set_max_row_group_row_count(Some(2))));
    found(
        &release,
        &parquet(&release, |properties| properties.set_data_page_row_count_limit(1).set_write_batch_size(1)),
    );
    found(&release, &release.data());
}

#[test]
fn numbers_under_a_missing_value_are_found() {
    let mut release = Release::example().in_format("arrow");
    release.header[3] = "stay".to_owned();
    release.rows.iter_mut().for_each(|row| row[3] = None);
    release.rows.sort();
    release.manifest["attributes"][3] =
        serde_json::json!({ "name": "stay", "role": "insensitive", "type": "integer" });
    release.transform["attributes"][4] =
        serde_json::json!({ "name": "stay", "role": "insensitive", "type": "integer" });
    release.manifest["privacy"] = serde_json::json!([release.manifest["privacy"][0]]);
    let written = |under: i64| {
        let nulls = arrow::buffer::NullBuffer::new_null(6);
        let mut columns = batch(&release).columns().to_vec();
        columns[3] = match under {
            0 => Arc::new((0..6).map(|_| None::<i64>).collect::<Int64Array>()),
            number => Arc::new(Int64Array::new(vec![number; 6].into(), Some(nulls))),
        };
        let fields: Vec<Field> = release
            .header
            .iter()
            .zip(&columns)
            .map(|(name, array)| Field::new(name, array.data_type().clone(), true))
            .collect();
        let batch = RecordBatch::try_new(Arc::new(Schema::new(fields)), columns).unwrap();
        let mut bytes = Vec::new();
        let mut writer = FileWriter::try_new(&mut bytes, &batch.schema()).unwrap();
        writer.write(&batch).unwrap();
        writer.finish().unwrap();
        drop(writer);
        bytes
    };
    let made = HandedOut::of(release.clone());
    made.write_with(&written(0));
    assert!(made.verify().holds(), "{:#?}", made.verify().violations().collect::<Vec<_>>());
    found(&release, &written(18_151_210));
    // As text it is as good: a value that is not released may have been no number.
    made.write();
    assert!(made.verify().holds(), "{:#?}", made.verify().violations().collect::<Vec<_>>());
}

#[test]
fn what_a_text_file_says_beside_its_rows_is_found() {
    let release = Release::example();
    let text = String::from_utf8(release.data()).unwrap();
    for other in [
        text.clone() + "\n",
        text.replace('\n', "\r\n"),
        text.replacen("20-60", "\"20-60\"", 1),
        format!("\u{feff}{text}"),
        text.replacen('\n', "\n\n", 1),
        text.trim_end().to_owned(),
    ] {
        found(&release, other.as_bytes());
    }
}

#[test]
fn a_file_of_another_version_is_not_judged_by_its_bytes() {
    let mut made = HandedOut::of(Release::example().in_format("parquet"));
    made.release.manifest["paravent"] = "9.9.9".into();
    made.write_with(&made.release.data());
    let verification = made.verify();
    assert!(verification.holds());
    assert!(verification.not_checked.iter().any(|open| open.name == "bytes"));
    assert!(verification.trusted.iter().any(|trusted| trusted.what == "version"));
}
