//! An earlier release beside a new one.

use super::pairs::pair;
use super::{AttackError, AttackOptions, named};
use crate::ReleaseTable;
use paravent_evidence::attack::releases::Pair;
use paravent_evidence::attack::{Released, means};
use paravent_tables::watch::Watch;
use std::path::{Path, PathBuf};

/// An earlier release in memory.
pub(super) struct Earlier {
    path: PathBuf,
    table: ReleaseTable,
    released: Released,
}

/// Reads an earlier release.
pub(super) fn load(path: &Path, options: &AttackOptions, watch: &dyn Watch) -> Result<Earlier, AttackError> {
    let table = named::load(path, options, watch)?;
    let (quasi, sensitive) = (table.table.quasi_identifiers.clone(), table.table.sensitive.clone());
    let released = Released::new(table.table.data.clone(), quasi, sensitive);
    Ok(Earlier { path: path.to_owned(), table, released })
}

/// Each two of the earlier releases; nothing for fewer than two.
pub(super) fn among(earlier: &[Earlier]) -> Vec<(usize, usize, Pair<'_>)> {
    let mut among = Vec::new();
    for (place, one) in earlier.iter().enumerate() {
        for (other, two) in earlier.iter().enumerate().skip(place + 1) {
            among.push((place, other, pair((&one.table, &one.released), (&two.table, &two.released))));
        }
    }
    among
}

impl Earlier {
    /// What the attacker was given, in words.
    pub(super) fn given(&self) -> String {
        format!("an earlier release, {} rows", self.released.table.rows())
    }

    /// Both releases side by side.
    pub(super) fn beside<'a>(
        &'a self,
        now: (&'a ReleaseTable, &'a Released),
    ) -> Result<means::Earlier<'a>, AttackError> {
        let pair = pair((&self.table, &self.released), now);
        if pair.shares_no_quasi_identifier() && pair.others.is_empty() {
            let name = |&place: &usize| now.1.column(place).name().to_owned();
            let wanted = now.1.quasi_identifiers.iter().map(name).collect();
            return Err(AttackError::NoCommonColumn { path: self.path.clone(), wanted });
        }
        let name = self.path.file_name();
        let subject =
            name.map_or_else(|| self.path.display().to_string(), |name| name.to_string_lossy().into_owned());
        Ok(means::Earlier { subject, pair })
    }
}
