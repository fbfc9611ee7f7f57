//! Names of tables that live elsewhere.

use std::fmt;

/// Formats of tables that are named by the path of their files, as in `parquet:/lake/patients`.
const FORMATS: [&str; 3] = ["parquet", "delta", "orc"];

/// A table, perhaps with the schema (or the catalogue and schema) it is in. Names are taken letter by letter.
///
/// A table of files is called by its format and path; an engine that knows such tables takes the format for their schema.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct TableName {
    /// From the outermost to the table itself; never empty.
    parts: Vec<String>,
}

impl TableName {
    /// Reads `patients`, `study.patients`, or with quotes `study."odd.name"`. A quote inside is doubled.
    /// `parquet:/lake/patients` is taken as it is.
    pub fn parse(text: &str) -> Option<TableName> {
        if let Some((format, path)) = text.split_once(':').filter(|named| is_path(*named)) {
            let parts = vec![format.to_owned(), path.to_owned()];
            return (!text.contains('\0')).then_some(TableName { parts });
        }
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

    /// A table that only a session sees, in the schema that has these where there is one.
    pub fn of_session(schema: Option<&str>, name: &str) -> TableName {
        TableName { parts: schema.into_iter().chain([name]).map(str::to_owned).collect() }
    }

    /// From the outermost to the table itself.
    pub fn parts(&self) -> &[String] {
        &self.parts
    }

    /// Format and path of a table of files.
    pub fn files(&self) -> Option<(&str, &str)> {
        match self.parts.as_slice() {
            [format, path] if is_path((format, path)) => Some((format, path)),
            _ => None,
        }
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

fn is_path((format, path): (&str, &str)) -> bool {
    FORMATS.contains(&format) && path.contains('/')
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
        if let Some((format, path)) = self.files() {
            return write!(f, "{format}:{path}");
        }
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
        let files = TableName::parse("parquet:s3a://lake/people.v2").unwrap();
        assert_eq!(files.parts(), ["parquet", "s3a://lake/people.v2"]);
        assert_eq!(
            (files.files().is_some(), files.to_string().as_str()),
            (true, "parquet:s3a://lake/people.v2")
        );
        assert!(TableName::parse("study.patients").unwrap().files().is_none());
        for wrong in ["", ".", "a.", ".a", "\"a", "\"a\"b", "a.b.c.d", "\"\""] {
            assert_eq!(TableName::parse(wrong), None, "{wrong}");
        }
    }
}
