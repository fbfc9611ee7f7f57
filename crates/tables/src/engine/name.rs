//! Names of tables that live elsewhere.

use std::fmt;

/// A table, perhaps with the schema (or the catalogue and schema) it is in. Names are taken letter by letter.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct TableName {
    /// From the outermost to the table itself; never empty.
    parts: Vec<String>,
}

impl TableName {
    /// Reads `patients`, `study.patients`, or with quotes `study."odd.name"`. A quote inside is doubled.
    pub fn parse(text: &str) -> Option<TableName> {
        let mut parts = Vec::new();
        let mut rest = text;
        loop {
            let (part, after) = match rest.strip_prefix('"') {
                Some(quoted) => unquote(quoted)?,
                None => {
                    let end = rest.find('.').unwrap_or(rest.len());
                    (rest[..end].to_owned(), &rest[end..])
                }
            };
            if part.is_empty() || part.contains('\0') || parts.len() == 3 {
                return None;
            }
            parts.push(part);
            match after.strip_prefix('.') {
                Some(more) => rest = more,
                None if after.is_empty() => return Some(TableName { parts }),
                None => return None,
            }
        }
    }

    /// From the outermost to the table itself.
    pub fn parts(&self) -> &[String] {
        &self.parts
    }

    /// A table beside this one.
    pub fn beside(&self, name: &str) -> TableName {
        let mut parts = self.parts.clone();
        parts.pop();
        parts.push(name.to_owned());
        TableName { parts }
    }

    /// The table's own name.
    pub fn table(&self) -> &str {
        self.parts.last().map_or("", String::as_str)
    }
}

/// The text up to the closing quote, and what follows it.
fn unquote(text: &str) -> Option<(String, &str)> {
    let mut part = String::new();
    let mut rest = text;
    loop {
        let end = rest.find('"')?;
        part.push_str(&rest[..end]);
        rest = &rest[end + 1..];
        match rest.strip_prefix('"') {
            Some(more) => {
                part.push('"');
                rest = more;
            }
            None => return Some((part, rest)),
        }
    }
}

/// As it is written in a job.
impl fmt::Display for TableName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (at, part) in self.parts.iter().enumerate() {
            let dot = if at > 0 { "." } else { "" };
            match part.contains(['.', '"']) {
                true => write!(f, "{dot}\"{}\"", part.replace('"', "\"\""))?,
                false => write!(f, "{dot}{part}")?,
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_read_as_they_are_written() {
        for text in
            ["patients", "study.patients", "a.b.c", "study.\"odd.name\"", "\"with \"\"quotes\"\".\"", "Ä b"]
        {
            assert_eq!(TableName::parse(text).unwrap().to_string(), text);
        }
        assert_eq!(TableName::parse("study.\"odd.name\"").unwrap().parts(), ["study", "odd.name"]);
        for wrong in ["", ".", "a.", ".a", "\"a", "\"a\"b", "a.b.c.d", "\"\""] {
            assert_eq!(TableName::parse(wrong), None, "{wrong}");
        }
    }
}
