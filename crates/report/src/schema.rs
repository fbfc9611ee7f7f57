//! The JSON Schemas (draft 2020-12) of the documents that are written. Those of reports with a type of their own are made from the type; the others stand
//! in files beside this one, and a test holds each against what the program writes.

use crate::external::ExternalDocument;
use crate::{AnswerDocument, Document, JointDocument, NoiseDocument, ParticipationDocument, SliceDocument};
use schemars::JsonSchema;
use schemars::generate::SchemaSettings;
use serde_json::Value;

/// A document that the program writes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DocumentKind {
    /// What `anonymize --json` prints, and `report.json` of the private folder.
    Report,
    /// `report.json` of the release, which is handed out.
    External,
    /// `report.json` of a sliced release, of both folders.
    Slice,
    /// `report.json` of a release with noise, of both folders.
    Noise,
    /// `report.json` of a released answer, of both folders.
    Answer,
    /// `report.json` of a joint release, of both folders.
    Joint,
    /// `report.json` of a party that took part and did not get the release.
    Participation,
    /// `manifest.json` of every kind of release.
    Manifest,
    /// `transform.json` of every kind of release.
    Transform,
    /// A line of the register.
    Register,
}

/// The JSON Schema of a document. Later versions add keys.
pub fn schema(of: DocumentKind) -> Value {
    match of {
        DocumentKind::Report => made::<Document>(),
        DocumentKind::External => made::<ExternalDocument>(),
        DocumentKind::Slice => made::<SliceDocument>(),
        DocumentKind::Noise => made::<NoiseDocument>(),
        DocumentKind::Answer => made::<AnswerDocument>(),
        DocumentKind::Joint => made::<JointDocument>(),
        DocumentKind::Participation => made::<ParticipationDocument>(),
        DocumentKind::Manifest => read(include_str!("schema/manifest.json")),
        DocumentKind::Transform => read(include_str!("schema/transform.json")),
        DocumentKind::Register => read(include_str!("schema/register.json")),
    }
}

/// From the type that the document is written with.
fn made<T: JsonSchema>() -> Value {
    let settings = SchemaSettings::draft2020_12().for_serialize();
    settings.into_generator().into_root_schema_for::<T>().to_value()
}

/// The files are part of the program: a test reads all of them.
fn read(text: &str) -> Value {
    serde_json::from_str(text).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_document_has_a_schema() {
        for of in [
            DocumentKind::Report,
            DocumentKind::External,
            DocumentKind::Slice,
            DocumentKind::Noise,
            DocumentKind::Answer,
            DocumentKind::Joint,
            DocumentKind::Participation,
            DocumentKind::Manifest,
            DocumentKind::Transform,
            DocumentKind::Register,
        ] {
            let schema = schema(of);
            assert_eq!(schema["$schema"], "https://json-schema.org/draft/2020-12/schema", "{of:?}");
            assert!(schema["title"].is_string(), "{of:?}");
        }
    }
}
