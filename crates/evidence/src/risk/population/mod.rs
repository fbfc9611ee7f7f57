//! How many people of the population are unique, told from a sample of it.
//!
//! A sample-unique row need not be unique in the population. Three models carry the class sizes of the sample over, each good in
//! another region, and a rule of Dankar, El Emam, Neisa & Roffey ("Estimating the re-identification risk of clinical data sets",
//! BMC Medical Informatics and Decision Making 12:66, 2012) picks among them: up to a sampling fraction of one tenth Pitman's
//! model, above it the smaller of Zayatz's and the slide negative binomial. A model that does not fit the sample gives no
//! estimate instead of a wrong one; the rule then falls back on Zayatz's, which always gives one.

mod pitman;
mod snb;
mod zayatz;

use super::ClassSizes;
use serde::Serialize;

/// How the sample was drawn: `0 < n ≤ N`.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Sampling {
    sample: f64,
    population: f64,
}

/// Why numbers are not those of a sample.
#[derive(Debug, Clone, Copy, PartialEq, thiserror::Error)]
pub enum SamplingError {
    /// Not a share.
    #[error("the sampling fraction must be above 0 and at most 1, not {0}")]
    Fraction(f64),
    /// Fewer people than rows.
    #[error("the population has {population} people, but the table has {rows} rows")]
    Population {
        /// People.
        population: u64,
        /// Rows.
        rows: u64,
    },
}

impl Sampling {
    /// A sample of `rows` that is this share of the population.
    ///
    /// # Errors
    /// If the fraction is not above 0 and at most 1.
    pub fn of_fraction(rows: u64, fraction: f64) -> Result<Sampling, SamplingError> {
        if fraction > 0.0 && fraction <= 1.0 {
            Ok(Sampling { sample: rows as f64, population: rows as f64 / fraction })
        } else {
            Err(SamplingError::Fraction(fraction))
        }
    }

    /// A sample of `rows` out of this number of people.
    ///
    /// # Errors
    /// If there are fewer people than rows.
    pub fn of_population(rows: u64, population: u64) -> Result<Sampling, SamplingError> {
        if population >= rows && population > 0 {
            Ok(Sampling { sample: rows as f64, population: population as f64 })
        } else {
            Err(SamplingError::Population { population, rows })
        }
    }

    /// `n/N`
    #[must_use]
    pub fn fraction(&self) -> f64 {
        self.sample / self.population
    }

    /// `N`, not always a whole number.
    #[must_use]
    pub fn population(&self) -> f64 {
        self.population
    }
}

/// A model of the population.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Model {
    /// Hoshino, "Applying Pitman's sampling formula to microdata disclosure risk assessment", Journal of Official Statistics
    /// 17(4), 2001.
    Pitman,
    /// Zayatz, "Estimation of the percent of unique population elements on a microdata file using the sample", US Bureau of the
    /// Census, 1991.
    Zayatz,
    /// Chen & Keller-McNulty, "Estimation of identification disclosure risk in microdata", Journal of Official Statistics 14(1),
    /// 1998: the slide negative binomial model.
    #[serde(rename = "snb")]
    SlideNegativeBinomial,
    /// No model: the sample is the population, or no row of it is unique.
    Counted,
}

impl Model {
    /// Its name for people.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Model::Pitman => "Pitman",
            Model::Zayatz => "Zayatz",
            Model::SlideNegativeBinomial => "slide negative binomial",
            Model::Counted => "counted",
        }
    }
}

/// Estimated people of the population who are unique in it. `None`: the model gives no estimate for this sample.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct PopulationUniques {
    /// By Pitman's model.
    pub pitman: Option<f64>,
    /// By Zayatz's.
    pub zayatz: Option<f64>,
    /// By the slide negative binomial model.
    pub snb: Option<f64>,
    /// What the rule picks; 0 ≤ … ≤ N.
    pub estimate: f64,
    /// By which model.
    pub model: Model,
}

/// All estimates, and the one the rule picks.
#[must_use]
pub fn estimate(sizes: &ClassSizes, sampling: &Sampling) -> PopulationUniques {
    let uniques = sizes.classes_of(1);
    if uniques == 0 || sampling.sample >= sampling.population {
        // Nothing is left to estimate.
        let counted = uniques as f64;
        let all = Some(counted);
        return PopulationUniques {
            pitman: all,
            zayatz: all,
            snb: all,
            estimate: counted,
            model: Model::Counted,
        };
    }
    let possible = |estimate: &f64| (0.0..=sampling.population).contains(estimate);
    let zayatz = zayatz::uniques(sizes, sampling);
    let pitman = pitman::uniques(sizes, sampling).filter(possible);
    let snb = snb::uniques(sizes, sampling).filter(possible);
    let (estimate, model) = match (sampling.fraction() <= 0.1, pitman, snb) {
        (true, Some(pitman), _) => (pitman, Model::Pitman),
        (false, _, Some(snb)) if snb <= zayatz => (snb, Model::SlideNegativeBinomial),
        _ => (zayatz, Model::Zayatz),
    };
    PopulationUniques { pitman, zayatz: Some(zayatz), snb, estimate, model }
}

#[cfg(test)]
mod tests;
