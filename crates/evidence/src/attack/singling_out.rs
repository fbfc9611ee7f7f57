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

/// Records by what they show, column by column.
struct Postings<'a> {
    people: &'a Projection,
    columns: Vec<Lists>,
}

/// The records of a column in flat memory, by entry: by code, or by value where values lie in several codes.
struct Lists {
    /// Entry `e` has `records[starts[e]..starts[e + 1]]`.
    starts: Vec<u32>,
    records: Vec<u32>,
    /// By code: the values that lie in it.
    values: Option<Vec<Vec<u32>>>,
}

impl Lists {
    fn of(people: &Projection, position: usize) -> Lists {
        let lies = people.lies.as_ref().and_then(|lies| lies[position].as_ref());
        let entry = |record: usize| match lies {
            Some(lies) => Some(lies.values[record]),
            None => people.codes[position][record],
        };
        let entries = || (0..people.records).filter_map(entry);
        let mut starts = vec![0u32; entries().max().map_or(0, |last| last as usize + 1) + 1];
        entries().for_each(|entry| starts[entry as usize + 1] += 1);
        for entry in 1..starts.len() {
            starts[entry] += starts[entry - 1];
        }
        let mut next = starts.clone();
        let mut records = vec![0; starts.last().map_or(0, |&all| all as usize)];
        for record in 0..people.records {
            if let Some(entry) = entry(record) {
                let place = &mut next[entry as usize];
                records[*place as usize] = record as u32;
                *place += 1;
            }
        }
        Lists { starts, records, values: lies.map(|lies| values_by_code(&lies.codes)) }
    }

    fn entries<'b>(&'b self, code: &'b u32) -> &'b [u32] {
        match &self.values {
            Some(values) => values.get(*code as usize).map_or(&[], Vec::as_slice),
            None => std::slice::from_ref(code),
        }
    }

    /// The records that lie in a code, entry by entry.
    fn parts<'b>(&'b self, code: &'b u32) -> impl Iterator<Item = &'b [u32]> {
        self.entries(code).iter().filter_map(move |&entry| {
            let (from, to) = (self.starts.get(entry as usize)?, self.starts.get(entry as usize + 1)?);
            Some(&self.records[*from as usize..*to as usize])
        })
    }
}

fn values_by_code(codes: &[Vec<u32>]) -> Vec<Vec<u32>> {
    let mut values: Vec<Vec<u32>> = Vec::new();
    for (value, codes) in (0u32..).zip(codes) {
        for &code in codes {
            values.resize_with(values.len().max(code as usize + 1), Vec::new);
            values[code as usize].push(value);
        }
    }
    values
}

impl<'a> Postings<'a> {
    fn of(people: &'a Projection) -> Self {
        // Where labels of several levels are shown, a description fits everybody whom its labels cover, however they are shown themselves.
        let columns = (0..people.columns.len()).map(|position| Lists::of(people, position)).collect();
        Postings { people, columns }
    }

    /// Whether all records with these codes (position of the column, code) are one person's; a record is a person where nobody says whose it is.
    /// Looks at the rarest first, and stops at two.
    fn isolates(&self, description: &[(usize, u32)]) -> bool {
        let whose =
            |record: usize| self.people.people.as_ref().map_or(record as u32, |people| people[record]);
        let mut description = description.to_vec();
        description.sort_by_cached_key(|(position, code)| {
            self.columns[*position].parts(code).map(<[u32]>::len).sum::<usize>()
        });
        let Some(((position, rarest), others)) = description.split_first() else {
            return (0..self.people.records).map(whose).collect::<BTreeSet<u32>>().len() == 1;
        };
        let fits = |record: &&u32| {
            others.iter().all(|&(position, code)| {
                self.people.lies_in(position, **record as usize).any(|known| known == code)
            })
        };
        let records = self.columns[*position].parts(rarest).flatten();
        let mut found = records.filter(fits).map(|&record| whose(record as usize));
        found.next().is_some_and(|first| found.all(|other| other == first))
    }
}

/// The players' records, to be tried in several games.
struct Board<'a> {
    inside: Postings<'a>,
    outside: Option<Postings<'a>>,
}

impl<'a> Board<'a> {
    fn of(players: Players<'a>) -> Board<'a> {
        let comparable = |outside: &&Projection| outside.columns == players.inside.columns;
        Board {
            inside: Postings::of(players.inside),
            outside: players.outside.filter(comparable).map(Postings::of),
        }
    }
}

/// Plays with up to `attempts` different descriptions.
#[must_use]
fn play(
    released: &Released,
    board: &Board<'_>,
    columns: &[usize],
    attempts: usize,
    random: &mut impl Rng,
) -> SinglingOutGame {
    let rows = released.table.rows();
    let Board { inside, outside } = board;
    let position = |place: usize| inside.people.columns.iter().position(|&known| known == place);
    let usable: Vec<(usize, usize)> =
        columns.iter().filter_map(|&place| Some((place, position(place)?))).collect();
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
        control_hits += u64::from(match outside {
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
    on_board(released, (players, &Board::of(players)), kind, promises, attempts, random)
}

fn on_board(
    released: &Released,
    (players, board): (Players<'_>, &Board<'_>),
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
    let game = play(released, board, columns, attempts, random);
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
    let board = Board::of(players);
    let mut play = |kind| {
        on_board(target.released, (players, &board), kind, target.promises, means.attempts, &mut random)
    };
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
            rows in prop::collection::vec((0u32..4, 0u32..4), 1..15), a in prop::option::of(0u32..5), b in prop::option::of(0u32..5),
            lies in prop::option::of(prop::collection::vec(prop::collection::btree_set(0u32..5, 0..4), 4)),
        ) {
            let codes = vec![rows.iter().map(|row| Some(row.0)).collect(), rows.iter().map(|row| Some(row.1)).collect()];
            let several = lies.as_ref().map(|lies| {
                let codes = lies.iter().map(|codes| codes.iter().copied().collect()).collect();
                vec![Some(Lies { values: rows.iter().map(|row| row.0).collect(), codes }), None]
            });
            let people = Projection::new(vec![0, 1], codes).lying_in(several);
            let lies_in = |value: u32, code: u32| match &lies {
                Some(lies) => lies[value as usize].contains(&code),
                None => value == code,
            };
            let mut description: Vec<(usize, u32)> = a.map(|code| (0, code)).into_iter().collect();
            description.extend(b.map(|code| (1, code)));
            let fits = rows.iter().filter(|row| a.is_none_or(|a| lies_in(row.0, a)) && b.is_none_or(|b| b == row.1)).count();
            prop_assert_eq!(Postings::of(&people).isolates(&description), fits == 1);
        }
    }
}
