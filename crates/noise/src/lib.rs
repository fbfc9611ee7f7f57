//! Randomised response and differential privacy: draws, estimates and what they cost.

pub mod budget;
pub mod distribution;
pub mod draw;
pub mod estimate;
pub mod exact;
pub mod mechanism;
pub mod response;
pub mod sensitivity;
