//! Results of local recoding.

use serde::Serialize;

/// Ways to recode one table.
#[derive(Debug, Clone, Serialize)]
pub struct RecodingResult {
    /// Name of the table.
    pub dataset: String,
    /// Its rows.
    pub rows: u64,
    /// Its different combinations of quasi-identifiers.
    pub tuples: u64,
    /// What was promised.
    pub privacy: &'static str,
    /// No local recoding has a lower loss.
    pub lower_bound: Option<f64>,
    /// One way after the other.
    pub lines: Vec<RecodingLine>,
}

/// One way to recode a table.
#[derive(Debug, Clone, Serialize)]
pub struct RecodingLine {
    /// Its name.
    pub method: String,
    /// Share of rows that it may suppress.
    pub suppression: &'static str,
    /// Mean LM per cell, over the values present.
    pub loss: f64,
    /// The loss as a multiple of the lower bound.
    pub times_bound: Option<f64>,
    /// Rows suppressed.
    pub suppressed_rows: u64,
    /// Classes released.
    pub classes: u64,
    /// Time it took, in milliseconds, bound included.
    pub ms: f64,
}

/// Local recoding against iterated full-domain recoding, under one promise.
#[derive(Debug, Clone, Serialize)]
pub struct SettingResult {
    /// Name of the table.
    pub dataset: String,
    /// What was promised.
    pub privacy: String,
    /// Mean LM of the best of the gs-factors, over the values present.
    pub iterated: f64,
    /// Which gs-factor that was.
    pub gs_factor: f64,
    /// Mean LM of local recoding with the usual moves.
    pub local: f64,
    /// No local recoding has a lower loss.
    pub lower_bound: f64,
    /// Time of the best gs-factor, and of local recoding, in milliseconds.
    pub ms: (f64, f64),
}
