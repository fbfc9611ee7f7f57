//! What suppression saves.

use serde::Serialize;

/// The least loss without suppression and with 5 %.
#[derive(Debug, Clone, Serialize)]
pub struct SavedResult {
    /// Name of the table.
    pub dataset: String,
    /// The criteria by their letters: k-anonymity, ℓ-diversity, t-closeness.
    pub criteria: &'static str,
    /// Name of the metric.
    pub metric: &'static str,
    /// Loss without suppression.
    pub without: f64,
    /// Loss with 5 %.
    pub with: f64,
    /// The share that was printed, in percent; absent for other tables.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub printed: Option<u32>,
}

impl SavedResult {
    /// The loss with suppression as a share of the loss without, in percent.
    pub fn percent(&self) -> f64 {
        match self.without > 0.0 {
            true => 100.0 * self.with / self.without,
            false => 100.0,
        }
    }

    /// Whether it is what was printed, give or take one; `None` where nothing was.
    pub fn agrees(&self) -> Option<bool> {
        self.printed.map(|printed| (self.percent().round() - f64::from(printed)).abs() <= 1.0)
    }
}
