//! How models are worded, measured and weighed in reports.

use std::fmt::Debug;

/// How a promise is called and explained. Texts may stand in HTML as they are.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Wording {
    /// The model with its parameters, as experts write it.
    pub title: String,
    /// A short sentence without its full stop, for lists.
    pub short: String,
    /// One or two sentences for people.
    pub meaning: String,
}

/// A promise of a release, as a report knows it, and the ways in which the report writes things. All texts are safe in HTML.
pub trait Words {
    /// A parameter as a number; 0 when it is not there.
    fn number(&self, key: &str) -> f64;
    /// The worst class's figure.
    fn reached(&self, key: &str) -> Option<f64>;
    /// A parameter as text.
    fn text(&self, key: &str) -> &str;
    /// The sensitive columns in a sentence.
    fn columns(&self) -> String;
    /// The quasi-identifiers in a sentence.
    fn quasi_identifiers(&self) -> String;
    /// Values that a parameter lists, in a sentence.
    fn values(&self, key: &str) -> String;
    /// A count.
    fn count(&self, number: u64) -> String;
    /// A figure.
    fn figure(&self, number: f64) -> String;
    /// A share.
    fn percent(&self, share: f64) -> String;
}

/// One threshold of a promise.
#[derive(Debug, Clone, PartialEq)]
pub struct Measure {
    /// The letter the literature uses.
    pub symbol: &'static str,
    /// On which side of the threshold a release has to be.
    pub side: Side,
    /// The threshold.
    pub required: f64,
    /// The figure of the worst released class; infinite when no threshold would do, `None` when it is not known.
    pub achieved: Option<f64>,
    /// The largest figure there can be, if there is one.
    pub largest: Option<f64>,
    /// `%` for percentages.
    pub unit: &'static str,
}

impl Measure {
    /// The threshold under a key.
    pub fn of(promise: &dyn Words, key: &str, symbol: &'static str, side: Side) -> Measure {
        let (required, achieved) = (promise.number(key), promise.reached(key));
        Measure { symbol, side, required, achieved, largest: None, unit: "" }
    }
}

/// On which side of the threshold a release has to be.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Side {
    /// Larger is better; the threshold itself is good.
    AtLeast,
    /// Smaller is better; the threshold itself is good.
    AtMost,
    /// Smaller is better; the threshold itself is not good.
    Below,
}

/// The attacks on sensitive values.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Attack {
    /// A value is learnt, or becomes much likelier.
    Disclosure,
    /// All rows of a class show the same value.
    Homogeneity,
    /// The attacker rules values out.
    BackgroundKnowledge,
    /// A class shows a value far more often than the table.
    Skewness,
    /// The values of a class are different, but mean much the same.
    Similarity,
}

/// What a promise is worth against an attack.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Coverage {
    /// Nothing.
    None,
    /// Something.
    Partly,
    /// It limits what the attack is after.
    Full,
}

/// What a report says about a promise of one model.
pub trait Telling: Debug + Sync {
    /// Its name and meaning.
    fn wording(&self, promise: &dyn Words) -> Wording;
    /// Its thresholds beside what was achieved.
    fn measures(&self, promise: &dyn Words) -> Vec<Measure>;
    /// Whether any release would keep it: such a promise protects nobody.
    fn is_empty(&self, promise: &dyn Words) -> bool;
    /// The class size that the promise implies; 1 when none.
    fn class_size(&self, _: &dyn Words) -> u64 {
        1
    }
    /// What it is worth against an attack on sensitive values.
    fn covers(&self, _: &dyn Words, _: Attack) -> Coverage {
        Coverage::None
    }
    /// How many different values every class is known to show.
    fn distinct_values(&self, _: &dyn Words) -> u64 {
        1
    }
    /// How many different values every class is promised to show.
    fn promised_values(&self, promise: &dyn Words) -> u64 {
        self.distinct_values(promise)
    }
    /// What it leaves open against an attack, said of its columns; `None` where the report's general sentence says it.
    fn remains(&self, _: &dyn Words, _: Attack) -> Option<String> {
        None
    }
}
