//! Patterns over the texts of the catalog.

use super::select::Interpreter;
use crate::fault::Fault;
use regex::{Regex, RegexBuilder};
use std::cell::RefCell;
use std::collections::HashMap;

/// Longest pattern in bytes.
const LONGEST: usize = 4 << 10;
/// Most memory of a pattern that is ready to be matched.
const SIZE: usize = 1 << 16;
/// Making a pattern ready is as much work as so many steps.
const STEPS: u64 = 100;
/// Patterns that are kept: a statement has few, and rows are many.
const KEPT: usize = 64;

/// Patterns of a statement that are ready to be matched.
#[derive(Default)]
pub(super) struct Patterns(RefCell<HashMap<(String, bool), Regex>>);

impl Interpreter<'_> {
    /// Whether a text has a place that fits. Patterns are matched in time that grows with their length and the text's, whatever they are.
    pub(super) fn is_match(&self, pattern: &str, text: &str, folds: bool) -> Result<bool, Fault> {
        if pattern.len() > LONGEST {
            return Err(Fault::new("54000", format!("a pattern has at most {LONGEST} bytes here")));
        }
        self.steps((pattern.len() as u64 * text.len() as u64) >> 10)?;
        let mut kept = self.patterns.0.borrow_mut();
        let key = (pattern.to_owned(), folds);
        if let Some(known) = kept.get(&key) {
            return Ok(known.is_match(text));
        }
        self.steps(STEPS)?;
        let wrong = |_| Fault::new("2201B", "this pattern is not understood");
        let built = RegexBuilder::new(pattern).case_insensitive(folds).size_limit(SIZE).build();
        let built = built.map_err(wrong)?;
        let found = built.is_match(text);
        if kept.len() < KEPT {
            kept.insert(key, built);
        }
        Ok(found)
    }
}

/// The pattern that LIKE means.
pub(super) fn like_pattern(pattern: &str) -> String {
    let mut made = String::from("(?s)^");
    let mut escaped = false;
    for c in pattern.chars() {
        match c {
            '\\' if !escaped => {
                escaped = true;
                continue;
            }
            '%' if !escaped => made.push_str(".*"),
            '_' if !escaped => made.push('.'),
            c => made.push_str(&regex::escape(&c.to_string())),
        }
        escaped = false;
    }
    made.push('$');
    made
}
