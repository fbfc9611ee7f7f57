//! Randomised response and differential privacy: draws, estimates and what they cost.
//!
//! Two kinds of noise live here, and neither knows of tables: values are codes or whole numbers.
//!
//! *Randomised response* changes cells. A [`Response`] is a probability and a [`Distribution`], read exactly and
//! equal to a matrix of fractions; a [`draw::Drawer`] changes codes so that the noise of a row depends on key, stream and row number
//! alone; an [`estimate::Estimator`] undoes the noise in counts. [`Additive`] noise is added to numbers, [`Cases`] are noise that depends on another column, and
//! [`statement`] writes the draws down for a database.
//!
//! *Differential privacy* changes answers. A [`budget::Ledger`] grants what its limit allows, and for a grant the functions of
//! `mechanism` (feature of that name) hide a count, a sum, a mean or a histogram.
//!
//! ```
//! use std::sync::Arc;
//! use paravent_noise::budget::{Cost, Ledger};
//! use paravent_noise::draw::{Drawer, Plan, Secret, Stream};
//! use paravent_noise::estimate::Estimator;
//! use paravent_noise::{Distribution, Probability, Response};
//!
//! # fn main() -> Result<(), Box<dyn std::error::Error>> {
//! // Two fair coins: the first decides whether the second answers.
//! let coins = Response::new(Probability::parse("0.5")?, Distribution::uniform(2)?);
//! assert_eq!(coins.likelihood_ratio().to_string(), "ln 3 = 1.098612");
//!
//! let mut answers = vec![1, 0, 0, 1, 0, 0, 0, 0];
//! let stream = Stream { operator: 0, attribute: 0 };
//! Drawer::new(&Secret::random()?, stream, Arc::new(Plan::new(&coins)?)).apply(0, &mut answers)?;
//!
//! let yes = Estimator::new(&coins)?.proportions(&[600, 400])?[1];
//! assert!((yes.value - 0.3).abs() < 1e-12); // 2 · 0.4 − 0.5
//!
//! let mut ledger = Ledger::new(Cost::parse("1", None)?);
//! let grant = ledger.grant("how many donors", Cost::parse("0.5", None)?)?;
//! # #[cfg(feature = "mechanism")] {
//! use paravent_noise::{mechanism, sensitivity::Contribution};
//! let donors = mechanism::count(107, Contribution::ONE_ROW, grant)?;
//! println!("{} ± {}", donors.value, donors.half_width);
//! # }
//! assert!(ledger.grant("once more, dearer", Cost::parse("0.6", None)?).is_err());
//! # Ok(())
//! # }
//! ```

pub mod additive;
pub mod budget;
pub mod cases;
pub mod distribution;
pub mod draw;
pub mod estimate;
pub mod exact;
pub mod likelihood;
#[cfg(feature = "mechanism")]
pub mod mechanism;
pub mod response;
#[cfg(feature = "mechanism")]
pub mod sensitivity;
pub mod statement;

pub use additive::Additive;
pub use cases::Cases;
pub use distribution::Distribution;
pub use exact::{Delta, Epsilon, Probability, Ratio};
pub use response::Response;

#[cfg(test)]
mod testing;
