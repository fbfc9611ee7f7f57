//! Steps that several roles share: encrypting a party's part, and making a release of tokens.

use super::Context;
use super::recount::Brought;
use crate::crypto::{DeterministicCipher, Domain, GroupKey, NotAToken, Token, permutation, permute};
use crate::data::{PartyColumn, PartyTable};
use crate::error::ProtocolError;
use crate::evidence::Population;
use crate::label;
use crate::outcome::Facts;
use crate::plan::{ColumnKeys, Gaps, Plan, Protocol, Role, Split};
use crate::table::seal_column;
use crate::wire::{CounterList, EncryptedColumn, EncryptedPart, SealedColumn, SealedRelease};

/// How a primary party of B or C encrypts.
pub(crate) trait Ciphers: Send {
    /// The cipher of a column on a level, under the key for columns.
    fn level(&self, key: &GroupKey, column: u16, level: u8) -> Box<dyn DeterministicCipher>;
}

/// AES-SIV with a key per column and level.
pub(crate) struct Siv;

impl Ciphers for Siv {
    fn level(&self, key: &GroupKey, column: u16, level: u8) -> Box<dyn DeterministicCipher> {
        Box::new(key.cipher(Domain::Level(column, level)))
    }
}

/// The keys of a primary party of B or C.
pub(super) struct Keys {
    /// Shared by all primary parties.
    pub(super) group: GroupKey,
    /// For cells: the group's, or the party's own.
    pub(super) columns: GroupKey,
    pub(super) ciphers: Box<dyn Ciphers>,
    /// What this party knows of the number of rows.
    pub(super) brought: Brought,
}

impl Keys {
    pub(super) fn new(
        group: GroupKey,
        ciphers: Box<dyn Ciphers>,
        rows: usize,
        context: &mut Context<'_>,
    ) -> Keys {
        let brought = match (context.plan.split, context.plan.gaps) {
            // Everybody holds a part of every row.
            (Split::Vertical, Gaps::Refused) if !context.plan.is_hybrid() => Brought::Known(rows as u64),
            _ => Brought::AtLeast(rows as u64),
        };
        let columns = match context.plan.column_keys {
            ColumnKeys::Common => group.clone(),
            ColumnKeys::Private => GroupKey::private(context.rng),
        };
        Keys { group, columns, ciphers, brought }
    }

    /// A party's rows with all cells and identifiers encrypted; not yet shuffled.
    pub(super) fn seal(&self, table: &PartyTable, context: &Context<'_>) -> Result<EncryptedPart, NotAToken> {
        let positions = context.plan.columns_of(context.me);
        let columns: Result<Vec<_>, _> = (positions.iter())
            .zip(&table.columns)
            .map(|(&position, column)| self.seal_column(position, column, context.plan))
            .collect();
        let identifiers: Vec<Vec<u8>> =
            table.identifiers.iter().map(|text| label::encode(Some(text))).collect();
        Ok(EncryptedPart {
            rows: table.rows as u32,
            identifiers: self.seal_identifiers(&identifiers)?,
            columns: columns?,
            ..EncryptedPart::default()
        })
    }

    pub(super) fn seal_identifiers(&self, identifiers: &[Vec<u8>]) -> Result<Vec<Token>, NotAToken> {
        self.group.cipher(Domain::Identifiers).seal(identifiers)
    }

    fn seal_column(
        &self,
        position: u16,
        column: &PartyColumn,
        plan: &Plan,
    ) -> Result<EncryptedColumn, NotAToken> {
        if plan.columns[usize::from(position)].role == Role::Membership {
            let marks = membership(position, column);
            return Ok(match plan.protocol {
                // Who is in the table is said by counters, which nobody there can read.
                Protocol::C(_) => EncryptedColumn { cells: vec![0; marks.cells.len()], ..marks },
                Protocol::A | Protocol::B => marks,
            });
        }
        let height = plan.columns[usize::from(position)].height();
        let ciphers: Vec<Box<dyn DeterministicCipher>> =
            (0..=height).map(|level| self.ciphers.level(&self.columns, position, level)).collect();
        seal_column(position, column, plan.lowest_level(position), plan.sends_shares(position), &ciphers)
    }

    /// Opens the columns this party has the keys of. A token of another level than the release says has no key here.
    pub(super) fn open(
        &self,
        release: SealedRelease,
        context: &Context<'_>,
    ) -> Result<SealedRelease, ProtocolError> {
        let mine = match context.plan.column_keys {
            ColumnKeys::Common => (0..context.plan.columns.len() as u16).collect(),
            ColumnKeys::Private => context.plan.columns_of(context.me),
        };
        let mut columns = Vec::new();
        for column in &release.columns {
            columns.push(if mine.contains(&column.column) {
                let level = context.plan.released_level(column.column, &release.facts.node);
                let cipher = self.ciphers.level(&self.columns, column.column, level);
                crate::table::open_with(column, &self.group, |token| cipher.open(token).ok())?
            } else {
                column.clone()
            });
        }
        Ok(SealedRelease { columns, ..release })
    }
}

/// Bits are not encrypted.
pub(super) fn membership(position: u16, column: &PartyColumn) -> EncryptedColumn {
    EncryptedColumn { column: position, cells: column.rows.clone(), ..EncryptedColumn::default() }
}

/// The rows of a release in random order.
pub(super) fn kept_rows(kept: &[bool], rng: &mut dyn rand_core::CryptoRng) -> Vec<u32> {
    let mut rows: Vec<u32> = (0..).zip(kept).filter(|&(_, &kept)| kept).map(|(row, _)| row).collect();
    crate::crypto::shuffle(&mut rows, rng);
    rows
}

/// By column of the release: the labels its values have under a node, as positions of tokens.
pub(super) fn released_labels<'p>(
    plan: &'p Plan,
    part: &'p EncryptedPart,
    node: &'p [u8],
) -> impl Iterator<Item = (&'p EncryptedColumn, &'p [u32])> {
    let mut levels = node.iter();
    part.columns.iter().zip(&plan.columns).filter_map(move |(column, planned)| {
        let level = match planned.role {
            Role::QuasiIdentifier { .. } => levels.next().copied().unwrap_or(0),
            Role::Sensitive { .. } => 0,
            Role::Membership => return None,
        };
        let labels = match usize::from(level).checked_sub(1) {
            None => &column.values,
            Some(above) => &column.levels[above],
        };
        Some((column, labels.as_slice()))
    })
}

/// Some rows under a node, as tokens of labels.
pub(crate) fn seal_release(
    plan: &Plan,
    part: &EncryptedPart,
    facts: Facts,
    rows: &[u32],
    counters: CounterList,
) -> SealedRelease {
    let mut columns = Vec::new();
    for (column, labels) in released_labels(plan, part, &facts.node) {
        let tokens: Vec<u32> = rows.iter().map(|&row| labels[column.cells[row as usize] as usize]).collect();
        let mut used = tokens.clone();
        used.sort_unstable();
        used.dedup();
        let position = |token: &u32| used.partition_point(|known| known < token) as u32;
        columns.push(SealedColumn {
            column: column.column,
            opened: Vec::new(),
            sealed: permute(&column.tokens, &used),
            cells: tokens.iter().map(position).collect(),
            reference: None,
        });
    }
    SealedRelease {
        facts,
        rows: rows.len() as u32,
        columns,
        counters,
        population: None,
        class_sizes: CounterList::default(),
        totals: Vec::new(),
    }
}

/// The release in another order.
pub(super) fn shuffled(release: SealedRelease, rng: &mut dyn rand_core::CryptoRng) -> SealedRelease {
    let order = permutation(release.rows as usize, rng);
    let columns = release
        .columns
        .into_iter()
        .map(|column| SealedColumn { cells: permute(&column.cells, &order), ..column })
        .collect();
    let population = release
        .population
        .map(|population| Population { of_row: permute(&population.of_row, &order), ..population });
    SealedRelease { columns, population, ..release }
}
