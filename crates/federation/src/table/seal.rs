//! A party's column as tokens.

use crate::crypto::{DeterministicCipher, GroupHash, NotAToken, Token};
use crate::data::PartyColumn;
use crate::label;
use crate::wire::EncryptedColumn;
use paravent_core::hierarchy::Ladder;
use std::collections::BTreeMap;

/// Labels → tokens.
pub(crate) trait Sealer {
    fn seal(&self, labels: &[Vec<u8>]) -> Result<Vec<Token>, NotAToken>;
}

impl Sealer for GroupHash {
    fn seal(&self, labels: &[Vec<u8>]) -> Result<Vec<Token>, NotAToken> {
        Ok(self.hash(labels))
    }
}

impl<C: DeterministicCipher + ?Sized> Sealer for C {
    fn seal(&self, labels: &[Vec<u8>]) -> Result<Vec<Token>, NotAToken> {
        DeterministicCipher::seal(self, labels)
    }
}

/// The distinct labels of a column on all levels, sorted, as they are encrypted.
pub(crate) fn distinct_labels(column: &PartyColumn) -> Vec<Vec<u8>> {
    let on_levels = column.ladder.iter().flat_map(Ladder::rungs).flat_map(|rung| &rung.labels);
    let mut labels: Vec<Vec<u8>> =
        column.cells.iter().chain(on_levels).map(|text| label::encode(text.as_deref())).collect();
    labels.sort_unstable();
    labels.dedup();
    labels
}

/// Encrypts a column: its dictionary is sorted by token, so positions say nothing of the texts.
pub(crate) fn seal_column(
    position: u16,
    column: &PartyColumn,
    with_shares: bool,
    sealer: &(impl Sealer + ?Sized),
) -> Result<EncryptedColumn, NotAToken> {
    let labels = distinct_labels(column);
    let tokens = sealer.seal(&labels)?;
    let position_of: BTreeMap<&[u8], u32> = labels.iter().map(Vec::as_slice).zip(0..).collect();
    let at = |text: &Option<String>| position_of[label::encode(text.as_deref()).as_slice()];
    let rungs = column.ladder.as_ref().map_or(&[][..], |ladder| &ladder.rungs()[1..]);
    let levels = rungs
        .iter()
        .map(|rung| rung.group_of.iter().map(|&group| at(&rung.labels[group as usize])).collect());
    let share = |loss: f64| match column.leaves {
        0 => loss,
        leaves => leaves_under(loss, leaves),
    };
    let shares = rungs
        .iter()
        .map(|rung| rung.group_of.iter().map(|&group| share(rung.loss[group as usize])).collect());
    let sealed = EncryptedColumn {
        column: position,
        values: column.cells.iter().map(at).collect(),
        levels: levels.collect(),
        shares: if with_shares { shares.collect() } else { Vec::new() },
        leaves: if with_shares { column.leaves } else { 0 },
        placeholder: column.placeholder,
        cells: column.rows.clone(),
        tokens,
    };
    sealed.in_token_order()
}

/// The number of leaves behind a share `(L − 1) / (all − 1)`. Exact: there are fewer leaves than a double tells apart.
fn leaves_under(share: f64, all: u32) -> f64 {
    1.0 + (share * f64::from(all.saturating_sub(1))).round()
}
