//! The colour of a verdict on the pages of sliced and noisy tables, answers and joint releases.

use super::escape::escape;
use crate::{Light, VerdictFacts};

/// Why a release must not be handed out, where that is the verdict.
pub fn red_of(verdict: &VerdictFacts) -> Option<String> {
    (verdict.light == Light::Red).then(|| format!(" <strong>{}.</strong>", reasons(verdict)))
}

/// What a page adds where columns that leave as they are single people out, and nothing else is wrong.
pub fn yellow_of(verdict: &VerdictFacts) -> Option<String> {
    let told = || {
        format!(
            " <strong>{}.</strong> Whoever knows these values of a person finds them. Leave the columns out, or make them coarser.",
            reasons(verdict)
        )
    };
    (verdict.light == Light::Yellow).then(told)
}

fn reasons(verdict: &VerdictFacts) -> String {
    verdict.reasons.iter().map(|reason| escape(reason)).collect::<Vec<_>>().join("; ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_colour_is_told_by_itself_and_names_are_escaped() {
        let verdict = |light| VerdictFacts { light, reasons: vec!["9 of 9 people: <i>lab".to_owned()] };
        let told = "9 of 9 people: &lt;i&gt;lab.";
        assert!(yellow_of(&verdict(Light::Yellow)).unwrap().contains(told));
        assert!(red_of(&verdict(Light::Red)).unwrap().contains(told));
        for light in [Light::Green, Light::Red] {
            assert!(yellow_of(&verdict(light)).is_none());
        }
        for light in [Light::Green, Light::Yellow] {
            assert!(red_of(&verdict(light)).is_none());
        }
    }
}
