//! What needs the original beside the release, found before it appears: singling out, linkability, inference, and what it is good for.

use paravent_assess::attack::{AttackOptions, attack};
use paravent_assess::utility::{UtilityFacts, utility};
use paravent_assess::{TableSource, load_held_release, load_release};
use paravent_evidence::attack::{Attack, Outcome};
use paravent_job::{InputSource, Role};
use paravent_prepare::study::Study;
use paravent_report::OpinionFacts;
use paravent_tables::watch::{Unwatched, Watch};

/// Chance comes from here: the same release gives the same figures.
const SEED: u64 = 1;
/// Larger tables are left to `paravent attack`: both tables are held in memory for it.
const MOST_ROWS: u64 = 2_000_000;

/// Tries the three, and what sensitive columns with a hierarchy or numbers ask for, on the release that `target` names, against the table of the study.
pub fn opinion(study: &Study, mut target: AttackOptions, watch: &dyn Watch) -> OpinionFacts {
    let untested = |why: &str| OpinionFacts { attacks: Vec::new(), not_tested: Some(why.to_owned()) };
    if study.table.row_count() > MOST_ROWS {
        return untested(
            "the table has more rows than are tried in a report; paravent attack --against tries them",
        );
    }
    target.original = match (study.input.table(), &study.job.input.source) {
        (Some(table), _) => Some(target.in_memory.table("original", table.clone())),
        (None, InputSource::File(_)) => Some(study.input_path.clone()),
        (None, _) => return untested("the table cannot be read a second time"),
    };
    target.in_memory.job = Some(study.job.clone());
    target.is_the_original = true;
    target.threshold = 0.8;
    target.attempts = 1000;
    target.seed = SEED;
    let columns = |role| study.job.with_role(role).count();
    let mut wanted = vec![Attack::SinglingOut];
    if columns(Role::QuasiIdentifier) > 1 {
        wanted.push(Attack::Linkability);
    }
    if columns(Role::Sensitive) > 0 {
        wanted.push(Attack::Inference);
        // These need a hierarchy or numbers of the column, which it has or has not.
        target.also = vec![Attack::Similarity, Attack::Proximity];
    }
    let mut attacks: Vec<Outcome> = Vec::new();
    let mut not_tested = None;
    let run = |only: Vec<Attack>| attack(&AttackOptions { only, ..target.clone() }, &Unwatched);
    match run(wanted.clone()) {
        Ok(attacked) => attacks = attacked.outcomes,
        // One of them may need what is not there; the others are tried all the same.
        Err(_) => {
            for attack in wanted {
                if watch.stop() {
                    break;
                }
                match run(vec![attack]) {
                    // What goes with all of them is told once.
                    Ok(mut attacked) if !attacks.is_empty() => {
                        attacked.outcomes.retain(|outcome| outcome.attack == attack);
                        attacks.extend(attacked.outcomes);
                    }
                    Ok(attacked) => attacks.extend(attacked.outcomes),
                    Err(error) => not_tested = Some(error.to_string()),
                }
            }
        }
    }
    OpinionFacts { attacks, not_tested }
}

/// Rows of both tables that are compared; `paravent utility` compares all.
const MOST_COMPARED: usize = 60_000;

/// What the release is still good for; nothing where the table is large or cannot be read again.
pub fn useful(study: &Study, target: AttackOptions, watch: &dyn Watch) -> Option<UtilityFacts> {
    let can_be_read = study.input.table().is_some() || matches!(study.job.input.source, InputSource::File(_));
    if study.table.row_count() > MOST_ROWS || !can_be_read || watch.stop() {
        return None;
    }
    let name = target.release?;
    let release = match target.in_memory.releases.get(&name) {
        Some(held) => load_held_release(&name, held, &Unwatched).ok()?,
        None => load_release(&name, &Unwatched).ok()?,
    };
    let original = TableSource::Held(Box::new(study.input.clone()));
    utility(&release, &original, None, MOST_COMPARED, &Unwatched).ok()
}
