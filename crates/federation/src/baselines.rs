//! What the protocols are compared with: a trusted third party, and parties that do not work together.

use crate::data::PartyColumn;
use crate::engine::{CodedColumn, CodedTable, Engine, ladder_of};
use crate::error::ProtocolError;
use crate::joint::{JointColumn, JointTable};
use crate::outcome::{Facts, Release};
use crate::parties::PartyId;
use crate::plan::{Plan, Role, Shares, Split};
use crate::table::in_label_order;
use paravent_core::hierarchy::Ladder;
use std::collections::BTreeMap;

/// What a trusted third party makes of the pooled table.
#[derive(Debug, Clone)]
pub struct Central {
    /// The release.
    pub release: Release,
    /// NUEM of the node: bits hidden in all cells, whatever the metric was.
    pub hidden_bits: f64,
}

/// What parties make that anonymize one after the other, without a protocol.
#[derive(Debug, Clone, PartialEq)]
pub struct Naive {
    /// By party: its levels, in the order of the quasi-identifiers it generalizes. Nothing where a party finds no node.
    pub nodes: Vec<Option<Vec<u8>>>,
    /// Bits hidden in all cells, over the frequencies of the whole table; `None` when a party finds no node.
    pub hidden_bits: Option<f64>,
    /// Rows suppressed by all parties.
    pub suppressed_rows: u64,
}

/// Integrate and anonymize: the gold standard, often not permitted. Where the plan has lowest levels, of the table generalized to these.
pub fn integrate_and_anonymize(table: &JointTable, plan: &Plan) -> Result<Option<Central>, ProtocolError> {
    let table = as_brought(table, plan)?;
    let coded = coded(&table, plan);
    let engine = Engine::new(plan, &coded)?;
    let Some(found) = engine.search(plan, &coded)? else { return Ok(None) };
    let release = release(&table, plan, &coded, found.facts, &found.kept);
    Ok(Some(Central { release, hidden_bits: found.hidden_bits }))
}

/// The study's vertical baseline: the first party anonymizes its columns alone, and every later one generalizes its own until each class of the
/// first still shows one label per column. (In [`anonymize_and_integrate`] classes may split, as long as they keep the promise.)
/// Kohlmayer 2015, section 4.3. `None` where rows are split, too, or the first party finds no node.
pub fn keeping_the_first_classes(table: &JointTable, plan: &Plan) -> Result<Option<Naive>, ProtocolError> {
    if plan.split == Split::Horizontal || plan.is_hybrid() {
        return Ok(None);
    }
    let table = as_brought(table, plan)?;
    let coded = coded(&table, plan);
    let quasi = plan.quasi_identifiers();
    let Some(first) = quasi.iter().map(|&column| plan.columns[usize::from(column)].owner).min() else {
        return Ok(None);
    };
    let of_first = |column: u16| plan.columns[usize::from(column)].owner == first;
    let mut alone = plan.clone();
    for column in alone.columns.iter_mut().filter(|column| column.owner != first) {
        if let Role::QuasiIdentifier { height, .. } = column.role {
            column.role = Role::Sensitive { height };
        }
    }
    let Some(found) = Engine::new(&alone, &coded)?.search(&alone, &coded)? else { return Ok(None) };
    let mut node: Vec<u8> = Vec::new();
    let mut chosen = found.facts.node.iter().copied();
    for &column in &quasi {
        node.push(if of_first(column) { chosen.next().unwrap_or(0) } else { 0 });
    }
    let label = |column: u16, level: u8, row: usize| {
        let column = &coded.columns[usize::from(column)];
        let cell = column.cells[row];
        column.ladder.as_ref().map_or(cell, |ladder| ladder.rung(level).group_of[cell as usize])
    };
    let kept: Vec<usize> = (0..coded.rows).filter(|&row| found.kept[row]).collect();
    let mut classes: BTreeMap<Vec<u32>, Vec<usize>> = BTreeMap::new();
    for &row in &kept {
        let own = quasi.iter().zip(&node).filter(|(column, _)| of_first(**column));
        classes
            .entry(own.map(|(&column, &level)| label(column, level, row)).collect())
            .or_default()
            .push(row);
    }
    for (position, &column) in quasi.iter().enumerate().filter(|(_, column)| !of_first(**column)) {
        let Role::QuasiIdentifier { lowest, highest, .. } = plan.columns[usize::from(column)].role else {
            continue;
        };
        let uniform = |level: u8| {
            let same = |rows: &Vec<usize>| {
                rows.windows(2).all(|pair| label(column, level, pair[0]) == label(column, level, pair[1]))
            };
            classes.values().all(same)
        };
        let Some(level) = (lowest..=highest).find(|&level| uniform(level)) else { return Ok(None) };
        node[position] = level;
    }
    let nodes = (0..plan.primaries()).map(|number| {
        let own = quasi.iter().zip(&node);
        let own = own.filter(|(column, _)| plan.columns[usize::from(**column)].owner == PartyId(number));
        Some(own.map(|(_, &level)| level).collect())
    });
    Ok(Some(Naive {
        nodes: nodes.collect(),
        hidden_bits: Some(Engine::new(plan, &coded)?.hidden_bits(&node)),
        suppressed_rows: found.facts.suppressed_rows,
    }))
}

/// Anonymize and integrate. Horizontal: each party alone, then all rows together. Vertical: one party after the other generalizes its
/// columns until the classes of all columns so far keep the promise. (To join columns that were anonymized apart keeps nothing.)
pub fn anonymize_and_integrate(table: &JointTable, plan: &Plan) -> Result<Naive, ProtocolError> {
    if plan.is_hybrid() {
        // Rows and columns at once: the study has no such baseline.
        return Ok(Naive { nodes: Vec::new(), hidden_bits: None, suppressed_rows: 0 });
    }
    let table = as_brought(table, plan)?;
    match plan.split {
        Split::Horizontal => alone(&table, plan),
        Split::Vertical => in_turn(&table, plan),
    }
}

/// The table as the parties bring it: generalized to the lowest levels of the plan.
fn as_brought(table: &JointTable, plan: &Plan) -> Result<JointTable, ProtocolError> {
    let lifted = |(position, column): (u16, &JointColumn)| {
        let data = column.data.lifted(plan.lowest_level(position))?;
        // Its labels are no values of the hierarchy.
        Ok::<_, ProtocolError>(JointColumn { data, hierarchy: None, ..column.clone() })
    };
    let columns = (0u16..).zip(&table.columns).map(lifted).collect::<Result<_, _>>()?;
    Ok(JointTable { columns, rows: table.rows, sizes: table.sizes.clone() })
}

/// Of the labels that are brought those present are the leaves, where shares are counted over values present.
fn ladder(column: &PartyColumn, planned: &Role) -> Option<Ladder> {
    let ladder = column.ladder.as_ref()?;
    match planned {
        Role::QuasiIdentifier { shares: Shares::FromLeaves, lowest: 1.., .. } => {
            let levels: Vec<Vec<u32>> =
                ladder.rungs()[1..].iter().map(|rung| rung.group_of.clone()).collect();
            ladder_of(ladder.values(), &levels, &[]).ok()
        }
        _ => Some(ladder.clone()),
    }
}

fn coded(table: &JointTable, plan: &Plan) -> CodedTable {
    let columns = table.columns.iter().zip(&plan.columns).map(|(column, planned)| CodedColumn {
        cells: column.data.rows.clone(),
        distinct: if column.role == Role::Membership { 2 } else { column.data.cells.len() },
        ladder: ladder(&column.data, &planned.role),
    });
    CodedTable {
        rows: table.rows,
        columns: columns.collect(),
        origins: origins(table, plan),
        marks: plan.marks(),
    }
}

/// Whose row each is, as [`JointTable::deal`] deals them.
fn origins(table: &JointTable, plan: &Plan) -> Option<Vec<u32>> {
    if plan.split == Split::Vertical {
        return None;
    }
    let parts = table.deal(plan);
    Some((0u32..).zip(parts).flat_map(|(party, part)| (0..part.rows).map(move |_| party)).collect())
}

fn release(table: &JointTable, plan: &Plan, coded: &CodedTable, facts: Facts, kept: &[bool]) -> Release {
    let rows: Vec<u32> = (0u32..).zip(kept).filter(|(_, kept)| **kept).map(|(row, _)| row).collect();
    let mut levels = facts.node.iter().copied();
    let mut columns = Vec::new();
    for (position, column) in (0u16..).zip(&table.columns) {
        let level = match plan.columns[usize::from(position)].role {
            Role::QuasiIdentifier { .. } => levels.next().unwrap_or(0),
            Role::Sensitive { .. } => 0,
            Role::Membership => continue,
        };
        let codes: Vec<u32> = rows.iter().map(|&row| column.data.rows[row as usize]).collect();
        let (labels, cells) = match &column.data.ladder {
            Some(ladder) => {
                let rung = ladder.rung(level);
                (&rung.labels, codes.iter().map(|&code| rung.group_of[code as usize]).collect())
            }
            None => (&column.data.cells, codes.clone()),
        };
        let reference = coded.reference(plan, position, &rows).map(|known| {
            let mut shown = codes;
            shown.sort_unstable();
            shown.dedup();
            known.moved(column.data.cells.len(), |label| shown[label] as usize)
        });
        columns.push(in_label_order(position, labels, &cells, reference.as_ref()));
    }
    let population = coded.population(plan, &facts.node, &rows);
    Release { facts, columns, rows: rows.len(), population }
}

fn alone(table: &JointTable, plan: &Plan) -> Result<Naive, ProtocolError> {
    let whole = coded(table, plan);
    let mut naive = Naive { nodes: Vec::new(), hidden_bits: Some(0.0), suppressed_rows: 0 };
    let mut first_row = 0;
    for part in table.deal(plan) {
        let rows = first_row..first_row + part.rows;
        first_row = rows.end;
        if rows.is_empty() {
            naive.nodes.push(None);
            continue;
        }
        let columns = (part.columns.iter()).map(|column| CodedColumn {
            cells: column.rows.clone(),
            distinct: column.cells.len().max(2),
            ladder: column.ladder.clone(),
        });
        // Alone, there is no other party to guard against.
        let alone = Plan { participants: crate::plan::Participants::Trusted, ..plan.clone() };
        let own =
            CodedTable { rows: part.rows, columns: columns.collect(), origins: None, marks: plan.marks() };
        let found = Engine::new(&alone, &own)?.search(&alone, &own)?;
        let Some(found) = found else {
            naive.nodes.push(None);
            naive.hidden_bits = None;
            continue;
        };
        let bits = row_bits(&whole, plan, &found.facts.node, rows);
        naive.hidden_bits = naive.hidden_bits.map(|sum| sum + bits);
        naive.suppressed_rows += found.facts.suppressed_rows;
        naive.nodes.push(Some(found.facts.node));
    }
    Ok(naive)
}

/// Bits hidden in some rows under a node: `Σ w_i · log2(f(label) / f(value))`, frequencies over the whole table.
fn row_bits(whole: &CodedTable, plan: &Plan, node: &[u8], rows: std::ops::Range<usize>) -> f64 {
    let mut bits = 0.0;
    for (position, &level) in plan.quasi_identifiers().into_iter().zip(node) {
        let column = &whole.columns[usize::from(position)];
        let (Some(ladder), Role::QuasiIdentifier { weight, .. }) =
            (&column.ladder, &plan.columns[usize::from(position)].role)
        else {
            continue;
        };
        let group_of = &ladder.rung(level).group_of;
        let (mut values, mut groups) = (vec![0u64; column.distinct], vec![0u64; ladder.cardinality(level)]);
        for &cell in &column.cells {
            values[cell as usize] += 1;
            groups[group_of[cell as usize] as usize] += 1;
        }
        let hidden = |&cell: &u32| {
            (groups[group_of[cell as usize] as usize] as f64 / values[cell as usize] as f64).log2()
        };
        bits += weight * column.cells[rows.clone()].iter().map(hidden).sum::<f64>();
    }
    bits
}

fn in_turn(table: &JointTable, plan: &Plan) -> Result<Naive, ProtocolError> {
    let coded = coded(table, plan);
    let quasi = plan.quasi_identifiers();
    let mut chosen: Vec<Option<u8>> = vec![None; plan.columns.len()];
    let mut naive = Naive { nodes: Vec::new(), hidden_bits: None, suppressed_rows: 0 };
    for number in 0..plan.primaries() {
        let mine: Vec<u16> = quasi
            .iter()
            .copied()
            .filter(|&c| plan.columns[usize::from(c)].owner == PartyId(number))
            .collect();
        if mine.is_empty() {
            naive.nodes.push(Some(Vec::new()));
            continue;
        }
        // Columns of earlier parties stay where they are; those of later ones do not count yet.
        let mut so_far = plan.clone();
        for (position, column) in so_far.columns.iter_mut().enumerate() {
            if let Role::QuasiIdentifier { height, lowest, highest, .. } = &mut column.role {
                match chosen[position] {
                    Some(level) => (*lowest, *highest) = (level, level),
                    None if column.owner.0 > number => column.role = Role::Sensitive { height: *height },
                    None => {}
                }
            }
        }
        let Some(found) = Engine::new(&so_far, &coded)?.search(&so_far, &coded)? else {
            naive.nodes.push(None);
            return Ok(naive);
        };
        for (position, &level) in so_far.quasi_identifiers().into_iter().zip(&found.facts.node) {
            chosen[usize::from(position)] = Some(level);
        }
        naive.nodes.push(Some(mine.iter().filter_map(|&column| chosen[usize::from(column)]).collect()));
        naive.suppressed_rows = found.facts.suppressed_rows;
    }
    let node: Vec<u8> = quasi.iter().filter_map(|&column| chosen[usize::from(column)]).collect();
    naive.hidden_bits = Some(Engine::new(plan, &coded)?.hidden_bits(&node));
    Ok(naive)
}
