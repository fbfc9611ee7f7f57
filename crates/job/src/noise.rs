//! `noise` of an attribute: how its cells are drawn for.

use super::names::names;
use std::path::PathBuf;

/// `noise = { … }`. Numbers stay as they were written: who draws reads them exactly.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NoiseSpec {
    /// The values that a cell may have; `None`: read off the table, its file, or given by bounds.
    pub values: Option<Vec<String>>,
    /// How strong.
    pub strength: Strength,
    /// What a redrawn cell becomes, or what is added.
    pub law: NoiseLaw,
    /// What becomes of a cell that is none of the values.
    pub outside: OutsideCells,
    /// With `outside = "other"`: the value that it counts as.
    pub other: Option<String>,
    /// What becomes of a missing cell.
    pub missing: MissingNoise,
    /// Noise that depends on another column.
    pub by: Option<NoiseBy>,
}

/// How strong noise is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Strength {
    /// Nothing is said: a kernel is the whole noise.
    Whole,
    /// A cell is redrawn with this probability.
    Probability(String),
    /// What it may give away.
    Epsilon {
        /// ε
        epsilon: String,
        /// δ; without one the promise never fails.
        delta: Option<String>,
    },
}

/// What a redrawn cell becomes, or what is added to a number.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum NoiseLaw {
    /// Every value with the same weight.
    Uniform,
    /// As often as in the table.
    Learnt,
    /// A weight for each value.
    Weights(Vec<String>),
    /// By distance in the order of the values.
    Steps {
        /// Places and their weights.
        steps: Vec<(i32, String)>,
        /// What becomes of steps beyond an end.
        tails: NoiseTails,
        /// What becomes of weight that the steps leave open.
        rest: NoiseRest,
    },
    /// A table: first line the values, then a line per old value.
    Kernel(KernelTable),
    /// Noise that is added to a number.
    Added {
        /// Which.
        law: AddedLaw,
        /// The least value.
        min: String,
        /// The greatest value.
        max: String,
        /// The distance of two values.
        step: String,
    },
}

/// Where a kernel stands.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum KernelTable {
    /// In a file of delimited text.
    File(PathBuf),
    /// In the job.
    Lines(Vec<Vec<String>>),
}

/// Noise that depends on another column.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NoiseBy {
    /// The other column.
    pub column: String,
    /// Its values, each with the noise for it; the empty text stands for a missing one.
    pub cases: Vec<(String, NoiseCase)>,
}

/// The noise where another column has a certain value.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NoiseCase {
    /// How strong.
    pub strength: Strength,
    /// What a redrawn cell becomes.
    pub law: NoiseLaw,
}

/// Noise that is added to a number.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum AddedLaw {
    /// Laplace noise, rounded to steps.
    Laplace,
    /// Two-sided geometric noise.
    Geometric,
    /// Discrete Gaussian noise; needs a δ.
    Gaussian,
}
names!(AddedLaw { Laplace: "laplace", Geometric: "geometric", Gaussian: "gaussian" });

/// What becomes of a step beyond the first or last value.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum NoiseTails {
    /// It stops there.
    Clamped,
    /// It goes on from the other end.
    Cyclic,
}
names!(NoiseTails { Clamped: "clamped", Cyclic: "cyclic" });

/// What becomes of weight that steps leave open.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum NoiseRest {
    /// There must be none.
    Refused,
    /// The value stays.
    Stays,
    /// It is spread evenly over the values that no step reaches.
    Spread,
}
names!(NoiseRest { Refused: "refused", Stays: "stays", Spread: "spread" });

/// What becomes of a cell that is none of the values.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum OutsideCells {
    /// Nothing is drawn.
    Refuse,
    /// A number counts as the nearest bound.
    Clamp,
    /// It counts as the value that `other` names.
    Other,
}
names!(OutsideCells { Refuse: "refuse", Clamp: "clamp", Other: "other" });

/// What becomes of a missing cell.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum MissingNoise {
    /// Nothing is drawn.
    Refuse,
    /// Missing is one of the values.
    Value,
    /// A value of equal chance takes its place before the noise is drawn.
    Draw,
}
names!(MissingNoise { Refuse: "refuse", Value: "value", Draw: "draw" });
