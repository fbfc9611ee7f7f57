//! Texts, lists and tables as the job file spells them.

use super::ascii_char::AsciiChar;
use super::suggest::quoted;
use std::path::Path;

/// Longest line before a list is broken.
const WIDTH: usize = 100;

/// A path as a string.
pub(super) fn path(path: &Path) -> String {
    quoted(&path.to_string_lossy())
}

/// A delimiter or quote as a string.
pub(super) fn ascii_char(c: AsciiChar) -> String {
    quoted(&char::from(c.byte()).to_string())
}

/// Cell values as a list.
pub(super) fn cells(values: &[String]) -> String {
    list(values.iter().map(|value| quoted(value)))
}

pub(super) fn table(entries: impl IntoIterator<Item = Option<(&'static str, String)>>) -> String {
    let entries = entries.into_iter().flatten().map(|(key, value)| format!("{key} = {value}"));
    format!("{{ {} }}", entries.collect::<Vec<String>>().join(", "))
}

/// On one line if it fits, else on as many full lines as it takes.
pub(super) fn list(entries: impl Iterator<Item = String>) -> String {
    let entries: Vec<String> = entries.collect();
    let one_line = format!("[{}]", entries.join(", "));
    if one_line.chars().count() <= WIDTH {
        return one_line;
    }
    let mut text = String::from("[");
    let mut used = WIDTH;
    for entry in entries {
        let width = entry.chars().count() + 2;
        if used + width > WIDTH {
            text.push_str("\n  ");
            used = 2;
        } else {
            text.push(' ');
        }
        text.push_str(&entry);
        text.push(',');
        used += width;
    }
    text.push_str("\n]");
    text
}
