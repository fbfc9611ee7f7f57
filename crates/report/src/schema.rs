//! The JSON Schema of `report.json`, made from the types that it is written with.

use crate::Document;
use schemars::generate::SchemaSettings;
use serde_json::Value;

/// The JSON Schema (draft 2020-12) of what `anonymize --json` prints, and of `report.json` of the private folder. Later versions add keys.
pub fn schema() -> Value {
    let settings = SchemaSettings::draft2020_12().for_serialize();
    settings.into_generator().into_root_schema_for::<Document>().to_value()
}
