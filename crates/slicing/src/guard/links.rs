//! Groups that tell each other.
//!
//! Whoever knows that a town determines its zip code takes the town of one group for a column of the other, and picks among the rows of the bucket that have
//! that zip code. The share of rows found in this way is that of [overlapping groups](crate::checks::relinking): `Σ_buckets distinct values / rows`.

use super::Examined;
use crate::checks::{numbered, runs};
use rayon::prelude::*;

/// A column of one group that is told by a column, or by all columns, of another.
#[derive(Debug, Clone, PartialEq)]
pub struct Link {
    /// Numbers of the group that tells and of the one that is told, from 1.
    pub groups: (usize, usize),
    /// The columns that tell, as positions in the columns of the groups.
    pub determinant: Vec<usize>,
    /// The column that is told.
    pub dependent: usize,
    /// Of the rows that share the determinant's value with an earlier one, those that have the commonest partner: 1 is a functional dependency.
    pub confirmed: f64,
    /// The same for an attacker who knows the commonest value only.
    pub without: f64,
    /// Rows that are linked rightly by picking among those with the value that is told.
    pub linked: usize,
    /// The same by picking among all rows of a bucket: the number of buckets.
    pub chance: usize,
}

/// From this share on a value tells another.
const NEARLY: f64 = 0.95;
/// And it takes away this part of the doubt, at least.
const OF_THE_DOUBT: f64 = 0.75;
/// Fewer repetitions confirm nothing.
const FEWEST: usize = 25;
/// Larger tables are judged by whole buckets with this number of rows in all.
const SAMPLE: usize = 100_000;

/// Dependencies between columns of different groups, neither of them known: over the whole table, or inside the buckets.
pub(super) fn links(what: &Examined<'_>) -> Vec<Link> {
    let (rows, buckets) = sample(what);
    let mut questions = Vec::new();
    for telling in 0..what.groups.len() {
        let own = what.mixed(telling);
        let mut determinants: Vec<Vec<usize>> = own.iter().map(|&column| vec![column]).collect();
        if own.len() > 1 {
            determinants.push(own);
        }
        for told in (0..what.groups.len()).filter(|&told| told != telling) {
            for dependent in what.mixed(told) {
                let others = determinants.iter().filter(|columns| !columns.contains(&dependent)).cloned();
                questions.extend(others.map(|columns| ((telling + 1, told + 1), columns, dependent)));
            }
        }
    }
    let answer = |(groups, determinant, dependent): ((usize, usize), Vec<usize>, usize)| {
        let columns: Vec<&[u32]> = determinant.iter().map(|&column| what.table.columns[column]).collect();
        let (telling, _) = numbered(&columns, &rows);
        let told: Vec<u32> = rows.iter().map(|&row| what.table.columns[dependent][row as usize]).collect();
        let everywhere = Confirmation::of(&telling, &told, None);
        let inside = Confirmation::of(&telling, &told, Some(&buckets));
        let best = [everywhere, inside].into_iter().find(Confirmation::is_dependency)?;
        let (confirmed, without) = (best.confirmed, best.without);
        let (linked, chance) = (linked(what, dependent), what.table.layout.buckets());
        Some(Link { groups, determinant, dependent, confirmed, without, linked, chance })
    };
    let mut found: Vec<Link> = questions.into_par_iter().filter_map(answer).collect();
    // A whole group adds nothing where one of its columns tells already.
    let single: Vec<(usize, usize)> = found
        .iter()
        .filter(|link| link.determinant.len() == 1)
        .map(|link| (link.groups.0, link.dependent))
        .collect();
    found.retain(|link| link.determinant.len() == 1 || !single.contains(&(link.groups.0, link.dependent)));
    found
}

/// Rows, and the number of the bucket of each.
fn sample(what: &Examined<'_>) -> (Vec<u32>, Vec<u32>) {
    let layout = what.table.layout;
    let step = layout.rows().div_ceil(SAMPLE).max(1);
    let (mut rows, mut buckets) = (Vec::new(), Vec::new());
    let in_buckets = layout.buckets() >= 2 * step;
    for (number, bucket) in layout.iter().enumerate() {
        let own: Vec<u32> = match in_buckets {
            true if number % step == 0 => bucket.to_vec(),
            true => Vec::new(),
            false => bucket.iter().copied().step_by(step).collect(),
        };
        buckets.resize(buckets.len() + own.len(), number as u32);
        rows.extend(own);
    }
    (rows, buckets)
}

/// How well repeated values agree about another column.
struct Confirmation {
    /// Rows beyond the first of their value.
    repetitions: usize,
    confirmed: f64,
    without: f64,
}

impl Confirmation {
    /// With buckets, values of different ones are different.
    fn of(telling: &[u32], told: &[u32], buckets: Option<&[u32]>) -> Confirmation {
        let bucket = |place: usize| buckets.map_or(0, |buckets| buckets[place]);
        let mut triples: Vec<(u32, u32, u32)> =
            (0..telling.len()).map(|place| (bucket(place), telling[place], told[place])).collect();
        triples.sort_unstable();
        let (mut repetitions, mut right) = (0, 0);
        for rows in triples.chunk_by(|a, b| (a.0, a.1) == (b.0, b.1)).filter(|rows| rows.len() > 1) {
            repetitions += rows.len() - 1;
            right += runs(rows).map(|(_, count)| count as usize).max().unwrap_or(1) - 1;
        }
        let mut pairs: Vec<(u32, u32)> = triples.iter().map(|triple| (triple.0, triple.2)).collect();
        pairs.sort_unstable();
        let commonest: usize = pairs
            .chunk_by(|a, b| a.0 == b.0)
            .map(|rows| runs(rows).map(|(_, count)| count as usize).max().unwrap_or(0))
            .sum();
        Confirmation {
            repetitions,
            confirmed: right as f64 / repetitions.max(1) as f64,
            without: commonest as f64 / pairs.len().max(1) as f64,
        }
    }

    fn is_dependency(&self) -> bool {
        let doubt = 1.0 - self.without;
        self.repetitions >= FEWEST
            && self.confirmed >= NEARLY
            && doubt > 0.0
            && (1.0 - self.confirmed) <= (1.0 - OF_THE_DOUBT) * doubt
    }
}

/// `Σ_buckets distinct values of the column`.
fn linked(what: &Examined<'_>, column: usize) -> usize {
    let distinct = |bucket: &[u32]| numbered(&[what.table.columns[column]], bucket).1;
    what.table.layout.iter().map(distinct).sum()
}
