//! "Did you mean …?", and how texts are quoted.

/// The candidate that was most likely meant by `written`, if one comes close.
pub fn closest<'c>(written: &str, candidates: impl IntoIterator<Item = &'c str>) -> Option<&'c str> {
    // Nobody misspells that much, and the distance costs the product of the lengths.
    if written.len() > 64 {
        return None;
    }
    let written = plain(written);
    let near = |candidate: &&str| {
        let candidate = plain(candidate);
        let distance = edits(&written, &candidate);
        let part = written.len() >= 3 && (candidate.starts_with(&written) || candidate.ends_with(&written));
        // Keys of one letter (k, l, t) with another beside it.
        let letter = candidate.len() == 1 && written.len() == 2 && written.contains(&candidate[0]);
        match letter || distance <= written.len().max(candidate.len()) / 3 {
            true => Some(distance),
            // Of several that begin or end like it, the first that is listed is the usual one.
            false => part.then_some(usize::MAX),
        }
    };
    candidates
        .into_iter()
        .filter_map(|candidate| Some((near(&candidate)?, candidate)))
        .min_by_key(|&(distance, _)| distance)
        .map(|(_, candidate)| candidate)
}

/// Case and the choice of `_`, space or `-` are the most frequent slips.
fn plain(text: &str) -> Vec<char> {
    text.chars().flat_map(char::to_lowercase).map(|c| if c == '_' || c == ' ' { '-' } else { c }).collect()
}

/// Fewest insertions, deletions, replacements and swaps of neighbours that turn `a` into `b`.
fn edits(a: &[char], b: &[char]) -> usize {
    let mut before_last = Vec::new();
    let mut last: Vec<usize> = (0..=b.len()).collect();
    for i in 0..a.len() {
        let mut row = vec![i + 1];
        for j in 0..b.len() {
            let replaced = last[j] + usize::from(a[i] != b[j]);
            let mut best = replaced.min(last[j + 1] + 1).min(row[j] + 1);
            if i > 0 && j > 0 && a[i] == b[j - 1] && a[i - 1] == b[j] {
                let swapped: usize = before_last[j - 1];
                best = best.min(swapped + 1);
            }
            row.push(best);
        }
        before_last = std::mem::replace(&mut last, row);
    }
    last[b.len()]
}

/// A TOML string on one line: quotes, backslashes and control characters escaped.
pub fn quoted(text: &str) -> String {
    let mut quoted = String::with_capacity(text.len() + 2);
    quoted.push('"');
    for c in text.chars() {
        match c {
            '"' => quoted.push_str("\\\""),
            '\\' => quoted.push_str("\\\\"),
            '\n' => quoted.push_str("\\n"),
            '\r' => quoted.push_str("\\r"),
            '\t' => quoted.push_str("\\t"),
            c if c.is_control() => quoted.push_str(&format!("\\u{:04X}", u32::from(c))),
            c => quoted.push(c),
        }
    }
    quoted.push('"');
    quoted
}

/// A text in quotes, cut where a message would become hard to read.
pub fn shortened(text: &str) -> String {
    const LONGEST: usize = 60;
    match text.char_indices().nth(LONGEST) {
        Some((end, _)) => quoted(&format!("{}…", &text[..end])),
        None => quoted(text),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const ROLES: [&str; 4] = ["identifying", "quasi-identifier", "sensitive", "insensitive"];

    #[test]
    fn finds_what_was_meant() {
        assert_eq!(closest("quasi_identifer", ROLES), Some("quasi-identifier"));
        assert_eq!(closest("Sensitive", ROLES), Some("sensitive"));
        assert_eq!(closest("identifier", ROLES), Some("identifying"));
        assert_eq!(closest("int", ["string", "integer"]), Some("integer"));
        assert_eq!(closest("pahts", ["path", "url"]), None);
        assert_eq!(closest("paht", ["path", "url"]), Some("path"));
        assert_eq!(closest("k", ["l", "t"]), None);
        let models = ["k-anonymity", "distinct-l-diversity", "entropy-l-diversity", "t-closeness"];
        assert_eq!(closest("l-diversity", models), Some("distinct-l-diversity"));
        assert_eq!(closest("banana", ROLES), None);
    }

    #[test]
    fn counts_a_swap_as_one_edit() {
        let count = |a, b| edits(&plain(a), &plain(b));
        assert_eq!(count("", "abc"), 3);
        assert_eq!(count("tpye", "type"), 1);
        assert_eq!(count("kitten", "sitting"), 3);
    }

    #[test]
    fn quotes_survive_a_toml_parser() {
        for text in ["", "a\"b\\c", "tab\tline\nreturn\r", "\u{0}\u{7f}\u{85}", "ä 漢 🦀"] {
            let document = format!("key = {}", quoted(text));
            let table: toml::Table = document.parse().unwrap();
            assert_eq!(table["key"].as_str(), Some(text));
        }
    }
}
