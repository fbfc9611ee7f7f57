//! Decimals as whole numbers: 12.34 is 1234 hundredths.

/// How many digits after the point are kept. Fixed before the data is seen.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Grid {
    decimals: u8,
}

/// A text that is not on the grid. Says nothing about the text.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("not a decimal with at most {decimals} digits after the point that fits 64 bits")]
pub struct OffGrid {
    /// Digits of the grid.
    pub decimals: u8,
}

impl Grid {
    /// Whole numbers.
    pub const WHOLE: Grid = Grid { decimals: 0 };

    /// Up to 18 digits after the point.
    pub fn new(decimals: u8) -> Result<Grid, OffGrid> {
        if decimals <= 18 { Ok(Grid { decimals }) } else { Err(OffGrid { decimals: 18 }) }
    }

    /// Digits after the point.
    pub fn decimals(self) -> u8 {
        self.decimals
    }

    /// How many units a text such as `-12.3` has, without rounding.
    pub fn units(self, text: &str) -> Result<i64, OffGrid> {
        let off = OffGrid { decimals: self.decimals };
        let (sign, digits) = match text.strip_prefix('-') {
            Some(rest) => (-1, rest),
            None => (1, text.strip_prefix('+').unwrap_or(text)),
        };
        let (whole, part) = digits.split_once('.').unwrap_or((digits, ""));
        let part = part.trim_end_matches('0');
        let plain = whole.bytes().chain(part.bytes()).all(|byte| byte.is_ascii_digit());
        if !plain || digits.bytes().all(|byte| byte == b'.') || part.len() > usize::from(self.decimals) {
            return Err(off);
        }
        let missing = usize::from(self.decimals) - part.len();
        let mut units: i128 = 0;
        for digit in whole.bytes().chain(part.bytes()).chain(std::iter::repeat_n(b'0', missing)) {
            units = units.checked_mul(10).and_then(|u| u.checked_add(i128::from(digit - b'0'))).ok_or(off)?;
        }
        i64::try_from(sign * units).map_err(|_| off)
    }

    /// The decimal for this number of units.
    pub fn render(self, units: i128) -> String {
        let places = usize::from(self.decimals);
        let sign = if units < 0 { "-" } else { "" };
        let digits = format!("{:0>width$}", units.unsigned_abs(), width = places + 1);
        let (whole, part) = digits.split_at(digits.len() - places);
        if part.is_empty() { format!("{sign}{whole}") } else { format!("{sign}{whole}.{part}") }
    }

    /// The number for this number of units, to be shown.
    pub fn to_f64(self, units: f64) -> f64 {
        units / 10f64.powi(i32::from(self.decimals))
    }
}
