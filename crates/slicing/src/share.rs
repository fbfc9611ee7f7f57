//! A share of rows, compared exactly.

use std::fmt;

/// A share between 0 and 1 as a fraction, so that a limit of a tenth is a tenth.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd)]
pub struct Share {
    part: u64,
    whole: u64,
}

/// A text that is no share.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{0:?} is no share; write a decimal number from 0 to 1, such as 0.1")]
pub struct NoShare(String);

impl Share {
    /// Nothing.
    pub const NONE: Share = Share { part: 0, whole: 1 };
    /// A tenth.
    pub const TENTH: Share = Share { part: 1, whole: 10 };
    /// A fifth.
    pub const FIFTH: Share = Share { part: 1, whole: 5 };
    /// Everything: a limit that is never exceeded.
    pub const ALL: Share = Share { part: 1, whole: 1 };

    /// Reads `0.1`, `.1`, `0` or `1`; at most nine digits after the point.
    pub fn parse(text: &str) -> Result<Share, NoShare> {
        let wrong = || NoShare(text.to_owned());
        let (whole, fraction) = text.split_once('.').unwrap_or((text, ""));
        let digits = |text: &str| text.len() <= 9 && text.bytes().all(|byte| byte.is_ascii_digit());
        if !digits(whole) || !digits(fraction) || (whole.is_empty() && fraction.is_empty()) {
            return Err(wrong());
        }
        let scale = 10_u64.pow(fraction.len() as u32);
        let number = |text: &str| if text.is_empty() { Ok(0) } else { text.parse::<u64>() };
        let (ones, part) = (number(whole).map_err(|_| wrong())?, number(fraction).map_err(|_| wrong())?);
        match ones {
            0 => Ok(Share { part, whole: scale }),
            1 if part == 0 => Ok(Share::ALL),
            _ => Err(wrong()),
        }
    }

    /// Is `rows` out of `all` more than this share?
    pub fn is_exceeded_by(self, rows: usize, all: usize) -> bool {
        rows as u128 * u128::from(self.whole) > all as u128 * u128::from(self.part)
    }

    /// As a decimal number, such as `0.1`.
    pub fn decimal(self) -> String {
        let billionths = u128::from(self.part) * 1_000_000_000 / u128::from(self.whole);
        let text = format!("{}.{:09}", billionths / 1_000_000_000, billionths % 1_000_000_000);
        text.trim_end_matches('0').trim_end_matches('.').to_owned()
    }

    /// The number closest to it.
    pub fn as_f64(self) -> f64 {
        self.part as f64 / self.whole as f64
    }
}

impl fmt::Display for Share {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} %", 100.0 * self.as_f64())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn limits_are_exact() {
        let tenth = Share::parse("0.1").unwrap();
        assert!(!tenth.is_exceeded_by(3, 30) && tenth.is_exceeded_by(4, 30));
        assert!(!Share::ALL.is_exceeded_by(30, 30) && Share::NONE.is_exceeded_by(1, 30));
        assert_eq!(Share::parse("1.0").unwrap(), Share::ALL);
        assert_eq!(Share::parse(".25").unwrap().to_string(), "25 %");
        assert_eq!([Share::FIFTH.decimal(), Share::ALL.decimal(), Share::NONE.decimal()], ["0.2", "1", "0"]);
    }

    #[test]
    fn what_is_no_share_is_refused() {
        for text in ["", ".", "-0.1", "1.01", "2", "1e-3", "0.1.2", "0.1234567890"] {
            assert!(Share::parse(text).is_err(), "{text}");
        }
    }
}
