//! A description that fits exactly one person.
//!
//! The attacker reads descriptions off the release: the cells of a random row in a random choice of columns. A description that
//! fits exactly one row of the original table singles somebody out. Figure: share of (different) descriptions that do. With
//! descriptions of quasi-identifiers only, k-anonymity promises none at all; with secrets among the cells nothing is promised, and
//! the same descriptions are tried on the control group, or made-up ones (each cell drawn by itself) on the original.

use super::catalogue::{Card, Tried};
use super::confidence::{Excess, Rate};
use super::games::{Players, control_name, excess_text};
use super::means::Means;
use super::outcome::percent;
use super::planted::{self, Plant};
use super::projection::Projection;
use super::{Attack, Bound, Figure, Outcome, Promises, Released, Severity, Unit};
use rand::rngs::ChaCha20Rng;
use rand::{Rng, RngExt};
use std::collections::BTreeSet;

pub(super) static CARD: Card = Card {
    name: "singling-out",
    question: "Can a description be found that fits exactly one person?",
    assumption: "The attacker reads descriptions off the release; each is tried on the original table, and on people outside it (or against a blind guess).",
    source: "Giomi et al., Anonymeter, PoPETs 2023",
    needs: "the original (--against TABLE)",
    tried: Tried::OnRequest,
};

/// Which columns a description may use.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Descriptions {
    /// Quasi-identifiers only.
    QuasiIdentifiers,
    /// All released columns.
    AllColumns,
}

/// The result of a game.
#[derive(Clone, Debug, PartialEq)]
pub struct SinglingOutGame {
    /// Descriptions tried on the original, and those that fit one row.
    pub attack: Rate,
    /// The same on the control group, or made-up ones on the original.
    pub control: Rate,
}

/// Records by code, for each column of a projection.
struct Postings<'a> {
    people: &'a Projection,
    by_code: Vec<Vec<Vec<u32>>>,
}

impl<'a> Postings<'a> {
    fn of(people: &'a Projection) -> Self {
        // Where labels of several levels are shown, a description fits everybody whom its labels cover, however they are shown themselves.
        let by_code = (0..people.columns.len()).map(|position| {
            let mut lists: Vec<Vec<u32>> = Vec::new();
            for record in 0..people.records {
                for code in people.lies_in(position, record) {
                    lists.resize_with(lists.len().max(code as usize + 1), Vec::new);
                    lists[code as usize].push(record as u32);
                }
            }
            lists
        });
        Postings { people, by_code: by_code.collect() }
    }

    /// Whether all records with these codes (position of the column, code) are one person's; a record is a person where nobody says whose it is.
    /// Starts at the rarest and stops at two.
    fn isolates(&self, description: &[(usize, u32)]) -> bool {
        let list = |&(position, code): &(usize, u32)| {
            self.by_code[position].get(code as usize).map_or(&[][..], Vec::as_slice)
        };
        let whose =
            |record: usize| self.people.people.as_ref().map_or(record as u32, |people| people[record]);
        let Some(rarest) = description.iter().map(list).min_by_key(|list| list.len()) else {
            return (0..self.people.records).map(whose).collect::<BTreeSet<u32>>().len() == 1;
        };
        let fits = |record: &&u32| {
            description
                .iter()
                .all(|&(position, code)| self.people.lies_in(position, **record as usize).any(|known| known == code))
        };
        let mut found = rarest.iter().filter(fits).map(|&record| whose(record as usize));
        found.next().is_some_and(|first| found.all(|other| other == first))
    }
}

/// Plays with up to `attempts` different descriptions.
#[must_use]
pub fn play(
    released: &Released,
    players: Players<'_>,
    columns: &[usize],
    attempts: usize,
    random: &mut impl Rng,
) -> SinglingOutGame {
    let rows = released.table.rows();
    let position = |place: usize| players.inside.columns.iter().position(|&known| known == place);
    let usable: Vec<(usize, usize)> =
        columns.iter().filter_map(|&place| Some((place, position(place)?))).collect();
    let inside = Postings::of(players.inside);
    let outside =
        players.outside.filter(|outside| outside.columns == players.inside.columns).map(Postings::of);
    let (mut seen, mut hits, mut control_hits) = (BTreeSet::new(), 0u64, 0u64);
    if usable.is_empty() || rows == 0 {
        return SinglingOutGame { attack: Rate::of(0, 0), control: Rate::of(0, 0) };
    }
    for _ in 0..attempts {
        let row = random.random_range(0..rows);
        let mut chosen: Vec<(usize, usize)> =
            usable.iter().copied().filter(|_| random.random_bool(0.5)).collect();
        if chosen.is_empty() {
            chosen.push(usable[random.random_range(0..usable.len())]);
        }
        let cell = |place: usize, row: usize| released.column(place).codes()[row];
        let description: Vec<(usize, u32)> =
            chosen.iter().map(|&(place, position)| (position, cell(place, row))).collect();
        // Drawn for every attempt, so that what is drawn next does not depend on what was seen.
        let made_up: Vec<(usize, u32)> = chosen
            .iter()
            .map(|&(place, position)| (position, cell(place, random.random_range(0..rows))))
            .collect();
        if !seen.insert(description.clone()) {
            continue;
        }
        hits += u64::from(inside.isolates(&description));
        control_hits += u64::from(match &outside {
            Some(outside) => outside.isolates(&description),
            None => inside.isolates(&made_up),
        });
    }
    SinglingOutGame {
        attack: Rate::of(hits, seen.len() as u64),
        control: Rate::of(control_hits, seen.len() as u64),
    }
}

/// Runs the attack.
#[must_use]
pub fn singling_out(
    released: &Released,
    players: Players<'_>,
    kind: Descriptions,
    promises: &Promises,
    attempts: usize,
    random: &mut impl Rng,
) -> Outcome {
    let all: Vec<usize> = (0..released.table.columns().len()).collect();
    let columns = match kind {
        Descriptions::QuasiIdentifiers => &released.quasi_identifiers,
        Descriptions::AllColumns => &all,
    };
    let game = play(released, players, columns, attempts, random);
    let excess = Excess::of(game.attack, game.control);
    let promised =
        (kind == Descriptions::QuasiIdentifiers && promises.k.is_some_and(|k| k > 1)).then(|| Bound {
            value: 0.0,
            from: format!(
                "every released combination of quasi-identifiers fits at least {} rows",
                promises.k.unwrap_or(1)
            ),
        });
    let severity = match (&promised, game.attack.successes) {
        (Some(_), hits) => Severity::of_finding(hits > 0, true),
        (None, hits) => Severity::of_finding(hits > 0 && excess.low > 0.0, false),
    };
    let subject = match kind {
        Descriptions::QuasiIdentifiers => "quasi-identifiers",
        Descriptions::AllColumns => "all columns",
    };
    let result = match game.attack.successes {
        0 => format!("None of {} descriptions fits exactly one person.", game.attack.tries),
        hits => format!(
            "{hits} of {} descriptions ({}) fit exactly one person; compared with {}: {}.",
            game.attack.tries,
            percent(game.attack.rate),
            control_name(players.outside),
            percent(game.control.rate)
        ),
    };
    let figure =
        Figure { what: "descriptions that fit one person", value: game.attack.rate, unit: Unit::Share };
    Outcome::new(Attack::SinglingOut, severity, figure, result)
        .about(subject)
        .against(promised)
        .with("attack", game.attack.text())
        .with(&format!("control: {}", control_name(players.outside)), game.control.text())
        .with("excess over the control", excess_text(&excess))
}

pub(super) fn run(means: &Means<'_>) -> Vec<Outcome> {
    let Some((target, players)) = means.players() else { return Vec::new() };
    let mut random = means.random(Attack::SinglingOut);
    let mut play =
        |kind| singling_out(target.released, players, kind, target.promises, means.attempts, &mut random);
    vec![play(Descriptions::QuasiIdentifiers), play(Descriptions::AllColumns)]
}

pub(super) fn plant(plant: Plant, random: &mut ChaCha20Rng) -> Outcome {
    let released = planted::people(plant);
    let inside = planted::list(&released, 1);
    let players = Players { inside: &inside, outside: None };
    let kind = Descriptions::QuasiIdentifiers;
    singling_out(&released, players, kind, &planted::promises(), 500, random)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::attack::projection::Lies;
    use crate::attack::testing::table;
    use proptest::prelude::*;
    use rand::SeedableRng;
    use rand::rngs::ChaCha20Rng;

    fn random() -> ChaCha20Rng {
        ChaCha20Rng::seed_from_u64(3)
    }

    /// The release itself as the original.
    fn itself(released: &Released) -> Projection {
        let columns: Vec<usize> = (0..released.table.columns().len()).collect();
        let codes = columns
            .iter()
            .map(|&place| released.column(place).codes().iter().map(|&code| Some(code)).collect());
        Projection::new(columns.clone(), codes.collect())
    }

    #[test]
    fn two_rows_of_one_person_are_one_person() {
        let codes = vec![vec![Some(0), Some(0), Some(1)]];
        let people = Projection::new(vec![0], codes).with_people(Some(vec![5, 5, 6]));
        assert!(Postings::of(&people).isolates(&[(0, 0)]) && Postings::of(&people).isolates(&[(0, 1)]));
        assert!(!Postings::of(&people).isolates(&[]));
    }

    #[test]
    fn unique_rows_are_singled_out_and_pairs_are_not() {
        let unique = Released::new(table("a b\n1 1\n2 2\n3 3\n4 4"), vec![0, 1], vec![]);
        let promises = Promises { k: Some(2), ..Promises::default() };
        let inside = itself(&unique);
        let players = Players { inside: &inside, outside: None };
        let outcome =
            singling_out(&unique, players, Descriptions::QuasiIdentifiers, &promises, 50, &mut random());
        assert_eq!((outcome.severity, outcome.figure.value), (Severity::Broken, 1.0));
        let pairs = Released::new(table("a b\n1 1\n1 1\n2 2\n2 2"), vec![0, 1], vec![]);
        let inside = itself(&pairs);
        let players = Players { inside: &inside, outside: None };
        let outcome =
            singling_out(&pairs, players, Descriptions::QuasiIdentifiers, &promises, 50, &mut random());
        assert_eq!((outcome.severity, outcome.figure.value), (Severity::Covered, 0.0));
    }

    #[test]
    fn a_label_fits_everybody_whom_it_covers() {
        // Two people are shown as "20-29" and two in it as "2x": the wide label covers all four.
        let lies = Lies { values: vec![0, 0, 1, 1], codes: vec![vec![0, 1], vec![1]] };
        let own = vec![vec![Some(0), Some(0), Some(1), None]];
        let people = Projection::new(vec![0], own.clone()).lying_in(Some(vec![Some(lies)]));
        assert!(!Postings::of(&people).isolates(&[(0, 1)]));
        assert!(Postings::of(&Projection::new(vec![0], own)).isolates(&[(0, 1)]), "by the finest label alone");
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(48))]
        #[test]
        fn isolation_is_what_counting_all_records_says(
            rows in prop::collection::vec((0u32..4, 0u32..4), 1..15), a in prop::option::of(0u32..5), b in prop::option::of(0u32..5)
        ) {
            let codes = vec![rows.iter().map(|row| Some(row.0)).collect(), rows.iter().map(|row| Some(row.1)).collect()];
            let people = Projection::new(vec![0, 1], codes);
            let mut description: Vec<(usize, u32)> = a.map(|code| (0, code)).into_iter().collect();
            description.extend(b.map(|code| (1, code)));
            let fits = rows.iter().filter(|row| a.is_none_or(|a| a == row.0) && b.is_none_or(|b| b == row.1)).count();
            prop_assert_eq!(Postings::of(&people).isolates(&description), fits == 1);
        }
    }
}
