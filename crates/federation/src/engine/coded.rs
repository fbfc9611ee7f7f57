//! Rows as codes.

use super::View;
use crate::error::ProtocolError;
use crate::plan::{Plan, Protocol, Role};
use crate::wire::{EncryptedColumn, EncryptedPart};
use paravent_core::hierarchy::{Ladder, LadderError, Rung};
use paravent_core::table::{FrequencyTable, Histograms, SensitiveColumn};
use std::collections::BTreeMap;

/// A table of codes, by column of the plan.
pub(crate) struct CodedTable {
    pub(crate) rows: usize,
    pub(crate) columns: Vec<CodedColumn>,
    /// By row: whose it is. Known to a helper, never to the master of a ring.
    pub(crate) origins: Option<Vec<u32>>,
    /// The column of marks that tell table and population apart. None where they are counters.
    pub(crate) marks: Option<usize>,
}

/// One column of codes.
pub(crate) struct CodedColumn {
    pub(crate) cells: Vec<u32>,
    pub(crate) distinct: usize,
    pub(crate) ladder: Option<Ladder>,
}

/// The combinations behind a joint view, by code; empty for a single column.
pub(crate) type Combinations = Vec<Box<[u32]>>;

/// A ladder over values known only by number. `levels[l − 1][v]` says which label value `v` has on level `l`; without shares, the
/// leaves present say how much of the domain a label covers.
pub(crate) fn ladder_of(
    values: usize,
    levels: &[Vec<u32>],
    shares: &[Vec<f64>],
) -> Result<Ladder, LadderError> {
    let row = |value: usize| {
        let labels = levels.iter().map(|level| level[value].to_string());
        std::iter::once(value.to_string()).chain(labels).map(Some).collect()
    };
    let rows: Vec<Vec<Option<String>>> = (0..values).map(row).collect();
    let ladder = Ladder::from_labels(&rows)?;
    if shares.is_empty() {
        return Ok(ladder);
    }
    let mut rungs: Vec<Rung> = ladder.rungs().to_vec();
    for (number, (rung, shares)) in rungs.iter_mut().skip(1).zip(shares).enumerate() {
        let mut known = vec![None; rung.labels.len()];
        for (&group, share) in rung.group_of.iter().zip(shares) {
            if known[group as usize].get_or_insert(*share).to_bits() != share.to_bits() {
                return Err(LadderError::Loss { level: number + 1 });
            }
        }
        rung.loss = known.into_iter().flatten().collect();
    }
    Ladder::from_rungs(rungs)
}

impl CodedColumn {
    /// A column of tokens: the position of a value among the values is its code.
    fn of_tokens(column: &EncryptedColumn, role: &Role) -> Result<CodedColumn, LadderError> {
        let has_ladder = match role {
            Role::QuasiIdentifier { .. } => true,
            Role::Sensitive { height } => *height > 0,
            Role::Membership => false,
        };
        let values = column.values.len();
        let ladder =
            if has_ladder { Some(ladder_of(values, &column.levels, &column.domain_shares())?) } else { None };
        let distinct = if *role == Role::Membership { 2 } else { values };
        Ok(CodedColumn { cells: column.cells.clone(), distinct, ladder })
    }
}

impl CodedTable {
    /// The codes of an encrypted table whose columns are complete and trimmed to the values in use.
    pub(crate) fn of_tokens(
        plan: &Plan,
        part: &EncryptedPart,
        origins: Option<Vec<u32>>,
    ) -> Result<CodedTable, ProtocolError> {
        let columns: Result<Vec<_>, _> = (part.columns.iter())
            .zip(&plan.columns)
            .map(|(column, planned)| CodedColumn::of_tokens(column, &planned.role))
            .collect();
        let marks = match plan.protocol {
            Protocol::A | Protocol::B => plan.marks(),
            Protocol::C(_) => None,
        };
        Ok(CodedTable { rows: part.rows as usize, columns: columns?, origins, marks })
    }

    /// The bits that tell table and population apart, where there are any.
    pub(crate) fn memberships(&self) -> Option<&[u32]> {
        self.marks.map(|at| self.columns[at].cells.as_slice())
    }

    /// Distinct tuples of the quasi-identifiers with their counts, the tuple of each row, and the combinations of joint views.
    pub(crate) fn frequencies(
        &self,
        plan: &Plan,
        views: &[View],
    ) -> Result<(FrequencyTable, Vec<u32>, Vec<Combinations>), ProtocolError> {
        let quasi: Vec<&[u32]> = plan
            .quasi_identifiers()
            .iter()
            .map(|&at| self.columns[usize::from(at)].cells.as_slice())
            .collect();
        let key = |row: u32| quasi.iter().map(move |column| column[row as usize]);
        let mut order: Vec<u32> = (0..self.rows as u32).collect();
        order.sort_unstable_by(|&a, &b| key(a).cmp(key(b)));
        let in_table = self.memberships();
        let member = |row: u32| in_table.is_none_or(|bits| bits[row as usize] == 1);
        let coded: Vec<(Vec<u32>, usize, Combinations)> =
            views.iter().map(|view| self.codes_of(view)).collect();
        let mut columns: Vec<Vec<u32>> = vec![Vec::new(); quasi.len()];
        let (mut rows, mut everybody) = (Vec::new(), Vec::new());
        let mut histograms: Vec<Histograms> = views.iter().map(|_| Histograms::new()).collect();
        let mut tuple_of_row = vec![0u32; self.rows];
        for run in order.chunk_by(|&a, &b| key(a).eq(key(b))) {
            let members: Vec<u32> = run.iter().copied().filter(|&row| member(row)).collect();
            run.iter().for_each(|&row| tuple_of_row[row as usize] = rows.len() as u32);
            columns.iter_mut().zip(key(run[0])).for_each(|(column, code)| column.push(code));
            rows.push(members.len() as u32);
            everybody.push(run.len() as u32);
            for (histogram, (codes, _, _)) in histograms.iter_mut().zip(&coded) {
                let mut counts: BTreeMap<u32, u32> = BTreeMap::new();
                members.iter().for_each(|&row| *counts.entry(codes[row as usize]).or_insert(0) += 1);
                histogram.push(counts);
            }
        }
        let sensitive = histograms.into_iter().zip(&coded);
        let sensitive = sensitive.map(|(histograms, (_, cardinality, _))| SensitiveColumn {
            cardinality: *cardinality,
            histograms,
        });
        let population = in_table.map(|_| everybody);
        let table = FrequencyTable::new(columns, rows, population, sensitive.collect())?;
        Ok((table, tuple_of_row, coded.into_iter().map(|(_, _, combinations)| combinations).collect()))
    }

    /// By row the code of a view, the number of codes, and what joint codes stand for.
    pub(crate) fn codes_of(&self, view: &View) -> (Vec<u32>, usize, Combinations) {
        match view {
            View::Column(column) => {
                let column = &self.columns[usize::from(*column)];
                (column.cells.clone(), column.distinct, Vec::new())
            }
            View::Joint(columns) => {
                let at = |row: usize| -> Box<[u32]> {
                    columns.iter().map(|&column| self.columns[usize::from(column)].cells[row]).collect()
                };
                let mut all: Combinations = (0..self.rows).map(at).collect();
                all.sort_unstable();
                all.dedup();
                let code = |row| all.partition_point(|known| *known < at(row)) as u32;
                let codes = (0..self.rows).map(code).collect();
                (codes, all.len(), all)
            }
            View::Origin => {
                let origins = self.origins.clone().unwrap_or_else(|| vec![0; self.rows]);
                let parties = origins.iter().max().map_or(1, |&largest| largest as usize + 1);
                (origins, parties, Vec::new())
            }
        }
    }
}
