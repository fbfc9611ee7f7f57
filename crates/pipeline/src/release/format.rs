//! How the data file is written.

use paravent_core::values::{NumberSpelling, Spelling};
use paravent_job::{self as job, Job};
use paravent_prepare::study::Study;
use paravent_tables::write::{ColumnKind, CsvStyle, OutputFormat, ReleasedColumn, TextEncoding, Written};
use serde_json::{Value, json};

/// How the data file is written. A missing value gets a text that no released cell has: the job's own, or one that is free.
pub fn output_format(study: &Study, columns: &[ReleasedColumn]) -> OutputFormat {
    data_format(Some(&study.job), study.dialect.delimiter, columns)
}

/// The same for a table that a job says something of, or nothing; `delimiter` is that of the input.
pub(crate) fn data_format(
    job: Option<&Job>,
    delimiter: Option<u8>,
    columns: &[ReleasedColumn],
) -> OutputFormat {
    let output = job.map(|job| &job.output);
    match output.map(|output| output.format) {
        Some(job::OutputFormat::Parquet) => return OutputFormat::Parquet,
        Some(job::OutputFormat::Arrow) => return OutputFormat::Arrow,
        Some(job::OutputFormat::Xlsx) => {
            return OutputFormat::Xlsx(job.map(|job| spellings(job, columns)).unwrap_or_default());
        }
        Some(job::OutputFormat::Csv) | None => {}
    }
    let spellings = job.map(|job| spellings(job, columns)).unwrap_or_default();
    let is_free = |text: &str| {
        columns.iter().all(|column| {
            let spelling = spellings.iter().find(|(name, _)| *name == column.name);
            let is_it = |cell: &String| match spelling {
                Some((_, spelling)) => spelling.write(cell) == text,
                None => cell == text,
            };
            !column.cells.iter().flatten().any(is_it)
        })
    };
    let own = job.iter().flat_map(|job| &job.input.null).map(String::as_str);
    let missing = own.chain(["", "NA", "NULL", "N/A", "#missing"]).find(|text| is_free(text));
    let encoding = output.and_then(|output| output.encoding);
    OutputFormat::Csv(CsvStyle {
        delimiter: output.and_then(|output| output.delimiter.map(|c| c.byte())).or(delimiter).unwrap_or(b','),
        null: missing.unwrap_or("#missing#").to_owned(),
        spreadsheet_safe: output.is_some_and(|output| output.spreadsheet_safe),
        encoding: match encoding.map(|encoding| encoding.name()) {
            Some("windows-1252") => TextEncoding::Windows1252,
            _ => TextEncoding::Utf8,
        },
        byte_order_mark: output.is_some_and(|output| output.bom),
        spellings,
    })
}

/// Values are written as they came, unless the job asks for another decimal sign.
fn spellings(job: &Job, columns: &[ReleasedColumn]) -> Vec<(String, Spelling)> {
    let asked = job.output.decimal;
    let spelled = |column: &ReleasedColumn| {
        let own = job.attribute(&column.name).and_then(|(_, attribute)| attribute.spelling.clone());
        match (own, asked) {
            (Some(Spelling::Number(number)), Some(sign)) => {
                let grouping = number.grouping().filter(|_| number.decimal() == sign);
                let number = NumberSpelling::new(sign, grouping).ok().filter(|number| !number.is_plain());
                number.map(Spelling::Number)
            }
            (None, Some(sign)) if column.kind == ColumnKind::Decimal => {
                let number = NumberSpelling::new(sign, None).ok().filter(|number| !number.is_plain());
                number.map(Spelling::Number)
            }
            (own, _) => own,
        }
    };
    columns.iter().filter_map(|column| Some((column.name.clone(), spelled(column)?))).collect()
}

/// What a manifest says of the data file. What is as ever is left out.
pub(crate) fn described(format: &OutputFormat, written: &Written, order: &str) -> Value {
    let mut output = json!({
        "file": super::manifest::file_name(format),
        "format": format.extension(),
        "sha256": written.sha256,
        "rows": written.rows,
        "order": order,
    });
    if let OutputFormat::Xlsx(spellings) = format
        && !spellings.is_empty()
    {
        let spelled = spellings.iter().map(|(name, spelling)| (name.clone(), told(spelling)));
        output["spellings"] = Value::Object(spelled.collect());
    }
    if let OutputFormat::Csv(style) = format {
        output["delimiter"] = json!(char::from(style.delimiter).to_string());
        output["null"] = json!(style.null);
        output["spreadsheet_safe"] = json!(style.spreadsheet_safe);
        if style.encoding != TextEncoding::Utf8 {
            output["encoding"] = json!(style.encoding.name());
        }
        if style.byte_order_mark && style.encoding == TextEncoding::Utf8 {
            output["bom"] = json!(true);
        }
        if !style.spellings.is_empty() {
            let spelled = style.spellings.iter().map(|(name, spelling)| (name.clone(), told(spelling)));
            output["spellings"] = Value::Object(spelled.collect());
        }
    }
    output
}

fn told(spelling: &Spelling) -> Value {
    match spelling {
        Spelling::Moment(pattern) => json!({ "format": pattern.as_str() }),
        Spelling::Truth(truth) => json!({ "true": truth.yes(), "false": truth.no() }),
        Spelling::Number(number) => match number.grouping() {
            Some(sign) => json!({ "decimal": number.decimal().to_string(), "grouping": sign.to_string() }),
            None => json!({ "decimal": number.decimal().to_string() }),
        },
    }
}
