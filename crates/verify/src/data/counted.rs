//! The rows of a release that is a table in a database, counted there by the verifier's own question.

use std::sync::Arc;

use sha2::{Digest, Sha256};

use super::intern::Interner;
use super::{Data, hexadecimal};
use crate::VerifyError;
use crate::manifest::Manifest;

/// Equal rows of a table, counted in the columns that promises are about.
#[derive(Clone, Default)]
pub struct CountedRows {
    /// All columns of the table, in its order.
    pub header: Vec<String>,
    /// The columns that were counted.
    pub columns: Vec<String>,
    /// Their cells, and how many rows show them.
    pub lines: Vec<(Vec<Option<String>>, u64)>,
}

/// Cells stay out of logs.
impl std::fmt::Debug for CountedRows {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "CountedRows({} lines)", self.lines.len())
    }
}

impl CountedRows {
    /// How many rows were counted.
    #[must_use]
    pub fn rows(&self) -> u64 {
        self.lines.iter().map(|line| line.1).sum()
    }

    /// SHA-256 of the counted columns and of the lines in the order of their cells, in hexadecimal.
    #[must_use]
    pub fn digest(&self) -> String {
        let mut hash = Sha256::new();
        let mut put = |cell: Option<&str>| match cell {
            None => hash.update([0]),
            Some(cell) => {
                hash.update([1]);
                hash.update((cell.len() as u64).to_le_bytes());
                hash.update(cell);
            }
        };
        self.columns.iter().for_each(|name| put(Some(name)));
        let mut order: Vec<&(Vec<Option<String>>, u64)> = self.lines.iter().collect();
        order.sort();
        for (cells, count) in order {
            cells.iter().for_each(|cell| put(cell.as_deref()));
            put(Some(&count.to_string()));
        }
        hexadecimal(&hash.finalize())
    }

    /// The rows as the checks want them. Columns that were not counted have no cells.
    pub(crate) fn data(&self) -> Result<Data, VerifyError> {
        let stretches = |count: u64| {
            let whole = usize::try_from(count / u64::from(u32::MAX)).unwrap_or(usize::MAX);
            std::iter::repeat_n(u32::MAX, whole)
                .chain(Some((count % u64::from(u32::MAX)) as u32).filter(|rest| *rest > 0))
        };
        let repeats: Arc<[u32]> = self.lines.iter().flat_map(|line| stretches(line.1)).collect();
        let mut columns = Vec::new();
        for (position, name) in self.header.iter().enumerate() {
            let counted = self.columns.iter().position(|known| known == name);
            let mut interner = Interner::default();
            for (cells, count) in &self.lines {
                let cell = counted.and_then(|at| cells.get(at)?.as_deref());
                for _ in stretches(*count) {
                    match cell {
                        Some(cell) => interner.push(cell.as_bytes()),
                        None => interner.push_missing(),
                    }
                }
            }
            let mut column = interner.finish(name.clone(), "the table", position + 1, &repeats)?;
            column.unseen = counted.is_none();
            columns.push(column);
        }
        let rows = usize::try_from(self.rows()).unwrap_or(usize::MAX);
        Ok(Data { columns, rows, sha256: self.digest(), differs: false, stars: 0 })
    }
}

/// The columns that promises are about: quasi-identifiers, and what models protect.
pub(crate) fn wanted(manifest: &Manifest<'_>) -> Result<Vec<String>, VerifyError> {
    let mut names: Vec<String> =
        manifest.quasi_identifiers().map(|attribute| attribute.name.clone()).collect();
    for promise in &manifest.promises {
        let required = promise.get("required")?;
        let one = required.optional("attribute").map(|name| name.str().map(str::to_owned)).transpose()?;
        let several = required.optional("attributes").map(|names| names.strings()).transpose()?;
        for name in one.into_iter().chain(several.into_iter().flatten()) {
            if !names.contains(&name) {
                names.push(name);
            }
        }
    }
    Ok(names)
}
