//! Commands that messages advise to run.

use std::path::Path;

/// The column whose values a hierarchy has to cover, as far as it is known.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Covered<'a> {
    /// The table.
    pub data: Option<&'a Path>,
    /// The column in it.
    pub column: Option<&'a str>,
}

impl Covered<'_> {
    /// `paravent hierarchy repair age.csv --data patients.csv --column age`
    pub(super) fn repair(&self, file: &Path) -> String {
        let path = |path: &Path| quoted(&path.display().to_string());
        let mut command = format!("paravent hierarchy repair {}", path(file));
        if self.data.is_some() || self.column.is_some() {
            let data = self.data.map_or_else(|| "DATA".to_owned(), path);
            let column = self.column.map_or_else(|| "NAME".to_owned(), quoted);
            command.push_str(&format!(" --data {data} --column {column}"));
        }
        command
    }
}

/// As a shell wants it.
fn quoted(word: &str) -> String {
    let plain = |c: char| c.is_alphanumeric() || "_-./,:=@%+".contains(c);
    if !word.is_empty() && word.chars().all(plain) {
        word.to_owned()
    } else {
        format!("'{}'", word.replace('\'', "'\\''"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn commands_can_be_pasted_into_a_shell() {
        let covered = Covered { data: Some(Path::new("my data/p.csv")), column: Some("patient's age") };
        assert_eq!(
            covered.repair(Path::new("h/age.csv")),
            r"paravent hierarchy repair h/age.csv --data 'my data/p.csv' --column 'patient'\''s age'"
        );
        assert_eq!(Covered::default().repair(Path::new("a.csv")), "paravent hierarchy repair a.csv");
        let unnamed = Covered { data: None, column: Some("age") };
        assert!(unnamed.repair(Path::new("a.csv")).ends_with(" --data DATA --column age"));
    }
}
