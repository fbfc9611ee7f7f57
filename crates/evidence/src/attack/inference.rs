//! A secret is guessed from what is known.
//!
//! The attacker finds the class of a person by the quasi-identifiers and bets on its most frequent secret (on the most frequent of
//! the table, if the person fits no class). Figure: share of right bets on people in the table, against the same bets on people
//! outside it; without a control group, against always betting on the most frequent secret of the table. Total variation at most t
//! promises that no bet is better than that by more than t.

use super::catalogue::{Card, Tried};
use super::classes::{Classes, Tally};
use super::confidence::{Excess, Rate};
use super::games::{Players, control_name, excess_text, sample};
use super::means::{Means, Secret};
use super::outcome::percent;
use super::planted::{self, Plant};
use super::projection::Projection;
use super::{Attack, Bound, Figure, Outcome, Promises, Released, Severity, Unit};
use rand::Rng;
use rand::rngs::ChaCha20Rng;

pub(super) static CARD: Card = Card {
    name: "inference",
    question: "Are secrets of people in the table easier to guess?",
    assumption: "The attacker knows the quasi-identifiers and bets on the most frequent secret of the class; bets on people outside the table (or blind ones) are the control.",
    source: "Giomi et al., Anonymeter, PoPETs 2023",
    needs: "the original (--against TABLE) and a sensitive column",
    tried: Tried::OnRequest,
};

/// The result of a game.
#[derive(Clone, Debug, PartialEq)]
pub struct InferenceGame {
    /// Bets on people in the table.
    pub attack: Rate,
    /// Bets on people outside it, or on the most frequent secret.
    pub control: Rate,
    /// Share of the most frequent secret in the release.
    pub most_frequent: f64,
}

fn bets(
    classes: &Classes,
    tally: &Tally,
    people: &Projection,
    place: usize,
    chosen: &[usize],
    most: u32,
) -> u64 {
    let positions: Vec<Option<usize>> = classes
        .columns()
        .iter()
        .map(|place| people.columns.iter().position(|known| known == place))
        .collect();
    let right = chosen.iter().filter(|&&record| {
        let class = classes.find(positions.iter().map(|position| people.codes[(*position)?][record]));
        let bet = class.and_then(|class| tally.mode(class as usize)).map_or(most, |mode| mode.0);
        people.code(place, record) == Some(bet)
    });
    right.count() as u64
}

/// Plays with `targets` people for the secret at `place`; `None` if the tables of the players lack it.
#[must_use]
pub fn play(
    released: &Released,
    place: usize,
    players: Players<'_>,
    targets: usize,
    random: &mut impl Rng,
) -> Option<InferenceGame> {
    if !players.inside.columns.contains(&place) {
        return None;
    }
    let known = players.inside.shared(&released.quasi_identifiers);
    let classes = Classes::by(&released.table, &known);
    let tally = Tally::of(&classes, released.column(place));
    let most = (0..tally.total().len() as u32)
        .max_by_key(|&code| (tally.total()[code as usize], std::cmp::Reverse(code)))?;
    let chosen = sample(players.inside.records, targets, random);
    let attack = Rate::of(bets(&classes, &tally, players.inside, place, &chosen, most), chosen.len() as u64);
    let outside =
        players.outside.filter(|outside| outside.columns.contains(&place) && outside.shared(&known) == known);
    let control = match outside {
        Some(outside) => {
            let chosen = sample(outside.records, targets, random);
            Rate::of(bets(&classes, &tally, outside, place, &chosen, most), chosen.len() as u64)
        }
        None => {
            let right =
                chosen.iter().filter(|&&record| players.inside.code(place, record) == Some(most)).count();
            Rate::of(right as u64, chosen.len() as u64)
        }
    };
    let rows: u64 = tally.total().iter().sum();
    let most_frequent = tally.total()[most as usize] as f64 / rows.max(1) as f64;
    Some(InferenceGame { attack, control, most_frequent })
}

/// Runs the attack on the secret at `place`; `None` if the tables of the players lack it.
#[must_use]
pub fn inference(
    released: &Released,
    place: usize,
    players: Players<'_>,
    promises: &Promises,
    targets: usize,
    random: &mut impl Rng,
) -> Option<Outcome> {
    let game = play(released, place, players, targets, random)?;
    let column = released.column(place);
    let excess = Excess::of(game.attack, game.control);
    let bound = promises.of_column(column.name()).variation.map(|t| Bound {
        value: (game.most_frequent + t).min(1.0),
        from: format!("no class is farther than {t:.3} from the whole, so no bet wins by more"),
    });
    let severity = match &bound {
        Some(bound) if game.attack.low > bound.value => Severity::Broken,
        // A bet that may always win, or nearly so, was not held back by the promise.
        Some(bound) if !Unit::Share.is_loose(game.attack.rate, bound.value) => Severity::Covered,
        _ => Severity::of_finding(excess.low > 0.0, false),
    };
    let result = format!(
        "Bets on people in the table win {} of the time; {}: {}.",
        percent(game.attack.rate),
        control_name(players.outside),
        percent(game.control.rate)
    );
    let figure = Figure { what: "bets won", value: game.attack.rate, unit: Unit::Share };
    let outcome = Outcome::new(Attack::Inference, severity, figure, result)
        .about(column.name())
        .against(bound)
        .told_if_loose();
    let outcome = outcome.with("attack", game.attack.text());
    let outcome = outcome.with(&format!("control: {}", control_name(players.outside)), game.control.text());
    Some(outcome.with("excess over the control", excess_text(&excess)))
}

pub(super) fn run(means: &Means<'_>) -> Vec<Outcome> {
    let Some((target, players)) = means.players() else { return Vec::new() };
    let mut random = means.random(Attack::Inference);
    let play = |secret: &Secret| {
        inference(target.released, secret.place, players, target.promises, means.attempts, &mut random)
    };
    target.secrets.iter().filter_map(play).collect()
}

pub(super) fn plant(plant: Plant, random: &mut ChaCha20Rng) -> Outcome {
    let released = planted::secrets(plant);
    let (inside, outside) = (planted::list(&released, 1), planted::strangers(&released, 200, random));
    let players = Players { inside: &inside, outside: Some(&outside) };
    inference(&released, 2, players, &planted::promises(), 150, random).expect("the lists have the secret")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::attack::testing::table;
    use proptest::prelude::*;
    use rand::SeedableRng;
    use rand::rngs::ChaCha20Rng;

    fn random() -> ChaCha20Rng {
        ChaCha20Rng::seed_from_u64(4)
    }

    fn people(pairs: impl Iterator<Item = (u32, u32)>) -> Projection {
        let (q, s) = pairs.map(|(q, s)| (Some(q), Some(s))).unzip();
        Projection::new(vec![0, 1], vec![q, s])
    }

    #[test]
    fn secrets_of_homogeneous_classes_are_guessed_and_those_of_outsiders_are_not() {
        let rows: String = (0..120u32).map(|n| format!("\nq{:02} s{}", n / 2, (n / 2) % 3)).collect();
        let released = Released::new(table(&format!("q s{rows}")), vec![0], vec![1]);
        let inside = people((0..120).map(|n| (n / 2, (n / 2) % 3)));
        let outside = people((0..120).map(|n| (n / 2, n % 3)));
        let players = Players { inside: &inside, outside: Some(&outside) };
        let outcome = inference(&released, 1, players, &Promises::default(), 100, &mut random()).unwrap();
        assert_eq!((outcome.severity, outcome.figure.value), (Severity::Residual, 1.0));
        let players = Players { inside: &outside, outside: Some(&outside) };
        let outcome = inference(&released, 1, players, &Promises::default(), 100, &mut random()).unwrap();
        assert_eq!(outcome.severity, Severity::NothingFound, "{}", outcome.result);
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(48))]
        #[test]
        fn the_rate_is_what_betting_row_by_row_says(rows in prop::collection::vec((0u32..3, 0u32..3), 1..25)) {
            let text: String = rows.iter().map(|(q, s)| format!("\nq{q} s{s}")).collect();
            let released = Released::new(table(&format!("q s{text}")), vec![0], vec![1]);
            let code = |place: usize, label: String| {
                released.column(place).labels().iter().position(|known| *known == label).map(|code| code as u32)
            };
            let codes = vec![
                rows.iter().map(|row| code(0, format!("q{}", row.0))).collect(),
                rows.iter().map(|row| code(1, format!("s{}", row.1))).collect(),
            ];
            let inside = Projection::new(vec![0, 1], codes);
            let game = play(&released, 1, Players { inside: &inside, outside: None }, 1_000, &mut random()).unwrap();
            let count = |q: u32, s: u32| rows.iter().filter(|row| **row == (q, s)).count();
            let bet = |q: u32| (0..3).max_by_key(|&s| (count(q, s), std::cmp::Reverse(s))).unwrap_or(0);
            let right = rows.iter().filter(|row| bet(row.0) == row.1).count() as u64;
            prop_assert_eq!((game.attack.successes, game.attack.tries), (right, rows.len() as u64));
        }
    }
}
