//! Numbers people can read.

use paravent_core::words::grouped;

/// `30162` → `30,162`
pub(super) fn count(number: u128) -> String {
    grouped(number, ',')
}

/// Three significant digits, without powers of ten.
pub(super) fn three_digits(number: f64) -> String {
    match number {
        n if !n.is_finite() => "-".to_owned(),
        n if n >= 99.95 => count(n.round() as u128),
        n if n >= 9.995 => format!("{n:.1}"),
        n if n >= 0.0995 || n == 0.0 => format!("{n:.2}"),
        n => format!("{n:.4}"),
    }
}

/// `1.23 ms`, `45.6 s`
pub(crate) fn time(ms: f64) -> String {
    if ms >= 1000.0 { format!("{} s", three_digits(ms / 1000.0)) } else { format!("{} ms", three_digits(ms)) }
}

/// `1.5 MB`
pub(super) fn megabytes(bytes: f64) -> String {
    format!("{} MB", three_digits(bytes / 1e6))
}

/// `34×`
pub(super) fn times(factor: f64) -> String {
    format!("{}×", three_digits(factor))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_have_three_digits() {
        let shown = [0.0, 0.01234, 0.5, 9.99, 12.34, 123.4, 12345.0].map(three_digits);
        assert_eq!(shown, ["0.00", "0.0123", "0.50", "9.99", "12.3", "123", "12,345"]);
        assert_eq!([time(1.234), time(45_600.0)], ["1.23 ms", "45.6 s"]);
    }
}
