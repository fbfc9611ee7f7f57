//! How a manifest says the data file of a release is stored.

use std::path::Path;

use paravent_core::values::{NumberSpelling, Pattern, Spelling, TruthSpelling};
use serde_json::Value;

use super::{Encoding, Format, ReadOptions};

impl ReadOptions {
    /// From `output` of the manifest of the release in a directory. The error names the key.
    pub fn of_release(directory: &Path, output: &Value) -> Result<ReadOptions, String> {
        let file = output["file"].as_str().ok_or("output.file: missing")?;
        let is_plain = Path::new(file).components().count() == 1
            && Path::new(file).file_name().is_some_and(|name| name == file);
        if !is_plain {
            return Err("output.file: must be the name of a file in the release".to_owned());
        }
        let mut options = ReadOptions::new(directory.join(file));
        let format = output["format"].as_str().and_then(Format::from_name);
        options.format = Some(format.ok_or("output.format: must be csv, parquet, arrow or xlsx")?);
        if options.format == Some(Format::Csv) {
            options.delimiter = match output["delimiter"].as_str().map(str::as_bytes) {
                Some([byte]) => Some(*byte),
                _ => return Err("output.delimiter: must be one ASCII character".to_owned()),
            };
            let missing = output["null"].as_str().ok_or("output.null: missing")?;
            options.null = Some(vec![missing.to_owned()]);
            options.encoding = Some(match output["encoding"].as_str() {
                Some(name) => Encoding::from_name(name).ok_or("output.encoding: unknown")?,
                None => Encoding::Utf8,
            });
        }
        options.labels = true;
        for (name, said) in output["spellings"].as_object().into_iter().flatten() {
            let spelling = spelling(said).ok_or("output.spellings: not known")?;
            options.spellings.push((name.clone(), spelling));
        }
        Ok(options)
    }
}

pub(super) fn spelling(said: &Value) -> Option<Spelling> {
    if let Some(format) = said["format"].as_str() {
        return Pattern::new(format).ok().map(Spelling::Moment);
    }
    if let (Some(yes), Some(no)) = (said["true"].as_str(), said["false"].as_str()) {
        return TruthSpelling::new(yes, no).ok().map(Spelling::Truth);
    }
    let sign = |key: &str| said[key].as_str().and_then(|text| text.chars().next());
    NumberSpelling::new(sign("decimal")?, sign("grouping")).ok().map(Spelling::Number)
}
