//! Attack queries against a policy.

use super::question::failure;
use crate::answer::Answer;
use crate::failure::Failure;
use crate::layout::Columns;
use paravent_policy::Policy;
use paravent_processor::Verdict;
use serde_json::{Value, json};
use std::collections::BTreeMap;

/// Tries every family and says what a recipient would get.
pub fn attack(policy: &Policy, role: &str, purpose: &str) -> Result<Answer, Failure> {
    let attempts = paravent_processor::attack(policy, role, purpose).map_err(failure)?;
    // By family: refused, harmless, exposed.
    let mut families: BTreeMap<&str, [usize; 3]> = BTreeMap::new();
    let mut exposed = String::new();
    let mut told: Vec<Value> = Vec::new();
    for attempt in &attempts {
        let (place, word, why) = match &attempt.verdict {
            Verdict::Refused(why) => (0, "refused", why),
            Verdict::Harmless(why) => (1, "harmless", why),
            Verdict::Exposed(why) => (2, "exposed", why),
        };
        families.entry(attempt.family).or_default()[place] += 1;
        if place == 2 {
            exposed.push_str(&format!("exposed: {}\n  {}\n  {why}\n", attempt.family, attempt.statement));
        }
        told.push(json!({
            "family": attempt.family,
            "statement": attempt.statement,
            "verdict": word,
            "why": why,
        }));
    }
    let mut rows = Columns::default();
    rows.row(["attack", "refused", "harmless", "exposed"].map(str::to_owned));
    for (family, counts) in &families {
        let count = |place: usize| counts[place].to_string();
        rows.row([(*family).to_owned(), count(0), count(1), count(2)]);
    }
    let text = format!("{}\n{exposed}", rows.render());
    Ok(Answer::judged(exposed.is_empty(), text, json!({ "attempts": told, "exposed": !exposed.is_empty() })))
}
