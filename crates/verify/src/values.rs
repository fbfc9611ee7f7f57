//! Finding a value in a list, whatever way it is spelled.

use foldhash::HashMap;

use crate::data::Column;
use crate::types::Type;

/// A list of values (`None` is the missing one) that can be asked for the position of a text.
///
/// An equal text wins; otherwise spellings that the type makes equal (`34.0` and `34`) meet.
pub(crate) struct Values {
    kind: Type,
    exact: HashMap<Box<str>, u32>,
    spelled: HashMap<String, u32>,
    missing: Option<u32>,
    /// Whether the list has a value twice.
    pub(crate) repeated: bool,
}

impl Values {
    pub(crate) fn new<'v>(kind: Type, values: impl Iterator<Item = Option<&'v str>>) -> Values {
        let mut list = Values {
            kind,
            exact: HashMap::default(),
            spelled: HashMap::default(),
            missing: None,
            repeated: false,
        };
        for (position, value) in (0u32..).zip(values) {
            let earlier = match value {
                None => list.missing.replace(position),
                Some(text) => {
                    if let (true, Some(spelling)) = (kind != Type::String, kind.canonical(text)) {
                        list.spelled.insert(spelling.into_owned(), position);
                    }
                    list.exact.insert(text.into(), position)
                }
            };
            list.repeated |= earlier.is_some();
        }
        list
    }

    /// The dictionary of a column: positions are codes.
    pub(crate) fn of_column(column: &Column, kind: Type) -> Values {
        Values::new(kind, (0..column.codes_in_use()).map(|code| column.text(code as u32)))
    }

    pub(crate) fn find(&self, value: Option<&str>) -> Option<u32> {
        let Some(text) = value else { return self.missing };
        let exact = self.exact.get(text);
        exact
            .or_else(|| {
                if self.spelled.is_empty() { None } else { self.spelled.get(&*self.kind.canonical(text)?) }
            })
            .copied()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_equal_text_wins_over_an_equal_number() {
        let values = Values::new(Type::Decimal, [Some("34"), None, Some("34.0"), Some("7.50")].into_iter());
        assert_eq!(values.find(Some("34")), Some(0));
        assert_eq!(values.find(Some("34.0")), Some(2));
        assert_eq!(values.find(Some("7.5")), Some(3));
        assert_eq!(values.find(None), Some(1));
        assert_eq!(values.find(Some("8")), None);
        assert!(!values.repeated);
        assert!(Values::new(Type::String, [Some("a"), Some("a")].into_iter()).repeated);
    }
}
