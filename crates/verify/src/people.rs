//! Whose rows the released rows are: a token per row, in the private folder.

use foldhash::{HashMap, HashMapExt, HashSet};
use serde_json::Value;

use crate::classes::{Classes, Group};
use crate::data::{self, Column};
use crate::folder::Folder;
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
    pub(crate) fn read(folder: &Folder<'_>, document: &Value) -> Result<People, VerifyError> {
        let bytes = folder.read(PEOPLE)?;
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
        let mut rows = Vec::with_capacity(self.of_row.len());
        for (stretch, &repeat) in (0u32..).zip(repeats) {
            for _ in 0..repeat {
                // A row without a token is a violation of its own; here it is nobody new.
                let person = self.of_row.get(rows.len()).copied().unwrap_or(NOBODY);
                rows.push(Row { class: classes.of[stretch as usize], stretch, person });
            }
        }
        Counted::new(rows)
    }
}

/// Stands for a row without a token.
const NOBODY: u32 = u32::MAX;

/// A released row.
#[derive(Clone, Copy)]
struct Row {
    class: u32,
    stretch: u32,
    person: u32,
}

/// Classes counted in people.
pub(crate) struct Counted {
    /// Different people of each class.
    pub(crate) sizes: Vec<u64>,
    /// First row (from 0) of each class.
    pub(crate) first_rows: Vec<usize>,
    /// In the order of the file.
    rows: Vec<Row>,
    /// Row numbers by class; class `c` has `members[starts[c]..starts[c + 1]]`.
    members: Vec<u32>,
    starts: Vec<usize>,
}

impl Counted {
    /// Classes are numbered from 0 without gaps.
    fn new(rows: Vec<Row>) -> Counted {
        let classes = rows.iter().map(|row| row.class as usize + 1).max().unwrap_or(0);
        let mut starts = vec![0; classes + 1];
        rows.iter().for_each(|row| starts[row.class as usize + 1] += 1);
        (1..starts.len()).for_each(|class| starts[class] += starts[class - 1]);
        let mut next = starts.clone();
        let mut members = vec![0; rows.len()];
        for (number, row) in (0u32..).zip(&rows) {
            members[next[row.class as usize]] = number;
            next[row.class as usize] += 1;
        }
        let mut counted = Counted { sizes: Vec::new(), first_rows: Vec::new(), rows, members, starts };
        for class in 0..classes {
            let mut people: Vec<u32> =
                counted.of(class).iter().map(|&row| counted.rows[row as usize].person).collect();
            people.sort_unstable();
            people.dedup();
            people.retain(|&person| person != NOBODY);
            counted.sizes.push(people.len() as u64);
            counted.first_rows.push(counted.of(class).first().map_or(0, |&row| row as usize));
        }
        counted
    }

    /// The rows of a class, in the order of the file.
    fn of(&self, class: usize) -> &[u32] {
        &self.members[self.starts[class]..self.starts[class + 1]]
    }

    /// The classes when rows are alike only if all rows of their owners are: how often each person is in each class tells people apart.
    pub(crate) fn by_all_rows(self) -> Counted {
        let mut by_person: HashMap<u32, Vec<u32>> = HashMap::new();
        self.rows.iter().for_each(|row| by_person.entry(row.person).or_default().push(row.class));
        let mut kinds: HashMap<Vec<u32>, u32> = HashMap::new();
        let mut kind_of: HashMap<u32, u32> = HashMap::new();
        for (person, mut own) in by_person {
            own.sort_unstable();
            let next = kinds.len() as u32;
            kind_of.insert(person, *kinds.entry(own).or_insert(next));
        }
        self.split(|row| vec![kind_of[&row.person]])
    }

    /// The classes when more columns tell rows apart.
    pub(crate) fn refined_by(&self, columns: &[&Column]) -> Counted {
        self.split(|row| columns.iter().map(|column| column.codes.at(row.stretch as usize)).collect())
    }

    /// The classes when something else tells rows apart, numbered as they come.
    fn split(&self, by: impl Fn(&Row) -> Vec<u32>) -> Counted {
        let mut numbers: HashMap<(u32, Vec<u32>), u32> = HashMap::new();
        let rows = self.rows.iter().map(|row| {
            let next = numbers.len() as u32;
            Row { class: *numbers.entry((row.class, by(row))).or_insert(next), ..*row }
        });
        Counted::new(rows.collect())
    }

    /// Calls `visit` with every class: pairs of a person and a value, each once, and how many people can stand for different values.
    /// Nobody stands for a code that is no value.
    pub(crate) fn each_group(
        &self,
        column: &Column,
        is_value: &dyn Fn(u32) -> bool,
        mut visit: impl FnMut(&Group<'_>),
    ) {
        for class in 0..self.sizes.len() {
            let members = self.of(class).iter().map(|&row| self.rows[row as usize]);
            let mut pairs: Vec<(u32, u32)> =
                members.map(|row| (column.codes.at(row.stretch as usize), row.person)).collect();
            pairs.sort_unstable();
            pairs.dedup();
            let counts: Vec<(u32, u64)> = pairs
                .chunk_by(|a, b| a.0 == b.0)
                .map(|of_value| (of_value[0].0, of_value.len() as u64))
                .collect();
            let shown: Vec<(u32, u32)> = pairs.iter().copied().filter(|&(code, _)| is_value(code)).collect();
            visit(&Group {
                first_row: self.first_rows[class],
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
    let people: HashSet<u32> = pairs.iter().map(|&(_, person)| person).collect();
    // Everybody shows one value, so each value has somebody of its own.
    if people.len() == pairs.len() {
        return values.len() as u64;
    }
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

    /// Rows as (class, person), each a stretch of its own.
    fn counted(rows: &[(u32, u32)]) -> Counted {
        let rows = (0u32..).zip(rows).map(|(stretch, &(class, person))| Row { class, stretch, person });
        Counted::new(rows.collect())
    }

    #[test]
    fn a_person_is_once_in_a_class() {
        let found = counted(&[(0, 7), (1, 7), (0, 7), (0, 8), (1, NOBODY)]);
        assert_eq!((found.sizes, found.first_rows), (vec![2, 1], vec![0, 1]));
    }

    #[test]
    fn rows_of_people_who_are_not_alike_are_not_alike() {
        // 7 and 8 have one row in each class; 9 has two in the first.
        let found = counted(&[(0, 7), (1, 7), (1, 8), (0, 8), (0, 9), (0, 9)]).by_all_rows();
        assert_eq!((found.sizes, found.first_rows), (vec![2, 2, 1], vec![0, 1, 4]));
    }

    #[test]
    fn other_columns_tell_rows_apart() {
        let drug = Column::of("drug", &[Some("a"), Some("b"), Some("a")]);
        let found = counted(&[(0, 7), (0, 7), (0, 8)]).refined_by(&[&drug]);
        assert_eq!(found.sizes, [2, 1]);
    }
}
