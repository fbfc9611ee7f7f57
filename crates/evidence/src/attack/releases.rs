//! Two releases of the same people, brought to common labels.

use super::Released;
use super::classes::Classes;
use crate::microdata::{Column, Microdata};

/// Which of two releases has the finer labels of a column.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Finer {
    /// The first.
    Left,
    /// The second; also where both are equal.
    Right,
}

/// A quasi-identifier that both releases have.
#[derive(Clone, Debug)]
pub struct SharedColumn {
    /// Its place in the first.
    pub left: usize,
    /// Its place in the second.
    pub right: usize,
    /// Whose labels are finer.
    pub finer: Finer,
    /// For each code of the finer side, the code of the coarser side's label that covers it; `None` if that label is not released.
    pub lift: Vec<Option<u32>>,
}

/// Two releases and what they share.
#[derive(Clone, Debug)]
pub struct Pair<'a> {
    /// The first (the older one).
    pub left: &'a Released,
    /// The second.
    pub right: &'a Released,
    /// Quasi-identifiers of both.
    pub columns: Vec<SharedColumn>,
    /// Other columns of both, whose cells are released as they are: places left and right.
    pub others: Vec<(usize, usize)>,
}

impl Pair<'_> {
    /// The rows of both sides as numbers: equal numbers for rows whose quasi-identifiers, brought to the coarser label column by
    /// column, are equal. A left row and a right row can be of one person only if their numbers are equal.
    #[must_use]
    pub fn meets(&self) -> Meets {
        let labels = |column: &SharedColumn| match column.finer {
            Finer::Left => self.right.column(column.right).labels().len(),
            Finer::Right => self.left.column(column.left).labels().len(),
        };
        let mut columns = Vec::new();
        for shared in &self.columns {
            // A label that the coarser side does not show gets a code after all others.
            let extra = labels(shared) as u32;
            let lifted = |codes: &[u32]| -> Vec<u32> {
                codes.iter().map(|&code| shared.lift[code as usize].unwrap_or(extra)).collect()
            };
            let (left, right) =
                (self.left.column(shared.left).codes(), self.right.column(shared.right).codes());
            let mut codes = match shared.finer {
                Finer::Left => lifted(left),
                Finer::Right => left.to_vec(),
            };
            codes.extend(match shared.finer {
                Finer::Left => right.to_vec(),
                Finer::Right => lifted(right),
            });
            let names = (0..=extra).map(|code| code.to_string()).collect();
            columns.push(Column::new("", names, codes));
        }
        self.numbered(columns)
    }

    /// The other shared cells of both sides as numbers: equal for equal cells.
    #[must_use]
    pub fn secrets(&self) -> Meets {
        let columns: Vec<Column> = self
            .others
            .iter()
            .map(|&(left, right)| {
                let (left, right) = (self.left.column(left), self.right.column(right));
                let mut names = left.labels().to_vec();
                let code_of = |label: &String, names: &mut Vec<String>| {
                    names.iter().position(|known| known == label).unwrap_or_else(|| {
                        names.push(label.clone());
                        names.len() - 1
                    }) as u32
                };
                let mapped: Vec<u32> =
                    right.labels().iter().map(|label| code_of(label, &mut names)).collect();
                let mut codes = left.codes().to_vec();
                codes.extend(right.codes().iter().map(|&code| mapped[code as usize]));
                Column::new(left.name(), names, codes)
            })
            .collect();
        self.numbered(columns)
    }

    /// Numbers for the rows of both sides by columns that hold the left rows first.
    fn numbered(&self, columns: Vec<Column>) -> Meets {
        let places: Vec<usize> = (0..columns.len()).collect();
        let rows = self.left.table.rows();
        let total = rows + self.right.table.rows();
        let classes = match columns.is_empty() {
            true => vec![0; total],
            false => Classes::by(&Microdata::new(columns), &places).of_row().to_vec(),
        };
        let count = classes.iter().max().map_or(0, |&last| last as usize + 1);
        let (left, right) = classes.split_at(rows);
        Meets { left: left.to_vec(), right: right.to_vec(), count }
    }
}

/// Rows of two tables in one numbering.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Meets {
    /// By row of the first.
    pub left: Vec<u32>,
    /// By row of the second.
    pub right: Vec<u32>,
    /// How many numbers there are.
    pub count: usize,
}
