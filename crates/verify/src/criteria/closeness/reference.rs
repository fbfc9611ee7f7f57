//! The evidence for t-closeness: how often each value occurs in the whole original table.

use crate::VerifyError;
use crate::data::Column;
use crate::json::{MAX_ROWS, Node};
use crate::types::Type;
use crate::values::Values;

/// The list of the manifest, in the order that the distance uses.
pub(in crate::criteria) struct Reference {
    /// Rows of the original table with each value.
    pub(in crate::criteria) counts: Vec<u64>,
    /// Their sum.
    pub(in crate::criteria) rows: u128,
    entries: Vec<Entry>,
}

enum Entry {
    /// A value that some released row shows.
    Shown(Box<str>),
    /// A value that no released row shows; its text is withheld.
    Withheld,
    /// The missing value.
    Missing,
}

impl Reference {
    pub(in crate::criteria) fn parse(node: &Node<'_>) -> Result<Reference, VerifyError> {
        let (mut counts, mut entries) = (Vec::new(), Vec::new());
        for item in node.items()? {
            counts.push(item.get("count")?.rows()?);
            let missing =
                item.optional("missing").map(|missing| missing.bool()).transpose()?.unwrap_or(false);
            entries.push(if missing {
                Entry::Missing
            } else {
                match item.get("value")? {
                    withheld if withheld.value.is_null() => Entry::Withheld,
                    shown => Entry::Shown(shown.str()?.into()),
                }
            });
        }
        let rows = counts.iter().map(|&count| u128::from(count)).sum();
        Ok(Reference { counts, rows, entries })
    }

    /// The position of each code of a column.
    pub(in crate::criteria) fn locate(&self, column: &Column, kind: Type) -> Vec<Option<usize>> {
        let values = self.named(kind);
        let positions: Vec<usize> =
            (0..self.entries.len()).filter(|&at| self.entries[at].named().is_some()).collect();
        // Codes that no row shows (the missing value, often) need no place.
        let mut used = vec![false; column.codes_in_use()];
        column.codes.each(|_, code| used[code as usize] = true);
        let place = |code: usize| {
            if !used[code] {
                return Some(0);
            }
            values.find(column.text(code as u32)).map(|at| positions[at as usize])
        };
        (0..column.codes_in_use()).map(place).collect()
    }

    /// The entries that a released row can show.
    fn named(&self, kind: Type) -> Values {
        Values::new(kind, self.entries.iter().filter_map(Entry::named))
    }

    /// What is wrong with the evidence: it must cover the released rows and sum up to the rows of the input.
    pub(in crate::criteria) fn problems(
        &self,
        column: &Column,
        located: &[Option<usize>],
        input_rows: u64,
    ) -> Vec<String> {
        let mut problems = Vec::new();
        let mut released = vec![0u64; self.counts.len()];
        let mut strangers = (0u64, None);
        let mut row = 0;
        column.codes.each(|stretch, code| {
            let rows = column.repeats[stretch];
            match located[code as usize] {
                Some(at) => released[at] += u64::from(rows),
                None => strangers = (strangers.0 + u64::from(rows), strangers.1.or(Some(row + 1))),
            }
            row += rows as usize;
        });
        if let (cells, Some(row)) = strangers {
            problems
                .push(format!("{cells} cells show a value that is not in the reference, first in row {row}"));
        }
        for (at, (&reference, &released)) in self.counts.iter().zip(&released).enumerate() {
            if released > reference {
                problems.push(format!("reference[{at}]: {reference} rows, but {released} are released"));
            }
            if reference == 0 {
                problems.push(format!("reference[{at}]: a value that does not occur"));
            }
            if released == 0 && matches!(self.entries[at], Entry::Shown(_)) {
                problems.push(format!("reference[{at}]: a value is published that no released row shows"));
            }
        }
        if self.named(Type::String).repeated {
            problems.push("the reference lists a value twice".to_owned());
        }
        if self.rows != u128::from(input_rows) {
            problems.push(format!("the reference has {} rows, the input {input_rows}", self.rows));
        }
        problems
    }

    /// The same where the evidence counts people: it must have a place for every released value.
    pub(in crate::criteria) fn problems_of_people(&self, located: &[Option<usize>]) -> Vec<String> {
        let mut problems = Vec::new();
        let strangers = located.iter().filter(|place| place.is_none()).count();
        if strangers > 0 {
            problems.push(format!("{strangers} released values are not in the reference"));
        }
        if self.counts.contains(&0) {
            problems.push("the reference has a value that does not occur".to_owned());
        }
        if self.named(Type::String).repeated {
            problems.push("the reference lists a value twice".to_owned());
        }
        problems
    }

    /// Whether distances to it can be computed at all.
    pub(in crate::criteria) fn is_usable(&self) -> bool {
        (1..=u128::from(MAX_ROWS)).contains(&self.rows)
    }

    #[cfg(test)]
    pub(in crate::criteria) fn of_counts(counts: &[u64]) -> Reference {
        let entries = counts.iter().map(|_| Entry::Withheld).collect();
        Reference {
            counts: counts.to_vec(),
            rows: counts.iter().map(|&count| u128::from(count)).sum(),
            entries,
        }
    }
}

impl Entry {
    /// `Some(None)` is the missing value, `None` an entry without a name.
    fn named(&self) -> Option<Option<&str>> {
        match self {
            Entry::Shown(text) => Some(Some(text)),
            Entry::Withheld => None,
            Entry::Missing => Some(None),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::{Value, json};

    fn problems(reference: Value, cells: &[Option<&str>], input_rows: u64) -> Vec<String> {
        let reference = Reference::parse(&Node::root("manifest.json", &reference)).unwrap();
        let column = Column::of("diagnosis", cells);
        reference.problems(&column, &reference.locate(&column, Type::String), input_rows)
    }

    #[test]
    fn a_reference_that_covers_the_rows_is_sound() {
        let reference = json!([
            { "value": "low", "count": 2 }, { "value": null, "count": 3 }, { "missing": true, "count": 1 }
        ]);
        assert_eq!(problems(reference.clone(), &[Some("low"), Some("low"), None], 6), [""; 0]);
        assert_eq!(problems(reference, &[Some("low")], 6), [""; 0]);
    }

    #[test]
    fn a_wrong_reference_is_found() {
        let low = json!([{ "value": "low", "count": 2 }]);
        assert_eq!(problems(low.clone(), &[Some("low"), Some("high")], 2).len(), 1, "a value of its own");
        assert_eq!(problems(low.clone(), &[Some("low"), None], 2).len(), 1, "a missing value of its own");
        assert_eq!(problems(low.clone(), &[Some("low"); 3], 2).len(), 1, "fewer than released");
        assert_eq!(problems(low, &[Some("low")], 3).len(), 1, "another number of rows");
        let padded = json!([{ "value": "low", "count": 2 }, { "value": null, "count": 0 }]);
        assert_eq!(
            problems(padded, &[Some("low")], 2).len(),
            1,
            "empty values would stretch the ordered distance"
        );
        let doubled = json!([{ "value": "low", "count": 1 }, { "value": "low", "count": 1 }]);
        assert!(!problems(doubled, &[Some("low")], 2).is_empty());
        let telling = json!([{ "value": "low", "count": 1 }, { "value": "rare", "count": 1 }]);
        assert_eq!(problems(telling, &[Some("low")], 2).len(), 1, "a suppressed value is published");
    }
}
