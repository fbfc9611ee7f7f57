//! Texts that read like a missing value.
//!
//! A missing diagnosis is no diagnosis. Where a table writes it as a text and nobody says so, it would count as one, and a class of
//! `NA`, `unknown` and one illness would pass for diverse.

/// What people and programs write where there is no value, in lower case without blanks and points.
const WORDS: [&str; 34] = [
    "",
    "na",
    "n/a",
    "#n/a",
    "null",
    "nil",
    "nan",
    "none",
    "?",
    "-",
    "--",
    "---",
    "ka",
    "k/a",
    "keineangabe",
    "unbekannt",
    "fehlt",
    "missing",
    "unknown",
    "undefined",
    "notavailable",
    "notknown",
    "notgiven",
    "notrecorded",
    "notspecified",
    "notstated",
    "unspecified",
    "nichtbekannt",
    "nichtangegeben",
    "nichterhoben",
    "ohneangabe",
    "unk",
    "inconnu",
    "desconocido",
];

/// Whether a text reads like a missing value.
pub fn reads_like_missing(text: &str) -> bool {
    if text.len() > 24 {
        return false;
    }
    let plain: String = text
        .chars()
        .filter(|c| !c.is_whitespace() && *c != '.' && *c != '_')
        .flat_map(char::to_lowercase)
        .collect();
    WORDS.contains(&plain.as_str())
}

/// The warning about such texts in a sensitive column; these words are no person's cells. `None` where there is none.
pub fn warning(column: &str, words: &[&str]) -> Option<String> {
    let shown: Vec<String> = words.iter().take(3).map(|word| format!("{word:?}")).collect();
    (!words.is_empty()).then(|| {
        format!(
            "column {column}: {} {}, say null = [{}] under [input]",
            shown.join(", "),
            match words.len() {
                1 => "reads like a missing value but counts as a sensitive value of its own; if it is none",
                _ => "read like missing values but count as sensitive values of their own; if they are none",
            },
            shown.join(", ")
        )
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_are_known_in_any_spelling() {
        let words = [
            "NA",
            "n.a.",
            "N/A",
            "k. A.",
            "Unknown",
            "keine Angabe",
            " ",
            ".",
            "--",
            "NULL",
            "not_available",
        ];
        assert!(words.into_iter().all(reads_like_missing));
        assert!(
            !["B25.66", "Nausea", "flu", "0", "99", "Namibia", "nicht krank"]
                .into_iter()
                .any(reads_like_missing)
        );
    }

    #[test]
    fn the_warning_says_what_to_write() {
        assert_eq!(warning("diagnosis", &[]), None);
        let told = warning("diagnosis", &["NA"]).unwrap();
        assert!(told.contains("\"NA\" reads like") && told.contains("null = [\"NA\"]"), "{told}");
    }
}
