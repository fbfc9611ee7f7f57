//! Randomised response and differential privacy: draws, estimates and what they cost.

pub mod distribution;
pub mod draw;
pub mod estimate;
pub mod exact;
pub mod response;
