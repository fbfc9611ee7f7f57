//! What a metric can say about a release.

use super::{Metric, OnBoxes, Outcome, QualityModel};
use crate::criteria::Suppression;
use crate::grouping::Classes;
use crate::lattice::{Lattice, Node};

/// What users read about a metric.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Card {
    /// The name in job files and reports.
    pub name: &'static str,
    /// The name in sentences.
    pub title: &'static str,
    /// From where to where it goes.
    pub range: Range,
    /// What it counts.
    pub meaning: &'static str,
    /// The paper that defines it.
    pub source: &'static str,
}

/// From where to where a metric goes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Range {
    /// In words.
    Words(&'static str),
    /// From 0 to the height of the lattice.
    Heights,
    /// From the number of rows to its square.
    Squares,
}

/// What of a release a metric reads.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Reads {
    /// The levels of the node, and how many rows are suppressed.
    Levels,
    /// Numbers and sizes of classes.
    ClassSizes,
    /// How often each value occurs.
    Values,
}

/// A metric. What is not asked of all has a default that is always safe.
///
/// Runtime: every method but those that take [`Classes`] is linear in the columns. Bounds are floats that never exceed the loss that is
/// computed for the same node: a bound adds up in the order of [`loss`](QualityMetric::loss).
pub(crate) trait QualityMetric: Sync {
    /// What users read about it.
    fn card(&self) -> Card;
    /// What it reads.
    fn reads(&self) -> Reads;
    /// Whether the loss follows from the released rows, the levels, and how many rows were read and suppressed. Such a figure tells nobody
    /// more than the release does; others also move with values that were generalized or suppressed.
    fn follows_from_release(&self) -> bool {
        false
    }
    /// The loss of a node, lower is better.
    fn loss(&self, model: &QualityModel, outcome: &Outcome) -> f64;
    /// Whether generalizing further never lowers the loss.
    fn is_monotone(&self, suppression: Suppression) -> bool;
    /// Lower bound of the node's loss, known without a look at its classes.
    fn bound_before_check(&self, model: &QualityModel, node: &Node) -> f64;

    /// [`bound_before_check`](QualityMetric::bound_before_check) of all nodes of a lattice that can be enumerated, by index.
    fn bounds_before_check(&self, model: &QualityModel, lattice: &Lattice) -> Vec<f64> {
        let bound = |index| self.bound_before_check(model, &lattice.node(index));
        (0..lattice.node_count() as u64).map(bound).collect()
    }
    /// Whether a generalization of a node never has a lower bound before its check.
    fn bounds_grow(&self) -> bool {
        true
    }
    /// Lower bound over all generalizations that suppress at most `limit` rows, from the classes of the node. Generalizing merges
    /// classes, which are then fewer and larger, and a suppressed row never costs less than a row of its class.
    fn lower_bound_above(&self, _: &QualityModel, _classes: &Classes, _limit: u64) -> Option<f64> {
        None
    }
    /// Lower bound of the loss of a node that suppresses `rows` rows.
    fn lower_bound_without(&self, _: &QualityModel, _rows: u64) -> f64 {
        f64::NEG_INFINITY
    }
    /// A node that suppresses more rows than this has at least the loss; `None` where it need not.
    fn most_suppressed(&self, _: &QualityModel, _loss: f64) -> Option<u64> {
        None
    }
    /// The bound before the check where the rows of a person are suppressed one by one, so that a class may keep some of its rows.
    /// Metrics of cells charge each cell by itself: their bounds hold as they are.
    fn bound_of_split_classes(&self, bound: f64, _rows: f64, _least_class_size: f64) -> f64 {
        bound
    }
    /// Whether [`Outcome::suppressed_values`] must be filled in.
    fn reads_suppressed_values(&self) -> bool {
        false
    }
    /// Whether the share of its domain that a label covers is read.
    fn reads_shares(&self) -> bool {
        false
    }
    /// Whether the loss without suppression is a sum over the columns.
    fn adds_up_over_columns(&self) -> bool {
        false
    }
    /// Whether the height of the node decides where all columns weigh the same.
    fn is_the_height(&self) -> bool {
        false
    }
    /// Whether generalization and suppression are charged apart, so that their [`Balance`](super::Balance) can be moved.
    fn has_balance(&self) -> bool {
        false
    }
    /// The metric as the literature defines it.
    fn as_defined(&self, loss: f64) -> f64 {
        loss
    }
    /// What it makes of a local recoding; `None` if it is not defined where labels of a column come from several levels.
    fn on_boxes(&self) -> Option<OnBoxes> {
        None
    }
    /// What it counts otherwise there than in a node.
    fn differs_on_boxes(&self) -> Option<&'static str> {
        None
    }
}

impl Metric {
    /// What users read about it.
    pub fn card(self) -> Card {
        self.unit().card()
    }

    /// What it reads.
    pub fn reads(self) -> Reads {
        self.unit().reads()
    }

    /// Whether the loss follows from the released rows, the levels, and how many rows were read and suppressed.
    pub fn follows_from_release(self) -> bool {
        self.unit().follows_from_release()
    }

    /// The loss of a node, lower is better.
    pub fn loss(self, model: &QualityModel, outcome: &Outcome) -> f64 {
        self.unit().loss(model, outcome)
    }

    /// The metric as the literature defines it: the precision metrics count down from 1.
    pub fn as_defined(self, loss: f64) -> f64 {
        self.unit().as_defined(loss)
    }

    /// Whether generalizing further never lowers the loss.
    pub fn is_monotone(self, suppression: Suppression) -> bool {
        self.unit().is_monotone(suppression)
    }

    /// Lower bound of the node's loss, known without a look at its classes: exact for the metrics that depend on the levels only, the
    /// loss without suppression for those that charge it, and for the metrics of class sizes the loss with as many classes as possible.
    pub fn bound_before_check(self, model: &QualityModel, node: &Node) -> f64 {
        self.unit().bound_before_check(model, node)
    }

    /// [`bound_before_check`](Metric::bound_before_check) of all nodes of a lattice that can be enumerated, by index.
    pub fn bounds_before_check(self, model: &QualityModel, lattice: &Lattice) -> Vec<f64> {
        self.unit().bounds_before_check(model, lattice)
    }

    /// Whether a generalization of a node never has a lower bound before its check.
    pub fn bounds_grow(self) -> bool {
        self.unit().bounds_grow()
    }

    /// Whether [`Outcome::suppressed_values`] must be filled in.
    pub fn reads_suppressed_values(self) -> bool {
        self.unit().reads_suppressed_values()
    }

    /// Whether the share of its domain that a label covers is read.
    pub fn reads_shares(self) -> bool {
        self.unit().reads_shares()
    }

    /// Whether the loss without suppression is a sum over the columns.
    pub fn adds_up_over_columns(self) -> bool {
        self.unit().adds_up_over_columns()
    }

    /// Whether the [`Balance`](super::Balance) of generalization and suppression can be moved.
    pub fn has_balance(self) -> bool {
        self.unit().has_balance()
    }

    /// Whether it is defined where labels of a column come from several levels.
    pub fn is_defined_on_boxes(self) -> bool {
        self.unit().on_boxes().is_some()
    }

    /// What it counts otherwise there than where all rows have the same levels, in words.
    pub fn differs_on_boxes(self) -> Option<&'static str> {
        self.unit().differs_on_boxes()
    }

    /// Whether the balance can be moved there, too.
    pub fn has_balance_on_boxes(self) -> bool {
        self.unit().on_boxes().is_some_and(|boxes| boxes.has_balance)
    }

    pub(crate) fn on_boxes(self) -> Option<OnBoxes> {
        self.unit().on_boxes()
    }

    /// Whether the numbers and sizes of classes in the [`Outcome`] are read.
    pub(crate) fn reads_class_sizes(self) -> bool {
        self.reads() == Reads::ClassSizes
    }

    pub(crate) fn is_the_height(self) -> bool {
        self.unit().is_the_height()
    }

    pub(crate) fn lower_bound_above(
        self,
        model: &QualityModel,
        classes: &Classes,
        limit: u64,
    ) -> Option<f64> {
        self.unit().lower_bound_above(model, classes, limit)
    }

    pub(crate) fn lower_bound_without(self, model: &QualityModel, rows: u64) -> f64 {
        self.unit().lower_bound_without(model, rows)
    }

    pub(crate) fn most_suppressed(self, model: &QualityModel, loss: f64) -> Option<u64> {
        self.unit().most_suppressed(model, loss)
    }

    pub(crate) fn bound_of_split_classes(self, bound: f64, rows: f64, least_class_size: f64) -> f64 {
        self.unit().bound_of_split_classes(bound, rows, least_class_size)
    }
}
