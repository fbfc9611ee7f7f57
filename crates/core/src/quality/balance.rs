//! The balance of generalization and suppression.

/// How much a generalized cell counts, and how much a suppressed one; both from 0 to 1, and one of them is 1.
///
/// ARX calls its one number the gs-factor: at 0.5 both count fully; below, suppressed cells count less, down to nothing at 0;
/// above, generalized ones do. A suppressed cell never costs less than the label it would have shown, except by `precision`.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Balance {
    generalization: f64,
    suppression: f64,
}

impl Balance {
    /// Both count fully.
    pub const EVEN: Balance = Balance { generalization: 1.0, suppression: 1.0 };

    /// The balance of a gs-factor; `None` unless it is from 0 to 1.
    ///
    /// ```
    /// # use paravent_core::quality::Balance;
    /// assert_eq!(Balance::of_gs_factor(0.5), Some(Balance::EVEN));
    /// assert_eq!(Balance::of_gs_factor(0.25).map(|balance| balance.suppression()), Some(0.5));
    /// assert_eq!(Balance::of_gs_factor(1.5), None);
    /// ```
    pub fn of_gs_factor(factor: f64) -> Option<Balance> {
        (0.0..=1.0).contains(&factor).then(|| Balance {
            generalization: (2.0 - 2.0 * factor).min(1.0),
            suppression: (2.0 * factor).min(1.0),
        })
    }

    /// How much a generalized cell counts.
    pub fn generalization(self) -> f64 {
        self.generalization
    }

    /// How much a suppressed cell counts.
    pub fn suppression(self) -> f64 {
        self.suppression
    }

    /// The same where nothing may be suppressed.
    pub(crate) fn without_suppression(self) -> Balance {
        Balance { suppression: 1.0, ..self }
    }
}
