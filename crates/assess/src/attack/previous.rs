//! An earlier release beside a new one.

use super::pairs::pair;
use super::run::random;
use super::{AttackError, AttackOptions, named};
use crate::ReleaseTable;
use paravent_evidence::attack::composition::composition;
use paravent_evidence::attack::release_difference::release_difference;
use paravent_evidence::attack::unsorted_matching::unsorted_matching;
use paravent_evidence::attack::{Attack, Outcome, Promises, Released};
use paravent_tables::watch::Watch;
use std::path::Path;

/// What an earlier release adds.
pub(super) struct Together {
    pub(super) given: String,
    pub(super) outcomes: Vec<Outcome>,
}

/// Runs the attacks that need two releases.
pub(super) fn run(
    path: &Path,
    now: (&ReleaseTable, &Released),
    limits: &Promises,
    options: &AttackOptions,
    watch: &dyn Watch,
) -> Result<Together, AttackError> {
    let before = named::load(path, options, watch)?;
    let sensitive = before.table.sensitive.clone();
    let earlier = Released::new(before.table.data.clone(), before.table.quasi_identifiers.clone(), sensitive);
    let both = pair((&before, &earlier), now);
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
        given: format!("an earlier release, {} rows", earlier.table.rows()),
        outcomes: outcomes.into_iter().map(about).collect(),
    })
}
