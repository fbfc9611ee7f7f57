//! How the private folder of a release says its original is stored, so that it can be read again without the job.

use std::path::Path;

use paravent_core::values::Spelling;
use serde_json::{Map, Value, json};

use super::released::spelling;
use super::{Blanks, Encoding, Format, ReadOptions};

impl ReadOptions {
    /// What is known of how the table is stored: what `input` of a `transform.json` holds.
    pub fn told(&self) -> Value {
        let mut told = Map::new();
        let format = self.format.or_else(|| Format::of_path(&self.path));
        told.extend(format.map(|format| ("format".to_owned(), json!(format.name()))));
        let sign = |byte: u8| char::from(byte).to_string();
        told.extend(self.delimiter.map(|byte| ("delimiter".to_owned(), json!(sign(byte)))));
        told.extend(self.quote.map(|byte| ("quote".to_owned(), json!(sign(byte)))));
        told.extend(self.encoding.map(|encoding| ("encoding".to_owned(), json!(encoding.name()))));
        told.extend(self.sheet.as_ref().map(|sheet| ("sheet".to_owned(), json!(sheet))));
        told.extend((self.skip > 0).then(|| ("skip".to_owned(), json!(self.skip))));
        told.extend((self.footer > 0).then(|| ("footer".to_owned(), json!(self.footer))));
        told.extend(self.null.as_ref().map(|texts| ("null".to_owned(), json!(texts))));
        if self.blanks == Blanks::Trim {
            told.insert("blanks".to_owned(), json!("trim"));
        }
        if !self.spellings.is_empty() {
            let spellings = self.spellings.iter().map(|(name, spelling)| (name.clone(), in_words(spelling)));
            told.insert("spellings".to_owned(), Value::Object(spellings.collect()));
        }
        Value::Object(told)
    }

    /// The table at `path`, read as the original of a release was; `None` if that is not what [`told`](Self::told) gives.
    ///
    /// The same rows may be stored in another format. Then only what is said of cells counts, and cells that are written
    /// otherwise are taken as they are.
    pub fn of_original(path: &Path, told: &Value) -> Option<ReadOptions> {
        let mut options = ReadOptions::new(path);
        let text = |key: &str| told[key].as_str();
        let byte = |key: &str| match text(key).map(str::as_bytes) {
            Some([byte]) => Some(*byte),
            _ => None,
        };
        let format = text("format").and_then(Format::from_name);
        let same_format = Format::of_path(path).is_none_or(|found| Some(found) == format);
        if same_format {
            options.format = format;
            options.delimiter = byte("delimiter");
            options.quote = byte("quote");
            options.encoding = text("encoding").and_then(Encoding::from_name);
            options.sheet = text("sheet").map(str::to_owned);
            let number = |key: &str| told[key].as_u64().and_then(|number| u32::try_from(number).ok());
            (options.skip, options.footer) = (number("skip").unwrap_or(0), number("footer").unwrap_or(0));
        }
        options.labels = !same_format;
        if let Some(null) = told["null"].as_array() {
            options.null = Some(null.iter().filter_map(|text| text.as_str().map(str::to_owned)).collect());
        }
        if text("blanks") == Some("trim") {
            options.blanks = Blanks::Trim;
        }
        for (name, said) in told["spellings"].as_object().into_iter().flatten() {
            options.spellings.push((name.clone(), spelling(said)?));
        }
        Some(options)
    }
}

fn in_words(spelling: &Spelling) -> Value {
    match spelling {
        Spelling::Moment(pattern) => json!({ "format": pattern.as_str() }),
        Spelling::Truth(truth) => json!({ "true": truth.yes(), "false": truth.no() }),
        Spelling::Number(number) => match number.grouping() {
            Some(sign) => json!({ "decimal": number.decimal().to_string(), "grouping": sign.to_string() }),
            None => json!({ "decimal": number.decimal().to_string() }),
        },
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use paravent_core::values::{NumberSpelling, Pattern, TruthSpelling};

    fn german() -> ReadOptions {
        let mut options = ReadOptions::new("export.csv");
        options.delimiter = Some(b';');
        options.encoding = Some(Encoding::Latin1);
        options.null = Some(vec![String::new(), "NA".to_owned()]);
        options.blanks = Blanks::Trim;
        (options.skip, options.footer) = (3, 1);
        options.spellings = vec![
            ("born".to_owned(), Spelling::Moment(Pattern::new("dd.MM.yyyy").unwrap())),
            ("cost".to_owned(), Spelling::Number(NumberSpelling::new(',', Some('.')).unwrap())),
            ("smokes".to_owned(), Spelling::Truth(TruthSpelling::new("ja", "nein").unwrap())),
        ];
        options
    }

    #[test]
    fn what_is_told_is_read_again() {
        let again = ReadOptions::of_original(Path::new("copy.csv"), &german().told()).unwrap();
        assert_eq!(
            (again.format, again.delimiter, again.encoding),
            (Some(Format::Csv), Some(b';'), Some(Encoding::Latin1))
        );
        assert_eq!((&again.null, again.blanks, again.labels), (&german().null, Blanks::Trim, false));
        assert_eq!(again.told(), german().told());
    }

    #[test]
    fn another_format_has_ways_of_its_own() {
        let again = ReadOptions::of_original(Path::new("copy.parquet"), &german().told()).unwrap();
        assert_eq!((again.format, again.delimiter, again.encoding, again.labels), (None, None, None, true));
        assert_eq!(again.spellings.len(), 3);
        assert!(ReadOptions::of_original(Path::new("x.csv"), &json!({ "spellings": { "a": {} } })).is_none());
    }
}
