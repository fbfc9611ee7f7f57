//! Two halves of a record are put together.
//!
//! The attacker holds two lists about the same people, one with some of the quasi-identifiers, one with the others, and for every
//! entry of the first picks the entry of the second that most released rows go with. Figure: share of entries put together rightly,
//! against the same with people outside the table (or picking blindly). What exceeds the control is held against 1/k.

use super::catalogue::{Card, Tried};
use super::classes::Classes;
use super::confidence::{Excess, Rate};
use super::games::{Players, control_name, excess_text, sample};
use super::means::Means;
use super::outcome::percent;
use super::planted::{self, Plant};
use super::projection::Projection;
use super::{Attack, Bound, Figure, Outcome, Promises, Released, Severity, Unit};
use rand::rngs::ChaCha20Rng;
use rand::{Rng, RngExt};

pub(super) static CARD: Card = Card {
    name: "linkability",
    question: "Can two halves of a record be put together?",
    assumption: "The attacker holds two lists about the same people with different columns, and uses the release to join them.",
    source: "Giomi et al., Anonymeter, PoPETs 2023",
    needs: "the original (--against TABLE) and two quasi-identifiers",
    tried: Tried::OnRequest,
};

/// The result of a game.
#[derive(Clone, Debug, PartialEq)]
pub struct LinkabilityGame {
    /// Entries of people in the table.
    pub attack: Rate,
    /// Entries of people outside it, or blind picks.
    pub control: Rate,
}

/// Picks for the first half (columns before `split` in the classes) of each record the second half that most rows go with; ties
/// are broken by lot.
fn put_together(
    classes: &Classes,
    people: &Projection,
    chosen: &[usize],
    split: usize,
    random: &mut impl Rng,
) -> u64 {
    let position = |place: &usize| people.columns.iter().position(|known| known == place);
    let positions: Vec<usize> = classes.columns().iter().filter_map(position).collect();
    let code = |position: usize, record: usize| people.codes[positions[position]][record];
    let mut right = 0;
    for &record in chosen {
        let (mut best, mut ties, mut hit) = (0u64, 0u32, false);
        for &other in chosen {
            let codes =
                (0..positions.len()).map(|at| if at < split { code(at, record) } else { code(at, other) });
            let rows = classes.find(codes).map_or(0, |class| classes.sizes()[class as usize]);
            if rows > best {
                (best, ties, hit) = (rows, 0, false);
            }
            if rows == best {
                ties += 1;
                // The n-th of equals replaces the pick with probability 1/n.
                if random.random_range(0..ties) == 0 {
                    hit = other == record;
                }
            }
        }
        right += u64::from(hit);
    }
    right
}

/// Plays with `targets` people.
#[must_use]
pub fn play(
    released: &Released,
    players: Players<'_>,
    targets: usize,
    random: &mut impl Rng,
) -> Option<LinkabilityGame> {
    let columns = players.inside.shared(&released.quasi_identifiers);
    if columns.len() < 2 {
        return None;
    }
    let (classes, split) = (Classes::by(&released.table, &columns), columns.len().div_ceil(2));
    let chosen = sample(players.inside.records, targets, random);
    let hits = put_together(&classes, players.inside, &chosen, split, random);
    let attack = Rate::of(hits, chosen.len() as u64);
    let outside = players.outside.filter(|outside| outside.shared(&columns) == columns);
    let control = match outside {
        Some(outside) => {
            let chosen = sample(outside.records, targets, random);
            Rate::of(put_together(&classes, outside, &chosen, split, random), chosen.len() as u64)
        }
        None => {
            let blind =
                (0..chosen.len()).filter(|_| random.random_range(0..chosen.len()) == 0).count() as u64;
            Rate::of(blind, chosen.len() as u64)
        }
    };
    Some(LinkabilityGame { attack, control })
}

/// Runs the attack; `None` with fewer than two quasi-identifiers.
#[must_use]
pub fn linkability(
    released: &Released,
    players: Players<'_>,
    promises: &Promises,
    targets: usize,
    random: &mut impl Rng,
) -> Option<Outcome> {
    let game = play(released, players, targets, random)?;
    let excess = Excess::of(game.attack, game.control);
    // Without a control group a pattern of the world looks like a leak: nothing to hold against a promise.
    let bound = players.outside.and(promises.size()).map(|k| Bound {
        value: 1.0 / k as f64,
        from: format!("beyond what works on people outside the table, at most 1 in {k}"),
    });
    let severity = match &bound {
        Some(bound) => Severity::of_finding(excess.low > bound.value, true),
        None => Severity::of_finding(excess.low > 0.0, false),
    };
    let result = format!(
        "{} of {} records are put together rightly; {}: {}.",
        percent(game.attack.rate),
        game.attack.tries,
        control_name(players.outside),
        percent(game.control.rate)
    );
    let figure = Figure { what: "excess over the control", value: excess.value.max(0.0), unit: Unit::Share };
    let outcome = Outcome::new(Attack::Linkability, severity, figure, result).against(bound);
    let outcome = outcome.with("attack", game.attack.text());
    let outcome = outcome.with(&format!("control: {}", control_name(players.outside)), game.control.text());
    Some(outcome.with("excess over the control", excess_text(&excess)))
}

pub(super) fn run(means: &Means<'_>) -> Vec<Outcome> {
    let Some((target, players)) = means.players() else { return Vec::new() };
    // Every target is compared with every other.
    let targets = means.attempts.min(400);
    let mut random = means.random(Attack::Linkability);
    linkability(target.released, players, target.promises, targets, &mut random).into_iter().collect()
}

pub(super) fn plant(plant: Plant, random: &mut ChaCha20Rng) -> Outcome {
    let released = planted::people(plant);
    let inside = planted::list(&released, 1);
    let outside = match plant {
        Plant::Weak => planted::strangers(&released, 200, random),
        // Whoever shares a class with others has doubles outside the table too.
        Plant::Strong => planted::list(&released, 1),
    };
    let players = Players { inside: &inside, outside: Some(&outside) };
    linkability(&released, players, &planted::promises(), 150, random)
        .expect("there are two quasi-identifiers")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::attack::testing::table;
    use proptest::prelude::*;
    use rand::SeedableRng;
    use rand::rngs::ChaCha20Rng;

    fn random() -> ChaCha20Rng {
        ChaCha20Rng::seed_from_u64(9)
    }

    /// People 0..n with both halves determined by a number; the pairing is a secret that only the release tells.
    fn people(range: std::ops::Range<u32>, pairing: u32) -> Projection {
        let (a, b) = range.map(|n| (Some(n), Some((n * pairing) % 101))).unzip();
        Projection::new(vec![0, 1], vec![a, b])
    }

    fn released() -> Released {
        let rows: String = (0..101u32).map(|n| format!("\n{:03} {:03}", n, (n * 7) % 101)).collect();
        Released::new(table(&format!("a b{rows}")), vec![0, 1], vec![])
    }

    #[test]
    fn raw_pairs_are_put_together_and_others_are_not() {
        let released = released();
        let (inside, outside) = (people(0..101, 7), people(0..101, 5));
        let players = Players { inside: &inside, outside: Some(&outside) };
        let promises = Promises { k: Some(5), ..Promises::default() };
        let outcome = linkability(&released, players, &promises, 60, &mut random()).unwrap();
        assert_eq!(outcome.severity, Severity::Broken, "{}", outcome.result);
        let outcome = linkability(
            &released,
            Players { inside: &outside, outside: Some(&outside) },
            &promises,
            60,
            &mut random(),
        )
        .unwrap();
        assert_eq!(outcome.severity, Severity::Covered, "{}", outcome.result);
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(24))]
        /// Without ties, the pick is the record whose joined half has most rows: counted row by row.
        #[test]
        fn picks_are_what_counting_rows_says(pairs in prop::collection::vec((0u32..3, 0u32..3), 1..25), seed: u64) {
            let text: String = pairs.iter().map(|(a, b)| format!("\n{a} {b}")).collect();
            let released = Released::new(table(&format!("a b{text}")), vec![0, 1], vec![]);
            let code = |place: usize, value: u32| {
                released.column(place).labels().iter().position(|label| *label == value.to_string()).map(|code| code as u32)
            };
            let people: Vec<(u32, u32)> = vec![(0, 0), (1, 1), (2, 2)];
            let codes = vec![people.iter().map(|p| code(0, p.0)).collect(), people.iter().map(|p| code(1, p.1)).collect()];
            let projection = Projection::new(vec![0, 1], codes);
            let classes = Classes::by(&released.table, &[0, 1]);
            let rows = |a: u32, b: u32| pairs.iter().filter(|pair| **pair == (a, b)).count();
            let (mut sure, mut possible) = (0, 0);
            for person in &people {
                let own = rows(person.0, person.1);
                let best = people.iter().map(|other| rows(person.0, other.1)).max().unwrap_or(0);
                let ties = people.iter().filter(|other| rows(person.0, other.1) == best).count();
                sure += u64::from(own == best && ties == 1);
                possible += u64::from(own == best);
            }
            let found = put_together(&classes, &projection, &[0, 1, 2], 1, &mut ChaCha20Rng::seed_from_u64(seed));
            prop_assert!((sure..=possible).contains(&found), "{} {} {}", sure, found, possible);
        }
    }
}
