//! Lines that fit on the terminal.

use std::io::IsTerminal;
use std::os::fd::AsFd;

/// A narrower terminal is left to itself.
const NARROWEST: usize = 40;
/// A last column of so many characters is wide enough to be broken in itself.
const ROOM: usize = 24;

/// How many characters a line may have: what the variable `COLUMNS` says, else the width of the terminal. `None` in a pipe, where lines are left as
/// they are.
pub fn width(stream: &(impl IsTerminal + AsFd)) -> Option<usize> {
    let said = std::env::var("COLUMNS").ok().and_then(|columns| columns.parse().ok());
    let measured = || {
        let size = stream.is_terminal().then(|| rustix::termios::tcgetwinsize(stream).ok())?;
        size.map(|size| usize::from(size.ws_col))
    };
    said.or_else(measured).filter(|&columns| columns >= NARROWEST)
}

/// The text with lines of at most `width` characters, broken between words. What is broken off stands below the last column of its line.
pub fn folded(text: &str, width: Option<usize>) -> String {
    let Some(width) = width else { return text.to_owned() };
    let mut told = String::with_capacity(text.len());
    for line in text.split_inclusive('\n') {
        let (line, end) = line.strip_suffix('\n').map_or((line, ""), |line| (line, "\n"));
        if visible(line) <= width {
            told.push_str(line);
        } else {
            fold(line, width, &mut told);
        }
        told.push_str(end);
    }
    told
}

fn fold(line: &str, width: usize, told: &mut String) {
    let hang = below(line, width);
    let start = line.len() - line.trim_start_matches(' ').len();
    told.push_str(&line[..start]);
    let (mut at, mut first) = (start, true);
    // Blanks between columns stay; those where a line is broken go.
    for word in line[start..].split_inclusive(' ') {
        let length = visible(word.trim_end_matches(' '));
        if !first && at + length > width && length > 0 {
            told.truncate(told.trim_end_matches(' ').len());
            told.push('\n');
            told.push_str(&" ".repeat(hang));
            at = hang;
        }
        told.push_str(word);
        at += visible(word);
        first = false;
    }
    told.truncate(told.trim_end_matches(' ').len());
}

/// Where the last column of a line begins, if that leaves half of the width; two characters further, if it leaves room for a few words; else two
/// characters further than the line.
fn below(line: &str, width: usize) -> usize {
    let start = line.len() - line.trim_start_matches(' ').len();
    let text = &line[start..];
    let columns = text.match_indices("  ").map(|(at, _)| {
        let after = text[at..].len() - text[at..].trim_start_matches(' ').len();
        start + visible(&text[..at + after])
    });
    let columns: Vec<usize> = columns.collect();
    match columns.last() {
        Some(&last) if last > width / 2 && last + ROOM <= width => last + 2,
        _ => columns.into_iter().filter(|&column| column <= width / 2).max().unwrap_or(start + 2),
    }
}

/// Characters that are seen: colours are not.
fn visible(text: &str) -> usize {
    let (mut count, mut in_colour) = (0, false);
    for character in text.chars() {
        match (in_colour, character) {
            (false, '\u{1b}') => in_colour = true,
            (true, 'm') => in_colour = false,
            (true, _) => {}
            (false, _) => count += 1,
        }
    }
    count
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_are_broken_between_words() {
        let text = "note: one two three four five\n\n  age    5-9, 10-14, 15-19\n";
        let told = folded(text, Some(20));
        assert_eq!(told, "note: one two three\n  four five\n\n  age    5-9, 10-14,\n         15-19\n");
        assert_eq!(folded(text, Some(60)), text);
        assert_eq!(folded(text, None), text);
    }

    #[test]
    fn a_last_column_that_has_room_is_broken_in_itself() {
        let text = format!("  name{}{}", " ".repeat(40), "by its name a number that may stand for a person");
        let told = folded(&text, Some(80));
        let second = told.lines().nth(1).unwrap();
        assert_eq!(second, format!("{}stand for a person", " ".repeat(48)), "{told}");
        // Else the column before takes what is broken off.
        assert!(folded(&text, Some(60)).lines().nth(1).unwrap().starts_with("    number"));
    }

    #[test]
    fn colours_take_no_place_and_long_words_stay_whole() {
        let text = "\u{1b}[33mnote:\u{1b}[0m one two three";
        assert_eq!(folded(text, Some(19)), text);
        assert_eq!(folded("a /very/long/path/to/a/file b", Some(12)), "a\n  /very/long/path/to/a/file\n  b");
    }

    #[test]
    fn what_is_broken_says_the_same() {
        let text =
            "  column   role              why it is what it is thought to be, in plain language\n  x  y\n";
        for width in 12..90 {
            let told = folded(text, Some(width));
            let words = |text: &str| text.split_whitespace().map(str::to_owned).collect::<Vec<_>>();
            assert_eq!(words(&told), words(text), "{width}");
            assert!(width < 30 || told.lines().all(|line| line.chars().count() <= width), "{width}: {told}");
        }
    }
}
