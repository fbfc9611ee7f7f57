//! Figures in plain language.

use paravent_core::words::grouped;

/// `13,294`
pub(super) fn number(number: u64) -> String {
    grouped(number, ',')
}

/// `1 row`, `2 rows`
pub(super) fn counted(count: u64, one: &str, many: &str) -> String {
    format!("{} {}", number(count), if count == 1 { one } else { many })
}

/// `42 %`; a share above 0 is never shown as 0, one below 1 never as 100.
pub(super) fn percent(share: f64) -> String {
    match share {
        share if share <= 0.0 => "0 %".to_owned(),
        share if share < 0.01 => "less than 1 %".to_owned(),
        share if share > 0.99 && share < 1.0 => "more than 99 %".to_owned(),
        share => format!("{:.0} %", share * 100.0),
    }
}

/// `` `a`, `b` and `c` ``
pub(super) fn listed<'a>(names: impl IntoIterator<Item = &'a str>) -> String {
    let mut names: Vec<String> = names.into_iter().map(|name| format!("`{name}`")).collect();
    match names.pop() {
        Some(last) if names.is_empty() => last,
        Some(last) => format!("{} and {last}", names.join(", ")),
        None => String::new(),
    }
}

/// `3`, `3 and 7`, `3, 7 and 12 more`.
pub(super) fn listed_rows(rows: &[u64]) -> String {
    match rows {
        [] => String::new(),
        [row] => number(*row),
        [first, second] => format!("{} and {}", number(*first), number(*second)),
        [first, second, more @ ..] => {
            format!("{}, {} and {} more", number(*first), number(*second), number(more.len() as u64))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn figures_are_readable() {
        assert_eq!(
            [0, 7, 999, 1000, 63_441, 1_000_000].map(number).join(" "),
            "0 7 999 1,000 63,441 1,000,000"
        );
        assert_eq!(counted(1, "row", "rows"), "1 row");
        assert_eq!(
            [0.0, 0.001, 0.5, 0.999, 1.0].map(percent),
            ["0 %", "less than 1 %", "50 %", "more than 99 %", "100 %"]
        );
        assert_eq!(listed(["a", "b", "c"]), "`a`, `b` and `c`");
        assert_eq!(listed(["a"]), "`a`");
        assert_eq!(
            [&[3][..], &[3, 1007], &[3, 7, 9, 11]].map(listed_rows),
            ["3", "3 and 1,007", "3, 7 and 2 more"]
        );
    }
}
