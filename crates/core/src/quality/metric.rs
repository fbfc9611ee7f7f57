//! The metrics by name.

use super::{Outcome, QualityModel, class_size, discernibility, entropy, height, loss, precision};
use crate::criteria::Suppression;
use crate::grouping::Classes;
use crate::lattice::{Lattice, Node};

/// An information-loss metric.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Metric {
    /// HM: sum of the levels.
    Height,
    /// PM: mean relative level of all cells; suppressed cells count as fully generalized.
    Precision,
    /// PM*: mean relative level, suppression not counted.
    MonotonePrecision,
    /// LM: mean share of the domain that a cell's label covers; suppressed cells count 1.
    Loss,
    /// The geometric mean of the columns' LM, `∏(1 + LM_i)^(1/n) − 1`.
    GeometricLoss,
    /// AECS: average class size relative to the smallest one asked for.
    AverageClassSize,
    /// DM: with how many rows can each row be confused?
    Discernibility,
    /// DM*: the same over all classes, suppression not counted.
    MonotoneDiscernibility,
    /// EM: entropy metric; not monotone even without suppression.
    Entropy,
    /// NUEM: non-uniform entropy, suppression not counted.
    NonUniformEntropy,
    /// NMNUEM: non-uniform entropy, suppression counted.
    NonMonotoneNonUniformEntropy,
}

impl Metric {
    /// All metrics, in the order of reports.
    pub const ALL: [Metric; 11] = [
        Metric::Height,
        Metric::Precision,
        Metric::MonotonePrecision,
        Metric::Loss,
        Metric::GeometricLoss,
        Metric::AverageClassSize,
        Metric::Discernibility,
        Metric::MonotoneDiscernibility,
        Metric::Entropy,
        Metric::NonUniformEntropy,
        Metric::NonMonotoneNonUniformEntropy,
    ];

    /// The name in job files and reports.
    pub fn name(self) -> &'static str {
        match self {
            Metric::Height => "height",
            Metric::Precision => "precision",
            Metric::MonotonePrecision => "precision-m",
            Metric::Loss => "loss",
            Metric::GeometricLoss => "loss-geometric",
            Metric::AverageClassSize => "aecs",
            Metric::Discernibility => "discernibility",
            Metric::MonotoneDiscernibility => "discernibility-m",
            Metric::Entropy => "entropy",
            Metric::NonUniformEntropy => "nuem",
            Metric::NonMonotoneNonUniformEntropy => "nmnuem",
        }
    }

    /// The metric of this name.
    pub fn by_name(name: &str) -> Option<Metric> {
        Metric::ALL.into_iter().find(|metric| metric.name() == name)
    }

    /// Whether generalizing further never lowers the loss.
    pub fn is_monotone(self, suppression: Suppression) -> bool {
        match self {
            Metric::Height
            | Metric::MonotonePrecision
            | Metric::MonotoneDiscernibility
            | Metric::NonUniformEntropy => true,
            Metric::Entropy => false,
            Metric::Precision
            | Metric::Loss
            | Metric::GeometricLoss
            | Metric::AverageClassSize
            | Metric::Discernibility
            | Metric::NonMonotoneNonUniformEntropy => suppression == Suppression::Forbidden,
        }
    }

    /// What no generalization of a node goes below that suppresses at most `limit` rows, told by the node's classes: generalizing merges classes, which are then fewer and larger,
    /// and a suppressed row never costs less than a row of its class. None for metrics that do not look at classes.
    pub(crate) fn bound_above(self, model: &QualityModel, classes: &Classes, limit: u64) -> Option<f64> {
        match self {
            Metric::AverageClassSize => Some(class_size::least_above(model, classes)),
            Metric::Discernibility => Some(discernibility::least_above(model, classes)),
            Metric::MonotoneDiscernibility => {
                Some(discernibility::monotone_least_above(model, classes, limit))
            }
            Metric::Height
            | Metric::Precision
            | Metric::MonotonePrecision
            | Metric::Loss
            | Metric::GeometricLoss
            | Metric::Entropy
            | Metric::NonUniformEntropy
            | Metric::NonMonotoneNonUniformEntropy => None,
        }
    }

    /// What a node goes not below that leaves out so many rows, whatever else it does; −∞ for metrics that charge less for a row than its labels do.
    pub(crate) fn bound_without(self, model: &QualityModel, left_out: u64) -> f64 {
        match self {
            Metric::Discernibility => discernibility::least_without(model, left_out),
            _ => f64::NEG_INFINITY,
        }
    }

    /// A node that leaves out more rows than this has at least the loss; none where it need not.
    pub(crate) fn most_left_out(self, model: &QualityModel, loss: f64) -> Option<u64> {
        (self == Metric::Discernibility).then(|| discernibility::most_left_out(model, loss))
    }

    /// Whether the numbers and sizes of classes in the [`Outcome`] are read.
    pub(crate) fn reads_class_sizes(self) -> bool {
        match self {
            Metric::AverageClassSize | Metric::Discernibility | Metric::MonotoneDiscernibility => true,
            Metric::Height
            | Metric::Precision
            | Metric::MonotonePrecision
            | Metric::Loss
            | Metric::GeometricLoss
            | Metric::Entropy
            | Metric::NonUniformEntropy
            | Metric::NonMonotoneNonUniformEntropy => false,
        }
    }

    /// Whether [`Outcome::suppressed_values`] must be filled in.
    pub fn reads_suppressed_values(self) -> bool {
        match self {
            Metric::Loss | Metric::GeometricLoss | Metric::Entropy | Metric::NonMonotoneNonUniformEntropy => {
                true
            }
            Metric::Height
            | Metric::Precision
            | Metric::MonotonePrecision
            | Metric::AverageClassSize
            | Metric::Discernibility
            | Metric::MonotoneDiscernibility
            | Metric::NonUniformEntropy => false,
        }
    }

    /// A loss that the node cannot go below, known without a look at its classes: exact for the metrics that depend on the levels
    /// only, the loss without suppression for those that charge it, and for the metrics of class sizes what the fewest
    /// possible rows per class would cost.
    pub fn bound_before_check(self, model: &QualityModel, node: &Node) -> f64 {
        let nothing_suppressed = || Outcome::nothing_suppressed(node);
        match self {
            Metric::Height => height::height(model, node),
            Metric::Precision => precision::least(model, node),
            Metric::MonotonePrecision => precision::monotone(model, node),
            Metric::Loss => loss::arithmetic(model, &nothing_suppressed()),
            Metric::GeometricLoss => loss::geometric(model, &nothing_suppressed()),
            Metric::Entropy => entropy::uniform(model, &nothing_suppressed()),
            Metric::NonUniformEntropy | Metric::NonMonotoneNonUniformEntropy => {
                entropy::non_uniform(model, node)
            }
            Metric::AverageClassSize => class_size::least(model, node),
            Metric::Discernibility | Metric::MonotoneDiscernibility => discernibility::least(model, node),
        }
    }

    /// The same for all nodes of a lattice that can be enumerated, by index.
    pub fn bounds_before_check(self, model: &QualityModel, lattice: &Lattice) -> Vec<f64> {
        match self {
            Metric::NonUniformEntropy | Metric::NonMonotoneNonUniformEntropy => {
                entropy::non_uniform_of_all(model, lattice)
            }
            _ => {
                let bound = |index| self.bound_before_check(model, &lattice.node(index));
                (0..lattice.node_count() as u64).map(bound).collect()
            }
        }
    }

    /// The loss, lower is better.
    pub fn loss(self, model: &QualityModel, outcome: &Outcome) -> f64 {
        match self {
            Metric::Height => height::height(model, &outcome.node),
            Metric::Precision => precision::per_cell(model, outcome),
            Metric::MonotonePrecision => precision::monotone(model, &outcome.node),
            Metric::Loss => loss::arithmetic(model, outcome),
            Metric::GeometricLoss => loss::geometric(model, outcome),
            Metric::AverageClassSize => class_size::average(model, outcome),
            Metric::Discernibility => discernibility::discernibility(model, outcome),
            Metric::MonotoneDiscernibility => discernibility::monotone(outcome),
            Metric::Entropy => entropy::uniform(model, outcome),
            Metric::NonUniformEntropy => entropy::non_uniform(model, &outcome.node),
            Metric::NonMonotoneNonUniformEntropy => entropy::non_uniform_with_suppression(model, outcome),
        }
    }

    /// The metric as the literature defines it: the precision metrics count down from 1.
    pub fn as_defined(self, loss: f64) -> f64 {
        match self {
            Metric::Precision | Metric::MonotonePrecision => 1.0 - loss,
            _ => loss,
        }
    }
}
