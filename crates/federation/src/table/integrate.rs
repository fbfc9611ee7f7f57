//! Parts become one table.

use super::counted::{Counts, counters_of_persons};
use crate::crypto::{Token, permute};
use crate::error::ProtocolError;
use crate::plan::{Gaps, Plan};
use crate::wire::{CounterList, EncryptedColumn, EncryptedPart};
use std::collections::BTreeMap;

/// Horizontal: the rows of all parts one after the other, hierarchies merged, each rule once.
pub(crate) fn concatenate(plan: &Plan, parts: Vec<EncryptedPart>) -> Result<EncryptedPart, ProtocolError> {
    let rows = parts.iter().map(|part| part.rows).fold(0u32, u32::saturating_add);
    let counters = CounterList(parts.iter().flat_map(|part| part.counters.0.iter().copied()).collect());
    let population = CounterList(parts.iter().flat_map(|part| part.population.0.iter().copied()).collect());
    let identifiers = parts.iter().flat_map(|part| part.identifiers.iter().cloned()).collect();
    let mut by_column: BTreeMap<u16, Vec<EncryptedColumn>> = BTreeMap::new();
    for column in parts.into_iter().flat_map(|part| part.columns) {
        by_column.entry(column.column).or_default().push(column);
    }
    let columns: Result<Vec<_>, _> =
        by_column.into_iter().map(|(position, columns)| merge(plan, position, columns)).collect();
    Ok(EncryptedPart { rows, identifiers, columns: columns?, counters, population })
}

/// One column of several parties. Equal values must have equal labels on every level.
fn merge(
    plan: &Plan,
    position: u16,
    columns: Vec<EncryptedColumn>,
) -> Result<EncryptedColumn, ProtocolError> {
    let contradiction =
        || ProtocolError::Hierarchies { column: plan.columns[usize::from(position)].name.clone() };
    let mut rules: BTreeMap<&Token, Vec<&Token>> = BTreeMap::new();
    let mut bits = Vec::new();
    for column in &columns {
        for (value, &at) in column.values.iter().enumerate() {
            let rule = column.levels.iter().map(|level| &column.tokens[level[value] as usize]).collect();
            match rules.get(&column.tokens[at as usize]) {
                Some(known) if *known != rule => return Err(contradiction()),
                Some(_) => {}
                None => {
                    rules.insert(&column.tokens[at as usize], rule);
                }
            }
        }
        if column.tokens.is_empty() {
            bits.extend_from_slice(&column.cells);
        }
    }
    if rules.is_empty() {
        return Ok(EncryptedColumn { column: position, cells: bits, ..EncryptedColumn::default() });
    }
    let height = rules.values().map(Vec::len).max().unwrap_or(0);
    if rules.values().any(|labels| labels.len() != height) {
        return Err(contradiction());
    }
    let shares = merge_shares(&columns, height).ok_or_else(contradiction)?;
    let mut tokens: Vec<&Token> =
        rules.iter().flat_map(|(value, labels)| labels.iter().copied().chain([*value])).collect();
    tokens.sort_unstable();
    tokens.dedup();
    // Every token looked up here is in the list.
    let at = |token: &Token| tokens.partition_point(|known| *known < token) as u32;
    let value_of: BTreeMap<&Token, u32> = rules.keys().copied().zip(0..).collect();
    let cells = (columns.iter())
        .flat_map(|column| {
            let value_of = &value_of;
            let new: Vec<u32> =
                column.values.iter().map(|&value| value_of[&column.tokens[value as usize]]).collect();
            column.cells.iter().map(move |&cell| new[cell as usize])
        })
        .collect();
    let levels = (0..height).map(|level| rules.values().map(|labels| at(labels[level])).collect());
    let shares = shares
        .iter()
        .enumerate()
        .map(|(level, known)| rules.values().map(|labels| known[labels[level]]).collect());
    Ok(EncryptedColumn {
        column: position,
        values: rules.keys().map(|value| at(value)).collect(),
        levels: levels.collect(),
        shares: shares.collect(),
        leaves: columns.iter().map(|column| column.leaves).max().unwrap_or(0),
        placeholder: None,
        cells,
        tokens: tokens.into_iter().cloned().collect(),
    })
}

/// By level from 1: the share of each label; no levels where none travel. Shares of the domain are equal everywhere. Numbers of leaves may differ
/// by one, in the label of a missing value that has no line in the hierarchy and that not all parties have. `None`: a contradiction.
fn merge_shares(columns: &[EncryptedColumn], height: usize) -> Option<Vec<BTreeMap<&Token, f64>>> {
    let with_values = || columns.iter().filter(|column| !column.values.is_empty());
    let levels = with_values().map(|column| column.shares.len()).max().unwrap_or(0);
    let most_leaves = with_values().map(|column| column.leaves).max().unwrap_or(0);
    let mut shares: Vec<BTreeMap<&Token, f64>> = vec![BTreeMap::new(); levels];
    for column in with_values() {
        let fits = column.shares.len() == levels && most_leaves - column.leaves <= 1;
        if !fits || (levels > 0 && levels != height) || (most_leaves > 0) != (column.leaves > 0) {
            return None;
        }
        for (known, (labels, found)) in shares.iter_mut().zip(column.levels.iter().zip(&column.shares)) {
            for (&label, &share) in labels.iter().zip(found) {
                let share_of = known.entry(&column.tokens[label as usize]).or_insert(share);
                let slack = if most_leaves > 0 { 1.0 } else { 0.0 };
                if (*share_of - share).abs() > slack {
                    return None;
                }
                *share_of = share_of.max(share);
            }
        }
    }
    Some(shares)
}

/// The rows in the order of their encrypted identifiers, without counters.
pub(crate) fn sort_by_identifier(part: &EncryptedPart) -> Result<EncryptedPart, ProtocolError> {
    let mut order: Vec<u32> = (0..part.rows).collect();
    if part.identifiers.len() != order.len() {
        return Err(ProtocolError::Identifiers("rows without one"));
    }
    order.sort_unstable_by(|&a, &b| part.identifiers[a as usize].cmp(&part.identifiers[b as usize]));
    let sorted = EncryptedPart {
        rows: part.rows,
        identifiers: permute(&part.identifiers, &order),
        columns: (part.columns.iter())
            .map(|column| EncryptedColumn { cells: permute(&column.cells, &order), ..column.clone() })
            .collect(),
        ..EncryptedPart::default()
    };
    if sorted.identifiers.windows(2).any(|pair| pair[0] == pair[1]) {
        return Err(ProtocolError::Identifiers("one occurs twice"));
    }
    Ok(sorted)
}

/// Vertical: columns side by side, matched by encrypted identifiers. A column that several parties hold has the cells of each person from the one
/// that knows the person. Gaps are filled with the placeholders of a party that holds the column, where the plan provides for it.
pub(crate) fn join(plan: &Plan, parts: Vec<EncryptedPart>) -> Result<EncryptedPart, ProtocolError> {
    let sorted: Vec<EncryptedPart> = parts.iter().map(sort_by_identifier).collect::<Result<_, _>>()?;
    let mut all: Vec<&Token> = sorted.iter().flat_map(|part| &part.identifiers).collect();
    all.sort_unstable();
    all.dedup();
    let persons = all.len() as u32;
    let mut by_column: BTreeMap<u16, Vec<(&EncryptedPart, &EncryptedColumn)>> = BTreeMap::new();
    for part in &sorted {
        for column in &part.columns {
            by_column.entry(column.column).or_default().push((part, column));
        }
    }
    let mut columns = Vec::new();
    for (position, held) in by_column {
        let row_of = rows_of_persons(&all, held.iter().map(|(part, _)| part.identifiers.as_slice()))?;
        let is_complete = row_of.iter().all(Option::is_some);
        if !is_complete && plan.gaps == Gaps::Refused {
            return Err(ProtocolError::Identifiers("a party lacks some"));
        }
        let column = match &held[..] {
            [(_, column)] => (*column).clone(),
            _ => of_all_holders(plan, position, held.iter().map(|(_, column)| (*column).clone()).collect())?,
        };
        let cell = |row: &Option<usize>| match row {
            Some(row) => Ok(column.cells[*row]),
            None if column.tokens.is_empty() => Ok(0),
            None => column.placeholder.ok_or(ProtocolError::Identifiers("a gap without a placeholder")),
        };
        let cells = row_of.iter().map(cell).collect::<Result<Vec<u32>, _>>()?;
        let rows: Vec<u32> = (0..cells.len() as u32).collect();
        let filled = EncryptedColumn { cells, placeholder: None, ..column };
        columns.push(filled.rows_at(&rows));
    }
    columns.sort_by_key(|column| column.column);
    let counters = counters_of_persons(plan, &all, &parts, Counts::Rows)?;
    let population = counters_of_persons(plan, &all, &parts, Counts::Population)?;
    Ok(EncryptedPart { rows: persons, identifiers: Vec::new(), columns, counters, population })
}

/// By person: the row among the rows of all holders of a column, laid end to end. Identifiers of each are sorted.
fn rows_of_persons<'a>(
    all: &[&Token],
    holders: impl Iterator<Item = &'a [Token]>,
) -> Result<Vec<Option<usize>>, ProtocolError> {
    let mut rows: Vec<Option<usize>> = vec![None; all.len()];
    let mut before = 0;
    for identifiers in holders {
        let mut at = 0;
        for (row, identifier) in identifiers.iter().enumerate() {
            // Both are sorted, and everybody is among all.
            while all.get(at).is_some_and(|person| *person < identifier) {
                at += 1;
            }
            let place = rows.get_mut(at).ok_or(ProtocolError::Identifiers("one of nobody"))?;
            if place.replace(before + row).is_some() {
                return Err(ProtocolError::Identifiers("a person has the same column at two parties"));
            }
        }
        before += identifiers.len();
    }
    Ok(rows)
}

/// One column of several holders; missing values look alike everywhere.
fn of_all_holders(
    plan: &Plan,
    position: u16,
    columns: Vec<EncryptedColumn>,
) -> Result<EncryptedColumn, ProtocolError> {
    let placeholder = columns.iter().find_map(|column| {
        let value = column.values.get(column.placeholder? as usize)?;
        column.tokens.get(*value as usize).cloned()
    });
    let merged = merge(plan, position, columns)?;
    let place = placeholder.and_then(|token| {
        merged.values.iter().position(|&value| merged.tokens[value as usize] == token).map(|at| at as u32)
    });
    Ok(EncryptedColumn { placeholder: place, ..merged })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{JointTable, Protocol, Split};

    fn token(text: &str) -> Token {
        Token(text.as_bytes().into())
    }

    /// Values with a label each, one row per value.
    fn column(rules: &[(&str, &str)]) -> EncryptedPart {
        let mut tokens: Vec<Token> =
            rules.iter().flat_map(|(value, label)| [token(value), token(label)]).collect();
        tokens.sort();
        tokens.dedup();
        let at = |text: &str| tokens.iter().position(|known| *known == token(text)).unwrap() as u32;
        let column = EncryptedColumn {
            column: 0,
            values: rules.iter().map(|(value, _)| at(value)).collect(),
            levels: vec![rules.iter().map(|(_, label)| at(label)).collect()],
            cells: (0..rules.len() as u32).collect(),
            tokens,
            ..EncryptedColumn::default()
        };
        EncryptedPart { rows: rules.len() as u32, columns: vec![column], ..EncryptedPart::default() }
    }

    fn merged(parts: Vec<EncryptedPart>) -> Result<EncryptedPart, ProtocolError> {
        concatenate(&JointTable::example().plan(Protocol::B, Split::Horizontal, 2), parts)
    }

    #[test]
    fn rules_that_two_parties_share_are_there_once() {
        let both =
            merged(vec![column(&[("a", "X"), ("b", "Y")]), column(&[("b", "Y"), ("c", "X")])]).unwrap();
        let column = &both.columns[0];
        assert_eq!(column.tokens, ["X", "Y", "a", "b", "c"].map(token));
        assert_eq!(column.values, [2, 3, 4]);
        assert_eq!(column.levels, [[0, 1, 0]]);
        assert_eq!(column.cells, [0, 1, 1, 2]);
    }

    #[test]
    fn contradicting_rules_are_refused() {
        let error = merged(vec![column(&[("a", "X")]), column(&[("a", "Y")])]).unwrap_err();
        assert!(matches!(error, ProtocolError::Hierarchies { .. }));
    }
}
