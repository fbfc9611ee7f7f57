//! The walk over a file: it collects every problem on its way instead of stopping at the first.
//!
//! Other files of the house than jobs are read with it, too: [`read`] gives the document as a [`Section`], each section takes its keys
//! as [`Item`]s, and whatever is wrong becomes a [`Problem`] with file, line, key and advice.

use std::path::{Path, PathBuf};

use toml::de::{DeTable, DeValue};

mod item;

use crate::keys::Key;
use crate::lines::{LineStarts, Source, child};
use crate::problem::{Problem, Problems};
use crate::settings;
use crate::suggest::closest;
pub use item::Item;

/// Reads a document with `take`, which sees its root.
///
/// # Errors
/// All problems, sorted by line.
pub fn read<T>(
    text: &str,
    file: &Path,
    take: impl FnOnce(&mut Walk, &Section<'_>, Source) -> Option<T>,
) -> Result<T, Problems> {
    let (document, errors) = DeTable::parse_recoverable(text);
    let starts = LineStarts::of(text);
    let source = Source::new(file, document.get_ref(), &starts, usize::MAX);
    let mut walk = Walk::new(file, starts, errors.is_empty());
    let root = Section { table: document.get_ref(), path: String::new(), line: 1 };
    let taken = take(&mut walk, &root, source);
    if !walk.complete() {
        keep_sure_problems(&mut walk, &errors);
    }
    walk.finish(taken)
}

/// What the parts of a walk share: the file, its lines, and the problems found so far.
pub struct Walk {
    file: PathBuf,
    starts: LineStarts,
    problems: Problems,
    /// The document is valid TOML. If not, what seems to be missing may be in the part that could not be read.
    complete: bool,
    /// What stands on later lines was set beside the file.
    own_lines: usize,
}

impl Walk {
    pub(super) fn new(file: &Path, starts: LineStarts, complete: bool) -> Walk {
        Walk { file: file.to_path_buf(), starts, problems: Problems::new(), complete, own_lines: usize::MAX }
    }

    /// Lines beyond the file's own are those of settings.
    pub(super) fn below_is_set(self, own_lines: usize) -> Walk {
        Walk { own_lines, ..self }
    }

    /// Adds a problem.
    pub fn push(&mut self, problem: Problem) {
        self.problems.push(problem);
    }

    pub(super) fn into_problems(self) -> Problems {
        self.problems
    }

    /// The job, or all problems in the order of lines.
    pub(super) fn finish<T>(mut self, value: Option<T>) -> Result<T, Problems> {
        match value {
            Some(value) => self.problems.into_result(value),
            None => {
                debug_assert!(!self.problems.is_empty(), "a part was left out without a word");
                self.problems.sort();
                Err(self.problems)
            }
        }
    }

    /// Adds a problem at a line and a key.
    pub fn report(&mut self, line: usize, key: &str, message: impl Into<String>, advice: &str) {
        let problem = match line > self.own_lines {
            true => Problem::new(settings::PLACE, message),
            false => Problem::new(&self.file, message).at_line(line),
        };
        let problem = problem.advise(advice);
        self.problems.push(if key.is_empty() { problem } else { problem.at_key(key) });
    }

    pub(super) fn line(&self, offset: usize) -> usize {
        self.starts.line(offset)
    }

    /// Whether something that was not found is really not there.
    pub fn complete(&self) -> bool {
        self.complete
    }
}

/// A table of the document whose keys are known.
pub struct Section<'t> {
    /// Its keys and values.
    pub(crate) table: &'t DeTable<'t>,
    /// Like `privacy.models[1]`; empty for the document.
    pub path: String,
    /// Where it begins.
    pub line: usize,
}

impl<'t> Section<'t> {
    /// Reports all keys but those listed.
    pub fn allow_keys(&self, walk: &mut Walk, keys: &[Key]) {
        let names: Vec<&'static str> = keys.iter().map(|key| key.name).collect();
        self.allow(walk, &names);
    }

    /// Reports all keys but these.
    pub(super) fn allow(&self, walk: &mut Walk, allowed: &[&'static str]) {
        for (key, _) in self.table {
            let name = key.get_ref().as_ref();
            if !allowed.contains(&name) {
                let listed = allowed.join(", ");
                let advice = match closest(name, allowed.iter().copied()) {
                    Some(meant) => format!("Did you mean {meant}? Allowed here: {listed}"),
                    None => format!("Allowed here: {listed}"),
                };
                walk.report(walk.line(key.span().start), &child(&self.path, name), "unknown key", &advice);
            }
        }
    }

    /// All entries, for a table whose keys are free; `example` is a value that would be right.
    pub fn named(&self, walk: &Walk, example: &str) -> Vec<(String, Item<'t>)> {
        let entry =
            |(name, value): (&toml::Spanned<std::borrow::Cow<'t, str>>, &'t toml::Spanned<DeValue<'t>>)| {
                let text = name.get_ref().as_ref();
                let (key, line) = (child(&self.path, text), walk.line(name.span().start));
                (text.to_owned(), Item { value, key, line, advice: write_eg(text, example) })
            };
        self.table.iter().map(entry).collect()
    }

    /// The value of `key`; `example` is a value that would be right, or a header for a whole section.
    pub fn get(&self, walk: &Walk, key: &'static str, example: &str) -> Option<Item<'t>> {
        let (name, value) = self.table.get_key_value(key)?;
        let line = walk.line(name.span().start);
        Some(Item { value, key: child(&self.path, key), line, advice: write_eg(key, example) })
    }

    /// The same, and reports a problem if it is not there.
    pub fn require(&self, walk: &mut Walk, key: &'static str, example: &str) -> Option<Item<'t>> {
        let item = self.get(walk, key, example);
        if item.is_none() && walk.complete {
            walk.report(self.line, &child(&self.path, key), "is missing", &write_eg(key, example));
        }
        item
    }

    /// Reports the second of two keys that exclude each other.
    pub fn exclusive(&self, walk: &mut Walk, first: &'static str, second: &'static str) {
        if let (Some(_), Some(second)) = (self.get(walk, first, ""), self.get(walk, second, "")) {
            let message = format!("cannot be together with {first}");
            walk.report(second.line, &second.key, message, "Keep one of the two");
        }
    }
}

fn write_eg(key: &str, example: &str) -> String {
    let is_header =
        example.trim_start_matches('[').strip_prefix(key).is_some_and(|rest| rest.starts_with(']'));
    if is_header { format!("Write e.g. {example}") } else { format!("Write e.g. {key} = {example}") }
}

/// One open bracket makes an error of every line below it.
const MOST_SYNTAX_ERRORS: usize = 3;

/// Below a syntax error the parser guesses; only what stands above the first one is sure to be meant.
pub(super) fn keep_sure_problems(walk: &mut Walk, errors: &[toml::de::Error]) {
    let mut lines: Vec<(usize, &str)> = errors
        .iter()
        .map(|error| (error.span().map_or(1, |span| walk.starts.line(span.start)), error.message()))
        .collect();
    lines.sort_by_key(|&(line, _)| line);
    lines.dedup_by_key(|&mut (line, _)| line);
    let first = lines.first().map_or(0, |&(line, _)| line);
    walk.problems
        .0
        .retain(|problem| settings::is_place(&problem.file) || problem.line.is_some_and(|line| line < first));
    for (line, message) in lines.into_iter().take(MOST_SYNTAX_ERRORS) {
        // What the parser tried last is often not what was meant.
        let said = message.split(", expected literal string").next().unwrap_or(message);
        let said = said.trim_end_matches(", expected nothing");
        let problem = Problem::new(&walk.file, format!("not valid TOML: {said}")).at_line(line);
        walk.problems.push(match syntax_advice(message) {
            Some(advice) => problem.advise(advice),
            None => problem,
        });
    }
}

/// The slips that happen most, by the words of the parser.
fn syntax_advice(message: &str) -> Option<&'static str> {
    let advice = [
        (
            "escape",
            "Write \\\\ for each \\, or put the text into single quotes, as in 'C:\\data\\patients.csv'",
        ),
        ("must be quoted", "Put texts into quotes, as in role = \"sensitive\""),
        ("duplicate key", "Keep one of the two"),
        ("key with no value", "Write key = value"),
        (" string, expected", "Check that there is a value, and that its quotes are closed"),
    ];
    advice.into_iter().find(|(words, _)| message.contains(words)).map(|(_, advice)| advice)
}
