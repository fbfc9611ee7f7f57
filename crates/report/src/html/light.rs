//! The colour of a verdict on the pages of sliced and noisy tables, answers and joint releases.

use super::escape::note;
use crate::{Light, VerdictFacts, tells_of_singled_out};

/// Why a release must not be handed out, where that is the verdict.
pub fn red_of(verdict: &VerdictFacts) -> Option<String> {
    (verdict.light == Light::Red).then(|| format!(" <strong>{}.</strong>", reasons(verdict)))
}

/// What a page adds where a release keeps its promises and is not green.
pub struct Yellow {
    /// The end of the headline.
    pub but: &'static str,
    /// The reasons, as sentences.
    pub words: String,
}

/// The reasons of a yellow verdict.
pub fn yellow_of(verdict: &VerdictFacts) -> Option<Yellow> {
    let told = || {
        let (but, advice) = match verdict.reasons.iter().any(|reason| tells_of_singled_out(reason)) {
            true => (
                "and yet singles people out",
                " Whoever knows these values of a person finds them. Leave the columns out, or make them coarser.",
            ),
            false => ("with reservations", ""),
        };
        Yellow { but, words: format!(" <strong>{}.</strong>{advice}", reasons(verdict)) }
    };
    (verdict.light == Light::Yellow).then(told)
}

fn reasons(verdict: &VerdictFacts) -> String {
    verdict.reasons.iter().map(|reason| note(reason)).collect::<Vec<_>>().join("; ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_colour_is_told_by_itself_and_names_are_escaped() {
        let verdict = |light, reason: &str| VerdictFacts { light, reasons: vec![reason.to_owned()] };
        let (reason, told) = ("9 of 9 people: <i>lab", "9 of 9 people: &lt;i&gt;lab</bdi>.");
        let few = yellow_of(&verdict(Light::Yellow, reason)).unwrap();
        assert!(few.words.contains(told) && !few.words.contains("Leave the columns out"));
        let alone = "9 of 9 people are singled out by what is released as it is: lab";
        let alone = yellow_of(&verdict(Light::Yellow, alone)).unwrap();
        assert!(alone.but.contains("singles people out") && alone.words.contains("Leave the columns out"));
        assert!(red_of(&verdict(Light::Red, reason)).unwrap().contains(told));
        for light in [Light::Green, Light::Red] {
            assert!(yellow_of(&verdict(light, reason)).is_none());
        }
        for light in [Light::Green, Light::Yellow] {
            assert!(red_of(&verdict(light, reason)).is_none());
        }
    }
}
