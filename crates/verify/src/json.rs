//! A JSON value that knows its place, so that every complaint can name the key.

use std::path::Path;

use serde_json::Value;

use crate::VerifyError;
use crate::decimal::Decimal;

/// More rows than any release has; counts beyond it are refused, and every product of two counts fits in 128 bits.
pub(crate) const MAX_ROWS: u64 = 1 << 40;

/// More columns than any release has.
pub(crate) const MAX_COLUMNS: usize = 1 << 14;

/// A value inside a JSON document together with its path.
#[derive(Clone)]
pub(crate) struct Node<'a> {
    file: &'a str,
    path: String,
    pub(crate) value: &'a Value,
}

/// Parses a document; the error names line and column only, never the text there.
pub(crate) fn parse(file: &str, bytes: &[u8]) -> Result<Value, VerifyError> {
    serde_json::from_slice(bytes).map_err(|error| VerifyError::NotJson {
        file: file.to_owned(),
        line: error.line(),
        column: error.column(),
    })
}

impl<'a> Node<'a> {
    pub(crate) fn root(file: &'a str, value: &'a Value) -> Node<'a> {
        Node { file, path: String::new(), value }
    }

    fn child(&self, key: &str, value: &'a Value) -> Node<'a> {
        let path = if self.path.is_empty() { key.to_owned() } else { format!("{}.{key}", self.path) };
        Node { file: self.file, path, value }
    }

    /// The complaint that this value is not what it should be.
    pub(crate) fn bad(&self, problem: &'static str) -> VerifyError {
        let key = if self.path.is_empty() { "(document)".to_owned() } else { self.path.clone() };
        VerifyError::BadKey { file: self.file.to_owned(), key, problem }
    }

    /// The value under `key`, which must be there (`null` counts as there).
    pub(crate) fn get(&self, key: &str) -> Result<Node<'a>, VerifyError> {
        let object = self.value.as_object().ok_or_else(|| self.bad("must be an object"))?;
        match object.get(key) {
            Some(value) => Ok(self.child(key, value)),
            None => Err(VerifyError::MissingKey {
                file: self.file.to_owned(),
                key: self.child(key, &Value::Null).path,
            }),
        }
    }

    /// The value under `key` unless it is absent or `null`.
    pub(crate) fn optional(&self, key: &str) -> Option<Node<'a>> {
        self.value.get(key).filter(|value| !value.is_null()).map(|value| self.child(key, value))
    }

    pub(crate) fn str(&self) -> Result<&'a str, VerifyError> {
        self.value.as_str().ok_or_else(|| self.bad("must be a string"))
    }

    pub(crate) fn bool(&self) -> Result<bool, VerifyError> {
        self.value.as_bool().ok_or_else(|| self.bad("must be true or false"))
    }

    pub(crate) fn u64(&self) -> Result<u64, VerifyError> {
        self.value.as_u64().ok_or_else(|| self.bad("must be a whole number, 0 or more"))
    }

    /// A number of rows, at most [`MAX_ROWS`].
    pub(crate) fn rows(&self) -> Result<u64, VerifyError> {
        match self.u64()? {
            rows if rows <= MAX_ROWS => Ok(rows),
            _ => Err(self.bad("is more rows than any release has")),
        }
    }

    /// A decimal string, or a whole number. Binary floats are refused: their last digit is anybody's guess.
    pub(crate) fn decimal(&self) -> Result<Decimal, VerifyError> {
        let parsed = match self.value {
            Value::String(text) => Decimal::parse(text),
            Value::Number(number) if number.is_u64() || number.is_i64() => {
                Decimal::parse(&number.to_string())
            }
            _ => None,
        };
        parsed.ok_or_else(|| self.bad("must be a decimal number written as a string"))
    }

    /// The items of a list, each with its index in the path.
    pub(crate) fn items(&self) -> Result<impl ExactSizeIterator<Item = Node<'a>> + use<'a>, VerifyError> {
        let list = self.value.as_array().ok_or_else(|| self.bad("must be a list"))?;
        let (file, path) = (self.file, self.path.clone());
        Ok(list.iter().enumerate().map(move |(index, value)| Node {
            file,
            path: format!("{path}[{index}]"),
            value,
        }))
    }

    /// The entries of an object with at most one entry per column, each with its key in the path.
    pub(crate) fn entries(&self) -> Result<impl Iterator<Item = (&'a str, Node<'a>)> + use<'a>, VerifyError> {
        let object = self.value.as_object().ok_or_else(|| self.bad("must be an object"))?;
        if object.len() > MAX_COLUMNS {
            return Err(self.bad("has more columns than any release"));
        }
        let (file, path) = (self.file, self.path.clone());
        Ok(object
            .iter()
            .map(move |(key, value)| (key.as_str(), Node { file, path: format!("{path}.{key}"), value })))
    }

    /// The items of a list with one item per column.
    pub(crate) fn columns(&self) -> Result<impl ExactSizeIterator<Item = Node<'a>> + use<'a>, VerifyError> {
        let items = self.items()?;
        if items.len() > MAX_COLUMNS { Err(self.bad("has more columns than any release")) } else { Ok(items) }
    }

    /// A list of column names.
    pub(crate) fn strings(&self) -> Result<Vec<String>, VerifyError> {
        self.columns()?.map(|item| item.str().map(str::to_owned)).collect()
    }

    /// A list of cell texts; `null` is a missing value.
    pub(crate) fn cells(&self) -> Result<Vec<Option<Box<str>>>, VerifyError> {
        let list = self.value.as_array().ok_or_else(|| self.bad("must be a list"))?;
        let cell = |value: &Value| match value {
            Value::Null => Ok(None),
            Value::String(text) => Ok(Some(text.as_str().into())),
            _ => Err(self.bad("must be a list of strings and nulls")),
        };
        list.iter().map(cell).collect()
    }

    /// A name of a file inside the release directory: no way out of it.
    pub(crate) fn file_name(&self) -> Result<String, VerifyError> {
        let name = self.str()?;
        let plain = Path::new(name).file_name().is_some_and(|last| last == name);
        if plain && !name.contains(['/', '\\', '\0', ':']) {
            Ok(name.to_owned())
        } else {
            Err(self.bad("must be a plain file name"))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn complaints_name_the_whole_path() {
        let value = serde_json::json!({ "privacy": [ { "required": {} } ] });
        let root = Node::root("manifest.json", &value);
        let first = root.get("privacy").unwrap().items().unwrap().next().unwrap();
        let error = first.get("required").unwrap().get("k").err().unwrap();
        assert_eq!(error.to_string(), "manifest.json: `privacy[0].required.k` is missing");
    }

    #[test]
    fn a_file_name_leads_nowhere_else() {
        for (name, plain) in [
            ("data.csv", true),
            ("", false),
            ("..", false),
            (".", false),
            ("../data.csv", false),
            ("/etc/hosts", false),
            ("a/b", false),
            ("a\\b", false),
            ("a\0b", false),
        ] {
            let value = Value::from(name);
            assert_eq!(Node::root("manifest.json", &value).file_name().is_ok(), plain);
        }
    }

    #[test]
    fn thresholds_are_never_binary_floats() {
        for (value, fine) in [
            (serde_json::json!("0.2"), true),
            (serde_json::json!(3), true),
            (serde_json::json!(0.2), false),
            (serde_json::json!("abc"), false),
            (serde_json::json!(null), false),
        ] {
            assert_eq!(Node::root("manifest.json", &value).decimal().is_ok(), fine);
        }
    }
}
