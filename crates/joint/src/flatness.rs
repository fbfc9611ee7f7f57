//! Whether the agreed made-up rows make every column flat, and what to do where they do not.

use crate::agreement::{Agreement, Amount};
use paravent_federation::{
    PartyId, PartyTable, Plan, Protocol, PseudoRows, PseudoShape, flattening_percent, flattening_percents,
};
use serde_json::{Value, json};

/// A column whose most frequent values show, because fewer made-up rows were agreed on than it takes to hide them.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NotFlat {
    /// Its name.
    pub column: String,
    /// Made-up rows per hundred rows that would make it flat.
    pub needed: u64,
    /// Made-up rows per hundred rows as agreed.
    pub agreed: u16,
}

impl NotFlat {
    /// In words, with what to do.
    pub fn words(&self) -> String {
        let NotFlat { column, needed, agreed } = self;
        format!(
            "{column} is not flat: {agreed} made-up rows per 100 rows, and it takes {needed}, so who counts tokens reads its most \
             frequent values. Give it a lowest level with fewer labels (min_level), or ask for so many rows"
        )
    }

    /// For programs.
    pub fn to_json(&self) -> Value {
        json!({ "column": self.column, "needed_percent": self.needed, "agreed_percent": self.agreed })
    }
}

/// Flat made-up rows of a plan, per hundred rows.
fn flat_percent(protocol: Protocol) -> Option<u16> {
    match protocol {
        Protocol::C(PseudoRows { percent, shape: PseudoShape::Flat }) => Some(percent),
        _ => None,
    }
}

/// Whether a party has to look at its rows to say how many made-up ones they take.
pub(crate) fn is_wanted(agreement: &Agreement) -> bool {
    flat_percent(agreement.protocol).is_some()
}

/// The columns of a party that the made-up rows of a plan do not make flat.
pub fn not_flat(plan: &Plan, me: PartyId, part: &PartyTable) -> Vec<NotFlat> {
    let Some(agreed) = flat_percent(plan.protocol) else { return Vec::new() };
    let needed = flattening_percents(plan, me, part).into_iter();
    let too_many = needed.filter(|(_, needed)| *needed > u64::from(agreed));
    let named = too_many.map(|(column, needed)| {
        let column = plan.columns[usize::from(column)].name.clone();
        NotFlat { column, needed, agreed }
    });
    named.collect()
}

/// Where nobody said how many made-up rows there are: as many as this party's columns take, if that is more than so far.
pub(crate) fn raise(agreement: &mut Agreement, plan: &Plan, me: PartyId, part: &PartyTable) {
    if agreement.pseudo_amount == Amount::Counted && is_wanted(agreement) {
        at_least(agreement, flattening_percent(plan, me, part));
    }
}

/// No fewer made-up rows than these.
pub(crate) fn at_least(agreement: &mut Agreement, percent: u16) {
    if let Protocol::C(pseudo) = &mut agreement.protocol {
        pseudo.percent = pseudo.percent.max(percent);
    }
}
