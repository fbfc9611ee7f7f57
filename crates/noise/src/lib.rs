//! Randomised response and differential privacy: draws, estimates and what they cost.
