//! Labels as numbers.

/// The number behind a cell or a label: `34` is 34, `20-29`, `20..29` and `[20, 30[` are their middle. `None` where a label has none, as `*`.
pub fn number(label: &str) -> Option<f64> {
    let label = label.trim();
    if let Ok(number) = label.parse::<f64>() {
        return number.is_finite().then_some(number);
    }
    let inner = label.trim_start_matches(['[', ']', '(']).trim_end_matches(['[', ']', ')']);
    let middle = |low: &str, high: &str| {
        let (low, high): (f64, f64) = (low.trim().parse().ok()?, high.trim().parse().ok()?);
        (low <= high).then_some((low + high) / 2.0)
    };
    for mark in ["..", ",", ";", "–"] {
        if let Some((low, high)) = inner.split_once(mark) {
            return middle(low, high);
        }
    }
    // A minus sign may also stand before a number.
    inner
        .match_indices('-')
        .filter(|(at, _)| *at > 0)
        .find_map(|(at, _)| middle(&inner[..at], &inner[at + 1..]))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn intervals_are_their_middle() {
        for (label, expected) in [
            ("34", 34.0),
            ("-3.5", -3.5),
            ("20-29", 24.5),
            ("[20, 30[", 25.0),
            ("-10--5", -7.5),
            ("0..9", 4.5),
            ("1e3", 1000.0),
        ] {
            assert_eq!(number(label), Some(expected), "{label}");
        }
        for label in ["*", "", "8166*", "flu", ">100", "nan", "inf", "2024-03", "9-1"] {
            assert_eq!(number(label), None, "{label}");
        }
    }
}
