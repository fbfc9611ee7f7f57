//! A party's column as tokens.

use crate::crypto::{DeterministicCipher, GroupHash, NotAToken, Token};
use crate::data::PartyColumn;
use crate::label;
use crate::wire::EncryptedColumn;
use std::collections::BTreeMap;

/// Labels of a level → tokens. No level's tokens are those of another, whatever the labels are.
pub(crate) trait Sealer {
    fn seal(&self, level: u8, labels: &[Vec<u8>]) -> Result<Vec<Token>, NotAToken>;
}

/// Hashes of a party of a ring, by level.
impl Sealer for Vec<GroupHash> {
    fn seal(&self, level: u8, labels: &[Vec<u8>]) -> Result<Vec<Token>, NotAToken> {
        Ok(self.get(usize::from(level)).ok_or(NotAToken)?.hash(labels))
    }
}

/// Ciphers of a primary party of B or C, by level.
impl Sealer for Vec<Box<dyn DeterministicCipher>> {
    fn seal(&self, level: u8, labels: &[Vec<u8>]) -> Result<Vec<Token>, NotAToken> {
        self.get(usize::from(level)).ok_or(NotAToken)?.seal(labels)
    }
}

/// The distinct labels of a column by level from `lowest` up, sorted, as they are encrypted.
pub(crate) fn distinct_labels(column: &PartyColumn, lowest: u8) -> Vec<(u8, Vec<Vec<u8>>)> {
    let height = column.ladder.as_ref().map_or(lowest, |ladder| ladder.max_level());
    (lowest..=height.max(lowest))
        .map(|level| {
            let above = column.ladder.as_ref().filter(|_| level > lowest);
            let labels = above.map_or(&column.cells, |ladder| &ladder.rung(level).labels);
            let mut labels: Vec<Vec<u8>> = labels.iter().map(|text| label::encode(text.as_deref())).collect();
            labels.sort_unstable();
            labels.dedup();
            (level, labels)
        })
        .collect()
}

/// Encrypts a column whose cells are labels of the level `lowest`. Its dictionary is sorted by token, so positions say nothing of the texts.
pub(crate) fn seal_column(
    position: u16,
    column: &PartyColumn,
    lowest: u8,
    with_shares: bool,
    sealer: &impl Sealer,
) -> Result<EncryptedColumn, NotAToken> {
    let mut tokens = Vec::new();
    let mut position_of: BTreeMap<(u8, Vec<u8>), u32> = BTreeMap::new();
    for (level, labels) in distinct_labels(column, lowest) {
        let sealed = sealer.seal(level, &labels)?;
        let first = tokens.len() as u32;
        position_of.extend(labels.into_iter().map(|label| (level, label)).zip(first..));
        tokens.extend(sealed);
    }
    let at = |level: u8, text: &Option<String>| position_of[&(level, label::encode(text.as_deref()))];
    let values: Vec<u32> = column.cells.iter().map(|cell| at(lowest, cell)).collect();
    let rungs = column.ladder.as_ref().map_or(&[][..], |ladder| &ladder.rungs()[1..]);
    let levels = (1u8..).zip(rungs).map(|(level, rung)| match level <= lowest {
        true => values.clone(),
        false => rung.group_of.iter().map(|&group| at(level, &rung.labels[group as usize])).collect(),
    });
    let share = |loss: f64| match column.leaves {
        0 => loss,
        leaves => leaves_under(loss, leaves),
    };
    let shares = rungs
        .iter()
        .map(|rung| rung.group_of.iter().map(|&group| share(rung.loss[group as usize])).collect());
    let sealed = EncryptedColumn {
        column: position,
        levels: levels.collect(),
        shares: if with_shares { shares.collect() } else { Vec::new() },
        leaves: if with_shares { column.leaves } else { 0 },
        placeholder: column.placeholder,
        cells: column.rows.clone(),
        values,
        tokens,
    };
    sealed.in_token_order()
}

/// The number of leaves behind a share `(L − 1) / (all − 1)`. Exact: there are fewer leaves than a double tells apart.
fn leaves_under(share: f64, all: u32) -> f64 {
    1.0 + (share * f64::from(all.saturating_sub(1))).round()
}
