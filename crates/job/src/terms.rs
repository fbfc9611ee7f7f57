//! `[privacy]` and `[search]` of a file that is no job: what several parties promise together.

use super::lines::{LineStarts, Source};
use super::model_walk;
use super::privacy::Privacy;
use super::problem::{Problem, Problems};
use super::render;
use super::search::Search;
use super::walk::{Section, Walk, keep_sure_problems};
use std::path::Path;
use toml::de::DeTable;

/// What is promised and what is best, with the lines of the whole file.
#[derive(Clone, Debug, PartialEq)]
pub struct Terms {
    /// What is promised. Whether the attributes it names exist is for the caller to say.
    pub privacy: Privacy,
    /// What is best.
    pub search: Search,
}

impl Terms {
    /// Reads the two sections of a document whose other keys are `others`; `take` reads those from the parsed document and reports what is wrong.
    ///
    /// # Errors
    /// All problems of all parts, sorted by line.
    pub fn read<T>(
        text: &str,
        file: &Path,
        others: &[&'static str],
        take: impl FnOnce(&toml::Table, &Source, &mut Problems) -> Option<T>,
    ) -> Result<(Terms, T, Source), Problems> {
        let (document, errors) = DeTable::parse_recoverable(text);
        let starts = LineStarts::of(text);
        let source = Source::new(file, document.get_ref(), &starts, usize::MAX);
        let mut walk = Walk::new(file, starts, errors.is_empty());
        if !errors.is_empty() {
            keep_sure_problems(&mut walk, &errors);
            return Err(walk.into_problems());
        }
        let root = Section { table: document.get_ref(), path: String::new(), line: 1 };
        let allowed: Vec<&'static str> = others.iter().copied().chain(["privacy", "search"]).collect();
        root.allow(&mut walk, &allowed);
        let privacy = root.require(
            &mut walk,
            "privacy",
            "[privacy] and below it models = [{ model = \"k-anonymity\", k = 5 }]",
        );
        let privacy = privacy
            .and_then(|item| item.section(&mut walk))
            .and_then(|section| model_walk::terms(&mut walk, &section));
        let search = match root.get(&walk, "search", "[search] and below it metric = \"nuem\"") {
            Some(item) => item.section(&mut walk).map(|section| Search::read(&mut walk, &section)),
            None => Some(Search::default()),
        };
        let mut problems = walk.into_problems();
        let taken = match toml::from_str::<toml::Table>(text) {
            Ok(table) => take(&table, &source, &mut problems),
            Err(error) => {
                problems.push(Problem::new(file, format!("not valid TOML: {}", error.message())));
                None
            }
        };
        match (privacy, search, taken) {
            (Some(privacy), Some(search), Some(taken)) => {
                problems.into_result((Terms { privacy, search }, taken, source))
            }
            _ => {
                problems.sort();
                Err(problems)
            }
        }
    }

    /// The two sections as [`read`](Self::read) reads them.
    pub fn to_toml(&self) -> String {
        render::terms(&self.privacy, &self.search)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_of_the_search_is_forgotten() {
        let text = "[privacy]\nmodels = [{ model = \"k-anonymity\", k = 3 }]\n\n[search]\nmetric = \"loss\"\nalgorithm = \"ola\"\nforce = true\nseconds = 2.5\npractical_monotonicity = true\n";
        let read = |text: &str| Terms::read(text, "terms.toml".as_ref(), &[], |_, _, _| Some(())).unwrap().0;
        let terms = read(text);
        assert!(terms.search.force && terms.search.practical_monotonicity);
        assert_eq!(read(&terms.to_toml()), terms);
    }
}
