//! Numbers as a language writes them.

/// A decimal comma, and a space before the percent sign. Tags and text of the data stay as they are.
pub(super) fn localized(html: &str) -> String {
    let mut text = String::with_capacity(html.len());
    let (mut in_tag, mut in_data) = (false, false);
    let mut before = ' ';
    for (at, character) in html.char_indices() {
        let rest = &html[at..];
        if character == '<' {
            in_tag = true;
            in_data = rest.starts_with("<bdi")
                || rest.starts_with("<code")
                || in_data && !rest.starts_with("</bdi") && !rest.starts_with("</code");
        }
        let next = rest[character.len_utf8()..].chars().next();
        match character {
            '.' if !in_tag
                && !in_data
                && before.is_ascii_digit()
                && next.is_some_and(|c| c.is_ascii_digit()) =>
            {
                text.push(',');
            }
            '%' if !in_tag && !in_data && before.is_ascii_digit() => text.push_str("\u{a0}%"),
            other => text.push(other),
        }
        in_tag &= character != '>';
        before = character;
    }
    text
}
