//! Text from the data becomes inert text of the page.

/// Longest label that is shown in full, in characters.
const LONGEST_LABEL: usize = 80;

/// Text that can stand between tags and inside a quoted attribute.
pub fn escape(text: &str) -> String {
    let mut safe = String::with_capacity(text.len());
    for character in text.chars() {
        match character {
            '&' => safe.push_str("&amp;"),
            '<' => safe.push_str("&lt;"),
            '>' => safe.push_str("&gt;"),
            '"' => safe.push_str("&quot;"),
            '\'' => safe.push_str("&#39;"),
            '\t' | '\n' | '\r' => safe.push(' '),
            // Control characters are not allowed in HTML; invisible ones that turn the text around would mislead.
            character if character.is_control() || is_direction_mark(character) => safe.push('\u{fffd}'),
            character => safe.push(character),
        }
    }
    safe
}

/// A label from the data: escaped, cut if very long, kept from turning the text around it.
pub fn label(text: &str) -> String {
    if text.trim().is_empty() {
        return "<i>(blank)</i>".to_owned();
    }
    let mut characters = text.chars();
    let mut shown: String = characters.by_ref().take(LONGEST_LABEL).collect();
    if characters.next().is_some() {
        shown.push('…');
    }
    format!("<bdi>{}</bdi>", escape(&shown))
}

/// A point to note: a sentence of the program that quotes text of the data. Another language has a sentence of its own for it.
pub fn note(text: &str) -> String {
    format!(r#"<bdi class="note">{}</bdi>"#, escape(text))
}

/// The name of a column.
pub fn name(text: &str) -> String {
    format!(r#"<span class="name">{}</span>"#, label(text))
}

/// `age, sex and zip`; beyond `most` names the rest is counted, unless it is a single one.
pub fn list(names: &[&str], most: usize) -> String {
    let most = if names.len() == most + 1 { names.len() } else { most };
    let mut items: Vec<String> = names.iter().take(most).map(|text| name(text)).collect();
    if names.len() > most {
        items.push(format!("{} more", names.len() - most));
    }
    match items.split_last() {
        None => String::new(),
        Some((only, [])) => only.clone(),
        Some((last, others)) => format!("{} and {last}", others.join(", ")),
    }
}

fn is_direction_mark(character: char) -> bool {
    matches!(character, '\u{200e}' | '\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn markup_becomes_text() {
        let hostile = r#"</title><script>alert('x' & "y")</script>"#;
        let safe = escape(hostile);
        assert!(!safe.contains(['<', '>', '"', '\'']));
        assert_eq!(escape("a & b"), "a &amp; b");
    }

    #[test]
    fn invisible_characters_are_shown() {
        assert_eq!(escape("a\0b\u{202e}c\nd"), "a\u{fffd}b\u{fffd}c d");
    }

    #[test]
    fn long_and_blank_labels_stay_readable() {
        assert_eq!(label(&"x".repeat(200)).matches('x').count(), LONGEST_LABEL);
        assert_eq!(label("  "), "<i>(blank)</i>");
    }

    #[test]
    fn lists_read_like_a_sentence() {
        let plain = |names: &[&str]| {
            let html = list(names, 3).replace(r#"<span class="name"><bdi>"#, "");
            html.replace("</bdi></span>", "")
        };
        assert_eq!(plain(&["age"]), "age");
        assert_eq!(plain(&["age", "sex", "zip"]), "age, sex and zip");
        assert_eq!(plain(&["a", "b", "c", "d"]), "a, b, c and d");
        assert_eq!(plain(&["a", "b", "c", "d", "e"]), "a, b, c and 2 more");
        assert_eq!(plain(&[]), "");
    }
}
