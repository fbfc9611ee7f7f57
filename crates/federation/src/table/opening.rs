//! From tokens of the release back to labels.

use crate::crypto::Domain;
use crate::crypto::{DeterministicCipher, GroupKey, NotAToken, Token};
use crate::error::ProtocolError;
use crate::evidence::Reference;
use crate::label;
use crate::outcome::{Release, ReleasedColumn};
use crate::parties::PartyId;
use crate::plan::{Criterion, Plan};
use crate::wire::{SealedColumn, SealedRelease};
use paravent_core::exact::Fraction;

impl SealedColumn {
    /// The column with these lists instead, sorted; labels that turn out equal are one.
    fn replaced(
        &self,
        opened: Vec<Token>,
        sealed: Vec<Token>,
        new_of: impl Fn(u32) -> Place,
    ) -> SealedColumn {
        let sorted = |tokens: &[Token]| {
            let mut sorted = tokens.to_vec();
            sorted.sort_unstable();
            sorted.dedup();
            sorted
        };
        let (sorted_opened, sorted_sealed) = (sorted(&opened), sorted(&sealed));
        let find = |tokens: &[Token], token: &Token| tokens.partition_point(|known| known < token) as u32;
        let places: Vec<u32> = (0..(self.opened.len() + self.sealed.len()) as u32)
            .map(|cell| match new_of(cell) {
                Place::Opened(at) => find(&sorted_opened, &opened[at]),
                Place::Sealed(at) => sorted_opened.len() as u32 + find(&sorted_sealed, &sealed[at]),
            })
            .collect();
        let labels = sorted_opened.len() + sorted_sealed.len();
        let reference = self.reference.as_ref();
        SealedColumn {
            column: self.column,
            opened: sorted_opened,
            sealed: sorted_sealed,
            cells: self.cells.iter().map(|&cell| places[cell as usize]).collect(),
            reference: reference.map(|known| known.moved(labels, |label| places[label] as usize)),
        }
    }
}

enum Place {
    Opened(usize),
    Sealed(usize),
}

/// Takes a layer off the labels nobody has recognised yet.
pub(crate) fn remove_layer(
    column: &SealedColumn,
    remove: impl FnOnce(&[Token]) -> Result<Vec<Token>, NotAToken>,
) -> Result<SealedColumn, NotAToken> {
    let sealed = remove(&column.sealed)?;
    let opened = column.opened.len();
    Ok(column.replaced(column.opened.clone(), sealed, |cell| match (cell as usize).checked_sub(opened) {
        Some(at) => Place::Sealed(at),
        None => Place::Opened(cell as usize),
    }))
}

/// Opens what `recognise` knows, and encrypts it again for all primary parties: what goes round is never plain.
pub(crate) fn open_with(
    column: &SealedColumn,
    key: &GroupKey,
    recognise: impl Fn(&Token) -> Option<Vec<u8>>,
) -> Result<SealedColumn, NotAToken> {
    let known: Vec<Option<Vec<u8>>> = column.sealed.iter().map(recognise).collect();
    let labels: Vec<Vec<u8>> = known.iter().flatten().cloned().collect();
    let mut opened = column.opened.clone();
    let before = opened.len();
    opened.extend(key.cipher(Domain::Release).seal(&labels)?);
    let sealed: Vec<Token> = column
        .sealed
        .iter()
        .zip(&known)
        .filter(|(_, known)| known.is_none())
        .map(|(token, _)| token.clone())
        .collect();
    let mut places = Vec::with_capacity(known.len());
    let (mut now_open, mut still_sealed) = (before, 0);
    for label in &known {
        let next = if label.is_some() { &mut now_open } else { &mut still_sealed };
        places.push((label.is_some(), *next));
        *next += 1;
    }
    Ok(column.replaced(opened, sealed, |cell| match (cell as usize).checked_sub(before) {
        None => Place::Opened(cell as usize),
        Some(at) => match places[at] {
            (true, at) => Place::Opened(at),
            (false, at) => Place::Sealed(at),
        },
    }))
}

/// The release, once every label was recognised. The receiver counts the classes again before it believes them.
pub(crate) fn finish(plan: &Plan, key: &GroupKey, sealed: &SealedRelease) -> Result<Release, ProtocolError> {
    let cipher = key.cipher(Domain::Release);
    let mut columns = Vec::new();
    for column in &sealed.columns {
        let used = |at: usize| column.cells.iter().any(|&cell| cell as usize == at);
        let name =
            || plan.columns.get(usize::from(column.column)).map_or_else(String::new, |c| c.name.clone());
        let unknown = (0..column.sealed.len()).filter(|&at| used(column.opened.len() + at)).count();
        if unknown > 0 {
            let by = plan.helper().unwrap_or(PartyId(0));
            return Err(ProtocolError::Undecoded { by, column: name(), labels: unknown });
        }
        let labels: Vec<Option<String>> = (column.opened.iter())
            .map(|token| label::decode(&cipher.open(token)?).ok_or(NotAToken))
            .collect::<Result<_, _>>()?;
        columns.push(in_label_order(column.column, &labels, &column.cells, column.reference.as_ref()));
    }
    let rows = sealed.rows as usize;
    let release =
        Release { facts: sealed.facts.clone(), columns, rows, population: sealed.population.clone() };
    let classes = release.classes(&plan.quasi_identifiers());
    let least = plan.promised_class();
    let smallest = classes.values().map(|rows| rows.len() as u64).min().unwrap_or(0);
    if smallest < least {
        return Err(ProtocolError::Broken { rows: smallest, least });
    }
    if let Some(population) = &release.population {
        let of_row = &population.of_row;
        let (mut one_size, mut all) = (true, 0u64);
        for rows in classes.values() {
            one_size &= rows.iter().all(|&row| of_row[row] == of_row[rows[0]]);
            all += u64::from(of_row[rows[0]]);
        }
        let everybody_needed = plan.criteria.iter().any(
            |criterion| matches!(criterion, Criterion::DeltaPresence { min, .. } if *min > Fraction::ZERO),
        );
        if everybody_needed && population.empty_classes > 0 {
            return Err(ProtocolError::Evidence("a class of the population has no row in the table"));
        }
        if !one_size || all > u64::from(population.rows) {
            return Err(ProtocolError::Evidence(
                "classes of the population do not go with those of the release",
            ));
        }
    }
    Ok(release)
}

/// Codes in the order of the labels: the tokens' order was random.
pub(crate) fn in_label_order(
    column: u16,
    labels: &[Option<String>],
    cells: &[u32],
    reference: Option<&Reference>,
) -> ReleasedColumn {
    let mut used: Vec<&Option<String>> = cells.iter().map(|&cell| &labels[cell as usize]).collect();
    used.sort_unstable();
    used.dedup();
    let code = |label: &Option<String>| used.partition_point(|&known| known < label) as u32;
    let codes: Vec<u32> = labels.iter().map(code).collect();
    ReleasedColumn {
        column,
        cells: cells.iter().map(|&cell| codes[cell as usize]).collect(),
        reference: reference.map(|known| known.moved(used.len(), |label| codes[label] as usize).renumbered()),
        labels: used.into_iter().cloned().collect(),
    }
}
