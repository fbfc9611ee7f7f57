//! Information loss: what a release costs. One file per family of metrics; lower is always better inside the engine.

mod balance;
mod class_size;
mod column;
mod discernibility;
mod entropy;
mod height;
mod loss;
mod metric;
mod outcome;
mod precision;

pub use balance::Balance;
pub use column::QualityModel;
pub use metric::Metric;
pub use outcome::Outcome;

#[cfg(test)]
mod tests;
