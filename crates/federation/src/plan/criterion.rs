//! Criteria as the parties agree on them: by columns and numbers, never by values.

use paravent_core::criteria::Diversity;
use paravent_core::exact::Fraction;

/// A criterion; columns are positions in the plan.
#[derive(Debug, Clone)]
pub enum Criterion {
    /// At least k rows per class.
    KAnonymity {
        /// Smallest class.
        k: u64,
    },
    /// At least ℓ different values.
    DistinctLDiversity {
        /// The sensitive column.
        column: u16,
        /// Fewest values.
        l: u64,
    },
    /// Effective number of values at least ℓ.
    EntropyLDiversity {
        /// The sensitive column.
        column: u16,
        /// Smallest effective number.
        l: Fraction,
    },
    /// Recursive (c, ℓ).
    RecursiveLDiversity {
        /// The sensitive column.
        column: u16,
        /// How much more frequent the first value may be.
        c: Fraction,
        /// Where the tail starts.
        l: u64,
    },
    /// Every column diverse given the others.
    MultiAttributeLDiversity {
        /// The sensitive columns.
        columns: Vec<u16>,
        /// What diverse means.
        diversity: Diversity,
    },
    /// Distribution close to the whole table's.
    TCloseness {
        /// The sensitive column.
        column: u16,
        /// Largest distance.
        t: Fraction,
        /// Between which distributions.
        distance: Closeness,
    },
    /// Share of the population within bounds.
    DeltaPresence {
        /// Smallest share.
        min: Fraction,
        /// Largest share.
        max: Fraction,
    },
    /// At least k rows of the population per class.
    KMap {
        /// Smallest class in the population.
        k: u64,
    },
    /// A criterion that names values, or computes with them; never possible on tokens.
    OnValues {
        /// What the job calls it.
        model: String,
    },
}

/// Distances of t-closeness.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Closeness {
    /// Variation distance.
    Equal,
    /// By the hierarchy of the sensitive column.
    Hierarchical,
    /// Kullback–Leibler divergence.
    KullbackLeibler,
    /// By the order of the values, which tokens do not have.
    Ordered,
}

impl Criterion {
    /// Its name in job files.
    pub fn name(&self) -> &str {
        match self {
            Criterion::KAnonymity { .. } => "k-anonymity",
            Criterion::DistinctLDiversity { .. } => "distinct-l-diversity",
            Criterion::EntropyLDiversity { .. } => "entropy-l-diversity",
            Criterion::RecursiveLDiversity { .. } => "recursive-l-diversity",
            Criterion::MultiAttributeLDiversity { .. } => "multi-attribute-l-diversity",
            Criterion::TCloseness { .. } => "t-closeness",
            Criterion::DeltaPresence { .. } => "delta-presence",
            Criterion::KMap { .. } => "k-map",
            Criterion::OnValues { model } => model,
        }
    }

    /// The sensitive columns it reads.
    pub(crate) fn columns(&self) -> Vec<u16> {
        match self {
            Criterion::DistinctLDiversity { column, .. }
            | Criterion::EntropyLDiversity { column, .. }
            | Criterion::RecursiveLDiversity { column, .. }
            | Criterion::TCloseness { column, .. } => vec![*column],
            Criterion::MultiAttributeLDiversity { columns, .. } => columns.clone(),
            Criterion::KAnonymity { .. }
            | Criterion::DeltaPresence { .. }
            | Criterion::KMap { .. }
            | Criterion::OnValues { .. } => Vec::new(),
        }
    }

    /// Whether it reads the population.
    pub(crate) fn reads_population(&self) -> bool {
        matches!(self, Criterion::DeltaPresence { .. } | Criterion::KMap { .. })
    }
}
