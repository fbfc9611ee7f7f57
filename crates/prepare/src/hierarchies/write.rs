//! Writing hierarchy files.

use std::fs;
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use paravent_core::hierarchy::TableRow;

use paravent_job::Problem;
use paravent_tables::write::ordinary_permissions;

/// The text of a hierarchy file.
#[derive(Clone, PartialEq, Eq)]
pub struct HierarchyText(pub String);

/// What becomes of a file that is there already.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Existing {
    /// It stays, and writing is an error.
    Keep,
    /// It is replaced, in one step.
    Replace,
}

impl HierarchyText {
    /// A line per row; `null` is what the missing value's line starts with.
    pub fn new(rows: &[TableRow], delimiter: u8, null: &str) -> Self {
        let mut text = String::new();
        for row in rows {
            push_cell(&mut text, row.value.as_deref().unwrap_or(null), delimiter);
            for label in &row.labels {
                text.push(delimiter as char);
                push_cell(&mut text, label, delimiter);
            }
            text.push('\n');
        }
        Self(text)
    }

    /// Writes the file, which is there completely or not at all.
    ///
    /// # Errors
    /// If it cannot be written, or is there and is to be kept.
    pub fn write(&self, path: &Path, existing: Existing) -> Result<(), Problem> {
        let unwritable = |error: io::Error| match error.kind() {
            io::ErrorKind::AlreadyExists => {
                Problem::new(path, "is there already").advise("Name another file")
            }
            _ => Problem::new(path, format!("cannot be written: {error}")),
        };
        // Behind a link stands the file that is meant.
        let target = fs::canonicalize(path).unwrap_or_else(|_| path.to_owned());
        self.replace(&target, existing).map_err(unwritable)
    }

    fn replace(&self, target: &Path, existing: Existing) -> io::Result<()> {
        let folder = match target.parent() {
            Some(folder) if folder != Path::new("") => folder.to_owned(),
            _ => PathBuf::from("."),
        };
        let permissions = match fs::metadata(target) {
            Ok(metadata) if metadata.is_dir() => return Err(io::ErrorKind::IsADirectory.into()),
            Ok(_) if existing == Existing::Keep => return Err(io::ErrorKind::AlreadyExists.into()),
            Ok(metadata) => Some(metadata.permissions()),
            Err(_) => None,
        };
        // Only its owner can read it before it is whole.
        let mut beside = tempfile::Builder::new().prefix(".paravent-").tempfile_in(folder)?;
        beside.write_all(self.0.as_bytes())?;
        beside.as_file().set_permissions(permissions.unwrap_or_else(ordinary_permissions))?;
        beside.as_file().sync_all()?;
        match existing {
            Existing::Keep => beside.persist_noclobber(target).map(drop)?,
            Existing::Replace => beside.persist(target).map(drop)?,
        }
        Ok(())
    }
}

fn push_cell(text: &mut String, cell: &str, delimiter: u8) {
    let special = |c: char| c == delimiter as char || matches!(c, '"' | '\r' | '\n');
    // A mark at the start of a file is not part of its text.
    if cell.contains(special) || cell.starts_with('\u{feff}') {
        text.push('"');
        text.push_str(&cell.replace('"', "\"\""));
        text.push('"');
    } else {
        text.push_str(cell);
    }
}

/// Values never reach a log: only the size is shown.
impl std::fmt::Debug for HierarchyText {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "HierarchyText({} bytes)", self.0.len())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::hierarchies::{FileOptions, HierarchyLines};
    use proptest::prelude::*;
    use std::fs::Permissions;
    use std::os::unix::fs::PermissionsExt;

    #[test]
    fn files_are_replaced_only_when_asked() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("age.csv");
        let text = |text: &str| HierarchyText(text.into());
        text("a;*\n").write(&path, Existing::Keep).unwrap();
        let refused = text("b;*\n").write(&path, Existing::Keep).unwrap_err();
        assert_eq!(refused.to_string(), format!("{}: is there already. Name another file", path.display()));
        assert_eq!(fs::read_to_string(&path).unwrap(), "a;*\n");
        fs::set_permissions(&path, Permissions::from_mode(0o640)).unwrap();
        let link = folder.path().join("link.csv");
        std::os::unix::fs::symlink(&path, &link).unwrap();
        text("c;*\n").write(&link, Existing::Replace).unwrap();
        assert_eq!(fs::read_to_string(&path).unwrap(), "c;*\n");
        assert!(fs::symlink_metadata(&link).unwrap().is_symlink());
        assert_eq!(fs::metadata(&path).unwrap().permissions().mode() & 0o777, 0o640);
        assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 2, "nothing is left behind");
    }

    #[test]
    fn a_folder_that_is_not_there_is_an_error() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("none/age.csv");
        let refused = HierarchyText(String::new()).write(&path, Existing::Replace).unwrap_err();
        assert!(refused.to_string().contains("age.csv: cannot be written: "));
        assert!(HierarchyText(String::new()).write(folder.path(), Existing::Replace).is_err());
    }

    proptest! {
        #[test]
        fn what_is_written_is_read_back(
            cells in prop::collection::vec(("[a-c;,\"\n\r\u{feff} ä|\t]{0,4}", "[a-c;,\"\n\r ä|\t]{1,4}"), 1..6),
        ) {
            let rows: Vec<TableRow> = cells
                .into_iter()
                .map(|(value, label)| TableRow {
                    value: Some(value).filter(|value| !value.is_empty()),
                    labels: vec![label, "*".into()],
                })
                .collect();
            // Guessing works for cells that hold no delimiters and line ends; what is told works for all.
            let plain = |text: &str| !text.contains([';', ',', '|', '\t', '\n', '\r', '"']);
            let guessable = rows.iter().all(|row| plain(&row.labels[0]) && row.value.as_deref().is_none_or(plain));
            for delimiter in [guessable.then_some(None), Some(Some(b';')), Some(Some(b','))].into_iter().flatten() {
                let text = HierarchyText::new(&rows, delimiter.unwrap_or(b';'), "");
                let options = FileOptions { delimiter, ..FileOptions::default() };
                let lines = HierarchyLines::parse(text.0.as_bytes(), Path::new("a.csv"), &options).unwrap();
                prop_assert!(lines.rows.to_rows() == rows, "{:?}", text.0);
            }
        }
    }
}
