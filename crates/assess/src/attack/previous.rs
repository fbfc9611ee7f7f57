//! An earlier release beside a new one.

use super::pairs::pair;
use super::run::random;
use super::{AttackError, AttackOptions, named};
use crate::ReleaseTable;
use paravent_evidence::attack::composition::composition;
use paravent_evidence::attack::release_difference::release_difference;
use paravent_evidence::attack::several::several;
use paravent_evidence::attack::unsorted_matching::unsorted_matching;
use paravent_evidence::attack::{Attack, Outcome, Promises, Released};
use paravent_tables::watch::Watch;
use std::path::{Path, PathBuf};

/// What an earlier release adds.
pub(super) struct Together {
    pub(super) given: String,
    pub(super) outcomes: Vec<Outcome>,
}

/// An earlier release in memory.
pub(super) struct Earlier {
    path: PathBuf,
    table: ReleaseTable,
    released: Released,
}

/// What all earlier releases leave together with the new one; nothing for fewer than two.
pub(super) fn together(
    earlier: &[Earlier],
    now: (&ReleaseTable, &Released),
    limits: &Promises,
) -> Vec<Outcome> {
    let with_now: Vec<_> = earlier.iter().map(|one| pair((&one.table, &one.released), now)).collect();
    let mut among = Vec::new();
    for (place, one) in earlier.iter().enumerate() {
        for (other, two) in earlier.iter().enumerate().skip(place + 1) {
            among.push((place, other, pair((&one.table, &one.released), (&two.table, &two.released))));
        }
    }
    several(&with_now, &among, limits)
}

/// Reads an earlier release.
pub(super) fn load(path: &Path, options: &AttackOptions, watch: &dyn Watch) -> Result<Earlier, AttackError> {
    let table = named::load(path, options, watch)?;
    let (quasi, sensitive) = (table.table.quasi_identifiers.clone(), table.table.sensitive.clone());
    let released = Released::new(table.table.data.clone(), quasi, sensitive);
    Ok(Earlier { path: path.to_owned(), table, released })
}

/// Runs the attacks that need two releases.
pub(super) fn run(
    earlier: &Earlier,
    now: (&ReleaseTable, &Released),
    limits: &Promises,
    options: &AttackOptions,
) -> Result<Together, AttackError> {
    let path = &earlier.path;
    let both = pair((&earlier.table, &earlier.released), now);
    if both.columns.is_empty() && both.crossing.is_empty() && both.incomparable.is_empty() {
        let name = |&place: &usize| now.1.column(place).name().to_owned();
        let wanted = now.1.quasi_identifiers.iter().map(name).collect();
        return Err(AttackError::NoCommonColumn { path: path.to_owned(), wanted });
    }
    let subject = path
        .file_name()
        .map_or_else(|| path.display().to_string(), |name| name.to_string_lossy().into_owned());
    let mut chance = random(options, Attack::UnsortedMatching);
    let mut outcomes = vec![unsorted_matching(&both, limits, &mut chance)];
    outcomes.extend(composition(&both, limits));
    outcomes.push(release_difference(&both, limits));
    let about = |outcome: Outcome| {
        let subject = match &outcome.subject {
            Some(column) => format!("{subject}, {column}"),
            None => subject.clone(),
        };
        outcome.about(&subject)
    };
    Ok(Together {
        given: format!("an earlier release, {} rows", earlier.released.table.rows()),
        outcomes: outcomes.into_iter().map(about).collect(),
    })
}
