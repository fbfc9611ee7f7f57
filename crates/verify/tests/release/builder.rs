//! Small releases: the rows, the two documents, and a directory to write them to.

use std::fs::File;
use std::path::Path;
use std::sync::Arc;

use arrow::array::{ArrayRef, RecordBatch, StringArray};
use arrow::datatypes::{DataType, Field, Schema};
use arrow::ipc::writer::FileWriter;
use paravent_verify::{Outcome, Verification, VerifyError, verify};
use parquet::arrow::ArrowWriter;
use serde_json::{Value, json};
use sha2::{Digest, Sha256};
use tempfile::TempDir;

pub type Cell = Option<String>;

/// A release that is still in memory. The digests are filled in when it is written, so that whatever a test plants can
/// only be found by looking at what the files say.
#[derive(Clone)]
pub struct Release {
    pub header: Vec<String>,
    pub rows: Vec<Vec<Cell>>,
    pub manifest: Value,
    pub transform: Value,
    /// Columns that Parquet and Arrow files hold in another form than text.
    pub typed: Vec<(usize, ArrayRef)>,
}

impl Release {
    /// The example relation of the literature at node (1, 0, 3): eight rows, one class of two suppressed.
    pub fn example() -> Release {
        let text = "20-60 M 82*** gastritis\n20-60 M 82*** pneumonia\n<=19 F 82*** gastritis\n<=19 F 82*** pneumonia\n\
                    >=61 M 81*** gastritis\n>=61 M 81*** pneumonia";
        let reference = json!([{ "value": "gastritis", "count": 3 }, { "value": "pneumonia", "count": 5 }]);
        Release {
            header: ["age", "sex", "zip", "diagnosis"].map(str::to_owned).to_vec(),
            rows: rows(text),
            manifest: json!({
                "format": 1,
                "paravent": "0.1.0",
                "job": { "sha256": "0" },
                "input": { "sha256": "0", "rows": 8, "population_rows": null },
                "transform": { "file": "transform.json", "sha256": "" },
                "output": { "file": "data.csv", "format": "csv", "sha256": "", "rows": 6, "order": "canonical", "seed": null,
                            "delimiter": ";", "null": "", "spreadsheet_safe": false },
                "suppression": { "limit": "0.25", "limit_rows": 2, "rows": 2 },
                "attributes": [
                    { "name": "age", "role": "quasi-identifier", "type": "integer", "level": 1, "max_level": 2 },
                    { "name": "sex", "role": "quasi-identifier", "type": "string", "level": 0, "max_level": 1 },
                    { "name": "zip", "role": "quasi-identifier", "type": "string", "level": 3, "max_level": 5 },
                    { "name": "diagnosis", "role": "sensitive", "type": "string" }
                ],
                "dropped": ["name"],
                "privacy": [
                    { "model": "k-anonymity", "required": { "k": 2 }, "achieved": { "k": 2 }, "holds": true },
                    { "model": "distinct-l-diversity", "required": { "attribute": "diagnosis", "l": 2 },
                      "achieved": { "l": 2 }, "holds": true },
                    { "model": "entropy-l-diversity", "required": { "attribute": "diagnosis", "l": "2" },
                      "achieved": { "l": 2.0 }, "holds": true },
                    { "model": "recursive-l-diversity", "required": { "attribute": "diagnosis", "c": "1.5", "l": 2 },
                      "achieved": { "c": 1.0 }, "holds": true },
                    { "model": "t-closeness", "required": { "attribute": "diagnosis", "t": "0.125", "distance": "equal" },
                      "achieved": { "t": 0.125 }, "holds": true, "reference": reference }
                ],
                "solution": { "metric": "nuem", "loss": 1.0, "optimal": true, "classes": 3, "smallest_class": 2 }
            }),
            transform: json!({
                "format": 1,
                "paravent": "0.1.0",
                "attributes": [
                    { "name": "name", "role": "identifying", "type": "string" },
                    { "name": "age", "role": "quasi-identifier", "type": "integer", "level": 1,
                      "hierarchy": { "kind": "table", "rows": [
                        ["18", "<=19", "*"], ["19", "<=19", "*"], ["21", "20-60", "*"], ["34", "20-60", "*"],
                        ["35", "20-60", "*"], ["45", "20-60", "*"], ["66", ">=61", "*"], ["70", ">=61", "*"]
                      ] } },
                    { "name": "sex", "role": "quasi-identifier", "type": "string", "level": 0, "hierarchy": { "kind": "whole" } },
                    { "name": "zip", "role": "quasi-identifier", "type": "string", "level": 3,
                      "hierarchy": { "kind": "redact", "char": "*", "from": "right", "length": 5 } },
                    { "name": "diagnosis", "role": "sensitive", "type": "string" }
                ]
            }),
            typed: vec![],
        }
    }

    /// The same release in another format.
    pub fn in_format(mut self, format: &str) -> Release {
        let output = self.manifest["output"].as_object_mut().unwrap();
        for key in ["delimiter", "null", "spreadsheet_safe"] {
            output.remove(key);
        }
        output.insert("format".to_owned(), format.into());
        output.insert("file".to_owned(), format!("data.{format}").into());
        self
    }

    /// The same release with only this promise.
    pub fn promising(mut self, promise: Value) -> Release {
        self.manifest["privacy"] = json!([promise]);
        self
    }

    /// One cell replaced.
    pub fn with_cell(mut self, row: usize, column: usize, text: &str) -> Release {
        self.rows[row][column] = Some(text.to_owned());
        self
    }

    /// One key of the manifest, given as a JSON pointer, replaced.
    pub fn with(mut self, pointer: &str, value: impl Into<Value>) -> Release {
        *self.manifest.pointer_mut(pointer).unwrap() = value.into();
        self
    }

    /// One key of the transformation, given as a JSON pointer, replaced.
    pub fn with_transform(mut self, pointer: &str, value: impl Into<Value>) -> Release {
        *self.transform.pointer_mut(pointer).unwrap() = value.into();
        self
    }

    /// The rows back in canonical order.
    pub fn sorted(mut self) -> Release {
        self.rows.sort();
        self
    }

    /// The bytes of the data file.
    pub fn data(&self) -> Vec<u8> {
        match self.manifest["output"]["format"].as_str().unwrap() {
            "csv" => self.csv(),
            "parquet" => {
                let mut bytes = Vec::new();
                let batch = self.batch();
                let mut writer = ArrowWriter::try_new(&mut bytes, batch.schema(), None).unwrap();
                writer.write(&batch).unwrap();
                writer.close().unwrap();
                bytes
            }
            _ => {
                let mut bytes = Vec::new();
                let batch = self.batch();
                let mut writer = FileWriter::try_new(&mut bytes, &batch.schema()).unwrap();
                writer.write(&batch).unwrap();
                writer.finish().unwrap();
                drop(writer);
                bytes
            }
        }
    }

    fn csv(&self) -> Vec<u8> {
        let output = &self.manifest["output"];
        let delimiter = output["delimiter"].as_str().unwrap().as_bytes()[0];
        let mut writer = csv::WriterBuilder::new().delimiter(delimiter).from_writer(Vec::new());
        writer.write_record(&self.header).unwrap();
        for row in &self.rows {
            let null = output["null"].as_str().unwrap();
            writer.write_record(row.iter().map(|cell| cell.as_deref().unwrap_or(null))).unwrap();
        }
        writer.into_inner().unwrap()
    }

    fn batch(&self) -> RecordBatch {
        let text = |index: usize| -> ArrayRef {
            Arc::new(StringArray::from_iter(self.rows.iter().map(|row| row[index].as_deref())))
        };
        let typed =
            |index: usize| self.typed.iter().find(|(at, _)| *at == index).map(|(_, array)| array.clone());
        let arrays: Vec<ArrayRef> =
            (0..self.header.len()).map(|index| typed(index).unwrap_or_else(|| text(index))).collect();
        let fields: Vec<Field> = self
            .header
            .iter()
            .zip(&arrays)
            .map(|(name, array)| Field::new(name, DataType::clone(array.data_type()), true))
            .collect();
        RecordBatch::try_new(Arc::new(Schema::new(fields)), arrays).unwrap()
    }

    /// Writes the directory, digests included.
    pub fn write(&self) -> TempDir {
        self.write_with(&self.data())
    }

    /// Writes the directory with these bytes as data file.
    pub fn write_with(&self, data: &[u8]) -> TempDir {
        let dir = tempfile::tempdir().unwrap();
        let mut manifest = self.manifest.clone();
        let transform = serde_json::to_vec_pretty(&self.transform).unwrap();
        manifest["output"]["sha256"] = digest(data).into();
        manifest["transform"]["sha256"] = digest(&transform).into();
        put(dir.path(), manifest["output"]["file"].as_str().unwrap(), data);
        put(dir.path(), "transform.json", &transform);
        put(dir.path(), "manifest.json", &serde_json::to_vec_pretty(&manifest).unwrap());
        dir
    }

    pub fn try_verify(&self) -> Result<Verification, VerifyError> {
        verify(self.write().path())
    }

    pub fn verify(&self) -> Verification {
        self.try_verify().unwrap()
    }

    /// Asserts that the release is found sound.
    #[track_caller]
    pub fn assert_holds(&self) {
        let verification = self.verify();
        let violations: Vec<_> = verification.violations().collect();
        assert!(violations.is_empty(), "{violations:#?}");
    }

    /// Asserts that exactly these checks are violated, in any order; `name` or `name subject`.
    #[track_caller]
    pub fn assert_violates(&self, expected: &[&str]) {
        assert_eq!(violated(&self.verify()), expected.iter().map(|&name| name.to_owned()).collect());
    }
}

/// The violated checks as `name subject`.
pub fn violated(verification: &Verification) -> std::collections::BTreeSet<String> {
    let checks = verification.checks.iter().filter(|check| check.outcome == Outcome::Violated);
    checks
        .map(|check| match &check.subject {
            Some(subject) => format!("{} {subject}", check.name),
            None => check.name.clone(),
        })
        .collect()
}

/// Rows from text: a row per line, a cell per word, `-` for a missing value.
pub fn rows(text: &str) -> Vec<Vec<Cell>> {
    let cell = |word: &str| if word == "-" { None } else { Some(word.to_owned()) };
    text.lines().map(|line| line.split_whitespace().map(cell).collect()).collect()
}

pub fn digest(bytes: &[u8]) -> String {
    Sha256::digest(bytes).iter().map(|byte| format!("{byte:02x}")).collect()
}

pub fn put(dir: &Path, name: &str, bytes: &[u8]) {
    use std::io::Write;
    File::create(dir.join(name)).unwrap().write_all(bytes).unwrap();
}
