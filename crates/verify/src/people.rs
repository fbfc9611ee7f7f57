//! Whose rows the released rows are: a token per row, in the private folder.

use std::path::Path;

use foldhash::{HashMap, HashMapExt};
use serde_json::Value;

use crate::classes::{Classes, Group};
use crate::data::{self, Column};
use crate::{Check, VerifyError};

/// Name of the file with the tokens: a line per released row, in the order of the data file.
pub(crate) const PEOPLE: &str = "people.txt";

/// The tokens as they were read.
pub(crate) struct People {
    /// By row: a number that stands for the token.
    of_row: Vec<u32>,
    /// Different tokens.
    count: u64,
    sha256: String,
    /// What the transformation says about the file.
    said: Option<String>,
}

impl People {
    /// Reads the tokens of a private folder. `document` is its transformation.
    pub(crate) fn read(folder: &Path, document: &Value) -> Result<People, VerifyError> {
        let bytes = data::read_document(folder, PEOPLE)?;
        let mut numbers: HashMap<&[u8], u32> = HashMap::new();
        let text = bytes.strip_suffix(b"\n").unwrap_or(&bytes);
        let lines = text.split(|&byte| byte == b'\n').filter(|_| !bytes.is_empty());
        let of_row = lines
            .map(|token| {
                let next = numbers.len() as u32;
                *numbers.entry(token).or_insert(next)
            })
            .collect();
        Ok(People {
            of_row,
            count: numbers.len() as u64,
            sha256: data::sha256(&bytes),
            said: document["release"]["people_sha256"].as_str().map(str::to_owned),
        })
    }

    /// Is the file the one that was written, with a token for every row?
    pub(crate) fn check(&self, rows: usize) -> Check {
        let mut problems = Vec::new();
        if self.said.as_deref() != Some(&self.sha256) {
            problems.push("the file is not the one the transformation was written for".to_owned());
        }
        if self.of_row.len() != rows {
            problems.push(format!("{} tokens for {rows} rows", self.of_row.len()));
        }
        let fine = format!("{} people have {rows} rows", self.count);
        Check::new("people", Some(PEOPLE), &problems, fine)
    }

    /// Different people with a released row.
    pub(crate) fn count(&self) -> u64 {
        self.count
    }

    /// The classes with people for rows; `repeats` has the rows of each stretch.
    pub(crate) fn counted(&self, classes: &Classes, repeats: &[u32]) -> Counted {
        let mut counted =
            Counted { sizes: Vec::new(), members: Vec::new(), stretch_of: Vec::new(), person_of: Vec::new() };
        let mut row = 0;
        let mut pairs: Vec<(u32, u32)> = Vec::new();
        for (stretch, &rows) in repeats.iter().enumerate() {
            for _ in 0..rows {
                // A row without a token is a violation of its own; here it is nobody new.
                let person = self.of_row.get(row).copied().unwrap_or(u32::MAX);
                counted.members.push((classes.of[stretch], counted.stretch_of.len() as u32));
                counted.stretch_of.push(stretch as u32);
                counted.person_of.push(person);
                pairs.push((classes.of[stretch], person));
                row += 1;
            }
        }
        pairs.sort_unstable();
        pairs.dedup();
        counted.sizes = vec![0; classes.sizes.len()];
        for (class, person) in pairs {
            counted.sizes[class as usize] += u64::from(person != u32::MAX);
        }
        counted.members.sort_unstable();
        counted
    }
}

/// Classes counted in people.
pub(crate) struct Counted {
    /// Different people of each class.
    pub(crate) sizes: Vec<u64>,
    /// (class, row), sorted.
    members: Vec<(u32, u32)>,
    /// By row.
    stretch_of: Vec<u32>,
    /// By row.
    person_of: Vec<u32>,
}

impl Counted {
    /// Calls `visit` with every class: pairs of a person and a value, each once, and how many people can stand for different values.
    /// Nobody stands for a code that is no value.
    pub(crate) fn each_group(
        &self,
        classes: &Classes,
        column: &Column,
        is_value: &dyn Fn(u32) -> bool,
        mut visit: impl FnMut(&Group<'_>),
    ) {
        for members in self.members.chunk_by(|a, b| a.0 == b.0) {
            let class = members[0].0 as usize;
            let mut pairs: Vec<(u32, u32)> = members
                .iter()
                .map(|&(_, row)| {
                    let code = column.codes.at(self.stretch_of[row as usize] as usize);
                    (code, self.person_of[row as usize])
                })
                .collect();
            pairs.sort_unstable();
            pairs.dedup();
            let counts: Vec<(u32, u64)> = pairs
                .chunk_by(|a, b| a.0 == b.0)
                .map(|of_value| (of_value[0].0, of_value.len() as u64))
                .collect();
            let shown: Vec<(u32, u32)> = pairs.iter().copied().filter(|&(code, _)| is_value(code)).collect();
            visit(&Group {
                first_row: classes.first_rows[class],
                size: pairs.len() as u64,
                counts: &counts,
                represented: represented(&shown),
            });
        }
    }
}

/// How many values can be given to different people, one each, who show them: a maximum matching, one augmenting path after another.
/// `pairs` are (value, person), sorted.
fn represented(pairs: &[(u32, u32)]) -> u64 {
    let values: Vec<&[(u32, u32)]> = pairs.chunk_by(|a, b| a.0 == b.0).collect();
    // person → position of the value he stands for.
    let mut stands_for: HashMap<u32, usize> = HashMap::new();
    let mut found = 0;
    for start in 0..values.len() {
        // Breadth first over values; `asked_by` remembers through whom a person was reached.
        let mut asked_by: HashMap<u32, usize> = HashMap::new();
        let mut queue = std::collections::VecDeque::from([start]);
        let mut free = None;
        'search: while let Some(value) = queue.pop_front() {
            for &(_, person) in values[value] {
                if asked_by.contains_key(&person) {
                    continue;
                }
                asked_by.insert(person, value);
                match stands_for.get(&person) {
                    Some(&other) => queue.push_back(other),
                    None => {
                        free = Some(person);
                        break 'search;
                    }
                }
            }
        }
        let Some(mut person) = free else { continue };
        found += 1;
        // Everybody on the way moves to the value through which he was asked.
        loop {
            let value = asked_by[&person];
            stands_for.insert(person, value);
            if value == start {
                break;
            }
            match stands_for.iter().find(|&(&other, &held)| held == value && other != person) {
                Some((&other, _)) => person = other,
                None => break,
            }
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn people_stand_for_one_value_each() {
        // Value 1 is shown by 10, value 2 by 10 and 11, value 3 by 11.
        assert_eq!(represented(&[(1, 10), (2, 10), (2, 11), (3, 11)]), 2);
        assert_eq!(represented(&[(1, 10), (2, 10), (2, 11), (3, 12)]), 3);
        assert_eq!(represented(&[(1, 10), (2, 10), (3, 10)]), 1);
        // The second value takes the person of the first, who has somebody else.
        assert_eq!(represented(&[(1, 10), (1, 11), (2, 10)]), 2);
        assert_eq!(represented(&[]), 0);
    }
}
