//! Two releases of the same people, brought to common labels.

use super::Released;
use super::box_tree::BoxTree;
use super::classes::Classes;
use crate::microdata::{Column, Microdata};
use std::collections::HashMap;

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
    /// fit in the crossing columns, where a number stands for all labels that hang together.
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

    /// Which classes of the second can have a person in common with one of the first.
    #[must_use]
    pub fn fitting(&self, meets: &Meets) -> Fitting<'_> {
        Fitting::of(self, meets)
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
                let mut code_of: HashMap<String, u32> = names.iter().cloned().zip(0..).collect();
                let mapped = right.labels().iter().map(|label| {
                    *code_of.entry(label.clone()).or_insert_with(|| {
                        names.push(label.clone());
                        names.len() as u32 - 1
                    })
                });
                let mapped: Vec<u32> = mapped.collect();
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

/// Finds, for a class of the first release, the classes of the second with rows at the same meeting place, and with labels that fit in the
/// crossing columns.
#[derive(Debug)]
pub struct Fitting<'a> {
    pair: &'a Pair<'a>,
    /// By class of the first: the meeting place of its rows.
    meets: Vec<u32>,
    /// Places of the crossing columns among those of the first's classes.
    positions: Vec<Option<usize>>,
    /// Meeting place and codes in the crossing columns of the second's classes.
    tree: BoxTree,
}

impl<'a> Fitting<'a> {
    fn of(pair: &'a Pair<'a>, meets: &Meets) -> Fitting<'a> {
        let positions = |released: &Released, place: fn(&CrossingColumn) -> usize| -> Vec<Option<usize>> {
            let position =
                |column| released.classes.columns().iter().position(|&known| known == place(column));
            pair.crossing.iter().map(position).collect()
        };
        // Meeting places follow from the labels, so all rows of a class have one.
        let by_class = |released: &Released, meets: &[u32]| {
            let mut of_class = vec![0u32; released.classes.len()];
            let rows = released.classes.of_row().iter().zip(meets);
            rows.for_each(|(&class, &meet)| of_class[class as usize] = meet);
            of_class
        };
        let right = positions(pair.right, |column| column.right);
        let mut shown = Vec::with_capacity(pair.right.classes.len() * (right.len() + 1));
        for (class, meet) in by_class(pair.right, &meets.right).into_iter().enumerate() {
            let codes = pair.right.classes.codes(class);
            shown.push(meet);
            shown.extend(right.iter().map(|position| position.map_or(u32::MAX, |position| codes[position])));
        }
        // Columns with many labels first: they tell most classes apart.
        let labels = |at: &usize| match at.checked_sub(1) {
            None => meets.count,
            Some(column) => pair.crossing[column].fits.len(),
        };
        let mut order: Vec<usize> = (0..=right.len()).collect();
        order.sort_by_key(|at| std::cmp::Reverse(labels(at)));
        Fitting {
            pair,
            meets: by_class(pair.left, &meets.left),
            positions: positions(pair.left, |column| column.left),
            tree: BoxTree::new(shown, pair.right.classes.len(), order),
        }
    }

    /// Tells the classes of the second that fit a class of the first, in no order.
    pub fn each(&self, left: u32, found: impl FnMut(u32)) {
        let codes = self.pair.left.classes.codes(left as usize);
        let meet = [self.meets[left as usize]];
        let mut wanted: Vec<&[u32]> = vec![&meet];
        for (column, position) in self.pair.crossing.iter().zip(&self.positions) {
            wanted.push(position.map_or(&[][..], |position| &column.fits[codes[position] as usize]));
        }
        self.tree.each_with(&wanted, found);
    }

    /// Whether two classes fit, as far as the crossing columns say.
    #[must_use]
    pub fn cross(&self, left: u32, right: u32) -> bool {
        let codes = self.pair.left.classes.codes(left as usize);
        let mut columns = self.pair.crossing.iter().zip(&self.positions).zip(&self.tree.shown(right)[1..]);
        columns.all(|((column, position), &right)| {
            position.is_some_and(|position| column.fit(codes[position], right))
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::attack::testing::table;
    use proptest::collection::vec;
    use proptest::prelude::*;

    fn release(rows: &[(u8, u8)]) -> Released {
        let text: String = rows.iter().map(|(age, zip)| format!("\na{age} z{zip}")).collect();
        Released::new(table(&format!("age zip{text}")), vec![0, 1], Vec::new())
    }

    proptest! {
        #[test]
        fn fitting_classes_are_found_as_by_comparing_each_two(
            left in vec((0u8..4, 0u8..3), 1..20), right in vec((0u8..4, 0u8..3), 1..20), fit in vec(any::<bool>(), 16),
        ) {
            let (left, right) = (release(&left), release(&right));
            let labels = |released: &Released| released.column(0).labels().len();
            let fits = |a: usize| (0..labels(&right) as u32).filter(|&b| fit[4 * a + b as usize]).collect();
            let fits: Vec<Vec<u32>> = (0..labels(&left)).map(fits).collect();
            let known = |label: &String| left.column(1).labels().iter().position(|other| other == label);
            let lift = right.column(1).labels().iter().map(|label| known(label).map(|code| code as u32));
            let shared = SharedColumn { left: 1, right: 1, finer: Finer::Right, lift: lift.collect() };
            let crossing = CrossingColumn { left: 0, right: 0, fits: fits.clone() };
            let pair = Pair {
                left: &left,
                right: &right,
                columns: vec![shared],
                crossing: vec![crossing],
                incomparable: Vec::new(),
                others: Vec::new(),
            };
            let meets = pair.meets();
            let fitting = pair.fitting(&meets);
            let zip = |released: &Released, class: u32| {
                released.column(1).labels()[released.classes.codes(class as usize)[1] as usize].clone()
            };
            for a in 0..left.classes.len() as u32 {
                let mut found = Vec::new();
                fitting.each(a, |b| found.push(b));
                found.sort_unstable();
                let ages = |b: u32| {
                    let code = |released: &Released, class: u32| released.classes.codes(class as usize)[0];
                    fits[code(&left, a) as usize].contains(&code(&right, b))
                };
                for b in 0..right.classes.len() as u32 {
                    prop_assert_eq!(fitting.cross(a, b), ages(b));
                }
                let fit = |b: &u32| ages(*b) && zip(&left, a) == zip(&right, *b);
                let slow: Vec<u32> = (0..right.classes.len() as u32).filter(fit).collect();
                prop_assert_eq!(found, slow);
            }
        }
    }
}
