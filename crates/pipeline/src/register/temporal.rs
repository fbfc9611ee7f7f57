//! What an attacker learns from this release together with earlier ones.

use super::{Chain, Line, Record, ReleaseRecord};
use paravent_assess::attack::{AttackError, AttackOptions, attack};
use paravent_evidence::attack::several::SUBJECT;
use paravent_evidence::attack::{Attack, Outcome, Tried};
use paravent_report::{EarlierRelease, Relation};
use paravent_tables::digest::file_digest;
use paravent_tables::watch::Watch;
use std::path::{Path, PathBuf};

/// Chance comes from here: the same releases give the same figures.
const SEED: u64 = 1;

/// Tries the attacks on a new release (which `target` names) together with each earlier one that is still where it was.
pub(super) fn attack_earlier(
    folder: &Path,
    target: &AttackOptions,
    chain: &Chain,
    earlier: &mut [EarlierRelease],
    watch: &dyn Watch,
) {
    for release in earlier.iter_mut() {
        if watch.stop() {
            return;
        }
        let line = usize::try_from(release.sequence).ok().and_then(|at| chain.lines.get(at));
        let Some(Line { record: Record::Release(record), .. }) = line else { continue };
        release.not_attacked = None;
        match release.relation {
            Relation::SameRelease => {
                release.not_attacked = Some(
                    "the data files are equal: whoever has one learns nothing from the other".to_owned(),
                );
            }
            Relation::Unknown => {
                release.not_attacked = Some("the tables lack the columns to compare them by".to_owned());
            }
            Relation::SameInput | Relation::Overlap | Relation::SamePeople => {
                run(folder, target, record, release, watch);
            }
        }
    }
    together(folder, target, chain, earlier, watch);
}

/// Releases that are tried together with the new one; older ones are left to pairs.
const MOST_TOGETHER: usize = 6;

/// Tries what all earlier releases tell together: three may tell what no two of them do. What is found is told of each of them.
fn together(
    folder: &Path,
    target: &AttackOptions,
    chain: &Chain,
    earlier: &mut [EarlierRelease],
    watch: &dyn Watch,
) {
    let directory = |release: &EarlierRelease| -> Option<PathBuf> {
        let line = usize::try_from(release.sequence).ok().and_then(|at| chain.lines.get(at))?;
        match &line.record {
            Record::Release(record) if !release.attacks.is_empty() => Some(folder.join(&record.release)),
            _ => None,
        }
    };
    let tried: Vec<usize> =
        (0..earlier.len()).filter(|&at| directory(&earlier[at]).is_some()).take(MOST_TOGETHER).collect();
    if tried.len() < 2 || watch.stop() {
        return;
    }
    let previous = tried.iter().filter_map(|&at| directory(&earlier[at])).collect();
    let options = AttackOptions {
        previous,
        only: vec![Attack::Composition],
        threshold: 0.8,
        attempts: 2000,
        seed: SEED,
        ..target.clone()
    };
    let Ok(attacked) = attack(&options, watch) else { return };
    let of_all =
        |outcome: &Outcome| outcome.subject.as_ref().is_some_and(|subject| subject.starts_with(SUBJECT));
    for outcome in attacked.outcomes.into_iter().filter(of_all) {
        let told = if outcome.severity.is_alarm() { &tried[..] } else { &tried[..1] };
        told.iter().for_each(|&at| earlier[at].attacks.push(outcome.clone()));
    }
}

fn run(
    folder: &Path,
    target: &AttackOptions,
    record: &ReleaseRecord,
    release: &mut EarlierRelease,
    watch: &dyn Watch,
) {
    if record.manifest().is_empty() {
        release.not_attacked = Some("it is a joint release that another party holds".to_owned());
        return;
    }
    let directory = folder.join(&record.release);
    let in_place =
        file_digest(&directory.join("manifest.json")).is_ok_and(|digest| digest == record.manifest());
    if !in_place {
        release.not_attacked = Some("its files are no longer where they were".to_owned());
        return;
    }
    // The attacks that need two releases.
    let temporal = Attack::ALL.into_iter().filter(|attack| attack.card().tried == Tried::WithEarlierReleases);
    let options = AttackOptions {
        previous: vec![directory],
        only: temporal.collect(),
        threshold: 0.8,
        attempts: 2000,
        seed: SEED,
        ..target.clone()
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
