//! How much of a table may be suppressed.

use crate::exact::Fraction;

/// How many may be suppressed: a share of all, or a number. Never all of them, whatever it says: an empty release is no release.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SuppressionLimit {
    /// This share of all, rounded down.
    Share(Fraction),
    /// This many.
    Count(u64),
}

impl SuppressionLimit {
    /// Nothing may be suppressed.
    pub const NONE: SuppressionLimit = SuppressionLimit::Count(0);
    /// As much as it takes, but never all.
    pub const AS_MUCH_AS_IT_TAKES: SuppressionLimit = SuppressionLimit::Count(u64::MAX);

    /// How many of `all` may be suppressed: `min(⌊share · all⌋, all − 1)`.
    pub fn of(self, all: u64) -> u64 {
        let most = match self {
            SuppressionLimit::Share(share) => share.floor_of(all),
            SuppressionLimit::Count(count) => count,
        };
        most.min(all.saturating_sub(1))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn share(text: &str) -> SuppressionLimit {
        SuppressionLimit::Share(Fraction::parse(text).unwrap())
    }

    #[test]
    fn a_share_is_rounded_down() {
        assert_eq!(share("0.05").of(30_162), 1508);
        assert_eq!(share("0.29").of(100), 29);
        assert_eq!(share("0.05").of(19), 0);
    }

    #[test]
    fn all_rows_are_never_suppressed() {
        for limit in [share("1"), SuppressionLimit::Count(8), SuppressionLimit::AS_MUCH_AS_IT_TAKES] {
            assert_eq!(limit.of(8), 7);
            assert_eq!(limit.of(1), 0);
            assert_eq!(limit.of(0), 0);
        }
        assert_eq!(SuppressionLimit::Count(3).of(8), 3);
        assert_eq!(SuppressionLimit::NONE.of(8), 0);
    }
}
