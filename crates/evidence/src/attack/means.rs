//! What the attacker is given.

use super::finer::{FinerColumn, Recoding};
use super::games::Players;
use super::projection::Projection;
use super::releases::Pair;
use super::{Attack, Grouping, OrderPromise, Outcome, Promises, Released};
use crate::microdata::Column;
use rand::SeedableRng;
use rand::rngs::ChaCha20Rng;

/// What the attacker is given. An attack that lacks something has no outcome.
#[derive(Debug)]
pub struct Means<'a> {
    /// The release that is attacked, and what is known besides.
    pub target: Option<Target<'a>>,
    /// A sliced or bucketized table.
    pub sliced: Option<SlicedTable<'a>>,
    /// A log of queries.
    pub queries: Option<Queries>,
    /// A secret from this share on is told.
    pub threshold: f64,
    /// Tries of each game.
    pub attempts: usize,
    /// Where chance comes from.
    pub seed: u64,
}

impl Means<'_> {
    /// Chance for one attack; which others are run does not matter.
    pub(super) fn random(&self, attack: Attack) -> ChaCha20Rng {
        let number = Attack::ALL.iter().position(|&known| known == attack).unwrap_or(0) as u64;
        ChaCha20Rng::seed_from_u64(self.seed.wrapping_add(number << 40))
    }

    /// The release and the people that the games are about.
    pub(super) fn players(&self) -> Option<(&Target<'_>, Players<'_>)> {
        let target = self.target.as_ref()?;
        let inside = target.original.as_ref()?.projection;
        Some((target, Players { inside, outside: target.outside }))
    }
}

/// A release with what is known besides.
#[derive(Debug)]
pub struct Target<'a> {
    /// The released rows.
    pub released: &'a Released,
    /// What was promised.
    pub promises: &'a Promises,
    /// The sensitive columns.
    pub secrets: Vec<Secret>,
    /// What is promised about the order of rows.
    pub order: OrderPromise,
    /// Whether one level per column holds for all rows.
    pub recoding: Recoding,
    /// Rows that could have been suppressed.
    pub suppressible_rows: u64,
    /// The original table, to judge by.
    pub original: Option<People<'a>>,
    /// A list with names.
    pub list: Option<List<'a>>,
    /// People like those in the table, who are not in it.
    pub outside: Option<&'a Projection>,
    /// Everybody who might be in the table.
    pub population: Option<People<'a>>,
    /// Columns with noise.
    pub noise: Vec<NoisyColumn>,
    /// Earlier releases, each beside this one.
    pub earlier: Vec<Earlier<'a>>,
    /// Each two of the earlier releases, by their places in `earlier`.
    pub among: Vec<(usize, usize, Pair<'a>)>,
}

/// What is known of a sensitive column.
#[derive(Debug)]
pub struct Secret {
    /// Its place in the release.
    pub place: usize,
    /// Values that must not be ruled out.
    pub protected: Vec<String>,
    /// How often each value occurs in the original, and after these one entry for all values that are not released.
    pub overall: Option<Vec<u64>>,
    /// Its values as numbers, by code.
    pub numbers: Option<Vec<Option<f64>>>,
    /// Levels on which values belong together.
    pub groupings: Vec<Grouping>,
    /// The promised diversity; 0 where none is promised.
    pub diversity: f64,
}

/// People, written with the labels of the release.
#[derive(Debug)]
pub struct People<'a> {
    /// Their cells.
    pub projection: &'a Projection,
    /// Their cells one level finer; empty where none of the attacks that [read](super::finer::READERS) them is tried.
    pub finer: Vec<FinerColumn>,
}

/// A list with names, written with the labels of the release.
#[derive(Debug)]
pub struct List<'a> {
    /// Those on it.
    pub people: &'a Projection,
    /// Each one's own row in the original, to judge by.
    pub truth: Option<&'a Projection>,
    /// Whether it is the original itself.
    pub is_the_original: bool,
}

/// A column with noise.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct NoisyColumn {
    /// Its place in the release.
    pub place: usize,
    /// Probability that a cell was kept.
    pub keep: f64,
}

/// An earlier release beside the new one.
#[derive(Debug)]
pub struct Earlier<'a> {
    /// Its name.
    pub subject: String,
    /// Both.
    pub pair: Pair<'a>,
}

impl Earlier<'_> {
    /// The outcome with the name of the release.
    pub(super) fn told(&self, outcome: Outcome) -> Outcome {
        let subject = match &outcome.subject {
            Some(column) => format!("{}, {column}", self.subject),
            None => self.subject.clone(),
        };
        outcome.about(&subject)
    }
}

/// A sliced or bucketized table.
#[derive(Debug)]
pub struct SlicedTable<'a> {
    /// The bucket of each row.
    pub buckets: &'a [u32],
    /// The columns that the attacker knows.
    pub known: Vec<&'a Column>,
    /// The columns of the other groups.
    pub secrets: Vec<&'a Column>,
    /// Columns of two groups of which one tells the other.
    pub links: Vec<Link<'a>>,
}

/// A column that tells another one.
#[derive(Debug)]
pub struct Link<'a> {
    /// Both names.
    pub name: String,
    /// Its cells, as codes of the other.
    pub key: Vec<u32>,
    /// The cells of the other.
    pub right: &'a [u32],
}

/// A log of queries.
#[derive(Debug)]
pub struct Queries {
    /// By query: the rows it was about.
    pub rows_of: Vec<Vec<u32>>,
    /// The promised k.
    pub k: u64,
    /// How many rows the table has, where the answer about all of them is known.
    pub rows: Option<u64>,
}
