//! Labels one level below the released ones.

use super::Attack;
use super::classes::Classes;
use super::projection::Projection;
use std::sync::Arc;

/// By class: finer labels with a number each, most frequent first. Classes may share a list.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Children {
    list_of: Vec<u32>,
    /// Where each list begins, and where the last one ends.
    starts: Vec<usize>,
    entries: Vec<(u32, u64)>,
}

impl Children {
    /// A list for every class.
    #[must_use]
    pub fn of_classes(lists: Vec<Vec<(u32, u64)>>) -> Children {
        Children::shared((0..lists.len() as u32).collect(), lists)
    }

    /// By class the number of its list.
    #[must_use]
    pub fn shared(list_of: Vec<u32>, lists: impl IntoIterator<Item = Vec<(u32, u64)>>) -> Children {
        let (mut starts, mut entries) = (vec![0], Vec::new());
        for mut list in lists {
            list.sort_unstable_by_key(|&(code, count)| (std::cmp::Reverse(count), code));
            entries.append(&mut list);
            starts.push(entries.len());
        }
        Children { list_of, starts, entries }
    }

    /// The list of a class.
    #[must_use]
    pub fn class(&self, class: usize) -> &[(u32, u64)] {
        let list = self.list_of[class] as usize;
        &self.entries[self.starts[list]..self.starts[list + 1]]
    }

    /// The lists of all classes.
    pub fn iter(&self) -> impl Iterator<Item = &[(u32, u64)]> {
        (0..self.list_of.len()).map(|class| self.class(class))
    }
}

/// What the records of another table would look like with one column a level finer than released.
#[derive(Clone, Debug)]
pub struct FinerColumn {
    /// Place of the released column.
    pub place: usize,
    /// The finer labels.
    pub labels: Vec<String>,
    /// One code per record of the other table; `None` for a value without a label. Not asked where `by_class` is given.
    pub codes: Vec<Option<u32>>,
    /// By class: the finer labels of all records that its labels cover, with their number, most frequent first. Given where every class has
    /// labels of its own: a record may then lie in several classes, and what is a level finer depends on the class.
    pub by_class: Option<Arc<Children>>,
    /// The same for all records that the class's label of this column covers, whatever their other columns show: what is common knowledge
    /// about values, not about the people of the class.
    pub by_label: Option<Arc<Children>>,
}

impl FinerColumn {
    /// By class: the finer labels that records of the other table have there, with their number, most frequent first.
    #[must_use]
    pub fn children(&self, classes: &Classes, people: &Projection) -> Arc<Children> {
        if let Some(known) = &self.by_class {
            return Arc::clone(known);
        }
        let mut pairs: Vec<(u32, u32)> = people
            .classes(classes)
            .into_iter()
            .zip(&self.codes)
            .filter_map(|(class, code)| Some((class?, (*code)?)))
            .collect();
        pairs.sort_unstable();
        let mut children: Vec<Vec<(u32, u64)>> = vec![Vec::new(); classes.len()];
        for (class, code) in pairs {
            match children[class as usize].last_mut() {
                Some((known, count)) if *known == code => *count += 1,
                _ => children[class as usize].push((code, 1)),
            }
        }
        Arc::new(Children::of_classes(children))
    }
}

/// The attacks that look a level below the labels. Where boxes overlap, finding what lies there takes long, and nobody else needs it.
pub const READERS: [Attack; 2] = [Attack::Minimality, Attack::Downcoding];

/// How generalization was chosen, as far as the attacker can tell.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Recoding {
    /// One level per column for the whole table: a class says little about why it was generalized.
    FullDomain,
    /// Each class by itself, and no more than it needs.
    Local,
}

/// P(X = x) for X ~ Bin(n, p), by logarithms.
pub(super) fn binomial(n: u64, x: u64, p: f64) -> f64 {
    if x > n {
        return 0.0;
    }
    if p <= 0.0 || p >= 1.0 {
        return f64::from(u8::from((p <= 0.0 && x == 0) || (p >= 1.0 && x == n)));
    }
    let choose: f64 = (1..=x.min(n - x)).map(|i| ((n + 1 - i) as f64).ln() - (i as f64).ln()).sum();
    (choose + x as f64 * p.ln() + (n - x) as f64 * (-p).ln_1p()).exp()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::attack::testing::table;

    #[test]
    fn binomials_add_up() {
        for (n, p) in [(0, 0.3), (1, 0.5), (12, 0.01), (300, 0.7)] {
            let sum: f64 = (0..=n).map(|x| binomial(n, x, p)).sum();
            assert!((sum - 1.0).abs() < 1e-9, "{n} {p}");
        }
        assert!((binomial(4, 2, 0.5) - 0.375).abs() < 1e-12);
        assert_eq!((binomial(3, 3, 1.0), binomial(3, 0, 0.0), binomial(3, 4, 0.5)), (1.0, 1.0, 0.0));
    }

    #[test]
    fn children_are_counted_by_class() {
        let classes = Classes::by(&table("zip\n82***\n81***"), &[0]);
        let people = Projection::new(vec![0], vec![vec![Some(0), Some(0), Some(0), Some(1), None]]);
        let codes = [Some(1), Some(0), Some(1), Some(2), Some(0)].to_vec();
        let finer = FinerColumn { place: 0, labels: Vec::new(), codes, by_class: None, by_label: None };
        let children = finer.children(&classes, &people);
        assert!(children.iter().eq([&[(1, 2), (0, 1)][..], &[(2, 1)][..]]));
    }

    #[test]
    fn classes_may_share_a_list() {
        let children = Children::shared(vec![1, 0, 1, 2], [vec![(4, 1)], vec![(2, 1), (3, 5)], vec![]]);
        let lists: Vec<&[(u32, u64)]> = children.iter().collect();
        assert_eq!(lists, [&[(3, 5), (2, 1)][..], &[(4, 1)][..], &[(3, 5), (2, 1)][..], &[][..]]);
    }
}
