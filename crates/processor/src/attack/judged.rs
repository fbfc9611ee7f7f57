//! What an attack gets, from the stages before a row is read.

use super::families::Family;
use super::{Attempt, Columns, Verdict};
use crate::adapt::Way;
use crate::ask::{canonical_form, way};
use crate::refusal::AskError;
use paravent_policy::Policy;

/// Fewest people that hide one another.
const FEW: u32 = 3;

/// Judges a statement.
pub(super) fn of(
    policy: &Policy,
    role: &str,
    purpose: &str,
    statement: &str,
    family: Family,
) -> Result<Verdict, AskError> {
    let (way, sums) = match way(policy, role, purpose, statement) {
        Ok(found) => found,
        Err(AskError::Refused(refusal)) => return Ok(Verdict::Refused(refusal.message)),
        Err(other) => return Err(other),
    };
    if let Family::Forbidden(_) = family {
        return Ok(Verdict::Exposed(
            "it is answered, and no policy should allow it: please report this".to_owned(),
        ));
    }
    Ok(match way {
        Way::Noisy(noise) => Verdict::Harmless(format!("noise, ε = {}", noise.epsilon)),
        Way::Exact(threshold) if threshold.people < FEW => Verdict::Exposed(format!(
            "exact figures about {} people: demand min_people = 10",
            threshold.people
        )),
        Way::Exact(threshold) if sums && threshold.dominance.is_none() => Verdict::Exposed(
            "exact sums, and one person may have nearly all of it: demand dominance = 0.5".to_owned(),
        ),
        Way::Exact(threshold) => Verdict::Harmless(format!(
            "exact, about {} people at least, held against all earlier answers",
            threshold.people
        )),
        Way::Rows(demand) if demand.k < FEW => {
            Verdict::Exposed(format!("rows that only {} people share: demand k = 10", demand.k))
        }
        Way::Rows(demand) => {
            Verdict::Harmless(format!("rows on labels that {} people share at least, once", demand.k))
        }
    })
}

/// The same question in many words: one answer, paid once.
pub(super) fn repeated(
    policy: &Policy,
    role: &str,
    purpose: &str,
    columns: &Columns,
) -> Result<Vec<Attempt>, AskError> {
    let Some((column, _)) = columns.filtered.first() else { return Ok(Vec::new()) };
    let (t, c) = (format!("\"{}\"", columns.table), format!("\"{}\"", column.replace('"', "\"\"")));
    let first = format!("SELECT count(*) FROM {t} WHERE {c} = 'x'");
    let Ok(known) = canonical_form(policy, role, purpose, &first) else { return Ok(Vec::new()) };
    let others = [
        format!("SELECT count(1) AS n FROM {t} p WHERE 'x' = p.{c}"),
        format!("SELECT count(*) FROM {t} WHERE ({c} IN ('x')) -- again"),
        format!("SELECT count(*) FROM {t} WHERE {c} IN ('x', 'y') AND {c} = 'x'"),
        format!("SELECT count(*) FROM {t} WHERE {c} = 'x' AND 1 = 1"),
        format!("SELECT count(*) FROM {t} WHERE {c} || '' = 'x'"),
    ];
    let mut attempts = Vec::new();
    for statement in others {
        let verdict = match canonical_form(policy, role, purpose, &statement) {
            Ok(form) if form == known => {
                Verdict::Harmless("the same question: one answer, paid once".to_owned())
            }
            // Another question is paid for.
            Ok(_) => Verdict::Harmless("another question: paid for".to_owned()),
            Err(AskError::Refused(refusal)) => Verdict::Refused(refusal.message),
            Err(other) => return Err(other),
        };
        attempts.push(Attempt { family: "averaging", statement, verdict });
    }
    Ok(attempts)
}
