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
    /// Moves that a local search tried.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub moves: Option<u64>,
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
    /// Share of rows, or people, that may be suppressed.
    pub suppression: &'static str,
    /// What classes are counted in.
    pub counted: Counted,
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

/// What classes are counted in.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Counted {
    /// Rows.
    Rows,
    /// People, who have several rows each.
    People,
}

impl Counted {
    /// In a table for people.
    pub(super) fn word(self) -> &'static str {
        match self {
            Counted::Rows => "rows",
            Counted::People => "people",
        }
    }
}

impl SettingResult {
    /// What local recoding loses as a multiple of what iterated recoding loses; 1 where neither loses anything.
    pub fn ratio(&self) -> f64 {
        if self.local == self.iterated { 1.0 } else { self.local / self.iterated }
    }
}

/// All settings in two figures.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct SettingsSummary {
    /// Tables times settings that were compared.
    pub settings: usize,
    /// Geometric mean of local / iterated.
    pub geometric_mean: f64,
    /// The largest of these ratios, the first of equals.
    pub largest: f64,
    /// The table of the largest.
    pub dataset: String,
    /// What was promised there.
    pub privacy: String,
    /// What might be suppressed there.
    pub suppression: &'static str,
    /// What was counted there.
    pub counted: Counted,
}

impl SettingsSummary {
    /// `None` where nothing was compared.
    pub(crate) fn of(results: &[SettingResult]) -> Option<SettingsSummary> {
        let worst = results
            .iter()
            .reduce(|worst, other| if other.ratio() > worst.ratio() { other } else { worst })?;
        let logs: f64 = results.iter().map(|result| result.ratio().ln()).sum();
        Some(SettingsSummary {
            settings: results.len(),
            geometric_mean: (logs / results.len() as f64).exp(),
            largest: worst.ratio(),
            dataset: worst.dataset.clone(),
            privacy: worst.privacy.clone(),
            suppression: worst.suppression,
            counted: worst.counted,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn result(privacy: &str, iterated: f64, local: f64) -> SettingResult {
        SettingResult {
            dataset: "people".to_owned(),
            privacy: privacy.to_owned(),
            suppression: "0",
            counted: Counted::Rows,
            iterated,
            gs_factor: 0.0,
            local,
            lower_bound: 0.0,
            ms: (1.0, 1.0),
        }
    }

    #[test]
    fn ratios_are_averaged_as_ratios_and_the_largest_is_named() {
        let results = [result("k=2", 0.2, 0.1), result("k=5", 0.1, 0.2), result("k=9", 0.0, 0.0)];
        let summary = SettingsSummary::of(&results).unwrap();
        assert_eq!((summary.settings, summary.largest, &*summary.privacy), (3, 2.0, "k=5"));
        assert!((summary.geometric_mean - 1.0).abs() < 1e-12, "a half and twice are one on the average");
        assert_eq!(SettingsSummary::of(&[]), None);
    }
}
