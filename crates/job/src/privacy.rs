//! `[privacy]`: what is promised.

use std::path::PathBuf;

use super::decimal::DecimalText;
use super::names::names;

/// The promise.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Privacy {
    /// Share of rows that may be suppressed, 0 ≤ s < 1.
    pub suppression_limit: DecimalText,
    /// All of them must hold; not empty.
    pub models: Vec<Model>,
    /// The columns that together say whose row it is: one key, composite if there are several. Empty: a row is a
    /// person.
    pub person: Vec<String>,
    /// What becomes of the other rows of a person who loses one.
    pub person_rows: PersonRows,
    /// The owner's limit for everything that noisy answers give away together.
    pub budget: Option<BudgetLimit>,
}

/// `person_rows`: what becomes of the other rows of a person who loses one, and which rows are alike.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum PersonRows {
    /// Rows are kept or left out class by class.
    #[default]
    Apart,
    /// Whoever loses a row loses all of them.
    Together,
    /// The same, and people are alike only if the bags of their released rows are equal.
    Set,
}
names!(PersonRows { Apart: "apart", Together: "together", Set: "set" });

/// `budget = { epsilon = "1", delta = "1e-6" }`: what all noisy answers to one recipient may cost in total.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BudgetLimit {
    /// ε > 0.
    pub epsilon: DecimalText,
    /// 0 ≤ δ < 1.
    pub delta: DecimalText,
}

/// One privacy model with its parameters. `attribute` always names a sensitive attribute of the job.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Model {
    /// `k-anonymity`
    KAnonymity {
        /// Smallest class, k ≥ 1.
        k: u32,
    },
    /// `distinct-l-diversity`
    DistinctLDiversity {
        /// The sensitive attribute.
        attribute: String,
        /// Different values in each class, l ≥ 1.
        l: u32,
    },
    /// `entropy-l-diversity`
    EntropyLDiversity {
        /// The sensitive attribute.
        attribute: String,
        /// Effective number of values in each class, l ≥ 1.
        l: DecimalText,
    },
    /// `recursive-l-diversity`
    RecursiveLDiversity {
        /// The sensitive attribute.
        attribute: String,
        /// c > 0; larger is weaker.
        c: DecimalText,
        /// l ≥ 1.
        l: u32,
    },
    /// `pd-recursive-l-diversity`
    PdRecursiveLDiversity {
        /// The sensitive attribute.
        attribute: String,
        /// c > 0.
        c: DecimalText,
        /// l ≥ 1.
        l: u32,
        /// Harmless values that may be disclosed.
        allowed: Vec<String>,
    },
    /// `npd-recursive-l-diversity`
    NpdRecursiveLDiversity {
        /// The sensitive attribute.
        attribute: String,
        /// c > 0.
        c: DecimalText,
        /// Percentage of each class that every protected value has at least, 0 ≤ c2 ≤ 100.
        c2: DecimalText,
        /// l ≥ 1.
        l: u32,
        /// Harmless values that may be disclosed.
        allowed: Vec<String>,
        /// Values whose absence must not be disclosed; not empty.
        protected: Vec<String>,
    },
    /// `multi-attribute-l-diversity`
    MultiAttributeLDiversity {
        /// Two or more sensitive attributes.
        attributes: Vec<String>,
        /// What is asked of each, the others counted to the quasi-identifiers.
        base: Diversity,
    },
    /// `t-closeness`
    TCloseness {
        /// The sensitive attribute; it has a hierarchy if the distance is hierarchical.
        attribute: String,
        /// Largest distance of a class from the table: 0 ≤ t, and t ≤ 1 but for `kullback-leibler`.
        t: DecimalText,
        /// How the distance is measured.
        distance: Distance,
    },
    /// `delta-presence`
    DeltaPresence {
        /// 0 ≤ min ≤ max.
        min: DecimalText,
        /// max ≤ 1.
        max: DecimalText,
        /// Among whom the people of the table could be.
        population: Population,
    },
    /// `k-map`
    KMap {
        /// Smallest class in the population, k ≥ 1.
        k: u32,
        /// Among whom the people of the table could be.
        population: Population,
    },
}

/// The kind of diversity that [`Model::MultiAttributeLDiversity`] asks of each attribute.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Diversity {
    /// `base = "distinct"`
    Distinct {
        /// l ≥ 1.
        l: u32,
    },
    /// `base = "entropy"`
    Entropy {
        /// l ≥ 1.
        l: DecimalText,
    },
    /// `base = "recursive"`
    Recursive {
        /// c > 0.
        c: DecimalText,
        /// l ≥ 1.
        l: u32,
    },
}

/// How t-closeness measures the distance of two distributions.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Distance {
    /// Earth mover's distance, all values equally far apart.
    #[default]
    Equal,
    /// Earth mover's distance along the order of the values.
    Ordered,
    /// Earth mover's distance in the tree of the hierarchy.
    Hierarchical,
    /// Variation distance; the same number as `equal`.
    Variation,
    /// Kullback-Leibler divergence of the class from the table.
    KullbackLeibler,
}
names!(Distance {
    Equal: "equal",
    Ordered: "ordered",
    Hierarchical: "hierarchical",
    Variation: "variation",
    KullbackLeibler: "kullback-leibler",
});

/// Among whom the people of the table could be. All models of a job share one.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Population {
    /// `population = "population.csv"`: a table of its own, path as written.
    Table(PathBuf),
    /// `subset = "in_study"`: a column of the input; rows with 1 or true in it are the table to release.
    Subset(String),
}

/// The models by name.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum ModelName {
    /// Every class has at least k rows.
    KAnonymity,
    /// Every class shows at least l values.
    DistinctLDiversity,
    /// Every class has an effective number of values of at least l.
    EntropyLDiversity,
    /// No value outweighs the rarer ones.
    RecursiveLDiversity,
    /// The same, but some values may be disclosed.
    PdRecursiveLDiversity,
    /// The same, and some values must not be ruled out.
    NpdRecursiveLDiversity,
    /// l-diversity of several attributes at once.
    MultiAttributeLDiversity,
    /// Every class is distributed like the table.
    TCloseness,
    /// Whether somebody is in the table stays open.
    DeltaPresence,
    /// Every class has at least k people in the population.
    KMap,
}
names!(ModelName {
    KAnonymity: "k-anonymity",
    DistinctLDiversity: "distinct-l-diversity",
    EntropyLDiversity: "entropy-l-diversity",
    RecursiveLDiversity: "recursive-l-diversity",
    PdRecursiveLDiversity: "pd-recursive-l-diversity",
    NpdRecursiveLDiversity: "npd-recursive-l-diversity",
    MultiAttributeLDiversity: "multi-attribute-l-diversity",
    TCloseness: "t-closeness",
    DeltaPresence: "delta-presence",
    KMap: "k-map",
});

impl Model {
    /// Which model it is.
    pub fn name(&self) -> ModelName {
        match self {
            Self::KAnonymity { .. } => ModelName::KAnonymity,
            Self::DistinctLDiversity { .. } => ModelName::DistinctLDiversity,
            Self::EntropyLDiversity { .. } => ModelName::EntropyLDiversity,
            Self::RecursiveLDiversity { .. } => ModelName::RecursiveLDiversity,
            Self::PdRecursiveLDiversity { .. } => ModelName::PdRecursiveLDiversity,
            Self::NpdRecursiveLDiversity { .. } => ModelName::NpdRecursiveLDiversity,
            Self::MultiAttributeLDiversity { .. } => ModelName::MultiAttributeLDiversity,
            Self::TCloseness { .. } => ModelName::TCloseness,
            Self::DeltaPresence { .. } => ModelName::DeltaPresence,
            Self::KMap { .. } => ModelName::KMap,
        }
    }

    /// Whether a class that keeps it still does when more people join it. Then the largest set of people in whose rows every class keeps it is
    /// unique.
    pub fn more_people_never_hurt(&self) -> bool {
        match self {
            Self::KAnonymity { .. } | Self::DistinctLDiversity { .. } | Self::KMap { .. } => true,
            Self::EntropyLDiversity { .. }
            | Self::RecursiveLDiversity { .. }
            | Self::PdRecursiveLDiversity { .. }
            | Self::NpdRecursiveLDiversity { .. }
            | Self::MultiAttributeLDiversity { .. }
            | Self::TCloseness { .. }
            | Self::DeltaPresence { .. } => false,
        }
    }

    /// The population the model counts in, if it does.
    pub fn population(&self) -> Option<&Population> {
        match self {
            Self::DeltaPresence { population, .. } | Self::KMap { population, .. } => Some(population),
            Self::KAnonymity { .. }
            | Self::DistinctLDiversity { .. }
            | Self::EntropyLDiversity { .. }
            | Self::RecursiveLDiversity { .. }
            | Self::PdRecursiveLDiversity { .. }
            | Self::NpdRecursiveLDiversity { .. }
            | Self::MultiAttributeLDiversity { .. }
            | Self::TCloseness { .. } => None,
        }
    }
}

impl Privacy {
    /// The one population of the job, if a model counts in one.
    pub fn population(&self) -> Option<&Population> {
        self.models.iter().find_map(Model::population)
    }
}
