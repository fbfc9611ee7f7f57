//! A page, sentence by sentence.

use super::Wording;
use super::number::localized;
use std::cell::RefCell;

/// Tags inside a sentence; all others end it.
const INLINE: [&str; 8] = ["strong", "em", "b", "i", "code", "bdi", "sup", "wbr"];
/// A point to note, which quotes text of the data.
const NOTE: &str = "<bdi class=\"note\">";
/// Attributes that people read or hear.
const TOLD: [&str; 2] = ["data-label=\"", "aria-label=\""];

/// Translates what stands between the tags; `missing` hears of sentences that the wording lacks.
pub(super) fn translate(html: &str, wording: &Wording, missing: &mut dyn FnMut(&str)) -> String {
    let mut page = String::with_capacity(html.len());
    let mut segment = String::new();
    let mut rest = html;
    while let Some(open) = rest.find('<') {
        segment.push_str(&rest[..open]);
        let Some(length) = rest[open..].find('>') else { break };
        let tag = &rest[open..=open + length];
        rest = &rest[open + length + 1..];
        if tag == NOTE {
            page.push_str(&sentences(&std::mem::take(&mut segment), wording, missing));
            let end = rest.find("</bdi>").unwrap_or(rest.len());
            page.push_str(tag);
            let known = wording.note(&rest[..end], &RefCell::new(&mut *missing));
            page.push_str(&known.unwrap_or_else(|| {
                missing(&rest[..end]);
                rest[..end].to_owned()
            }));
            page.push_str("</bdi>");
            rest = rest[end..].strip_prefix("</bdi>").unwrap_or_default();
            continue;
        }
        if is_inline(tag, &segment) {
            segment.push_str(tag);
            continue;
        }
        page.push_str(&sentences(&std::mem::take(&mut segment), wording, missing));
        page.push_str(&attributes(tag, wording, missing));
        // What is no text is passed on as it is.
        if tag.starts_with("<style") {
            let end = rest.find("</style").unwrap_or(rest.len());
            page.push_str(&styled(&rest[..end], wording));
            rest = &rest[end..];
        }
    }
    segment.push_str(rest);
    page.push_str(&sentences(&segment, wording, missing));
    page
}

/// Titles of pages, the longer ones first.
const TITLES: [&str; 8] = [
    "Record of a joint release (internal)",
    "Joint release report (internal)",
    "Joint release report",
    "Noisy release report",
    "Sliced release report",
    "Report on a released answer",
    "Release report (internal)",
    "Release report",
];

/// A style may print the title of the page on every sheet.
fn styled(style: &str, wording: &Wording) -> String {
    let mut style = style.to_owned();
    for title in TITLES {
        if let Some(other) = wording.find(title) {
            style = style.replace(&format!("\"{title}\""), &format!("\"{other}\""));
        }
    }
    style
}

/// `before` is what has been read of the sentence.
fn is_inline(tag: &str, before: &str) -> bool {
    let name = tag.trim_start_matches(['<', '/']);
    let end = name.find(|c: char| !c.is_ascii_alphanumeric()).unwrap_or(name.len());
    // Names of columns are parts of sentences; other spans are told apart by a look of their own.
    const NAME: &str = "<span class=\"name\">";
    let closes_name = tag == "</span>" && before.matches(NAME).count() > before.matches("</span>").count();
    INLINE.contains(&&name[..end]) || tag == NAME || closes_name
}

fn attributes(tag: &str, wording: &Wording, missing: &mut dyn FnMut(&str)) -> String {
    let mut tag = tag.replace("<html lang=\"en\"", &format!("<html lang=\"{}\"", wording.code));
    for told in TOLD {
        let Some(start) = tag.find(told).map(|at| at + told.len()) else { continue };
        let Some(end) = tag[start..].find('"').map(|length| start + length) else { continue };
        let text = sentences(&tag[start..end], wording, missing);
        tag.replace_range(start..end, &text);
    }
    tag
}

/// A run of text: as a whole if the file has it so, else sentence by sentence, several at a time where they are one entry.
fn sentences(segment: &str, wording: &Wording, missing: &mut dyn FnMut(&str)) -> String {
    let text = segment.trim();
    if !says_something(text) {
        return localized(segment);
    }
    let lead = &segment[..segment.len() - segment.trim_start().len()];
    let tail = &segment[segment.trim_end().len()..];
    let parts = split(text);
    let mut told: Vec<String> = Vec::new();
    let mut first = 0;
    while first < parts.len() {
        let found = (first + 1..=parts.len()).rev().find_map(|last| {
            let joined = parts[first..last].join(" ");
            wording.find_several(&joined, last - first).map(|sentence| (last, sentence))
        });
        let (last, sentence) = found.unwrap_or_else(|| {
            let part = parts[first];
            // A list of columns is no sentence.
            if says_something(&part.replace(" and ", " ").replace(" more", " ")) {
                missing(part);
            }
            (first + 1, localized(&wording.joined(part)))
        });
        told.push(sentence);
        first = last;
    }
    format!("{lead}{}{tail}", told.join(" "))
}

/// Whether there are letters outside tags, text of the data and code.
fn says_something(text: &str) -> bool {
    let mut rest = text;
    let mut outside = String::new();
    while let Some(open) = rest.find('<') {
        outside.push_str(&rest[..open]);
        rest = &rest[open..];
        let close = ["bdi", "code", "sup"].iter().find_map(|name| {
            let is_it = rest.starts_with(&format!("<{name}>"));
            is_it.then(|| rest.find(&format!("</{name}>")).unwrap_or(rest.len() - 1))
        });
        let end = rest[close.unwrap_or(0)..].find('>').map_or(rest.len(), |at| close.unwrap_or(0) + at + 1);
        rest = &rest[end..];
    }
    outside.push_str(rest);
    let plain = ["&lt;", "&gt;", "&amp;", "&quot;", "&#39;"]
        .iter()
        .fold(outside, |text, entity| text.replace(entity, ""));
    plain.chars().filter(|c| c.is_alphabetic()).count() > 1
}

/// At the ends of sentences, outside tags.
pub(super) fn split(text: &str) -> Vec<&str> {
    let mut parts = Vec::new();
    let (mut start, mut in_tag) = (0, false);
    let characters: Vec<(usize, char)> = text.char_indices().collect();
    for window in characters.windows(3) {
        let [(_, a), (space, b), (next, c)] = window else { continue };
        in_tag = match a {
            '<' => true,
            '>' => false,
            _ => in_tag,
        };
        let ends =
            matches!(a, '.' | '!' | '?' | '>') && *b == ' ' && (c.is_uppercase() || matches!(c, '<' | '“'));
        let is_stop = matches!(a, '.' | '!' | '?')
            || text[..*space].ends_with(".</strong>")
            || text[..*space].ends_with(":</strong>");
        if ends && is_stop && !in_tag {
            parts.push(&text[start..*space]);
            start = *next;
        }
    }
    parts.push(&text[start..]);
    parts
}
