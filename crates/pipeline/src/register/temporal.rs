//! What does somebody learn who has an earlier release as well?

use super::compare::{EarlierRelease, Relation};
use super::state::file_digest;
use super::{Chain, ReleaseRecord};
use crate::evidence::attack::{AttackError, AttackOptions, attack};
use crate::watch::Watch;
use paravent_evidence::attack::Attack;
use std::path::Path;

/// The attacks that need two releases.
const TEMPORAL: [Attack; 3] = [Attack::UnsortedMatching, Attack::Composition, Attack::ReleaseDifference];

/// So many earlier releases are tried, the newest first.
const MOST_TRIED: usize = 5;

/// Chance comes from here: the same releases give the same figures.
const SEED: u64 = 1;

/// Tries the attacks on a new release (in `staging`) together with each earlier one that is still where it was.
pub(super) fn attack_earlier(
    folder: &Path,
    staging: &Path,
    chain: &Chain,
    earlier: &mut [EarlierRelease],
    watch: &dyn Watch,
) {
    let mut tried = 0;
    for release in earlier {
        let record = chain.releases().into_iter().find(|(line, _)| line.sequence == release.sequence);
        let Some((_, record)) = record else { continue };
        match release.relation {
            Relation::SameRelease => {
                release.not_attacked = Some(
                    "the data files are equal: whoever has one learns nothing from the other".to_owned(),
                );
            }
            Relation::Unknown => {
                release.not_attacked = Some("the tables lack the columns to compare them by".to_owned());
            }
            _ if tried == MOST_TRIED => {
                release.not_attacked =
                    Some(format!("only the {MOST_TRIED} newest are tried; use paravent attack --previous"));
            }
            _ => {
                tried += 1;
                run(folder, staging, record, release, watch);
            }
        }
    }
}

fn run(
    folder: &Path,
    staging: &Path,
    record: &ReleaseRecord,
    release: &mut EarlierRelease,
    watch: &dyn Watch,
) {
    let directory = folder.join(&record.release);
    let in_place =
        file_digest(&directory.join("manifest.json")).is_ok_and(|digest| digest == record.manifest());
    if !in_place {
        release.not_attacked = Some("its files are no longer where they were".to_owned());
        return;
    }
    let options = AttackOptions {
        release: Some(staging.to_owned()),
        previous: vec![directory],
        only: TEMPORAL.to_vec(),
        threshold: 0.8,
        attempts: 2000,
        seed: SEED,
        ..AttackOptions::default()
    };
    match attack(&options, watch) {
        Ok(attacked) => {
            let subject = format!("release {}", release.sequence);
            release.attacks = attacked.outcomes.into_iter().map(|outcome| outcome.about(&subject)).collect();
        }
        // The page leaves the house: no places.
        Err(AttackError::NoCommonColumn { .. }) => {
            release.not_attacked = Some("the two have no quasi-identifier in common".to_owned());
        }
        Err(_) => release.not_attacked = Some("its files cannot be read as a release".to_owned()),
    }
}
