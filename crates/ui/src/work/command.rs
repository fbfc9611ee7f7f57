//! Command lines to copy.

/// A command line that a shell reads as these parts.
pub(super) fn line<'a>(parts: impl IntoIterator<Item = &'a str>) -> String {
    parts.into_iter().map(quoted).collect::<Vec<_>>().join(" ")
}

fn quoted(text: &str) -> String {
    match !text.is_empty() && text.chars().all(|one| one.is_ascii_alphanumeric() || "._-/=,:".contains(one)) {
        true => text.to_owned(),
        false => format!("'{}'", text.replace('\'', r"'\''")),
    }
}

#[cfg(test)]
mod tests {
    use super::line;

    #[test]
    fn a_shell_reads_the_parts_as_they_are() {
        assert_eq!(
            line(["paravent", "run", "a b", "it's", "--me=x"]),
            r"paravent run 'a b' 'it'\''s' --me=x"
        );
    }
}
