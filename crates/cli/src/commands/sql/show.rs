//! An answer as a table, as CSV and as JSON.

use super::failed::failure;
use crate::answer::Answer;
use crate::commands::Session;
use crate::commands::slice::kept;
use crate::failure::Failure;
use paravent_algebra::lower::{Account, SliceAccount};
use paravent_algebra::session::{Answer as Rows, Cell};
use serde_json::{Map, Value, json};

/// How rows are printed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
pub enum Format {
    /// Aligned columns for people
    Table,
    /// Comma-separated values
    Csv,
    /// A list of objects
    Json,
}

/// The answer of the command. With CSV and JSON only the rows are on standard output; remarks go to standard error.
pub fn answer(rows: &Rows, format: Format, session: &Session) -> Result<Answer, Failure> {
    let cells = rows.cells().map_err(failure)?;
    let remarks = remarks(rows);
    let text = match format {
        Format::Table => format!("{}{remarks}", table(&rows.columns(), &cells)),
        Format::Csv => csv(&rows.columns(), &cells, b','),
        Format::Json => format!("{:#}\n", objects(&rows.columns(), &cells)),
    };
    if format != Format::Table && !session.quiet {
        eprint!("{remarks}");
    }
    Ok(Answer::of_text(text, document(rows, &cells)))
}

/// What the operators did, what the rules changed, and what to know about it.
pub fn remarks(rows: &Rows) -> String {
    let mut text = String::new();
    let applied = rows.trace.applied().map(|step| format!("rule {}: {}", step.rule, step.because));
    for account in &rows.accounts {
        text.push_str(&format!("· {account}\n"));
        if let Account::Slice(SliceAccount { utility: Some(utility), .. }) = account {
            text.push_str(&kept::table(utility));
        }
    }
    for line in applied.chain(rows.notes.iter().cloned()) {
        text.push_str(&format!("· {line}\n"));
    }
    text
}

fn document(rows: &Rows, cells: &[Vec<Cell>]) -> Value {
    let fields = rows.schema.fields().iter();
    let columns: Vec<Value> =
        fields.map(|field| json!({ "name": field.name(), "type": field.data_type().to_string() })).collect();
    let cells: Vec<Vec<Value>> = cells.iter().map(|row| row.iter().map(value).collect()).collect();
    json!({ "columns": columns, "rows": cells, "operators": rows.accounts, "rules": rows.trace, "notes": rows.notes })
}

fn value(cell: &Cell) -> Value {
    match cell {
        Cell::Missing => Value::Null,
        Cell::Truth(truth) => json!(truth),
        Cell::Text(text) => json!(text),
        // Digits that a JSON number would lose stay text.
        Cell::Number(text) => {
            let number = serde_json::from_str::<Value>(text).ok();
            let spelled = number.as_ref().map(Value::to_string);
            number.filter(|_| spelled.as_ref() == Some(text)).unwrap_or_else(|| json!(text))
        }
    }
}

/// A list of objects. Columns of the same name are told apart by their place.
fn objects(columns: &[&str], cells: &[Vec<Cell>]) -> Value {
    let name = |place: usize| match columns[..place].contains(&columns[place]) {
        true => format!("{}#{}", columns[place], place + 1),
        false => columns[place].to_owned(),
    };
    let names: Vec<String> = (0..columns.len()).map(name).collect();
    let object = |row: &Vec<Cell>| {
        Value::Object(names.iter().cloned().zip(row.iter().map(value)).collect::<Map<_, _>>())
    };
    cells.iter().map(object).collect()
}

/// Text between delimiters; a missing cell is empty, an empty text is `""`.
pub fn csv(columns: &[&str], cells: &[Vec<Cell>], delimiter: u8) -> String {
    let special = |c: char| matches!(c, '"' | '\n' | '\r') || c == char::from(delimiter);
    let field = |text: &str| match text.is_empty()
        || text.contains(special)
        || text.starts_with(' ')
        || text.ends_with(' ')
    {
        true => format!("\"{}\"", text.replace('"', "\"\"")),
        false => text.to_owned(),
    };
    let line = |fields: Vec<String>| format!("{}\n", fields.join(&char::from(delimiter).to_string()));
    let mut text = line(columns.iter().map(|name| field(name)).collect());
    for row in cells {
        let fields = row.iter().map(|cell| match cell {
            Cell::Missing => String::new(),
            Cell::Truth(truth) => truth.to_string(),
            Cell::Number(text) | Cell::Text(text) => field(text),
        });
        text.push_str(&line(fields.collect()));
    }
    text
}

/// Aligned columns, numbers to the right, control characters made visible.
fn table(columns: &[&str], cells: &[Vec<Cell>]) -> String {
    let shown = |cell: &Cell| match cell {
        Cell::Missing => "NULL".to_owned(),
        Cell::Truth(truth) => truth.to_string(),
        Cell::Number(text) => text.clone(),
        Cell::Text(text) => text.chars().map(|c| if c.is_control() { '␣' } else { c }).collect(),
    };
    let rows: Vec<Vec<String>> = cells.iter().map(|row| row.iter().map(shown).collect()).collect();
    let widths: Vec<usize> = columns
        .iter()
        .enumerate()
        .map(|(place, name)| {
            let cells = rows.iter().map(|row| row[place].chars().count());
            cells.chain([name.chars().count()]).max().unwrap_or(0)
        })
        .collect();
    let right = |place: usize| cells.first().is_some_and(|row| matches!(row[place], Cell::Number(_)));
    let line = |row: &[String]| {
        let padded = row.iter().enumerate().map(|(place, cell)| {
            let padding = " ".repeat(widths[place].saturating_sub(cell.chars().count()));
            if right(place) { format!("{padding}{cell}") } else { format!("{cell}{padding}") }
        });
        format!("{}\n", padded.collect::<Vec<_>>().join("  ").trim_end())
    };
    let header: Vec<String> = columns.iter().map(|name| (*name).to_owned()).collect();
    let rule: Vec<String> = widths.iter().map(|width| "─".repeat(*width)).collect();
    let body: String = rows.iter().map(|row| line(row)).collect();
    format!("{}{}{body}", line(&header), line(&rule))
}
