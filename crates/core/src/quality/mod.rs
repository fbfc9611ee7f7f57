//! Information loss: what a release costs. A file per metric; lower is always better inside the engine.
//!
//! A new metric is a file here and its line in the list below. Nobody else matches on metrics: readers ask the [`Card`] or the [`Metric`].

mod balance;
mod boxes;
mod cell_shares;
mod class_squares;
mod column;
mod hidden_bits;
mod metric;
mod outcome;
mod page;
mod relative_levels;

pub use balance::Balance;
pub(crate) use boxes::{BoxBound, BoxLabel, BoxSums, OnBoxes, Sizes};
pub use column::QualityModel;
pub use metric::{Card, Range, Reads};
pub use outcome::Outcome;
pub use page::page;

use metric::QualityMetric;
use std::fmt;

/// Makes the enum from the list of metrics. The files are found by their names.
macro_rules! metrics {
    ($($module:ident::$name:ident),+ $(,)?) => {
        $(mod $module;)+

        /// An information-loss metric.
        #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
        pub enum Metric {
            $(
                #[doc = concat!("`quality/", stringify!($module), ".rs`; what it counts is on its [`Card`].")]
                $name
            ),+
        }

        impl Metric {
            /// All metrics, in the order of reports.
            pub const ALL: [Metric; [$(stringify!($name)),+].len()] = [$(Metric::$name),+];

            fn unit(self) -> &'static dyn QualityMetric {
                match self {
                    $(Metric::$name => &$module::$name),+
                }
            }
        }
    };
}

metrics! {
    height::Height,
    precision::Precision,
    monotone_precision::MonotonePrecision,
    loss::Loss,
    geometric_loss::GeometricLoss,
    average_class_size::AverageClassSize,
    discernibility::Discernibility,
    monotone_discernibility::MonotoneDiscernibility,
    entropy::Entropy,
    non_uniform_entropy::NonUniformEntropy,
    non_monotone_non_uniform_entropy::NonMonotoneNonUniformEntropy,
    distortion::Distortion,
    worst_loss::WorstLoss,
}

impl Metric {
    /// The name in job files and reports.
    pub fn name(self) -> &'static str {
        self.card().name
    }

    /// The metric of this name.
    pub fn by_name(name: &str) -> Option<Metric> {
        Metric::ALL.into_iter().find(|metric| metric.name() == name)
    }

    /// The names of the metrics that pass, each between `quotes`, as a sentence lists them: `loss, precision or aecs`.
    pub fn listed(quotes: &str, passes: impl Fn(Metric) -> bool) -> String {
        let passing = Metric::ALL.into_iter().filter(|&metric| passes(metric));
        let names: Vec<String> = passing.map(|metric| format!("{quotes}{metric}{quotes}")).collect();
        match names.split_last() {
            Some((last, [])) => last.clone(),
            Some((last, others)) => format!("{} or {last}", others.join(", ")),
            None => String::new(),
        }
    }
}

impl fmt::Display for Metric {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

#[cfg(test)]
mod tests;
