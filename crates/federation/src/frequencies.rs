//! The frequency attack: whoever counts tokens puts them in the order of their numbers, puts the values in the order in which they are
//! known to occur, and takes the n-th of the one for the n-th of the other.
//!
//! It reads what really was sent: the parts of a run, made-up rows included. Of a ring the master sees the same numbers as the helper
//! of protocol B would.

use crate::crypto::{DeterministicCipher, GroupKey, NotAToken, Token};
use crate::joint::JointTable;
use crate::label;
use crate::parties::{Holds, PartyId};
use crate::plan::{ColumnKeys, Participants, Plan, Protocol, PseudoRows, Role, Split};
use crate::protocols::{Ciphers, Siv};
use crate::simulation::{Recorded, Simulation, SimulationError};
use crate::table::equal_rows;
use crate::wire::{EncryptedPart, Frame, Message, MessageKind};
use crate::{PartyTable, pseudo};
use rand::SeedableRng;
use rand::rngs::ChaCha20Rng;
use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, PoisonError};

/// What the attack reads of one column, as shares of its real cells. Ties count by chance.
#[derive(Debug, Clone, PartialEq)]
pub struct Reading {
    /// Position in the plan.
    pub column: u16,
    /// Different values.
    pub values: usize,
    /// By who knows how often each value occurs in the whole table.
    pub knowing: f64,
    /// By who knows it of every tenth row only.
    pub estimating: f64,
    /// By who knows it and counts different combinations of quasi-identifiers instead of rows.
    pub different_rows: f64,
    /// By who knows which values there are and no more: a blind guess.
    pub blind: f64,
}

/// Choices of made-up rows to average over: of few values one choice reads all or nothing, so small tables are tried often.
const FEWEST_CHOICES: usize = 20;
const MOST_CHOICES: usize = 200;
/// Cells of all choices together.
const CHOSEN_CELLS: usize = 4_000_000;
/// Every tenth row is known to who estimates.
const SAMPLE: usize = 10;

/// Made-up rows per hundred that nobody has to ask for: where a column takes more to be flat, somebody must want them.
pub const MOST_FLATTENING_PERCENT: u16 = 1000;

/// Made-up rows per hundred that make every column of a part flat, in steps of 25; at most [`MOST_FLATTENING_PERCENT`].
pub fn flattening_percent(plan: &Plan, party: PartyId, part: &PartyTable) -> u16 {
    let needed = flattening_percents(plan, party, part).into_iter().map(|(_, percent)| percent);
    let most = u64::from(MOST_FLATTENING_PERCENT);
    needed.max().unwrap_or(0).clamp(25, most) as u16
}

/// By column of a part, as positions in the plan: made-up rows per hundred that make it flat, in steps of 25, however many. Cells count as they leave the
/// party: generalized to the lowest levels.
pub fn flattening_percents(plan: &Plan, party: PartyId, part: &PartyTable) -> Vec<(u16, u64)> {
    let lifted = part.lifted(plan, party);
    let needed = lifted.map_or_else(|_| Vec::new(), |part| pseudo::percents_to_flatten(&part, plan, party));
    needed.into_iter().map(|(column, percent)| (column, percent.next_multiple_of(25))).collect()
}

/// Runs the plan until all parts are sent, and attacks what was sent.
pub fn frequency_attack(plan: &Plan, table: &JointTable, seed: u64) -> Result<Vec<Reading>, SimulationError> {
    let truth = Truth::of(plan, table);
    let plan = as_seen_by_a_helper(plan);
    let seen = seen(&plan, table, &truth, seed)?;
    Ok(truth.readings(&plan, &seen))
}

/// The same on average over many choices of made-up rows: of few values, one choice reads all or nothing. The parts of one run are what was
/// sent; of the others only the rows are made, as for a run, without encrypting them.
pub fn frequency_attack_on_average(
    plan: &Plan,
    table: &JointTable,
    seed: u64,
) -> Result<Vec<Reading>, SimulationError> {
    let mut all = vec![frequency_attack(plan, table, seed)?];
    if let Protocol::C(pseudo) = plan.protocol {
        let mut rng = ChaCha20Rng::seed_from_u64(seed);
        let (truth, parts) = (Truth::of(plan, table), table.deal(plan));
        let mut once = || truth.readings(plan, &made(plan, pseudo, &parts, &truth, &mut rng));
        let cells = table.rows * (100 + usize::from(pseudo.percent)) / 100 * table.columns.len();
        let choices = (CHOSEN_CELLS / cells.max(1)).clamp(FEWEST_CHOICES, MOST_CHOICES);
        all.extend((1..choices).map(|_| once()));
    }
    let runs = all.len() as f64;
    let mean = |column: usize, part: fn(&Reading) -> f64| {
        all.iter().filter_map(|run| run.get(column)).map(part).sum::<f64>() / runs
    };
    let averaged = |(column, reading): (usize, &Reading)| Reading {
        knowing: mean(column, |reading| reading.knowing),
        estimating: mean(column, |reading| reading.estimating),
        different_rows: mean(column, |reading| reading.different_rows),
        ..reading.clone()
    };
    Ok(all[0].iter().enumerate().map(averaged).collect())
}

/// What parts would show, without the encryption.
fn made(plan: &Plan, pseudo: PseudoRows, parts: &[PartyTable], truth: &Truth, rng: &mut ChaCha20Rng) -> Seen {
    let key = GroupKey::private(rng);
    let mut seen = Seen { columns: BTreeMap::new(), rows: 0 };
    for (me, part) in (0u16..).map(PartyId).zip(parts) {
        let Ok(part) = part.lifted(plan, me) else { continue };
        let made_up = pseudo::rows(pseudo, &part, &key, (plan, me), rng);
        for (position, column) in plan.columns_of(me).into_iter().zip(&part.columns) {
            let code = |cell: &Option<String>| truth.code(position, &label::encode(cell.as_deref()));
            let code_of: Vec<u32> = column.cells.iter().map(code).collect();
            let copied = made_up.iter().map(|row| column.rows[row.sources[usize::from(position)] as usize]);
            let shown = column.rows.iter().copied().chain(copied);
            seen.columns.entry(position).or_default().extend(shown.map(|own| code_of[own as usize]));
        }
    }
    seen.rows = seen.columns.values().map(Vec::len).max().unwrap_or(0);
    seen
}

/// The same run with a helper instead of a master.
fn as_seen_by_a_helper(plan: &Plan) -> Plan {
    let mut plan = plan.clone();
    if plan.protocol == Protocol::A {
        plan.protocol = Protocol::B;
        plan.members.retain(|member| member.holds == Holds::Data);
        (plan.participants, plan.column_keys) = (Participants::Trusted, ColumnKeys::Common);
    }
    plan
}

/// Token → what it stands for: known to who judges the attack, not to who attacks.
type Notes = Arc<Mutex<BTreeMap<(u16, Token), Vec<u8>>>>;

struct Noting(Notes);

struct NotingCipher {
    cipher: Box<dyn DeterministicCipher>,
    column: u16,
    notes: Notes,
}

impl Ciphers for Noting {
    fn level(&self, key: &GroupKey, column: u16, level: u8) -> Box<dyn DeterministicCipher> {
        Box::new(NotingCipher { cipher: Siv.level(key, column, level), column, notes: self.0.clone() })
    }
}

impl DeterministicCipher for NotingCipher {
    fn seal(&self, labels: &[Vec<u8>]) -> Result<Vec<Token>, NotAToken> {
        let tokens = self.cipher.seal(labels)?;
        let mut notes = self.notes.lock().unwrap_or_else(PoisonError::into_inner);
        notes.extend(
            tokens.iter().zip(labels).map(|(token, label)| ((self.column, token.clone()), label.clone())),
        );
        Ok(tokens)
    }

    fn open(&self, token: &Token) -> Result<Vec<u8>, NotAToken> {
        self.cipher.open(token)
    }
}

/// By column of the plan and visible row: the code of the label behind its token.
struct Seen {
    columns: BTreeMap<u16, Vec<u32>>,
    rows: usize,
}

/// Of a label that the table does not have.
const NO_CODE: u32 = u32::MAX;

/// Nothing reaches the helper, which therefore never answers; all parts are sent all the same.
fn seen(plan: &Plan, table: &JointTable, truth: &Truth, seed: u64) -> Result<Seen, SimulationError> {
    let notes = Notes::default();
    let mut parts: BTreeMap<PartyId, EncryptedPart> = BTreeMap::new();
    let tap = |message: &Recorded| {
        if let Ok(Frame { message: Message::Part(part), .. }) = Frame::decode(&message.bytes, u64::MAX) {
            parts.insert(message.from, part);
        }
    };
    let run = Simulation::seeded(seed)
        .noted(|_| Box::new(Noting(notes.clone())))
        .tapped(tap)
        .over(|message| if message.kind == MessageKind::Part { Vec::new() } else { vec![message.clone()] })
        .run(plan, table.deal(plan));
    match run {
        Ok(_) | Err(SimulationError::Stalled { .. }) => {}
        Err(other) => return Err(other),
    }
    let notes = notes.lock().unwrap_or_else(PoisonError::into_inner);
    let mut seen = Seen { columns: BTreeMap::new(), rows: 0 };
    let mut persons: BTreeMap<u16, Vec<&Token>> = BTreeMap::new();
    for part in parts.values() {
        for column in part.columns.iter().filter(|column| !column.tokens.is_empty()) {
            let code = |&value: &u32| {
                let label = notes.get(&(column.column, column.tokens[value as usize].clone()));
                label.map_or(NO_CODE, |label| truth.code(column.column, label))
            };
            let code_of: Vec<u32> = column.values.iter().map(code).collect();
            let shown = column.cells.iter().map(|&cell| code_of[cell as usize]);
            seen.columns.entry(column.column).or_default().extend(shown);
            persons.entry(column.column).or_default().extend(&part.identifiers);
        }
    }
    // Vertically rows are matched by their encrypted identifiers, whoever holds the column.
    if plan.split == Split::Vertical {
        for (column, codes) in &mut seen.columns {
            let mut rows: Vec<(&Token, u32)> =
                persons[column].iter().copied().zip(std::mem::take(codes)).collect();
            rows.sort_unstable();
            *codes = rows.into_iter().map(|(_, code)| code).collect();
        }
    }
    seen.rows = seen.columns.values().map(Vec::len).max().unwrap_or(0);
    Ok(seen)
}

/// What the table really has: labels as they leave their parties, and how often they occur.
struct Truth {
    columns: BTreeMap<u16, TrueColumn>,
}

struct TrueColumn {
    code_of: BTreeMap<Vec<u8>, u32>,
    /// By row.
    rows: Vec<u32>,
}

impl TrueColumn {
    fn counts<'c>(&self, codes: impl Iterator<Item = &'c u32>) -> Vec<u64> {
        let mut counts = vec![0u64; self.code_of.len()];
        for &code in codes {
            if let Some(count) = counts.get_mut(code as usize) {
                *count += 1;
            }
        }
        counts
    }
}

impl Truth {
    fn of(plan: &Plan, table: &JointTable) -> Truth {
        let mut columns = BTreeMap::new();
        for (position, column) in (0u16..).zip(&table.columns) {
            if column.role == Role::Membership {
                continue;
            }
            let Ok(brought) = column.data.lifted(plan.lowest_level(position)) else { continue };
            let labels = brought.cells.iter().map(|cell| label::encode(cell.as_deref()));
            columns.insert(position, TrueColumn { code_of: labels.zip(0..).collect(), rows: brought.rows });
        }
        Truth { columns }
    }

    fn code(&self, column: u16, label: &[u8]) -> u32 {
        self.columns.get(&column).and_then(|column| column.code_of.get(label)).copied().unwrap_or(NO_CODE)
    }

    fn readings(&self, plan: &Plan, seen: &Seen) -> Vec<Reading> {
        let quasi = plan.quasi_identifiers();
        let complete = |column: &u16| seen.columns.get(column).filter(|codes| codes.len() == seen.rows);
        let quasi: Vec<&[u32]> = quasi.iter().filter_map(complete).map(Vec::as_slice).collect();
        let different = equal_rows(seen.rows, &quasi).representatives;
        let mut readings = Vec::new();
        for (&position, column) in &self.columns {
            let Some(visible) = seen.columns.get(&position) else { continue };
            let visible_rows = column.counts(visible.iter());
            let visible_different =
                column.counts(different.iter().filter_map(|&row| visible.get(row as usize)));
            let truth = column.counts(column.rows.iter());
            let sample = column.counts(column.rows.iter().step_by(SAMPLE));
            readings.push(Reading {
                column: position,
                values: column.code_of.len(),
                knowing: read(&truth, &truth, &visible_rows),
                estimating: read(&truth, &sample, &visible_rows),
                different_rows: read(&truth, &truth, &visible_different),
                blind: 1.0 / column.code_of.len().max(1) as f64,
            });
        }
        readings
    }
}

/// The share of cells whose value is named right by matching ranks: the n-th most frequent value by what is known with the n-th most frequent
/// token by what is seen. Of equal numbers any order is as good: a value that shares `g` ranks, with a token that shares `h`, is hit with
/// probability (ranks in common) / (g · h).
pub(crate) fn read(truth: &[u64], known: &[u64], seen: &[u64]) -> f64 {
    let (by_value, by_token) = (ranks(known), ranks(seen));
    let rows: u64 = truth.iter().sum();
    let hit = |value: usize| {
        let ((a, b), (c, d)) = (by_value[value], by_token[value]);
        let common = b.min(d).saturating_sub(a.max(c)) as f64;
        truth[value] as f64 * common / ((b - a) as f64 * (d - c) as f64)
    };
    (0..truth.len()).map(hit).sum::<f64>() / rows.max(1) as f64
}

/// By value: the ranks it shares with others of the same number, from and up to.
fn ranks(counts: &[u64]) -> Vec<(usize, usize)> {
    let mut order: Vec<usize> = (0..counts.len()).collect();
    order.sort_by_key(|&value| std::cmp::Reverse(counts[value]));
    let mut ranks = vec![(0, 0); counts.len()];
    let mut from = 0;
    for group in order.chunk_by(|&a, &b| counts[a] == counts[b]) {
        group.iter().for_each(|&value| ranks[value] = (from, from + group.len()));
        from += group.len();
    }
    ranks
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn different_numbers_give_everything_away_and_equal_ones_nothing() {
        assert_eq!(read(&[5, 3, 1], &[5, 3, 1], &[50, 30, 10]), 1.0);
        let blind = read(&[5, 3, 1], &[5, 3, 1], &[20, 20, 20]);
        assert!((blind - 1.0 / 3.0).abs() < 1e-12);
        // The two rarest change places.
        assert!((read(&[5, 3, 1], &[5, 3, 1], &[50, 10, 30]) - 5.0 / 9.0).abs() < 1e-12);
        // Who knows nothing of the numbers guesses.
        assert!((read(&[5, 3, 1], &[0, 0, 0], &[50, 30, 10]) - 1.0 / 3.0).abs() < 1e-12);
    }
}
