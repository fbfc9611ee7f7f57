//! Numbers people can read.

use paravent_core::words;
pub use paravent_core::words::Columns;
use serde_json::Value;

/// A text in lines of at most `width` characters, all but the first after so many spaces.
#[cfg(feature = "sql")]
pub fn wrapped(text: &str, indent: usize, width: usize) -> String {
    let mut lines: Vec<String> = Vec::new();
    for word in text.split_whitespace() {
        match lines.last_mut() {
            Some(line) if indent + line.chars().count() + 1 + word.chars().count() <= width => {
                line.push(' ');
                line.push_str(word);
            }
            _ => lines.push(word.to_owned()),
        }
    }
    lines.join(&format!("\n{}", " ".repeat(indent)))
}

/// `30162` → `30,162`
pub fn count(number: impl Into<u128>) -> String {
    words::grouped(number, ',')
}

/// `3,000 rows`, `1 row`
pub fn counted(number: u64, noun: &str) -> String {
    format!("{} {}", count(number), words::noun(number, noun))
}

/// `part` of `whole` in percent.
pub fn share(part: u64, whole: u64) -> String {
    let percent = part as f64 * 100.0 / whole.max(1) as f64;
    match percent {
        0.0 => "0 %".to_owned(),
        percent if percent < 0.01 => "below 0.01 %".to_owned(),
        percent => format!("{} %", short(percent)),
    }
}

/// Up to four significant digits, as few as will do.
pub fn short(number: f64) -> String {
    if !number.is_finite() {
        return "unbounded".to_owned();
    }
    let magnitude = if number == 0.0 { 0 } else { number.abs().log10().floor() as i32 };
    let decimals = (3 - magnitude).clamp(0, 8) as usize;
    let text = format!("{number:.decimals$}");
    match text.contains('.') {
        true => text.trim_end_matches('0').trim_end_matches('.').to_owned(),
        false => text,
    }
}

/// The same, with a sign between thousands: `14,381,741`.
pub fn grouped(number: f64) -> String {
    match (number >= 1000.0).then(|| short(number).parse::<u128>()) {
        Some(Ok(whole)) => count(whole),
        _ => short(number),
    }
}

/// `{"attribute": "diagnosis", "l": 3}` → `attribute = diagnosis, l = 3`
pub fn parameters(object: &Value) -> String {
    let Some(object) = object.as_object() else { return String::new() };
    object.iter().map(|(name, value)| format!("{name} = {}", parameter(value))).collect::<Vec<_>>().join(", ")
}

fn parameter(value: &Value) -> String {
    match value {
        Value::String(text) => text.clone(),
        Value::Number(number) => match (number.as_u64(), number.as_f64()) {
            (Some(whole), _) => whole.to_string(),
            (None, Some(number)) => short(number),
            (None, None) => number.to_string(),
        },
        // Lists of cells (what may be disclosed) are in the job file; their number is enough here.
        Value::Array(list) => counted(list.len() as u64, "entry"),
        Value::Null => "none".to_owned(),
        Value::Bool(_) | Value::Object(_) => value.to_string(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn numbers_are_short() {
        assert_eq!([count(7u64), count(1_000u64), count(1_234_567u64)], ["7", "1,000", "1,234,567"]);
        assert_eq!(
            [short(0.0), short(0.25), short(255_559.85), short(2.34567)],
            ["0", "0.25", "255560", "2.346"]
        );
        assert_eq!(
            [grouped(14_381_741.0), grouped(843_799.7), grouped(45.01)],
            ["14,381,741", "843,800", "45.01"]
        );
        assert_eq!([share(0, 10), share(1, 3), share(1, 1_000_000)], ["0 %", "33.33 %", "below 0.01 %"]);
        assert_eq!(
            [counted(1, "class"), counted(2, "class"), counted(0, "row")],
            ["1 class", "2 classes", "0 rows"]
        );
    }

    #[test]
    fn parameters_read_like_the_job_file() {
        let object = json!({ "attribute": "diagnosis", "t": 0.2, "l": 3, "allowed": ["a", "b"] });
        assert_eq!(parameters(&object), "attribute = diagnosis, t = 0.2, l = 3, allowed = 2 entries");
    }

    #[cfg(feature = "sql")]
    #[test]
    fn long_texts_go_on_below() {
        assert_eq!(wrapped("one two three", 2, 9), "one two\n  three");
        assert_eq!(wrapped("extraordinary word", 4, 8), "extraordinary\n    word");
        assert_eq!(wrapped("", 4, 8), "");
    }
}
