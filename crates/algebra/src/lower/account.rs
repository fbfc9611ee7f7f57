//! What an operator did, as data.

use super::utility::SliceUtility;
use serde::Serialize;
use std::fmt;

/// What one operator did. Tells of levels, promises and costs. Never of cells, and of no number of rows or classes but those that the answer itself shows: the
/// relation below an operator can be any selection, so its numbers answer any question. Such figures are for the house alone; they are neither written
/// as JSON nor shown as text.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(tag = "operator", rename_all = "kebab-case")]
#[non_exhaustive]
pub enum Account {
    /// α^G
    Generalize(GeneralizeAccount),
    /// α^S
    Slice(SliceAccount),
    /// α^D
    Randomize(RandomizeAccount),
    /// Noisy aggregates
    Private(PrivateAccount),
}

/// What noisy aggregates cost.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct PrivateAccount {
    /// ε of this query.
    pub epsilon: String,
    /// δ of this query.
    pub delta: String,
    /// What all queries of the session have cost, this one included.
    pub spent: String,
    /// What is left.
    pub left: String,
    /// Groups in the answer.
    pub groups: u64,
    /// Groups that were not declared are shown only from this noisy count on.
    pub threshold: Option<String>,
    /// The figures and their noise.
    pub figures: Vec<NoisyFigure>,
}

/// A figure and how far it may be from the truth.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct NoisyFigure {
    /// The column of the answer.
    pub name: String,
    /// The distribution it is hidden in; none where there is no group.
    pub noise: Option<String>,
    /// The truth is within so much of it, with a probability of 95 %.
    pub half_width: Option<String>,
}

/// What α^S did.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct SliceAccount {
    /// The column groups.
    pub groups: Vec<Vec<String>>,
    /// Rows that went in and came out. For the house alone.
    #[serde(skip)]
    pub rows: u64,
    /// Buckets. For the house alone.
    #[serde(skip)]
    pub buckets: u64,
    /// Rows of the smallest. For the house alone.
    #[serde(skip)]
    pub smallest_bucket: u64,
    /// Every two columns of a group: what they say about each other is exact.
    pub kept_pairs: Vec<(String, String)>,
    /// Every two columns of different groups: blurred inside the buckets.
    pub blurred_pairs: Vec<(String, String)>,
    /// Whether the draw can be repeated by whoever knows the seed.
    pub seeded: bool,
    /// Figures before and after, where they were asked for.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub utility: Option<SliceUtility>,
}

/// What α^D did.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct RandomizeAccount {
    /// The columns and their noise.
    pub columns: Vec<NoisyColumn>,
    /// Rows that went in and came out. For the house alone.
    #[serde(skip)]
    pub rows: u64,
    /// Whether the draw can be repeated by whoever knows the seed.
    pub seeded: bool,
    /// What it cost.
    #[serde(flatten)]
    pub charge: Charge,
}

/// What a randomisation was charged.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Charge {
    /// The ε of all columns together, each as often as a cell of it was drawn for.
    pub epsilon: String,
    /// Whether that bounds what the draw tells. If not, the owner let it pass.
    pub bounded: bool,
    /// What all noisy answers to this recipient have cost, this one included.
    pub spent: String,
    /// What is left.
    pub left: String,
}

/// What α^D did to one column, and what can still be said of it.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct NoisyColumn {
    /// The column.
    pub column: String,
    /// With this probability a cell was redrawn.
    pub probability: String,
    /// Values of the noise distribution; none where they were read off the column.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub values: Option<usize>,
    /// ln of the largest ratio of likelihoods of two true values, rounded up; infinite where an answer rules a value out.
    pub epsilon: f64,
    /// Whether the answer shows all rows that were drawn, so that estimates tell nothing else.
    #[serde(skip)]
    pub shown: bool,
    /// Unbiased estimates of the true number of rows of each value that was *released*, with standard errors; none where the noise cannot be undone, and
    /// none where the answer does not show all rows.
    pub estimates: Option<Vec<ValueEstimate>>,
}

/// The true number of rows of a value, as far as the noisy ones can tell.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct ValueEstimate {
    /// The value; none for the missing one.
    pub value: Option<String>,
    /// Rows that show it now.
    pub observed: u64,
    /// Rows that had it, estimated without bias.
    pub estimate: f64,
    /// Its standard error over the noise.
    pub standard_error: f64,
}

/// What α^G found.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct GeneralizeAccount {
    /// What was promised, and holds.
    pub promise: String,
    /// Where every quasi-identifier ended.
    pub levels: Vec<Level>,
    /// The measure of loss.
    pub metric: &'static str,
    /// The least loss there is, if `optimal`. To three digits: all of them would tell about single rows.
    #[serde(serialize_with = "three_digits")]
    pub loss: f64,
    /// Whether the whole lattice is decided.
    pub optimal: bool,
    /// Rows left out. For the house alone.
    #[serde(skip)]
    pub suppressed_rows: u64,
    /// Classes in the result. For the house alone.
    #[serde(skip)]
    pub classes: u64,
    /// Rows of the smallest. For the house alone.
    #[serde(skip)]
    pub smallest_class: u64,
    /// Full checks the search made. For the house alone.
    #[serde(skip)]
    pub checks: u64,
}

/// The level of one column.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Level {
    /// The column.
    pub column: String,
    /// Its level; 0 is unchanged. With local recoding the highest that a class shows.
    pub level: u8,
    /// With local recoding: the lowest that a class shows.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub lowest: Option<u8>,
    /// The highest there is.
    pub of: u8,
}

impl fmt::Display for Account {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Account::Generalize(account) => account.fmt(f),
            Account::Slice(account) => account.fmt(f),
            Account::Randomize(account) => account.fmt(f),
            Account::Private(account) => account.fmt(f),
        }
    }
}

impl fmt::Display for GeneralizeAccount {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let levels: Vec<String> = self.levels.iter().map(Level::to_string).collect();
        let best = if self.optimal { "the best there is" } else { "the best found" };
        write!(
            f,
            "generalize ({}): levels {}; {} {}, {best}",
            self.promise,
            levels.join(", "),
            self.metric,
            rounded(self.loss)
        )
    }
}

/// `age 2/4`, or `age 0-2/4` where classes differ.
impl fmt::Display for Level {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} ", self.column)?;
        if let Some(lowest) = self.lowest.filter(|&lowest| lowest != self.level) {
            write!(f, "{lowest}-")?;
        }
        write!(f, "{}/{}", self.level, self.of)
    }
}

impl fmt::Display for SliceAccount {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let groups: Vec<String> =
            self.groups.iter().map(|group| format!("{{{}}}", group.join(", "))).collect();
        write!(
            f,
            "slice: groups {}; {} of {} pairs of columns are exact{}",
            groups.join(" "),
            self.kept_pairs.len(),
            self.kept_pairs.len() + self.blurred_pairs.len(),
            seeded(self.seeded)
        )
    }
}

impl fmt::Display for RandomizeAccount {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let column = |noisy: &NoisyColumn| {
            let epsilon =
                if noisy.epsilon.is_finite() { format!("{:.4}", noisy.epsilon) } else { "∞".to_owned() };
            format!("{} with probability {} (ε = {epsilon})", noisy.column, noisy.probability)
        };
        let columns: Vec<String> = self.columns.iter().map(column).collect();
        write!(f, "randomize: {}; {}{}", columns.join(", "), self.charge, seeded(self.seeded))?;
        self.columns.iter().try_for_each(|noisy| noisy.fmt_estimates(f))
    }
}

impl NoisyColumn {
    /// A line per value: rows that show it, and the estimate of those that had it.
    fn fmt_estimates(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        /// Columns with more values have their estimates in JSON.
        const MOST: usize = 12;
        if !self.shown {
            return Ok(());
        }
        let Some(estimates) = &self.estimates else {
            return write!(
                f,
                "\n  {}: no estimate, the noise cannot be undone with what is public",
                self.column
            );
        };
        let shown = &estimates[..estimates.len().min(MOST)];
        let name =
            |estimate: &ValueEstimate| estimate.value.clone().unwrap_or_else(|| "(missing)".to_owned());
        let width = shown.iter().map(|estimate| name(estimate).chars().count()).max().unwrap_or_default();
        write!(f, "\n  {}, rows shown → rows estimated without the noise (± standard error):", self.column)?;
        for estimate in shown {
            let padding = " ".repeat(width.saturating_sub(name(estimate).chars().count()));
            let (value, observed) = (name(estimate), estimate.observed);
            write!(
                f,
                "\n    {value}{padding}  {observed} → {:.1} ± {:.1}",
                estimate.estimate, estimate.standard_error
            )?;
        }
        match estimates.len() - shown.len() {
            0 => Ok(()),
            more => write!(f, "\n    and {more} more values (all of them with --json)"),
        }
    }
}

impl fmt::Display for PrivateAccount {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let figure = |figure: &NoisyFigure| {
            let half_width = figure.half_width.as_deref().unwrap_or("nothing shown");
            format!("{} ± {half_width}", figure.name)
        };
        let figures: Vec<String> = self.figures.iter().map(figure).collect();
        write!(f, "private: ε = {}, δ = {}; {} (95 %)", self.epsilon, self.delta, figures.join(", "))?;
        if let Some(threshold) = &self.threshold {
            write!(f, "; groups below {threshold} are not shown")?;
        }
        write!(f, "; spent in all {}, left {}", self.spent, self.left)
    }
}

impl fmt::Display for Charge {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Charge { epsilon, bounded, spent, left } = self;
        match bounded {
            true => write!(f, "costs ε = {epsilon} in all; spent {spent}, left {left}"),
            false => write!(f, "no ε bounds it, which the owner allows"),
        }
    }
}

/// Three significant digits.
fn rounded(loss: f64) -> String {
    if loss == 0.0 || !loss.is_finite() {
        return loss.to_string();
    }
    format!("{loss:.2e}").parse::<f64>().map_or_else(|_| loss.to_string(), |rounded| rounded.to_string())
}

fn three_digits<S: serde::Serializer>(loss: &f64, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.serialize_f64(rounded(*loss).parse().unwrap_or(*loss))
}

fn seeded(seeded: bool) -> &'static str {
    if seeded { "; drawn from a seed: whoever knows it can undo the draw" } else { "" }
}
