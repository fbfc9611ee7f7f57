//! Names of columns that are their own.

use datafusion::common::DFSchema;

/// The names of a schema's columns, each another one: the second `id` is `id_2`.
pub(super) fn distinct_names(schema: &DFSchema) -> Vec<String> {
    let own: Vec<&str> = schema.fields().iter().map(|field| field.name().as_str()).collect();
    let mut names: Vec<String> = Vec::with_capacity(own.len());
    for (place, name) in own.iter().enumerate() {
        let taken = |text: &str| names.iter().any(|name| name == text) || own[place + 1..].contains(&text);
        let first = !names.iter().any(|known| known == name);
        let mut number = 2;
        let mut new = (*name).to_owned();
        while !first && taken(&new) {
            new = format!("{name}_{number}");
            number += 1;
        }
        names.push(new);
    }
    names
}

/// In quotes: whatever the name holds, it is one name.
pub(super) fn quoted(name: &str) -> String {
    format!("\"{}\"", name.replace('"', "\"\""))
}

/// A text in quotes.
pub(super) fn text(value: &str) -> String {
    format!("'{}'", value.replace('\'', "''"))
}
