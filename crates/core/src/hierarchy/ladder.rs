//! One column on every level, over the values that occur.

use std::borrow::Cow;

use hashbrown::HashMap;

use super::Unplaced;

/// One column on every level, over the values present.
///
/// A value's position in the input slice is its code on level 0. What holds of every ladder:
/// rung 0 is the identity; every rung has a group for every value; group codes are dense, in order of first
/// appearance by value code; two groups of a rung differ in their label; and values that share a group share
/// it on all higher rungs (monotone), so that groups can be mapped upwards without the values.
#[derive(Debug, Clone, PartialEq)]
pub struct Ladder {
    rungs: Vec<Rung>,
}

/// One level of a [`Ladder`].
#[derive(Clone, PartialEq)]
pub struct Rung {
    /// Value code → group code on this level.
    pub group_of: Vec<u32>,
    /// Group code → label; `None` is the missing value.
    pub labels: Vec<Option<String>>,
    /// Group code → share of the domain it blurs, 0 (exact) to 1 (tells nothing): the column's term of the
    /// loss metric LM. Iyengar, "Transforming data to satisfy privacy constraints", KDD 2002.
    pub loss: Vec<f64>,
}

/// Cells never reach a log: only the sizes are shown.
impl std::fmt::Debug for Rung {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "Rung({} values, {} groups)", self.group_of.len(), self.labels.len())
    }
}

/// Why values do not make a ladder. Positions count from 0 in the slice of values.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum LadderError {
    /// Values that the hierarchy does not cover.
    #[error("{} values have no place in the hierarchy; the first: {}", .0.len(), first_place(.0))]
    Unplaced(Vec<(usize, Unplaced)>),
    /// The same value twice: codes would not be unique.
    #[error("the value at position {position} occurred before")]
    Repeated {
        /// Position of the second occurrence.
        position: usize,
    },
    /// More values than codes.
    #[error("a column may have at most {} different values", u32::MAX)]
    TooManyValues,
    /// No rung, rung 0 is not the identity, or a rung does not fit the number of values.
    #[error("level {level} does not assign every value to a group")]
    Shape {
        /// Level at fault.
        level: usize,
    },
    /// Group codes that are not dense in order of first appearance, or labels that repeat.
    #[error("level {level}: groups are not numbered by first appearance, or two have the same label")]
    Groups {
        /// Level at fault.
        level: usize,
    },
    /// Values that share a group on one level and are separated on the next.
    #[error("values that share a group on level {} are in different groups on level {level}", level - 1)]
    NotMonotone {
        /// The upper level.
        level: usize,
    },
    /// A loss outside 0..=1.
    #[error("level {level}: a loss is not a share between 0 and 1")]
    Loss {
        /// Level at fault.
        level: usize,
    },
}

impl Ladder {
    /// From finished rungs; every invariant is checked.
    pub fn from_rungs(rungs: Vec<Rung>) -> Result<Ladder, LadderError> {
        let values = rungs.first().ok_or(LadderError::Shape { level: 0 })?.group_of.len();
        if values > u32::MAX as usize {
            return Err(LadderError::TooManyValues);
        }
        if rungs.len() > usize::from(u8::MAX) + 1 {
            return Err(LadderError::Shape { level: usize::from(u8::MAX) + 1 });
        }
        for (level, rung) in rungs.iter().enumerate() {
            let groups = rung.labels.len();
            if rung.group_of.len() != values || rung.loss.len() != groups || (level == 0 && groups != values)
            {
                return Err(LadderError::Shape { level });
            }
            let mut seen = 0u32;
            for &group in &rung.group_of {
                if group > seen {
                    return Err(LadderError::Groups { level });
                }
                seen += u32::from(group == seen);
            }
            let mut labels = hashbrown::HashSet::with_capacity(groups);
            if seen as usize != groups || !rung.labels.iter().all(|label| labels.insert(label)) {
                return Err(LadderError::Groups { level });
            }
            if !rung.loss.iter().all(|loss| (0.0..=1.0).contains(loss)) {
                return Err(LadderError::Loss { level });
            }
        }
        for level in 1..rungs.len() {
            let (below, above) = (&rungs[level - 1], &rungs[level]);
            let mut parent = vec![None; below.labels.len()];
            for (&group, &over) in below.group_of.iter().zip(&above.group_of) {
                if *parent[group as usize].get_or_insert(over) != over {
                    return Err(LadderError::NotMonotone { level });
                }
            }
        }
        Ok(Ladder { rungs })
    }

    /// From one row per value, its labels from level 0 up. The values present are the leaves of the loss.
    ///
    /// ```
    /// # use paravent_core::hierarchy::Ladder;
    /// let rows = [["34", "20-60", "*"], ["45", "20-60", "*"], ["66", ">=61", "*"]];
    /// let rows: Vec<_> = rows.iter().map(|row| row.iter().map(|l| Some(l.to_string())).collect()).collect();
    /// let ladder = Ladder::from_labels(&rows).unwrap();
    /// assert_eq!(ladder.rung(1).group_of, [0, 0, 1]);
    /// assert_eq!(ladder.rung(1).loss, [0.5, 0.0]);
    /// ```
    pub fn from_labels(rows: &[Vec<Option<String>>]) -> Result<Ladder, LadderError> {
        let height = rows.first().map_or(1, Vec::len);
        if rows.iter().any(|row| row.len() != height) {
            return Err(LadderError::Shape { level: rows.iter().map(Vec::len).min().unwrap_or(0) });
        }
        let rungs = (0..height).map(|level| {
            let mut codes = HashMap::new();
            let mut labels = Vec::new();
            let group_of: Vec<u32> = (rows.iter())
                .map(|row| {
                    *codes.entry(&row[level]).or_insert_with(|| {
                        labels.push(row[level].clone());
                        labels.len() as u32 - 1
                    })
                })
                .collect();
            let leaves = count(&group_of, labels.len());
            let loss = leaves.into_iter().map(|n| categorical_loss(n, rows.len())).collect();
            Rung { group_of, labels, loss }
        });
        Ladder::from_rungs(rungs.collect())
    }

    /// Walks up a hierarchy known to be monotone: each group is labelled by its first value, so a level costs
    /// as many labels as the level below has groups. All values without a place are reported.
    pub(super) fn climb<'a>(
        values: &[Option<&'a str>],
        max_level: u8,
        label: impl Fn(Option<&'a str>, u8) -> Result<Option<Cow<'a, str>>, Unplaced>,
        loss: impl Fn(&NewGroup<'_>) -> f64,
    ) -> Result<Ladder, LadderError> {
        let mut rungs = vec![identity(values)?];
        let unplaced: Vec<_> = (values.iter().enumerate())
            .filter_map(|(position, value)| label(*value, 0).err().map(|why| (position, why)))
            .collect();
        if !unplaced.is_empty() {
            return Err(LadderError::Unplaced(unplaced));
        }
        let mut first_of: Vec<usize> = (0..values.len()).collect();
        for level in 1..=max_level {
            let mut codes: HashMap<Option<Cow<'a, str>>, u32> = HashMap::new();
            let mut parent = Vec::with_capacity(first_of.len());
            let mut firsts = Vec::new();
            for &first in &first_of {
                let text =
                    label(values[first], level).map_err(|why| LadderError::Unplaced(vec![(first, why)]))?;
                parent.push(*codes.entry(text).or_insert_with(|| {
                    firsts.push(first);
                    firsts.len() as u32 - 1
                }));
            }
            let below = &rungs[usize::from(level) - 1];
            let group_of: Vec<u32> = below.group_of.iter().map(|&group| parent[group as usize]).collect();
            let mut labels = vec![None; firsts.len()];
            for (text, code) in codes {
                labels[code as usize] = text.map(Cow::into_owned);
            }
            let loss = (count(&group_of, labels.len()).into_iter().enumerate())
                .map(|(code, leaves)| {
                    loss(&NewGroup {
                        level,
                        first: values[firsts[code]],
                        label: labels[code].as_deref(),
                        leaves,
                    })
                })
                .collect();
            rungs.push(Rung { group_of, labels, loss });
            first_of = firsts;
        }
        Ok(Ladder { rungs })
    }

    /// Number of values.
    pub fn values(&self) -> usize {
        self.rungs[0].group_of.len()
    }

    /// The highest level; level 0 is the value as it came in.
    pub fn max_level(&self) -> u8 {
        (self.rungs.len() - 1) as u8
    }

    /// All rungs, from level 0 up.
    pub fn rungs(&self) -> &[Rung] {
        &self.rungs
    }

    /// One level.
    ///
    /// # Panics
    /// Above [`max_level`](Ladder::max_level).
    pub fn rung(&self, level: u8) -> &Rung {
        &self.rungs[usize::from(level)]
    }

    /// Number of groups on a level.
    ///
    /// # Panics
    /// Above [`max_level`](Ladder::max_level).
    pub fn cardinality(&self, level: u8) -> usize {
        self.rung(level).labels.len()
    }

    /// Group on level `from` → group on level `to`.
    ///
    /// # Panics
    /// When `from` is above `to`, or `to` above [`max_level`](Ladder::max_level).
    pub fn step(&self, from: u8, to: u8) -> Vec<u32> {
        assert!(from <= to, "groups can be mapped upwards only");
        let mut map = vec![0; self.cardinality(from)];
        for (&below, &above) in self.rung(from).group_of.iter().zip(&self.rung(to).group_of) {
            map[below as usize] = above;
        }
        map
    }
}

/// A group of the rung under construction, as its loss sees it.
pub(super) struct NewGroup<'a> {
    pub level: u8,
    /// The first value of the group.
    pub first: Option<&'a str>,
    pub label: Option<&'a str>,
    /// Values present in the group.
    pub leaves: usize,
}

/// `(L − 1) / (Ltop − 1)`: 0 for a single leaf, also when the whole hierarchy has just one.
pub fn categorical_loss(leaves: usize, all: usize) -> f64 {
    if leaves <= 1 || all <= 1 { 0.0 } else { ((leaves - 1) as f64 / (all - 1) as f64).min(1.0) }
}

fn identity(values: &[Option<&str>]) -> Result<Rung, LadderError> {
    let codes = u32::try_from(values.len()).map_err(|_| LadderError::TooManyValues)?;
    let mut seen = hashbrown::HashSet::with_capacity(values.len());
    if let Some(position) = values.iter().position(|value| !seen.insert(*value)) {
        return Err(LadderError::Repeated { position });
    }
    let labels = values.iter().map(|value| value.map(str::to_owned)).collect();
    Ok(Rung { group_of: (0..codes).collect(), labels, loss: vec![0.0; values.len()] })
}

fn count(group_of: &[u32], groups: usize) -> Vec<usize> {
    let mut counts = vec![0; groups];
    for &group in group_of {
        counts[group as usize] += 1;
    }
    counts
}

fn first_place(unplaced: &[(usize, Unplaced)]) -> String {
    unplaced.first().map_or_else(String::new, |(position, why)| format!("position {position}, {why}"))
}
