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

/// A quasi-identifier whose labels overlap without one side being the finer one, as the intervals of two hierarchies do.
#[derive(Clone, Debug)]
pub struct CrossingColumn {
    /// Its place in the first.
    pub left: usize,
    /// Its place in the second.
    pub right: usize,
    /// For each code of the first: the codes of the second with a raw value in common, ascending.
    pub fits: Vec<Vec<u32>>,
}

impl CrossingColumn {
    /// Whether some raw value has both labels.
    #[must_use]
    pub fn fit(&self, left: u32, right: u32) -> bool {
        self.fits[left as usize].binary_search(&right).is_ok()
    }

    /// Numbers for the labels of both sides: equal where labels hang together through common values. The finest labels in which
    /// both sides can be counted alike.
    fn components(&self, lefts: usize, rights: usize) -> (Vec<u32>, Vec<u32>) {
        fn root(parent: &mut [usize], mut node: usize) -> usize {
            while parent[node] != node {
                parent[node] = parent[parent[node]];
                node = parent[node];
            }
            node
        }
        let mut parent: Vec<usize> = (0..lefts + rights).collect();
        for (left, fits) in self.fits.iter().enumerate() {
            for &right in fits {
                let (a, b) = (root(&mut parent, left), root(&mut parent, lefts + right as usize));
                parent[a.max(b)] = a.min(b);
            }
        }
        let numbers: Vec<u32> = (0..lefts + rights).map(|node| root(&mut parent, node) as u32).collect();
        (numbers[..lefts].to_vec(), numbers[lefts..].to_vec())
    }
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
    /// Quasi-identifiers of both whose labels overlap crosswise.
    pub crossing: Vec<CrossingColumn>,
    /// Names of quasi-identifiers of both whose labels cannot be compared at all.
    pub incomparable: Vec<String>,
    /// Other columns of both, whose cells are released as they are: places left and right.
    pub others: Vec<(usize, usize)>,
}

impl Pair<'_> {
    /// Whether the two have no quasi-identifier in common, not even one whose labels cannot be compared.
    #[must_use]
    pub fn shares_no_quasi_identifier(&self) -> bool {
        self.columns.is_empty() && self.crossing.is_empty() && self.incomparable.is_empty()
    }

    /// The rows of both sides as numbers: equal numbers for rows whose quasi-identifiers, brought to the coarser label column by
    /// column, are equal. A left row and a right row can be of one person only if their numbers are equal, and if their labels
    /// [fit](Pair::classes_fit) in the crossing columns, where a number stands for all labels that hang together.
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
        for crossing in &self.crossing {
            let (left, right) = (self.left.column(crossing.left), self.right.column(crossing.right));
            let (lefts, rights) = (left.labels().len(), right.labels().len());
            let (of_left, of_right) = crossing.components(lefts, rights);
            let mut codes: Vec<u32> = left.codes().iter().map(|&code| of_left[code as usize]).collect();
            codes.extend(right.codes().iter().map(|&code| of_right[code as usize]));
            let names = (0..lefts + rights).map(|code| code.to_string()).collect();
            columns.push(Column::new("", names, codes));
        }
        self.numbered(columns)
    }

    /// Whether a class of the first and one of the second can have a person in common, as far as the crossing columns say.
    #[must_use]
    pub fn classes_fit(&self, left: u32, right: u32) -> bool {
        let code = |released: &Released, class: u32, place: usize| {
            let position = released.classes.columns().iter().position(|&known| known == place);
            position.map(|position| released.classes.codes(class as usize)[position])
        };
        self.crossing.iter().all(|column| {
            let codes = (code(self.left, left, column.left), code(self.right, right, column.right));
            matches!(codes, (Some(left), Some(right)) if column.fit(left, right))
        })
    }

    /// Why nothing can be said about both releases together: no label of one fits a label of the other. `None` where some do.
    ///
    /// Two releases of the same people fit somewhere. If these do not, they are of other people, or spelled differently, and an
    /// attack that finds nothing has seen nothing.
    #[must_use]
    pub fn nothing_fits(&self, meets: &Meets) -> Option<String> {
        let mut sides = vec![(false, false); meets.count];
        meets.left.iter().for_each(|&meet| sides[meet as usize].0 = true);
        meets.right.iter().for_each(|&meet| sides[meet as usize].1 = true);
        if !(self.columns.is_empty() && self.crossing.is_empty()) && sides.contains(&(true, true)) {
            return None;
        }
        let mut apart = self.incomparable.clone();
        for shared in self.columns.iter().filter(|shared| shared.lift.iter().all(Option::is_none)) {
            apart.push(self.left.column(shared.left).name().to_owned());
        }
        for crossing in self.crossing.iter().filter(|column| column.fits.iter().all(Vec::is_empty)) {
            apart.push(self.left.column(crossing.left).name().to_owned());
        }
        let place = match apart.is_empty() {
            true => "in all columns together".to_owned(),
            false => format!("in {}", apart.join(", ")),
        };
        Some(format!(
            "The releases could not be compared: no label of one fits a label of the other {place}. Are they about the same \
             people, spelled alike?"
        ))
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
