//! Which columns can stay together: groups for the pairs that an analysis needs.
//!
//! Whether columns may stand together is decided by what only grows with them: the identifying sets they contain, and the rows that are alone with their values. So a pair that is
//! kept can be kept in any order, and merging stops where nothing more is possible.

use crate::groups::IdentifyingSets;
use crate::guard::unique_rows;
use crate::share::Share;
use crate::utility::association;
use rayon::prelude::*;

/// What is to be planned.
#[derive(Clone, Copy)]
pub struct Planning<'a> {
    /// Names of the columns.
    pub names: &'a [&'a str],
    /// The columns as codes.
    pub columns: &'a [&'a [u32]],
    /// Pairs that an analysis needs, the most important first; places in `names`.
    pub pairs: &'a [(usize, usize)],
    /// Sets that no group may contain.
    pub identifying: &'a IdentifyingSets,
    /// Most rows that may be alone inside a group.
    pub unique: Share,
}

/// Why columns cannot stand together.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Obstacle {
    /// They contain an identifying set.
    Identifying(Vec<String>),
    /// Too many rows are alone with their values.
    Unique {
        /// Rows that are alone.
        rows: usize,
    },
}

/// A pair that cannot be kept.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Lost {
    /// The pair.
    pub pair: (usize, usize),
    /// The columns that would have to stand together: the pair, and what they stand with already.
    pub columns: Vec<usize>,
    /// Why they cannot.
    pub obstacle: Obstacle,
}

/// Groups, and what they cannot keep.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Plan {
    /// The groups as places of columns, each ascending, in the order of their first columns.
    pub groups: Vec<Vec<usize>>,
    /// Rows that are alone inside each group; 0 for a group of one column.
    pub unique: Vec<usize>,
    /// Pairs that cannot be kept.
    pub lost: Vec<Lost>,
}

/// More rows than this are not looked at for associations.
const SAMPLE: usize = 50_000;

/// Plans the largest groups that keep every pair that can be kept. After the pairs, groups are merged by what their columns tell about each other, the most first.
pub fn plan(what: &Planning<'_>) -> Plan {
    let mut groups: Vec<Vec<usize>> = (0..what.names.len()).map(|column| vec![column]).collect();
    let mut lost = Vec::new();
    for &pair in what.pairs {
        let at = |column: usize| groups.iter().position(|group| group.contains(&column));
        let (Some(first), Some(second)) = (at(pair.0), at(pair.1)) else { continue };
        if first == second {
            continue;
        }
        let columns = together(&groups[first], &groups[second]);
        match obstacle(what, &columns) {
            None => join(&mut groups, first, second),
            Some(obstacle) => lost.push(Lost { pair, columns, obstacle }),
        }
    }
    let told = Told::of(what);
    let mut refused: Vec<Vec<usize>> = Vec::new();
    loop {
        let mut candidates: Vec<(f64, usize, usize)> = Vec::new();
        for first in 0..groups.len() {
            for second in first + 1..groups.len() {
                candidates.push((told.between(&groups[first], &groups[second]), first, second));
            }
        }
        // The most told first; the order of the columns decides among equals.
        candidates.sort_by(|a, b| b.0.total_cmp(&a.0).then((a.1, a.2).cmp(&(b.1, b.2))));
        let merged = candidates.into_iter().find(|&(_, first, second)| {
            let columns = together(&groups[first], &groups[second]);
            if refused.contains(&columns) {
                return false;
            }
            // Two groups at least: with one there is nothing to mix.
            let possible = groups.len() > 2 && obstacle(what, &columns).is_none();
            if !possible {
                refused.push(columns);
            }
            possible
        });
        match merged {
            Some((_, first, second)) => join(&mut groups, first, second),
            None => break,
        }
    }
    groups.sort();
    let alone = |group: &Vec<usize>| if group.len() > 1 { unique(what, group) } else { 0 };
    let unique = groups.iter().map(alone).collect();
    Plan { groups, unique, lost }
}

fn together(first: &[usize], second: &[usize]) -> Vec<usize> {
    let mut columns = [first, second].concat();
    columns.sort_unstable();
    columns
}

fn join(groups: &mut Vec<Vec<usize>>, first: usize, second: usize) {
    let columns = together(&groups[first], &groups[second]);
    groups[first] = columns;
    groups.remove(second);
}

fn unique(what: &Planning<'_>, columns: &[usize]) -> usize {
    unique_rows(&columns.iter().map(|&column| what.columns[column]).collect::<Vec<_>>(), None)
}

/// Why these columns cannot stand together.
fn obstacle(what: &Planning<'_>, columns: &[usize]) -> Option<Obstacle> {
    let names: Vec<&str> = columns.iter().map(|&column| what.names[column]).collect();
    let contained =
        |set: &&std::collections::BTreeSet<String>| set.iter().all(|name| names.contains(&name.as_str()));
    if let Some(set) = what.identifying.iter().find(contained) {
        return Some(Obstacle::Identifying(set.iter().cloned().collect()));
    }
    let all = what.columns.first().map_or(0, |column| column.len());
    let rows = unique(what, columns);
    what.unique.is_exceeded_by(rows, all).then_some(Obstacle::Unique { rows })
}

/// Bits that every two columns have in common.
struct Told(Vec<Vec<f64>>);

impl Told {
    fn of(what: &Planning<'_>) -> Told {
        let rows = what.columns.first().map_or(0, |column| column.len());
        let step = rows.div_ceil(SAMPLE).max(1);
        let sampled: Vec<Vec<u32>> =
            what.columns.iter().map(|column| column.iter().copied().step_by(step).collect()).collect();
        let width = sampled.len();
        let bits = |first: usize| -> Vec<f64> {
            (0..width)
                .map(
                    |second| {
                        if first < second { association(&sampled[first], &sampled[second]).1 } else { 0.0 }
                    },
                )
                .collect()
        };
        Told((0..width).into_par_iter().map(bits).collect())
    }

    /// The most that a column of one group tells about one of the other.
    fn between(&self, first: &[usize], second: &[usize]) -> f64 {
        let pairs = first.iter().flat_map(|&a| second.iter().map(move |&b| (a.min(b), a.max(b))));
        pairs.map(|(a, b)| self.0[a][b]).fold(0.0, f64::max)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn column(salt: u32, values: u32) -> Vec<u32> {
        (0..400_u32)
            .map(|row| ((row + 1) * (2 * salt + 1)).wrapping_mul(2_654_435_761) / 65_536 % values)
            .collect()
    }

    fn planned(columns: &[Vec<u32>], pairs: &[(usize, usize)], sets: &[Vec<&str>], unique: &str) -> Plan {
        let names = ["a", "b", "c", "d", "e"];
        let columns: Vec<&[u32]> = columns.iter().map(Vec::as_slice).collect();
        plan(&Planning {
            names: &names[..columns.len()],
            columns: &columns,
            pairs,
            identifying: &IdentifyingSets::declared(sets),
            unique: Share::parse(unique).unwrap(),
        })
    }

    #[test]
    fn pairs_are_kept_and_identifying_sets_are_not() {
        let columns = [column(1, 4), column(2, 4), column(3, 4), column(4, 4), column(5, 4)];
        let plan = planned(&columns, &[(0, 3), (0, 4)], &[vec!["a", "b"], vec!["b", "c", "d"]], "1");
        assert!(plan.lost.is_empty());
        let of = |column: usize| plan.groups.iter().find(|group| group.contains(&column)).unwrap();
        assert!(of(0).contains(&3) && of(0).contains(&4) && !of(0).contains(&1));
        // As large as possible: no two groups can be merged.
        assert_eq!(plan.groups.len(), 2);
    }

    #[test]
    fn what_cannot_stand_together_is_told() {
        let columns = [column(1, 4), column(2, 4), column(3, 4)];
        let plan = planned(&columns, &[(0, 1), (1, 2)], &[vec!["a", "b", "c"]], "1");
        assert_eq!(plan.groups, [vec![0, 1], vec![2]]);
        assert_eq!(plan.lost[0].pair, (1, 2));
        assert!(matches!(&plan.lost[0].obstacle, Obstacle::Identifying(set) if set == &["a", "b", "c"]));
    }

    #[test]
    fn identifying_sets_are_found_in_the_data() {
        let columns = [column(1, 40), column(2, 40), column(3, 3)];
        let plan = planned(&columns, &[(0, 1)], &[], "0.1");
        assert!(matches!(plan.lost[0].obstacle, Obstacle::Unique { rows } if rows > 40));
        assert!(plan.unique.iter().all(|&rows| rows <= 40));
    }

    #[test]
    fn columns_that_tell_each_other_come_together_first() {
        let town = column(1, 12);
        let zip: Vec<u32> = town.iter().map(|town| town * 5 % 12).collect();
        let plan =
            planned(&[town, column(2, 3), zip, column(3, 3)], &[], &[vec!["a", "b"], vec!["c", "d"]], "1");
        assert!(plan.groups.iter().any(|group| group.contains(&0) && group.contains(&2)), "{plan:?}");
    }
}
