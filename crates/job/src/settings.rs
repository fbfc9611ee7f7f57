//! `--set key=value`: single keys of a job, said beside the job file.

use std::path::Path;

use toml::Spanned;
use toml::de::{DeTable, DeValue};

use super::problem::{Problem, Problems};
use super::suggest::{closest, shortened};

/// The name that messages use where the file of a problem would stand.
pub(super) const PLACE: &str = "--set";

/// One key and what it says instead, as in `privacy.models[0].k=10`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Setting {
    /// The key, spelled like `privacy.models[0].k`. An entry of a list may also be named: `attributes.age.max_level`,
    /// `privacy.models.k-anonymity.k`.
    pub key: String,
    /// TOML, or a text without quotes.
    pub value: String,
}

impl Setting {
    /// From `key=value`.
    ///
    /// # Errors
    /// If there is no `=`, or no key before it.
    pub fn parse(text: &str) -> Result<Self, Problem> {
        match text.split_once('=') {
            Some((key, value)) if !key.trim().is_empty() => {
                Ok(Self { key: key.trim().to_owned(), value: value.trim().to_owned() })
            }
            _ => {
                let message = format!("{} is not key=value", shortened(text));
                Err(Problem::new(PLACE, message).advise("Write e.g. --set privacy.suppression_limit=0.1"))
            }
        }
    }

    /// The line that stands for it behind the text of the file.
    fn line(&self) -> String {
        format!("v = {}", self.value)
    }

    fn problem(&self, message: impl Into<String>) -> Problem {
        Problem::new(PLACE, message).at_key(&self.key)
    }
}

/// The text of a job file and the settings below it, each on lines of its own.
pub(super) struct Extended {
    /// Everything, for the numbers of lines.
    pub(super) text: String,
    /// Lines of the file; what comes later was set.
    pub(super) own_lines: usize,
    /// For each setting: blanks up to its place, and its line. So spans in it are spans in `text`.
    padded: Vec<String>,
}

impl Extended {
    pub(super) fn new(text: &str, settings: &[Setting]) -> Self {
        let mut extended =
            Self { text: text.to_owned(), own_lines: text.matches('\n').count() + 1, padded: Vec::new() };
        for setting in settings {
            extended.text.push('\n');
            extended.padded.push(format!("{}{}", " ".repeat(extended.text.len()), setting.line()));
            extended.text.push_str(&setting.line());
        }
        extended
    }

    /// Puts the settings into the document.
    pub(super) fn apply<'t>(&'t self, settings: &'t [Setting], document: &mut DeTable<'t>) -> Problems {
        let mut problems = Problems::new();
        for (setting, padded) in settings.iter().zip(&self.padded) {
            let value = value(setting, padded);
            let done = steps(&setting.key)
                .ok_or_else(|| setting.problem("is not a key, which is spelled like privacy.models[0].k"))
                .and_then(|steps| put(setting, document, &steps, value));
            problems.extend(done.err());
        }
        problems
    }
}

/// TOML if it reads like it, else a text.
fn value<'t>(setting: &'t Setting, padded: &'t str) -> Spanned<DeValue<'t>> {
    let start = padded.len() - setting.value.len();
    let as_text = || Spanned::new(start..padded.len(), DeValue::String(setting.value.as_str().into()));
    match DeTable::parse(padded) {
        Ok(table) if table.get_ref().len() == 1 => {
            table.into_inner().into_iter().next().map_or_else(as_text, |(_, value)| value)
        }
        _ => as_text(),
    }
}

/// A step on the way to a key.
#[derive(Debug, PartialEq, Eq)]
enum Step<'t> {
    Name(&'t str),
    Index(usize),
}

/// `privacy.models[0].k` as steps; names with dots stand in quotes.
fn steps(key: &str) -> Option<Vec<Step<'_>>> {
    let mut steps = Vec::new();
    let mut rest = key;
    while !rest.is_empty() {
        if let Some(after) = rest.strip_prefix('[') {
            let (index, after) = after.split_once(']')?;
            steps.push(Step::Index(index.trim().parse().ok()?));
            rest = after;
        } else if let Some(after) = rest.strip_prefix('"') {
            let (name, after) = after.split_once('"')?;
            steps.push(Step::Name(name));
            rest = after;
        } else {
            let end = rest.find(['.', '[']).unwrap_or(rest.len());
            steps.push(Step::Name(
                Some(rest[..end].trim()).filter(|name| !name.is_empty() && !name.contains('"'))?,
            ));
            rest = &rest[end..];
        }
        rest = match rest.strip_prefix('.') {
            Some("") => return None,
            Some(after) => after,
            None if rest.is_empty() || rest.starts_with('[') => rest,
            None => return None,
        };
    }
    matches!(steps.first(), Some(Step::Name(_))).then_some(steps)
}

fn put<'t>(
    setting: &Setting,
    document: &mut DeTable<'t>,
    steps: &[Step<'t>],
    value: Spanned<DeValue<'t>>,
) -> Result<(), Problem> {
    let Some((Step::Name(name), rest)) = steps.split_first() else {
        return Err(setting.problem("is not a key"));
    };
    let span = value.span();
    if rest.is_empty() {
        // The old key would keep its line.
        document.remove(*name);
        document.insert(Spanned::new(span, (*name).into()), value);
        return Ok(());
    }
    let key = Spanned::new(span.clone(), (*name).into());
    let next = document.entry(key).or_insert_with(|| Spanned::new(span, DeValue::Table(DeTable::new())));
    put_into(setting, next.get_mut(), rest, value)
}

fn put_into<'t>(
    setting: &Setting,
    place: &mut DeValue<'t>,
    steps: &[Step<'t>],
    value: Spanned<DeValue<'t>>,
) -> Result<(), Problem> {
    let entries = match place {
        DeValue::Table(table) => return put(setting, table, steps, value),
        DeValue::Array(entries) => entries,
        _ => return Err(setting.problem("names a part of something that has no parts")),
    };
    let Some((step, rest)) = steps.split_first() else { return Err(setting.problem("is not a key")) };
    let found = match step {
        Step::Index(index) => Some(*index).filter(|&index| index < entries.len()),
        Step::Name(name) => entries.iter().position(|entry| name_of(entry.get_ref()) == Some(*name)),
    };
    let Some(entry) = found.and_then(|index| entries.get_mut(index)) else {
        return Err(match step {
            Step::Index(index) => setting.problem(format!("there is no entry {index}; they count from 0")),
            Step::Name(name) => {
                let problem = setting.problem(format!("no entry is called {}", shortened(name)));
                match closest(name, entries.iter().filter_map(|entry| name_of(entry.get_ref()))) {
                    Some(meant) => problem.advise(format!("Did you mean {}?", shortened(meant))),
                    None => problem,
                }
            }
        });
    };
    if rest.is_empty() {
        *entry = value;
        return Ok(());
    }
    put_into(setting, entry.get_mut(), rest, value)
}

/// Entries of `attributes` have a name, those of `models` a model.
fn name_of<'e>(entry: &'e DeValue<'_>) -> Option<&'e str> {
    let DeValue::Table(table) = entry else { return None };
    ["name", "model"].iter().find_map(|key| table.get(*key)?.get_ref().as_str())
}

/// Whether a problem or a key is of a setting.
pub(super) fn is_place(file: &Path) -> bool {
    file == Path::new(PLACE)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_are_spelled_as_in_messages() {
        let all = [Step::Name("privacy"), Step::Name("models"), Step::Index(0), Step::Name("k")];
        assert_eq!(steps("privacy.models[0].k").as_deref(), Some(&all[..]));
        let quoted = [Step::Name("attributes"), Step::Name("a.b"), Step::Name("max_level")];
        assert_eq!(steps("attributes.\"a.b\".max_level").as_deref(), Some(&quoted[..]));
        for wrong in ["", ".", "a.", ".a", "a..b", "[0]", "a[x]", "a[0", "a\"b", "\"a"] {
            assert_eq!(steps(wrong), None, "{wrong}");
        }
    }
}
