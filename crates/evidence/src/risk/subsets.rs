//! Which columns, alone or together, tell people apart?

use super::DistinctRows;
use super::grouping::Groups;
use crate::microdata::Microdata;
use rayon::prelude::*;
use serde::Serialize;

/// More subsets than this are not looked at: the largest size is lowered until they fit.
const MOST_SUBSETS: usize = 5000;
/// Nor more bytes of marks, one bit per class and subset.
const MOST_BYTES: usize = 1 << 29;

/// What one set of columns tells.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct SubsetRisk {
    /// Places of the columns among those looked at, ascending.
    pub columns: Vec<usize>,
    /// Different combinations of their values.
    pub combinations: u64,
    /// `combinations/rows`: 1 if the columns are a key. Motwani & Xu, "Efficient algorithms for masking and finding
    /// quasi-identifiers", VLDB 2007.
    pub distinction: f64,
    /// Share of the pairs of rows that the columns tell apart. Motwani & Xu 2007.
    pub separation: f64,
    /// Rows that are alone with their combination.
    pub unique_rows: u64,
    /// Those of them that no smaller set of these columns makes unique: minimal sample uniques. Elliot, Manning & Ford, "A
    /// computational algorithm for handling the special uniques problem", IJUFKS 10(5), 2002.
    pub minimal_unique_rows: u64,
}

/// All sets of columns up to a size.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct SubsetFigures {
    /// The largest size looked at; less than asked for where that would be too much.
    pub largest: usize,
    /// By size, then in the order of the columns.
    pub subsets: Vec<SubsetRisk>,
    /// Rows that some set of this size makes unique.
    pub rows_singled_out: u64,
    /// By column: share of the minimal sample uniques that the column is part of; 0 if there are none.
    pub contribution: Vec<f64>,
}

impl SubsetFigures {
    /// Sets that make rows unique which no smaller set does, most rows first.
    #[must_use]
    pub fn minimal(&self) -> Vec<&SubsetRisk> {
        let mut found: Vec<&SubsetRisk> =
            self.subsets.iter().filter(|set| set.minimal_unique_rows > 0).collect();
        found
            .sort_by_key(|set| (std::cmp::Reverse(set.minimal_unique_rows), set.columns.len(), &set.columns));
        found
    }
}

/// Looks at every set of up to `largest` columns. Time grows with sets × classes, memory with one bit for each.
#[must_use]
pub fn subsets(rows: &DistinctRows, largest: usize) -> SubsetFigures {
    look_at_all(rows, None, largest)
}

fn look_at_all(rows: &DistinctRows, owners: Option<&Owners>, largest: usize) -> SubsetFigures {
    let width = rows.columns().len();
    let largest = feasible(width, rows.classes(), largest);
    let mut found: Vec<Looked> = if largest == 0 {
        Vec::new()
    } else {
        let singles = (0..width).into_par_iter().map(|column| {
            let start = Groups::one(rows.classes());
            vec![look(rows, owners, &start, vec![column])]
        });
        let pairs: Vec<(usize, usize)> =
            (0..width).flat_map(|first| (first + 1..width).map(move |second| (first, second))).collect();
        let pairs = pairs.into_par_iter().map(|(first, second)| {
            let mut found = Vec::new();
            if largest >= 2 {
                let start =
                    Groups::one(rows.classes()).refined(&rows.columns()[first], rows.cardinalities()[first]);
                let set = Descent { rows, owners, largest };
                set.descend(&start, &mut vec![first], second, &mut found);
            }
            found
        });
        singles.chain(pairs).flatten_iter().collect()
    };
    found.sort_by(|a, b| (a.columns.len(), &a.columns).cmp(&(b.columns.len(), &b.columns)));
    summed_up(rows, owners, largest, &found)
}

/// The same for a table that says whose row each row is: people are unique whose combination is nobody else's, however many rows they have.
#[must_use]
pub fn subsets_of(data: &Microdata, columns: &[usize], largest: usize) -> SubsetFigures {
    let Some(people) = data.people() else { return subsets(&DistinctRows::of(data, columns), largest) };
    // An entry per person and combination of all columns.
    let classes = DistinctRows::of(data, columns);
    let mut present: Vec<(u32, u32)> =
        classes.class_of().iter().copied().zip(people.iter().copied()).collect();
    present.sort_unstable();
    present.dedup();
    let codes: Vec<Vec<u32>> = (classes.columns().iter())
        .map(|codes| present.iter().map(|&(class, _)| codes[class as usize]).collect())
        .collect();
    let columns: Vec<(&[u32], usize)> =
        codes.iter().map(Vec::as_slice).zip(classes.cardinalities().iter().copied()).collect();
    let entries = DistinctRows::of_distinct(&columns, &vec![1; present.len()]);
    let mut owners: Vec<u32> = present.iter().map(|&(_, person)| person).collect();
    let mut known = owners.clone();
    known.sort_unstable();
    known.dedup();
    for owner in &mut owners {
        *owner = known.partition_point(|person| person < owner) as u32;
    }
    look_at_all(&entries, Some(&Owners { of_entry: owners, people: known.len() }), largest)
}

/// Whose the entries of a table are.
struct Owners {
    /// Dense numbers.
    of_entry: Vec<u32>,
    people: usize,
}

/// A set with its unique classes marked.
struct Looked {
    columns: Vec<usize>,
    combinations: u64,
    pairs_together: u128,
    unique: Vec<u64>,
}

/// The table that sets are looked at in, and the largest of them.
struct Descent<'a> {
    rows: &'a DistinctRows,
    owners: Option<&'a Owners>,
    largest: usize,
}

impl Descent<'_> {
    /// Looks at `prefix` and `column`, and at all larger sets that start with these.
    fn descend(&self, groups: &Groups, prefix: &mut Vec<usize>, column: usize, found: &mut Vec<Looked>) {
        let rows = self.rows;
        prefix.push(column);
        found.push(look(rows, self.owners, groups, prefix.clone()));
        if prefix.len() < self.largest && column + 1 < rows.columns().len() {
            let refined = groups.refined(&rows.columns()[column], rows.cardinalities()[column]);
            for next in column + 1..rows.columns().len() {
                self.descend(&refined, prefix, next, found);
            }
        }
        prefix.pop();
    }
}

/// Looks at one set: the groups of all its columns but the last, told apart by the last.
fn look(rows: &DistinctRows, owners: Option<&Owners>, groups: &Groups, columns: Vec<usize>) -> Looked {
    let last = columns[columns.len() - 1];
    let (codes, cardinality) = (&rows.columns()[last], rows.cardinalities()[last]);
    let mut unique = vec![0u64; marks(rows, owners).div_ceil(64)];
    let (mut combinations, mut pairs_together) = (0u64, 0u128);
    groups.visit_refined(
        codes,
        cardinality,
        rows.weights(),
        |size| {
            combinations += 1;
            pairs_together += u128::from(size) * u128::from(size - 1) / 2;
        },
        |class| {
            if owners.is_none() {
                unique[class / 64] |= 1 << (class % 64);
            }
        },
    );
    if let Some(owners) = owners {
        let refined = groups.refined(codes, cardinality);
        // `None`: nobody yet; `Some(None)`: several people.
        let mut owner_of: Vec<Option<Option<u32>>> = vec![None; refined.count];
        for (&group, &person) in refined.of_row.iter().zip(&owners.of_entry) {
            let owner = &mut owner_of[group as usize];
            *owner = Some(match *owner {
                None => Some(person),
                Some(known) => known.filter(|&known| known == person),
            });
        }
        for person in owner_of.into_iter().flatten().flatten() {
            unique[person as usize / 64] |= 1 << (person % 64);
        }
    }
    Looked { columns, combinations, pairs_together, unique }
}

/// How many may be unique: classes, or people.
fn marks(rows: &DistinctRows, owners: Option<&Owners>) -> usize {
    owners.map_or(rows.classes(), |owners| owners.people)
}

fn summed_up(
    rows: &DistinctRows,
    owners: Option<&Owners>,
    largest: usize,
    found: &[Looked],
) -> SubsetFigures {
    let total = rows.rows();
    let pairs = u128::from(total) * u128::from(total.saturating_sub(1)) / 2;
    let place = |columns: &[usize]| {
        found.binary_search_by(|set| {
            (set.columns.len(), set.columns.as_slice()).cmp(&(columns.len(), columns))
        })
    };
    let figures = |set: &Looked| {
        // Unique in a set means unique in every larger one, so the sets with one column less suffice.
        let mut smaller = Vec::new();
        for left_out in 0..set.columns.len() {
            let mut columns = set.columns.clone();
            columns.remove(left_out);
            smaller.extend(place(&columns).ok().map(|place| &found[place].unique));
        }
        let mut minimal = 0;
        for (word, &marks) in set.unique.iter().enumerate() {
            let before = smaller.iter().fold(0, |marks, other| marks | other[word]);
            minimal += u64::from((marks & !before).count_ones());
        }
        SubsetRisk {
            columns: set.columns.clone(),
            combinations: set.combinations,
            distinction: set.combinations as f64 / total.max(1) as f64,
            separation: if pairs == 0 { 0.0 } else { 1.0 - set.pairs_together as f64 / pairs as f64 },
            unique_rows: ones(&set.unique),
            minimal_unique_rows: minimal,
        }
    };
    let subsets: Vec<SubsetRisk> = found.par_iter().map(figures).collect();
    let mut singled_out = vec![0u64; marks(rows, owners).div_ceil(64)];
    for set in found.iter().filter(|set| set.columns.len() == largest) {
        singled_out.iter_mut().zip(&set.unique).for_each(|(all, &marks)| *all |= marks);
    }
    let minimal: u64 = subsets.iter().map(|set| set.minimal_unique_rows).sum();
    let contribution = (0..rows.columns().len()).map(|column| {
        let with = subsets.iter().filter(|set| set.columns.contains(&column));
        with.map(|set| set.minimal_unique_rows).sum::<u64>() as f64 / minimal.max(1) as f64
    });
    SubsetFigures {
        largest,
        rows_singled_out: ones(&singled_out),
        contribution: contribution.collect(),
        subsets,
    }
}

fn ones(marks: &[u64]) -> u64 {
    marks.iter().map(|word| u64::from(word.count_ones())).sum()
}

/// The largest size, at most `wanted`, with few enough sets.
fn feasible(width: usize, classes: usize, wanted: usize) -> usize {
    let most = MOST_SUBSETS.min(MOST_BYTES / classes.div_ceil(8).max(1));
    let (mut sets, mut of_size) = (0usize, 1usize);
    for size in 1..=wanted.min(width) {
        of_size = of_size.saturating_mul(width - size + 1) / size;
        sets = sets.saturating_add(of_size);
        if sets > most {
            return size - 1;
        }
    }
    wanted.min(width)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use std::collections::HashMap;

    fn distinct(table: &[Vec<u32>], width: usize) -> DistinctRows {
        let columns: Vec<Vec<u32>> = (0..width).map(|c| table.iter().map(|row| row[c]).collect()).collect();
        let columns: Vec<(&[u32], usize)> = columns.iter().map(|codes| (codes.as_slice(), 1000)).collect();
        DistinctRows::weighted(&columns, &vec![1; table.len()])
    }

    fn sets(width: usize, largest: usize) -> Vec<Vec<usize>> {
        let all =
            (1u32..1 << width).map(|bits| (0..width).filter(|c| bits >> c & 1 == 1).collect::<Vec<_>>());
        let mut all: Vec<Vec<usize>> = all.filter(|set| set.len() <= largest).collect();
        all.sort_by(|a, b| (a.len(), a).cmp(&(b.len(), b)));
        all
    }

    fn project(row: &[u32], set: &[usize]) -> Vec<u32> {
        set.iter().map(|&column| row[column]).collect()
    }

    fn is_unique(table: &[Vec<u32>], row: &[u32], set: &[usize]) -> bool {
        table.iter().filter(|other| project(other, set) == project(row, set)).count() == 1
    }

    #[test]
    fn a_key_and_a_constant() {
        let table: Vec<Vec<u32>> = (0..10).map(|i| vec![i, 5]).collect();
        let found = subsets(&distinct(&table, 2), 2);
        assert_eq!((found.subsets[0].distinction, found.subsets[0].separation), (1.0, 1.0));
        assert_eq!((found.subsets[1].distinction, found.subsets[1].separation), (0.1, 0.0));
        assert_eq!(found.subsets[2].minimal_unique_rows, 0, "the key alone does it");
        assert_eq!((found.rows_singled_out, &found.contribution[..]), (10, &[1.0, 0.0][..]));
    }

    #[test]
    fn too_many_sets_are_cut_by_size() {
        assert_eq!((feasible(9, 1_200_000, 4), feasible(9, 1_200_000, 9)), (4, 9));
        assert_eq!(feasible(40, 1000, 4), 2);
        assert_eq!(feasible(0, 0, 3), 0);
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(48))]
        #[test]
        fn people_are_alone_where_counting_finds_nobody_else(
            rows in prop::collection::vec((prop::array::uniform3(0u32..4), 0u32..8), 1..40),
            largest in 1usize..4,
        ) {
            use crate::microdata::Column;
            let labels: Vec<String> = (0..4).map(|label| label.to_string()).collect();
            let column = |at: usize| {
                Column::new(at.to_string(), labels.clone(), rows.iter().map(|row| row.0[at]).collect())
            };
            let data = Microdata::new((0..3).map(column).collect())
                .with_people(Some(rows.iter().map(|row| row.1 * 1000).collect()));
            let found = subsets_of(&data, &[0, 1, 2], largest);
            let alone = |person: u32, set: &[usize]| {
                let of = |(codes, _): &([u32; 3], u32)| project(codes, set);
                rows.iter().any(|row| {
                    row.1 == person && rows.iter().all(|other| other.1 == person || of(other) != of(row))
                })
            };
            let people: std::collections::BTreeSet<u32> = rows.iter().map(|row| row.1).collect();
            for set in &found.subsets {
                let unique: Vec<u32> = people.iter().copied().filter(|&person| alone(person, &set.columns)).collect();
                prop_assert_eq!(set.unique_rows as usize, unique.len());
                let smaller = sets(3, set.columns.len() - 1);
                let inside = |person: u32| {
                    smaller.iter().any(|s| s.iter().all(|c| set.columns.contains(c)) && alone(person, s))
                };
                let minimal = unique.iter().filter(|&&person| !inside(person)).count();
                prop_assert_eq!(set.minimal_unique_rows as usize, minimal);
            }
            // Class sizes and values of people, by the definition.
            let classes = DistinctRows::of_people(&data, &[0, 1]);
            for (class, &size) in classes.weights().iter().enumerate() {
                let members: std::collections::BTreeSet<u32> = rows.iter().zip(classes.class_of())
                    .filter(|(_, of)| **of as usize == class).map(|(row, _)| row.1).collect();
                prop_assert_eq!(size as usize, members.len());
            }
            let values = crate::risk::disclosure::ClassValues::of_people(&classes, data.columns()[2].codes(), 4, data.people());
            let pairs: std::collections::BTreeSet<([u32; 3], u32)> = rows.iter().copied().collect();
            prop_assert_eq!(values.totals().iter().sum::<u64>() as usize, pairs.len());
        }

        #[test]
        fn figures_agree_with_counting(
            width in 1usize..5,
            wide in 1u32..1000,
            cells in prop::collection::vec(0u32..1000, 0..160),
            largest in 0usize..5,
        ) {
            let limits = [3, wide, 2, 5];
            let table: Vec<Vec<u32>> = cells
                .chunks_exact(width)
                .map(|row| row.iter().zip(limits).map(|(cell, limit)| cell % limit).collect())
                .collect();
            let found = subsets(&distinct(&table, width), largest);
            let expected = sets(width, largest.min(width));
            prop_assert_eq!(found.subsets.iter().map(|set| set.columns.clone()).collect::<Vec<_>>(), expected.clone());
            let n = table.len();
            for (set, figures) in expected.iter().zip(&found.subsets) {
                let mut counts: HashMap<Vec<u32>, usize> = HashMap::new();
                table.iter().for_each(|row| *counts.entry(project(row, set)).or_default() += 1);
                prop_assert_eq!(figures.combinations as usize, counts.len());
                let apart = (0..n).flat_map(|a| (a + 1..n).map(move |b| (a, b)));
                let apart = apart.filter(|&(a, b)| project(&table[a], set) != project(&table[b], set)).count();
                if n > 1 {
                    prop_assert!((figures.separation - apart as f64 / (n * (n - 1) / 2) as f64).abs() < 1e-12);
                }
                let unique: Vec<&Vec<u32>> = table.iter().filter(|row| is_unique(&table, row, set)).collect();
                prop_assert_eq!(figures.unique_rows as usize, unique.len());
                let smaller = sets(width, set.len() - 1);
                let smaller: Vec<&Vec<usize>> = smaller.iter().filter(|s| s.iter().all(|c| set.contains(c))).collect();
                let minimal = unique.iter().filter(|row| !smaller.iter().any(|s| is_unique(&table, row, s))).count();
                prop_assert_eq!(figures.minimal_unique_rows as usize, minimal);
            }
            let reach = sets(width, largest.min(width));
            let singled = table.iter().filter(|row| reach.iter().any(|set| is_unique(&table, row, set))).count();
            prop_assert_eq!(found.rows_singled_out as usize, singled);
        }
    }
}
