//! The texts of the job file since the program was started.

use std::collections::BTreeSet;

/// Steps back that are kept.
const MOST_STEPS: usize = 200;

/// The texts, and which of them the file has.
#[derive(Debug, Default)]
pub(super) struct History {
    pub(super) texts: Vec<String>,
    pub(super) at: usize,
    /// Places that somebody who can write files has put into the job.
    pub(super) places: BTreeSet<String>,
}

impl History {
    /// A new text; what was undone before is forgotten.
    pub(super) fn step(&mut self, text: String) {
        self.texts.truncate(self.at + 1);
        self.texts.push(text);
        if self.texts.len() > MOST_STEPS {
            self.texts.remove(0);
        }
        self.at = self.texts.len() - 1;
    }
}
