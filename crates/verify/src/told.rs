//! The verdict in words.

use crate::verification::{Outcome, Verification};

/// The parts of the text, one line each entry, for those who colour or arrange them.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Told {
    /// A line per check: whether it held, what it is about, and what was found.
    pub checks: Vec<(Outcome, String, String)>,
    /// What was taken from the manifest.
    pub trusted: Vec<String>,
    /// What was not checked, and why.
    pub not_checked: Vec<(String, String)>,
    /// One sentence.
    pub verdict: String,
}

impl Verification {
    /// The verdict in words. Holds names of columns and numbers, never the content of a cell.
    pub fn told(&self) -> Told {
        let about = |name: &str, subject: Option<&str>| match subject {
            Some(subject) => format!("{name} ({subject})"),
            None => name.to_owned(),
        };
        let checks = self.checks.iter();
        let not_checked = self.not_checked.iter();
        Told {
            checks: checks
                .map(|check| {
                    (check.outcome, about(&check.name, check.subject.as_deref()), check.detail.clone())
                })
                .collect(),
            trusted: self.trusted.iter().map(|trusted| trusted.detail.clone()).collect(),
            not_checked: not_checked
                .map(|open| (about(&open.name, open.subject.as_deref()), open.why.clone()))
                .collect(),
            verdict: self.verdict(),
        }
    }

    fn verdict(&self) -> String {
        let open = match self.not_checked.len() {
            0 => String::new(),
            1 => "; 1 question could not be asked".to_owned(),
            n => format!("; {n} questions could not be asked"),
        };
        let unasked = self.promises_not_checked();
        match self.violations().count() {
            0 if !unasked.is_empty() => format!(
                "What could be checked holds, if the manifest may be trusted as listed: {} checks{open}. Not every promise could be checked: {}.",
                self.checks.len(),
                unasked.join(", ")
            ),
            0 => format!(
                "Every promise holds, if the manifest may be trusted as listed: {} checks{open}.",
                self.checks.len()
            ),
            1 => "The release is not as promised: 1 check is violated.".to_owned(),
            n => format!("The release is not as promised: {n} checks are violated."),
        }
    }

    /// The models that are promised and were not judged as promised.
    fn promises_not_checked(&self) -> Vec<&str> {
        let required = self.trusted.iter().find(|trusted| trusted.what == "required");
        let promised = required.and_then(|trusted| trusted.said.as_array()).map_or(&[][..], Vec::as_slice);
        let models = promised.iter().filter_map(|promise| promise["model"].as_str());
        models.filter(|model| self.not_checked.iter().any(|open| open.name == *model)).collect()
    }

    /// The whole text, without colours.
    pub fn text(&self, title: &str) -> String {
        let told = self.told();
        let width = |texts: &mut dyn Iterator<Item = &String>| {
            texts.map(|text| text.chars().count()).max().unwrap_or(0)
        };
        let wide = width(&mut told.checks.iter().map(|(_, about, _)| about));
        let mut text = format!("{title}: {} rows in {} classes\n\n", self.rows, self.classes);
        for (outcome, about, detail) in &told.checks {
            let mark = if *outcome == Outcome::Held { "held    " } else { "VIOLATED" };
            text.push_str(format!("  {mark}  {about:wide$}  {detail}").trim_end());
            text.push('\n');
        }
        if !told.not_checked.is_empty() {
            let wide = width(&mut told.not_checked.iter().map(|(about, _)| about));
            text.push_str("\nNot checked\n");
            told.not_checked
                .iter()
                .for_each(|(about, why)| text.push_str(&format!("  {about:wide$}  {why}\n")));
        }
        text.push_str(TRUSTED_HEADING);
        told.trusted.iter().for_each(|line| text.push_str(&format!("  {line}\n")));
        text.push_str(&format!("\n{}\n", told.verdict));
        text
    }
}

/// Above the list of what was taken on trust.
const TRUSTED_HEADING: &str = "\nTaken from the manifest on trust\n";
