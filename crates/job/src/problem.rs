//! What is wrong with a job, where, and what to write instead.

use std::fmt;
use std::path::{Path, PathBuf};

/// One mistake in a configuration file.
///
/// Shown as `paravent.toml:14: privacy.models[1].l: must be at least 1. Write e.g. l = 3`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Problem {
    /// The file that has to be changed.
    pub file: PathBuf,
    /// The line in it, counted from 1; `None` when the file as a whole is meant.
    pub line: Option<usize>,
    /// The key, spelled like `privacy.models[1].l`; list entries count from 0.
    pub key: Option<String>,
    /// What is wrong, without a full stop.
    pub message: String,
    /// What to write instead.
    pub advice: Option<String>,
}

impl Problem {
    /// A problem of the file as a whole; add the place with [`at_line`](Self::at_line) and [`at_key`](Self::at_key).
    pub fn new(file: impl AsRef<Path>, message: impl Into<String>) -> Self {
        Self {
            file: file.as_ref().to_path_buf(),
            line: None,
            key: None,
            message: message.into(),
            advice: None,
        }
    }

    /// Names the line.
    #[must_use]
    pub fn at_line(self, line: usize) -> Self {
        Self { line: Some(line), ..self }
    }

    /// Names the key.
    #[must_use]
    pub fn at_key(self, key: impl Into<String>) -> Self {
        Self { key: Some(key.into()), ..self }
    }

    /// Says what to write instead.
    #[must_use]
    pub fn advise(self, advice: impl Into<String>) -> Self {
        Self { advice: Some(advice.into()), ..self }
    }
}

impl fmt::Display for Problem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.file.display())?;
        if let Some(line) = self.line {
            write!(f, ":{line}")?;
        }
        f.write_str(": ")?;
        if let Some(key) = &self.key {
            write!(f, "{key}: ")?;
        }
        f.write_str(&self.message)?;
        match &self.advice {
            Some(advice) => write!(f, ". {advice}"),
            None => Ok(()),
        }
    }
}

/// All mistakes found in one go, so that nobody has to fix them one run at a time.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Problems(pub Vec<Problem>);

impl Problems {
    /// Nobody reads more at a time; the rest is counted.
    pub const MOST_SHOWN: usize = 20;

    /// Those that are shown, and how many more there are.
    pub fn shown(&self) -> (&[Problem], usize) {
        let shown = &self.0[..self.len().min(Self::MOST_SHOWN)];
        (shown, self.len() - shown.len())
    }

    /// No problem yet.
    pub fn new() -> Self {
        Self::default()
    }

    /// Adds one.
    pub fn push(&mut self, problem: Problem) {
        self.0.push(problem);
    }

    /// Nothing is wrong.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// How many there are.
    pub fn len(&self) -> usize {
        self.0.len()
    }

    /// In the order in which they are shown once [`into_result`](Self::into_result) has sorted them.
    pub fn iter(&self) -> std::slice::Iter<'_, Problem> {
        self.0.iter()
    }

    /// `value` if nothing is wrong, else all problems, sorted by file and line.
    pub fn into_result<T>(mut self, value: T) -> Result<T, Problems> {
        if self.is_empty() {
            return Ok(value);
        }
        self.sort();
        Err(self)
    }

    /// By file, then line; problems of a whole file come first. Equal places keep their order.
    pub fn sort(&mut self) {
        self.0.sort_by(|a, b| (&a.file, a.line).cmp(&(&b.file, b.line)));
        self.0.dedup();
    }
}

impl Extend<Problem> for Problems {
    fn extend<I: IntoIterator<Item = Problem>>(&mut self, problems: I) {
        self.0.extend(problems);
    }
}

impl IntoIterator for Problems {
    type Item = Problem;
    type IntoIter = std::vec::IntoIter<Problem>;

    fn into_iter(self) -> Self::IntoIter {
        self.0.into_iter()
    }
}

impl<'a> IntoIterator for &'a Problems {
    type Item = &'a Problem;
    type IntoIter = std::slice::Iter<'a, Problem>;

    fn into_iter(self) -> Self::IntoIter {
        self.0.iter()
    }
}

impl From<Problem> for Problems {
    fn from(problem: Problem) -> Self {
        Self(vec![problem])
    }
}

impl fmt::Display for Problems {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (shown, more) = self.shown();
        for (i, problem) in shown.iter().enumerate() {
            if i > 0 {
                f.write_str("\n")?;
            }
            write!(f, "{problem}")?;
        }
        match more {
            0 => Ok(()),
            more => write!(f, "\nand {more} more"),
        }
    }
}

impl std::error::Error for Problems {}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reads_like_a_compiler_message() {
        let problem = Problem::new("paravent.toml", "must be at least 1")
            .at_line(14)
            .at_key("privacy.models[1].l")
            .advise("Write e.g. l = 3");
        let expected = "paravent.toml:14: privacy.models[1].l: must be at least 1. Write e.g. l = 3";
        assert_eq!(problem.to_string(), expected);
        assert_eq!(Problem::new("a.csv", "is empty").to_string(), "a.csv: is empty");
    }

    #[test]
    fn come_out_sorted_by_file_and_line() {
        let mut problems = Problems::new();
        problems.push(Problem::new("b", "third").at_line(1));
        problems.extend([Problem::new("a", "second").at_line(9), Problem::new("a", "first").at_line(2)]);
        let shown = problems.into_result(()).unwrap_err().to_string();
        assert_eq!(shown, "a:2: first\na:9: second\nb:1: third");
        assert_eq!(Problems::new().into_result(7), Ok(7));
    }
}
