//! What a case promises, in the short notation of benchmark files: `k=5,lrecursive=4/3,dpresence=0/0.2`.

use paravent_core::exact::Fraction;
use std::fmt;
use std::str::FromStr;

/// One privacy model with its parameters.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Promise {
    /// `k=5`: k-anonymity.
    KAnonymity {
        /// Smallest class size.
        k: u64,
    },
    /// `ldistinct=3`: distinct ℓ-diversity.
    DistinctLDiversity {
        /// Fewest different values.
        l: u64,
    },
    /// `lentropy=2.5`: entropy ℓ-diversity.
    EntropyLDiversity {
        /// Smallest effective number of values.
        l: Threshold,
    },
    /// `lrecursive=4/3`: recursive (c, ℓ)-diversity, here (4, 3).
    RecursiveLDiversity {
        /// How much more frequent the first value may be.
        c: Threshold,
        /// Where the tail starts.
        l: u64,
    },
    /// `tequal=0.2`, `tordered=0.2`, `thier=0.2`: t-closeness.
    TCloseness {
        /// Largest distance.
        t: Threshold,
        /// How far apart values are.
        distance: Distance,
    },
    /// `dpresence=0.05/0.15`: δ-presence.
    DeltaPresence {
        /// Smallest share.
        min: Threshold,
        /// Largest share.
        max: Threshold,
    },
}

/// The distances of t-closeness that the notation knows.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Distance {
    /// All values are equally far apart.
    Equal,
    /// Values lie on a line.
    Ordered,
    /// Values are leaves of the column's hierarchy.
    Hierarchical,
}

/// A decimal number that keeps its spelling.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Threshold {
    text: String,
    value: Fraction,
}

impl Threshold {
    /// The number as it was written.
    pub fn as_str(&self) -> &str {
        &self.text
    }

    /// The number.
    pub fn value(&self) -> Fraction {
        self.value
    }
}

impl FromStr for Threshold {
    type Err = UnknownPromise;

    fn from_str(text: &str) -> Result<Threshold, UnknownPromise> {
        let value = Fraction::parse(text).map_err(|_| UnknownPromise(text.to_owned()))?;
        Ok(Threshold { text: text.to_owned(), value })
    }
}

/// All models of a case; every one must hold.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Promises(pub Vec<Promise>);

/// A text that names no model.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error(
    "`{0}` is no privacy model; known are k=, ldistinct=, lentropy=, lrecursive=c/l, tequal=, tordered=, thier=, dpresence=min/max"
)]
pub struct UnknownPromise(pub String);

impl Promise {
    /// Whether the model looks at the sensitive column.
    pub fn reads_sensitive(&self) -> bool {
        !matches!(self, Promise::KAnonymity { .. } | Promise::DeltaPresence { .. })
    }
}

impl Promises {
    /// Whether a model looks at the sensitive column.
    pub fn read_sensitive(&self) -> bool {
        self.0.iter().any(Promise::reads_sensitive)
    }

    /// Whether a model needs a population, of which the table is a subset.
    pub fn need_population(&self) -> bool {
        self.0.iter().any(|promise| matches!(promise, Promise::DeltaPresence { .. }))
    }

    /// The same, with the equal distance where a hierarchical one is asked for but there is no hierarchy.
    #[must_use]
    pub fn without_hierarchical_distance(&self) -> Promises {
        let flat = |promise: &Promise| match promise {
            Promise::TCloseness { t, distance: Distance::Hierarchical } => {
                Promise::TCloseness { t: t.clone(), distance: Distance::Equal }
            }
            other => other.clone(),
        };
        Promises(self.0.iter().map(flat).collect())
    }
}

impl FromStr for Promise {
    type Err = UnknownPromise;

    fn from_str(text: &str) -> Result<Promise, UnknownPromise> {
        let unknown = || UnknownPromise(text.to_owned());
        let (name, value) = text.split_once('=').ok_or_else(unknown)?;
        let pair = || value.split_once('/').ok_or_else(unknown);
        let whole = |text: &str| text.parse::<u64>().ok().filter(|&n| n > 0).ok_or_else(unknown);
        let number = |text: &str| text.parse::<Threshold>().map_err(|_| unknown());
        let closeness = |distance| Ok(Promise::TCloseness { t: number(value)?, distance });
        match name {
            "k" => Ok(Promise::KAnonymity { k: whole(value)? }),
            "ldistinct" => Ok(Promise::DistinctLDiversity { l: whole(value)? }),
            "lentropy" => Ok(Promise::EntropyLDiversity { l: number(value)? }),
            "lrecursive" => {
                let (c, l) = pair()?;
                Ok(Promise::RecursiveLDiversity { c: number(c)?, l: whole(l)? })
            }
            "tequal" => closeness(Distance::Equal),
            "tordered" => closeness(Distance::Ordered),
            "thier" => closeness(Distance::Hierarchical),
            "dpresence" => {
                let (min, max) = pair()?;
                Ok(Promise::DeltaPresence { min: number(min)?, max: number(max)? })
            }
            _ => Err(unknown()),
        }
    }
}

impl FromStr for Promises {
    type Err = UnknownPromise;

    fn from_str(text: &str) -> Result<Promises, UnknownPromise> {
        text.split(',').map(|part| part.trim().parse()).collect::<Result<_, _>>().map(Promises)
    }
}

impl fmt::Display for Promise {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Promise::KAnonymity { k } => write!(f, "k={k}"),
            Promise::DistinctLDiversity { l } => write!(f, "ldistinct={l}"),
            Promise::EntropyLDiversity { l } => write!(f, "lentropy={}", l.text),
            Promise::RecursiveLDiversity { c, l } => write!(f, "lrecursive={}/{l}", c.text),
            Promise::TCloseness { t, distance } => {
                let name = match distance {
                    Distance::Equal => "tequal",
                    Distance::Ordered => "tordered",
                    Distance::Hierarchical => "thier",
                };
                write!(f, "{name}={}", t.text)
            }
            Promise::DeltaPresence { min, max } => write!(f, "dpresence={}/{}", min.text, max.text),
        }
    }
}

impl fmt::Display for Promises {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (position, promise) in self.0.iter().enumerate() {
            write!(f, "{}{promise}", if position > 0 { "," } else { "" })?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn the_notation_is_read_and_written() {
        for text in [
            "k=5",
            "k=5,lrecursive=4/3",
            "tequal=0.2,dpresence=0/0.2",
            "k=5,thier=0.2,dpresence=0.05/0.15",
            "ldistinct=3,lentropy=2.5,tordered=0.3",
        ] {
            assert_eq!(text.parse::<Promises>().unwrap().to_string(), text);
        }
        let recursive: Promise = "lrecursive=4/3".parse().unwrap();
        let four = Fraction::new(4, 1).unwrap();
        assert!(matches!(recursive, Promise::RecursiveLDiversity { c, l: 3 } if c.value() == four));
    }

    #[test]
    fn what_is_no_model_is_named() {
        for text in
            ["", "k", "k=0", "k=five", "k=5,", "lrecursive=4", "thier=-1", "dpresence=0.1", "lgrassberger=3"]
        {
            assert!(text.parse::<Promises>().is_err(), "{text}");
        }
        let error = "k=5,lgrassberger=3".parse::<Promises>().unwrap_err();
        assert_eq!(error.0, "lgrassberger=3");
    }

    #[test]
    fn the_hierarchical_distance_can_be_replaced() {
        let promises: Promises = "k=5,thier=0.2".parse().unwrap();
        assert_eq!(promises.without_hierarchical_distance().to_string(), "k=5,tequal=0.2");
        assert!(promises.read_sensitive() && !promises.need_population());
    }

    proptest! {
        #[test]
        fn no_text_makes_it_panic(text in "[kltd=/.,0-9a-z-]{0,20}") {
            let _ = text.parse::<Promises>();
        }
    }
}
