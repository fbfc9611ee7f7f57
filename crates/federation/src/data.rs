//! What a party brings: its rows, as codes of cells, with the levels of its hierarchies.

use crate::crypto::LONGEST_TEXT;
use crate::label;
use crate::parties::PartyId;
use crate::plan::{Gaps, Plan, Role, Shares};
use paravent_core::hierarchy::{Hierarchy, Ladder, LadderError, Rung};
use std::collections::BTreeMap;
use std::fmt;

/// A party's part of the table.
#[derive(Debug, Clone, Default)]
pub struct PartyTable {
    /// By the positions of [`Plan::columns_of`], ascending.
    pub columns: Vec<PartyColumn>,
    /// Where rows are matched: one identifier per row, spelled alike by all parties.
    pub identifiers: Vec<String>,
    /// Number of rows.
    pub rows: usize,
}

/// One column of a party.
#[derive(Clone)]
pub struct PartyColumn {
    /// Code → cell; `None` is the missing value.
    pub cells: Vec<Option<String>>,
    /// The levels over the cells, rung 0 being the cells themselves; `None` for columns without a hierarchy.
    pub ladder: Option<Ladder>,
    /// Row → code.
    pub rows: Vec<u32>,
    /// Leaves of the whole hierarchy over these cells, where it counts in lines ([`Shares::Lines`](crate::Shares::Lines)); else 0.
    pub leaves: u32,
    /// The code that stands for a person this party does not know, where gaps may be filled.
    pub placeholder: Option<u32>,
}

/// Cells never reach a log.
impl fmt::Debug for PartyColumn {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "PartyColumn({} cells, {} rows)", self.cells.len(), self.rows.len())
    }
}

/// Why a party's data do not fit the plan.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum DataError {
    /// Not the columns of the plan.
    #[error("{party} brings {found} columns where the plan gives it {expected}")]
    Columns {
        /// Who.
        party: PartyId,
        /// Columns found.
        found: usize,
        /// Columns of the plan.
        expected: usize,
    },
    /// A column that does not fit.
    #[error("column {column}: {why}")]
    Column {
        /// Its name.
        column: String,
        /// What does not fit.
        why: &'static str,
    },
    /// Identifiers missing, or there twice.
    #[error("tuple identifiers: {0}")]
    Identifiers(&'static str),
    /// Values that cannot be put together with those of others.
    #[error("values: {0}")]
    Values(&'static str),
    /// Rows beyond what counters and codes hold.
    #[error("more than {most} rows")]
    TooManyRows {
        /// What is possible.
        most: u32,
    },
}

/// Bytes of the longest value that parties can put together.
pub const LONGEST_VALUE: usize = LONGEST_TEXT;
/// Rows of one party.
const MOST_ROWS: u32 = 1 << 30;

impl PartyColumn {
    /// A column with a hierarchy; the codes of `rows` are those of the ladder.
    pub fn with_ladder(ladder: Ladder, rows: Vec<u32>) -> PartyColumn {
        PartyColumn {
            cells: ladder.rung(0).labels.clone(),
            ladder: Some(ladder),
            rows,
            leaves: 0,
            placeholder: None,
        }
    }

    /// The same, the shares of its labels as this hierarchy has them: what a party brings that holds these cells and no others.
    pub fn with_hierarchy(hierarchy: &Hierarchy, ladder: Ladder, rows: Vec<u32>) -> PartyColumn {
        let mut column = PartyColumn::with_ladder(ladder, rows);
        if Shares::of(hierarchy) == Shares::Lines {
            let cells: Vec<Option<&str>> = column.cells.iter().map(Option::as_deref).collect();
            column.leaves = u32::try_from(hierarchy.leaves(&cells)).unwrap_or(u32::MAX);
        }
        column
    }

    /// The column generalized to a level: what is finer is not there any more. Levels keep their numbers; those below show the same labels.
    pub(crate) fn lifted(&self, level: u8) -> Result<PartyColumn, LadderError> {
        let Some(ladder) = self.ladder.as_ref().filter(|ladder| level > 0 && level <= ladder.max_level())
        else {
            return Ok(self.clone());
        };
        let base = ladder.rung(level);
        let own: Vec<u32> = (0..base.labels.len() as u32).collect();
        let below = (0..=level).map(|_| Rung { group_of: own.clone(), ..base.clone() });
        let above = (level + 1..=ladder.max_level())
            .map(|higher| Rung { group_of: ladder.step(level, higher), ..ladder.rung(higher).clone() });
        let label = |code: &u32| base.group_of[*code as usize];
        Ok(PartyColumn {
            cells: base.labels.clone(),
            rows: self.rows.iter().map(label).collect(),
            leaves: self.leaves,
            placeholder: self.placeholder.as_ref().map(label),
            ladder: Some(Ladder::from_rungs(below.chain(above).collect())?),
        })
    }

    /// A column without a hierarchy.
    pub fn plain(cells: Vec<Option<String>>, rows: Vec<u32>) -> PartyColumn {
        PartyColumn { cells, ladder: None, rows, leaves: 0, placeholder: None }
    }
}

impl PartyTable {
    /// What a party brings that holds nothing: the columns of the plan, without rows.
    pub fn empty(plan: &Plan, party: PartyId) -> PartyTable {
        let columns = plan.columns_of(party).into_iter();
        let columns = columns.map(|_| PartyColumn::plain(Vec::new(), Vec::new())).collect();
        PartyTable { columns, identifiers: Vec::new(), rows: 0 }
    }

    /// The same with every quasi-identifier generalized to the lowest level of the plan: what is finer stays at home.
    pub(crate) fn lifted(&self, plan: &Plan, party: PartyId) -> Result<PartyTable, LadderError> {
        let positions = plan.columns_of(party);
        let lift = |(column, position): (&PartyColumn, u16)| column.lifted(plan.lowest_level(position));
        let columns = self.columns.iter().zip(positions).map(lift).collect::<Result<_, _>>()?;
        Ok(PartyTable { columns, identifiers: self.identifiers.clone(), rows: self.rows })
    }

    /// The different values of a column as they leave the party, generalized to the lowest level, each with its number of rows. Missing
    /// ones are not among them. Of a column that the party does not hold there are none.
    pub fn values_of(
        &self,
        plan: &Plan,
        party: PartyId,
        column: u16,
    ) -> Result<BTreeMap<String, u64>, LadderError> {
        let held = plan.columns_of(party).iter().position(|&position| position == column);
        let Some(held) = held.and_then(|at| self.columns.get(at)) else { return Ok(BTreeMap::new()) };
        let lifted = held.lifted(plan.lowest_level(column))?;
        let mut values = BTreeMap::new();
        for text in lifted.rows.iter().filter_map(|&code| lifted.cells.get(code as usize)?.as_ref()) {
            match values.get_mut(text) {
                Some(rows) => *rows += 1,
                None => {
                    values.insert(text.clone(), 1);
                }
            }
        }
        Ok(values)
    }

    /// Whether the data are what the plan says of this party.
    pub fn fits(&self, plan: &Plan, party: PartyId) -> Result<(), DataError> {
        let expected = plan.columns_of(party);
        if self.columns.len() != expected.len() {
            return Err(DataError::Columns { party, found: self.columns.len(), expected: expected.len() });
        }
        if self.rows > MOST_ROWS as usize {
            return Err(DataError::TooManyRows { most: MOST_ROWS });
        }
        for (column, position) in self.columns.iter().zip(expected) {
            let planned = &plan.columns[usize::from(position)];
            let fault = |why| Err(DataError::Column { column: planned.name.clone(), why });
            if column.rows.len() != self.rows {
                return fault("has another number of rows than the table");
            }
            if column.rows.iter().any(|&code| code as usize >= column.cells.len()) {
                return fault("has a code without a cell");
            }
            if let Some(ladder) = &column.ladder
                && ladder.rung(0).labels != column.cells
            {
                return fault("level 0 of the hierarchy is not the cells");
            }
            let height = column.ladder.as_ref().map_or(0, Ladder::max_level);
            if height != planned.height() && !column.cells.is_empty() {
                return fault("the hierarchy is not as high as the plan says");
            }
            if plan.sends_lines(position) && column.leaves == 0 && !column.cells.is_empty() {
                return fault("does not say how many lines its hierarchy has");
            }
            if planned.role == Role::Membership && column.rows.iter().any(|&code| code > 1) {
                return fault("a membership is 0 or 1");
            }
            let labels = column.ladder.iter().flat_map(Ladder::rungs).flat_map(|rung| &rung.labels);
            let mut texts = labels.chain(&column.cells).flatten();
            if texts.any(|text| text.len() > label::MOST_BYTES) {
                return fault("has a label of more than 16,000 bytes");
            }
            let placeholder = column.placeholder.is_none_or(|code| (code as usize) < column.cells.len());
            if !placeholder || (plan.gaps == Gaps::Refused && column.placeholder.is_some()) {
                return fault("has a placeholder that the plan does not provide for");
            }
        }
        match plan.identifies_rows() {
            false if !self.identifiers.is_empty() => {
                Err(DataError::Identifiers("a horizontal split that matches nobody has none"))
            }
            true if self.identifiers.len() != self.rows => Err(DataError::Identifiers("every row needs one")),
            _ => can_be_matched(&self.identifiers),
        }
    }
}

/// Each value is there once and fits into a point.
pub(crate) fn can_be_united(values: &[String]) -> Result<(), DataError> {
    let mut sorted: Vec<&String> = values.iter().collect();
    sorted.sort_unstable();
    if sorted.windows(2).any(|pair| pair[0] == pair[1]) {
        return Err(DataError::Values("one is there twice"));
    }
    if sorted.iter().any(|text| text.len() > LONGEST_VALUE) {
        return Err(DataError::Values("one has more than 29 bytes"));
    }
    Ok(())
}

/// Each identifier stands for one person.
pub(crate) fn can_be_matched(identifiers: &[String]) -> Result<(), DataError> {
    let mut sorted: Vec<&String> = identifiers.iter().collect();
    sorted.sort_unstable();
    if sorted.windows(2).any(|pair| pair[0] == pair[1]) {
        return Err(DataError::Identifiers("two rows have the same one"));
    }
    if sorted.iter().any(|text| text.len() > label::MOST_BYTES) {
        return Err(DataError::Identifiers("one has more than 16,000 bytes"));
    }
    Ok(())
}
